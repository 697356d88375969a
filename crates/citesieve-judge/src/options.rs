//! What the caller may choose.

use serde::{Deserialize, Serialize};

use crate::Select;
use crate::budget::{Limits, Prices};

/// The choices of a judge. Every field has a default; unknown keys are refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Options {
    /// Which claims go to the model.
    pub select: Select,
    /// How many calls run at once, over all answers. Default: 8.
    pub max_concurrent: usize,
    /// How long one call may take, retries included, in milliseconds; past it its claims count as `unrelated`. Default:
    /// 30,000.
    pub call_timeout_ms: u64,
    /// How long [`crate::Answer::finish`] waits after the last token, in milliseconds; what was not heard by then is
    /// `unjudged`. Default: 10,000.
    pub deadline_ms: u64,
    /// The most claims in one call. Default: 8.
    pub max_claims: usize,
    /// The most bytes of claims and source in one call. Of a longer source the passages are given that come nearest to
    /// the claims. Default: 24,000.
    pub max_prompt: usize,
    /// While the answer streams, a group of claims is asked about when so many further claims have closed and none of
    /// them cites its source; what is left is asked about at the end. Default: 6.
    pub patience: usize,
    /// How many judgements are remembered, over all answers. Default: 10,000.
    pub cache: usize,
    /// What one answer may cost.
    pub per_answer: Limits,
    /// What all answers of this judge may cost together.
    pub per_process: Limits,
    /// What tokens cost.
    pub prices: Prices,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            select: Select::default(),
            max_concurrent: 8,
            call_timeout_ms: 30_000,
            deadline_ms: 10_000,
            max_claims: 8,
            max_prompt: 24_000,
            patience: 6,
            cache: 10_000,
            per_answer: Limits::default(),
            per_process: Limits::default(),
            prices: Prices::default(),
        }
    }
}
