//! `[lease-a]`, `[lease-a, lease-b]`, `[a.pdf#page=3]`: the ids themselves in brackets.
//!
//! Any word may stand in brackets. One that no source has as its id is a fabricated id only if it looks like one of
//! them: built alike (`lease-z` beside `lease-a`, `doc-9` beside `doc-1`) or a file name of the same kind.

use super::guard::{self, Context, Guard};
use super::{Reading, Step, Syntax};
use crate::scan::is_space;

#[derive(Debug)]
pub(crate) struct Id;

/// Longer than this (bytes) no id is.
const MAX_ID: u64 = 128;

/// Phases: the opener, before a word, in one, after one.
const BEFORE: u8 = 1;
const WORD: u8 = 2;
const AFTER: u8 = 3;

impl Syntax for Id {
    fn openers(&self) -> &'static [char] {
        &['[']
    }

    fn guard(&self, context: &Context<'_>) -> Option<Guard> {
        let stranger = context.elements.iter().any(|element| !is_id_like(context, element.first.clone()));
        if stranger {
            return Some(Guard::Word);
        }
        guard::is_subscript(context).then_some(Guard::Subscript)
    }

    fn step(&self, reading: &mut Reading, c: char, at: u64) -> Step {
        let end = at + c.len_utf8() as u64;
        let word = c.is_alphanumeric()
            || matches!(c, '-' | '_' | '.' | ':' | '/' | '#' | '=' | '@' | '+' | '~' | '%' | '&' | '?');
        match (reading.phase, c) {
            (0, _) => {
                reading.phase = BEFORE;
                Step::Open
            }
            (BEFORE | AFTER, _) if is_space(c) => Step::Open,
            (BEFORE, _) if c.is_alphanumeric() => {
                reading.phase = WORD;
                reading.from = at;
                reading.list.start_word(at);
                reading.list.grow_word(end);
                Step::Open
            }
            (WORD, _) if word && at - reading.from < MAX_ID => {
                reading.list.grow_word(end);
                Step::Open
            }
            (WORD | AFTER, ']') => Step::Done,
            (WORD | AFTER, ',' | ';' | '，' | '；' | '、') => {
                reading.phase = BEFORE;
                reading.list.separate();
                Step::Open
            }
            (WORD, _) if is_space(c) => {
                reading.phase = AFTER;
                Step::Open
            }
            _ => Step::Dead,
        }
    }
}

/// Whether a word is an id or looks like one.
pub(crate) fn is_id_like(context: &Context<'_>, at: std::ops::Range<u64>) -> bool {
    let word = context.text.slice(at);
    context.ids.named(word).is_some() || context.ids.has_like(word)
}
