//! [`Shelf`]: what is kept for a while.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::time::{Duration, Instant};

/// What is kept for a while, by its key. The oldest go when their time is over, and when there are too many, or too many
/// bytes of them.
#[derive(Debug)]
pub(crate) struct Shelf<K, V> {
    keep: Duration,
    count: usize,
    most: usize,
    by_key: HashMap<K, (V, usize)>,
    /// In the order in which they go.
    order: VecDeque<(Instant, K)>,
    bytes: usize,
}

impl<K: Hash + Eq + Clone, V> Shelf<K, V> {
    /// Keeps each for this long, at most so many, and so many bytes of them.
    pub(crate) fn new(keep: Duration, count: usize, most: usize) -> Self {
        Shelf { keep, count, most, by_key: HashMap::new(), order: VecDeque::new(), bytes: 0 }
    }

    /// Keeps a value of so many bytes. What is there under its key is replaced; the new one goes when that would have gone.
    pub(crate) fn put(&mut self, key: K, value: V, bytes: usize, now: Instant) {
        self.bytes += bytes;
        match self.by_key.insert(key.clone(), (value, bytes)) {
            Some((_, old)) => self.bytes -= old,
            None => self.order.push_back((now, key)),
        }
        self.tidy(now);
    }

    /// What there is, if its time is not over.
    pub(crate) fn get(&mut self, key: &K, now: Instant) -> Option<&V> {
        self.tidy(now);
        self.by_key.get(key).map(|(value, _)| value)
    }

    /// Whether anything is kept for any time.
    pub(crate) fn keeps(&self) -> bool {
        !self.keep.is_zero()
    }

    /// The bytes of what is kept, and how many there are.
    #[cfg(test)]
    pub(crate) fn size(&self) -> (usize, usize) {
        assert_eq!(self.order.len(), self.by_key.len());
        (self.bytes, self.order.len())
    }

    fn tidy(&mut self, now: Instant) {
        while let Some((since, _)) = self.order.front() {
            let old = now.duration_since(*since) >= self.keep;
            if !old && self.order.len() <= self.count && self.bytes <= self.most {
                break;
            }
            let Some((_, key)) = self.order.pop_front() else { break };
            self.bytes -= self.by_key.remove(&key).map_or(0, |(_, bytes)| bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn the_oldest_go_first() {
        let now = Instant::now();
        for (count, most) in [(2, 100), (100, 4)] {
            let mut shelf = Shelf::new(HOUR, count, most);
            ["a", "b", "c"].into_iter().for_each(|key| shelf.put(key, key, 2, now));
            assert_eq!(["a", "b", "c"].map(|key| shelf.get(&key, now).is_some()), [false, true, true]);
        }
    }

    #[test]
    fn what_is_replaced_counts_once_and_goes_when_the_first_would_have_gone() {
        let now = Instant::now();
        let mut shelf = Shelf::new(HOUR, 2, 100);
        for (value, bytes) in [(1, 1), (2, 7), (3, 3)] {
            shelf.put("a", value, bytes, now + HOUR / 2);
        }
        assert_eq!((shelf.size(), shelf.get(&"a", now + HOUR)), ((3, 1), Some(&3)));
        shelf.put("b", 4, 1, now + HOUR);
        shelf.put("a", 5, 1, now + HOUR);
        assert_eq!(shelf.get(&"a", now + HOUR + HOUR / 2), None);
        assert_eq!(shelf.get(&"b", now + HOUR + HOUR / 2), Some(&4));
    }

    #[test]
    fn what_is_old_is_gone_and_leaves_nothing() {
        let now = Instant::now();
        for (keep, count) in [(HOUR, 9), (Duration::ZERO, 9), (HOUR, 0)] {
            let mut shelf = Shelf::new(keep, count, 100);
            shelf.put("a", (), 7, now);
            assert_eq!(shelf.get(&"a", now).is_some(), keep == HOUR && count > 0);
            assert_eq!(shelf.get(&"a", now + HOUR), None);
            assert_eq!(shelf.size(), (0, 0));
        }
    }
}
