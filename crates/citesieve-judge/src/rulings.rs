//! [`Rulings`]: which claims have been heard of, for text that waits for them.

use std::collections::{BTreeMap, VecDeque};

/// Claims by position: those of which calls are out, and those that are decided.
#[derive(Debug, Default)]
pub(crate) struct Rulings {
    /// How many sources of a claim have not been heard.
    open: BTreeMap<usize, usize>,
    decided: VecDeque<usize>,
}

impl Rulings {
    /// A claim came, about which so many calls are made.
    pub(crate) fn open(&mut self, position: usize, calls: usize) {
        match calls {
            0 => self.decided.push_back(position),
            _ => drop(self.open.insert(position, calls)),
        }
    }

    /// One of the calls is over.
    pub(crate) fn heard(&mut self, position: usize) {
        if let Some(left) = self.open.get_mut(&position) {
            *left -= 1;
            if *left == 0 {
                self.open.remove(&position);
                self.decided.push_back(position);
            }
        }
    }

    /// The next claim that is decided.
    pub(crate) fn next(&mut self) -> Option<usize> {
        self.decided.pop_front()
    }
}
