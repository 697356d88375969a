//! Any model judges claims: an `async` closure of a system prompt and a user prompt. This one works offline, by counting
//! words that claim and source share; yours calls whatever you have.

use std::io;
use std::sync::Arc;

use citesieve::{Policy, Source, Sources, TextSieve, UnsupportedClaims};
use citesieve_judge::{Judge, Options};
use serde_json::{Value, json};

/// Stands for a call of a model: JSON in, JSON out.
fn by_shared_words(user: &str) -> Result<String, io::Error> {
    let question: Value = serde_json::from_str(user)?;
    let source = question["source"]["text"].as_str().unwrap_or_default().to_lowercase();
    let judge = |claim: &Value| {
        let text = claim["text"].as_str().unwrap_or_default().to_lowercase();
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3).collect();
        let shared = words.iter().filter(|word| source.contains(**word)).count();
        let verdict = if 2 * shared > words.len() { "partial" } else { "unrelated" };
        let begins = text.split(' ').take(3).collect::<Vec<_>>().join(" ");
        let reason = format!("{shared} of {} words.", words.len());
        json!({"id": claim["id"], "begins": begins, "reason": reason, "verdict": verdict, "confidence": 0.5})
    };
    let entries: Vec<Value> = question["claims"].as_array().into_iter().flatten().map(judge).collect();
    Ok(json!({ "judgements": entries }).to_string())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The ten lines: a model, its judge, and an answer whose claims go there as they close.
    let model = |_system: String, user: String| async move { by_shared_words(&user) };
    let judge = Judge::new(model, Options::default());
    let sources =
        Arc::new(Sources::new(vec![Source::new("1").text("Late rent bears interest at four per cent a year.")])?);
    let mut sieve = TextSieve::new(Arc::new(Policy::default()), Arc::clone(&sources)).gathering_claims();
    let mut answer = judge.answer(sources);
    for delta in ["Rent that is late bears some interest [1]. ", "The moon is made of cheese [1]."] {
        print!("{}", sieve.push(delta));
        answer.claims(sieve.closed_claims());
    }
    let (rest, mut verdict, last) = sieve.finish_with_claims();
    println!("{rest}");
    answer.claims(last);
    answer.finish().await.apply(&mut verdict, UnsupportedClaims::Downgrade);
    for claim in &verdict.claims {
        println!("{:?}: {:?}", claim.support, claim.judgement.as_ref().map(|judgement| judgement.ruling));
    }
    assert_eq!(verdict.status, citesieve::Status::Downgraded);
    Ok(())
}
