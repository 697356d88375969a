//! One call for one citation.

use std::ops::Range;

use memchr::memmem::Finder;

use super::elision::{Refused, Search};
use super::pieces::{self, Piece};
use super::{Class, Elisions, Finding, Match, Note, Reason, find, nearest};
use crate::Sources;
use crate::source::Next;
use crate::source::fold::{self, Folded};

/// Quotes longer than this (bytes) are not sought.
pub(super) const LONGEST_QUOTE: usize = 64 * 1024;
/// Quotes with fewer words are `TooShort`.
const FEWEST_WORDS: usize = 3;

/// A quote made ready to be sought.
pub(super) struct Needle<'q> {
    quote: &'q str,
    folded: Folded,
    /// Without what may stand at its edges.
    core: Range<usize>,
    /// In pieces, when it has elisions or brackets.
    pub(super) pieces: Option<Vec<Piece>>,
    elisions: Elisions,
}

impl<'q> Needle<'q> {
    pub(super) fn new(quote: &'q str, elisions: Elisions) -> Self {
        let folded = fold::fold_quote(quote);
        let pieces = pieces::pieces(&folded.text);
        let rest = find::trim_start(&folded.text);
        let start = folded.text.len() - rest.len();
        let core = start..start + find::trim_end(rest).len();
        Needle { quote, folded, core, pieces, elisions }
    }

    /// Folded, without what may stand at its edges.
    pub(super) fn text(&self) -> &str {
        &self.folded.text[self.core.clone()]
    }

    /// What stands in the quote for a range of [`Needle::text`].
    pub(super) fn original(&self, range: Range<usize>) -> Option<&'q str> {
        let map = &self.folded.map;
        self.quote.get(map.start(self.core.start + range.start)..map.end(self.core.start + range.end))
    }

    /// Whether it holds no words at all.
    pub(super) fn is_empty(&self) -> bool {
        let none = |words: &str| !words.contains(char::is_alphanumeric);
        match &self.pieces {
            Some(pieces) => pieces.iter().all(|piece| !matches!(piece, Piece::Words(words) if !none(words))),
            None => none(self.text()),
        }
    }

    /// Words of the source that it holds.
    fn words(&self) -> usize {
        match &self.pieces {
            Some(pieces) => {
                pieces.iter().map(|piece| if let Piece::Words(words) = piece { find::words(words) } else { 0 }).sum()
            }
            None => find::words(self.text()),
        }
    }

    /// Where a source has it.
    fn find_in(&self, sources: &Sources, index: usize, finder: &Finder<'_>, refused: &mut Refused) -> Option<Match> {
        let (original, text) = sources.text(index)?;
        // A literal match comes first: the source itself may have dots and brackets.
        if let Some(range) = find::find(text, original, finder) {
            return Some(place(sources, index, &range, Vec::new()));
        }
        self.find_pieces(sources, index, refused)
    }

    /// Where the sources have it, one place in each, but for those in `without` (ascending).
    fn find_anywhere(
        &self,
        sources: &Sources,
        without: &[usize],
        finder: &Finder<'_>,
        refused: &mut Refused,
    ) -> Vec<Match> {
        let mut matches: Vec<Match> = Vec::new();
        sources.each_place(finder, |index, at| {
            let Some((original, text)) = sources.text(index) else { return Next::Text };
            let range = at..at + finder.needle().len();
            if without.binary_search(&index).is_ok() {
                return Next::Text;
            }
            if !find::is_whole(text, original, &range) {
                return Next::Place;
            }
            matches.push(place(sources, index, &range, Vec::new()));
            Next::Text
        });
        if self.pieces.is_some() {
            let literal: Vec<usize> = matches.iter().map(|found| found.source).collect();
            let others = (0..sources.list().len())
                .filter(|index| without.binary_search(index).is_err() && literal.binary_search(index).is_err());
            matches.extend(others.filter_map(|index| self.find_pieces(sources, index, refused)));
            matches.sort_by_key(|found| found.source);
        }
        matches
    }

    /// Where a source has it in pieces.
    fn find_pieces(&self, sources: &Sources, index: usize, refused: &mut Refused) -> Option<Match> {
        let (original, text) = sources.text(index)?;
        let mut search = Search::new(self.pieces.as_deref()?, text, original, self.elisions);
        let found = search.run();
        if let Some(hidden) = search.refused.hidden {
            refused.hidden.get_or_insert(hidden);
        }
        refused.unknown_language |= search.refused.unknown_language;
        if let Some((_, range)) = search.refused.passage {
            refused.passage.get_or_insert((index, range));
        }
        let found = found?;
        Some(place(sources, index, &found.range, found.notes))
    }
}

