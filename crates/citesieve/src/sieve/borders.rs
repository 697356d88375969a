//! Borders: where lines, paragraphs, block quotations and footnotes end.

use std::ops::Range;

use super::{Pending, Sieve};
use crate::claim::Token;
use crate::marker::run::Fed;
use crate::scan::block::Kind;
use crate::scan::block::Leaf;
use crate::{Edit, Reason};

impl Sieve {
    pub(super) fn end_line(&mut self, verbatim: bool) {
        let start = self.content.max(self.line);
        if !self.in_line {
            self.claims.token(Token::Structure { at: self.line..self.pos });
        } else if verbatim {
            self.claims.token(Token::Structure { at: start..self.pos });
        }
        if self.in_line {
            self.blocks.line_end();
            self.in_line = false;
            self.take_borders(self.pos);
        }
        self.fence_line = None;
        self.fence_hold = None;
        if let Some(block) = &mut self.block_quote {
            block.line_end(start, self.pos, verbatim, &mut self.ledger);
        }
        self.line = self.pos;
        self.structure = self.pos;
        self.content = self.pos;
    }

    /// Acts on the leaf or quotation that the block structure has closed.
    pub(super) fn take_borders(&mut self, at: u64) {
        let border = self.blocks.take_border();
        if border {
            self.end_paragraph(at);
        }
        if self.blocks.take_quote_end()
            && let Some(mut block) = self.block_quote.take()
        {
            let outcome = block.finish(self.line, &self.text);
            self.tally.hold(block.largest, "block_quote");
            let marks = block.take_marks();
            if !block.is_prose() {
                if !block.announced {
                    self.claims.token(Token::Block { at: block.start, opens: true });
                }
                self.claims.token(Token::Block { at: self.line, opens: false });
            }
            self.demote(marks);
            self.tally.block(outcome, block.places.0, block.places.1);
        }
    }

    pub(super) fn end_paragraph(&mut self, at: u64) {
        let kind = if self.blocks.leaf() == Leaf::Row { Kind::TableCell } else { Kind::Sentence };
        self.claims.token(Token::Border { at, kind });
        self.fresh = true;
        self.inline.reset();
        self.run.new_paragraph();
        self.commit();
        if let Some(block) = &mut self.block_quote {
            block.paragraph_end(at, &self.text);
        }
    }

    /// Whether a definition that starts here may be taken out as a whole.
    pub(super) fn may_define(&self, start: u64) -> bool {
        start == self.content && self.block_quote.is_none() && self.line >= self.floor.max(self.released)
    }

    /// Whether nothing, or a blank line, stands before this line.
    pub(super) fn is_after_blank(&self) -> bool {
        let before = self.text.before(self.line);
        let last = before.strip_suffix('\n').unwrap_or(before).rsplit('\n').next().unwrap_or_default();
        last.trim().is_empty()
    }

    /// A character of a definition that is to go, or the one after it.
    pub(super) fn define(&mut self, c: char) {
        let Some(definition) = &mut self.definition else { return };
        let over = definition.step(c, self.pos);
        if over {
            self.end_definition();
        } else {
            self.pos += c.len_utf8() as u64;
            self.seen = self.pos;
        }
    }

    /// The definition is over: reading goes on after it as if it had never been.
    pub(super) fn end_definition(&mut self) {
        let Some(definition) = self.definition.take() else { return };
        let end = definition.end(self.pos);
        self.pending.push_back(Pending {
            start: definition.start,
            hold: None,
            marks: Vec::new(),
            edits: vec![Edit { at: definition.start..end, with: "".into(), why: Reason::FabricatedMarker }],
        });
        self.claims.token(Token::Structure { at: definition.start..end });
        self.blocks.leaf_is_gone();
        self.in_line = false;
        self.pos = end;
        self.seen = end;
        self.floor = end;
        (self.line, self.structure, self.content) = (end, end, end);
        self.take_borders(end);
    }

    /// Removes these `>`.
    pub(super) fn demote(&mut self, marks: Vec<Range<u64>>) {
        let Some(first) = marks.first().map(|mark| mark.start) else { return };
        let sorted = self.ready.last().is_none_or(|edit| edit.at.start < first);
        for at in marks {
            let edit = Edit { at, with: "".into(), why: Reason::FabricatedBlockQuote };
            self.claims.edit(edit.clone());
            self.ready.push(edit);
        }
        if !sorted {
            self.ready.sort_by_key(Edit::order);
        }
    }

    /// Ends whatever is open inside the paragraph, as at its end.
    pub(super) fn settle_inline(&mut self) {
        loop {
            self.scan();
            if self.definition.is_some() {
                self.end_definition();
                continue;
            }
            match self.feed_run(None, self.pos) {
                Fed::Rewind(to) => self.pos = to,
                Fed::Mine | Fed::NotMine if self.pos == self.text.end() => break,
                Fed::Mine | Fed::NotMine => {}
            }
        }
        let change = self.inline.finish(&self.text);
        self.apply(change);
        self.inline.reset();
        self.commit();
        self.after_step();
    }
}
