//! `［1］`, `［1，2］`, `［１－３］`: fullwidth brackets, with digits of either width.

use super::{Reading, Step, Syntax};

#[derive(Debug)]
pub(crate) struct Fullwidth;

impl Syntax for Fullwidth {
    fn openers(&self) -> &'static [char] {
        &['［']
    }

    fn step(&self, reading: &mut Reading, c: char, at: u64) -> Step {
        match (reading.phase, c) {
            (0, _) => {
                reading.phase = 1;
                Step::Open
            }
            (_, '］') if reading.list.is_complete() => Step::Done,
            _ => reading.list.step_as(narrow(c), c.len_utf8() as u64, at),
        }
    }
}

/// The ASCII character that a fullwidth digit or dash stands for.
fn narrow(c: char) -> char {
    match c {
        '０'..='９' => char::from_digit(c as u32 - '０' as u32, 10).unwrap_or(c),
        '－' | '～' => '-',
        _ => c,
    }
}
