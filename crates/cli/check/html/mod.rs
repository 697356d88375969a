//! `citesieve check --format html`: one page that needs nothing else, with the answer and its sources side by side.
//!
//! Every text goes through the template's escaping; ids, classes and links within the page are made of numbers and words
//! of ours. The page forbids itself everything but its own style and its own script.

mod answer;
mod link;
mod source;

use std::borrow::Cow;

use askama::Template;
use citesieve::quote::{Change, Class};
use citesieve::{BlockClass, Reason, Ruling, Status, Support};

use super::Checked;
use crate::explain;
use answer::Piece;
use source::Card;

/// The page.
#[derive(Template)]
#[template(path = "page.html", config = "crates/cli/askama.toml")]
struct Page<'a> {
    status: &'static str,
    headline: String,
    /// Figures, each with what it counts.
    counts: Vec<(String, &'static str)>,
    pieces: Vec<Piece<'a>>,
    cards: Vec<Card<'a>>,
    uncited: Vec<Card<'a>>,
    quotes: Vec<Quoted>,
    claims: Vec<Claimed>,
    /// What the judge cost, if there was one.
    spent: Option<String>,
    edits: Vec<Edited<'a>>,
    unlisted: u64,
    notes: Vec<String>,
    style: &'static str,
    script: &'static str,
    script_hash: &'static str,
}

/// A quote or a block quotation of the answer: number `n` in both columns.
struct Quoted {
    n: usize,
    class: &'static str,
    label: &'static str,
    words: String,
    sentence: String,
    changes: Vec<(&'static str, String)>,
    /// Whether a source shows it.
    shown: bool,
}

/// A claim that a model was asked about.
struct Claimed {
    class: &'static str,
    label: &'static str,
    words: String,
    sentence: String,
    /// The model's words.
    reasons: Vec<String>,
}

/// An edit, as a row of the list.
struct Edited<'a> {
    line: usize,
    text: &'a str,
    with: &'a str,
    why: &'static str,
}

/// The script of the page, and the hash by which the page allows it and no other; the browser test sees that it runs.
const SCRIPT: &str = include_str!("page.js");
const SCRIPT_HASH: &str = "sha256-RZAxTcQY4TANN7u4J5kuzzr3UzutfXlD720MLMpBr30=";

/// What is the same for quotes and block quotations.
struct Passage<'a> {
    /// Number, from 1, in the order of the answer.
    n: usize,
    class: &'static str,
    /// Bytes of the answer as the model wrote it.
    at: std::ops::Range<usize>,
    words: Cow<'a, str>,
    /// Where the words are, or those that come nearest: position in the list of sources, bytes of its text.
    places: Vec<(usize, std::ops::Range<usize>)>,
    changes: Vec<Change>,
    sentence: String,
}

/// Makes the page.
pub(super) fn html(checked: &Checked) -> String {
    let passages = passages(checked);
    let (cards, uncited) = source::cards(checked, &passages);
    let page = Page {
        status: match checked.verdict.status {
            Status::Answered => "answered",
            Status::Downgraded => "downgraded",
            Status::NotFound => "not-found",
            Status::Unchecked => "unchecked",
        },
        headline: explain::headline(&checked.verdict),
        counts: counts(checked),
        pieces: answer::pieces(checked, &passages),
        quotes: passages.iter().map(quoted).collect(),
        claims: claims(checked),
        spent: checked.judged.as_ref().map(|judged| explain::spent(&judged.spent)),
        cards,
        uncited,
        edits: edits(checked),
        unlisted: checked.verdict.edit_count.saturating_sub(checked.verdict.edits.len() as u64),
        notes: notes(checked),
        style: include_str!("page.css"),
        script: SCRIPT,
        script_hash: SCRIPT_HASH,
    };
    page.render().unwrap_or_default()
}

fn passages(checked: &Checked) -> Vec<Passage<'_>> {
    let verdict = &checked.verdict;
    let text = checked.before.as_str();
    let mut list = Vec::new();
    for (quote, told) in verdict.quotes.iter().zip(explain::quotes(verdict, &checked.sources)) {
        list.push(Passage {
            n: 0,
            class: class(quote.class),
            at: crate::paint::bytes(quote.before),
            words: Cow::Borrowed(&quote.text),
            places: places(&quote.matches, quote.nearest.as_ref()),
            changes: quote.nearest.as_ref().map(|nearest| nearest.changes.clone()).unwrap_or_default(),
            sentence: told.sentence,
        });
    }
    let told = explain::blocks(text, verdict, &checked.sources);
    let blocks = verdict.blocks.iter().filter(|block| block.class != BlockClass::Context);
    for (block, told) in blocks.zip(told) {
        let mut at = crate::paint::bytes(block.before);
        // The line break after it is no part of what is read.
        at.end -= text.get(at.clone()).map_or(0, |words| words.len() - words.trim_end().len());
        let words = text.get(at.clone()).unwrap_or_default();
        let nearest = explain::sought(block, words, &checked.sources).and_then(|found| found.nearest);
        list.push(Passage {
            n: 0,
            class: match block.class {
                BlockClass::Verified => class(Class::Verified),
                BlockClass::Misattributed => class(Class::Misattributed),
                BlockClass::NotFound => class(Class::NotFound),
                _ => class(Class::Unchecked),
            },
            at,
            words: Cow::Owned(unmarked(words)),
            places: places(&block.matches, nearest.as_ref()),
            changes: nearest.map(|nearest| nearest.changes).unwrap_or_default(),
            sentence: told.sentence,
        });
    }
    list.sort_by_key(|passage| (passage.at.start, passage.at.end));
    for (index, passage) in list.iter_mut().enumerate() {
        passage.n = index + 1;
    }
    list
}

