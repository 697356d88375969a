//! Claims: the sentences of an answer, each with its markers and quotes.
//!
//! Reads, behind the scanner and never before it has decided, the prose of the answer as tokens: text, markers, what is
//! no prose (code, math, tags, link destinations), and the borders between blocks.
//!
//! - `reading.rs`: one token, one character after the other, to the claim that they belong to.
//! - `sentence.rs`: where a sentence ends.
//! - `marks.rs`: which quotation mark opens and which closes.
//! - `acting.rs`: what the policy does about those that fail.
//! - `waiting.rs`: those that wait until somebody has ruled on them.
//! - `gather.rs`: the words of a claim, for those who asked for them.
//! - `parts.rs`: a claim that is complete, its markers and quotes.
//! - `pair.rs`: which marker a quote belongs to, and what its words are worth.
//! - `token.rs`: what the scanner hands over.

mod acting;
mod gather;
mod marks;
mod pair;
mod parts;
mod reading;
mod sentence;
mod token;
mod waiting;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::ledger::{Ledger, Place};
use crate::marker::action::Before;
use crate::scan::block::Kind;
use crate::scan::buffer::Buffer;
use crate::{Edit, Policy, Reason, Sources};
use acting::Acting;
use gather::Gather;
use marks::Marks;
pub(crate) use parts::{Cited, Claim, Quoted};
use sentence::Ending;
pub(crate) use token::Token;

/// A sentence longer than this is cut (bytes), and so is what is kept of the text for it.
pub(crate) const MAX_CLAIM: u64 = 16 * 1024;

/// Builds claims out of tokens.
#[derive(Debug)]
pub(crate) struct Claims {
    sources: Arc<Sources>,
    tokens: VecDeque<Token>,
    /// Everything before this was read.
    read: u64,
    kind: Kind,
    /// Inside a block quotation, which is judged as a whole: no quotes are looked for.
    in_block: bool,
    start: Option<(u64, Place)>,
    /// Where the claim's last character ended.
    end: u64,
    ending: Option<Ending>,
    /// A parenthesis after that, which may hold a marker of the sentence before it.
    paren: Option<u64>,
    marks: Marks,
    markers: Vec<Cited>,
    quotes: Vec<Quoted>,
    /// Complete claims that nobody has taken yet.
    done: Vec<Claim>,
    /// How many there were.
    count: u64,
    /// Knows where everything stands before and after the edits, as far as the claims are complete.
    ledger: Ledger,
    edits: VecDeque<Edit>,
    acting: Acting,
    gather: Gather,
    /// Edits of its own that nobody has taken yet.
    made: Vec<Edit>,
    /// No more text comes.
    last: bool,
}

impl Claims {
    pub(crate) fn new(policy: Arc<Policy>, sources: Arc<Sources>) -> Self {
        Claims {
            acting: Acting::new(policy, Arc::clone(&sources)),
            sources,
            tokens: VecDeque::new(),
            read: 0,
            kind: Kind::Sentence,
            in_block: false,
            start: None,
            end: 0,
            ending: None,
            paren: None,
            marks: Marks::default(),
            markers: Vec::new(),
            quotes: Vec::new(),
            done: Vec::new(),
            count: 0,
            ledger: Ledger::default(),
            edits: VecDeque::new(),
            gather: Gather::default(),
            made: Vec::new(),
            last: false,
        }
    }

    /// Claims from here on come with their words.
    pub(crate) fn gather(&mut self) {
        self.gather.on = true;
    }

    /// Claims that cite a source wait from here on until somebody has ruled on them, where the policy holds claims.
    pub(crate) fn await_rulings(&mut self) {
        self.gather.on = true;
        self.acting.await_rulings();
    }

    /// How many claims wait for a ruling.
    pub(crate) fn waiting(&self) -> usize {
        self.acting.waiting.claims()
    }

    /// Whether anything comes behind a claim that waits, or that did.
    pub(crate) fn lingers(&self) -> bool {
        !self.acting.waiting.is_empty()
    }

    /// A complete claim has this position in the verdict; `None`: it is not listed, and nobody will rule on it.
    pub(crate) fn hand_over(&mut self, number: u64, position: Option<usize>) {
        self.acting.waiting.hand_over(number, position);
    }

    /// Somebody has ruled on the claim with this position in the verdict.
    pub(crate) fn rule(&mut self, position: usize, fails: bool) {
        self.acting.waiting.rule(position, fails);
    }

    /// Nobody will rule on those that wait.
    pub(crate) fn give_up(&mut self) {
        self.acting.waiting.give_up();
    }

    /// Whether they do.
    pub(crate) fn is_gathering(&self) -> bool {
        self.gather.on
    }

    /// Whether everything before `to` was read, and no claim waits for the next character to tell whether it is over.
    pub(crate) fn is_open_to(&self, to: u64) -> bool {
        self.read >= to && self.ending.is_none()
    }

    /// Judges by these sources from here on.
    pub(crate) fn set_sources(&mut self, sources: &Arc<Sources>) {
        self.sources = Arc::clone(sources);
        self.acting.sources = Arc::clone(sources);
    }

    /// The scanner hands over a token; they may come late, but not for text that was read.
    pub(crate) fn token(&mut self, token: Token) {
        let index = self.tokens.partition_point(|known| known.order() <= token.order());
        self.tokens.insert(index, token);
    }

