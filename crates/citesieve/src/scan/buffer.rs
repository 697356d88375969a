//! The part of the answer that is still needed, addressed by position in the whole answer.

use std::ops::Range;

/// How many bytes before the decided point are kept for looking back (the word before a marker).
const LOOK_BACK: usize = 512;
/// How many bytes may be passed before the buffer is moved; moving is amortised over them.
const SLACK: usize = 8 * 1024;

/// Text from `base` on. Positions are bytes of the whole answer.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    text: String,
    base: u64,
}

impl Buffer {
    pub(crate) fn push(&mut self, delta: &str) {
        self.text.push_str(delta);
    }

    /// Position of the first byte that is still here.
    pub(crate) fn start(&self) -> u64 {
        self.base
    }

    /// Position after the last byte.
    pub(crate) fn end(&self) -> u64 {
        self.base + self.text.len() as u64
    }

    /// The text in `range`, which must be in the buffer and on character borders.
    pub(crate) fn slice(&self, range: Range<u64>) -> &str {
        &self.text[self.index(range.start)..self.index(range.end)]
    }

    /// The text from `at` on.
    pub(crate) fn from(&self, at: u64) -> &str {
        &self.text[self.index(at)..]
    }

    /// What is left of the text before `at`: at least [`LOOK_BACK`] bytes, if there were so many.
    pub(crate) fn before(&self, at: u64) -> &str {
        &self.text[..self.index(at)]
    }

    /// The character that starts at `at`.
    pub(crate) fn char_at(&self, at: u64) -> Option<char> {
        self.from(at).chars().next()
    }

    /// The character that ends at `at`.
    pub(crate) fn char_before(&self, at: u64) -> Option<char> {
        self.before(at).chars().next_back()
    }

    /// Forgets what is no longer needed when everything before `decided` has left.
    pub(crate) fn forget(&mut self, decided: u64) {
        let mut spare = self.index(decided).saturating_sub(LOOK_BACK);
        if spare < SLACK {
            return;
        }
        while !self.text.is_char_boundary(spare) {
            spare -= 1;
        }
        self.text.drain(..spare);
        self.base += spare as u64;
    }

    fn index(&self, at: u64) -> usize {
        (at - self.base) as usize
    }
}

/// Counts the characters of a stretch of text that mostly grows at its end and shrinks at its start.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    range: Range<u64>,
    characters: usize,
}

impl Meter {
    /// Characters in `range`. Costs what it differs by from the range before.
    pub(crate) fn count(&mut self, range: Range<u64>, text: &Buffer) -> usize {
        let known = &self.range;
        if known.start <= range.start && range.start <= known.end && known.end <= range.end && known.start >= text.base
        {
            self.characters -= count(text.slice(known.start..range.start));
            self.characters += count(text.slice(known.end..range.end));
        } else {
            self.characters = count(text.slice(range.clone()));
        }
        self.range = range;
        self.characters
    }
}

fn count(text: &str) -> usize {
    text.chars().count()
}
