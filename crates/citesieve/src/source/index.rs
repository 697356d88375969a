//! What is searched: each source's text, folded when it is first needed, and all of them in one piece.

use std::sync::{Arc, OnceLock};

use memchr::memmem::Finder;

use super::cache::FoldCache;
use super::fold::{Folded, fold_source};
use super::{Source, Sources};

/// Sets with fewer texts are searched text by text.
const FEW: usize = 8;

/// The folded texts of a set of sources, made at their first use and then shared.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    texts: Vec<OnceLock<Arc<Folded>>>,
    joined: OnceLock<Arc<Joined>>,
    cache: Option<Arc<FoldCache>>,
}

/// All folded texts in one piece, so that many short ones are searched at the speed of one long one.
#[derive(Debug, Default)]
struct Joined {
    text: String,
    /// Where each text starts, and its position in the list.
    starts: Vec<(usize, usize)>,
}

/// Where to go on after an occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// With the next place in the same text.
    Place,
    /// With the next text.
    Text,
    /// Nowhere.
    Stop,
}

impl Index {
    pub(super) fn new(list: &[Source]) -> Self {
        Index { texts: list.iter().map(|_| OnceLock::new()).collect(), ..Index::default() }
    }
}

impl Sources {
    /// Takes folded texts from `cache` and leaves them there, so that sets of sources that share passages fold them once.
    #[must_use]
    pub fn with_cache(mut self, cache: Arc<FoldCache>) -> Self {
        self.index.cache = Some(cache);
        self
    }

    /// Folds all texts now, instead of when each is first searched: for a thread that may take its time. Linear in the
    /// texts; nothing is done twice.
    pub fn fold(&self) {
        for index in 0..self.list().len() {
            self.text(index);
        }
        if self.list().len() >= FEW {
            self.joined();
        }
    }

    /// The text of a source and its folded form, by its position in [`Sources::list`]; `None` when it has no text.
    ///
    /// Texts of 4 GiB and more count as none.
    pub(crate) fn text(&self, index: usize) -> Option<(&str, &Folded)> {
        let source = self.list().get(index)?;
        let text = source.text.as_deref().filter(|text| u32::try_from(text.len()).is_ok())?;
        let folded = self.index.texts.get(index)?.get_or_init(|| match &self.index.cache {
            Some(cache) => cache.get_or_fold(text, source.format),
            None => Arc::new(fold_source(text, source.format)),
        });
        Some((text, folded))
    }

    /// Calls `each` with every place where a text has the needle, as (position in the list, byte of the folded text), in
    /// the order of the list. Places may overlap.
    pub(crate) fn each_place(&self, needle: &Finder<'_>, mut each: impl FnMut(usize, usize) -> Next) {
        let count = self.list().len();
        if count < FEW {
            for index in 0..count {
                let Some((_, text)) = self.text(index) else { continue };
                let mut from = 0;
                while let Some(found) = text.text.as_bytes().get(from..).and_then(|rest| needle.find(rest)) {
                    match each(index, from + found) {
                        Next::Place => from += found + 1,
                        Next::Text => break,
                        Next::Stop => return,
                    }
                }
            }
            return;
        }
        let joined = self.joined();
        let haystack = joined.text.as_bytes();
        let mut from = 0;
        while let Some(found) = haystack.get(from..).and_then(|rest| needle.find(rest)) {
            let at = from + found;
            let after = joined.starts.partition_point(|&(start, _)| start <= at);
            let (start, index) = joined.starts[after - 1];
            from = match each(index, at - start) {
                Next::Place => at + 1,
                Next::Text => joined.starts.get(after).map_or(haystack.len(), |next| next.0),
                Next::Stop => return,
            };
        }
    }

    fn joined(&self) -> &Joined {
        self.index.joined.get_or_init(|| {
            let mut joined = Joined::default();
            for index in 0..self.list().len() {
                if let Some((_, text)) = self.text(index) {
                    joined.starts.push((joined.text.len(), index));
                    joined.text.push_str(&text.text);
                    // In no folded text, so that no match spans two.
                    joined.text.push('\n');
                }
            }
            Arc::new(joined)
        })
    }
}
