//! When frames leave, and in which order.

use bytes::BytesMut;

use super::Engine;
use crate::dialect::Order;
use crate::emit::{Ending, Held, Placed, Ready, Template, render};
use crate::queue::{Entry, Kind};

impl Engine {
    /// Sends the current frame, or lets it wait.
    pub(super) fn route(&mut self, raw: &[u8], ending: Option<Ending>, out: &mut BytesMut) {
        let all = self.view.order == Order::All || self.needs.is_empty();
        let copyable = self.copyable;
        let lingers = !self.view.borders.is_empty() && self.config.policy.notice.is_some() && self.sources.known();
        for &(index, _) in &self.needs {
            self.queue.join(index, &mut self.lanes[index]);
            if !self.view.passive {
                self.queue.hurry(&mut self.lanes[index]);
            }
        }
        let free = if all {
            self.queue.is_empty()
        } else {
            self.needs.iter().all(|&(lane, to)| self.lanes[lane].queue.is_empty() && self.lanes[lane].decided >= to)
        };
        if free && !lingers {
            let mut placed = std::mem::take(&mut self.placed);
            self.send(raw, &mut placed, Kind { ending, copyable }, 0, out);
            self.placed = placed;
            return;
        }
        if all {
            self.queue.tidy(&mut self.lanes);
            for index in 0..self.queue.active().len() {
                let lane = self.queue.active()[index];
                self.need(lane, 0);
                if !self.view.passive {
                    self.queue.hurry(&mut self.lanes[lane]);
                }
            }
        }
        let lingers = lingers && !all;
        let splittable = self.view.splittable && self.config.split_frames_over > 0 && ending.is_none();
        let entry = Entry {
            raw: raw.to_vec(),
            from: self.placed.first().map_or(0, |placed| placed.text.start),
            placed: std::mem::take(&mut self.placed),
            needs: self.needs.clone(),
            waits_on: 0,
            all,
            kind: Kind { ending, copyable },
            splittable,
            lingers,
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
    pub(super) fn advance(&mut self, lane: usize, out: &mut BytesMut) {
        if self.lanes[lane].queue.is_empty() {
            return;
        }
        let mut lanes = vec![lane];
        while let Some(lane) = lanes.pop() {
            while let Some(number) = self.lanes[lane].queue.front().copied() {
                let Some(mut entry) = self.queue.take_ready(number, &mut self.lanes) else {
                    self.split(number, out);
                    break;
                };
                lanes.extend(entry.needs.iter().map(|&(other, _)| other).filter(|&other| other != lane));
                self.send(&entry.raw, &mut entry.placed, entry.kind, entry.from, out);
            }
        }
    }

    /// The text of a lane is complete: decides all of it and sends it. What is to stand behind text that has left goes
    /// into a copy of the frame that brought the last of it.
    pub(super) fn complete(&mut self, index: usize, out: &mut BytesMut) {
        let lane = &mut self.lanes[index];
        if lane.interruptions != self.interruptions {
            lane.interruptions = self.interruptions;
            lane.interrupt();
        }
        lane.complete();
        if let Some(edit) = self.lanes[index].owed() {
            match &self.lanes[index].template {
                Some(template) => {
                    if let Some(held) = self.held.take() {
                        held.plain(out);
                    }
                    template.write(&edit.with, !self.raw_text, &self.lanes, out);
                    self.lanes[index].inserted = self.lanes[index].pushed;
                }
                None => self.notes.add("text", "to be put behind the answer found no place".into()),
            }
        }
        self.advance(index, out);
    }

    /// No lane has more text.
    pub(super) fn complete_all(&mut self, out: &mut BytesMut) {
        if !std::mem::take(&mut self.incomplete) {
            return self.settle_all(out);
        }
        for index in 0..self.lanes.len() {
            self.complete(index, out);
            self.lanes[index].finished = true;
            self.advance(index, out);
        }
        self.queue.tidy(&mut self.lanes);
    }

    /// Decides all text that is held, and sends what waited for it.
    pub(super) fn settle_all(&mut self, out: &mut BytesMut) {
        for index in 0..self.queue.active().len() {
            let lane = &mut self.lanes[self.queue.active()[index]];
            lane.settle_held();
        }
        for index in 0..self.queue.active().len() {
            let lane = self.queue.active()[index];
            self.queue.hurry(&mut self.lanes[lane]);
        }
        for index in 0..self.queue.active().len() {
            self.advance(self.queue.active()[index], out);
        }
        self.queue.tidy(&mut self.lanes);
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
    fn send(&mut self, raw: &[u8], placed: &mut [Placed], kind: Kind, from: u64, out: &mut BytesMut) {
        let ending = kind.ending;
        let wanted = match placed {
            [only] if from > only.text.start => Some(from..only.text.end),
            _ => None,
        };
        let ascii = !self.raw_text;
        match ending {
            Some(ending) if self.config.verdict && self.sources.known() && ending.slot.is_some() => {
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
        let keep = self.config.policy.notice.is_some() && ending.is_none() && kind.copyable;
        for place in placed.iter() {
            let lane = &mut self.lanes[place.lane];
            if place.closes(lane) {
                lane.inserted = lane.pushed;
            }
            if keep && matches!(place.ready, Ready::Text) && !place.text.is_empty() {
                lane.template = Template::new(raw, placed, place.lane).or(lane.template.take());
            }
        }
        for placed in placed {
            if matches!(placed.ready, Ready::Text) {
                self.lanes[placed.lane].left(placed.text.end);
            }
        }
    }

    /// Sends the frame that ended the last lane: with the verdict if no lane is open or nothing else comes.
    pub(super) fn resolve_held(&mut self, last: bool, out: &mut BytesMut) {
        let Some(held) = self.held.take() else { return };
        if !self.verdict_sent && (last || self.lanes.iter().all(|lane| lane.finished)) {
            self.send_verdict(held, out);
        } else {
            held.plain(out);
        }
    }

    fn send_verdict(&mut self, held: Held, out: &mut BytesMut) {
        self.verdict_sent = true;
        self.conclude();
        let verdict = crate::wire_verdict::write(&self.lanes, self.notes.list(), self.config.origin.as_deref());
        held.with_verdict(&verdict, out);
    }
}
