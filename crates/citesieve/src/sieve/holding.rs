//! Holding and releasing: up to where everything is decided.

use super::{Decided, MAX_LAG, Sieve};
use crate::Reason;
use crate::claim::{Token, is_within};
use crate::marker::lead::{self, Limits};

impl Sieve {
    /// Lets the claims read what is decided. They never look at what an open construct, a run or a block may change.
    pub(super) fn read_claims(&mut self, watermark: u64) {
        if !self.reads {
            return;
        }
        let change = self.inline.expire(self.pos);
        self.apply(change);
        let mut to = watermark;
        if let Some(undecided) = self.inline.undecided(self.pos) {
            to = to.min(undecided);
        }
        if let Some(run) = self.run.start() {
            to = to.min(run);
        }
        if !self.in_line {
            to = to.min(self.line);
            if watermark > self.line + MAX_LAG {
                // Nothing but indentation is that long.
                self.claims.pass(self.line, watermark - MAX_LAG);
            }
        } else if self.blocks.leaf().is_verbatim() {
            to = to.min(self.content);
        }
        if let Some(block) = self.block_quote.as_ref().filter(|block| block.is_open()) {
            to = to.min(block.start);
        }
        self.claims.read(to, self.pos, &self.text);
        if self.in_line && self.blocks.leaf().is_verbatim() && self.fence_line.is_none() {
            // Code is passed as it comes.
            self.claims.pass(self.content, watermark);
        }
        self.take_claims();
    }

    pub(super) fn take_claims(&mut self) {
        let mut spare = Vec::new();
        let mut complete = Vec::new();
        for claim in self.claims.take_done() {
            let number = claim.number;
            complete.push((number, self.tally.claim(claim, &mut spare)));
        }
        self.claims.free(&spare);
        if self.claims.lingers() {
            for (number, position) in complete {
                self.claims.hand_over(number, position);
            }
            self.claims.settle(&self.text);
        }
        for edit in self.claims.take_edits() {
            if edit.why == Reason::FailedClaim && !edit.at.is_empty() {
                self.ready.retain(|known| !is_within(known, &edit));
            }
            let index = self.ready.partition_point(|known| known.order() <= edit.order());
            self.ready.insert(index, edit);
        }
    }

    /// What every character does in the end: words to the block quotation, the bound on what is held.
    pub(super) fn after_step(&mut self) {
        if let Some(block) = &mut self.block_quote
            && block.is_open()
        {
            let to = self.run.start().unwrap_or(self.pos).min(self.pos);
            if self.in_line && !self.blocks.leaf().is_verbatim() {
                block.feed(to, &self.text);
            }
            let marks = block.take_marks();
            self.demote(marks);
        }
        if self.block_quote.as_ref().and_then(|block| block.room(self.pos)) == Some(0) {
            self.tally.overflow(0);
            self.release_block();
        }
        let mut held = self.structural_hold();
        if self.claims.is_active() {
            self.read_claims(self.settled());
            if let Some(hold) = self.claims.hold().filter(|hold| held.is_none_or(|(at, _)| *hold < at)) {
                held = Some((hold, "claim"));
            }
        }
        if let Some((hold, why)) = held {
            self.tally.hold(self.pos.saturating_sub(hold), why);
            if self.held_characters(hold) > self.policy.max_hold {
                self.overflow();
            }
        }
        if self.answering && self.pos > self.policy.max_answer as u64 {
            self.answering = false;
            self.tally.overflow(0);
        }
    }

    /// Too much is held: it leaves as it came.
    pub(super) fn overflow(&mut self) {
        self.tally.overflow(self.pending.iter().map(|pending| pending.marks.len() as u64).sum());
        if let Some(pending) = self.pending.front() {
            self.run.forget_from(pending.start);
        }
        self.pending.clear();
        self.pending_hold = None;
        if self.definition.take().is_some_and(|definition| definition.at_line_start()) {
            self.end_line(false);
            self.blocks.leaf_is_gone();
        }
        self.run.release();
        self.inline.reset();
        self.fence_hold = None;
        self.claims.release(self.pos);
        self.release_block();
        self.floor = self.pos;
        self.released = self.pos;
    }

    /// The open block stays as it is, undecided.
    pub(super) fn release_block(&mut self) {
        let Some(block) = &mut self.block_quote else { return };
        let open = block.is_open();
        block.release();
        if open {
            block.announced = true;
            self.claims.token(Token::Block { at: block.start, opens: true });
        }
    }

    /// Where text must be held for anything but the space before a possible marker, and what for.
    pub(super) fn structural_hold(&self) -> Option<(u64, &'static str)> {
        let mut first: Option<(u64, &'static str)> = None;
        let mut note = |at: Option<u64>, why: &'static str| {
            if let Some(at) = at
                && first.is_none_or(|(earlier, _)| at < earlier)
            {
                first = Some((at, why));
            }
        };
        note(self.run.hold(), "marker");
        note(self.fence_hold, "code");
        if self.pending_hold.is_some() {
            note(self.pending_hold, self.inline.first_open_name());
        }
        if let Some(block) = &self.block_quote {
            note(block.hold(), "block_quote");
        }
        if !self.in_line {
            note(self.blocks.hold(), "marker");
        }
        if self.footnotes {
            // A definition goes with its whole line.
            let starts = !self.in_line || self.run.start() == Some(self.content) || self.definition.is_some();
            note(starts.then_some(self.line).filter(|line| *line >= self.floor), "marker");
            note(self.definition.as_ref().map(|definition| definition.start), "marker");
        }
        first.map(|(at, why)| (at.max(self.released), why))
    }

    /// Up to where everything is decided, but for what the claims may still do.
    pub(super) fn settled(&self) -> u64 {
        let mut to = self.pos;
        if let Some((hold, _)) = self.structural_hold() {
            to = to.min(hold);
        }
        // The first line of a fence may turn out to be prose.
        let verbatim = self.blocks.leaf().is_verbatim() && self.fence_line.is_none();
        if self.in_line && self.run.is_idle() && !verbatim {
            let line = self.fence_line.unwrap_or(self.content);
            let limits = Limits { floor: self.floor, line, emphasis: self.inline.emphasis() };
            to = to.min(lead::start_of(&self.text, self.pos, limits));
        }
        to.max(self.decided)
    }

    /// Up to where everything is decided, if it is so for all but the claims up to `settled`.
    pub(super) fn watermark(&self, settled: u64) -> u64 {
        if self.answering {
            return self.decided;
        }
        let to = self.claims.hold().map_or(settled, |hold| settled.min(hold));
        // A claim may start inside an edit: the space before a marker that opens it. Edits leave whole.
        let cut = self.ready.iter().find(|edit| edit.at.start < to && edit.at.end > to);
        cut.map_or(to, |edit| edit.at.start).max(self.decided)
    }

    pub(super) fn release(&mut self, to: u64) -> Decided<'_> {
        self.out.clear();
        if !self.ready.is_empty() {
            let count = self.ready.iter().take_while(|edit| edit.at.end <= to).count();
            self.out.extend(self.ready.drain(..count));
        }
        if !self.out.is_empty() || to >= self.recorded + MAX_LAG {
            self.ledger.advance(to, &self.out, &self.text);
            self.recorded = to;
        }
        self.decided = to;
        let needed = if self.reads { self.claims.needs_from() } else { to };
        self.text.forget(to.min(self.line.max(to.saturating_sub(4096))).min(needed).min(self.recorded));
        Decided { to, edits: &self.out }
    }
}
