//! Reading the model's answer: strictly, and closed where it fails. What cannot be read is no support.

use std::collections::HashMap;

use citesieve::Ruling;
use serde::Deserialize;
use serde_json::Value;

/// A longer answer is not read (bytes).
const LONGEST: usize = 1 << 20;
/// How much of a reason is kept (characters).
const MAX_REASON: usize = 400;

/// What the model says about one claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruled {
    /// The ruling.
    pub ruling: Ruling,
    /// How sure the model is, 0 to 1.
    pub confidence: f64,
    /// Why, in its words.
    pub reason: String,
}

impl Ruled {
    /// `unrelated` with confidence 0: what everything comes to that was not heard or not understood.
    pub fn closed(reason: impl Into<String>) -> Self {
        Ruled { ruling: Ruling::Unrelated, confidence: 0.0, reason: short(&reason.into()) }
    }
}

fn short(reason: &str) -> String {
    reason.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_REASON).collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    judgements: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(rename = "id")]
    _id: String,
    begins: String,
    reason: String,
    verdict: Verdict,
    confidence: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Supports,
    Partial,
    Unrelated,
    Contradicts,
}

/// Reads an answer about these claims (id, text), one result for each, in their order.
///
/// `Ok` only where the answer is one JSON object of the form that the prompt asks for (a fence of Markdown around it is
/// passed over), with exactly one entry of the claim's id, and this entry is well-formed and begins as the claim does: so
/// that entries with swapped ids fail, too. An entry that fails, is missing, or is there twice fails for its claim only;
/// one with an id that nobody asked about is passed over.
///
/// # Errors
/// For each claim, what is wrong, in words.
pub fn parse(output: &str, claims: &[(String, &str)]) -> Vec<Result<Ruled, String>> {
    let all = |why: &str| claims.iter().map(|_| Err(why.to_owned())).collect();
    if output.len() > LONGEST {
        return all("the model's answer is too long");
    }
    let Ok(answer) = serde_json::from_str::<Answer>(unfenced(output)) else {
        return all("the model's answer is not the JSON that was asked for");
    };
    let mut by_id: HashMap<&str, Vec<&Value>> = HashMap::new();
    for entry in &answer.judgements {
        if let Some(id) = entry.get("id").and_then(Value::as_str) {
            by_id.entry(id).or_default().push(entry);
        }
    }
    claims
        .iter()
        .map(|(id, claim)| match by_id.get(id.as_str()).map(Vec::as_slice) {
            None => Err("the model's answer has no entry for this claim".into()),
            Some([entry]) => read(entry, claim),
            Some(_) => Err("the model's answer has several entries for this claim".into()),
        })
        .collect()
}

fn read(entry: &Value, claim: &str) -> Result<Ruled, String> {
    let entry =
        Entry::deserialize(entry).map_err(|error| format!("the model's entry for this claim is wrong: {error}"))?;
    if !(0.0..=1.0).contains(&entry.confidence) {
        return Err("the model's confidence is not between 0 and 1".into());
    }
    if !begins(claim, &entry.begins) {
        return Err("the model's entry with this id is about another claim".into());
    }
    let ruling = match entry.verdict {
        Verdict::Supports => Ruling::Supports,
        Verdict::Partial => Ruling::Partial,
        Verdict::Unrelated => Ruling::Unrelated,
        Verdict::Contradicts => Ruling::Contradicts,
    };
    Ok(Ruled { ruling, confidence: entry.confidence, reason: short(&entry.reason) })
}

/// Whether a claim begins with these words: letters and digits only, at least five of them or the whole claim.
fn begins(claim: &str, words: &str) -> bool {
    let plain =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let (claim, words) = (plain(claim), plain(words));
    let least = claim.chars().count().min(if claim.is_ascii() { 5 } else { 2 });
    claim.starts_with(&words) && words.chars().count() >= least
}

