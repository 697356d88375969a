//! When frames leave, and in which order.

use bytes::BytesMut;

use super::Engine;
use crate::dialect::Order;
use crate::emit::{Ending, Held, Placed, render};
use crate::queue::Entry;

impl Engine {
    /// Sends the current frame, or lets it wait.
    pub(super) fn route(&mut self, raw: &[u8], ending: Option<Ending>, out: &mut BytesMut) {
        let all = self.view.order == Order::All || self.needs.is_empty();
        for &(index, _) in &self.needs {
            self.queue.join(index, &mut self.lanes[index]);
        }
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
            self.queue.tidy(&mut self.lanes);
            for index in 0..self.queue.active().len() {
                self.need(self.queue.active()[index], 0);
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
                self.send(&entry.raw, &mut entry.placed, entry.ending, entry.from, out);
            }
        }
    }

    /// Decides all text that is held, and sends what waited for it.
    pub(super) fn settle_all(&mut self, out: &mut BytesMut) {
        for index in 0..self.queue.active().len() {
            self.lanes[self.queue.active()[index]].settle_held();
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
    fn send(&mut self, raw: &[u8], placed: &mut [Placed], ending: Option<Ending>, from: u64, out: &mut BytesMut) {
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
        for placed in placed {
            self.lanes[placed.lane].left(placed.text.end);
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
        let verdict = crate::emit::verdict(&self.lanes, self.notes.list());
        held.with_verdict(&verdict, out);
    }
}
