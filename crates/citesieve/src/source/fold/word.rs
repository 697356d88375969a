//! Letters and marks, and the word they make: what is written may be changed by the next character of the word.

use unicode_normalization::UnicodeNormalization;

use super::class::Class;
use super::lookalike::{self, Alphabet};
use super::{Folder, compat};

/// The longest word that look-alike letters are sought in, in characters.
const LONGEST_WORD: usize = 64;

/// The most marks that are composed with their letter.
const LONGEST_CLUSTER: usize = 32;

impl Folder {
    /// A letter of a script that shares forms with others, or an ASCII letter.
    pub(super) fn letter(&mut self, raw: &str, c: char, start: usize, end: usize) {
        self.settle(Class::Letter, start);
        self.begin_word_before(Class::Letter);
        self.fold_into(c, start, end);
        self.prev = Class::Letter;
        self.disguised = false;
        if let Some(alphabet) = Alphabet::of(c) {
            self.alphabets |= alphabet.bit();
            if self.alphabets.count_ones() > 1 {
                self.reread_word(raw);
            }
        }
    }

    /// Folds `c` and appends it.
    fn fold_into(&mut self, c: char, start: usize, end: usize) {
        let here = self.out.len();
        compat::fold_char(c, &mut self.out);
        let length = self.out.len() - here;
        if length == 0 {
            return;
        }
        let single = self.out[here..].chars().nth(1).is_none();
        if single && length == end - start {
            self.map.run(here, start);
        } else {
            self.map.whole(here, start..end);
        }
    }

    /// A character outside ASCII.
    pub(super) fn wide(&mut self, raw: &str, c: char, start: usize, end: usize) {
        if Alphabet::of(c).is_some() && c.is_alphabetic() {
            self.letter(raw, c, start, end);
            return;
        }
        // Half-width and spacing voice marks of kana.
        let c = match c {
            '\u{ff9e}' | '\u{309b}' => '\u{3099}',
            '\u{ff9f}' | '\u{309c}' => '\u{309a}',
            c => c,
        };
        if compat::joins_previous(c) && self.glued() && self.prev != Class::Start {
            self.join(c, start, end);
            return;
        }
        let mut folded = String::new();
        compat::fold_char(c, &mut folded);
        let (Some(first), Some(final_)) = (folded.chars().next(), folded.chars().next_back()) else { return };
        let class = Class::of(first);
        // Digits in another guise: `²`, `½`, `①`. Full-width ones are plain digits.
        let disguised = first.is_ascii_digit() && !matches!(c as u32, 0xff10..=0xff19 | 0x1d7ce..=0x1d7ff);
        if disguised && self.glued() && self.prev == Class::Digit && self.shift.is_none() {
            self.shift = Some(match c as u32 {
                0xb2 | 0xb3 | 0xb9 | 0x2070..=0x207f if !self.disguised => '^',
                0x2080..=0x2089 if !self.disguised => '_',
                0xb2 | 0xb3 | 0xb9 | 0x2070..=0x2089 => '\0',
                _ => ' ',
            });
            if self.shift == Some('\0') {
                // A second raised digit belongs to the first.
                self.shift = None;
                self.disguised = false;
            }
        }
        self.settle(class, start);
        self.begin_word_before(class);
        self.fold_into(c, start, end);
        self.prev = if final_ == first { class } else { Class::of(final_) };
        self.disguised = disguised;
    }