/// Without a fence of Markdown around the whole.
fn unfenced(output: &str) -> &str {
    let output = output.trim();
    let inner = output.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inner.map_or(output, |inner| inner.strip_prefix("json").unwrap_or(inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAIMS: [&str; 3] = ["Late rent bears interest.", "No pets may be kept.", "家賃は毎月払う。"];

    fn claims() -> Vec<(String, &'static str)> {
        CLAIMS.iter().enumerate().map(|(index, claim)| (format!("c{}", index + 1), *claim)).collect()
    }

    fn entry(id: &str, begins: &str, verdict: &str, confidence: &str) -> String {
        format!(
            r#"{{"id": "{id}", "begins": "{begins}", "reason": "r", "verdict": "{verdict}", "confidence": {confidence}}}"#
        )
    }

    fn rulings(entries: &[String]) -> Vec<Option<Ruling>> {
        let answer = format!("{{\"judgements\": [{}]}}", entries.join(", "));
        parse(&answer, &claims()).into_iter().map(|ruled| ruled.ok().map(|ruled| ruled.ruling)).collect()
    }

    fn good() -> [String; 3] {
        [
            entry("c1", "Late rent bears", "supports", "0.9"),
            entry("c2", "no pets may", "contradicts", "1"),
            entry("c3", "家賃は", "partial", "0"),
        ]
    }

    const GOOD: [Option<Ruling>; 3] = [Some(Ruling::Supports), Some(Ruling::Contradicts), Some(Ruling::Partial)];

    #[test]
    fn in_any_order_by_id() {
        let [a, b, c] = good();
        assert_eq!(rulings(&[a.clone(), b.clone(), c.clone()]), GOOD);
        assert_eq!(rulings(&[c.clone(), a.clone(), b.clone()]), GOOD);
        let strange = entry("c9", "Late rent bears", "supports", "1");
        assert_eq!(rulings(&[strange, c, b, a]), GOOD, "an id that nobody asked about");
    }

    #[test]
    fn what_is_wrong_fails_for_its_claim_only() {
        let [a, b, c] = good();
        let wrong = [
            "",
            "{}",
            "7",
            "null",
            &entry("c1", "Late rent bears", "supports", "1.5"),
            &entry("c1", "Late rent bears", "supports", "-0.1"),
            &entry("c1", "Late rent bears", "supports", "\"high\""),
            &entry("c1", "Late rent bears", "supports", "null"),
            &entry("c1", "Late rent bears", "SUPPORTS", "1"),
            &entry("c1", "Late rent bears", "yes", "1"),
            &entry("c1", "", "supports", "1"),
            &entry("c1", "L", "supports", "1"),
            &entry("c1", "No pets may", "supports", "1"),
            &a.replace("\"reason\": \"r\", ", ""),
            &a.replace("\"reason\"", "\"extra\": 1, \"reason\""),
            &a.replace("\"c1\"", "1"),
        ];
        for wrong in wrong {
            let mut entries = vec![b.clone(), wrong.to_owned(), c.clone()];
            entries.retain(|entry| !entry.is_empty());
            assert_eq!(rulings(&entries), [None, GOOD[1], GOOD[2]], "{wrong}");
        }
        assert_eq!(rulings(&[a.clone(), a.clone(), b.clone(), c.clone()]), [None, GOOD[1], GOOD[2]], "twice");
        let swapped = [a.replace("c1", "c2"), b.replace("c2", "c1"), c];
        assert_eq!(rulings(&swapped), [None, None, GOOD[2]], "swapped");
    }

    #[test]
    fn garbage_is_no_support() {
        let answer = format!("{{\"judgements\": [{}]}}", good().join(", "));
        for garbage in [
            String::new(),
            "supports".into(),
            "[]".into(),
            "{\"judgements\": 7}".into(),
            answer[..answer.len() - 1].to_owned(),
            answer[..answer.len() / 2].to_owned(),
            format!("Here you are: {answer}"),
            format!("{answer}{answer}"),
            format!("{answer} I hope this helps."),
            answer.replacen('{', "{\"more\": 1, ", 1),
            "[".repeat(100_000),
            " ".repeat(2 << 20) + &answer,
        ] {
            for ruled in parse(&garbage, &claims()) {
                assert!(ruled.is_err(), "{}", garbage.chars().take(200).collect::<String>());
            }
        }
        let closed = Ruled::closed("x\n".repeat(1000));
        assert_eq!((closed.ruling, closed.confidence, closed.reason.chars().count()), (Ruling::Unrelated, 0.0, 400));
    }

    #[test]
    fn a_fence_is_passed_over() {
        let answer = format!("{{\"judgements\": [{}]}}", good().join(", "));
        for fenced in [format!("```json\n{answer}\n```"), format!("```\n{answer}\n```\n"), format!("\n {answer}\n")] {
            assert!(parse(&fenced, &claims()).iter().all(Result::is_ok), "{fenced}");
        }
    }
}
