//! The short way for frames that differ from the one before in their text only.
//!
//! Nearly all frames of a streamed answer are alike but for one string literal. Such a frame needs no parsing: what stands
//! around its text is the same bytes, and the text has no byte that could end a literal or spell anything, so it is the same
//! tokens, and the view of it would be the same view with another text.

use std::ops::Range;

use bytes::BytesMut;

use super::{Engine, new_sieve};
use crate::dialect::{Ends, Order, View, What};
use crate::emit::{Placed, Ready};

/// A frame that brought text to one lane and did nothing else, without that text.
#[derive(Debug, Default)]
pub(super) struct Shape {
    /// What stands before the text, its quotation mark included, and after it; empty: nothing is known.
    around: Vec<u8>,
    /// How much of that stands before it.
    before: usize,
    /// The lane, by its place in the list.
    lane: usize,
    splittable: bool,
}

impl Shape {
    /// The frame that comes next is of another shape, or what is known about it holds no more.
    pub(super) fn forget(&mut self) {
        self.around.clear();
    }

    /// The text of a frame of this shape, and where it stands in the frame.
    #[inline]
    fn text<'a>(&self, raw: &'a [u8]) -> Option<(&'a str, Range<usize>)> {
        if self.around.is_empty() || raw.len() <= self.around.len() {
            return None;
        }
        let (before, after) = self.around.split_at(self.before);
        if !raw.starts_with(before) || !raw.ends_with(after) {
            return None;
        }
        let at = before.len()..raw.len() - after.len();
        let text = &raw[at.clone()];
        if text.iter().any(|byte| matches!(byte, 0..0x20 | b'"' | b'\\')) {
            return None;
        }
        Some((std::str::from_utf8(text).ok()?, at))
    }
}

/// What became of a frame that was offered as one like the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alike {
    /// It is not like the last one; nothing was done.
    No,
    /// It leaves, as it is and at once.
    Leaves,
    /// It waits, or has left with edits.
    Taken,
}

/// Whether a frame does nothing but bring text to one lane.
fn only_brings_text(view: &View) -> bool {
    let [place] = &view.places[..] else { return false };
    place.what == What::Text
        && view.order == Order::Lanes
        && view.ends == Ends::Nothing
        && view.lanes.iter().all(|lane| *lane == place.lane)
        && view.complete.is_empty()
        && view.borders.is_empty()
        && view.finished.is_empty()
        && !(view.passive || view.settle_all || view.interrupt_all || view.unknown)
}

impl Engine {
    /// Takes note of a frame that was viewed and read, for those like it.
    pub(super) fn learn_shape(&mut self, raw: &[u8], view: &View) {
        let [Placed { lane, at, ready: Ready::Text, text }] = &self.placed[..] else { return };
        if text.is_empty() || !self.copyable || !only_brings_text(view) {
            return;
        }
        let shape = &mut self.shape;
        shape.around.extend_from_slice(&raw[..=at.start]);
        shape.around.extend_from_slice(&raw[at.end - 1..]);
        (shape.before, shape.lane, shape.splittable) = (at.start + 1, *lane, view.splittable);
    }

    /// Takes a piece that has come where a frame begins, if it is a frame that differs from the last one in its text only.
    ///
    /// As that one was, it is a whole frame: it has the same line ends, and an LF ends both.
    pub(crate) fn offer(&mut self, piece: &[u8], out: &mut BytesMut) -> Alike {
        if self.failed || !self.shape.around.ends_with(b"\n") || piece.len() > self.config.max_frame {
            return Alike::No;
        }
        self.take_alike(piece, out)
    }

    /// Takes a frame that differs from the last one in its text only.
    pub(super) fn take_alike(&mut self, raw: &[u8], out: &mut BytesMut) -> Alike {
        let Some((text, at)) = self.shape.text(raw) else { return Alike::No };
        let index = self.shape.lane;
        self.number += 1;
        self.raw_text |= !text.is_ascii();
        self.incomplete = true;
        let lane = &mut self.lanes[index];
        if lane.interruptions != self.interruptions {
            lane.interruptions = self.interruptions;
            lane.interrupt();
        }
        if (self.config.claims || self.config.rulings) && !std::mem::replace(&mut lane.fresh, true) {
            self.fresh.push(index);
        }
        let (config, sources) = (&self.config, &self.sources);
        let range = lane.push(text, || new_sieve(config, sources));
        lane.frame_text = (self.number, range.clone());
        let free = self.queue.is_empty() && self.held.is_none() && self.config.policy.notice.is_none();
        if free && lane.decided >= range.end && lane.edits(&range, true).is_empty() {
            lane.left(range.end);
            return Alike::Leaves;
        }
        self.needs.clear();
        self.placed.clear();
        self.need(index, range.end);
        self.placed.push(Placed { lane: index, at: at.start - 1..at.end + 1, text: range, ready: Ready::Text });
        self.view.clear();
        self.view.splittable = self.shape.splittable;
        self.copyable = true;
        self.route(raw, None, out);
        Alike::Taken
    }
}
