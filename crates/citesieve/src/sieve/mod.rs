//! [`Sieve`]: reads the stream, says what is decided.
//!
//! - `reading.rs`: one character after the other, to the block structure, the code or the prose that it belongs to.
//! - `markers.rs`: what the run has found becomes edits as soon as no open construct holds it.
//! - `borders.rs`: where lines, paragraphs, block quotations and footnotes end.
//! - `holding.rs`: up to where everything is decided, and what leaves.
//! - `rulings.rs`: claims that wait until somebody has ruled on them.

mod borders;
mod holding;
mod markers;
mod reading;
mod rulings;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use crate::block_quote::BlockQuote;
use crate::claim::Claims;
use crate::gate::{self, Opening};
use crate::ledger::Ledger;
use crate::marker::action::Renderer;
use crate::marker::footnote::Definition;
use crate::marker::judge::Mark;
use crate::marker::run::Run;
use crate::policy::Release;
use crate::scan::block::Blocks;
use crate::scan::buffer::{Buffer, Meter};
use crate::scan::byte_set::ByteSet;
use crate::scan::inline::Inline;
use crate::tally::Tally;
use crate::{ClosedClaim, Edit, MarkerSyntax, Policy, Sources, Status, Verdict};

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
    /// Whether the text is read at all: sources are known, or may come.
    reads: bool,
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
    special: ByteSet,
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
    /// Nothing before this can close a claim, but for what the claims have read.
    gathered: u64,
    renderer: Renderer,
    /// Whether everything is held until the end.
    answering: bool,
    /// Whether the text is known to be complete.
    complete: bool,
    /// The answer so far, as long as it may be just the not-found message.
    opening: Opening,
    tally: Tally,
    meter: Meter,
}

impl Sieve {
    /// A sieve at the start of an answer.
    pub fn new(policy: Arc<Policy>, sources: Arc<Sources>) -> Self {
        let reads = sources.known();
        Sieve::start(policy, sources, reads)
    }

    /// A sieve at the start of an answer whose sources come while it streams: [`Sieve::set_sources`] tells them. What
    /// comes before that passes, unless the policy holds everything to the end. When none come, the verdict is
    /// `unchecked`.
    pub fn awaiting_sources(policy: Arc<Policy>) -> Self {
        Sieve::start(policy, Arc::new(Sources::unknown()), true)
    }

    fn start(policy: Arc<Policy>, sources: Arc<Sources>, reads: bool) -> Self {
        let answering = policy.release == Release::Answer && reads;
        let opening = Opening::new(&policy.not_found_message);
        let claims = Claims::new(Arc::clone(&policy), Arc::clone(&sources));
        let run = Run::new(&policy.syntaxes);
        let footnotes = policy.syntaxes.contains(&MarkerSyntax::Footnote);
        let special = ByteSet::new(|byte| SPECIAL.contains(&byte) || run.opens_at_byte(byte));
        Sieve {
            policy,
            sources,
            reads,
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
            gathered: 0,
            renderer: Renderer::default(),
            answering,
            complete: false,
            opening,
            tally: Tally::default(),
            meter: Meter::default(),
        }
    }

    /// Gathers the words of claims, for [`Sieve::closed_claims`] and [`Sieve::finish_with_claims`]. To be called before
    /// the first piece. `push` costs what it costs without; each claim that has a marker or a quote keeps its text until
    /// it is taken.
    #[must_use]
    pub fn gathering_claims(mut self) -> Self {
        self.claims.gather();
        self
    }

    /// The claims that have become complete since the last call: sentences, list items, cells and headings with a marker
    /// or a quote. A claim is complete when what follows it shows that it has ended, so the last one of an answer comes
    /// from [`Sieve::finish_with_claims`].
    ///
    /// Empty without [`Sieve::gathering_claims`]. May be called after every piece, or only now and then: all calls
    /// together are linear in the text, and no decision depends on them.
    pub fn closed_claims(&mut self) -> Vec<ClosedClaim> {
        if self.claims.is_gathering() && self.reads {
            // Words alone close nothing.
            let new = self.text.from(self.gathered.max(self.text.start()));
            if !new.bytes().all(|byte| byte.is_ascii() && !CLOSING.contains(&byte)) {
                let to = self.settled();
                self.read_claims(to);
                // As long as a claim may be about to close, the next character tells.
                self.gathered = if self.claims.is_open_to(to) { to } else { self.gathered };
            } else {
                self.gathered = self.text.end();
            }
        }
        std::mem::take(&mut self.tally.closed)
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
        if self.reads && !self.complete {
            self.scan();
        } else {
            self.pos = self.text.end();
        }
        let change = self.inline.expire(self.pos);
        self.apply(change);
        let to = self.settled();
        if self.policy.acts_on_claims() || to >= self.claims.needs_from() + MAX_LAG {
            self.read_claims(to);
        }
        let to = self.watermark(to);
        self.quiet = self.is_quiet();
        self.release(to)
    }

