//! The nearest passage, for a quote that no source has.
//!
//! Pieces of the quote are sought in the sources; where most of them stand in line is a passage that may be the one meant.
//! An approximate match of words (Sellers) finds its exact extent there, and a difference of words says what changed.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::check::Needle;
use super::elision::Refused;
use super::{Class, Finding, Reason};
use crate::Sources;
use crate::source::Next;
use crate::source::fold::{self, Folded};

/// From this similarity on a quote counts as an altered one.
const NEAR: f64 = 0.6;
/// Pieces of a quote that are sought.
const MOST_SEEDS: usize = 12;
/// Places of one piece.
const MOST_PLACES: usize = 64;
/// Passages that are looked at closely.
const MOST_PASSAGES: usize = 3;
/// Words of a quote that are compared; the rest of a longer one is taken to be as the first.
const MOST_WORDS: usize = 400;

/// The passage that comes nearest to a quote.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Nearest {
    /// Position in [`Sources::list`].
    pub source: usize,
    /// Its id.
    pub id: String,
    /// Bytes of the source's text.
    pub span: Range<usize>,
    /// The source's own words there.
    pub words: String,
    /// From the source's words to the quote's, each in its own spelling.
    pub changes: Vec<Change>,
}

/// One step of a word-level difference.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Both have these words, here as the source spells them.
    Same(String),
    /// Only the source has them.
    Source(String),
    /// Only the quote has them.
    Quote(String),
}

/// How near a text comes to a source.
#[derive(Debug, Clone, PartialEq)]
pub struct Similarity {
    /// From 0 (no piece of the text stands there) to 1 (all of it does, word for word): the share of its words that the
    /// nearest passage has in the same order, punctuation aside.
    pub value: f64,
    /// The whole text stands there as it is, by the rules for quotes (section 5): nothing is left to judge.
    pub verbatim: bool,
    /// The nearest passage, in bytes of the source's text, if there is one: position in [`Sources::list`] and range.
    pub passage: Option<(usize, Range<usize>)>,
}

/// How near a text, usually a claim, comes to the sources with this id, of which the nearest counts. `None` when there is
/// no such source, or none with a text.
///
/// The text is read as a quote would be: folded, Markdown aside. Linear in the text and in these sources.
pub fn similarity(sources: &Sources, id: &str, text: &str) -> Option<Similarity> {
    let mut ours: Vec<usize> = sources.with_id(id).to_vec();
    ours.retain(|&index| sources.text(index).is_some());
    if ours.is_empty() {
        return None;
    }
    let nothing = Similarity { value: 0.0, verbatim: false, passage: None };
    if text.len() > super::check::LONGEST_QUOTE {
        return Some(nothing);
    }
    let needle = Needle::new(text, super::Elisions::default());
    if needle.is_empty() {
        return Some(nothing);
    }
    if let Some(found) = super::check::places(sources, &[id], text).into_iter().next() {
        return Some(Similarity { value: 1.0, verbatim: true, passage: Some((found.source, found.span)) });
    }
    let best = search(sources, &ours, true, &needle, &words(needle.text()));
    Some(best.map_or(nothing, |(value, source, range)| {
        let span = sources.text(source).map(|(_, text)| text.map.start(range.start)..text.map.end(range.end));
        Similarity { value: value.clamp(0.0, 1.0), verbatim: false, passage: span.map(|span| (source, span)) }
    }))
}

/// The class of a quote that no source has.
pub(super) fn classify(
    sources: &Sources,
    cited: &[usize],
    needle: &Needle<'_>,
    reason: Option<Reason>,
    refused: &Refused,
) -> Finding {
    let best = match &refused.passage {
        Some((source, range)) => measure(sources, *source, range.clone(), needle),
        None => {
            let quote = words(needle.text());
            let mut best = None;
            if !cited.is_empty() {
                best = search(sources, cited, true, needle, &quote);
            }
            if best.as_ref().is_none_or(|found| found.0 < NEAR) {
                let other = search(sources, cited, false, needle, &quote);
                if other.as_ref().map_or(0.0, |found| found.0) > best.as_ref().map_or(0.0, |found| found.0) {
                    best = other;
                }
            }
            best.and_then(|(_, source, range)| measure(sources, source, range, needle))
        }
    };
    let (similarity, nearest) = best.map_or((0.0, None), |(similarity, nearest)| (similarity, Some(nearest)));
    let altered = similarity >= NEAR || refused.passage.is_some();
    let class = if altered { Class::Altered } else { Class::NotFound };
    Finding { class, matches: Vec::new(), similarity, nearest: nearest.filter(|_| altered), reason }
}

