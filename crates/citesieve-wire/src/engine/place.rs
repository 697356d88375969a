//! Reading what stands at the places that a dialect notes.

use citesieve::{Edit, Sieve};

use super::{Engine, new_sieve};
use crate::dialect::{Place, Unit, What};
use crate::emit::{Placed, Ready};

impl Engine {
    /// Reads what stands at a place.
    #[inline]
    pub(super) fn place(&mut self, place: &Place, data: &[u8], in_frame: &impl Fn(usize) -> usize) -> Result<(), ()> {
        let index = self.lane(place.lane);
        match place.what {
            What::Border => self.lanes[index].settle(),
            What::Interruption => self.lanes[index].interrupt(),
            What::Block => self.lanes[index].begin_block(),
            _ => return self.read(index, place, data, in_frame),
        }
        Ok(())
    }

    /// Reads a place that is one.
    #[inline]
    fn read(&mut self, index: usize, place: &Place, data: &[u8], in_frame: &impl Fn(usize) -> usize) -> Result<(), ()> {
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
        if lane.interruptions != self.interruptions {
            lane.interruptions = self.interruptions;
            lane.interrupt();
        }
        self.incomplete |= literal;
        if (self.config.claims || self.config.rulings) && !std::mem::replace(&mut lane.fresh, true) {
            self.fresh.push(index);
        }
        let (config, sources) = (&self.config, &self.sources);
        let (range, ready) = match place.what {
            What::Text => (lane.push(text, || new_sieve(config, sources)), Ready::Text),
            What::Whole => {
                let known = lane.history.text();
                if text.len() >= known.len() && text.starts_with(known) && !lane.history.lost() {
                    let from = known.len();
                    if from < text.len() {
                        lane.push(&text[from..], || new_sieve(config, sources));
                    }
                    (0..text.len() as u64, Ready::Whole)
                } else if known.starts_with(text) && !lane.history.lost() {
                    (0..text.len() as u64, Ready::Whole)
                } else {
                    // Not what was streamed. It is an answer all the same.
                    self.notes.add("repeat", "differs from what was streamed: read as an answer of its own".into());
                    (0..text.len() as u64, Ready::Own(edits_of(new_sieve(config, sources), text)))
                }
            }
            What::Joined => (0..text.len() as u64, Ready::Own(edits_of(new_sieve(config, sources), text))),
            What::Excerpt(start, unit) => {
                let known = lane.history.to_bytes(start, unit).map(|start| start as usize);
                let repeats =
                    |start: &usize| lane.history.text().get(*start..).is_some_and(|known| known.starts_with(text));
                match known.filter(repeats) {
                    Some(start) => (start as u64..(start + text.len()) as u64, Ready::Excerpt),
                    None => {
                        if !text.is_empty() {
                            self.notes.add("repeat", "of text that was not streamed: passed as it came".into());
                        }
                        (0..0, Ready::Excerpt)
                    }
                }
            }
            What::Offset(mut offset) => {
                offset.block = if offset.unit == Unit::Bytes { lane.block.0 } else { lane.block.1 };
                let at = (offset.at + offset.block).saturating_sub(offset.base);
                let byte = lane.history.to_bytes(at, offset.unit);
                let byte = byte.unwrap_or(lane.pushed);
                (byte..byte, Ready::Offset(offset))
            }
            What::Aligned(with) => {
                let (number, range) = &lane.frame_text;
                (if *number == self.number { range.clone() } else { 0..0 }, Ready::Aligned(with))
            }
            What::Border | What::Interruption | What::Block => return Ok(()),
        };
        if matches!(ready, Ready::Text | Ready::Whole) {
            let (number, text) = &mut lane.frame_text;
            if *number == self.number {
                *text = text.start.min(range.start)..text.end.max(range.end);
            } else {
                lane.frame_text = (self.number, range.clone());
            }
        }
        self.text = buffer;
        let own = matches!(ready, Ready::Own(_));
        self.need(index, if own { 0 } else { range.end });
        self.placed.push(Placed { lane: index, at, text: range, ready });
        Ok(())
    }
}

/// The edits of a text that is an answer of its own.
fn edits_of(mut sieve: Sieve, text: &str) -> Vec<Edit> {
    let mut edits = sieve.push(text).edits.to_vec();
    edits.extend(sieve.finish().0);
    edits
}
