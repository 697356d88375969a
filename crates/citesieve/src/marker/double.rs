//! `[[2]]`, the doubled form, with everything that may stand in a single one.

use super::{Reading, Step, Syntax};

#[derive(Debug)]
pub(crate) struct Double;

impl Syntax for Double {
    fn openers(&self) -> &'static [char] {
        &['[']
    }

    fn step(&self, reading: &mut Reading, c: char, at: u64) -> Step {
        match (reading.phase, c) {
            (0, _) | (1, '[') => {
                reading.phase += 1;
                Step::Open
            }
            (2, ']') if reading.list.is_complete() => {
                reading.phase = 3;
                Step::Open
            }
            (3, ']') => Step::Done,
            (2, _) => reading.list.step(c, at),
            _ => Step::Dead,
        }
    }
}