/// Words of a folded text; letters of scripts that write no spaces stand alone.
fn words(folded: &str) -> Vec<Range<usize>> {
    use fold::Class;
    let mut words = Vec::new();
    let mut start = None;
    let mut previous = Class::Start;
    for (at, c) in folded.char_indices() {
        let class = Class::of(c);
        let alone = class == Class::Spaceless;
        // The space between a stop and a letter is not there in folded text.
        let begins = previous == Class::Stop && class == Class::Letter;
        if (c == ' ' || alone || begins)
            && let Some(start) = start.take()
        {
            words.push(start..at);
        }
        if alone {
            words.push(at..at + c.len_utf8());
        } else if c != ' ' {
            start.get_or_insert(at);
        }
        previous = class;
    }
    words.extend(start.map(|start| start..folded.len()));
    words
}

/// Pieces of the quote worth looking for: a few words in a row, the longest first.
fn seeds(quote: &str, words: &[Range<usize>]) -> Vec<Range<usize>> {
    let width = if words.iter().take(MOST_WORDS).all(|word| word.len() <= 4) { 4 } else { 2 };
    let mut seeds: Vec<Range<usize>> =
        words.windows(width).take(MOST_WORDS).map(|pair| pair[0].start..pair[width - 1].end).collect();
    if seeds.is_empty() {
        seeds.extend(words.iter().cloned());
    }
    seeds.sort_by_key(|seed| (std::cmp::Reverse(seed.len().min(24)), seed.start));
    seeds.dedup_by(|a, b| quote[a.clone()] == quote[b.clone()]);
    seeds.truncate(MOST_SEEDS);
    seeds
}

