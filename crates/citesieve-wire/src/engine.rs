//! The engine of a session: frames in, frames out, text through the sieves in between.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::BytesMut;
use citesieve::Sieve;

use crate::dialect::{Ends, Input, Order, Place, Reader, View, What};
use crate::emit::{Ending, Held, Placed, Ready, render};
use crate::frame::{self, Framing};
use crate::lane::Lane;
use crate::queue::{Entry, Queue};
use crate::report::Notes;
use crate::{Config, Dialect, Report};

#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) config: Config,
    pub(crate) framing: Framing,
    dialect: Option<Dialect>,
    reader: Option<Box<dyn Reader>>,
    lanes: Vec<Lane>,
    by_key: HashMap<u64, usize>,
    queue: Queue,
    /// A frame that ends a lane, until the next one shows whether it is the last of its kind.
    held: Option<Held>,
    verdict_sent: bool,
    notes: Notes,
    /// The body spells characters outside ASCII as they are.
    raw_text: bool,
    view: View,
    placed: Vec<Placed>,
    /// Lanes of the current frame.
    needs: Vec<(usize, u64)>,
    text: String,
}

impl Engine {
    pub(crate) fn new(config: Config) -> Self {
        Engine {
            dialect: config.dialect,
            reader: config.dialect.map(Dialect::reader),
            config,
            framing: Framing::Sse,
            lanes: Vec::new(),
            by_key: HashMap::new(),
            queue: Queue::default(),
            held: None,
            verdict_sent: false,
            notes: Notes::default(),
            raw_text: false,
            view: View::default(),
            placed: Vec::new(),
            needs: Vec::new(),
            text: String::new(),
        }
    }

    /// Takes a whole frame.
    pub(crate) fn frame(&mut self, raw: &[u8], out: &mut BytesMut) {
        match self.framing {
            Framing::Sse => {
                let event = frame::parse_event(raw);
                match &event.data {
                    // A comment, a bare `event:`, a `retry:`.
                    None => out.extend_from_slice(raw),
                    Some(data) if data.starts_with(b"[DONE]") => self.done(raw, out),
                    Some(data) => self.json(raw, data, |at| event.in_frame(at), out),
                }
            }
            Framing::Lines | Framing::Json => {
                // What stands around the items of an array, blank lines.
                let array = self.framing == Framing::Json;
                let around = |byte: &u8| byte.is_ascii_whitespace() || (array && matches!(byte, b'[' | b',' | b']'));
                let start = if raw.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
                match raw[start..].iter().position(|byte| !around(byte)) {
                    Some(more) => self.json(raw, &raw[start + more..], |at| at + start + more, out),
                    None => self.other(raw, out),
                }
            }
        }
    }

    /// Takes a part of a frame that is too long to be looked at; `first` of its parts.
    pub(crate) fn oversize(&mut self, part: &[u8], first: bool, out: &mut BytesMut) {
        if first {
            self.notes.add("frame", "too long: passed as it came".into());
            self.settle_all(out);
            self.resolve_held(false, out);
        }
        out.extend_from_slice(part);
    }

    /// The body is complete.
    pub(crate) fn end(&mut self, out: &mut BytesMut) {
        self.settle_all(out);
        self.resolve_held(true, out);
    }

    pub(crate) fn report(mut self) -> Report {
        self.lanes.iter_mut().for_each(Lane::conclude);
        let lanes = self.lanes.into_iter().flat_map(|lane| {
            let name = lane.name;
            lane.verdicts.into_iter().map(move |verdict| (name.clone(), verdict))
        });
        Report {
            lanes: lanes.collect(),
            dialect: self.dialect.map(|dialect| dialect.name().to_owned()),
            notes: self.notes.list(),
        }
    }

    pub(crate) fn texts(&self) -> Vec<(String, String)> {
        self.lanes.iter().map(|lane| (lane.name.clone(), lane.history.text().to_owned())).collect()
    }

    /// `[DONE]`: nothing comes after it.
    fn done(&mut self, raw: &[u8], out: &mut BytesMut) {
        self.settle_all(out);
        self.resolve_held(true, out);
        out.extend_from_slice(raw);
    }

