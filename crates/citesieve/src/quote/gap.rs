//! What an elision left out of the source.

use std::ops::Range;

use super::find;
use super::language::Languages;
use super::negation;
use crate::source::fold::{Class, Folded};

/// What stands between two fragments of a quote in the source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    start: usize,
    end: usize,
    /// Where the sentence of the first fragment ends and that of the second begins, in the folded text.
    sentence: Option<(usize, usize)>,
    /// Words left out.
    pub(super) words: usize,
}

impl Gap {
    /// Whether a sentence ends in it.
    pub(super) fn ends_sentence(&self) -> bool {
        self.sentence.is_some()
    }

    /// The first negation or condition in the part of the gap that belongs to a quoted sentence. Whole sentences in
    /// between may say what they like.
    pub(super) fn hidden(&self, folded: &str, languages: Languages) -> Option<String> {
        let (first, second) = match self.sentence {
            None => (self.start..self.end, self.end..self.end),
            Some((end, begin)) => (self.start..end.max(self.start), begin.min(self.end)..self.end),
        };
        [first, second]
            .into_iter()
            .find_map(|part| {
                languages.iter().find_map(|language| negation::hidden_word(&folded[part.clone()], language))
            })
            .map(str::to_owned)
    }
}

/// Looks at what was left out.
pub(super) fn between(text: &Folded, original: &str, range: Range<usize>) -> Gap {
    let folded = &text.text;
    // The end of the sentence may be the fragment's own last character.
    let from =
        folded[..range.start].char_indices().next_back().filter(|&(_, c)| is_end(c)).map_or(range.start, |(at, _)| at);
    let mut sentence: Option<(usize, usize)> = None;
    for (at, c) in folded[from..range.end].char_indices() {
        if !is_end(c) && !paragraph(text, original, from + at) {
            continue;
        }
        let end = from + at + if is_end(c) { c.len_utf8() } else { 0 };
        if is_end(c) && !ends_sentence(text, original, from + at, c) {
            continue;
        }
        sentence = Some((sentence.map_or(end, |first| first.0), end));
    }
    Gap { start: range.start, end: range.end, sentence, words: find::words(&folded[range]) }
}

fn is_end(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '।' | '؟' | '։')
}

/// Whether a blank line stands before the character at `at`.
fn paragraph(text: &Folded, original: &str, at: usize) -> bool {
    if text.text.as_bytes().get(at) != Some(&b' ') {
        return false;
    }
    let space = original.get(text.map.start(at)..text.map.end(at + 1)).unwrap_or_default();
    space.len() > 1 && space.bytes().filter(|&b| b == b'\n').count() > 1
}

/// Whether the mark at `at` ends a sentence: what follows begins one. In doubt it does not, which is the stricter reading.
fn ends_sentence(text: &Folded, original: &str, at: usize, mark: char) -> bool {
    let folded = &text.text;
    let after = &folded[at + mark.len_utf8()..];
    if matches!(mark, '。' | '।' | '؟' | '։') {
        return true;
    }
    let closers = after.len() - after.trim_start_matches(['"', '\'', ')', ']', '.', '!', '?']).len();
    let rest = &after[closers..];
    let next = rest.trim_start_matches([' ', '"', '(', '[', '—']);
    let Some(c) = next.chars().next() else { return true };
    if Class::of(c) == Class::Spaceless {
        return true;
    }
    let begins = text.map.start(folded.len() - next.len());
    let between = original.get(text.map.end(at + mark.len_utf8())..begins).unwrap_or_default();
    if !between.contains(char::is_whitespace) && !between.contains(['<', '"', '”', '’']) {
        return false;
    }
    let capital =
        original[begins..].chars().next().is_some_and(|c| !c.is_lowercase() && (c.is_alphabetic() || c.is_numeric()));
    capital && !(mark == '.' && abbreviates(&folded[..at]))
}

/// Whether a full stop after this is rather that of an abbreviation.
fn abbreviates(before: &str) -> bool {
    const SHORT: &[&str] = &[
        "al", "fig", "figs", "eq", "eqs", "sec", "ch", "no", "nos", "vol", "pp", "cf", "vs", "dr", "mr", "mrs", "ms",
        "prof", "st", "inc", "ltd", "co", "corp", "approx", "ca", "resp", "art", "abs", "nr", "bzw", "vgl", "usw",
        "bspw", "ggf", "sog", "zb", "dh", "z", "ziff", "lit", "arts", "av", "mme", "mlle", "sr", "sra", "dott", "sig",
        "pag", "núm", "ed", "eds", "jr", "sen", "rep", "gov", "gen", "col", "lt", "ref", "refs", "tab", "sect", "viz",
        "ie", "eg", "т", "г", "гг", "стр", "рис", "табл", "им", "ул",
    ];
    let start = before
        .rfind(|c: char| !c.is_alphanumeric())
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let word = &before[start..];
    SHORT.contains(&word) || word.chars().count() == 1 && word.chars().all(char::is_alphabetic)
}

/// The folded position `words` words after `at`, at the end of a word.
pub(super) fn reach(folded: &str, at: usize, words: usize) -> usize {
    let (mut left, mut letters, mut inside) = (words, 0, false);
    for (offset, c) in folded[at..].char_indices() {
        let class = Class::of(c);
        let word = class.is_word() || inside && matches!(c, '\'' | '_');
        if class == Class::Spaceless {
            letters += 1;
            if inside || letters % 2 == 1 {
                if left == 0 {
                    return at + offset;
                }
                left -= 1;
            }
            inside = false;
        } else if word {
            if !inside {
                if left == 0 {
                    return at + offset;
                }
                left -= 1;
            }
            inside = true;
        } else {
            if inside && left == 0 {
                return at + offset;
            }
            inside = false;
        }
    }
    folded.len()
}

/// Enough of the passage around a gap to tell its language.
pub(super) fn surroundings(folded: &str, range: Range<usize>) -> &str {
    const SIDE: usize = 2000;
    let mut start = range.start.saturating_sub(SIDE);
    while !folded.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = (range.end + SIDE).min(folded.len());
    while !folded.is_char_boundary(end) {
        end += 1;
    }
    &folded[start..end]
}
