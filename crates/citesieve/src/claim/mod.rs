//! Claims: the sentences of an answer, each with its markers and quotes.
//!
//! Reads, behind the scanner and never before it has decided, the prose of the answer as tokens: text, markers, what is
//! no prose (code, math, tags, link destinations), and the borders between blocks.
//!
//! - `sentence.rs`: where a sentence ends.
//! - `marks.rs`: which quotation mark opens and which closes.
//! - `acting.rs`: what the policy does about those that fail.
//! - `gather.rs`: the words of a claim, for those who asked for them.
//! - `parts.rs`: a claim that is complete, its markers and quotes.
//! - `pair.rs`: which marker a quote belongs to, and what its words are worth.
//! - `token.rs`: what the scanner hands over.

mod acting;
mod gather;
mod marks;
mod pair;
mod parts;
mod sentence;
mod token;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use crate::ledger::{Ledger, Place};
use crate::marker::action::Before;
use crate::quote::Class;
use crate::scan::block::Kind;
use crate::scan::buffer::Buffer;
use crate::{Edit, Policy, Reason, Sources};
use acting::Acting;
use gather::Gather;
use marks::{Marks, Seen};
pub(crate) use parts::{Cited, Claim, Quoted};
use sentence::{Ending, is_closer, is_terminator};
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
        let index = self.edits.partition_point(|known| known.at.start <= edit.at.start);
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

    /// Everything before the open claim is complete, its edits known.
    fn settle(&mut self, text: &Buffer) {
        self.absorb();
        let mut to = self.complete_to();
        let count = self.edits.iter().take_while(|edit| edit.at.end <= to).count();
        let edits: Vec<Edit> = self.edits.drain(..count).collect();
        // An edit may begin before the claim does: the space before a marker that opens a sentence.
        to = self.edits.front().map_or(to, |edit| to.min(edit.at.start));
        self.ledger.advance(to, &edits, text);
    }

    fn take(&mut self, token: Token, text: &Buffer) {
        // A construct may turn out to have started in what was taken for the start of the line.
        let at = token.at().start.max(self.read)..token.at().end.max(self.read);
        match token {
            Token::Marker { ids, real, .. } => {
                self.begin(at.start);
                self.end = self.end.max(at.end);
                if let Some(ending) = &mut self.ending {
                    ending.marker();
                }
                self.paren = None;
                self.acting.before = None;
                self.gather.marker(&at);
                self.markers.push(Cited { at: at.clone(), ids, real });
            }
            Token::Opaque { .. } => {
                if self.ending.is_some() {
                    self.decide_ending('\u{fffc}', text);
                }
                self.begin(at.start);
                self.end = self.end.max(at.end);
            }
            Token::Structure { .. } => self.gather.structure(&at, &self.edits),
            Token::Border { kind, .. } => {
                self.finish_claim(text);
                self.acting.border();
                self.gather.border();
                self.kind = kind;
            }
            Token::Block { opens, .. } => {
                self.finish_claim(text);
                self.in_block = opens;
            }
        }
        self.read = self.read.max(at.end);
    }

    fn begin(&mut self, at: u64) {
        if self.start.is_none() {
            self.acting.begin(at);
            self.start = Some((at, self.ledger.place(at)));
            self.end = at;
        }
    }

    fn prose(&mut self, range: Range<u64>, seen: u64, text: &Buffer) {
        let mut at = range.start;
        while at < range.end {
            let cut = self.start.map_or(u64::MAX, |(start, _)| start + MAX_CLAIM);
            if at >= cut {
                // Too long for a sentence.
                self.finish_claim(text);
                continue;
            }
            if self.start.is_some() && self.ending.is_none() {
                // Nothing ends and nothing is quoted by these.
                let rest = text.slice(at..range.end).as_bytes();
                let room = rest.len().min((cut - at) as usize);
                let mut plain = rest[..room].iter().position(|byte| INTERESTING[*byte as usize]).unwrap_or(room);
                while rest.get(plain).is_some_and(|byte| byte & 0xC0 == 0x80) {
                    plain += 1;
                }
                if plain > 0 {
                    self.acting.follow(text.slice(at..at + plain as u64));
                    at += plain as u64;
                    self.end = at;
                    continue;
                }
            }
            let Some(c) = text.char_at(at) else { break };
            let next = at + c.len_utf8() as u64;
            if next >= seen && !self.last && marks::is_mark(c) {
                // What a quotation mark does depends on the character after it.
                self.read = at;
                return;
            }
            self.character(c, at, text);
            at = next;
        }
        self.read = range.end;
    }

    fn character(&mut self, c: char, at: u64, text: &Buffer) {
        let width = c.len_utf8() as u64;
        if c.is_whitespace() {
            if let Some(ending) = &mut self.ending {
                ending.space();
            }
            self.acting.follow(text.slice(at..at + width));
            return;
        }
        if self.ending.is_some() && !is_closer(c) && !is_terminator(c) {
            if self.paren.is_none() && matches!(c, '(' | '（') {
                self.paren = Some(at);
                return;
            }
            self.decide_ending(c, text);
        }
        self.begin(at);
        self.end = at + width;
        if !self.in_block {
            let next = text.char_at(self.end);
            match self.marks.step(c, at, text.char_before(at), next) {
                Seen::Nothing => self.acting.follow(text.slice(at..self.end)),
                Seen::Opened => self.acting.open_quote(at..self.end),
                Seen::Closed(open) => {
                    self.close_quote(open..self.end, text);
                    let last = text.char_before(at);
                    if last.is_some_and(is_terminator) {
                        self.ending = Some(Ending::new(last.unwrap_or('.'), at, text));
                    }
                    return;
                }
            }
        }
        if is_terminator(c) && !self.marks.is_open() {
            self.ending = Some(Ending::new(c, at, text));
        }
    }

    /// The character after a full stop (and spaces) tells whether the sentence is over.
    fn decide_ending(&mut self, c: char, text: &Buffer) {
        let paren = self.paren.take();
        if self.ending.take().is_some_and(|ending| ending.ends_before(c)) {
            self.finish_claim(text);
        }
        if let Some(paren) = paren {
            self.begin(paren);
        }
    }

    fn close_quote(&mut self, at: Range<u64>, text: &Buffer) {
        let inner = at.start + text.char_at(at.start).map_or(0, |c| c.len_utf8() as u64)
            ..at.end - text.char_before(at.end).map_or(0, |c| c.len_utf8() as u64);
        let mut words = String::new();
        let mut from = inner.start;
        for marker in self.markers.iter().filter(|m| m.at.start >= inner.start && m.at.end <= inner.end) {
            words.push_str(text.slice(from..marker.at.start));
            from = marker.at.end;
        }
        words.push_str(text.slice(from..inner.end));
        let places = (self.ledger.place(at.start), self.ledger.place(at.end));
        let demoted = self.acting.close_quote(&words, inner.end..at.end);
        self.quotes.push(Quoted { at, places, words, cited: Vec::new(), finding: None, demoted });
    }

    fn finish_claim(&mut self, text: &Buffer) {
        self.ending = None;
        self.paren = None;
        self.marks = Marks::default();
        let Some((start, place)) = self.start.take() else { return };
        let at = start..start + text.slice(start..self.end).trim_end().len() as u64;
        let mut quotes = std::mem::take(&mut self.quotes);
        let markers = std::mem::take(&mut self.markers);
        if quotes.is_empty() && markers.is_empty() {
            // Most sentences: nothing to report.
            self.ledger.free(place);
            self.acting.end(at, false);
            self.gather.clear();
            return;
        }
        for quote in &mut quotes {
            pair::judge(quote, &markers, &self.sources, self.acting.policy.elisions, text);
        }
        let kind = if self.in_block { Kind::BlockQuote } else { self.kind };
        let places = (place, self.ledger.place(at.end));
        let quotes_fail = quotes.iter().any(|quote| {
            quote.finding.as_ref().is_some_and(|found| matches!(found.class, Class::NotFound | Class::Altered))
        });
        let cites_nobody = !markers.is_empty() && markers.iter().all(|marker| !marker.real);
        let words = self.gather.words(at.clone(), text);
        self.gather.clear();
        self.acting.end(at, quotes_fail || cites_nobody);
        self.done.push(Claim { kind, places, markers, quotes, words });
    }

    /// The answer is complete.
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

/// Bytes at which a sentence may end or a quotation mark may stand.
const INTERESTING: [bool; 256] = {
    let mut table = [false; 256];
    let special = b"\"'.!?";
    let mut index = 0;
    while index < special.len() {
        table[special[index] as usize] = true;
        index += 1;
    }
    // Lead bytes of punctuation that is no ASCII.
    let leads = [0xC2, 0xD6, 0xD8, 0xDB, 0xDC, 0xE0, 0xE1, 0xE2, 0xE3, 0xEF];
    let mut index = 0;
    while index < leads.len() {
        table[leads[index]] = true;
        index += 1;
    }
    table
};
