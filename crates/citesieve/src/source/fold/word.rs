//! Letters and marks, and the word they make: what is written may be changed by the next character of the word.

use super::class::Class;
use super::lookalike::{self, Alphabet};
use super::{Folder, compat};

/// The longest word that look-alike letters are sought in, in characters.
const LONGEST_WORD: usize = 64;

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
        for previous in self.out.chars().rev() {
            from -= previous.len_utf8();
            if canonical_combining_class(previous) == 0 {
                break;
            }
        }
        if self.out.len() - from > LONGEST_WORD {
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
            let mut original = raw[start..end].chars();
            let letter = original.next().filter(|&c| original.next().is_none() && Alphabet::of(c).is_some());
            if letter.is_some() && letters.last().is_some_and(|last| last.1 == start && last.2 == end) {
                // `ß` is one letter that folds to two.
                continue;
            }
            if letters.len() == LONGEST_WORD {
                return None;
            }
            letters.push((letter.unwrap_or(c), start, end));
        }
        Some(letters)
    }

    /// Whether the last character is the first part of a Korean syllable: what it comes to is not known yet.
    pub(crate) fn is_part(&self) -> bool {
        self.out.chars().next_back().is_some_and(compat::is_leading_jamo)
    }

    /// What else the word being written may come to be, as it stands: its last letter with marks yet to come, its letters
    /// read in another alphabet.
    pub(crate) fn endings(&self, raw: &str) -> Vec<String> {
        let mut endings = Vec::new();
        let word = &self.out[self.word.min(self.out.len())..];
        let Some(last) = word.chars().next_back().filter(|c| c.is_alphabetic()) else { return endings };
        let stem = &word[..word.len() - last.len_utf8()];
        endings.extend(compat::marked(last).into_iter().map(|marked| format!("{stem}{marked}")));
        if let Some(letters) = self.word_letters(raw) {
            for alphabet in lookalike::ALL {
                let mut ending = String::new();
                for &(c, ..) in &letters {
                    match lookalike::twin(c, alphabet) {
                        Some(twin) => compat::fold_char(twin, &mut ending),
                        None if Alphabet::of(c).is_none() => compat::fold_char(c, &mut ending),
                        None => {
                            ending.clear();
                            break;
                        }
                    }
                }
                if !ending.is_empty() && ending != word {
                    endings.push(ending);
                }
            }
        }
        endings
    }
}
