//! Reading: one character after the other, to the block structure, the code or the prose that it belongs to.

use super::Sieve;
use crate::block_quote::BlockQuote;
use crate::claim::Token;
use crate::marker::lead::{self, Limits};
use crate::marker::run::Fed;
use crate::scan::block::{Leaf, Step};
use crate::scan::inline::Change;
use crate::scan::is_space;

impl Sieve {
    pub(super) fn scan(&mut self) {
        let end = self.text.end();
        while self.pos < end {
            if self.in_line {
                self.skip_plain();
            }
            let Some(c) = self.text.char_at(self.pos) else { break };
            if self.definition.is_some() {
                self.define(c);
            } else if !self.in_line {
                self.start_of_line(c);
            } else if self.blocks.leaf().is_verbatim() {
                self.verbatim(c);
            } else {
                self.prose(c);
            }
            self.after_step();
        }
    }

    /// Passes ordinary characters, of which nothing needs to be known.
    pub(super) fn skip_plain(&mut self) {
        if self.claims.is_active()
            || self.definition.is_some()
            || !self.run.is_idle()
            || !self.inline.is_calm()
            || self.blocks.leaf().is_verbatim()
        {
            return;
        }
        let rest = self.text.from(self.pos).as_bytes();
        let mut length = rest.iter().position(|byte| self.special.has(*byte)).unwrap_or(rest.len());
        if length == 0 {
            return;
        }
        length = self.within_bound(length);
        self.pos += length as u64;
        self.seen = self.seen.max(self.pos);
        self.after_step();
    }

    /// How many of the next `length` bytes may be passed at once: the bound on what is held is met at the same character
    /// however the text was cut.
    pub(super) fn within_bound(&mut self, length: usize) -> usize {
        let block = self.block_quote.as_ref().and_then(|block| block.room(self.pos));
        let length = block.map_or(length, |room| length.min(room.max(1) as usize));
        let length = (length..).find(|at| self.text.from(self.pos).is_char_boundary(*at)).unwrap_or(length);
        let Some((hold, _)) = self.structural_hold() else { return length };
        let room = (self.policy.max_hold + 1).saturating_sub(self.held_characters(hold)).max(1);
        if length <= room {
            return length;
        }
        self.text.from(self.pos).char_indices().nth(room).map_or(length, |(at, _)| at.min(length))
    }

    /// Characters from `hold` on; too many may be said as long as they are within the bound.
    pub(super) fn held_characters(&mut self, hold: u64) -> usize {
        let bytes = self.pos.saturating_sub(hold) as usize;
        if bytes <= self.policy.max_hold { bytes } else { self.meter.count(hold..self.pos, &self.text) }
    }

    pub(super) fn start_of_line(&mut self, c: char) {
        let at = self.pos;
        let width = c.len_utf8() as u64;
        let step = self.blocks.step(c, at);
        self.take_borders(self.line);
        match step {
            Step::Taken => self.pos += width,
            Step::QuoteMark => {
                self.pos += width;
                self.structure = self.pos;
                let block = self
                    .block_quote
                    .get_or_insert_with(|| BlockQuote::new(at, &self.sources, self.policy.elisions, &mut self.ledger));
                if !block.is_open() && !block.is_prose() && !block.announced {
                    block.announced = true;
                    self.claims.token(Token::Block { at: self.line, opens: true });
                }
                block.mark(at);
                return;
            }
            Step::QuoteSpace => {
                self.pos += width;
                self.structure = self.pos;
                if let Some(block) = &mut self.block_quote {
                    block.mark_space();
                }
            }
            Step::LineEnd => {
                self.pos += width;
                if let Some(block) = &mut self.block_quote {
                    block.blank_line(self.line, self.pos);
                }
                self.end_line(false);
            }
            Step::Content(start) => self.start_content(start),
        }
        if let Some(block) = &mut self.block_quote {
            let marks = block.take_marks();
            self.demote(marks);
        }
    }

    /// The content of the line starts at `start`.
    fn start_content(&mut self, start: u64) {
        self.pos = start;
        self.seen = start;
        self.content = start;
        self.in_line = true;
        self.inline.start_line(start);
        let leaf = self.blocks.leaf();
        self.fence_line = match leaf {
            Leaf::Fence { mark: '`', len } if self.fence_line.is_none() && self.opens_fence(start, len) => {
                Some(start - u64::from(len))
            }
            _ => None,
        };
        if std::mem::take(&mut self.fresh) {
            self.claims.token(Token::Border { at: self.line, kind: self.blocks.kind() });
        }
        if self.line < start {
            self.claims.token(Token::Structure { at: self.line..start });
        }
        if let Some(block) = &mut self.block_quote {
            block.line(self.line, self.structure, start, leaf.is_verbatim(), &self.text);
        }
    }

