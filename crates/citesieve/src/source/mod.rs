//! Sources: the numbered passages that the model was given.
//!
//! `fold/` normalises texts, `index.rs` holds what is searched. Folding happens once per set of passages; answers
//! share the set by `Arc`.

mod cache;
pub(crate) mod fold;
pub(crate) mod ids;
mod index;
mod list;
mod shape;

use std::collections::HashMap;

pub use cache::FoldCache;
pub(crate) use index::Next;
pub use list::SourceList;
use serde::{Deserialize, Serialize};

/// One passage that the model was given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The id that markers name it by. Read, never assumed to be 1..N; several texts may share one. In JSON a string or
    /// a whole number.
    #[serde(deserialize_with = "list::id")]
    pub id: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it is on the web.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its words. Without them it can be cited, but nothing can be checked against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What the text is written in.
    #[serde(default)]
    pub format: Format,
}

/// What a source's text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Find out from the text.
    #[default]
    Auto,
    /// Plain text.
    Plain,
    /// Markdown.
    Markdown,
    /// HTML.
    Html,
}

impl Source {
    /// A source known by its id only.
    pub fn new(id: impl Into<String>) -> Self {
        Source { id: id.into(), ..Source::default() }
    }

    /// With this text.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// With this title.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// With this URL.
    #[must_use]
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }
}

/// Why a set of sources is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// Two sources share an id but not a title.
    #[error("source {index}: id \"{id}\" stands twice with different titles: \"{first}\" and \"{second}\"")]
    TitlesDiffer {
        /// Position of the second one in the list, from 0.
        index: usize,
        /// The id they share.
        id: String,
        /// Title of the first.
        first: String,
        /// Title of the second.
        second: String,
    },
    /// An id is empty.
    #[error("source {index}: its id is empty")]
    EmptyId {
        /// Position in the list, from 0.
        index: usize,
    },
}

/// Whether these sources make a set: what [`Sources::new`] would say, without making it. Linear in the list.
///
/// # Errors
/// [`SourceError`] when an id is empty or two sources share an id but not a title.
pub fn check(list: &[Source]) -> Result<(), SourceError> {
    let mut titles: HashMap<&str, &str> = HashMap::new();
    for (index, source) in list.iter().enumerate() {
        if source.id.is_empty() {
            return Err(SourceError::EmptyId { index });
        }
        if let Some(second) = source.title.as_deref() {
            let first = *titles.entry(&source.id).or_insert(second);
            if first != second {
                let (id, first, second) = (source.id.clone(), first.to_owned(), second.to_owned());
                return Err(SourceError::TitlesDiffer { index, id, first, second });
            }
        }
    }
    Ok(())
}

/// A set of sources, made once and shared between answers.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    list: Option<Vec<Source>>,
    index: index::Index,
    by_id: HashMap<String, Vec<usize>>,
    ids: ids::IdSet,
}

impl Sources {
    /// Nothing is known about the sources: everything passes through, the verdict is `unchecked`.
    pub fn unknown() -> Self {
        Sources::default()
    }

    /// These sources, and no others. An empty list means: known to be none.
    ///
    /// # Errors
    /// [`SourceError`] when an id is empty or two sources share an id but not a title.
    pub fn new(list: Vec<Source>) -> Result<Self, SourceError> {
        check(&list)?;
        let mut by_id: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, source) in list.iter().enumerate() {
            by_id.entry(source.id.clone()).or_default().push(index);
        }
        let ids = ids::IdSet::new(list.iter().map(|source| source.id.as_str()));
        let index = index::Index::new(&list);
        Ok(Sources { list: Some(list), index, by_id, ids })
    }

    /// Whether anything is known about the sources.
    pub fn known(&self) -> bool {
        self.list.is_some()
    }

    /// The sources in the order they were given.
    pub fn list(&self) -> &[Source] {
        self.list.as_deref().unwrap_or_default()
    }

    /// Whether any source has a text.
    pub fn has_text(&self) -> bool {
        self.list().iter().any(|source| source.text.is_some())
    }

    /// The ids that markers may name.
    pub(crate) fn ids(&self) -> &ids::IdSet {
        &self.ids
    }

    /// Positions in [`Sources::list`] of the sources with this id.
    pub fn with_id(&self, id: &str) -> &[usize] {
        self.by_id.get(id).map_or(&[], Vec::as_slice)
    }
}
