//! The fast path for Cyrillic, Chinese and Japanese: runs of characters that fold to themselves or to lower case.

use super::class::Class;
use super::lookalike::Alphabet;
use super::{Folder, gap::Gap};

impl Folder {
    /// Folds such a run and returns where it stopped; what it leaves is for `step`.
    pub(super) fn native(&mut self, raw: &str, from: usize) -> usize {
        if raw.as_bytes()[from].is_ascii() && raw.as_bytes()[from] != b' '
            || self.gap != Gap::default()
            || self.shift.is_some()
            || self.row
        {
            return from;
        }
        match self.prev {
            Class::Letter if self.alphabets == Alphabet::Cyrillic.bit() => self.cyrillic(raw, from),
            Class::Spaceless => self.han(raw, from),
            _ => from,
        }
    }

    fn cyrillic(&mut self, raw: &str, from: usize) -> usize {
        let bytes = raw.as_bytes();
        let letter = |at: usize| match (bytes.get(at), bytes.get(at + 1)) {
            (Some(0xd0), Some(0xb0..=0xbf)) | (Some(0xd1), Some(0x80..=0x8f | 0x91)) => Some(false),
            (Some(0xd0), Some(0x90..=0xaf)) => Some(true),
            _ => None,
        };
        let (mut start, mut at) = (from, from);
        let mut word = None;
        self.map.run(self.out.len(), from);
        loop {
            match letter(at) {
                Some(false) => at += 2,
                Some(true) => {
                    self.out.push_str(&raw[start..at]);
                    self.out.extend(raw[at..at + 2].chars().filter_map(|c| char::from_u32(c as u32 + 32)));
                    at += 2;
                    start = at;
                }
                None => match bytes.get(at) {
                    Some(b' ') if letter(at + 1).is_some() => {
                        at += 1;
                        word = Some(self.out.len() + at - start);
                    }
                    // The space between a stop and a letter is not there.
                    Some(b',' | b';' | b':' | b'.') if bytes.get(at + 1) == Some(&b' ') && letter(at + 2).is_some() => {
                        self.out.push_str(&raw[start..at + 1]);
                        at += 2;
                        start = at;
                        word = Some(self.out.len());
                        self.map.run(self.out.len(), at);
                    }
                    _ => break,
                },
            }
        }
        self.out.push_str(&raw[start..at]);
        if let Some(word) = word {
            self.word = word;
        }
        self.disguised = false;
        at
    }

    fn han(&mut self, raw: &str, from: usize) -> usize {
        let bytes = raw.as_bytes();
        let mut at = from;
        while let (Some(&lead), Some(&second), Some(&third)) = (bytes.get(at), bytes.get(at + 1), bytes.get(at + 2)) {
            let plain = match lead {
                0xe5..=0xe9 => true,
                0xe4 => second >= 0xb8,
                0xe3 => match second {
                    0x81 => third >= 0x81,
                    0x82 => matches!(third, 0x80..=0x96 | 0xa1..=0xbf),
                    0x83 => third <= 0xba || third == 0xbc,
                    _ => false,
                },
                _ => false,
            };
            if !plain {
                break;
            }
            at += 3;
        }
        if at > from {
            self.map.run(self.out.len(), from);
            self.out.push_str(&raw[from..at]);
            self.disguised = false;
        }
        at
    }
}