    /// The answer ends at the start of a line: what has been read of it is what it would be before a line end.
    pub(super) fn end_start_of_line(&mut self) {
        if self.in_line || self.definition.is_some() {
            return;
        }
        let end = self.text.end();
        let step = self.blocks.step('\n', end);
        self.take_borders(self.line);
        if let Step::Content(start) = step {
            self.start_content(start);
        } else if let Some(block) = &mut self.block_quote {
            block.blank_line(self.line, end);
        }
    }

    /// Whether the line that has its content at `content` is the first one of a fence.
    pub(super) fn opens_fence(&self, content: u64, len: u32) -> bool {
        let ticks = self.text.before(content).bytes().rev().take_while(|byte| *byte == b'`').count();
        ticks as u64 == u64::from(len)
    }

    /// A character of code or display math.
    pub(super) fn verbatim(&mut self, c: char) {
        if c == '`'
            && let Some(start) = self.fence_line.take()
        {
            // The first line of a fence holds no backtick: this is prose, and perhaps a code span.
            self.blocks.fence_is_inline();
            self.inline.open_code(start, (self.content - start) as u32);
            self.floor = self.floor.max(self.fence_hold.take().unwrap_or(self.content));
            self.pos = self.content.max(self.released);
            self.content = start;
            self.seen = self.pos;
            return;
        }
        if self.fence_line.is_some() && self.run.opens(c) && self.fence_hold.is_none() {
            let limits = Limits { floor: self.floor, line: self.fence_line.unwrap_or(self.content), emphasis: &[] };
            self.fence_hold = Some(lead::start_of(&self.text, self.pos, limits));
        }
        if c == '\n' {
            if self.blocks.leaf() == Leaf::Math && self.ends_math() {
                self.blocks.close_math();
            }
            self.pos += 1;
            self.end_line(true);
            return;
        }
        if self.claims.is_active() {
            self.pos += c.len_utf8() as u64;
            return;
        }
        let rest = self.text.from(self.pos).as_bytes();
        let stop = match self.fence_line {
            Some(_) => {
                let stops = |byte: &u8| matches!(byte, b'\n' | b'`') || self.run.opens_at_byte(*byte);
                rest.iter().skip(1).position(stops).map(|stop| stop + 1)
            }
            None => memchr::memchr(b'\n', rest),
        };
        let length = stop.unwrap_or(rest.len());
        self.pos += self.within_bound(length) as u64;
    }

    /// Whether the line of display math that ends here ends it.
    pub(super) fn ends_math(&self) -> bool {
        let line = self.text.before(self.pos).trim_end_matches(|c: char| is_space(c) || c == '\r');
        let spaces = self.text.before(self.pos).len() - line.len();
        line.ends_with("$$") && self.pos - spaces as u64 >= self.content + 2
    }

    /// A character of a paragraph, heading or row.
    pub(super) fn prose(&mut self, c: char) {
        let at = self.pos;
        let width = c.len_utf8() as u64;
        let mut change = Change::Nothing;
        if at >= self.seen {
            let expired = self.inline.expire(at);
            self.apply(expired);
            change = self.inline.step(c, at, &self.text);
            self.seen = at + width;
        }
        match change {
            // The tag is, or may be, a marker itself.
            Change::Closed(closed) if self.run.reads_from(closed.start) => self.tag = Some(closed.start..closed.end),
            change => self.apply(change),
        }
        let change = self.inline.labelled(c, at);
        self.apply(change);
        match self.feed_run(Some(c), at) {
            Fed::Mine => self.pos += width,
            Fed::Rewind(to) => self.pos = to,
            Fed::NotMine => {
                self.pos += width;
                let change = self.inline.brackets(c, at);
                self.apply(change);
                if let Some(tag) = self.tag.take_if(|tag| tag.start == at) {
                    self.pos = tag.end;
                    self.claims.token(Token::Opaque { at: tag });
                }
                if c == '\n' {
                    self.end_line(false);
                } else if c == '|' && self.blocks.leaf() == Leaf::Row && self.inline.may_start() {
                    // A cell ends: what is open in it stays open no longer.
                    self.claims.token(Token::Structure { at: at..self.pos });
                    self.end_paragraph(self.pos);
                }
            }
        }
    }
}
