//! Edits: what the sieve changes in an answer, as ranges of the input.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// One change to the answer. Edits never overlap and come in the order of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced: a range of bytes of the whole input, on character borders. May be empty (an insertion).
    pub at: Range<u64>,
    /// What stands there instead; empty for a removal.
    pub with: Cow<'static, str>,
    /// Why.
    pub why: Reason,
}

/// Why an edit was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// A marker, none of whose ids any source has, was removed (rules, section 3).
    FabricatedMarker,
    /// Ids that no source has were taken out of a marker that names real ones too.
    FabricatedIds,
    /// A block quotation whose words no source has lost its `>` (rules, section 4).
    FabricatedBlockQuote,
}
