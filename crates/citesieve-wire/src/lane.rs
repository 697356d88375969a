//! A lane: one stretch of text that is spread over frames, and the sieve that reads it.

use std::collections::VecDeque;
use std::ops::Range;

use citesieve::{Decided, Edit, Sieve, Verdict};

use crate::history::History;

/// Past so many edits those that have been applied are forgotten, and with them what could still point behind them.
const MAX_EDITS: usize = 1 << 16;

/// One text of the answer. Positions are bytes of everything it has said.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) key: u64,
    pub(crate) name: String,
    /// Made with the first text; gone when the verdict was taken.
    sieve: Option<Sieve>,
    /// What to add to the sieve's positions: it may have started late, and it is told of breaks that are no text here.
    base: i64,
    /// Where the last break was: nothing before it changes any more.
    floor: u64,
    /// Something that is not text came between; what follows begins a paragraph.
    broken: bool,
    /// Where the current block of the lane's text starts, in bytes and in characters.
    pub(crate) block: (u64, u64),
    pub(crate) pushed: u64,
    pub(crate) decided: u64,
    /// In order; those of frames that have left are kept for what repeats them.
    edits: Vec<Edit>,
    pub(crate) history: History,
    /// Frames that wait, by their number.
    pub(crate) queue: VecDeque<usize>,
    /// A frame said that no more text comes.
    pub(crate) finished: bool,
    /// The verdicts on it: one, unless text came after the first.
    pub(crate) verdicts: Vec<Verdict>,
    /// It is in the list of lanes in which frames wait.
    pub(crate) active: bool,
    /// How many interruptions of all lanes it has heard of.
    pub(crate) interruptions: u64,
    /// The frame that last held text of it, by number, and where that text stands.
    pub(crate) frame_text: (u64, Range<u64>),
    /// The number of the frame that last named it, and its place among the lanes of that frame.
    pub(crate) in_frame: (u64, usize),
}

impl Lane {
    pub(crate) fn new(key: u64, name: String) -> Self {
        Lane {
            key,
            name,
            sieve: None,
            base: 0,
            floor: 0,
            broken: false,
            block: (0, 0),
            pushed: 0,
            decided: 0,
            edits: Vec::new(),
            history: History::default(),
            queue: VecDeque::new(),
            finished: false,
            verdicts: Vec::new(),
            active: false,
            interruptions: 0,
            frame_text: (0, 0..0),
            in_frame: (0, 0),
        }
    }

    /// Takes the next text and returns where it stands. `new` makes the sieve, also for text that comes after the
    /// verdict.
    #[inline]
    pub(crate) fn push(&mut self, text: &str, new: impl FnOnce() -> Sieve) -> Range<u64> {
        let start = self.pushed;
        if !text.is_empty() {
            if std::mem::take(&mut self.broken) {
                self.begin_paragraph();
            }
            self.finished = false;
            self.history.push(text);
            self.pushed += text.len() as u64;
            let base = &mut self.base;
            let sieve = self.sieve.get_or_insert_with(|| {
                *base = start as i64;
                new()
            });
            let decided = sieve.push(text);
            note(decided, self.base, self.floor, &mut self.decided, &mut self.edits, &mut self.history);
        }
        start..self.pushed
    }

    /// Something that is not text comes: decides everything that is held. Text that comes after it begins a paragraph,
    /// as it does on the reader's screen, whatever the text before ended in.
    pub(crate) fn interrupt(&mut self) {
        self.settle_held();
        self.broken = true;
    }

    fn begin_paragraph(&mut self) {
        const BREAK: &str = "\n\n";
        self.settle();
        if let Some(sieve) = &mut self.sieve {
            self.base -= BREAK.len() as i64;
            self.floor = self.pushed;
            let decided = sieve.push(BREAK);
            note(decided, self.base, self.floor, &mut self.decided, &mut self.edits, &mut self.history);
        }
    }

    /// A block of the lane's text starts here; offsets that count from its start are meant.
    pub(crate) fn begin_block(&mut self) {
        self.block = (self.pushed, self.history.chars());
    }

    /// Decides everything that is held.
    pub(crate) fn settle(&mut self) {
        if let Some(sieve) = &mut self.sieve {
            note(sieve.barrier(), self.base, self.floor, &mut self.decided, &mut self.edits, &mut self.history);
        }
        self.decided = self.pushed;
    }

    /// Decides everything that is held, if anything is.
    pub(crate) fn settle_held(&mut self) {
        if self.decided < self.pushed {
            self.settle();
        }
    }

    /// Takes the verdict; nothing is held after it. A lane without text has one too, from the sieve that `new` makes.
    pub(crate) fn conclude(&mut self, new: impl FnOnce() -> Sieve) {
        let fresh = || if self.verdicts.is_empty() { Some(new()) } else { None };
        if let Some(sieve) = self.sieve.take().or_else(fresh) {
            let (edits, verdict) = sieve.finish();
            let decided = Decided { to: self.pushed.saturating_add_signed(-self.base), edits: &edits };
            note(decided, self.base, self.floor, &mut self.decided, &mut self.edits, &mut self.history);
            self.verdicts.push(verdict);
        }
    }

    /// The edits that change this stretch; with `closing` those that insert at its end too.
    #[inline]
    pub(crate) fn edits(&self, at: &Range<u64>, closing: bool) -> &[Edit] {
        if self.edits.is_empty() {
            return &[];
        }
        let first = self
            .edits
            .partition_point(|edit| edit.at.end < at.start || (edit.at.end == at.start && !edit.at.is_empty()));
        let behind = self.edits[first..].partition_point(|edit| {
            edit.at.start < at.end || (closing && edit.at.is_empty() && edit.at.start == at.end)
        });
        &self.edits[first..first + behind]
    }

    /// Frames up to `to` have left. Bounds what is remembered.
    #[inline]
    pub(crate) fn left(&mut self, to: u64) {
        if self.edits.len() > MAX_EDITS {
            self.history.lose();
            let spent = self.edits.partition_point(|edit| edit.at.end <= to);
            self.edits.drain(..spent);
        }
    }
}

/// Takes over what a sieve decided. The sieve counts from `base`; nothing before `floor` is touched.
#[inline]
fn note(decided: Decided<'_>, base: i64, floor: u64, to: &mut u64, edits: &mut Vec<Edit>, history: &mut History) {
    let here = |at: u64| at.saturating_add_signed(base).max(floor);
    *to = here(decided.to);
    for edit in decided.edits {
        let at = here(edit.at.start)..here(edit.at.end);
        if at.is_empty() && !edit.at.is_empty() && edit.with.is_empty() {
            continue;
        }
        let edit = Edit { at, ..edit.clone() };
        history.edit(&edit);
        edits.push(edit);
    }
}
