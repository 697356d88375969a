//! A lane: one stretch of text that is spread over frames, and the sieve that reads it.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use citesieve::{ClosedClaim, Decided, Edit, Judgement, Release, Sieve, Sources, Verdict};

use crate::emit::Template;
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
    /// Where the sieve started.
    base: u64,
    /// Positions of the sieve at which it was told of a break that is no text here, each [`BREAK`].
    breaks: Vec<u64>,
    /// When text leaves.
    release: Release,
    /// Something that is not text came between; what follows begins a paragraph.
    broken: bool,
    /// The sieve has been told so already.
    parted: bool,
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
    /// Claims that came with a verdict, with its position, and that nobody has taken.
    last_claims: Vec<(usize, ClosedClaim)>,
    /// It is in the list of lanes that may have new claims.
    pub(crate) fresh: bool,
    /// Frames with text up to here have left.
    left: u64,
    /// Where what stands at the end of the text was inserted last, if anything was.
    pub(crate) inserted: u64,
    /// The last frame that brought text, where the policy may want something put behind the text.
    pub(crate) template: Option<Template>,
    /// The frame that waits for another block, by its number.
    pub(crate) lingering: Option<usize>,
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
    pub(crate) fn new(key: u64, name: String, release: Release) -> Self {
        Lane {
            key,
            name,
            sieve: None,
            base: 0,
            breaks: Vec::new(),
            release,
            broken: false,
            parted: false,
            block: (0, 0),
            pushed: 0,
            decided: 0,
            edits: Vec::new(),
            history: History::default(),
            queue: VecDeque::new(),
            finished: false,
            verdicts: Vec::new(),
            last_claims: Vec::new(),
            fresh: false,
            left: 0,
            inserted: 0,
            template: None,
            lingering: None,
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
            let (base, breaks, parted) = (&mut self.base, &mut self.breaks, &mut self.parted);
            let sieve = self.sieve.get_or_insert_with(|| {
                *base = start;
                breaks.clear();
                *parted = false;
                new()
            });
            let place = Origin { base: self.base, breaks: &self.breaks };
            note(sieve.push(text), place, &mut self.decided, &mut self.edits, &mut self.history);
        }
        start..self.pushed
    }

    /// The response sent sources.
    pub(crate) fn set_sources(&mut self, sources: &Arc<Sources>) {
        if let Some(sieve) = &mut self.sieve {
            sieve.set_sources(Arc::clone(sources));
        }
    }

    /// A block ends while the answer may go on in another: decides everything that is held, unless the policy holds more
    /// than what may still be edited; then the frames wait, their order is kept all the same.
    pub(crate) fn border(&mut self) {
        if self.release == Release::Eager {
            self.settle();
        }
    }

    /// Something that is not text comes: decides everything that is held, unless all is held to the end. Text that comes
    /// after it begins a paragraph, as it does on the reader's screen, whatever the text before ended in.
    pub(crate) fn interrupt(&mut self) {
        if self.release != Release::Answer {
            self.settle_held();
        }
        self.broken = true;
    }

    fn begin_paragraph(&mut self) {
        if self.release != Release::Answer {
            self.settle();
        }
        if !std::mem::take(&mut self.parted) {
            self.part();
        }
    }

    /// Tells the sieve that what comes next begins a paragraph.
    fn part(&mut self) {
        if let Some(sieve) = &mut self.sieve {
            let so_far = self.pushed - self.base + (self.breaks.len() * BREAK.len()) as u64;
            self.breaks.push(so_far);
            let place = Origin { base: self.base, breaks: &self.breaks };
            note(sieve.push(BREAK), place, &mut self.decided, &mut self.edits, &mut self.history);
        }
    }

    /// Something that is not text is about to come: the claims before it are complete.
    pub(crate) fn pause(&mut self) {
        if self.sieve.is_some() && !std::mem::replace(&mut self.parted, true) {
            self.part();
        }
    }

    /// The text is about to be complete, and with it its last claims.
    pub(crate) fn close(&mut self) {
        if self.broken {
            return self.pause();
        }
        if let Some(sieve) = &mut self.sieve {
            let place = Origin { base: self.base, breaks: &self.breaks };
            note(sieve.close(), place, &mut self.decided, &mut self.edits, &mut self.history);
        }
    }

    /// How many claims wait for a ruling.
    pub(crate) fn waiting(&self) -> usize {
        self.sieve.as_ref().map_or(0, Sieve::waiting)
    }

    /// Somebody has ruled on a claim of this verdict.
    pub(crate) fn rule(&mut self, verdict: usize, position: usize, judgement: Option<Judgement>) {
        if let Some(sieve) = self.sieve.as_mut().filter(|_| verdict == self.verdicts.len()) {
            let place = Origin { base: self.base, breaks: &self.breaks };
            note(sieve.rule(position, judgement), place, &mut self.decided, &mut self.edits, &mut self.history);
        }
    }

    /// A block of the lane's text starts here; offsets that count from its start are meant.
    pub(crate) fn begin_block(&mut self) {
        self.block = (self.pushed, self.history.chars());
    }

    /// Decides everything that is held.
    pub(crate) fn settle(&mut self) {
        if let Some(sieve) = &mut self.sieve {
            let place = Origin { base: self.base, breaks: &self.breaks };
            note(sieve.barrier(), place, &mut self.decided, &mut self.edits, &mut self.history);
        }
        self.decided = self.pushed;
    }

    /// Decides everything that is held, if anything is.
    pub(crate) fn settle_held(&mut self) {
        if self.decided < self.pushed {
            self.settle();
        }
    }

    /// The text is complete: decides everything, as the verdict wants it. Unless a tool call came last: then this is no
    /// answer yet, and is not judged as one.
    pub(crate) fn complete(&mut self) {
        if self.broken && self.pushed > 0 {
            self.settle_held();
        } else if self.pushed > 0 {
            self.conclude(None::<fn() -> Sieve>);
        }
    }

    /// Takes the verdict; nothing is held after it. A lane without text has one too, from the sieve that `new` makes.
    pub(crate) fn conclude(&mut self, new: Option<impl FnOnce() -> Sieve>) {
        let fresh = || if self.verdicts.is_empty() { new.map(|new| new()) } else { None };
        if let Some(sieve) = self.sieve.take().or_else(fresh) {
            let (edits, verdict, claims) = sieve.finish_with_claims();
            let position = self.verdicts.len();
            self.last_claims.extend(claims.into_iter().map(|claim| (position, claim)));
            self.verdicts.push(verdict);
            if self.pushed > 0 {
                let place = Origin { base: self.base, breaks: &self.breaks };
                let to = self.pushed - self.base + (self.breaks.len() * BREAK.len()) as u64;
                let decided = Decided { to, edits: &edits };
                note(decided, place, &mut self.decided, &mut self.edits, &mut self.history);
            }
        }
    }

    /// The claims that have become complete and that nobody has taken, each with the position of its verdict.
    pub(crate) fn take_claims(&mut self) -> Vec<(usize, ClosedClaim)> {
        self.fresh = false;
        let mut claims = std::mem::take(&mut self.last_claims);
        if let Some(sieve) = &mut self.sieve {
            let position = self.verdicts.len();
            claims.extend(sieve.closed_claims().into_iter().map(|claim| (position, claim)));
        }
        claims
    }

    /// What was put at the end of the text after all of the text had left, if anything.
    pub(crate) fn owed(&self) -> Option<&Edit> {
        self.edits.last().filter(|edit| {
            edit.at.is_empty()
                && edit.at.start == self.pushed
                && self.left == self.pushed
                && self.inserted != self.pushed
        })
    }

    /// The edits that change this stretch; with `closing` those that insert at its end too.
    #[inline]
    pub(crate) fn edits(&self, at: &Range<u64>, closing: bool) -> &[Edit] {
        if self.edits.is_empty() {
            return &[];
        }
        // What was inserted at the end of the text before stands there already.
        let taken = self.inserted == at.start && at.start > 0;
        let first = self.edits.partition_point(|edit| {
            edit.at.end < at.start || (edit.at.end == at.start && (taken || !edit.at.is_empty()))
        });
        let behind = self.edits[first..].partition_point(|edit| {
            edit.at.start < at.end || (closing && edit.at.is_empty() && edit.at.start == at.end)
        });
        &self.edits[first..first + behind]
    }

    /// Frames up to `to` have left. Bounds what is remembered.
    #[inline]
    pub(crate) fn left(&mut self, to: u64) {
        self.left = self.left.max(to);
        if self.edits.len() > MAX_EDITS {
            self.history.lose();
            let spent = self.edits.partition_point(|edit| edit.at.end <= to);
            self.edits.drain(..spent);
        }
    }
}

