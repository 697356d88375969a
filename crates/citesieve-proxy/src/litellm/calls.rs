//! The sources of calls under way.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use citesieve::{Policy, Sources};

use crate::shelf::Shelf;

/// What is known about a call from its request.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) sources: Arc<Sources>,
    pub(super) policy: Arc<Policy>,
    /// How the sources were found.
    pub(super) from: &'static str,
}

impl Call {
    /// Bytes of the texts that are kept for it.
    fn bytes(&self) -> usize {
        self.sources.list().iter().map(|source| source.text.as_ref().map_or(0, String::len) + source.id.len()).sum()
    }
}

/// The sources of calls under way, by the call's id.
#[derive(Debug)]
pub(super) struct Calls(Mutex<Shelf<String, Call>>);

impl Calls {
    pub(super) fn new(keep: Duration, count: usize, most: usize) -> Self {
        Calls(Mutex::new(Shelf::new(keep, count, most)))
    }

    /// Remembers a call, in place of what was known about it.
    pub(super) fn put(&self, id: String, call: Call, now: Instant) {
        let bytes = call.bytes();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(id, call, bytes, now);
    }

    /// What is known about a call.
    pub(super) fn get(&self, id: &String, now: Instant) -> Option<Call> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id, now).cloned()
    }
}

#[cfg(test)]
mod tests {
    use citesieve::Source;

    use super::*;

    fn call(text: &str) -> Call {
        let sources = Sources::new(vec![Source::new("1").text(text)]).unwrap();
        Call { sources: Arc::new(sources), policy: Arc::default(), from: "" }
    }

    #[test]
    fn the_oldest_go_first_and_a_replaced_one_counts_once() {
        let now = Instant::now();
        for (count, bytes) in [(2, 1000), (100, 24)] {
            let calls = Calls::new(Duration::from_secs(9), count, bytes);
            for id in ["a", "a", "a", "b"] {
                calls.put(id.into(), call("ten bytes."), now);
            }
            assert!(calls.get(&"a".into(), now).is_some() && calls.get(&"b".into(), now).is_some());
            calls.put("c".into(), call("ten bytes."), now);
            assert!(calls.get(&"a".into(), now).is_none());
            assert!(calls.get(&"b".into(), now).is_some() && calls.get(&"c".into(), now).is_some());
        }
    }

    #[test]
    fn what_is_old_is_gone_and_leaves_nothing() {
        let now = Instant::now();
        let calls = Calls::new(Duration::from_secs(9), 10, 1000);
        calls.put("a".into(), call("x"), now);
        assert!(calls.get(&"a".into(), now + Duration::from_secs(8)).is_some());
        assert!(calls.get(&"a".into(), now + Duration::from_secs(9)).is_none());
        assert_eq!(calls.0.lock().unwrap().size(), (0, 0));
    }
}
