//! The fast path: runs of English.

use super::class::Class;
use super::lookalike::Alphabet;
use super::{Folder, gap::Gap};

const NONE: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const SPACE: u8 = 3;
const STOP: u8 = 4;

static KIND: [u8; 256] = {
    let mut table = [NONE; 256];
    let mut b = 0;
    while b < 128 {
        table[b] = match b as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b' ' => SPACE,
            b',' | b'.' | b';' | b':' | b'?' | b'!' => STOP,
            _ => NONE,
        };
        b += 1;
    }
    table
};

impl Folder {
    /// Folds a run of ASCII letters, digits and the plain spaces and stops between them, where no rule but lower case
    /// applies. Returns where it stopped; what it leaves is for `step`.
    pub(super) fn ascii(&mut self, raw: &str, from: usize) -> usize {
        if self.prev != Class::Letter
            || self.gap != Gap::default()
            || self.alphabets & !Alphabet::Latin.bit() != 0
            || self.shift.is_some()
        {
            return from;
        }
        let bytes = raw.as_bytes();
        let kind = |at: usize| KIND[bytes[at] as usize];
        let is_x = |at: usize| bytes[at] | 0x20 == b'x';
        let limit = bytes.len().saturating_sub(2);
        let mut at = from;
        let mut word = None;
        while at < limit {
            match kind(at) {
                LETTER => at += 1,
                SPACE => {
                    let next = kind(at + 1);
                    let after_digit = at > from && kind(at - 1) == DIGIT;
                    if next == LETTER && !(after_digit && is_x(at + 1)) || next == DIGIT {
                        at += 1;
                        word = Some(at);
                    } else {
                        break;
                    }
                }
                STOP => {
                    let next = kind(at + 1);
                    if next == LETTER || next == DIGIT || next == SPACE && matches!(kind(at + 2), LETTER | DIGIT) {
                        at += 1;
                        word = Some(at);
                    } else {
                        break;
                    }
                }
                DIGIT => {
                    let next = kind(at + 1);
                    if next == DIGIT
                        || next == LETTER && !is_x(at + 1)
                        || next == SPACE && kind(at + 2) == LETTER && !is_x(at + 2)
                    {
                        at += 1;
                    } else {
                        break;
                    }
                }
                _ => break,
            }
        }
        if at > from && kind(at - 1) == SPACE {
            at -= 1;
        }
        if at == from {
            return from;
        }
        let start = self.out.len();
        self.map.run(start, from);
        self.out.push_str(&raw[from..at]);
        self.out[start..].make_ascii_lowercase();
        self.prev = match kind(at - 1) {
            LETTER => Class::Letter,
            DIGIT => Class::Digit,
            _ => Class::Stop,
        };
        self.disguised = false;
        self.alphabets |= Alphabet::Latin.bit();
        if let Some(word) = word
            && word <= at
        {
            self.word = start + (word - from);
            self.alphabets = Alphabet::Latin.bit();
        }
        at
    }
}
