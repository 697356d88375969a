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
}

impl Default for Policy {
    fn default() -> Self {
        Policy { max_hold: 16_384 }
    }
}
