//! The set of ids that markers may name.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::shape::Shapes;

/// Which ids exist. Numbers are compared by value (`02` names source 2), everything else as written.
#[derive(Debug, Clone, Default)]
pub(crate) struct IdSet {
    /// Whether anything is known about them.
    known: bool,
    /// Ids that are numbers, ascending, without doubles.
    numbers: Vec<u64>,
    /// All ids as written, numbers without leading zeros.
    words: HashSet<String>,
    /// What they look like; made when a syntax first asks for it.
    shapes: OnceLock<Shapes>,
}

impl IdSet {
    pub(crate) fn new<'a>(ids: impl Iterator<Item = &'a str>) -> Self {
        let mut set = IdSet { known: true, ..IdSet::default() };
        for id in ids {
            if let Some(number) = parse(id) {
                set.numbers.push(number);
            }
            set.words.insert(plain(id).to_owned());
        }
        set.numbers.sort_unstable();
        set.numbers.dedup();
        set
    }

    /// Whether anything is known about the ids; if not, the set is empty.
    pub(crate) fn known(&self) -> bool {
        self.known
    }

    /// Whether a source has this id, as written or as a number of any length.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.words.contains(plain(id))
    }

    /// The id that `word` names: as written, as a number of any length, or by the name of its file.
    pub(crate) fn named<'a>(&'a self, word: &str) -> Option<&'a str> {
        if let Some(id) = self.words.get(plain(word)) {
            return Some(id);
        }
        if word.contains('.') { self.shapes().file(word) } else { None }
    }

    /// Whether `word` looks like one of the ids.
    pub(crate) fn has_like(&self, word: &str) -> bool {
        self.shapes().has_like(word)
    }

    fn shapes(&self) -> &Shapes {
        self.shapes.get_or_init(|| {
            let mut ids: Vec<&str> = self.words.iter().map(String::as_str).collect();
            ids.sort_unstable();
            Shapes::new(ids.into_iter())
        })
    }

    /// The ids from `low` to `high`, both included, ascending.
    pub(crate) fn between(&self, low: u64, high: u64) -> &[u64] {
        let from = self.numbers.partition_point(|n| *n < low);
        let to = self.numbers.partition_point(|n| *n <= high);
        &self.numbers[from..to.max(from)]
    }

    /// The largest id that is a number.
    pub(crate) fn largest(&self) -> Option<u64> {
        self.numbers.last().copied()
    }
}

fn parse(id: &str) -> Option<u64> {
    if id.is_empty() || !id.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    id.parse().ok()
}

/// A number without its leading zeros; anything else as it is.
fn plain(id: &str) -> &str {
    if id.is_empty() || !id.bytes().all(|b| b.is_ascii_digit()) {
        return id;
    }
    let stripped = id.trim_start_matches('0');
    if stripped.is_empty() { "0" } else { stripped }
}
