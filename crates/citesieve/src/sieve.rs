//! [`Sieve`]: reads the stream, says what is decided.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use crate::block_quote::BlockQuote;
use crate::claim::{Claims, Kind, Token, is_within};
use crate::gate::{self, Opening};
use crate::ledger::Ledger;
use crate::marker::action::{Actions, Renderer};
use crate::marker::footnote::Definition;
use crate::marker::judge::{Fate, Mark};
use crate::marker::lead::{self, Limits};
use crate::marker::run::{Fed, Found, Run, Scene};
use crate::policy::Release;
use crate::scan::block::{Blocks, Leaf, Step};
use crate::scan::buffer::{Buffer, Meter};
use crate::scan::inline::{Change, Inline};
use crate::scan::is_space;
use crate::tally::Tally;
use crate::{Edit, MarkerSyntax, Policy, Reason, Sources, Status, Verdict};

/// What a call to [`Sieve::push`] decided.
#[derive(Debug)]
pub struct Decided<'a> {
    /// Everything before this byte of the input is final.
    pub to: u64,
    /// The edits that became final now, in order; none of them reaches beyond `to`.
    pub edits: &'a [Edit],
}

/// Markers that stand only if no construct around them closes.
#[derive(Debug)]
struct Pending {
    /// Where the first of them starts.
    start: u64,
    /// Where the first edit starts, if there is any.
    hold: Option<u64>,
    marks: Vec<Mark>,
    edits: Vec<Edit>,
}

/// The sieve: one per answer.
///
/// It reads one character at a time and keeps its state between characters, so what it says depends on the text so far
/// and never on where the text was cut. Cost is linear in the text; memory is bounded by the policy's `max_hold` and
/// by what the verdict lists.
#[derive(Debug)]
pub struct Sieve {
    policy: Arc<Policy>,
    sources: Arc<Sources>,
    text: Buffer,
    /// Everything before this was read.
    pos: u64,
    /// Everything before this was read by `inline`, which sees every character once.
    seen: u64,
    /// Everything before this has left.
    decided: u64,
    /// Where the last edit of a marker ended: the next one starts after it.
    floor: u64,
    /// Whether plain prose needs no look at all: nothing is open that could change by it.
    quiet: bool,
    /// Up to where the ledger has read.
    recorded: u64,
    /// Everything before this was released undecided: too much was held, or a barrier came.
    released: u64,
    blocks: Blocks,
    /// Whether the start of the line is read, and where the line, its marks of quotation and its content start.
    in_line: bool,
    line: u64,
    structure: u64,
    content: u64,
    /// In the first line of a fence of backticks: how many, and where they start.
    fence_line: Option<u64>,
    /// Whether a block ended and the next one has not started yet.
    fresh: bool,
    /// Where a marker may start in that line, which stands if it is no fence.
    fence_hold: Option<u64>,
    inline: Inline,
    run: Run,
    /// Bytes at which something may start that matters; everything else is passed without a look.
    special: [bool; 256],
    /// A tag that a marker was read from: if it is none, nothing inside it is one.
    tag: Option<Range<u64>>,
    /// Whether footnotes are read, and the definition of one that is being taken out.
    footnotes: bool,
    definition: Option<Definition>,
    pending: VecDeque<Pending>,
    /// Where the first edit among them starts.
    pending_hold: Option<u64>,
    block_quote: Option<BlockQuote>,
    /// Final edits, some of which may stand behind undecided text.
    ready: Vec<Edit>,
    out: Vec<Edit>,
    ledger: Ledger,
    claims: Claims,
    renderer: Renderer,
    /// Whether everything is held until the end.
    answering: bool,
    /// The answer so far, as long as it may be just the not-found message.
    opening: Opening,
    tally: Tally,
    meter: Meter,
}