/// The passage with the most pieces of the quote in line: similarity, source, range in its folded text. Among the sources
/// of `listed` (ascending), or among all others.
fn search(
    sources: &Sources,
    listed: &[usize],
    among: bool,
    needle: &Needle<'_>,
    quote_words: &[Range<usize>],
) -> Option<(f64, usize, Range<usize>)> {
    let quote = needle.text();
    // Places of pieces: source, how far it is from the start of the quote to there, length of the piece.
    let mut hits: Vec<(usize, i64, usize)> = Vec::new();
    for seed in seeds(quote, quote_words) {
        let finder = Finder::new(&quote.as_bytes()[seed.clone()]);
        let mut hit = |index: usize, at: usize| hits.push((index, at as i64 - seed.start as i64, seed.len()));
        if among {
            for &index in listed {
                let Some((_, text)) = sources.text(index) else { continue };
                finder.find_iter(text.text.as_bytes()).take(MOST_PLACES).for_each(|at| hit(index, at));
            }
            continue;
        }
        let mut left = MOST_PLACES;
        sources.each_place(&finder, |index, at| {
            if listed.binary_search(&index).is_ok() {
                return Next::Text;
            }
            hit(index, at);
            left -= 1;
            if left == 0 { Next::Stop } else { Next::Place }
        });
    }
    hits.sort_unstable();
    // How far pieces of one passage may be out of line.
    let slack = (quote.len() / 2 + 40) as i64;
    let mut passages: Vec<(usize, usize, i64)> = Vec::new();
    for hits in hits.chunk_by(|a, b| a.0 == b.0) {
        let (mut from, mut sum) = (0, 0);
        let mut best = (0, 0);
        for &(_, at, length) in hits {
            sum += length;
            while at - hits[from].1 > slack {
                sum -= hits[from].2;
                from += 1;
            }
            if sum > best.0 {
                best = (sum, hits[from].1);
            }
        }
        passages.push((best.0, hits[0].0, best.1));
    }
    passages.sort_by_key(|&(sum, index, _)| (std::cmp::Reverse(sum), index));
    passages.truncate(MOST_PASSAGES);
    let near = |&(_, index, at): &(usize, usize, i64)| {
        let (_, text) = sources.text(index)?;
        let (similarity, range) = extent(text, at - slack / 2, needle, quote_words);
        Some((similarity, index, range))
    };
    passages.iter().filter_map(near).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// The stretch of a passage that comes nearest to the quote, by whole words, and how near it comes.
fn extent(text: &Folded, from: i64, needle: &Needle<'_>, quote_words: &[Range<usize>]) -> (f64, Range<usize>) {
    let folded = &text.text;
    let quote = needle.text();
    let quote_words = &quote_words[..quote_words.len().min(MOST_WORDS)];
    let length = quote_words.last().map_or(0, |word| word.end);
    let boundary = |at: i64, step: i64| {
        let mut at = at.clamp(0, folded.len() as i64);
        while !folded.is_char_boundary(at as usize) {
            at += step;
        }
        at as usize
    };
    let start = boundary(from, -1);
    let start =
        folded[..start].rfind(' ').map_or(start.min(64), |space| if start - space < 64 { space } else { start });
    let start = boundary(start as i64, -1);
    let end = boundary(start as i64 + 2 * length as i64 + 160, 1);
    let passage: Vec<Range<usize>> =
        words(&folded[start..end]).into_iter().map(|word| word.start + start..word.end + start).collect();
    let mut ids: HashMap<&str, u32> = HashMap::new();
    let quoted: Vec<u32> = quote_words
        .iter()
        .map(|word| {
            let next = ids.len() as u32;
            *ids.entry(trimmed(&quote[word.clone()])).or_insert(next)
        })
        .collect();
    // costs[i]: changes between the first i words of the quote and words of the passage that end here, and where those start.
    let mut costs: Vec<(u32, usize)> = (0..=quoted.len()).map(|n| (n as u32, 0)).collect();
    let mut best = (quoted.len() as u32, 0..0);
    for (at, word) in passage.iter().enumerate() {
        let id = ids.get(trimmed(&folded[word.clone()])).copied().unwrap_or(u32::MAX);
        let mut diagonal = costs[0];
        costs[0] = (0, at + 1);
        for (n, &quoted) in quoted.iter().enumerate() {
            let changed = (diagonal.0 + u32::from(quoted != id), if n == 0 { at } else { diagonal.1 });
            let left_out = (costs[n + 1].0 + 1, costs[n + 1].1);
            let added = (costs[n].0 + 1, costs[n].1);
            diagonal = costs[n + 1];
            costs[n + 1] = changed.min(left_out).min(added);
        }
        let last = costs[quoted.len()];
        if last.0 < best.0 && last.1 <= at {
            best = (last.0, last.1..at + 1);
        }
    }
    let Some((first, last)) = passage.get(best.1.start).zip(passage.get(best.1.end.wrapping_sub(1))) else {
        return (0.0, 0..0);
    };
    let longer = quoted.len().max(best.1.len()) as f64;
    (1.0 - f64::from(best.0) / longer.max(1.0), first.start..last.end)
}

/// Without the punctuation around it, so that a comma more or less is no other word.
fn trimmed(word: &str) -> &str {
    let bare = word.trim_matches([',', '.', '"', '(', ')', ';', ':']);
    if bare.is_empty() { word } else { bare }
}

/// What a passage has and how it differs from the quote.
fn measure(sources: &Sources, source: usize, range: Range<usize>, needle: &Needle<'_>) -> Option<(f64, Nearest)> {
    let (original, text) = sources.text(source)?;
    if range.is_empty() {
        return None;
    }
    let quote = needle.text();
    let ours = words(quote);
    let theirs: Vec<Range<usize>> = words(&text.text[range.clone()])
        .into_iter()
        .map(|word| word.start + range.start..word.end + range.start)
        .take(4 * MOST_WORDS)
        .collect();
    let ours = &ours[..ours.len().min(4 * MOST_WORDS)];
    let our_words: Vec<&str> = ours.iter().map(|word| trimmed(&quote[word.clone()])).collect();
    let their_words: Vec<&str> = theirs.iter().map(|word| trimmed(&text.text[word.clone()])).collect();
    let source_text = |words: Range<usize>| {
        let words = &theirs[words];
        let (first, last) = words.first().zip(words.last())?;
        original.get(text.map.start(first.start)..text.map.end(last.end)).map(str::to_owned)
    };
    let quote_text = |words: Range<usize>| {
        let words = &ours[words];
        let (first, last) = words.first().zip(words.last())?;
        needle.original(first.start..last.end).map(str::to_owned)
    };
    let mut changes = Vec::new();
    let mut same = 0;
    for operation in capture_diff_slices(Algorithm::Myers, &their_words, &our_words) {
        if let DiffOp::Equal { len, .. } = operation {
            same += len;
            changes.extend(source_text(operation.old_range()).map(Change::Same));
            continue;
        }
        changes.extend(source_text(operation.old_range()).map(Change::Source));
        changes.extend(quote_text(operation.new_range()).map(Change::Quote));
    }
    let similarity = 2.0 * same as f64 / (our_words.len() + their_words.len()).max(1) as f64;
    let span = text.map.start(range.start)..text.map.end(range.end);
    let words = original.get(span.clone()).unwrap_or_default().to_owned();
    let id = sources.list()[source].id.clone();
    Some((similarity, Nearest { source, id, span, words, changes }))
}
