//! `<|file-528246887823|>`: the id of a file, as some models write it. A source may have it with or without `file-`.

use super::guard::{Context, Guard};
use super::{Reading, Step, Syntax};

#[derive(Debug)]
pub(crate) struct FileId;

const OPEN: &str = "<|file-";
/// Longer than this (bytes) no id is.
const MAX_ID: u64 = 128;

/// Phases: the opener's characters, the id, its last bar.
const ID: u8 = 8;
const BAR: u8 = 9;

impl Syntax for FileId {
    fn openers(&self) -> &'static [char] {
        &['<']
    }

    fn guard(&self, _: &Context<'_>) -> Option<Guard> {
        None
    }

    fn step(&self, reading: &mut Reading, c: char, at: u64) -> Step {
        let phase = usize::from(reading.phase);
        if phase < OPEN.len() {
            if c != char::from(OPEN.as_bytes()[phase]) {
                return Step::Dead;
            }
            reading.phase = if phase + 1 == OPEN.len() { ID } else { reading.phase + 1 };
            return Step::Open;
        }
        match (reading.phase, c) {
            (ID, '0'..='9' | 'a'..='z' | 'A'..='Z' | '-' | '_' | '.') => {
                if reading.list.elements.is_empty() {
                    reading.from = at;
                    reading.list.start_word(at);
                    // With `file-`.
                    reading.list.with_last(|element| element.names[0] = at - 5..at);
                }
                if at - reading.from > MAX_ID {
                    return Step::Dead;
                }
                reading.list.grow_word(at + 1);
                reading.list.with_last(|element| element.names[0].end = at + 1);
                Step::Open
            }
            (ID, '|') if !reading.list.elements.is_empty() => {
                reading.phase = BAR;
                Step::Open
            }
            (BAR, '>') => Step::Done,
            _ => Step::Dead,
        }
    }
}