/// A match at a range of a folded text.
fn place(sources: &Sources, index: usize, range: &Range<usize>, notes: Vec<Note>) -> Match {
    let (original, span) = sources
        .text(index)
        .map_or(("", 0..0), |(original, text)| (original, text.map.start(range.start)..text.map.end(range.end)));
    let words = original.get(span.clone()).unwrap_or_default().to_owned();
    Match { source: index, id: sources.list()[index].id.clone(), span, words, notes }
}

/// Judges one quote by the sources it cites (ids; none: any source will do).
///
/// `quote` is Markdown as the model wrote it, with or without its quotation marks. An id that no source has is judged on
/// the words alone: [`Class::Misattributed`] if a source has them, else never better than [`Class::Altered`].
///
/// Linear in the quote and in the texts of the sources, which are folded at their first use.
pub fn check(sources: &Sources, cited: &[&str], quote: &str) -> Finding {
    check_as(sources, cited, quote, Elisions::default())
}

/// As [`check`], with a choice of what elisions are taken to be.
pub fn check_as(sources: &Sources, cited: &[&str], quote: &str, elisions: Elisions) -> Finding {
    let bare = |class, reason| Finding { class, matches: Vec::new(), similarity: 0.0, nearest: None, reason };
    if quote.len() > LONGEST_QUOTE {
        return bare(Class::NotFound, Some(Reason::TooLong));
    }
    let needle = Needle::new(quote, elisions);
    if needle.is_empty() {
        return bare(Class::NotFound, Some(Reason::Empty));
    }
    if needle.words() < FEWEST_WORDS {
        return bare(Class::TooShort, None);
    }
    let finder = Finder::new(needle.text().as_bytes());
    let mut refused = Refused::default();
    let list = sources.list();
    let mut ours: Vec<usize> = cited.iter().flat_map(|id| sources.with_id(id)).copied().collect();
    ours.sort_unstable();
    ours.dedup();
    let found = |class, matches, reason| Finding { class, matches, similarity: 1.0, nearest: None, reason };

    let matches: Vec<Match> = if cited.is_empty() {
        needle.find_anywhere(sources, &[], &finder, &mut refused)
    } else {
        ours.iter().filter_map(|&index| needle.find_in(sources, index, &finder, &mut refused)).collect()
    };
    if !matches.is_empty() {
        return found(Class::Verified, matches, None);
    }
    let checkable = |index: &usize| list[*index].text.is_some();
    if !list.iter().any(|source| source.text.is_some()) || !ours.is_empty() && !ours.iter().any(checkable) {
        return bare(Class::Unchecked, None);
    }
    let unknown = !cited.is_empty() && ours.is_empty();
    if !cited.is_empty() {
        let matches = needle.find_anywhere(sources, &ours, &finder, &mut Refused::default());
        if !matches.is_empty() {
            return found(Class::Misattributed, matches, unknown.then_some(Reason::UnknownSource));
        }
    }
    let reason = match &refused {
        Refused { hidden: Some(word), .. } => Some(Reason::HiddenNegation { word: word.clone() }),
        Refused { unknown_language: true, .. } => Some(Reason::UnknownLanguage),
        _ if unknown => Some(Reason::UnknownSource),
        _ => None,
    };
    nearest::classify(sources, &ours, &needle, reason, &refused)
}

/// Where the sources with these ids have the words, one place in each, however few they are. Empty when none has them.
///
/// Linear in the quote and in the texts of these sources.
pub fn places(sources: &Sources, cited: &[&str], quote: &str) -> Vec<Match> {
    let needle = Needle::new(quote, Elisions::default());
    if quote.len() > LONGEST_QUOTE || needle.is_empty() {
        return Vec::new();
    }
    let finder = Finder::new(needle.text().as_bytes());
    let ours = cited.iter().flat_map(|id| sources.with_id(id));
    ours.filter_map(|&index| needle.find_in(sources, index, &finder, &mut Refused::default())).collect()
}
