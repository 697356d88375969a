//! Frames that wait for their text to be decided.
//!
//! Each lane has a queue of frame numbers; a frame that concerns several lanes stands in each of their queues and
//! leaves when it is at the head of all of them. So order is kept within a lane, lanes do not wait for each other
//! unless a frame ties them, and no queue is ever searched.

use std::collections::VecDeque;

use crate::emit::{Ending, Placed};
use crate::lane::Lane;

/// What a frame is beside its places.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) ending: Option<Ending>,
    /// It holds nothing but text that would count twice if it were sent again with other text.
    pub(crate) copyable: bool,
}

/// A frame that waits.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) raw: Vec<u8>,
    pub(crate) placed: Vec<Placed>,
    /// Its lanes, and up to where their text must be decided.
    pub(crate) needs: Vec<(usize, u64)>,
    /// The one of its lanes that was not ready when last looked at.
    pub(crate) waits_on: usize,
    /// It keeps its place among the frames of all lanes, those included that do not exist yet.
    pub(crate) all: bool,
    pub(crate) kind: Kind,
    pub(crate) splittable: bool,
    /// It ends a block: while something may still have to be put behind the text, it waits until another block comes.
    pub(crate) lingers: bool,
    /// Where its text begins in the lane; later, if the frame was split, up to where it has been sent.
    pub(crate) from: u64,
}

/// All frames that wait.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    entries: Vec<Option<Entry>>,
    unused: Vec<usize>,
    /// The frames among them that concern all lanes, in order. Each stands in the queues of the lanes in which
    /// something waited when it came, and of those that had a frame since.
    all: VecDeque<usize>,
    /// Lanes in which frames wait, and some in which none does any more.
    active: Vec<usize>,
    bytes: usize,
    len: usize,
}

impl Entry {
    /// What it takes to keep it, in bytes.
    fn size(&self) -> usize {
        self.raw.len() + size_of_val(&self.needs[..]) + size_of_val(&self.placed[..])
    }
}

impl Queue {
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes that the frames that wait take.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// A lane is about to have a frame: if none waits in it, those that concern all lanes go first.
    #[inline]
    pub(crate) fn join(&mut self, index: usize, lane: &mut Lane) {
        if self.all.is_empty() || !lane.queue.is_empty() {
            return;
        }
        for &number in &self.all {
            if let Some(entry) = &mut self.entries[number] {
                entry.needs.push((index, 0));
                lane.queue.push_back(number);
                self.bytes += size_of::<(usize, u64)>();
            }
        }
        self.activate(index, lane);
    }

    fn activate(&mut self, index: usize, lane: &mut Lane) {
        if !lane.active {
            lane.active = true;
            self.active.push(index);
        }
    }

    /// The lanes in which frames wait.
    pub(crate) fn active(&self) -> &[usize] {
        &self.active
    }

    /// Forgets lanes in which nothing waits any more.
    pub(crate) fn tidy(&mut self, lanes: &mut [Lane]) {
        self.active.retain(|&index| {
            lanes[index].active = !lanes[index].queue.is_empty();
            lanes[index].active
        });
    }

    pub(crate) fn push(&mut self, entry: Entry, lanes: &mut [Lane]) {
        self.bytes += entry.size();
        self.len += 1;
        let number = self.unused.pop().unwrap_or_else(|| {
            self.entries.push(None);
            self.entries.len() - 1
        });
        for &(index, _) in &entry.needs {
            lanes[index].queue.push_back(number);
            if entry.lingers {
                lanes[index].lingering = Some(number);
            }
            self.activate(index, &mut lanes[index]);
        }
        if entry.all {
            self.all.push_back(number);
        }
        self.entries[number] = Some(entry);
    }

    /// The frame that lingers in a lane need not wait any more.
    #[inline]
    pub(crate) fn hurry(&mut self, lane: &mut Lane) {
        if let Some(number) = lane.lingering.take()
            && let Some(entry) = self.get_mut(number)
        {
            entry.lingers = false;
        }
    }

    pub(crate) fn get_mut(&mut self, number: usize) -> Option<&mut Entry> {
        self.entries.get_mut(number).and_then(Option::as_mut)
    }

    /// Takes a frame out if it is at the head of all its lanes and its text is decided.
    pub(crate) fn take_ready(&mut self, number: usize, lanes: &mut [Lane]) -> Option<Entry> {
        let entry = self.entries.get_mut(number)?.as_mut()?;
        if entry.lingers && !entry.needs.iter().all(|&(lane, _)| lanes[lane].finished) {
            return None;
        }
        // The lane that it waited for last is the likeliest to be in the way still.
        let count = entry.needs.len();
        for step in 0..count {
            let index = (entry.waits_on + step) % count;
            let (lane, to) = entry.needs[index];
            if lanes[lane].queue.front() != Some(&number) || lanes[lane].decided < to {
                entry.waits_on = index;
                return None;
            }
        }
        let entry = self.entries[number].take()?;
        for &(lane, _) in &entry.needs {
            lanes[lane].queue.pop_front();
            if entry.lingers {
                lanes[lane].lingering = None;
            }
        }
        if entry.all {
            // They leave in order, but for those that waited for other lanes only.
            match self.all.front() {
                Some(&first) if first == number => drop(self.all.pop_front()),
                _ => self.all.retain(|&other| other != number),
            }
        }
        self.unused.push(number);
        self.bytes = self.bytes.saturating_sub(entry.size());
        self.len -= 1;
        Some(entry)
    }
}