    /// A frame of no lane, which keeps its place among all.
    fn other(&mut self, raw: &[u8], out: &mut BytesMut) {
        self.view.clear();
        self.view.order = Order::All;
        self.needs.clear();
        self.placed.clear();
        self.route(raw, None, out);
    }

    /// A frame that holds JSON. `in_frame` tells where a byte of `data` stands in `raw`.
    fn json(&mut self, raw: &[u8], data: &[u8], in_frame: impl Fn(usize) -> usize, out: &mut BytesMut) {
        let input = Input { data };
        if self.reader.is_none()
            && let Some(dialect) = Dialect::sniff(&input)
        {
            self.dialect = Some(dialect);
            self.reader = Some(dialect.reader());
        }
        self.view.clear();
        let Some(reader) = &mut self.reader else {
            self.notes.add("frame", "of an unknown dialect".into());
            return self.other(raw, out);
        };
        if reader.view(&input, &mut self.view).is_err() {
            self.notes.add("frame", "malformed JSON".into());
            return self.other(raw, out);
        }
        if self.view.unknown {
            self.notes.add("frame", "of an unknown shape".into());
        }
        for channel in self.view.unfiltered.drain(..) {
            self.notes.add("channel", channel);
        }
        if self.view.order == Order::Free {
            out.extend_from_slice(raw);
            return;
        }
        self.needs.clear();
        self.placed.clear();
        let mut view = std::mem::take(&mut self.view);
        for &key in &view.lanes {
            let lane = self.lane(key);
            self.need(lane, 0);
        }
        for place in &view.places {
            if self.place(place, data, &in_frame).is_err() {
                self.notes.add("frame", "malformed JSON string".into());
            }
        }
        for &key in &view.settle {
            let lane = self.lane(key);
            self.lanes[lane].settle();
        }
        for &key in &view.finished {
            let lane = self.lane(key);
            self.lanes[lane].finished = true;
        }
        if view.settle_all {
            self.lanes.iter_mut().for_each(Lane::settle);
        }
        if view.ends == Ends::Run {
            self.lanes.iter_mut().for_each(|lane| lane.finished = true);
        }
        let ending = (view.ends != Ends::Nothing).then(|| Ending {
            run: view.ends == Ends::Run,
            slot: view.slot.take().map(|slot| (in_frame(slot.tail.at), slot.tail.first, slot.around)),
        });
        let settled = view.settle_all;
        self.view = view;
        self.route(raw, ending, out);
        if settled {
            self.advance_all(out);
        }
    }

    /// The lane with this key, made if it is new.
    #[inline]
    fn lane(&mut self, key: u64) -> usize {
        // Nearly always the only one.
        if let Some(lane) = self.lanes.first()
            && lane.key == key
        {
            return 0;
        }
        if let Some(&lane) = self.by_key.get(&key) {
            return lane;
        }
        let name = self.reader.as_ref().map_or_else(|| key.to_string(), |reader| reader.lane_name(key));
        let sieve = new_sieve(&self.config);
        let mut lane = Lane::new(key, name, sieve);
        self.queue.open(&mut lane, self.lanes.len());
        self.by_key.insert(key, self.lanes.len());
        self.lanes.push(lane);
        self.lanes.len() - 1
    }

    /// The current frame belongs to this lane and must wait until its text is decided up to `to`.
    #[inline]
    fn need(&mut self, lane: usize, to: u64) {
        match self.needs.iter_mut().find(|(other, _)| *other == lane) {
            Some((_, need)) => *need = (*need).max(to),
            None => self.needs.push((lane, to)),
        }
    }

