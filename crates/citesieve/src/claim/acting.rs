//! What the policy does about claims and quotes that fail: edits, and what must be held for them (rules, section 6).

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::pair;
use super::waiting::{Event, Fate, Waiting};
use crate::marker::action::Before;
use crate::policy::{FailedClaims, InlineQuotes, Release};
use crate::quote::{Cursor, State};
use crate::scan::is_spaceless;
use crate::{Edit, Policy, Reason, Sources};

/// A quote that is open and may lose its marks.
#[derive(Debug)]
struct Open {
    mark: Range<u64>,
    cursor: Cursor,
    words: String,
    /// Whether its opening mark is gone already.
    removed: bool,
}

/// The part of the claims that changes the text.
#[derive(Debug)]
pub(super) struct Acting {
    pub(super) policy: Arc<Policy>,
    pub(super) sources: Arc<Sources>,
    /// Whether the policy asks for anything here.
    pub(super) active: bool,
    /// Whether failed quotes lose their marks: only where every source can be searched.
    demotes: bool,
    open: Option<Open>,
    /// The last quote of the claim, as long as no marker follows it.
    pub(super) before: Option<Before>,
    /// Where the claim before this one in the same block ended.
    previous: Option<u64>,
    /// From here on spaces go with a claim that was left out before them.
    swallow: Option<u64>,
    /// Whether claims that cite a source wait until somebody has ruled on them.
    pub(super) awaits: bool,
    pub(super) waiting: Waiting,
    /// Nothing before this may be edited any more.
    floor: u64,
    pub(super) out: Vec<Edit>,
}

impl Acting {
    pub(super) fn new(policy: Arc<Policy>, sources: Arc<Sources>) -> Self {
        let searchable = sources.has_text() && sources.list().iter().all(|source| source.text.is_some());
        Acting {
            active: policy.acts_on_claims(),
            demotes: policy.inline_quotes == InlineQuotes::Demote && searchable,
            policy,
            sources,
            open: None,
            before: None,
            previous: None,
            swallow: None,
            awaits: false,
            waiting: Waiting::default(),
            floor: 0,
            out: Vec::new(),
        }
    }

    /// Claims that cite a source wait from here on, where the policy holds claims.
    pub(super) fn await_rulings(&mut self) {
        self.awaits = self.policy.release == Release::Claim;
    }

    /// Where text must be held: what is not `read` yet, the open quote, the claim that starts at `start`.
    pub(super) fn hold(&self, read: u64, start: Option<u64>) -> Option<u64> {
        if !self.active {
            return None;
        }
        let mut hold = read;
        if let Some(open) = self.open.as_ref().filter(|open| !open.removed) {
            hold = hold.min(open.mark.start);
        }
        if self.policy.release == Release::Claim {
            let gap = self.swallow.or(self.previous).or(self.waiting.start()).or(start);
            hold = gap.map_or(hold, |gap| hold.min(gap));
        }
        Some(hold.max(self.floor))
    }

    /// What is held leaves as it is, up to `at`, but for what is decided.
    pub(super) fn release(&mut self, at: u64) {
        self.waiting.give_up();
        self.advance();
        self.floor = self.floor.max(at);
        if self.open.as_ref().is_some_and(|open| !open.removed) {
            self.open = None;
        }
        self.previous = None;
        self.swallow = None;
    }

    /// A quote opens with this mark.
    pub(super) fn open_quote(&mut self, mark: Range<u64>) {
        if self.demotes && mark.start >= self.floor {
            let cursor = Cursor::new(Arc::clone(&self.sources)).with_elisions(self.policy.elisions);
            self.open = Some(Open { mark, cursor, words: String::new(), removed: false });
        }
    }

    /// The open quote goes on.
    pub(super) fn follow(&mut self, piece: &str) {
        let Some(open) = &mut self.open else { return };
        if open.removed {
            return;
        }
        open.words.push_str(piece);
        let dead = open.cursor.push(piece) == State::Dead;
        if dead && is_substantial(&open.words) && !pair::is_title(&open.words) {
            open.removed = true;
            let edit = failed_quote(open.mark.clone());
            self.emit(edit);
        }
    }

    /// The quote closes with this mark. Says whether it has lost its marks.
    pub(super) fn close_quote(&mut self, words: &str, mark: Range<u64>) -> bool {
        let open = self.open.take();
        if self.active {
            let failed = pair::is_failed(words, &self.sources, self.policy.elisions);
            self.before = Some(Before { words: words.to_owned(), failed });
        }
        let Some(open) = open else { return false };
        if open.removed {
            self.emit(failed_quote(mark));
            return true;
        }
        if !self.before.as_ref().is_some_and(|before| before.failed) {
            return false;
        }
        self.emit(failed_quote(open.mark));
        self.emit(failed_quote(mark));
        true
    }

    /// A claim starts.
    pub(super) fn begin(&mut self, at: u64) {
        self.happen(Event::Begin(at));
    }

    /// A claim ended.
    pub(super) fn end(&mut self, at: Range<u64>, fate: Fate) {
        self.open = None;
        self.before = None;
        if self.policy.release == Release::Claim {
            self.happen(Event::End { at, fate });
        }
    }

    /// A block ended.
    pub(super) fn border(&mut self) {
        self.happen(Event::Border);
    }

    fn happen(&mut self, event: Event) {
        if let Some(event) = self.waiting.take(event) {
            self.act(event);
        }
    }

    /// Acts on what need not wait any more.
    pub(super) fn advance(&mut self) {
        while let Some(event) = self.waiting.next() {
            self.act(event);
        }
    }

    fn act(&mut self, event: Event) {
        match event {
            Event::Begin(at) => self.act_on_begin(at),
            Event::End { at, fate } => self.act_on_end(at, fate == Fate::Fails),
            Event::Border => {
                self.previous = None;
                self.swallow = None;
            }
        }
    }

    fn act_on_begin(&mut self, at: u64) {
        if let Some(from) = self.swallow.take()
            && from < at
            && from >= self.floor
        {
            self.emit(Edit { at: from..at, with: Cow::Borrowed(""), why: Reason::FailedClaim });
        }
    }

    /// `failed`: it is marked or left out, as the policy says.
    fn act_on_end(&mut self, at: Range<u64>, failed: bool) {
        let gap = self.previous.replace(at.end);
        if !failed {
            return;
        }
        let start = gap.unwrap_or(at.start);
        match self.policy.failed_claims {
            FailedClaims::Keep => {}
            FailedClaims::Drop if start >= self.floor => {
                self.emit(Edit { at: start..at.end, with: Cow::Borrowed(""), why: Reason::FailedClaim });
                if gap.is_none() {
                    self.previous = None;
                    self.swallow = Some(at.end);
                }
            }
            FailedClaims::Drop | FailedClaims::Mark => {
                let with = Cow::Owned(self.policy.claim_mark.clone());
                self.emit(Edit { at: at.end..at.end, with, why: Reason::FailedClaim });
            }
        }
    }

    fn emit(&mut self, edit: Edit) {
        if edit.at.start >= self.floor {
            self.out.push(edit);
        }
    }
}

fn failed_quote(at: Range<u64>) -> Edit {
    Edit { at, with: Cow::Borrowed(""), why: Reason::FailedQuote }
}

/// Whether there are enough words to mean anything: three, or six characters where no spaces are written.
fn is_substantial(words: &str) -> bool {
    words.split_whitespace().count() > 3 || words.chars().filter(|c| is_spaceless(*c)).count() > 6
}