    /// A combining mark, or a letter that composes with the one before it.
    fn join(&mut self, c: char, start: usize, end: usize) {
        use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical};
        let Some(previous) = self.out.chars().next_back() else { return };
        let mut parts = 0;
        decompose_canonical(previous, |_| parts += 1);
        if parts == 1 && canonical_combining_class(previous) == 0 && compose(previous, c).is_none() {
            let capital_dot = previous == 'i' && c == '\u{307}';
            if !capital_dot {
                self.fold_into(c, start, end);
            }
            return;
        }
        let mut from = self.out.len();
        for previous in self.out.chars().rev().take(LONGEST_CLUSTER) {
            from -= previous.len_utf8();
            if canonical_combining_class(previous) == 0 {
                break;
            }
        }
        // More marks than any letter bears are kept as they come, and so are those on an accent that stands alone.
        let alone = |c| canonical_combining_class(c) != 0 || compat::is_lone_accent(c);
        if self.out[from..].chars().next().is_some_and(alone) {
            self.fold_into(c, start, end);
            return;
        }
        let original = self.map.start(from);
        let mut cluster = self.out[from..].to_owned();
        cluster.push(c);
        self.take_back(from);
        self.map.whole(from, original..end);
        compat::fold_cluster(&cluster, &mut self.out);
        self.word = self.word.min(from);
    }

    /// The word being written has letters of several alphabets: reads it in one, if it can be.
    fn reread_word(&mut self, raw: &str) {
        let Some(letters) = self.word_letters(raw) else { return };
        let word: String = letters.iter().map(|letter| letter.0).collect();
        let reading = lookalike::reading(&word);
        self.take_back(self.word);
        for (c, start, end) in letters {
            if Alphabet::of(c).is_some() {
                let c = reading.and_then(|alphabet| lookalike::twin(c, alphabet)).unwrap_or(c);
                self.fold_into(c, start, end);
            } else {
                self.map.whole(self.out.len(), start..end);
                self.out.push(c);
            }
        }
    }

    /// The characters of the word being written and where they stand in the original: letters as they are there, all else
    /// folded. `None` if there are too many.
    fn word_letters(&self, raw: &str) -> Option<Vec<(char, usize, usize)>> {
        let mut letters: Vec<(char, usize, usize)> = Vec::new();
        for (at, c) in self.out[self.word..].char_indices() {
            let start = self.map.start(self.word + at);
            let end = self.map.end(self.word + at + c.len_utf8());
            if letters.len() >= LONGEST_WORD {
                return None;
            }
            let mut original = raw[start..end].nfc();
            let first = original.next();
            let only = first.filter(|_| original.next().is_none());
            let again = letters.last().is_some_and(|last| last.1 == start && last.2 == end);
            match (only, first.filter(|&c| Alphabet::of(c).is_some())) {
                // `ß` is one letter that folds to two.
                (Some(_), _) if again => {}
                (Some(only), None) => {
                    let mut folded = String::new();
                    compat::fold_char(only, &mut folded);
                    // A sign that depends on what is around it, like the `x` of `10×`, is as it was written.
                    let same = folded.starts_with(c)
                        || lookalike::ALL
                            .iter()
                            .any(|&alphabet| lookalike::twin(c, alphabet).is_some_and(|c| folded.starts_with(c)));
                    if same {
                        letters.extend(folded.chars().map(|c| (c, start, end)));
                    } else {
                        letters.push((c, start, end));
                    }
                }
                (_, Some(first)) if !again => letters.push((first, start, end)),
                _ => letters.push((c, start, end)),
            }
        }
        Some(letters)
    }

    /// Whether what the last character comes to is not known yet: the first part of a Korean syllable, or a combining mark
    /// that others may still be sorted before.
    pub(crate) fn is_part(&self) -> bool {
        use unicode_normalization::char::canonical_combining_class;
        self.out.chars().next_back().is_some_and(|c| compat::is_leading_jamo(c) || canonical_combining_class(c) != 0)
    }

    /// What else the word being written may come to be, as it stands: its last letter with marks yet to come, its letters
    /// read in another alphabet.
    pub(crate) fn endings(&self, raw: &str) -> Vec<String> {
        let mut endings = Vec::new();
        let word = &self.out[self.word.min(self.out.len())..];
        if let Some(last) = word.chars().next_back().filter(|c| c.is_alphabetic()) {
            let stem = &word[..word.len() - last.len_utf8()];
            endings.extend(compat::marked(last).into_iter().map(|marked| format!("{stem}{marked}")));
        }
        if let Some(letters) = self.word_letters(raw) {
            // As it is written, for what comes next may make it unreadable in any one alphabet.
            let readings = lookalike::ALL.into_iter().map(Some).chain([None]);
            for reading in readings {
                let mut ending = String::new();
                let complete = letters.iter().all(|&(c, ..)| {
                    let read = match (Alphabet::of(c), reading) {
                        (Some(_), Some(alphabet)) => lookalike::twin(c, alphabet),
                        _ => Some(c),
                    };
                    read.inspect(|&c| compat::fold_char(c, &mut ending)).is_some()
                });
                if complete && ending != word {
                    endings.push(ending);
                }
            }
        }
        endings
    }
}
