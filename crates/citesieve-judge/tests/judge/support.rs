//! Claims, sources, and models that do what they are told.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use citesieve::{ClaimKind, ClosedClaim, Policy, Source, Sources, Support, TextSieve, Verdict};
use citesieve_judge::{Model, Reply};
use serde_json::{Value, json};

/// Sources 1 to `count`, each about a subject of its own.
pub(crate) fn sources(count: usize) -> Arc<Sources> {
    let text = |n: usize| {
        format!(
            "Warehouse {n} stores barley and oats in sealed bins. Its keeper inspects every bin before the first frost."
        )
    };
    Arc::new(Sources::new((1..=count).map(|n| Source::new(n.to_string()).text(text(n))).collect()).unwrap())
}

/// A claim that is neither near its source nor far from it.
pub(crate) fn claim(position: usize, cited: &[&str]) -> ClosedClaim {
    ClosedClaim {
        position,
        kind: ClaimKind::Sentence,
        text: format!("{} grain is kept in sealed bins which are looked at in autumn.", ordinal(position)),
        cited: cited.iter().map(|id| (*id).to_owned()).collect(),
        support: Support::Cited,
        demoted: false,
    }
}

/// A word that no other claim begins with, and no digit.
fn ordinal(n: usize) -> String {
    let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
    format!("Lot{}{}", letter(n / 26), letter(n))
}

/// An answer through the sieve, and its claims.
pub(crate) fn sieve(text: &str, sources: &Arc<Sources>) -> (Verdict, Vec<ClosedClaim>) {
    let mut sieve = TextSieve::new(Arc::new(Policy::default()), Arc::clone(sources)).gathering_claims();
    sieve.push(text);
    let (_, verdict, claims) = sieve.finish_with_claims();
    (verdict, claims)
}

/// The claims of a user prompt: id and text.
pub(crate) fn asked(user: &str) -> Vec<(String, String)> {
    let prompt: Value = serde_json::from_str(user).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    prompt["claims"].as_array().unwrap().iter().map(|claim| (text(&claim["id"]), text(&claim["text"]))).collect()
}

/// The source of a user prompt.
pub(crate) fn source_of(user: &str) -> String {
    let prompt: Value = serde_json::from_str(user).unwrap();
    prompt["source"]["id"].as_str().unwrap().to_owned()
}

/// A well-formed entry about a claim.
pub(crate) fn entry(id: &str, claim: &str, verdict: &str) -> Value {
    let begins: Vec<&str> = claim.split_whitespace().take(3).collect();
    json!({"id": id, "begins": begins.join(" "), "reason": "As told.", "verdict": verdict, "confidence": 0.8})
}

/// A well-formed answer with one verdict for all claims of a prompt.
pub(crate) fn all(user: &str, verdict: &str) -> String {
    let entries: Vec<Value> = asked(user).iter().map(|(id, claim)| entry(id, claim, verdict)).collect();
    json!({"judgements": entries}).to_string()
}

type Script = Box<dyn Fn(&str) -> Result<String, String> + Send + Sync>;

/// A model that follows a script, takes its time, and knows what it was asked.
#[derive(Clone)]
pub(crate) struct Scripted {
    script: Arc<Script>,
    takes: Duration,
    seen: Arc<Mutex<Vec<String>>>,
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Scripted {
    pub(crate) fn new(script: impl Fn(&str) -> Result<String, String> + Send + Sync + 'static) -> Self {
        Scripted {
            script: Arc::new(Box::new(script)),
            takes: Duration::ZERO,
            seen: Arc::default(),
            now: Arc::default(),
            most: Arc::default(),
        }
    }

    /// One that says the same about everything.
    pub(crate) fn saying(verdict: &'static str) -> Self {
        Scripted::new(move |user| Ok(all(user, verdict)))
    }

    pub(crate) fn takes(mut self, takes: Duration) -> Self {
        self.takes = takes;
        self
    }

    /// The user prompts of all calls.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// How many calls there were at once.
    pub(crate) fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }

    /// How many calls have not ended.
    pub(crate) fn running(&self) -> usize {
        self.now.load(Ordering::SeqCst)
    }
}

/// Counts a call for as long as it lives, so that one that is dropped is no longer counted.
struct Running(Arc<AtomicUsize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Model for Scripted {
    type Error = String;

    async fn complete(&self, system: &str, user: &str) -> Result<String, String> {
        assert!(system.contains("inadmissible"));
        self.seen.lock().unwrap().push(user.to_owned());
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        let _running = Running(Arc::clone(&self.now));
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(self.takes).await;
        (self.script)(user)
    }

    fn name(&self) -> &str {
        "scripted"
    }

    async fn reply(&self, system: &str, user: &str) -> Result<Reply, String> {
        let text = self.complete(system, user).await?;
        Ok(Reply { text, input_tokens: Some(100), output_tokens: Some(10) })
    }
}

/// Third-party data that lives outside of this repository; `None`, said aloud, where it is missing.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("CITESIEVE_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(root).join(path);
    if file.exists() {
        return Some(file);
    }
    eprintln!("skipped: no shared data ({path})");
    None
}