    /// An edit is final; it stands in text that was not read yet, or in the claim that is open.
    pub(crate) fn edit(&mut self, edit: Edit) {
        let index = self.edits.partition_point(|known| known.order() <= edit.order());
        self.edits.insert(index, edit);
    }

    /// Whether the policy makes anything of what the claims find out.
    pub(crate) fn is_active(&self) -> bool {
        self.acting.active
    }

    /// Where text must be held for an open quote or claim, and what for.
    pub(crate) fn hold(&self) -> Option<u64> {
        self.acting.hold(self.read, self.start.map(|(start, _)| start))
    }

    /// Everything before `at` leaves as it is.
    pub(crate) fn release(&mut self, at: u64) {
        self.acting.release(at);
    }

    /// The quote before the next marker, if no marker stands between.
    pub(crate) fn quote_before(&self) -> Option<&Before> {
        self.acting.before.as_ref()
    }

    /// The edits that failed claims and quotes need. One that leaves a claim out stands for all inside it.
    pub(crate) fn take_edits(&mut self) -> Vec<Edit> {
        std::mem::take(&mut self.made)
    }

    /// Its own edits count like those of others.
    fn absorb(&mut self) {
        for mut edit in std::mem::take(&mut self.acting.out) {
            if edit.at.is_empty() {
                // The end of a claim may stand inside an edit that takes what follows a marker along.
                let at = edit.at.start;
                if let Some(known) = self.edits.iter().find(|known| known.at.start < at && known.at.end > at) {
                    edit.at = known.at.end..known.at.end;
                }
            }
            if edit.why == Reason::FailedClaim && !edit.at.is_empty() {
                // The space before a marker that opens the claim goes with it.
                for known in &self.edits {
                    if overlaps(known, &edit) {
                        edit.at = edit.at.start.min(known.at.start)..edit.at.end.max(known.at.end);
                    }
                }
                self.edits.retain(|known| !is_within(known, &edit));
                self.made.retain(|known| !is_within(known, &edit));
            }
            self.edit(edit.clone());
            self.made.push(edit);
        }
    }

    /// Where everything stands that the claims speak of.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// From where the text is still needed: the ledger may wait for an edit that is not complete yet.
    pub(crate) fn needs_from(&self) -> u64 {
        self.ledger.end().0.bytes
    }

    /// Before this every claim is complete.
    fn complete_to(&self) -> u64 {
        let from = self.start.map_or(self.read, |(start, _)| start);
        self.hold().map_or(from, |hold| hold.min(from))
    }

    /// Nobody will ask for these places.
    pub(crate) fn free(&mut self, places: &[Place]) {
        places.iter().for_each(|place| self.ledger.free(*place));
    }

    /// The claims that are complete.
    pub(crate) fn take_done(&mut self) -> std::vec::Drain<'_, Claim> {
        self.done.drain(..)
    }

    /// Reads everything before `to`, which the scanner has decided; it has seen the text before `seen`.
    pub(crate) fn read(&mut self, to: u64, seen: u64, text: &Buffer) {
        while self.read < to || self.tokens.front().is_some_and(|token| token.at().end <= to) {
            let next = self.tokens.front().map_or(to, |token| token.at().start.min(to));
            if self.read < next {
                self.prose(self.read..next, seen, text);
                if self.read < next {
                    break;
                }
                continue;
            }
            let Some(token) = self.tokens.front() else { break };
            if token.at().end > to || token.at().start > to {
                break;
            }
            if let Some(token) = self.tokens.pop_front() {
                self.take(token, text);
            }
        }
        self.settle(text);
    }

    /// What stands between `from` and `to` is code.
    pub(crate) fn pass(&mut self, from: u64, to: u64) {
        if self.read >= from && self.tokens.is_empty() {
            self.read = self.read.max(to);
        }
    }

    /// Everything before the open claim, and before those that wait, is complete, its edits known.
    pub(crate) fn settle(&mut self, text: &Buffer) {
        self.acting.advance();
        self.absorb();
        let mut to = self.complete_to();
        let count = self.edits.iter().take_while(|edit| edit.at.end <= to).count();
        let edits: Vec<Edit> = self.edits.drain(..count).collect();
        // An edit may begin before the claim does: the space before a marker that opens a sentence.
        to = self.edits.front().map_or(to, |edit| to.min(edit.at.start));
        self.ledger.advance(to, &edits, text);
    }

    /// The text is complete.
    pub(crate) fn finish(&mut self, text: &Buffer) {
        self.last = true;
        self.read(text.end(), text.end(), text);
        self.finish_claim(text);
        self.settle(text);
    }
}

fn overlaps(a: &Edit, b: &Edit) -> bool {
    a.at.start < b.at.end && b.at.start < a.at.end
}

/// Whether an edit stands inside what another one leaves out.
pub(crate) fn is_within(edit: &Edit, whole: &Edit) -> bool {
    let (from, to) = (edit.at.start, edit.at.end);
    // What is put in at the border stands beside it.
    let beside = from == to && (from == whole.at.start || from == whole.at.end);
    !beside && from >= whole.at.start && to <= whole.at.end
}
