//! `\u{E200}cite\u{E202}turn0search0\u{E202}turn0file1\u{E202}L8-L13\u{E201}`, `\u{E202}turn0search0`: markers between
//! characters for private use, and the same characters spelled out (`\ue202turn0search0`).
//!
//! U+E200 and U+E201 enclose a group, U+E202 stands before each id, U+E203 and U+E204 enclose the words that the marker
//! after them is for: they go with it. `turn0search3` names the source that has all of it as its id, or the `3`.

use super::guard::{Context, Guard};
use super::{Form, Reading, Step, Syntax};

#[derive(Debug)]
pub(crate) struct PrivateUse;

/// The characters, counted from U+E200.
const GROUP: u8 = 0;
const STOP: u8 = 1;
const ID: u8 = 2;
const SPAN: u8 = 3;
const SPAN_END: u8 = 4;

/// What a group of ids may be called.
const KINDS: [&str; 5] = ["", "cite", "filecite", "citation", "source"];
/// Longer than this (bytes) no id is.
const MAX_ID: usize = 128;

/// Phases: the first character, the name of a group, before an id, in an id, in an id without a group.
const FIRST: u8 = 1;
const KIND: u8 = 2;
const BEFORE: u8 = 3;
const WORD: u8 = 4;
const ALONE: u8 = 5;
/// After the start or the end of a span.
const SPANNED: u8 = 6;

enum Symbol {
    /// One of the characters for private use, which ends here.
    Special(u8),
    /// Part of one that is spelled out.
    Part,
    Plain,
}

impl Syntax for PrivateUse {
    fn openers(&self) -> &'static [char] {
        &['\u{E200}', '\u{E202}', '\u{E203}', '\u{E204}', '\\']
    }

    fn guard(&self, _: &Context<'_>) -> Option<Guard> {
        None
    }

    fn step(&self, reading: &mut Reading, c: char, at: u64) -> Step {
        if reading.phase == SPANNED {
            return Step::Ended(at);
        }
        if reading.phase == ALONE {
            return alone(reading, c, at);
        }
        if reading.phase == 0 {
            reading.phase = FIRST;
        }
        let Some(symbol) = symbol(reading, c) else { return Step::Dead };
        let end = at + c.len_utf8() as u64;
        match (reading.phase, symbol) {
            (_, Symbol::Part) => return Step::Open,
            (FIRST, Symbol::Special(GROUP)) => reading.phase = KIND,
            (FIRST, Symbol::Special(ID)) => reading.phase = ALONE,
            (FIRST, Symbol::Special(mark @ (SPAN | SPAN_END))) => {
                reading.phase = SPANNED;
                reading.form = if mark == SPAN { Form::SpanStart } else { Form::SpanEnd };
            }
            (KIND, Symbol::Plain) if c.is_ascii_alphabetic() && reading.tag.len() < 16 => reading.tag.push(c),
            (KIND, Symbol::Special(ID)) if KINDS.contains(&reading.tag.as_str()) => reading.phase = BEFORE,
            (BEFORE | WORD, Symbol::Plain) if is_word(c) => {
                if reading.phase == BEFORE {
                    reading.phase = WORD;
                    reading.tag.clear();
                    reading.list.start_word(at);
                }
                if reading.tag.len() > MAX_ID {
                    return Step::Dead;
                }
                reading.tag.push(c);
                reading.list.grow_word(end);
            }
            (WORD, Symbol::Special(ID)) => {
                complete(reading);
                reading.phase = BEFORE;
            }
            (WORD, Symbol::Special(STOP)) => {
                complete(reading);
                return Step::Done;
            }
            _ => return Step::Dead,
        }
        Step::Open
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/' | '#')
}

/// What the character is; `None`: something was spelled that is none of them.
fn symbol(reading: &mut Reading, c: char) -> Option<Symbol> {
    let part = std::mem::take(&mut reading.part);
    let next = match (part, c) {
        (0, '\u{E200}'..='\u{E204}') => return Some(Symbol::Special((c as u32 - 0xE200) as u8)),
        (0, '\\') => 1,
        (0, _) => return Some(Symbol::Plain),
        (1, 'u') => 2,
        (2, 'e' | 'E') => 3,
        (3, '2') => 4,
        (4, '0') => 5,
        (5, '0'..='4') => return Some(Symbol::Special(c as u8 - b'0')),
        _ => return None,
    };
    reading.part = next;
    Some(Symbol::Part)
}

/// An id of a group is complete.
fn complete(reading: &mut Reading) {
    let locator = reading.tag.strip_prefix('L').is_some_and(|lines| {
        lines.starts_with(|c: char| c.is_ascii_digit())
            && lines.chars().all(|c| c.is_ascii_digit() || c == '-' || c == 'L')
    });
    if locator && reading.list.elements.len() > 1 {
        // The lines of the source before it.
        if let Some(lines) = reading.list.elements.pop() {
            reading.list.with_last(|element| element.at.end = lines.at.end);
        }
        return;
    }
    note_number(reading);
}

/// `turn0search3`: the number may be the id.
fn note_number(reading: &mut Reading) {
    if turn(&reading.tag) == Some(true) {
        let digits = reading.tag.bytes().rev().take_while(u8::is_ascii_digit).count() as u64;
        reading.list.with_last(|element| element.names[0] = element.first.end - digits..element.first.end);
    }
}

/// An id without a group: it ends where it can't go on.
fn alone(reading: &mut Reading, c: char, at: u64) -> Step {
    if c.is_ascii_alphanumeric() {
        reading.tag.push(c);
        if turn(&reading.tag).is_some() {
            if reading.list.elements.is_empty() {
                reading.list.start_word(at);
            }
            reading.list.grow_word(at + 1);
            return Step::Open;
        }
        reading.tag.pop();
    }
    if turn(&reading.tag) != Some(true) {
        return Step::Dead;
    }
    note_number(reading);
    Step::Ended(at)
}

/// Whether `id` is `turn`, a number, a word and a number; or may become that.
fn turn(id: &str) -> Option<bool> {
    const TURN: &str = "turn";
    if id.len() > 48 {
        return None;
    }
    let Some(rest) = id.strip_prefix(TURN) else { return TURN.starts_with(id).then_some(false) };
    let rest_of_word = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest_of_word.len() == rest.len() {
        return rest.is_empty().then_some(false);
    }
    let number = rest_of_word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    if number.len() == rest_of_word.len() {
        return rest_of_word.is_empty().then_some(false);
    }
    number.bytes().all(|b| b.is_ascii_digit()).then_some(!number.is_empty())
}
