//! What a model said about claims.

use citesieve::{ClaimFinding, Decision, Judgement, Ruling, SourceJudgement, Sources, Verdict};
use citesieve_judge::budget::Spent;

use super::quotes::name;
use super::{Finding, excerpt};
use crate::paint::bytes;

/// One finding per claim that was judged, with its place in the answer.
pub(super) fn claims(text: &str, verdict: &Verdict, sources: &Sources) -> Vec<(usize, Finding)> {
    let finding = |claim: &ClaimFinding| {
        let words = text.get(bytes(claim.before)).unwrap_or_default();
        let finding = judged(words, claim.judgement.as_ref()?, sources)?;
        Some((bytes(claim.before).start, finding))
    };
    verdict.claims.iter().filter_map(finding).collect()
}

/// What was said about a claim; `None` where its sources have its very words, or nearly.
pub(crate) fn judged(words: &str, judgement: &Judgement, sources: &Sources) -> Option<Finding> {
    if judgement.sources.iter().all(|one| one.decision.words_support()) {
        return None;
    }
    let told: Vec<String> = judgement.sources.iter().map(|one| source(one, sources)).collect();
    let sentence = format!("the claim \"{}\" {}.", excerpt(words), told.join("; it "));
    let asked = judgement.sources.iter().filter(|one| one.decision.is_asked() && !one.reason.is_empty());
    let more = asked.map(|one| {
        let from = if one.cached { ", from memory" } else { "" };
        format!("{} ({}{from}, confidence {:.2}, {})", one.reason, one.model, one.confidence, because(one.decision))
    });
    Some(Finding { sentence, more: more.collect() })
}

fn source(one: &SourceJudgement, sources: &Sources) -> String {
    let name = name(&one.source, sources);
    match (one.decision, one.ruling) {
        (Decision::Verbatim, _) => format!("stands word for word in {name}"),
        (Decision::NearVerbatim, _) => format!("stands nearly word for word in {name}"),
        (Decision::ClearlyUnsupported, _) => format!("has no words in common with {name} that matter"),
        (_, Ruling::Supports) => format!("is supported by {name}, says the model"),
        (_, Ruling::Partial) => format!("is supported in part by {name}, says the model"),
        (_, Ruling::Unrelated) if one.confidence == 0.0 => {
            format!("has no support in {name} that the model could tell")
        }
        (_, Ruling::Unrelated) => format!("is not what {name} speaks of, says the model"),
        (_, Ruling::Contradicts) => format!("is contradicted by {name}, says the model"),
        (_, Ruling::Unjudged) => format!("was not judged by {name}"),
    }
}

fn because(decision: Decision) -> &'static str {
    match decision {
        Decision::CitesUnmatched => "asked because nothing in the source comes near it",
        Decision::Digit => "asked because of its digits",
        Decision::Between => "asked because words alone cannot tell",
        Decision::Verbatim | Decision::NearVerbatim | Decision::ClearlyUnsupported => "not asked",
    }
}

/// What the model cost, in one sentence.
pub(crate) fn spent(spent: &Spent) -> String {
    let Spent { calls, input_tokens, output_tokens, cost } = spent;
    if *calls == 0 {
        return "No model was asked: words alone decided.".into();
    }
    let calls = if *calls == 1 { "1 call".to_owned() } else { format!("{calls} calls") };
    let money = if *cost > 0.0 { format!(", which cost {cost:.4}") } else { String::new() };
    format!("The model was asked in {calls}, with about {} tokens{money}.", input_tokens + output_tokens)
}
