//! Reading: tokens and prose, one after the other, to the claim that they belong to.

use std::ops::Range;

use super::marks::{self, Marks, Seen};
use super::sentence::{Ending, is_closer, is_terminator};
use super::waiting::{Awaited, Fate};
use super::{Cited, Claim, Claims, MAX_CLAIM, Quoted, Token, pair};
use crate::quote::Class;
use crate::scan::block::Kind;
use crate::scan::buffer::Buffer;

impl Claims {
    pub(super) fn take(&mut self, token: Token, text: &Buffer) {
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

    pub(super) fn prose(&mut self, range: Range<u64>, seen: u64, text: &Buffer) {
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

    pub(super) fn finish_claim(&mut self, text: &Buffer) {
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
            self.acting.end(at, Fate::Stands);
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
        let cites = markers.iter().any(|marker| marker.real);
        let words = self.gather.words(at.clone(), text);
        self.gather.clear();
        let number = self.count;
        self.count += 1;
        let fate = if quotes_fail || (!markers.is_empty() && !cites) {
            Fate::Fails
        } else if cites && self.acting.awaits {
            Fate::Waits(Awaited::Number(number))
        } else {
            Fate::Stands
        };
        self.acting.end(at, fate);
        self.done.push(Claim { number, kind, places, markers, quotes, words });
    }
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
