//! What LiteLLM asks and what it is answered, as JSON. Fields that are not needed here are not read.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What a round is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Phase {
    /// What the model is about to be asked.
    Request,
    /// What it has answered so far.
    Response,
}

/// One round of a call.
#[derive(Debug, Deserialize)]
pub(super) struct Round<'a> {
    #[serde(rename = "input_type")]
    pub(super) phase: Phase,
    /// The same in all rounds of a call.
    pub(super) litellm_call_id: Option<String>,
    /// The messages of a request, as OpenAI's chat API has them.
    #[serde(borrow)]
    pub(super) structured_messages: Option<&'a RawValue>,
    /// The texts of an answer so far, one per choice.
    pub(super) texts: Option<Vec<String>>,
    /// What LiteLLM's configuration adds to each round.
    pub(super) additional_provider_specific_params: Option<Params<'a>>,
}

/// What LiteLLM's configuration adds to each round.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Params<'a> {
    /// As the field of this name in a request body: `{sources, policy}`.
    #[serde(borrow)]
    pub(super) citesieve: Option<&'a RawValue>,
}

/// The answer to a round.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Reply {
    action: &'static str,
    /// What is to be shown of each text.
    #[serde(skip_serializing_if = "Option::is_none")]
    texts: Option<Vec<String>>,
    /// How many characters (Unicode code points) at the end of each must not be shown yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_holdback_chars: Option<Vec<usize>>,
}

impl Reply {
    /// Nothing is to be changed.
    pub(super) fn unchanged() -> Self {
        Reply { action: "NONE", texts: None, stream_holdback_chars: None }
    }

    /// These texts are to be shown, but for so many characters at their ends.
    pub(super) fn shown(texts: Vec<String>, held: Vec<usize>) -> Self {
        Reply { action: "GUARDRAIL_INTERVENED", texts: Some(texts), stream_holdback_chars: Some(held) }
    }
}