/// How a sieve is told that a paragraph begins.
const BREAK: &str = "\n\n";

/// Where a sieve's positions stand in the lane.
#[derive(Clone, Copy)]
struct Origin<'a> {
    base: u64,
    breaks: &'a [u64],
}

impl Origin<'_> {
    fn lane(self, at: u64) -> u64 {
        let before = self.breaks.partition_point(|&start| start < at);
        let width = BREAK.len() as u64;
        // Inside the last of them: at its start.
        let inside = before.checked_sub(1).map_or(0, |last| width - (at - self.breaks[last]).min(width));
        self.base + at + inside - before as u64 * width
    }
}

/// Takes over what a sieve decided.
#[inline]
fn note(decided: Decided<'_>, from: Origin<'_>, to: &mut u64, edits: &mut Vec<Edit>, history: &mut History) {
    *to = from.lane(decided.to);
    for edit in decided.edits {
        let at = from.lane(edit.at.start)..from.lane(edit.at.end);
        if at.is_empty() && !edit.at.is_empty() && edit.with.is_empty() {
            continue;
        }
        let edit = Edit { at, ..edit.clone() };
        history.edit(&edit);
        edits.push(edit);
    }
}

#[cfg(test)]
mod tests {
    use super::Origin;

    #[test]
    fn breaks_are_no_text() {
        let from = Origin { base: 10, breaks: &[3, 7] };
        assert_eq!([0, 3, 4, 5, 6, 7, 8, 9, 10].map(|at| from.lane(at)), [10, 13, 13, 13, 14, 15, 15, 15, 16]);
    }
}
