//! [`Sieving`]: a session under way in a body, and what is owed to those who watch it.

use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes, BytesMut};
use citesieve::{Sources, Unchecked};
use citesieve_wire::{LaneClaim, LaneRuling, Report, Session};

use crate::{BodyReport, Ended};

pub(crate) type Tell = Box<dyn FnOnce(BodyReport) + Send + Sync>;
pub(crate) type TakeClaims = Box<dyn FnMut(Arc<Sources>, Vec<LaneClaim>) + Send + Sync>;
pub(crate) type PollRuling = Box<dyn FnMut(&mut Context<'_>) -> Poll<LaneRuling> + Send + Sync>;

/// A session under way.
pub(crate) struct Sieving {
    /// `None`: nothing is read, only counted.
    pub(crate) session: Option<Session>,
    /// What there is to say beside what the session says.
    pub(crate) notes: Vec<Unchecked>,
    /// The bytes pass as they are, whatever the session makes of them.
    pub(crate) pass: bool,
    pub(crate) out: BytesMut,
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
    /// What the session holds, as of the last time that this changed.
    pub(crate) held: usize,
    pub(crate) tell: Option<Tell>,
    pub(crate) take_claims: Option<TakeClaims>,
    pub(crate) poll_ruling: Option<PollRuling>,
}

impl Sieving {
    /// Takes a piece of the inner body; what may leave now, if anything.
    pub(crate) fn push(&mut self, mut data: impl Buf) -> Option<Bytes> {
        self.bytes_in += data.remaining() as u64;
        let bytes = data.copy_to_bytes(data.remaining());
        let leaves = match &mut self.session {
            Some(session) => session.forward(&bytes, &mut self.out),
            None => true,
        };
        self.hand_over_claims();
        if leaves || self.pass {
            self.held = 0;
            self.bytes_out += bytes.len() as u64;
            return (!bytes.is_empty()).then_some(bytes);
        }
        self.held = self.session.as_ref().map_or(0, Session::held);
        self.leave()
    }

    /// Hands over what claims have become complete.
    pub(crate) fn hand_over_claims(&mut self) {
        if let (Some(take), Some(session)) = (&mut self.take_claims, &mut self.session) {
            let claims = session.closed_claims();
            if !claims.is_empty() {
                take(session.sources(), claims);
            }
        }
    }

    /// Takes the rulings that are there, as long as claims wait; what may leave by that.
    pub(crate) fn rulings(&mut self, cx: &mut Context<'_>) -> Option<Bytes> {
        while let (Some(poll), Some(session)) = (&mut self.poll_ruling, &mut self.session)
            && session.waiting() > 0
            && let Poll::Ready(ruling) = poll(cx)
        {
            session.rule(ruling, &mut self.out);
            self.held = session.held();
            // What waited behind it may have completed others.
            self.hand_over_claims();
        }
        self.leave()
    }

    /// Whether the session takes nothing more for now.
    pub(crate) fn is_paused(&self) -> bool {
        self.poll_ruling.is_some() && self.session.as_ref().is_some_and(Session::is_paused)
    }

    /// Whether claims are still to be ruled on.
    pub(crate) fn waits(&self) -> bool {
        self.poll_ruling.is_some() && self.session.as_ref().is_some_and(|session| session.waiting() > 0)
    }

    /// The inner body is over: hands over the last claims if somebody rules on them. What may leave now, if not all may:
    /// then there are claims that wait.
    pub(crate) fn close(&mut self) -> Option<Bytes> {
        if self.poll_ruling.is_some()
            && let Some(session) = &mut self.session
        {
            session.close(&mut self.out);
            self.held = session.held();
            self.hand_over_claims();
        }
        self.leave()
    }

    /// What stands in the buffer, all in one piece.
    pub(crate) fn leave(&mut self) -> Option<Bytes> {
        if self.out.is_empty() {
            return None;
        }
        self.bytes_out += self.out.len() as u64;
        Some(self.out.split().freeze())
    }

    /// The body is over: reports; what was held, if anything may leave.
    pub(crate) fn finish(&mut self, ended: Ended) -> Option<Bytes> {
        let tell = self.tell.take()?;
        let frames = self.session.as_ref().map_or(0, Session::frames);
        let mut report = match self.session.take() {
            Some(session) => {
                let sources = session.sources();
                let (report, claims) = session.finish_with_claims(&mut self.out);
                if let Some(take) = self.take_claims.as_mut().filter(|_| !claims.is_empty()) {
                    take(sources, claims);
                }
                report
            }
            None => Report::default(),
        };
        report.notes.append(&mut self.notes);
        if self.pass || ended == Ended::Dropped {
            self.out.clear();
        }
        self.held = 0;
        let rest = self.leave();
        tell(BodyReport { report, ended, bytes_in: self.bytes_in, bytes_out: self.bytes_out, frames });
        rest
    }
}

impl Drop for Sieving {
    fn drop(&mut self) {
        self.finish(Ended::Dropped);
    }
}
