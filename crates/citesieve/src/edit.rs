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

impl Edit {
    /// The order among edits: what is put in somewhere stands before what is taken out from there on.
    pub(crate) fn order(&self) -> (u64, u64) {
        (self.at.start, self.at.end)
    }
}

/// Why an edit was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "EditReason"))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// A marker, none of whose ids any source has, was removed (rules, section 3).
    FabricatedMarker,
    /// Ids that no source has were taken out of a marker that names real ones too.
    FabricatedIds,
    /// A marker was removed because the policy shows none.
    RemovedMarker,
    /// A marker was made a link to its source.
    LinkedMarker,
    /// A marker got the number of its source in the order of appearance.
    RenumberedMarker,
    /// A marker after a quote that no source has was removed.
    FailedCitation,
    /// A marker was made to name the source that has the quote before it, or was removed.
    Misattributed,
    /// A quote that no source has lost its quotation marks.
    FailedQuote,
    /// A claim that failed was marked or left out.
    FailedClaim,
    /// An answer that failed was replaced by the not-found message.
    FailedAnswer,
    /// The notice for a downgraded answer.
    Notice,
    /// A block quotation whose words no source has lost its `>` (rules, section 4).
    FabricatedBlockQuote,
}
