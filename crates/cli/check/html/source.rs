//! The right column: the sources, with the passages that the answer quotes.

use citesieve::Sources;

use super::{Passage, link};
use crate::check::Checked;

/// Text between passages that is longer than this (characters) is folded away.
const LONG: usize = 1200;
/// How much of it stays beside the passages.
const CONTEXT: usize = 300;

/// A source.
pub(super) struct Card<'a> {
    /// Position in the list of sources.
    pub(super) index: usize,
    pub(super) id: &'a str,
    pub(super) title: &'a str,
    pub(super) url: &'a str,
    /// The URL, if a reader may follow it.
    pub(super) href: Option<&'a str>,
    pub(super) has_text: bool,
    pub(super) parts: Vec<Part<'a>>,
}

/// A piece of a source's text.
pub(super) struct Part<'a> {
    pub(super) text: &'a str,
    /// How many characters, if it is folded away.
    pub(super) folded: Option<usize>,
    /// The quotations that have these words: their numbers as one list, separated by spaces, and the class of the best.
    pub(super) quoted: String,
    pub(super) class: &'static str,
    /// Those that start here.
    pub(super) starts: Vec<usize>,
    /// Those that end here, to lead back.
    pub(super) ends: Vec<usize>,
}

/// The sources that the answer cites or quotes, and the others.
pub(super) fn cards<'a>(checked: &'a Checked, passages: &[Passage<'_>]) -> (Vec<Card<'a>>, Vec<Card<'a>>) {
    let sources: &Sources = &checked.sources;
    let mut used = vec![false; sources.list().len()];
    for (index, _) in passages.iter().flat_map(|passage| &passage.places) {
        if let Some(used) = used.get_mut(*index) {
            *used = true;
        }
    }
    for id in checked.verdict.claims.iter().flat_map(|claim| &claim.cited) {
        for &index in sources.with_id(id) {
            used[index] = true;
        }
    }
    let mut by_source: Vec<Vec<(&Passage<'_>, std::ops::Range<usize>)>> = vec![Vec::new(); sources.list().len()];
    for passage in passages {
        for (index, span) in &passage.places {
            if let Some(list) = by_source.get_mut(*index) {
                list.push((passage, span.clone()));
            }
        }
    }
    let card = |index: usize| {
        let source = &sources.list()[index];
        let text = source.text.as_deref();
        Card {
            index,
            id: &source.id,
            title: source.title.as_deref().unwrap_or_default(),
            url: source.url.as_deref().unwrap_or_default(),
            href: source.url.as_deref().and_then(link::safe),
            has_text: text.is_some(),
            parts: text.map(|text| parts(index, text, &by_source[index])).unwrap_or_default(),
        }
    };
    let (ours, others): (Vec<usize>, Vec<usize>) = (0..used.len()).partition(|&index| used[index]);
    (ours.into_iter().map(card).collect(), others.into_iter().map(card).collect())
}

fn parts<'a>(index: usize, text: &'a str, spans: &[(&Passage<'_>, std::ops::Range<usize>)]) -> Vec<Part<'a>> {
    let mut spans: Vec<_> =
        spans.iter().filter(|(_, span)| text.get(span.clone()).is_some_and(|text| !text.is_empty())).collect();
    spans.sort_by_key(|(passage, span)| (span.start, passage.n));
    let mut cuts: Vec<usize> =
        spans.iter().flat_map(|(_, span)| [span.start, span.end]).chain([0, text.len()]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut list = Vec::new();
    let mut next = 0;
    // The passages that have begun and not ended.
    let mut open: Vec<&(&Passage<'_>, std::ops::Range<usize>)> = Vec::new();
    for cut in cuts.windows(2) {
        let (start, end) = (cut[0], cut[1]);
        open.retain(|(_, span)| span.end > start);
        let mut starts = Vec::new();
        while let Some(span) = spans.get(next).filter(|(_, span)| span.start == start) {
            open.push(span);
            // An anchor stands once, at the first place.
            if span.0.places.first().is_some_and(|(first, at)| *first == index && *at == span.1) {
                starts.push(span.0.n);
            }
            next += 1;
        }
        if open.is_empty() {
            plain(&text[start..end], start > 0, end < text.len(), &mut list);
            continue;
        }
        let numbers: Vec<String> = open.iter().map(|(passage, _)| passage.n.to_string()).collect();
        let ends = open.iter().filter(|(_, span)| span.end == end).map(|(passage, _)| passage.n).collect();
        list.push(Part {
            text: &text[start..end],
            folded: None,
            quoted: numbers.join(" "),
            class: open.iter().map(|(passage, _)| passage.class).min_by_key(|class| rank(class)).unwrap_or("unchecked"),
            starts,
            ends,
        });
    }
    list
}

/// The class that is shown where several quotations have the same words: the one to look at first.
fn rank(class: &str) -> usize {
    ["altered", "misattributed", "verified", "not-found"].iter().position(|known| *known == class).unwrap_or(4)
}

/// Text that nobody quotes; most of a long one is folded away.
fn plain<'a>(text: &'a str, after: bool, before: bool, list: &mut Vec<Part<'a>>) {
    let mut push = |text: &'a str, folded| {
        if !text.is_empty() {
            list.push(Part { text, folded, quoted: String::new(), class: "", starts: Vec::new(), ends: Vec::new() });
        }
    };
    let length = text.chars().count();
    // Where nothing is quoted at all, the beginning tells what it is.
    let (first, last) = (if after || !before { CONTEXT } else { 0 }, if before { CONTEXT } else { 0 });
    if length <= LONG {
        return push(text, None);
    }
    let at = |chars: usize| text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    let word = |at: usize| text[..at].rfind(char::is_whitespace).map_or(at, |space| space + 1);
    let (start, end) = (word(at(first)), word(at(length - last)).max(word(at(first))));
    let end = if last == 0 { text.len() } else { end };
    push(&text[..start], None);
    push(&text[start..end], Some(text[start..end].chars().count()));
    push(&text[end..], None);
}