impl Sieve {
    /// A sieve at the start of an answer.
    pub fn new(policy: Arc<Policy>, sources: Arc<Sources>) -> Self {
        let answering = policy.release == Release::Answer && sources.known();
        let opening = Opening::new(&policy.not_found_message);
        let claims = Claims::new(Arc::clone(&policy), Arc::clone(&sources));
        let run = Run::new(&policy.syntaxes);
        let footnotes = policy.syntaxes.contains(&MarkerSyntax::Footnote);
        let mut special = SPECIAL;
        for byte in 0..=u8::MAX {
            special[usize::from(byte)] |= run.opens_at_byte(byte);
        }
        Sieve {
            policy,
            sources,
            text: Buffer::default(),
            pos: 0,
            seen: 0,
            decided: 0,
            floor: 0,
            quiet: false,
            recorded: 0,
            released: 0,
            blocks: Blocks::new(),
            in_line: false,
            line: 0,
            structure: 0,
            content: 0,
            fence_line: None,
            fresh: true,
            fence_hold: None,
            inline: Inline::new(),
            run,
            special,
            tag: None,
            footnotes,
            definition: None,
            pending: VecDeque::new(),
            pending_hold: None,
            block_quote: None,
            ready: Vec::new(),
            out: Vec::new(),
            ledger: Ledger::default(),
            claims,
            renderer: Renderer::default(),
            answering,
            opening,
            tally: Tally::default(),
            meter: Meter::default(),
        }
    }

