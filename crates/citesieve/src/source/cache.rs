//! Folded texts, kept between sets of sources.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use super::Format;
use super::fold::{Folded, fold_source};

/// Folded passages by the hash of their content, so that answers whose sources overlap fold each passage once.
///
/// Bounded: when it is full, the passages that were used least recently go. Share it by `Arc`; see
/// [`super::Sources::with_cache`].
#[derive(Debug)]
pub struct FoldCache {
    most: usize,
    /// Two hash functions with keys of their own: nobody can make two texts collide.
    hashers: [RandomState; 2],
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    texts: HashMap<(u64, u64), Entry>,
    bytes: usize,
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    folded: Arc<Folded>,
    used: u64,
}

impl FoldCache {
    /// A cache that keeps at most `bytes` of folded text and maps.
    pub fn new(bytes: usize) -> Self {
        FoldCache { most: bytes, hashers: [RandomState::new(), RandomState::new()], kept: Mutex::default() }
    }

    /// Bytes that are kept now.
    pub fn bytes(&self) -> usize {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).bytes
    }

    /// How many texts are kept now.
    pub fn len(&self) -> usize {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).texts.len()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn get_or_fold(&self, text: &str, format: Format) -> Arc<Folded> {
        let content = (text, format as u8);
        let key = (self.hashers[0].hash_one(content), self.hashers[1].hash_one(content));
        if let Some(folded) = self.get(key) {
            return folded;
        }
        // Folded without the lock: two may fold the same text at once, and one of them is kept.
        let folded = Arc::new(fold_source(text, format));
        self.put(key, &folded);
        folded
    }

    fn get(&self, key: (u64, u64)) -> Option<Arc<Folded>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        let entry = kept.texts.get_mut(&key)?;
        entry.used = now;
        Some(Arc::clone(&entry.folded))
    }

    fn put(&self, key: (u64, u64), folded: &Arc<Folded>) {
        let size = folded.size();
        if size > self.most {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let used = kept.clock;
        if let Some(old) = kept.texts.insert(key, Entry { folded: Arc::clone(folded), used }) {
            kept.bytes -= old.folded.size();
        }
        kept.bytes += size;
        if kept.bytes <= self.most {
            return;
        }
        // Down to three quarters, so that the next ones find room without a search.
        let mut by_age: Vec<((u64, u64), u64)> = kept.texts.iter().map(|(&key, entry)| (key, entry.used)).collect();
        by_age.sort_unstable_by_key(|&(other, used)| (other == key, used));
        for (key, _) in by_age {
            if kept.bytes <= self.most / 4 * 3 {
                break;
            }
            if let Some(old) = kept.texts.remove(&key) {
                kept.bytes -= old.folded.size();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounded_and_shared() {
        let cache = FoldCache::new(10_000);
        let first = cache.get_or_fold("The rent is due.", Format::Auto);
        assert!(Arc::ptr_eq(&first, &cache.get_or_fold("The rent is due.", Format::Auto)));
        assert!(!Arc::ptr_eq(&first, &cache.get_or_fold("The rent is due.", Format::Html)));
        for n in 0..500 {
            cache.get_or_fold(&format!("Passage {n} of many, each of them some words long."), Format::Auto);
            cache.get_or_fold("The rent is due.", Format::Auto);
            assert!(cache.bytes() <= 10_000);
        }
        assert!(cache.len() > 10);
        assert!(Arc::ptr_eq(&first, &cache.get_or_fold("The rent is due.", Format::Auto)), "used all the time");
        cache.get_or_fold(&"long ".repeat(10_000), Format::Auto);
        assert!(cache.bytes() <= 10_000);
    }
}