/// A block quotation without what makes it one.
fn unmarked(block: &str) -> String {
    let lines: Vec<&str> = block.lines().map(|line| line.trim_start_matches(['>', ' ', '\t'])).collect();
    lines.join("\n")
}

fn places(
    matches: &[citesieve::quote::Match],
    nearest: Option<&citesieve::quote::Nearest>,
) -> Vec<(usize, std::ops::Range<usize>)> {
    let matches = matches.iter().map(|found| (found.source, found.span.clone()));
    matches.chain(nearest.map(|near| (near.source, near.span.clone()))).collect()
}

fn class(class: Class) -> &'static str {
    match class {
        Class::Verified => "verified",
        Class::Altered => "altered",
        Class::Misattributed => "misattributed",
        Class::NotFound => "not-found",
        Class::TooShort | Class::Unchecked => "unchecked",
    }
}

fn label(class: &str) -> &'static str {
    match class {
        "verified" => "Verified",
        "altered" => "Altered",
        "misattributed" => "Wrong source",
        "not-found" => "In no source",
        _ => "Not checked",
    }
}

/// With a capital letter.
fn capital(sentence: &str) -> String {
    match sentence.split_at_checked(1) {
        Some((first, rest)) => first.to_uppercase() + rest,
        None => sentence.to_owned(),
    }
}

fn claims(checked: &Checked) -> Vec<Claimed> {
    let claimed = |claim: &citesieve::ClaimFinding| {
        let words = checked.before.get(crate::paint::bytes(claim.before)).unwrap_or_default();
        let judgement = claim.judgement.as_ref()?;
        let told = explain::judged(words, judgement, &checked.sources)?;
        let (class, label) = match judgement.ruling {
            Ruling::Supports => ("verified", "Supported"),
            Ruling::Partial => ("altered", "Supported in part"),
            Ruling::Unrelated => ("not-found", "Not supported"),
            Ruling::Contradicts => ("not-found", "Contradicted"),
            Ruling::Unjudged => ("unchecked", "Not judged"),
        };
        let (words, sentence) = (words.to_owned(), capital(&told.sentence));
        Some(Claimed { class, label, words, sentence, reasons: told.more })
    };
    checked.verdict.claims.iter().filter_map(claimed).collect()
}

fn quoted(passage: &Passage<'_>) -> Quoted {
    Quoted {
        n: passage.n,
        class: passage.class,
        label: label(passage.class),
        words: passage.words.to_string(),
        sentence: capital(&passage.sentence),
        changes: if passage.places.is_empty() { Vec::new() } else { changes(&passage.changes) },
        shown: !passage.places.is_empty(),
    }
}

/// The steps of a difference, each with what has the words.
fn changes(changes: &[Change]) -> Vec<(&'static str, String)> {
    let bare = |words: &str| words.trim_end_matches(['.', ',']).to_owned();
    let mut list: Vec<(&'static str, String)> = Vec::new();
    for change in changes {
        match change {
            Change::Same(words) => list.push(("same", words.clone())),
            Change::Source(words) => list.push(("source", words.clone())),
            // A full stop at the quote's edge is nobody's change.
            Change::Quote(words) => match list.last_mut() {
                Some(last) if last.0 == "source" && bare(&last.1) == bare(words) => last.0 = "same",
                _ => list.push(("quote", words.clone())),
            },
        }
    }
    list
}

fn counts(checked: &Checked) -> Vec<(String, &'static str)> {
    let verdict = &checked.verdict;
    let count = |support: Support| verdict.claims.iter().filter(|claim| claim.support == support).count();
    let (score, markers) = (verdict.score, verdict.markers);
    let mut list = Vec::new();
    if score.checkable > 0 {
        list.push((format!("{} / {}", score.verified, score.checkable), "quotations verified"));
    }
    if markers.total > 0 {
        list.push((format!("{} / {}", markers.real, markers.total), "markers name a source"));
    }
    if !verdict.claims.is_empty() {
        let supported = count(Support::Quoted) + count(Support::Judged) + count(Support::Cited);
        list.push((format!("{supported} / {}", verdict.claims.len()), "claims supported"));
    }
    list.push((verdict.edit_count.to_string(), if verdict.edit_count == 1 { "edit" } else { "edits" }));
    list
}

fn edits(checked: &Checked) -> Vec<Edited<'_>> {
    let edited = |edit: &'_ citesieve::EditRecord| explain::line_of(&checked.before, edit.before.start.bytes as usize);
    let row = |edit| Edited { line: edited(edit), text: &edit.text, with: &edit.with, why: why(edit.why) };
    checked.verdict.edits.iter().map(row).collect()
}

fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::FabricatedMarker => "a marker that names no source",
        Reason::FabricatedIds => "ids that no source has",
        Reason::FabricatedBlockQuote => "a block quotation whose words no source has",
        Reason::RemovedMarker => "markers are not shown",
        Reason::LinkedMarker => "a link to the source",
        Reason::RenumberedMarker => "the sources in the order in which they appear",
        Reason::FailedCitation => "the citation of a quote that no source has",
        Reason::Misattributed => "another source has the quote than the one cited",
        Reason::FailedQuote => "a quote that no source has",
        Reason::FailedClaim => "a claim that nothing supports",
        Reason::FailedAnswer => "an answer that nothing supports",
        Reason::Notice => "a notice to the reader",
        _ => "as the policy says",
    }
}

fn notes(checked: &Checked) -> Vec<String> {
    let told = |unchecked: &citesieve::Unchecked| {
        format!("Not checked: {} {}, {}.", unchecked.count, unchecked.what, unchecked.why)
    };
    checked.verdict.unchecked.iter().map(told).collect()
}
