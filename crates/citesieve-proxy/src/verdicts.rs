//! Records that are kept for a while, by id.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::record::Id;

/// Records that are kept for a while. The oldest go when there are too many, or too many bytes of them.
#[derive(Debug)]
pub(crate) struct Verdicts {
    keep: Duration,
    count: usize,
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    running: HashSet<Id>,
    by_id: HashMap<Id, Bytes>,
    /// In the order in which they go.
    order: VecDeque<(Instant, Id)>,
    bytes: usize,
}

/// What there is under an id.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The record.
    Record(Bytes),
    /// The answer is still under way.
    Running,
    /// Nothing, or nothing any more.
    Nothing,
}

impl Verdicts {
    pub(crate) fn new(keep: Duration, count: usize, most: usize) -> Self {
        Verdicts { keep, count, most, kept: Mutex::default() }
    }

    /// An answer begins.
    pub(crate) fn begin(&self, id: Id) {
        if !self.keep.is_zero() {
            self.lock().running.insert(id);
        }
    }

    /// An answer is over. What is kept under its id already is replaced, and goes when that would have gone.
    pub(crate) fn end(&self, id: Id, record: Bytes) {
        let now = Instant::now();
        let kept = &mut *self.lock();
        kept.running.remove(&id);
        if self.keep.is_zero() || self.count == 0 {
            return;
        }
        kept.bytes += record.len();
        match kept.by_id.insert(id, record) {
            Some(old) => kept.bytes -= old.len(),
            None => kept.order.push_back((now, id)),
        }
        self.tidy(kept, now);
    }

    pub(crate) fn get(&self, id: Id) -> Found {
        let kept = &mut *self.lock();
        self.tidy(kept, Instant::now());
        match kept.by_id.get(&id) {
            Some(record) => Found::Record(record.clone()),
            None if kept.running.contains(&id) => Found::Running,
            None => Found::Nothing,
        }
    }

    fn tidy(&self, kept: &mut Kept, now: Instant) {
        while let Some(&(since, id)) = kept.order.front() {
            let old = now.duration_since(since) >= self.keep;
            if !old && kept.order.len() <= self.count && kept.bytes <= self.most {
                break;
            }
            kept.order.pop_front();
            kept.bytes -= kept.by_id.remove(&id).map_or(0, |record| record.len());
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(keep: Duration, count: usize, most: usize, records: &[&'static str]) -> (Verdicts, Vec<Id>) {
        let verdicts = Verdicts::new(keep, count, most);
        let ids: Vec<Id> = records.iter().map(|_| Id::new().unwrap()).collect();
        for (&id, record) in ids.iter().zip(records) {
            verdicts.begin(id);
            assert_eq!(verdicts.get(id), if keep.is_zero() { Found::Nothing } else { Found::Running });
            verdicts.end(id, Bytes::from_static(record.as_bytes()));
        }
        (verdicts, ids)
    }

    #[test]
    fn the_oldest_go_first() {
        let hour = Duration::from_secs(3600);
        for (count, most) in [(2, 100), (100, 4)] {
            let (verdicts, ids) = store(hour, count, most, &["aa", "bb", "cc"]);
            let found: Vec<bool> = ids.iter().map(|&id| verdicts.get(id) != Found::Nothing).collect();
            assert_eq!(found, [false, true, true]);
        }
        assert_eq!(store(hour, 1, 100, &["a", "b"]).0.lock().bytes, 1);
    }

    #[test]
    fn nothing_is_kept_for_no_time() {
        for (keep, count) in [(Duration::ZERO, 9), (Duration::from_nanos(1), 9), (Duration::from_secs(9), 0)] {
            let (verdicts, ids) = store(keep, count, 100, &["a"]);
            assert_eq!(verdicts.get(ids[0]), Found::Nothing);
            assert_eq!(verdicts.lock().bytes, 0);
        }
    }

    #[test]
    fn what_is_replaced_counts_once() {
        let (verdicts, ids) = store(Duration::from_secs(3600), 9, 100, &["a"]);
        verdicts.end(ids[0], Bytes::from_static(b"bcd"));
        assert_eq!(verdicts.get(ids[0]), Found::Record(Bytes::from_static(b"bcd")));
        let kept = verdicts.lock();
        assert_eq!((kept.bytes, kept.order.len()), (3, 1));
    }

    #[test]
    fn ids_are_read_as_they_are_written() {
        let id = Id::new().unwrap();
        assert_eq!(Id::parse(&id.to_string()), Some(id));
        assert_eq!(id.to_string().len(), 32);
        let uuid = "084ebff7-1bd3-457c-8949-3f37cfa1a701";
        assert_eq!(Id::parse(uuid).unwrap().to_string(), uuid.replace('-', ""));
        for wrong in [
            "",
            "7",
            "084ebff71bd3-457c-8949-3f37cfa1a701",
            "084ebff7-1bd3-457c-8949-3f37cfa1a7zz",
            "+000000000000000000000000000000f",
            "g0000000000000000000000000000000",
        ] {
            assert_eq!(Id::parse(wrong), None);
        }
    }
}
