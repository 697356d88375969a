//! [`Guardrail`]: answers the rounds of LiteLLM's calls.

use std::sync::Arc;
use std::time::Instant;

use citesieve::{FoldCache, Policy, TextSieve, Verdict};
use citesieve_wire::request;

use super::calls::{Call, Calls};
use super::protocol::{Phase, Reply, Round};
use crate::config::{LiteLlmSettings, RequestSettings};
use crate::error::Refusal;
use crate::sources::{self, bad};

/// The answer to a round.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) reply: Reply,
    /// In rounds about an answer whose sources are known.
    pub(crate) verdicts: Option<Verdicts>,
}

/// What is found in the texts of one round.
#[derive(Debug)]
pub(crate) struct Verdicts {
    /// LiteLLM's id of the call.
    pub(crate) call: String,
    /// How the sources were found.
    pub(crate) from: &'static str,
    /// How many there are.
    pub(crate) sources: usize,
    /// The verdict on each text, as if it ended there.
    pub(crate) verdicts: Vec<Verdict>,
}

/// Answers the rounds of LiteLLM's calls.
#[derive(Debug)]
pub(crate) struct Guardrail {
    policy: Arc<Policy>,
    /// What a call may set.
    requests: RequestSettings,
    folded: Option<Arc<FoldCache>>,
    calls: Calls,
}

impl Guardrail {
    pub(crate) fn new(
        policy: Arc<Policy>,
        requests: RequestSettings,
        settings: &LiteLlmSettings,
        folded: Option<Arc<FoldCache>>,
    ) -> Self {
        let calls = Calls::new(settings.keep.0, settings.count, settings.bytes);
        Guardrail { policy, requests, folded, calls }
    }

    /// Answers a round. Linear in it.
    pub(crate) fn answer(&self, body: &[u8], now: Instant) -> Result<Answered, Refusal> {
        let round: Round<'_> =
            serde_json::from_slice(body).map_err(|error| bad(format!("a guardrail request: {error}")))?;
        let given = round.additional_provider_specific_params.as_ref().and_then(|params| params.citesieve);
        match round.phase {
            Phase::Request => {
                let messages = round.structured_messages.map_or("null", |raw| raw.get());
                let given = given.map_or(String::new(), |raw| format!("\"citesieve\":{},", raw.get()));
                let found = self.find(&format!("{{{given}\"messages\":{messages}}}"))?;
                if let (Some(call), Some(id)) = (found, round.litellm_call_id) {
                    self.calls.put(id, call, now);
                }
                Ok(Answered { reply: Reply::unchanged(), verdicts: None })
            }
            Phase::Response => {
                let id = round.litellm_call_id.unwrap_or_default();
                let call = match (self.calls.get(&id, now), given) {
                    (Some(call), _) => Some(call),
                    // LiteLLM was told the sources, and no request came before.
                    (None, Some(raw)) => self.find(&format!("{{\"citesieve\":{}}}", raw.get()))?,
                    (None, None) => None,
                };
                Ok(check(id, call, round.texts.unwrap_or_default()))
            }
        }
    }

    /// Finds the sources of a call; `None` if nothing is known about them.
    fn find(&self, body: &str) -> Result<Option<Call>, Refusal> {
        let found = request::find(body.as_bytes()).map_err(|error| bad(error.to_string()))?;
        let own = sources::own(found, &self.policy, &self.requests, self.folded.as_ref())?;
        let call = |(sources, from)| Call { sources, policy: own.policy, from };
        Ok(own.sources.map(call))
    }
}

/// Sieves the texts of an answer so far.
fn check(id: String, call: Option<Call>, texts: Vec<String>) -> Answered {
    let Some(call) = call else { return Answered { reply: Reply::unchanged(), verdicts: None } };
    let (mut shown, mut held, mut verdicts) = (Vec::new(), Vec::new(), Vec::new());
    for text in &texts {
        let mut sieve = TextSieve::new(Arc::clone(&call.policy), Arc::clone(&call.sources));
        let decided = sieve.push(text).to_owned();
        let (rest, verdict) = sieve.finish();
        held.push(rest.chars().count());
        shown.push(decided + &rest);
        verdicts.push(verdict);
    }
    // Text that is held must be withheld even if nothing of it changes in the end.
    let reply = if shown == texts && held.iter().all(|held| *held == 0) {
        Reply::unchanged()
    } else {
        Reply::shown(shown, held)
    };
    let sources = call.sources.list().len();
    Answered { reply, verdicts: Some(Verdicts { call: id, from: call.from, sources, verdicts }) }
}

#[cfg(test)]
mod tests {
    use citesieve::{Release, Sources};
    use serde_json::{Value, json};

    use super::*;

    fn guardrail(policy: Policy) -> Guardrail {
        Guardrail::new(Arc::new(policy), RequestSettings::default(), &LiteLlmSettings::default(), None)
    }

    fn ask(guardrail: &Guardrail, round: &Value) -> Result<Answered, Refusal> {
        guardrail.answer(round.to_string().as_bytes(), Instant::now())
    }

    fn request(id: &str, content: &str) -> Value {
        json!({"input_type": "request", "litellm_call_id": id, "texts": [content], "images": null, "request_data": {},
            "structured_messages": [{"role": "user", "content": content}], "litellm_version": "1"})
    }

    fn response(id: &str, texts: &[&str]) -> Value {
        json!({"input_type": "response", "litellm_call_id": id, "texts": texts, "structured_messages": null})
    }

