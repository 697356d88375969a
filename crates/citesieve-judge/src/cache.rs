//! Judgements that were given before: the same claim, source, model and prompt get the same one.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use crate::parse::Ruled;
use crate::prompt::{PROMPT_VERSION, Source};

/// Remembers at most so many judgements; of those, the ones that were used last. Failures are not remembered.
#[derive(Debug)]
pub struct Cache {
    most: usize,
    /// Two keyed hashes make up a key, so that nobody can write a claim that meets another one's.
    hashers: [RandomState; 2],
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    rulings: HashMap<Key, (Ruled, u64)>,
    clock: u64,
}

/// What a judgement is remembered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key(u64, u64);

impl Cache {
    /// A cache of so many judgements; 0: none.
    pub fn new(most: usize) -> Self {
        Cache { most, hashers: [RandomState::new(), RandomState::new()], kept: Mutex::default() }
    }

    /// How many judgements are kept now.
    pub fn len(&self) -> usize {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).rulings.len()
    }

    /// Whether none is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn key(&self, model: &str, claim: &str, source: &Source<'_>) -> Key {
        let question = (PROMPT_VERSION, model, claim, source.id, source.title, source.texts);
        Key(self.hashers[0].hash_one(question), self.hashers[1].hash_one(question))
    }

    pub(crate) fn get(&self, key: Key) -> Option<Ruled> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        let (ruled, used) = kept.rulings.get_mut(&key)?;
        *used = now;
        Some(ruled.clone())
    }

    pub(crate) fn put(&self, key: Key, ruled: Ruled) {
        if self.most == 0 {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        kept.rulings.insert(key, (ruled, now));
        if kept.rulings.len() <= self.most {
            return;
        }
        // Down to three quarters, so that the next ones find room without a search.
        let mut ages: Vec<u64> = kept.rulings.values().map(|(_, used)| *used).collect();
        let keep = (self.most / 4 * 3).max(1);
        let oldest = ages.len() - keep;
        let (_, oldest, _) = ages.select_nth_unstable(oldest);
        let oldest = *oldest;
        kept.rulings.retain(|_, (_, used)| *used >= oldest);
    }
}

#[cfg(test)]
mod tests {
    use citesieve::Ruling;

    use super::*;

    fn ruled() -> Ruled {
        Ruled { ruling: Ruling::Supports, confidence: 0.9, reason: "It says so.".into() }
    }

    #[test]
    fn bounded_and_the_used_ones_stay() {
        let cache = Cache::new(100);
        let source = Source { id: "1", title: None, texts: &["Rent is due."] };
        let key = |n: usize| cache.key("m", &format!("claim {n}"), &source);
        for n in 0..1000 {
            cache.put(key(n), ruled());
            assert!(cache.get(key(0)).is_some(), "used all the time");
            assert!(cache.len() <= 100);
        }
        assert!(cache.len() >= 75 && cache.get(key(999)).is_some() && cache.get(key(500)).is_none());
        let none = Cache::new(0);
        none.put(key(1), ruled());
        assert!(none.is_empty());
    }

    #[test]
    fn whatever_differs_is_another_question() {
        let cache = Cache::new(10);
        let source = Source { id: "1", title: None, texts: &["Rent is due."] };
        let key = cache.key("m", "claim", &source);
        assert_eq!(key, cache.key("m", "claim", &source));
        assert_ne!(key, cache.key("n", "claim", &source));
        assert_ne!(key, cache.key("m", "claims", &source));
        assert_ne!(key, cache.key("m", "claim", &Source { id: "2", ..source }));
        assert_ne!(key, cache.key("m", "claim", &Source { title: Some("Lease"), ..source }));
        assert_ne!(key, cache.key("m", "claim", &Source { texts: &["Rent is late."], ..source }));
        assert_ne!(key, cache.key("m", "claim", &Source { texts: &["Rent is", " due."], ..source }));
    }
}
