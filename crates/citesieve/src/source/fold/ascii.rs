//! The fast path for English: runs of ASCII where no rule but lower case applies.

use super::class::Class;
use super::lookalike::Alphabet;
use super::{Folder, gap::Gap};

const NONE: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const SPACE: u8 = 3;
const STOP: u8 = 4;
const JOINER: u8 = 5;

static KIND: [u8; 256] = {
    let mut table = [NONE; 256];
    let mut b = 0;
    while b < 128 {
        table[b] = match b as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b' ' | b'\n' => SPACE,
            b',' | b'.' | b';' | b':' | b'?' | b'!' => STOP,
            b'\'' | b'-' | b'(' | b')' => JOINER,
            _ => NONE,
        };
        b += 1;
    }
    table
};

/// The bytes around a place, by kind.
struct Look<'a>(&'a [u8]);

impl Look<'_> {
    fn kind(&self, at: usize) -> u8 {
        KIND[self.0[at] as usize]
    }

    /// `3 x 5` is a multiplication.
    fn is_x(&self, at: usize) -> bool {
        self.0[at] | 0x20 == b'x'
    }

    /// Whether the byte at `at` folds to itself in lower case, with nothing of the gap rules to apply. Looks at most two
    /// bytes ahead and one back.
    fn plain(&self, at: usize, from: usize) -> bool {
        let next = self.kind(at + 1);
        match self.kind(at) {
            LETTER => true,
            SPACE => {
                // `3 x 5` does not come here: its digit is not plain. After a stop a space may go.
                let after_stop = at > from && self.kind(at - 1) == STOP;
                next == LETTER && !after_stop
                    || next == DIGIT
                    || self.0[at + 1] == b'(' && self.kind(at + 2) == LETTER && !after_stop
            }
            STOP => next == LETTER || next == DIGIT || next == SPACE && matches!(self.kind(at + 2), LETTER | DIGIT),
            DIGIT => {
                next == DIGIT
                    || next == LETTER && !self.is_x(at + 1)
                    || next == SPACE && self.kind(at + 2) == LETTER && !self.is_x(at + 2)
                    || next == STOP && matches!(self.kind(at + 2), DIGIT | SPACE)
            }
            JOINER => {
                let previous = if at > from { self.kind(at - 1) } else { NONE };
                match self.0[at] {
                    b'\'' => previous == LETTER && next == LETTER,
                    b'(' => previous == SPACE && next == LETTER,
                    b')' => previous == LETTER && matches!(next, SPACE | STOP),
                    _ => false,
                }
            }
            _ => false,
        }
    }
}

impl Folder {
    /// Folds a run of ASCII letters, digits and the plain spaces and stops between them. Returns where it stopped; what it
    /// leaves is for `step`.
    pub(super) fn ascii(&mut self, raw: &str, from: usize) -> usize {
        let bytes = raw.as_bytes();
        let first = KIND[bytes[from] as usize];
        if first == NONE || self.alphabets & !Alphabet::Latin.bit() != 0 || self.shift.is_some() || self.row {
            return from;
        }
        if first == LETTER && self.prev != Class::Digit {
            // Whatever stood before, a letter begins or goes on with a word.
            self.settle(Class::Letter, from);
            self.begin_word_before(Class::Letter);
        } else if self.gap != Gap::default()
            || !matches!(self.prev, Class::Letter | Class::Stop | Class::Close)
            || self.prev == Class::Stop && first == SPACE
        {
            return from;
        }
        let look = Look(bytes);
        let limit = bytes.len().saturating_sub(2);
        let mut start = from;
        let mut at = from;
        loop {
            while at < limit && (look.kind(at) == LETTER || look.plain(at, from)) {
                at += 1;
            }
            // A hyphen between letters is not there, and neither is a space between a stop and a letter.
            if at == start || at >= limit || look.kind(at + 1) != LETTER {
                break;
            }
            match (look.kind(at - 1), bytes[at]) {
                (LETTER, b'-') => {}
                (STOP, b' ' | b'\n') => {}
                _ => break,
            }
            self.append(raw, start, at);
            at += 1;
            start = at;
        }
        // What a space or a bracket comes to is decided with what follows.
        while at > start && (look.kind(at - 1) == SPACE || bytes[at - 1] == b'(' || bytes[at - 1] == b'\'') {
            at -= 1;
        }
        if at > start {
            self.append(raw, start, at);
        } else if start > from {
            // Nothing was read after what was left out: leave that to the gap.
            at -= 1;
        }
        at
    }

    /// Appends `raw[start..end]` in lower case.
    fn append(&mut self, raw: &str, start: usize, end: usize) {
        let bytes = raw.as_bytes();
        let here = self.out.len();
        self.map.run(here, start);
        let mut from = start;
        while let Some(line) = memchr::memchr(b'\n', &bytes[from..end]) {
            self.out.push_str(&raw[from..from + line]);
            self.out.push(' ');
            from += line + 1;
        }
        self.out.push_str(&raw[from..end]);
        self.out[here..].make_ascii_lowercase();
        let last = bytes[end - 1];
        let apart = |b: &u8| !(b.is_ascii_alphanumeric() || *b == b'\'');
        let mut word = start;
        if let Some(place) = bytes[start..end].iter().rposition(apart) {
            word = start + place + 1;
            self.word = here + place + 1;
            self.alphabets = 0;
        } else if !matches!(self.prev, Class::Letter | Class::Digit) {
            self.word = here;
            self.alphabets = 0;
        }
        if bytes[word..end].iter().any(u8::is_ascii_alphabetic) {
            self.alphabets |= Alphabet::Latin.bit();
        }
        self.prev = Class::of(last as char);
        self.disguised = false;
    }
}
