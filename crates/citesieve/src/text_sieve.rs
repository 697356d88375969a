//! [`TextSieve`]: the sieve for those who want text, not edits.

use std::sync::Arc;

use crate::{ClosedClaim, Decided, Edit, Judgement, Policy, Sieve, Sources, Verdict};

/// A [`Sieve`] that keeps the undecided tail and applies the edits: text in, checked text out.
#[derive(Debug)]
pub struct TextSieve {
    sieve: Sieve,
    /// Input from `start` on that has not left yet.
    tail: String,
    /// Position of `tail` in the input, in bytes.
    start: u64,
    out: String,
}

impl TextSieve {
    /// A sieve at the start of an answer.
    pub fn new(policy: Arc<Policy>, sources: Arc<Sources>) -> Self {
        TextSieve { sieve: Sieve::new(policy, sources), tail: String::new(), start: 0, out: String::new() }
    }

    /// Gathers the words of claims: see [`Sieve::gathering_claims`].
    #[must_use]
    pub fn gathering_claims(mut self) -> Self {
        self.sieve = self.sieve.gathering_claims();
        self
    }

    /// The claims that have become complete since the last call: see [`Sieve::closed_claims`].
    pub fn closed_claims(&mut self) -> Vec<ClosedClaim> {
        self.sieve.closed_claims()
    }

    /// As [`Sieve::awaiting_sources`].
    pub fn awaiting_sources(policy: Arc<Policy>) -> Self {
        TextSieve { sieve: Sieve::awaiting_sources(policy), tail: String::new(), start: 0, out: String::new() }
    }

    /// As [`Sieve::set_sources`].
    pub fn set_sources(&mut self, sources: Arc<Sources>) {
        self.sieve.set_sources(sources);
    }

    /// Takes the next piece of the answer and returns what may be shown now (possibly nothing).
    ///
    /// Cost is linear in the delta, amortised. Never fails.
    pub fn push(&mut self, delta: &str) -> &str {
        self.out.clear();
        let decided = self.sieve.push(delta);
        if self.tail.is_empty() && decided.edits.is_empty() && decided.to == self.start + delta.len() as u64 {
            self.start = decided.to;
            self.out.push_str(delta);
            return &self.out;
        }
        let decided_now = (decided.to - self.start) as usize;
        if decided.edits.is_empty() && decided_now >= self.tail.len() {
            let (now, later) = delta.split_at(decided_now - self.tail.len());
            self.out.push_str(&self.tail);
            self.out.push_str(now);
            self.tail.clear();
            self.tail.push_str(later);
            self.start = decided.to;
            return &self.out;
        }
        self.tail.push_str(delta);
        leave(&mut self.tail, &mut self.start, &decided, &mut self.out);
        &self.out
    }

    /// As [`Sieve::awaiting_rulings`].
    #[must_use]
    pub fn awaiting_rulings(mut self) -> Self {
        self.sieve = self.sieve.awaiting_rulings();
        self
    }

    /// As [`Sieve::waiting`].
    pub fn waiting(&self) -> usize {
        self.sieve.waiting()
    }

    /// As [`Sieve::rule`]: returns what may be shown now (possibly nothing).
    pub fn rule(&mut self, position: usize, judgement: Option<Judgement>) -> &str {
        self.out.clear();
        let decided = self.sieve.rule(position, judgement);
        leave(&mut self.tail, &mut self.start, &decided, &mut self.out);
        &self.out
    }

    /// As [`Sieve::close`]: returns what may be shown now (possibly nothing).
    pub fn close(&mut self) -> &str {
        self.out.clear();
        let decided = self.sieve.close();
        leave(&mut self.tail, &mut self.start, &decided, &mut self.out);
        &self.out
    }

    /// Bytes of input that have not been decided yet.
    pub fn held(&self) -> usize {
        self.sieve.held()
    }

    /// The answer is complete: returns the rest of the text and the verdict.
    pub fn finish(self) -> (String, Verdict) {
        let (rest, verdict, _) = self.finish_with_claims();
        (rest, verdict)
    }

    /// The answer is complete: returns the rest of the text, the verdict, and the claims that nobody has taken.
    pub fn finish_with_claims(mut self) -> (String, Verdict, Vec<ClosedClaim>) {
        let end = self.start + self.tail.len() as u64;
        let (edits, verdict, claims) = self.sieve.finish_with_claims();
        self.out.clear();
        apply(&self.tail, self.start, end, &edits, &mut self.out);
        (self.out, verdict, claims)
    }
}

/// Moves what is decided out of the tail.
fn leave(tail: &mut String, start: &mut u64, decided: &Decided<'_>, out: &mut String) {
    apply(tail, *start, decided.to, decided.edits, out);
    tail.drain(..(decided.to - *start) as usize);
    *start = decided.to;
}

/// Writes the input `start..to` with its edits to `out`. `tail` begins at `start`.
fn apply(tail: &str, start: u64, to: u64, edits: &[Edit], out: &mut String) {
    let mut from = 0;
    for edit in edits {
        out.push_str(&tail[from..(edit.at.start - start) as usize]);
        out.push_str(&edit.with);
        from = (edit.at.end - start) as usize;
    }
    out.push_str(&tail[from..(to - start) as usize]);
}
