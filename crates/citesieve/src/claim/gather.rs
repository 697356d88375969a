//! The words of a claim, for those who asked for them: without markers and without what only starts a line.

use std::collections::VecDeque;
use std::ops::Range;

use crate::scan::buffer::Buffer;
use crate::{Edit, Reason};

/// A claim's own words.
#[derive(Debug)]
pub(crate) struct Words {
    pub(crate) text: String,
    /// It stands in a block quotation that was demoted.
    pub(crate) demoted: bool,
}

/// Knows, while a claim is open, what does not belong to its words. Does nothing unless it is `on`.
#[derive(Debug, Default)]
pub(super) struct Gather {
    pub(super) on: bool,
    /// Markers and starts of lines in the open claim, in order.
    cuts: Vec<Range<u64>>,
    demoted: bool,
}

impl Gather {
    /// A marker.
    pub(super) fn marker(&mut self, at: &Range<u64>) {
        if self.on {
            self.cuts.push(at.clone());
        }
    }

    /// The start of a line; `edits` are in order.
    pub(super) fn structure(&mut self, at: &Range<u64>, edits: &VecDeque<Edit>) {
        if self.on {
            self.cuts.push(at.clone());
            let from = edits.partition_point(|edit| edit.at.start < at.start);
            let here = edits.range(from..).take_while(|edit| edit.at.start < at.end);
            self.demoted |= here.into_iter().any(|edit| edit.why == Reason::FabricatedBlockQuote);
        }
    }

    /// A block ended.
    pub(super) fn border(&mut self) {
        self.demoted = false;
    }

    /// The claim is complete; `None` where nobody asked.
    pub(super) fn words(&mut self, at: Range<u64>, text: &Buffer) -> Option<Words> {
        if !self.on {
            return None;
        }
        let mut words = String::new();
        let mut from = at.start;
        for cut in self.cuts.iter().filter(|cut| cut.start >= at.start && cut.end <= at.end) {
            if cut.start >= from {
                append(&mut words, text.slice(from..cut.start));
            }
            from = from.max(cut.end);
        }
        append(&mut words, text.slice(from.min(at.end)..at.end));
        words.truncate(words.trim_end().len());
        Some(Words { text: words, demoted: self.demoted })
    }

    /// What was cut belongs to a claim that is over.
    pub(super) fn clear(&mut self) {
        self.cuts.clear();
    }
}

/// Appends a piece, with one space for any number of them. What stood between two pieces is gone: a space before
/// punctuation goes with it, and two words are never welded.
fn append(words: &mut String, piece: &str) {
    let first = piece.chars().find(|c| !c.is_whitespace());
    if first.is_some_and(|c| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')' | '。' | '，' | '、')) {
        words.truncate(words.trim_end().len());
    }
    let both_words = words.ends_with(|c: char| c.is_alphanumeric()) && piece.starts_with(|c: char| c.is_alphanumeric());
    let mut space = both_words && !(piece.chars().next().is_some_and(crate::scan::is_spaceless));
    for c in piece.chars() {
        if c.is_whitespace() {
            space = true;
        } else {
            if space && !words.is_empty() && !words.ends_with(' ') {
                words.push(' ');
            }
            space = false;
            words.push(c);
        }
    }
    if space && !words.is_empty() && !words.ends_with(' ') {
        words.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::append;

    #[test]
    fn pieces_are_joined_as_a_reader_would() {
        let join = |pieces: &[&str]| {
            let mut words = String::new();
            pieces.iter().for_each(|piece| append(&mut words, piece));
            words
        };
        assert_eq!(join(&["Rent is due ", "."]), "Rent is due.");
        assert_eq!(join(&["the world", "turns"]), "the world turns");
        assert_eq!(join(&["one  \n line ", " and another"]), "one line and another");
        assert_eq!(join(&["租金每月", "到期"]), "租金每月到期");
    }
}