    /// Reads what stands at a place.
    #[inline]
    fn place(&mut self, place: &Place, data: &[u8], in_frame: &impl Fn(usize) -> usize) -> Result<(), ()> {
        let index = self.lane(place.lane);
        if place.what == What::Border {
            self.lanes[index].settle();
            return Ok(());
        }
        let at = in_frame(place.at.start)..in_frame(place.at.end - 1) + 1;
        if at.len() != place.at.len() && !matches!(place.what, What::Aligned(_)) {
            // A token over two lines of data: no JSON.
            return Err(());
        }
        let literal = matches!(place.what, What::Text | What::Whole | What::Excerpt(..) | What::Joined);
        let body = if literal { &data[place.at.start + 1..place.at.end - 1] } else { &[] };
        let mut buffer = std::mem::take(&mut self.text);
        let text = match crate::splice::plain(body) {
            Some(text) => {
                self.raw_text |= !text.is_ascii();
                text
            }
            None => {
                buffer.clear();
                let style = crate::splice::decode(body, &mut buffer).map_err(drop)?;
                self.raw_text |= style.raw;
                if style.invalid {
                    self.notes.add("text", "invalid UTF-8: read as U+FFFD, passed as it came".into());
                }
                &buffer
            }
        };
        let lane = &mut self.lanes[index];
        let config = &self.config;
        let (range, ready) = match place.what {
            What::Text => (lane.push(text, || new_sieve(config)), Ready::Text),
            What::Whole => {
                let known = lane.history.text();
                if text.len() >= known.len() && text.starts_with(known) && !lane.history.lost() {
                    let from = known.len();
                    if from < text.len() {
                        lane.push(&text[from..], || new_sieve(config));
                    }
                    (0..text.len() as u64, Ready::Text)
                } else if known.starts_with(text) && !lane.history.lost() {
                    (0..text.len() as u64, Ready::Text)
                } else {
                    // Not what was streamed. It is an answer all the same.
                    self.notes.add("repeat", "differs from what was streamed: read as an answer of its own".into());
                    (0..text.len() as u64, Ready::Own(edits_of(config, text)))
                }
            }
            What::Joined => (0..text.len() as u64, Ready::Own(edits_of(config, text))),
            What::Excerpt(start, unit) => {
                let known = lane.history.to_bytes(start, unit).map(|start| start as usize);
                match known.filter(|&start| lane.history.text()[start..].starts_with(text)) {
                    Some(start) => (start as u64..(start + text.len()) as u64, Ready::Text),
                    None => {
                        if !text.is_empty() {
                            self.notes.add("repeat", "of text that was not streamed: passed as it came".into());
                        }
                        (0..0, Ready::Text)
                    }
                }
            }
            What::Offset(offset) => {
                let byte = lane.history.to_bytes(offset.at.saturating_sub(offset.base), offset.unit);
                let byte = byte.unwrap_or(lane.pushed);
                (byte..byte, Ready::Offset(offset))
            }
            What::Aligned(with) => {
                let texts =
                    self.placed.iter().filter(|other| other.lane == index && matches!(other.ready, Ready::Text));
                let range = texts.map(|other| other.text.clone()).reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
                (range.unwrap_or(0..0), Ready::Aligned(with))
            }
            What::Border => return Ok(()),
        };
        self.text = buffer;
        let own = matches!(ready, Ready::Own(_));
        self.need(index, if own { 0 } else { range.end });
        self.placed.push(Placed { lane: index, at, text: range, ready });
        Ok(())
    }

    /// Sends the current frame, or lets it wait.
    fn route(&mut self, raw: &[u8], ending: Option<Ending>, out: &mut BytesMut) {
        let all = self.view.order == Order::All || self.needs.is_empty();
        let free = if all {
            self.queue.is_empty()
        } else {
            self.needs.iter().all(|&(lane, to)| self.lanes[lane].queue.is_empty() && self.lanes[lane].decided >= to)
        };
        if free {
            let mut placed = std::mem::take(&mut self.placed);
            self.send(raw, &mut placed, ending, 0, out);
            self.placed = placed;
            return;
        }
        if all {
            for lane in 0..self.lanes.len() {
                self.need(lane, 0);
            }
        }
        let splittable = self.view.splittable && self.config.split_frames_over > 0 && ending.is_none();
        let entry = Entry {
            raw: raw.to_vec(),
            from: self.placed.first().map_or(0, |placed| placed.text.start),
            placed: std::mem::take(&mut self.placed),
            needs: self.needs.clone(),
            waits_on: 0,
            all,
            ending,
            splittable,
        };
        let first_lane = self.needs.first().map(|&(lane, _)| lane);
        self.queue.push(entry, &mut self.lanes);
        for index in 0..self.needs.len() {
            let (lane, _) = self.needs[index];
            self.advance(lane, out);
        }
        if self.queue.bytes() > self.config.max_frame {
            self.notes.add("hold", "too many bytes of frames were waiting: decided early".into());
            match first_lane.filter(|_| !all) {
                Some(lane) => {
                    self.lanes[lane].settle();
                    self.advance(lane, out);
                }
                None => self.settle_all(out),
            }
            if self.queue.bytes() > self.config.max_frame {
                self.settle_all(out);
            }
        }
    }

