//! What the caller may choose.

use serde::{Deserialize, Serialize};

/// The choices of one run. Every field has a default; unknown keys are refused when a policy is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Policy {
    /// The most that may be held back undecided, in characters; past it the text leaves as it came and the verdict
    /// says so.
    pub max_hold: usize,
    /// The ways to write a citation marker that are read (rules, section 3); all others are ordinary text. The order
    /// means nothing. None: no marker is ever read. Default: [`MarkerSyntax::Number`], [`MarkerSyntax::Double`] and
    /// [`MarkerSyntax::Tagged`].
    pub syntaxes: Vec<MarkerSyntax>,
}

impl Default for Policy {
    fn default() -> Self {
        Policy { max_hold: 16_384, syntaxes: vec![MarkerSyntax::Number, MarkerSyntax::Double, MarkerSyntax::Tagged] }
    }
}

/// A way to write a citation marker (rules, section 3). Named in `snake_case` where a policy is read; unknown names are
/// refused there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MarkerSyntax {
    /// `[2]`, `[2, 7]`, `[1-3]`. On by default.
    Number,
    /// `[[2]]`. On by default.
    Double,
    /// `[Source 2]`, `[citation:2]`, `[doc2]`, `[ref_2]`, `[ID:2]`. On by default.
    Tagged,
}

impl MarkerSyntax {
    /// All of them.
    pub const ALL: &[MarkerSyntax] = &[MarkerSyntax::Number, MarkerSyntax::Double, MarkerSyntax::Tagged];
}