    /// Plain prose in a quiet state leaves at once; the claims and the ledger read it later. Says whether it was that.
    pub(super) fn pass(&mut self, delta: &str) -> bool {
        let bytes = delta.as_bytes();
        let spaces = bytes.iter().rev().take_while(|byte| **byte == b' ').count();
        let Some(last) = bytes.len().checked_sub(spaces + 1).map(|at| bytes[at]) else { return false };
        let is_plain = last.is_ascii_graphic()
            && last != b'('
            && spaces < MAX_SPACES
            && self.text.end() - self.recorded < MAX_LAG
            && !bytes
                .iter()
                .enumerate()
                .any(|(index, byte)| self.special.has(*byte) && (*byte != b'.' || self.may_end_www(bytes, index)));
        if is_plain {
            self.out.clear();
            self.pos = self.text.end();
            self.seen = self.pos;
            self.decided = self.pos - spaces as u64;
        }
        is_plain
    }

    /// Whether the full stop at `index` of the delta may be that of `www.`, where a URL starts.
    fn may_end_www(&self, delta: &[u8], index: usize) -> bool {
        let before = match index {
            0 => self.text.before(self.text.end() - delta.len() as u64).as_bytes().last(),
            _ => delta.get(index - 1),
        };
        before.is_some_and(|byte| byte.eq_ignore_ascii_case(&b'w'))
    }

    /// Whether ordinary characters can change nothing but the watermark.
    pub(super) fn is_quiet(&self) -> bool {
        self.reads
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

    /// From here on these are the sources: all that were known before, and more, as a round of tool calls found them.
    ///
    /// They count for what comes now and for what was not decided yet; an open block quotation is judged by those that
    /// were known when it opened. Has no effect on a sieve that was made with unknown sources, which reads nothing:
    /// [`Sieve::awaiting_sources`] makes one that waits for them.
    pub fn set_sources(&mut self, sources: Arc<Sources>) {
        if !self.reads {
            return;
        }
        // What is complete is judged by what was known then, wherever the text was cut.
        let to = self.settled();
        self.read_claims(to);
        self.claims.set_sources(&sources);
        self.sources = sources;
    }

    /// Decides everything that is held, as if the answer ended here, yet goes on afterwards: for the border between
    /// two text blocks of one answer, and before an event that must not overtake text.
    pub fn barrier(&mut self) -> Decided<'_> {
        self.settle_inline();
        self.answering = false;
        self.quiet = false;
        let end = self.text.end();
        self.claims.give_up();
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
    pub fn finish(self) -> (Vec<Edit>, Verdict) {
        let (edits, verdict, _) = self.finish_with_claims();
        (edits, verdict)
    }

    /// The answer is complete: the edits that were not final yet, the verdict, and the claims that nobody has taken (see
    /// [`Sieve::closed_claims`]).
    pub fn finish_with_claims(mut self) -> (Vec<Edit>, Verdict, Vec<ClosedClaim>) {
        self.end_text();
        let end = self.text.end();
        if self.reads {
            self.claims.give_up();
            self.take_claims();
        }
        let mut edits = self.release(end).edits.to_vec();
        self.ledger.advance(end, &[], &self.text);
        let total = self.ledger.end();
        let closed = std::mem::take(&mut self.tally.closed);
        let policy = &self.policy;
        let mut verdict =
            self.tally.verdict(self.ledger, self.claims.ledger(), &self.sources, self.renderer.order, policy);
        if self.sources.known() && self.opening.is_message(end) {
            verdict.status = Status::NotFound;
        } else if verdict.status == Status::Downgraded && self.answering {
            edits = vec![gate::replace(&mut verdict, end, total, self.text.from(0), &policy.not_found_message)];
        } else if verdict.status == Status::Downgraded
            && let Some(template) = &policy.notice
        {
            edits.push(gate::append(&mut verdict, end, total, template));
        }
        (edits, verdict, closed)
    }
}

/// At these a sentence, a cell or a block may end.
const CLOSING: &[u8] = b".!?\n\r|";

/// How far the claims and the ledger may lag behind plain prose (bytes).
const MAX_LAG: u64 = 2048;
/// More spaces than this at the end of a piece are looked at one by one.
const MAX_SPACES: usize = 8;

/// Bytes at which something other than a marker may start that matters.
const SPECIAL: &[u8] = b"\n\r[]*_~`$\\<./|";
