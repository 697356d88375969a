//! The result of a check as JSON.

use citesieve::quote::{Class, Match};
use citesieve::{BlockClass, Sources, Verdict};
use citesieve_judge::Skip;
use citesieve_judge::budget::Spent;
use serde::Serialize;

use super::Checked;
use crate::selector::{TextPosition, TextQuote, link};

#[derive(Serialize)]
struct Report<'a> {
    verdict: &'a Verdict,
    /// The answer as a reader sees it.
    text: &'a str,
    /// Where each verified quote and block quotation stands, one for every source that has it.
    targets: Vec<Target<'a>>,
    /// What the judge cost; absent where none was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    judge: Option<Judge<'a>>,
}

/// What became of asking a model. The judgements stand with the claims of the verdict.
#[derive(Serialize)]
struct Judge<'a> {
    spent: &'a Spent,
    /// Claims, by position, and sources about which nothing was to be asked.
    skipped: Vec<Skipped<'a>>,
}

#[derive(Serialize)]
struct Skipped<'a> {
    claim: usize,
    source: &'a str,
    why: Skip,
}

/// A passage of a source, as a `SpecificResource` of the W3C's Web Annotation Data Model.
#[derive(Serialize)]
struct Target<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    /// `quotes` or `blocks` of the verdict, and the position in it.
    of: (&'static str, usize),
    /// The id of the source.
    id: &'a str,
    /// Its URL, if it has one.
    source: Option<&'a str>,
    /// The URL with a text fragment.
    link: Option<String>,
    selector: (TextQuote, TextPosition),
}

pub(super) fn json(checked: &Checked) -> String {
    let Checked { after, verdict, sources, judged, .. } = checked;
    let mut targets = Vec::new();
    for (index, quote) in verdict.quotes.iter().enumerate().filter(|(_, quote)| quote.class == Class::Verified) {
        targets.extend(quote.matches.iter().filter_map(|found| target(("quotes", index), found, sources)));
    }
    for (index, block) in verdict.blocks.iter().enumerate().filter(|(_, block)| block.class == BlockClass::Verified) {
        targets.extend(block.matches.iter().filter_map(|found| target(("blocks", index), found, sources)));
    }
    let judge = judged.as_ref().map(|judged| Judge {
        spent: &judged.spent,
        skipped: judged
            .skipped
            .iter()
            .map(|(claim, source, why)| Skipped { claim: *claim, source, why: *why })
            .collect(),
    });
    serde_json::to_string_pretty(&Report { verdict, text: after, targets, judge }).unwrap_or_default() + "\n"
}

fn target<'a>(of: (&'static str, usize), found: &Match, sources: &'a Sources) -> Option<Target<'a>> {
    let source = sources.list().get(found.source)?;
    let text = source.text.as_deref()?;
    Some(Target {
        kind: "SpecificResource",
        of,
        id: &source.id,
        source: source.url.as_deref(),
        link: source.url.as_deref().map(|url| link(url, &found.words)),
        selector: (TextQuote::new(text, found.span.clone())?, TextPosition::new(text, found.span.clone())?),
    })
}
