//! `[^2]`, `[^lease-a]`: footnotes, and their definitions (`[^2]: note`).

use super::guard::{Context, Guard};
use super::id::is_id_like;
use super::{Reading, Step, Syntax};

#[derive(Debug)]
pub(crate) struct Footnote;

/// Longer than this (bytes) no label is.
const MAX_LABEL: u64 = 128;

/// Phases: the opener, the caret, numbers, a word.
const CARET: u8 = 1;
const START: u8 = 2;
const LIST: u8 = 3;
const WORD: u8 = 4;

impl Syntax for Footnote {
    fn openers(&self) -> &'static [char] {
        &['[']
    }

    /// Any word may be the label of a footnote that cites nothing.
    fn guard(&self, context: &Context<'_>) -> Option<Guard> {
        let number = |at: u64| context.text.char_at(at).is_some_and(|c| c.is_ascii_digit());
        let word = context.elements.iter().any(|e| !number(e.first.start) && !is_id_like(context, e.first.clone()));
        word.then_some(Guard::Word)
    }

    fn step(&self, reading: &mut Reading, c: char, at: u64) -> Step {
        match (reading.phase, c) {
            (0, _) => reading.phase = CARET,
            (CARET, '^') => reading.phase = START,
            (START | LIST, '0'..='9') => {
                reading.phase = LIST;
                return reading.list.step(c, at);
            }
            (START, _) if c.is_alphabetic() => {
                reading.phase = WORD;
                reading.from = at;
                reading.list.start_word(at);
                reading.list.grow_word(at + c.len_utf8() as u64);
            }
            (LIST, '^') if reading.list.wants_element() => reading.list.tag_at(at),
            (LIST, ']') if reading.list.is_complete() => return Step::Done,
            (LIST, _) => return reading.list.step(c, at),
            (WORD, ']') => return Step::Done,
            (WORD, _) if (c.is_alphanumeric() || matches!(c, '-' | '_' | '.')) && at - reading.from < MAX_LABEL => {
                reading.list.grow_word(at + c.len_utf8() as u64);
            }
            _ => return Step::Dead,
        }
        Step::Open
    }
}

/// The definition of a footnote that is to go: its line, the lines that continue it, and the blank line after it if
/// there is one before it too.
#[derive(Debug)]
pub(crate) struct Definition {
    /// Where it starts.
    pub(crate) start: u64,
    /// Whether a blank line, or nothing, stands before it.
    blank_before: bool,
    state: State,
    /// Where the last line ended that belongs to it.
    end: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    /// At the start of a line, after so many columns of space.
    Line {
        columns: u32,
    },
    /// The same after a blank line, which ended at this position.
    AfterBlank {
        blank: u64,
        columns: u32,
    },
}

impl Definition {
    pub(crate) fn new(start: u64, blank_before: bool) -> Self {
        Definition { start, blank_before, state: State::Text, end: start }
    }

    /// Whether it is at the start of a line.
    pub(crate) fn at_line_start(&self) -> bool {
        self.state != State::Text
    }

    /// Reads the next character; `true` when the definition is over, [`Definition::end`] says where.
    pub(crate) fn step(&mut self, c: char, at: u64) -> bool {
        let tab = |columns: u32| (columns / 4 + 1) * 4;
        let next = at + c.len_utf8() as u64;
        self.state = match (self.state, c) {
            (State::Text, '\n') => {
                self.end = next;
                State::Line { columns: 0 }
            }
            (State::Text, _) => State::Text,
            (state, '\r') => state,
            (State::Line { columns }, ' ') => State::Line { columns: columns.saturating_add(1) },
            (State::Line { columns }, '\t') => State::Line { columns: tab(columns.min(1 << 20)) },
            (State::Line { .. }, '\n') => State::AfterBlank { blank: next, columns: 0 },
            // Words go on with the paragraph; whatever may start something else is not swallowed.
            (State::Line { columns }, _) if columns >= 2 || c.is_alphabetic() || matches!(c, '"' | '“' | '(') => {
                State::Text
            }
            (State::AfterBlank { blank, columns }, ' ') => {
                State::AfterBlank { blank, columns: columns.saturating_add(1) }
            }
            (State::AfterBlank { blank, columns }, '\t') => {
                State::AfterBlank { blank, columns: tab(columns.min(1 << 20)) }
            }
            (State::AfterBlank { columns, .. }, _) if columns >= 4 && c != '\n' => State::Text,
            _ => return true,
        };
        false
    }

    /// Where what goes with it ends.
    pub(crate) fn end(&self, text_end: u64) -> u64 {
        match self.state {
            State::Text => text_end,
            State::AfterBlank { blank, .. } if self.blank_before => blank,
            _ => self.end,
        }
    }
}
