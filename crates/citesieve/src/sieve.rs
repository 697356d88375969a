//! [`Sieve`]: reads the stream, says what is decided.

use std::sync::Arc;

use crate::{Edit, Policy, Sources, Verdict};

/// What a call to [`Sieve::push`] decided.
#[derive(Debug)]
pub struct Decided<'a> {
    /// Everything before this byte of the input is final.
    pub to: u64,
    /// The edits that became final now, in order; none of them reaches beyond `to`.
    pub edits: &'a [Edit],
}

/// The sieve: one per answer.
#[derive(Debug)]
pub struct Sieve {
    #[allow(dead_code)]
    policy: Arc<Policy>,
    #[allow(dead_code)]
    sources: Arc<Sources>,
    len: u64,
    edits: Vec<Edit>,
}

impl Sieve {
    /// A sieve at the start of an answer.
    pub fn new(policy: Arc<Policy>, sources: Arc<Sources>) -> Self {
        Sieve { policy, sources, len: 0, edits: Vec::new() }
    }

    /// Takes the next piece of the answer.
    pub fn push(&mut self, delta: &str) -> Decided<'_> {
        self.len += delta.len() as u64;
        self.edits.clear();
        Decided { to: self.len, edits: &self.edits }
    }

    /// Decides everything that is held, as if the answer ended here, yet goes on afterwards: for the border between
    /// two text blocks of one answer, and before an event that must not overtake text.
    pub fn barrier(&mut self) -> Decided<'_> {
        self.edits.clear();
        Decided { to: self.len, edits: &self.edits }
    }

    /// Bytes not yet decided; never more than the policy's bound.
    pub fn held(&self) -> usize {
        0
    }

    /// The answer is complete: the edits that were not final yet, and the verdict.
    pub fn finish(self) -> (Vec<Edit>, Verdict) {
        (Vec::new(), Verdict::default())
    }
}