    /// Takes the next piece of the answer and says what is decided now.
    ///
    /// Never fails. Cost is linear in the piece, amortised; a piece of plain prose allocates nothing.
    pub fn push(&mut self, delta: &str) -> Decided<'_> {
        self.text.push(delta);
        self.opening.push(delta);
        if self.quiet && self.pass(delta) {
            return Decided { to: self.decided, edits: &self.out };
        }
        if self.sources.known() {
            self.scan();
        } else {
            self.pos = self.text.end();
        }
        let to = self.settled();
        self.read_claims(to);
        let to = self.watermark(to);
        self.quiet = self.is_quiet();
        self.release(to)
    }

    /// Plain prose in a quiet state leaves at once; the claims and the ledger read it later. Says whether it was that.
    fn pass(&mut self, delta: &str) -> bool {
        let bytes = delta.as_bytes();
        let spaces = bytes.iter().rev().take_while(|byte| **byte == b' ').count();
        let Some(last) = bytes.len().checked_sub(spaces + 1).map(|at| bytes[at]) else { return false };
        let is_plain = last.is_ascii_graphic()
            && last != b'('
            && spaces < MAX_SPACES
            && self.text.end() - self.recorded < MAX_LAG
            && !bytes.iter().any(|byte| self.special[usize::from(*byte)]);
        if is_plain {
            self.out.clear();
            self.pos = self.text.end();
            self.seen = self.pos;
            self.decided = self.pos - spaces as u64;
        }
        is_plain
    }

    /// Whether ordinary characters can change nothing but the watermark.
    fn is_quiet(&self) -> bool {
        self.sources.known()
            && self.in_line
            && !self.answering
            && !self.policy.acts_on_claims()
            && self.pos == self.text.end()
            && self.run.is_idle()
            && self.inline.is_calm()
            && !self.blocks.leaf().is_verbatim()
            && self.definition.is_none()
            && self.block_quote.is_none()
            && self.ready.is_empty()
            && self.structural_hold().is_none()
    }

    /// Decides everything that is held, as if the answer ended here, yet goes on afterwards: for the border between
    /// two text blocks of one answer, and before an event that must not overtake text.
    pub fn barrier(&mut self) -> Decided<'_> {
        self.settle_inline();
        self.answering = false;
        self.quiet = false;
        let end = self.text.end();
        self.read_claims(end);
        self.claims.release(end);
        self.release_block();
        self.floor = self.text.end();
        self.released = self.text.end();
        self.release(self.text.end())
    }

    /// Bytes not yet decided: at most `max_hold` characters of the policy, or the few that may go with a marker (64
    /// spaces, 8 openers) if those are more.
    pub fn held(&self) -> usize {
        (self.text.end() - self.decided) as usize
    }

    /// The answer is complete: the edits that were not final yet, and the verdict.
    pub fn finish(mut self) -> (Vec<Edit>, Verdict) {
        if self.sources.known() {
            self.settle_inline();
            if self.in_line && self.blocks.leaf().is_verbatim() {
                self.claims.token(Token::Structure { at: self.content..self.text.end() });
            }
            // The last line needs no line end to belong to its block.
            if self.in_line
                && let Some(block) = &self.block_quote
            {
                self.ledger.move_place(block.places.1, self.text.end());
            }
            self.blocks.finish();
            self.line = self.text.end();
            self.take_borders(self.text.end());
        }
        let end = self.text.end();
        if self.sources.known() {
            self.claims.finish(&self.text);
            self.take_claims();
        }
        let mut edits = self.release(end).edits.to_vec();
        let total = self.ledger.end();
        let mut verdict = self.tally.verdict(self.ledger, self.claims.ledger(), &self.sources, self.renderer.order);
        let policy = &self.policy;
        if self.sources.known() && self.opening.is_message(end) {
            verdict.status = Status::NotFound;
        } else if verdict.status == Status::Downgraded && self.answering {
            edits = vec![gate::replace(&mut verdict, end, total, self.text.from(0), &policy.not_found_message)];
        } else if verdict.status == Status::Downgraded
            && let Some(template) = &policy.notice
        {
            edits.push(gate::append(&mut verdict, end, total, template));
        }
        (edits, verdict)
    }

    /// Lets the claims read what is decided. They never look at what an open construct, a run or a block may change.
    fn read_claims(&mut self, watermark: u64) {
        if !self.sources.known() {
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

    fn take_claims(&mut self) {
        for edit in self.claims.take_edits() {
            if edit.why == Reason::FailedClaim && !edit.at.is_empty() {
                self.ready.retain(|known| !is_within(known, &edit));
            }
            let index = self.ready.partition_point(|known| known.at.start <= edit.at.start);
            self.ready.insert(index, edit);
        }
        let mut spare = Vec::new();
        for claim in self.claims.take_done() {
            self.tally.claim(claim, &mut spare);
        }
        self.claims.free(&spare);
    }

    // ---- reading -------------------------------------------------------------------------------------------------

    fn scan(&mut self) {
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
    fn skip_plain(&mut self) {
        if self.claims.is_active()
            || self.definition.is_some()
            || !self.run.is_idle()
            || !self.inline.is_calm()
            || self.blocks.leaf().is_verbatim()
        {
            return;
        }
        let rest = self.text.from(self.pos).as_bytes();
        let mut length = rest.iter().position(|byte| self.special[usize::from(*byte)]).unwrap_or(rest.len());
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
    fn within_bound(&mut self, length: usize) -> usize {
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
    fn held_characters(&mut self, hold: u64) -> usize {
        let bytes = self.pos.saturating_sub(hold) as usize;
        if bytes <= self.policy.max_hold { bytes } else { self.meter.count(hold..self.pos, &self.text) }
    }

    fn start_of_line(&mut self, c: char) {
        let at = self.pos;
        let width = c.len_utf8() as u64;
        let step = self.blocks.step(c, at);
        self.take_borders(self.line);
        match step {
            Step::Taken => self.pos += width,
            Step::QuoteMark => {
                self.pos += width;
                self.structure = self.pos;
                let block =
                    self.block_quote.get_or_insert_with(|| BlockQuote::new(at, &self.sources, &mut self.ledger));
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
            Step::Content(start) => {
                self.pos = start;
                self.seen = start;
                self.content = start;
                self.in_line = true;
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
        }
        if let Some(block) = &mut self.block_quote {
            let marks = block.take_marks();
            self.demote(marks);
        }
    }

    /// Whether the line that has its content at `content` is the first one of a fence.
    fn opens_fence(&self, content: u64, len: u32) -> bool {
        let ticks = self.text.before(content).bytes().rev().take_while(|byte| *byte == b'`').count();
        ticks as u64 == u64::from(len)
    }

    /// A character of code or display math.
    fn verbatim(&mut self, c: char) {
        if c == '`'
            && let Some(start) = self.fence_line.take()
        {
            // The first line of a fence holds no backtick: this is prose, and perhaps a code span.
            self.blocks.fence_is_inline();
            self.inline.open_code(start, (self.content - start) as u32);
            self.floor = self.floor.max(self.fence_hold.take().unwrap_or(self.content));
            self.pos = self.content.max(self.released);
            self.seen = self.pos;
            return;
        }
        if self.fence_line.is_some() && self.run.opens(c) && self.fence_hold.is_none() {
            let limits = Limits { floor: self.floor, line: self.content, emphasis: &[] };
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
    fn ends_math(&self) -> bool {
        let line = self.text.before(self.pos).trim_end_matches(|c: char| is_space(c) || c == '\r');
        let spaces = self.text.before(self.pos).len() - line.len();
        line.ends_with("$$") && self.pos - spaces as u64 >= self.content + 2
    }

    /// A character of a paragraph, heading or row.
    fn prose(&mut self, c: char) {
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

    fn feed_run(&mut self, c: Option<char>, at: u64) -> Fed {
        let scene = Scene {
            text: &self.text,
            ids: self.sources.ids(),
            limits: Limits { floor: self.floor, line: self.content, emphasis: self.inline.emphasis() },
            may_start: self.inline.may_start(),
            after_label: self.inline.is_after_label(at),
            closes_emphasis: self.inline.closed_emphasis(at),
            actions: &Actions { policy: &self.policy, sources: &self.sources, quote: self.claims.quote_before() },
        };
        let fed = self.run.feed(c, at, &scene);
        if !self.run.found.is_empty() {
            self.take_found();
        }
        fed
    }

    fn take_found(&mut self) {
        let mut found = std::mem::take(&mut self.run.found);
        for found in found.drain(..) {
            match found {
                Found::Ambiguous => self.tally.markers.ambiguous += 1,
                Found::Definition { start } if self.may_define(start) => {
                    self.definition = Some(Definition::new(self.line, self.is_after_blank()));
                }
                Found::Definition { .. } => self.tally.markers.ambiguous += 1,
                Found::Span { edit } => {
                    let start = edit.at.start;
                    let index = self.pending.partition_point(|pending| pending.start < start);
                    self.pending_hold = Some(self.pending_hold.map_or(start, |hold| hold.min(start)));
                    let pending = Pending { start, hold: Some(start), marks: Vec::new(), edits: vec![edit] };
                    self.pending.insert(index, pending);
                }
                Found::Tag { at } => self.claims.token(Token::Opaque { at }),
                Found::Label { start, at } => self.inline.open_destination(start, at),
                Found::Marks { marks, edits, start } => {
                    if let Some(last) = edits.last() {
                        self.floor = self.floor.max(last.at.end);
                    }
                    if let Some(block) = &mut self.block_quote {
                        for mark in &marks {
                            block.marker(mark.at.clone(), mark.fate != Fate::Fabricated, &mark.cited);
                        }
                    }
                    let rendered = marks.iter().find(|mark| !mark.elements.is_empty()).map(|mark| mark.at.start);
                    let hold = edits.first().map(|edit| edit.at.start).into_iter().chain(rendered).min();
                    let edits = with_reasons(edits, &marks);
                    self.pending_hold = self.pending_hold.or(hold);
                    self.pending.push_back(Pending { start, hold, marks, edits });
                }
            }
        }
        self.run.found = found;
        self.commit();
    }

    fn apply(&mut self, change: Change) {
        match change {
            Change::Nothing => {}
            Change::Closed(closed) => {
                let link = closed.opaque > closed.start;
                while self.pending.back().is_some_and(|pending| pending.start >= closed.start) {
                    let Some(pending) = self.pending.pop_back() else { break };
                    if pending.hold.is_some() && pending.hold == self.pending_hold {
                        self.pending_hold = None;
                    }
                    self.tally.markers.ambiguous +=
                        pending.marks.iter().filter(|m| m.fate != Fate::Real).count() as u64;
                    if link {
                        // `[2](https://…)`: a link that names a source still cites it.
                        for mark in pending.marks.iter().filter(|mark| mark.fate == Fate::Real) {
                            self.tally.markers.real += 1;
                            self.claims.token(Token::marker(mark));
                        }
                    }
                }
                self.run.forget_from(closed.start);
                self.claims.token(Token::Opaque { at: closed.opaque..closed.end });
                self.commit();
            }
            Change::Died => self.commit(),
        }
    }

    /// Makes final what no open construct holds any more.
    fn commit(&mut self) {
        let open = self.inline.first_open();
        while let Some(pending) = self.pending.front() {
            if open.is_some_and(|open| open <= pending.start) {
                break;
            }
            let Some(pending) = self.pending.pop_front() else { break };
            let mut edits = pending.edits;
            if pending.hold.is_some() {
                self.pending_hold = self.pending.iter().find_map(|pending| pending.hold);
            }
            for mark in &pending.marks {
                self.claims.token(Token::marker(mark));
                if !mark.elements.is_empty() && !mark.goes() {
                    edits.retain(|edit| edit.at.start < mark.at.start || edit.at.end > mark.at.end);
                    edits.extend(self.renderer.render(mark, &self.policy, &self.sources, &self.text));
                }
                match mark.fate {
                    Fate::Real => self.tally.markers.real += 1,
                    Fate::Partial => {
                        self.tally.markers.real += 1;
                        self.tally.markers.partial += 1;
                    }
                    Fate::Fabricated => self.tally.markers.fabricated += 1,
                }
            }
            // The `>` of a later line may be final already.
            for edit in edits {
                self.claims.edit(edit.clone());
                let index = self.ready.partition_point(|ready| ready.at.start <= edit.at.start);
                self.ready.insert(index, edit);
            }
        }
    }

    fn end_line(&mut self, verbatim: bool) {
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
    fn take_borders(&mut self, at: u64) {
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

    fn end_paragraph(&mut self, at: u64) {
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
    fn may_define(&self, start: u64) -> bool {
        start == self.content && self.block_quote.is_none() && self.line >= self.floor.max(self.released)
    }

    /// Whether nothing, or a blank line, stands before this line.
    fn is_after_blank(&self) -> bool {
        let before = self.text.before(self.line);
        let last = before.strip_suffix('\n').unwrap_or(before).rsplit('\n').next().unwrap_or_default();
        last.trim().is_empty()
    }

    /// A character of a definition that is to go, or the one after it.
    fn define(&mut self, c: char) {
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
    fn end_definition(&mut self) {
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
    fn demote(&mut self, marks: Vec<Range<u64>>) {
        let Some(first) = marks.first().map(|mark| mark.start) else { return };
        let sorted = self.ready.last().is_none_or(|edit| edit.at.start < first);
        for at in marks {
            let edit = Edit { at, with: "".into(), why: Reason::FabricatedBlockQuote };
            self.claims.edit(edit.clone());
            self.ready.push(edit);
        }
        if !sorted {
            self.ready.sort_by_key(|edit| edit.at.start);
        }
    }

    /// Ends whatever is open inside the paragraph, as at its end.
    fn settle_inline(&mut self) {
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

    // ---- holding and releasing -----------------------------------------------------------------------------------

    /// What every character does in the end: words to the block quotation, the bound on what is held.
    fn after_step(&mut self) {
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
    fn overflow(&mut self) {
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
    fn release_block(&mut self) {
        let Some(block) = &mut self.block_quote else { return };
        let open = block.is_open();
        block.release();
        if open {
            block.announced = true;
            self.claims.token(Token::Block { at: block.start, opens: true });
        }
    }

    /// Where text must be held for anything but the space before a possible marker, and what for.
    fn structural_hold(&self) -> Option<(u64, &'static str)> {
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
    fn settled(&self) -> u64 {
        let mut to = self.pos;
        if let Some((hold, _)) = self.structural_hold() {
            to = to.min(hold);
        }
        if self.in_line && self.run.is_idle() && !self.blocks.leaf().is_verbatim() {
            let limits = Limits { floor: self.floor, line: self.content, emphasis: self.inline.emphasis() };
            to = to.min(lead::start_of(&self.text, self.pos, limits));
        }
        to.max(self.decided)
    }

    /// Up to where everything is decided, if it is so for all but the claims up to `settled`.
    fn watermark(&self, settled: u64) -> u64 {
        if self.answering {
            return self.decided;
        }
        self.claims.hold().map_or(settled, |hold| settled.min(hold)).max(self.decided)
    }

    fn release(&mut self, to: u64) -> Decided<'_> {
        self.out.clear();
        if !self.ready.is_empty() {
            let count = self.ready.iter().take_while(|edit| edit.at.end <= to).count();
            self.out.extend(self.ready.drain(..count));
        }
        self.ledger.advance(to, &self.out, &self.text);
        self.decided = to;
        self.recorded = to;
        let needed = if self.sources.known() { self.claims.needs_from() } else { to };
        self.text.forget(to.min(self.line.max(to.saturating_sub(4096))).min(needed));
        Decided { to, edits: &self.out }
    }
}

/// The edits that remove markers, with the reason why those go that could have stayed.
fn with_reasons(mut edits: Vec<Edit>, marks: &[Mark]) -> Vec<Edit> {
    let other = marks.iter().filter(|mark| mark.fate != Fate::Fabricated).find_map(|mark| mark.gone);
    if let Some(reason) = other
        && marks.iter().all(|mark| mark.fate != Fate::Fabricated)
    {
        for edit in edits.iter_mut().filter(|edit| edit.why == Reason::FabricatedMarker) {
            edit.why = reason;
        }
    }
    edits
}

/// How far the claims and the ledger may lag behind plain prose (bytes).
const MAX_LAG: u64 = 2048;
/// More spaces than this at the end of a piece are looked at one by one.
const MAX_SPACES: usize = 8;

/// Bytes at which something other than a marker may start that matters.
const SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let special = b"\n\r[]*_~`$\\<./|";
    let mut index = 0;
    while index < special.len() {
        table[special[index] as usize] = true;
        index += 1;
    }
    table
};
