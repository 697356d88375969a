//! Rulings: claims that wait until somebody outside, a model mostly, has said what they are worth (rules, section 7).

use super::{Decided, Sieve};
use crate::Judgement;
use crate::claim::Token;

impl Sieve {
    /// Holds each claim that cites a source until somebody has ruled on it, where the policy holds claims
    /// ([`crate::Release::Claim`]); gathers the words of claims as [`Sieve::gathering_claims`] does. To be called before
    /// the first piece.
    ///
    /// Who asks for this rules on every claim that [`Sieve::closed_claims`] hands over, with [`Sieve::rule`]; a claim that
    /// is not ruled on waits until more than the policy's `max_hold` is held, or the answer is over, and then leaves as it
    /// is. A claim that fails by its own quotes or markers does not wait.
    #[must_use]
    pub fn awaiting_rulings(mut self) -> Self {
        self.claims.await_rulings();
        self
    }

    /// How many claims wait for a ruling. Those that nobody has taken with [`Sieve::closed_claims`] count too.
    pub fn waiting(&self) -> usize {
        self.claims.waiting()
    }

    /// Somebody has ruled on the claim with this [`crate::ClosedClaim::position`]: what is decided by that.
    ///
    /// A claim that is judged `unrelated` or `contradicts` fails: it is kept, marked or left out as the policy's
    /// `failed_claims` says. All others leave as they are; `None` says that there was nothing to judge, or that it took
    /// too long. The verdict has the judgement, and its status follows (see [`crate::Verdict::judge`]), whether the claim
    /// waited or not. May come for any claim in any order; text leaves in its own. A position that is not known is passed
    /// over.
    pub fn rule(&mut self, position: usize, judgement: Option<Judgement>) -> Decided<'_> {
        let fails = judgement.as_ref().is_some_and(|judgement| judgement.ruling.is_failure());
        if let Some(judgement) = judgement {
            self.tally.judge(position, judgement);
        }
        self.claims.rule(position, fails);
        if self.reads {
            self.take_claims();
        }
        let to = self.watermark(self.settled());
        self.release(to)
    }

    /// No more text comes: completes the last claims, so that they can be ruled on before [`Sieve::finish`] lets go what
    /// waits. Has no effect on what is decided then.
    ///
    /// Text that is pushed all the same passes without being read.
    pub fn close(&mut self) -> Decided<'_> {
        self.end_text();
        let to = match self.claims.waiting() {
            0 if !self.answering => self.text.end(),
            _ => self.watermark(self.settled()),
        };
        self.release(to)
    }

    /// The text is complete: ends whatever is open in it.
    pub(super) fn end_text(&mut self) {
        if std::mem::replace(&mut self.complete, true) || !self.reads {
            return;
        }
        self.quiet = false;
        self.end_start_of_line();
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
        self.claims.finish(&self.text);
        self.take_claims();
    }
}
