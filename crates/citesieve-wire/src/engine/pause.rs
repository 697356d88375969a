//! Pausing: where text ends or is interrupted while claims in it are still to be ruled on.
//!
//! Claims wait in the sieve, and the frames behind them in the queue, as for any other decision. What cannot wait there is
//! a frame that decides everything: it ends a text, or something that is no text comes. It is kept as it is, and everything
//! after it, until the claims have been ruled on.

use bytes::BytesMut;
use citesieve::{Judgement, Release};

use super::Engine;
use crate::dialect::{Ends, View, What};
use crate::lane::Lane;

/// Where the engine stopped.
#[derive(Debug)]
pub(super) enum Pause {
    /// In a frame that was viewed, before what stands at this place of it.
    Frame(Vec<u8>, Box<View>, usize),
    /// Before `[DONE]`.
    Done(Vec<u8>),
    /// At the end of the body.
    End,
}

impl Engine {
    /// Whether nothing more is taken before claims have been ruled on.
    pub(crate) fn is_paused(&self) -> bool {
        self.pause.is_some()
    }

    /// How many claims wait for a ruling.
    pub(crate) fn waiting_claims(&self) -> usize {
        if self.awaits { self.lanes.iter().map(|lane| lane.waiting()).sum() } else { 0 }
    }

    /// Somebody has ruled on a claim.
    pub(crate) fn rule(
        &mut self,
        lane: &str,
        verdict: usize,
        position: usize,
        judgement: Option<Judgement>,
        out: &mut BytesMut,
    ) {
        let Some(index) = self.lanes.iter().position(|known| known.name == lane) else { return };
        self.lanes[index].rule(verdict, position, judgement);
        // Where the text has ended, a notice may still have to stand behind it: they leave together.
        if self.pause.is_none() || self.config.policy.notice.is_none() {
            self.advance(index, out);
            self.queue.tidy(&mut self.lanes);
        }
    }

    /// Nobody will rule any more: claims leave as they are.
    pub(crate) fn give_up(&mut self) {
        self.awaits = false;
    }

    /// More waits behind the claims than may: they leave as they are.
    pub(crate) fn too_much_waits(&mut self) {
        self.notes.add("hold", "too many bytes of frames were waiting: decided early".into());
        self.lanes.iter_mut().for_each(Lane::settle_held);
    }

    /// Goes on where it stopped, if no claims are in the way any more.
    pub(crate) fn resume(&mut self, out: &mut BytesMut) {
        if self.waiting_claims() > 0 {
            return;
        }
        match self.pause.take() {
            None => {}
            Some(Pause::Frame(raw, view, next)) => self.take(&raw, Some((*view, next)), out),
            Some(Pause::Done(raw)) => self.done(&raw, out),
            Some(Pause::End) => self.end(out),
        }
    }

    /// Whether the text of this lane, which ends here or is interrupted, has claims that wait for a ruling.
    pub(super) fn holds_up(&mut self, index: usize, ends: bool) -> bool {
        if !self.awaits || self.release != Release::Claim {
            return false;
        }
        let lane = &mut self.lanes[index];
        if lane.interruptions != self.interruptions {
            // Its claims were ruled on when it was interrupted.
            return false;
        }
        if ends {
            lane.close();
        } else {
            lane.pause();
        }
        // The claims that this has completed are to be handed over.
        if !std::mem::replace(&mut lane.fresh, true) {
            self.fresh.push(index);
        }
        self.lanes[index].waiting() > 0
    }

    /// As [`Engine::holds_up`], of all lanes.
    pub(super) fn all_hold_up(&mut self, ends: bool) -> bool {
        // Each is to be closed, so that all are ruled on at the same time.
        let mut any = false;
        for index in 0..self.lanes.len() {
            any |= self.holds_up(index, ends);
        }
        any
    }

    /// Whether what the frame does after its places has to wait.
    pub(super) fn frame_holds_up(&mut self, view: &View) -> bool {
        if !self.awaits {
            return false;
        }
        let mut any = false;
        for &key in &view.complete {
            let index = self.lane(key);
            any |= self.holds_up(index, true);
        }
        if view.ends == Ends::Run {
            any |= self.all_hold_up(true);
        } else if view.interrupt_all {
            any |= self.all_hold_up(false);
        } else if view.settle_all {
            any |= self.waiting_claims() > 0;
        }
        any
    }

    /// Whether what stands at a place has to wait.
    pub(super) fn place_holds_up(&mut self, key: u64, what: &What) -> bool {
        if !self.awaits {
            return false;
        }
        match what {
            What::Interruption => {
                let index = self.lane(key);
                self.holds_up(index, false)
            }
            // The sentence may go on behind it.
            What::Border => {
                let index = self.lane(key);
                self.lanes[index].waiting() > 0
            }
            _ => false,
        }
    }
}
