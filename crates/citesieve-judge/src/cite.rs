//! One citation, audited from end to end: strings first, and the model only when the quote is there.

use std::ops::Range;

use citesieve::quote::{self, Class};
use citesieve::{CallCost, Ruling, Sources};
use serde::{Deserialize, Serialize};

use crate::ask::{Prompt, source_of};
use crate::budget::Budget;
use crate::parse::Ruled;
use crate::prompt::Source;
use crate::run::Shared;
use crate::{Judge, Model, Options};

/// A claim with its evidence: the quote that is said to prove it, and the source that is said to have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Citation<'a> {
    /// The claim.
    pub claim: &'a str,
    /// The id of the source.
    pub source: &'a str,
    /// The quote.
    pub quote: &'a str,
}

/// What an audit comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// No source has the quote (or not whole, or the source has no text). No model was asked.
    NotFound,
    /// Another source has it. No model was asked.
    Misattributed,
    /// The quote is there, and the source says all of the claim.
    Supports,
    /// The quote is there, and the source says a part of the claim, or says it with less strength.
    Partial,
    /// The quote is there, and the source does not say what is claimed; or the model was not heard or not understood.
    Unrelated,
    /// The quote is there, and the source says that the claim is wrong.
    Contradicts,
}

/// The result of an audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// What it comes to.
    pub outcome: Outcome,
    /// What strings say about the quote.
    pub quote: quote::Finding,
    /// How sure the model says it is, 0 to 1; 1 if it was not asked, 0 if it was not heard or not understood.
    pub confidence: f64,
    /// Why, in the model's words; empty if it was not asked.
    pub reason: String,
    /// What the call cost, if there was one.
    pub call: Option<CallCost>,
}

/// Audits one citation with one call at most, by the default options.
///
/// ```
/// use citesieve::{Source, Sources};
/// use citesieve_judge::{Citation, Outcome, audit};
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
/// # runtime.block_on(async {
/// let sources = Sources::new(vec![Source::new("lease").text("Late rent bears interest at four per cent.")])?;
/// let model = |_: String, _: String| async { Err::<String, _>("never asked about a quote that is not there") };
/// let citation = Citation { claim: "Rent is free.", source: "lease", quote: "rent is free of charge" };
/// assert_eq!(audit(citation, &sources, &model).await.outcome, Outcome::NotFound);
/// # Ok::<(), citesieve::SourceError>(())
/// # }).unwrap();
/// ```
pub async fn audit<M: Model>(citation: Citation<'_>, sources: &Sources, model: &M) -> Audit {
    let options = Options::default();
    let (finding, places) = match look(citation, sources) {
        (finding, Ok(places)) => (finding, places),
        (finding, Err(outcome)) => return decided(finding, outcome),
    };
    let (texts, title) = source_of(sources, citation.source);
    let source = Source { id: citation.source, title, texts: &texts };
    let prompt = Prompt::new(&source, [(0, citation.claim)], &places, &options);
    let (ruled, cost, _) = prompt.ask(model, &options).await;
    conclude(finding, ruled.into_iter().next().map(|(ruled, _)| ruled), Some(cost))
}

impl<M: Model> Judge<M> {
    /// Audits one citation with one call at most, within the options, the budget and the number of calls at once of this
    /// judge.
    pub async fn audit(&self, citation: Citation<'_>, sources: &Sources) -> Audit {
        let shared: &Shared<M> = &self.shared;
        let (finding, places) = match look(citation, sources) {
            (finding, Ok(places)) => (finding, places),
            (finding, Err(outcome)) => return decided(finding, outcome),
        };
        let (texts, title) = source_of(sources, citation.source);
        let source = Source { id: citation.source, title, texts: &texts };
        let prompt = Prompt::new(&source, [(0, citation.claim)], &places, &shared.options);
        let _permit = shared.permit().await;
        let budget = Budget::new(shared.options.per_answer);
        let Some(reserved) = shared.reserve(&prompt, &budget) else {
            return conclude(finding, Some(Ruled::closed("the budget did not allow the call")), None);
        };
        let (ruled, cost, spent) = prompt.ask(&shared.model, &shared.options).await;
        reserved.settle(spent);
        conclude(finding, ruled.into_iter().next().map(|(ruled, _)| ruled), Some(cost))
    }
}

/// What strings say: where the quote is in the joined texts of the source, or the outcome without a model.
fn look(citation: Citation<'_>, sources: &Sources) -> (quote::Finding, Result<Vec<Range<usize>>, Outcome>) {
    let mut finding = quote::check(sources, &[citation.source], citation.quote);
    if finding.class == Class::TooShort {
        // Few words prove little, but they may be there, and the model reads the source, not the quote alone.
        finding.matches = quote::places(sources, &[citation.source], citation.quote);
    }
    let outcome = match finding.class {
        Class::Verified => None,
        Class::TooShort if !finding.matches.is_empty() => None,
        Class::Misattributed => Some(Outcome::Misattributed),
        Class::TooShort | Class::Altered | Class::NotFound | Class::Unchecked => Some(Outcome::NotFound),
    };
    if let Some(outcome) = outcome {
        return (finding, Err(outcome));
    }
    let mut places = Vec::new();
    let mut start = 0;
    for &index in sources.with_id(citation.source) {
        let Some(text) = sources.list().get(index).and_then(|source| source.text.as_deref()) else { continue };
        let here = finding.matches.iter().filter(|found| found.source == index);
        places.extend(here.map(|found| start + found.span.start..start + found.span.end));
        start += text.len() + "\n\n".len();
    }
    (finding, Ok(places))
}

fn decided(quote: quote::Finding, outcome: Outcome) -> Audit {
    Audit { outcome, quote, confidence: 1.0, reason: String::new(), call: None }
}

fn conclude(quote: quote::Finding, ruled: Option<Ruled>, call: Option<CallCost>) -> Audit {
    let ruled = ruled.unwrap_or_else(|| Ruled::closed("the model was not heard"));
    let outcome = match ruled.ruling {
        Ruling::Supports => Outcome::Supports,
        Ruling::Partial => Outcome::Partial,
        Ruling::Contradicts => Outcome::Contradicts,
        Ruling::Unrelated | Ruling::Unjudged => Outcome::Unrelated,
    };
    Audit { outcome, quote, confidence: ruled.confidence, reason: ruled.reason, call }
}