    /// Sends what no longer waits in this lane, and in those that it shares frames with.
    fn advance(&mut self, lane: usize, out: &mut BytesMut) {
        let mut lanes = vec![lane];
        while let Some(lane) = lanes.pop() {
            while let Some(number) = self.lanes[lane].queue.front().copied() {
                let Some(mut entry) = self.queue.take_ready(number, &mut self.lanes) else {
                    self.split(number, out);
                    break;
                };
                lanes.extend(entry.needs.iter().map(|&(other, _)| other).filter(|&other| other != lane));
                self.send(&entry.raw, &mut entry.placed, entry.ending, entry.from, out);
            }
        }
    }

    fn advance_all(&mut self, out: &mut BytesMut) {
        for lane in 0..self.lanes.len() {
            self.advance(lane, out);
        }
    }

    fn settle_all(&mut self, out: &mut BytesMut) {
        self.lanes.iter_mut().for_each(Lane::settle);
        self.advance_all(out);
    }

    /// Sends the decided part of a frame that waits at the head of its lane, if that is worth it.
    fn split(&mut self, number: usize, out: &mut BytesMut) {
        let Some(entry) = self.queue.get_mut(number) else { return };
        let (true, [placed]) = (entry.splittable, &entry.placed[..]) else { return };
        let lane = &self.lanes[placed.lane];
        let decided = lane.decided.min(placed.text.end);
        if lane.queue.front() != Some(&number)
            || decided.saturating_sub(entry.from) <= self.config.split_frames_over as u64
        {
            return;
        }
        let wanted = std::mem::replace(&mut entry.from, decided)..decided;
        if let Some(held) = self.held.take() {
            held.plain(out);
        }
        render(&entry.raw, &mut entry.placed, Some(wanted), &self.lanes, !self.raw_text, out);
    }

    /// Writes a frame whose text is decided; of a frame that was split the part behind `from`.
    fn send(&mut self, raw: &[u8], placed: &mut [Placed], ending: Option<Ending>, from: u64, out: &mut BytesMut) {
        let wanted = match placed {
            [only] if from > only.text.start => Some(from..only.text.end),
            _ => None,
        };
        let ascii = !self.raw_text;
        match ending {
            Some(ending) if self.config.verdict && self.config.sources.known() && ending.slot.is_some() => {
                if ending.run {
                    self.resolve_held(false, out);
                } else if let Some(held) = self.held.take() {
                    held.plain(out);
                }
                let held = Held::new(raw, placed, ending, &self.lanes, ascii);
                if held.run && !self.verdict_sent {
                    self.send_verdict(held, out);
                } else {
                    self.held = Some(held);
                }
            }
            _ => {
                if self.held.is_some() {
                    self.resolve_held(false, out);
                }
                render(raw, placed, wanted, &self.lanes, ascii, out);
            }
        }
        for placed in placed {
            self.lanes[placed.lane].left(placed.text.end);
        }
    }

    /// Sends the frame that ended the last lane: with the verdict if no lane is open or nothing else comes.
    fn resolve_held(&mut self, last: bool, out: &mut BytesMut) {
        let Some(held) = self.held.take() else { return };
        if !self.verdict_sent && (last || self.lanes.iter().all(|lane| lane.finished)) {
            self.send_verdict(held, out);
        } else {
            held.plain(out);
        }
    }

    fn send_verdict(&mut self, held: Held, out: &mut BytesMut) {
        self.verdict_sent = true;
        self.lanes.iter_mut().for_each(Lane::conclude);
        let verdict = crate::emit::verdict(&self.lanes, self.notes.list());
        held.with_verdict(&verdict, out);
    }
}

/// The edits of a text that is an answer of its own.
fn edits_of(config: &Config, text: &str) -> Vec<citesieve::Edit> {
    let mut sieve = new_sieve(config);
    let mut edits = sieve.push(text).edits.to_vec();
    edits.extend(sieve.finish().0);
    edits
}

fn new_sieve(config: &Config) -> Sieve {
    Sieve::new(Arc::clone(&config.policy), Arc::clone(&config.sources))
}
