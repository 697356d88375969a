//! Citation markers: what is one, whom it names, what is left of it.
//!
//! - `number.rs`, `double.rs`, `tagged.rs` …: one file per syntax, each an automaton behind [`Syntax`]. A new syntax is
//!   a new file and a line in [`ALL`].
//! - `list.rs`: the list of numbers and ranges that most syntaxes hold.
//! - `judge.rs`: which of the ids exist, and the edits inside a marker that lost some of them.
//! - `guard.rs`: what looks like a marker but is a year, a subscript, an interval, a pinpoint.
//! - `lead.rs`: the space and the opening parentheses or emphasis before a marker.
//! - `run.rs`: markers one after the other, and the edits that remove them without leaving a trace.

pub(crate) mod double;
pub(crate) mod guard;
pub(crate) mod judge;
pub(crate) mod lead;
pub(crate) mod list;
pub(crate) mod number;
pub(crate) mod run;
pub(crate) mod tagged;

use list::List;

/// What a character did to a marker that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// It may still become one.
    Open,
    /// It is complete, this character included.
    Done,
    /// It is not one.
    Dead,
}

/// How far a syntax has read.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The syntax's own state; 0 before its opener.
    pub(crate) phase: u8,
    /// Letters of a tag read so far, in lower case.
    pub(crate) tag: String,
    /// The ids.
    pub(crate) list: List,
    dead: bool,
}

/// One way to write a citation marker.
pub(crate) trait Syntax: Sync {
    /// The name that a policy knows it by.
    fn name(&self) -> &'static str;

    /// Whether a marker may start with this character.
    fn opens(&self, c: char) -> bool;

    /// Reads the next character, which stands at position `at`; the first call is for the opener.
    fn step(&self, reading: &mut Reading, c: char, at: u64) -> Step;

    /// Whether its ids carry a tag (`[Source 2]`), so that a year or an interval can't be meant.
    fn is_tagged(&self) -> bool {
        false
    }
}

/// Every syntax, in order of precedence.
pub(crate) const ALL: &[&dyn Syntax] = &[&number::Number, &double::Double, &tagged::Tagged];

/// All syntaxes reading the same characters at once.
#[derive(Debug, Default)]
pub(crate) struct Readers {
    readings: Vec<Reading>,
    /// Position of the opener.
    pub(crate) start: u64,
}

impl Readers {
    /// Whether a marker may start with this character.
    pub(crate) fn opens(c: char) -> bool {
        c == '[' && ALL.iter().any(|syntax| syntax.opens(c))
    }

    /// Starts reading at the opener `c`.
    pub(crate) fn start(&mut self, c: char, at: u64) {
        self.start = at;
        self.readings.resize_with(ALL.len(), Reading::default);
        for (syntax, reading) in ALL.iter().zip(&mut self.readings) {
            reading.phase = 0;
            reading.tag.clear();
            reading.list.clear();
            reading.dead = !syntax.opens(c) || syntax.step(reading, c, at) == Step::Dead;
        }
    }

    /// Reads the next character. `Done` names the syntax that is complete.
    pub(crate) fn step(&mut self, c: char, at: u64) -> (Step, usize) {
        let mut open = false;
        for (index, (syntax, reading)) in ALL.iter().zip(&mut self.readings).enumerate() {
            if reading.dead {
                continue;
            }
            match syntax.step(reading, c, at) {
                Step::Done => return (Step::Done, index),
                Step::Open => open = true,
                Step::Dead => reading.dead = true,
            }
        }
        (if open { Step::Open } else { Step::Dead }, 0)
    }

    /// What the complete syntax has read.
    pub(crate) fn list(&self, index: usize) -> &List {
        &self.readings[index].list
    }
}