    /// What LiteLLM shows of an answer, round by round: what it has sent may only be continued.
    fn stream(guardrail: &Guardrail, text: &str, step: usize) -> String {
        let chars: Vec<char> = text.chars().collect();
        let mut sent = String::new();
        let mut ends: Vec<usize> = (1..chars.len()).step_by(step).collect();
        ends.extend([chars.len(), chars.len()]);
        for (round, &end) in ends.iter().enumerate() {
            let so_far: String = chars[..end].iter().collect();
            let answered = ask(guardrail, &response("c", &[&so_far])).unwrap();
            let reply = serde_json::to_value(&answered.reply).unwrap();
            let (shown, held) = match reply["action"].as_str().unwrap() {
                "NONE" => (so_far, 0),
                _ => {
                    let held = reply["stream_holdback_chars"][0].as_u64().unwrap() as usize;
                    (reply["texts"][0].as_str().unwrap().to_owned(), held)
                }
            };
            assert!(shown.starts_with(&sent), "{sent:?} was sent, and now it should have been {shown:?}");
            let held = if round + 1 == ends.len() { 0 } else { held };
            let now: String = shown.chars().take(shown.chars().count() - held).collect();
            if now.len() > sent.len() {
                sent = now;
            }
        }
        sent
    }

    const SOURCES: &str = "<context>\n<source id=\"1\">Rent is due on the first day of each month.</source>\n\
        <source id=\"2\">The roof shall be kept in repair.</source>\n</context>\n\nWhen is rent due?";

    #[test]
    fn an_answer_is_shown_as_a_stream_would_be() {
        for release in [Release::Eager, Release::Claim, Release::Answer] {
            let mut policy = Policy::default();
            policy.release = release;
            let guardrail = guardrail(policy.clone());
            ask(&guardrail, &request("c", SOURCES)).unwrap();
            for text in [
                "Due monthly [1], in gold [7]. The roof [2, 9] stays.",
                "> Rent is due on the first day of each month. [1]\n\n> Rent is due in gold and silver.\n\nSo [2].",
                "Nothing [7][8].",
                "🙂 漢字[9]。",
                "",
            ] {
                let mut sieve = TextSieve::new(Arc::new(policy.clone()), {
                    let found = request::find(
                        json!({"messages": [{"role": "user", "content": SOURCES}]}).to_string().as_bytes(),
                    );
                    Arc::new(Sources::new(found.unwrap().sources.unwrap()).unwrap())
                });
                let mut expected = sieve.push(text).to_owned();
                expected += &sieve.finish().0;
                for step in [1, 3, 1000] {
                    assert_eq!(stream(&guardrail, text, step), expected, "{release:?}, {text:?}");
                }
            }
        }
    }

    #[test]
    fn nothing_known_changes_nothing() {
        let guardrail = guardrail(Policy::default());
        ask(&guardrail, &request("c", "What is [7]?")).unwrap();
        let answered = ask(&guardrail, &response("c", &["Made up [7]."])).unwrap();
        assert_eq!((answered.reply, answered.verdicts.is_none()), (Reply::unchanged(), true));
    }

    #[test]
    fn each_choice_has_its_verdict_and_calls_do_not_mix() {
        let guardrail = guardrail(Policy::default());
        ask(&guardrail, &request("a", SOURCES)).unwrap();
        ask(&guardrail, &request("b", "<source id=\"9\">Other words stand here.</source> So?")).unwrap();
        let a = ask(&guardrail, &response("a", &["One [1].", "Two [9]."])).unwrap();
        assert_eq!(a.reply, Reply::shown(vec!["One [1].".into(), "Two.".into()], vec![0, 0]));
        let found = a.verdicts.unwrap();
        assert_eq!((found.call.as_str(), found.from, found.sources), ("a", "open-webui", 2));
        assert_eq!(found.verdicts.iter().map(|v| v.markers.fabricated).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(ask(&guardrail, &response("b", &["Two [9]."])).unwrap().reply, Reply::unchanged());
    }

    #[test]
    fn the_configuration_of_litellm_may_name_the_sources() {
        let guardrail = guardrail(Policy::default());
        let params = json!({"citesieve": {"sources": {"1": "x"}, "policy": {"release": "claim"}}});
        let mut round = request("c", "What?");
        round["additional_provider_specific_params"] = params.clone();
        ask(&guardrail, &round).unwrap();
        let call = guardrail.calls.get(&"c".into(), Instant::now()).unwrap();
        assert_eq!((call.policy.release, call.from), (Release::Claim, "citesieve field"));
        let mut round = response("unheard of", &["So [2]."]);
        round["additional_provider_specific_params"] = params;
        // The sentence waits for what may follow it.
        assert_eq!(ask(&guardrail, &round).unwrap().reply, Reply::shown(vec!["So.".into()], vec![3]));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let guardrail = guardrail(Policy::default());
        for (round, expected) in [
            (json!({"input_type": "sideways"}), "a guardrail request: unknown variant `sideways`"),
            (json!([]), "a guardrail request: "),
            (
                json!({"input_type": "request", "additional_provider_specific_params": {"citesieve": {"sorces": {}}}}),
                "sorces",
            ),
        ] {
            let error = ask(&guardrail, &round).unwrap_err().message;
            assert!(error.contains(expected), "{error}");
        }
    }
}
