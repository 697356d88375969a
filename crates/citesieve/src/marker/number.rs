//! `[2]`, `[2, 7]`, `[1-3]`, `[ 2 ]`.

use super::{Reading, Step, Syntax};

#[derive(Debug)]
pub(crate) struct Number;

impl Syntax for Number {
    fn openers(&self) -> &'static [char] {
        &['[']
    }

    fn step(&self, reading: &mut Reading, c: char, at: u64) -> Step {
        match (reading.phase, c) {
            (0, _) => {
                reading.phase = 1;
                Step::Open
            }
            (_, ']') if reading.list.is_complete() => Step::Done,
            _ => reading.list.step(c, at),
        }
    }
}
