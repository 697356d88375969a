//! `【1】`, `【1, 2】`, `【1†source】`, `【4:0†file.pdf】`: lenticular brackets.
//!
//! `【n:m†file】` names its source by `n`, by `n:m` or by the name of the file: whichever is an id.

use super::guard::{self, Context, Guard};
use super::{Reading, Step, Syntax};

#[derive(Debug)]
pub(crate) struct Lenticular;

/// Phases: the opener, the list, the number after the colon, what follows the dagger.
const LIST: u8 = 1;
const SECOND: u8 = 2;
const NOTE: u8 = 3;

/// Longer than this (bytes), what follows the dagger is not a file name.
const MAX_NOTE: u64 = 256;

impl Syntax for Lenticular {
    fn openers(&self) -> &'static [char] {
        &['【']
    }

    /// A number without a dagger may be a year or anything else that brackets hold.
    fn guard(&self, context: &Context<'_>) -> Option<Guard> {
        let plain = context.elements.iter().all(|element| element.at == (element.first.start..element.last.end));
        if plain { guard::look(context) } else { None }
    }

    fn step(&self, reading: &mut Reading, c: char, at: u64) -> Step {
        let width = c.len_utf8() as u64;
        match (reading.phase, c) {
            (0, _) => {
                reading.phase = LIST;
                Step::Open
            }
            (LIST, '】') if reading.list.is_complete() => Step::Done,
            (LIST, ':' | '：') if reading.list.in_number() => {
                reading.phase = SECOND;
                reading.part = 0;
                Step::Open
            }
            (SECOND, '0'..='9') => {
                reading.part = 1;
                reading.list.with_last(|element| {
                    element.at.end = at + width;
                    element.names[0] = element.at.clone();
                });
                Step::Open
            }
            (SECOND, '】') if reading.part == 1 => Step::Done,
            (LIST, '†') if reading.list.is_complete() => self.note(reading, at + width),
            (SECOND, '†') if reading.part == 1 => self.note(reading, at + width),
            (SECOND, _) => Step::Dead,
            (NOTE, '】') => Step::Done,
            (NOTE, '\n' | '\r' | '【' | '[' | '`') => Step::Dead,
            (NOTE, _) if at - reading.from > MAX_NOTE => Step::Dead,
            (NOTE, _) => {
                reading.list.with_last(|element| {
                    element.at.end = at + width;
                    element.names[1].end = at + width;
                });
                Step::Open
            }
            _ => reading.list.step(c, at),
        }
    }
}

impl Lenticular {
    fn note(&self, reading: &mut Reading, at: u64) -> Step {
        reading.phase = NOTE;
        reading.from = at;
        reading.list.with_last(|element| {
            element.at.end = at;
            element.names[1] = at..at;
        });
        Step::Open
    }
}
