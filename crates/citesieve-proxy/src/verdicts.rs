//! Records that are kept for a while, by id.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::record::Id;
use crate::shelf::Shelf;

/// Records that are kept for a while, and the answers that have none yet.
#[derive(Debug)]
pub(crate) struct Verdicts(Mutex<Kept>);

#[derive(Debug)]
struct Kept {
    running: HashSet<Id>,
    records: Shelf<Id, Bytes>,
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
        Verdicts(Mutex::new(Kept { running: HashSet::new(), records: Shelf::new(keep, count, most) }))
    }

    /// An answer begins.
    pub(crate) fn begin(&self, id: Id) {
        let mut kept = self.lock();
        if kept.records.keeps() {
            kept.running.insert(id);
        }
    }

    /// An answer is over. What is kept under its id already is replaced.
    pub(crate) fn end(&self, id: Id, record: Bytes) {
        let mut kept = self.lock();
        kept.running.remove(&id);
        let bytes = record.len();
        kept.records.put(id, record, bytes, Instant::now());
    }

    pub(crate) fn get(&self, id: Id) -> Found {
        let Kept { running, records } = &mut *self.lock();
        match records.get(&id, Instant::now()) {
            Some(record) => Found::Record(record.clone()),
            None if running.contains(&id) => Found::Running,
            None => Found::Nothing,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        assert_eq!(store(hour, 1, 100, &["a", "b"]).0.lock().records.size(), (1, 1));
    }

    #[test]
    fn nothing_is_kept_for_no_time() {
        for (keep, count) in [(Duration::ZERO, 9), (Duration::from_nanos(1), 9), (Duration::from_secs(9), 0)] {
            let (verdicts, ids) = store(keep, count, 100, &["a"]);
            assert_eq!(verdicts.get(ids[0]), Found::Nothing);
            assert_eq!(verdicts.lock().records.size(), (0, 0));
        }
    }

    #[test]
    fn what_is_replaced_counts_once() {
        let (verdicts, ids) = store(Duration::from_secs(3600), 9, 100, &["a"]);
        verdicts.end(ids[0], Bytes::from_static(b"bcd"));
        assert_eq!(verdicts.get(ids[0]), Found::Record(Bytes::from_static(b"bcd")));
        assert_eq!(verdicts.lock().records.size(), (3, 1));
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
