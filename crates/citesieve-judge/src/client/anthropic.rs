//! Anthropic's Messages API.

use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;

use super::http::{ClientError, Endpoint, Key, Retries};
use crate::prompt::SCHEMA;
use crate::{Model, Reply};

/// A model behind Anthropic's Messages API: `POST {url}/v1/messages`. The answer's JSON Schema is that of a tool which the
/// model must use.
#[derive(Debug, Clone)]
pub struct Anthropic {
    endpoint: Endpoint,
    model: String,
}

impl Anthropic {
    /// A model at this URL, such as `https://api.anthropic.com`.
    ///
    /// # Errors
    /// [`ClientError::Setup`] when the URL or the key makes no sense.
    pub fn new(url: &str, model: impl Into<String>, key: Option<Key>) -> Result<Self, ClientError> {
        let header = key.as_ref().map(|key| key.header("")).transpose()?;
        let version = (HeaderName::from_static("anthropic-version"), HeaderValue::from_static("2023-06-01"));
        let headers = header.map(|value| (HeaderName::from_static("x-api-key"), value)).into_iter().chain([version]);
        let endpoint = Endpoint::new(url, "v1/messages", key.unwrap_or_else(|| Key::new("")), headers)?;
        Ok(Anthropic { endpoint, model: model.into() })
    }

    /// With these repetitions.
    #[must_use]
    pub fn retries(mut self, retries: Retries) -> Self {
        self.endpoint.retries = retries;
        self
    }
}

impl Model for Anthropic {
    type Error = ClientError;

    async fn complete(&self, system: &str, user: &str) -> Result<String, ClientError> {
        Ok(self.reply(system, user).await?.text)
    }

    fn name(&self) -> &str {
        &self.model
    }

    async fn reply(&self, system: &str, user: &str) -> Result<Reply, ClientError> {
        let text = |text: &str| Value::from(text).to_string();
        let tool = "Takes the JSON object that the task asks for.";
        // As text, because the order of properties in a schema matters.
        let body = format!(
            r#"{{"model": {}, "max_tokens": 4096, "temperature": 0, "system": {}, "messages": [{{"role": "user", "content": {}}}],
            "tools": [{{"name": "judgements", "description": {}, "input_schema": {SCHEMA}}}],
            "tool_choice": {{"type": "tool", "name": "judgements"}}}}"#,
            text(&self.model),
            text(system),
            text(user),
            text(tool),
        );
        let answer = self.endpoint.post(&body).await?;
        let blocks = answer.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let used = blocks.iter().find(|block| block["type"] == "tool_use").and_then(|block| block.get("input"));
        let said = || blocks.iter().find(|block| block["type"] == "text").and_then(|block| block["text"].as_str());
        let text = match used {
            Some(input) => input.to_string(),
            None => said().ok_or_else(|| ClientError::Answer("the response has no text".into()))?.to_owned(),
        };
        let tokens = |place: &str| answer.pointer(place).and_then(Value::as_u64);
        Ok(Reply { text, input_tokens: tokens("/usage/input_tokens"), output_tokens: tokens("/usage/output_tokens") })
    }
}
