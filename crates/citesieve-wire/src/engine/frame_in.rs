//! A frame comes in: it is viewed, what stands at its places is read, and what it ends is ended.

use bytes::BytesMut;
use citesieve::Release;

use super::Engine;
use super::pause::Pause;
use crate::Dialect;
use crate::dialect::{Ends, Input, Order, View};
use crate::emit::Ending;
use crate::frame::{self, Framing};

impl Engine {
    /// Takes a frame, or goes on with one that was viewed, at this place.
    pub(super) fn take(&mut self, raw: &[u8], resumed: Option<(View, usize)>, out: &mut BytesMut) {
        match self.framing {
            Framing::Sse => {
                let event = frame::parse_event(raw);
                match &event.data {
                    // A comment, a bare `event:`, a `retry:`.
                    None => out.extend_from_slice(raw),
                    Some(data) if data.starts_with(b"[DONE]") => self.done(raw, out),
                    Some(data) => self.json(raw, data, resumed, |at| event.in_frame(at), out),
                }
            }
            Framing::Lines | Framing::Json => {
                // What stands around the items of an array, blank lines.
                let array = self.framing == Framing::Json;
                let around = |byte: &u8| byte.is_ascii_whitespace() || (array && matches!(byte, b'[' | b',' | b']'));
                let start = if raw.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
                match raw[start..].iter().position(|byte| !around(byte)) {
                    Some(more) => self.json(raw, &raw[start + more..], resumed, |at| at + start + more, out),
                    None => self.other(raw, out),
                }
            }
        }
    }

    /// A frame that holds JSON. `in_frame` tells where a byte of `data` stands in `raw`.
    fn json(
        &mut self,
        raw: &[u8],
        data: &[u8],
        resumed: Option<(View, usize)>,
        in_frame: impl Fn(usize) -> usize,
        out: &mut BytesMut,
    ) {
        self.shape.forget();
        if let Some((view, next)) = resumed {
            return self.act(raw, data, view, next, in_frame, out);
        }
        let input = Input { data, sources: self.config.response_sources };
        if self.reader.is_none()
            && let Some(dialect) = Dialect::sniff(&input)
        {
            self.dialect = Some(dialect);
            self.reader = Some(dialect.reader());
        }
        self.view.clear();
        let Some(reader) = &mut self.reader else {
            if !self.bad_frame("of an unknown dialect", out) {
                self.other(raw, out);
            }
            return;
        };
        if reader.view(&input, &mut self.view).is_err() {
            if !self.bad_frame("malformed JSON", out) {
                self.other(raw, out);
            }
            return;
        }
        if self.view.unknown {
            self.notes.add("frame", "of an unknown shape".into());
        }
        self.copyable = self.view.unfiltered.is_empty();
        for channel in self.view.unfiltered.drain(..) {
            self.notes.add("channel", channel);
        }
        if self.view.order == Order::Free {
            out.extend_from_slice(raw);
            return;
        }
        self.start_frame();
        if !self.view.sources.is_empty() {
            self.take_sources();
        }
        let view = std::mem::take(&mut self.view);
        for &key in &view.lanes {
            let lane = self.lane(key);
            self.need(lane, 0);
        }
        self.act(raw, data, view, 0, in_frame, out);
    }

    /// Does what a frame that was viewed is about, from this place of it on.
    fn act(
        &mut self,
        raw: &[u8],
        data: &[u8],
        mut view: View,
        next: usize,
        in_frame: impl Fn(usize) -> usize,
        out: &mut BytesMut,
    ) {
        for (index, place) in view.places.iter().enumerate().skip(next) {
            if self.place_holds_up(place.lane, &place.what) {
                self.pause = Some(Pause::Frame(raw.to_vec(), Box::new(view), index));
                return;
            }
            if self.place(place, data, &in_frame).is_err() && self.bad_frame("malformed JSON string", out) {
                return;
            }
        }
        self.learn_shape(raw, &view);
        if self.frame_holds_up(&view) {
            let next = view.places.len();
            self.pause = Some(Pause::Frame(raw.to_vec(), Box::new(view), next));
            return;
        }
        for &key in &view.borders {
            let lane = self.lane(key);
            self.lanes[lane].border();
        }
        for &key in &view.complete {
            let lane = self.lane(key);
            self.complete(lane, out);
        }
        for &key in &view.finished {
            let lane = self.lane(key);
            self.lanes[lane].finished = true;
        }
        self.interruptions += u64::from(view.interrupt_all);
        if view.ends == Ends::Run || (view.settle_all && self.release == Release::Answer) {
            self.complete_all(out);
        } else if view.settle_all || (view.interrupt_all && self.release != Release::Answer) {
            self.needs.iter().for_each(|&(lane, _)| self.lanes[lane].settle_held());
            self.settle_all(out);
        }
        let ending = (view.ends != Ends::Nothing).then(|| Ending {
            run: view.ends == Ends::Run,
            slot: view.slot.take().map(|slot| (in_frame(slot.tail.at), slot.tail.first, slot.around)),
        });
        self.view = view;
        self.route(raw, ending, out);
    }
}
