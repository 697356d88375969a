//! The sources of calls under way.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use citesieve::{Policy, Sources};

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

/// The sources of calls under way, by the call's id. The oldest go when their time is over, or when there are too many, or
/// too many bytes of them.
#[derive(Debug)]
pub(super) struct Calls {
    keep: Duration,
    count: usize,
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    by_id: HashMap<String, (u64, Call)>,
    /// In the order in which they go. An entry whose number is not that of the call was replaced.
    order: VecDeque<(Instant, u64, String)>,
    bytes: usize,
    number: u64,
}

impl Calls {
    pub(super) fn new(keep: Duration, count: usize, most: usize) -> Self {
        Calls { keep, count, most, kept: Mutex::default() }
    }

    /// Remembers a call, in place of what was known about it.
    pub(super) fn put(&self, id: String, call: Call, now: Instant) {
        let kept = &mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.number += 1;
        kept.bytes += call.bytes();
        kept.order.push_back((now, kept.number, id.clone()));
        if let Some((_, old)) = kept.by_id.insert(id, (kept.number, call)) {
            kept.bytes -= old.bytes();
        }
        self.tidy(kept, now);
    }

    /// What is known about a call.
    pub(super) fn get(&self, id: &str, now: Instant) -> Option<Call> {
        let kept = &mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        self.tidy(kept, now);
        kept.by_id.get(id).map(|(_, call)| call.clone())
    }

    fn tidy(&self, kept: &mut Kept, now: Instant) {
        while let Some((since, number, id)) = kept.order.front() {
            let replaced = kept.by_id.get(id).is_none_or(|(current, _)| current != number);
            let old = now.duration_since(*since) >= self.keep;
            if !replaced && !old && kept.by_id.len() <= self.count && kept.bytes <= self.most {
                break;
            }
            let Some((_, _, id)) = kept.order.pop_front() else { break };
            if !replaced && let Some((_, call)) = kept.by_id.remove(&id) {
                kept.bytes -= call.bytes();
            }
        }
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
            assert!(calls.get("a", now).is_some() && calls.get("b", now).is_some());
            calls.put("c".into(), call("ten bytes."), now);
            assert!(calls.get("a", now).is_none());
            assert!(calls.get("b", now).is_some() && calls.get("c", now).is_some());
        }
    }

    #[test]
    fn what_is_old_is_gone_and_leaves_nothing() {
        let now = Instant::now();
        let calls = Calls::new(Duration::from_secs(9), 10, 1000);
        calls.put("a".into(), call("x"), now);
        assert!(calls.get("a", now + Duration::from_secs(8)).is_some());
        assert!(calls.get("a", now + Duration::from_secs(9)).is_none());
        let kept = calls.kept.lock().unwrap();
        assert_eq!((kept.bytes, kept.order.len(), kept.by_id.len()), (0, 0, 0));
    }
}
