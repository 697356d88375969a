//! The nearest passage, for a quote that no source has.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::check::Needle;
use super::{Class, Finding, Reason};
use crate::Sources;

/// The passage that comes nearest to a quote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Nearest {
    /// Position in [`Sources::list`].
    pub source: usize,
    /// Its id.
    pub id: String,
    /// Bytes of the source's text.
    pub span: Range<usize>,
    /// The source's own words there.
    pub words: String,
    /// From the source's words to the quote's, word by word, folded.
    pub changes: Vec<Change>,
}

/// One step of a word-level difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Both have these words.
    Same(String),
    /// Only the source has them.
    Source(String),
    /// Only the quote has them.
    Quote(String),
}

/// The class of a quote that no source has.
pub(super) fn classify(_sources: &Sources, _cited: &[&str], _needle: &Needle, reason: Option<Reason>) -> Finding {
    let class = match reason {
        Some(Reason::HiddenNegation { .. } | Reason::UnknownLanguage) => Class::Altered,
        _ => Class::NotFound,
    };
    Finding { class, matches: Vec::new(), similarity: 0.0, nearest: None, reason }
}
