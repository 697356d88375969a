//! Citation markers: what is one, whom it names, what is left of it.
//!
//! - `number.rs`, `double.rs`, `tagged.rs` …: one file per syntax, each an automaton behind [`Syntax`]. A new syntax is
//!   a new file, a name in [`MarkerSyntax`] and a line in [`reader`].
//! - `list.rs`: the list of ids that most syntaxes hold.
//! - `judge.rs`: which of the ids exist, and the edits inside a marker that lost some of them.
//! - `guard.rs`: what looks like a marker but is a year, a subscript, an interval, a pinpoint.
//! - `lead.rs`: the space and the opening parentheses or emphasis before a marker.
//! - `wrap.rs`: markers around words of the answer.
//! - `run.rs`: markers one after the other; `removal.rs`: the edits that remove them without leaving a trace.

pub(crate) mod action;
pub(crate) mod cite_tag;
pub(crate) mod double;
pub(crate) mod file_id;
pub(crate) mod footnote;
pub(crate) mod fullwidth;
pub(crate) mod guard;
pub(crate) mod id;
pub(crate) mod judge;
pub(crate) mod lead;
pub(crate) mod lenticular;
pub(crate) mod list;
pub(crate) mod number;
pub(crate) mod paren;
pub(crate) mod private_use;
pub(crate) mod removal;
pub(crate) mod run;
pub(crate) mod superscript;
pub(crate) mod tagged;
pub(crate) mod wrap;

use std::fmt::Debug;

use guard::Guard;
use list::List;

use crate::MarkerSyntax;

/// What a character did to a marker that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// It may still become one.
    Open,
    /// It is complete, this character included.
    Done,
    /// It was complete at this position: what was read after it does not belong to it.
    Ended(u64),
    /// It is not one.
    Dead,
}

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Form {
    /// A marker.
    #[default]
    Whole,
    /// The first half of a marker around words of the answer, which stay whatever becomes of the marker.
    Opening,
    /// The second half of one.
    Closing,
    /// The start of words that a marker after their end is for.
    SpanStart,
    /// Their end.
    SpanEnd,
}

/// How far a syntax has read.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The syntax's own state; 0 before its opener.
    pub(crate) phase: u8,
    /// A second one, inside a phase.
    pub(crate) part: u8,
    /// A position that the syntax remembers.
    pub(crate) from: u64,
    /// Letters of a tag read so far, in lower case.
    pub(crate) tag: String,
    /// The ids.
    pub(crate) list: List,
    pub(crate) form: Form,
    dead: bool,
}

impl Reading {
    fn clear(&mut self) {
        self.phase = 0;
        self.part = 0;
        self.from = 0;
        self.tag.clear();
        self.list.clear();
        self.form = Form::Whole;
    }
}

/// One way to write a citation marker.
pub(crate) trait Syntax: Sync + Debug {
    /// The characters that a marker may start with.
    fn openers(&self) -> &'static [char];

    /// Reads the next character, which stands at position `at`; the first call is for the opener.
    fn step(&self, reading: &mut Reading, c: char, at: u64) -> Step;

    /// What a marker that names ids no source has is taken for instead, if for anything.
    fn guard(&self, context: &guard::Context<'_>) -> Option<Guard> {
        guard::look(context)
    }
}

/// Who reads the markers of a syntax.
fn reader(syntax: MarkerSyntax) -> &'static dyn Syntax {
    match syntax {
        MarkerSyntax::Number => &number::Number,
        MarkerSyntax::Double => &double::Double,
        MarkerSyntax::Tagged => &tagged::Tagged,
        MarkerSyntax::Footnote => &footnote::Footnote,
        MarkerSyntax::Lenticular => &lenticular::Lenticular,
        MarkerSyntax::Fullwidth => &fullwidth::Fullwidth,
        MarkerSyntax::Paren => &paren::Paren,
        MarkerSyntax::Superscript => &superscript::Superscript,
        MarkerSyntax::Id => &id::Id,
        MarkerSyntax::CiteTag => &cite_tag::CiteTag,
        MarkerSyntax::PrivateUse => &private_use::PrivateUse,
        MarkerSyntax::FileId => &file_id::FileId,
    }
}

/// All enabled syntaxes reading the same characters at once.
#[derive(Debug)]
pub(crate) struct Readers {
    /// In order of precedence, whatever the order of the policy.
    syntaxes: Vec<&'static dyn Syntax>,
    /// First bytes of the openers.
    bytes: [bool; 256],
    readings: Vec<Reading>,
    /// The opener that was read, and its position.
    pub(crate) opener: char,
    pub(crate) start: u64,
}

impl Readers {
    pub(crate) fn new(enabled: &[MarkerSyntax]) -> Self {
        let enabled = MarkerSyntax::ALL.iter().filter(|syntax| enabled.contains(syntax));
        let syntaxes: Vec<_> = enabled.map(|syntax| reader(*syntax)).collect();
        let mut bytes = [false; 256];
        for opener in syntaxes.iter().flat_map(|syntax| syntax.openers()) {
            bytes[first_byte(*opener)] = true;
        }
        let readings = syntaxes.iter().map(|_| Reading::default()).collect();
        Readers { syntaxes, bytes, readings, opener: ' ', start: 0 }
    }

    /// Whether a marker may start with a character whose first byte is this.
    pub(crate) fn opens_at_byte(&self, byte: u8) -> bool {
        self.bytes[usize::from(byte)]
    }

    /// Whether a marker may start with this character.
    pub(crate) fn opens(&self, c: char) -> bool {
        self.bytes[first_byte(c)] && self.syntaxes.iter().any(|syntax| syntax.openers().contains(&c))
    }

    /// Starts reading at the opener `c`.
    pub(crate) fn start(&mut self, c: char, at: u64) {
        self.opener = c;
        self.start = at;
        for (syntax, reading) in self.syntaxes.iter().zip(&mut self.readings) {
            reading.clear();
            reading.dead = !syntax.openers().contains(&c) || syntax.step(reading, c, at) == Step::Dead;
        }
    }

    /// Reads the next character. `Done` and `Ended` name the syntax that is complete.
    pub(crate) fn step(&mut self, c: char, at: u64) -> (Step, usize) {
        let mut open = false;
        for (index, (syntax, reading)) in self.syntaxes.iter().zip(&mut self.readings).enumerate() {
            if reading.dead {
                continue;
            }
            match syntax.step(reading, c, at) {
                Step::Open => open = true,
                Step::Dead => reading.dead = true,
                complete => return (complete, index),
            }
        }
        (if open { Step::Open } else { Step::Dead }, 0)
    }

    /// The line or the answer ends at `at`.
    pub(crate) fn end(&mut self, at: u64) -> (Step, usize) {
        match self.step('\n', at) {
            (ended @ Step::Ended(_), index) => (ended, index),
            _ => (Step::Dead, 0),
        }
    }

    pub(crate) fn syntax(&self, index: usize) -> &'static dyn Syntax {
        self.syntaxes[index]
    }

    /// What the complete syntax has read.
    pub(crate) fn reading(&self, index: usize) -> &Reading {
        &self.readings[index]
    }
}

fn first_byte(c: char) -> usize {
    usize::from(c.encode_utf8(&mut [0; 4]).as_bytes()[0])
}
