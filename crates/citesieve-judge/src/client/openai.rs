//! Chat completions.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use reqwest::header::AUTHORIZATION;
use serde_json::{Value, json};

use super::http::{ClientError, Endpoint, Key, Retries};
use crate::prompt::SCHEMA;
use crate::{Model, Reply};

/// A model behind an OpenAI-compatible API: `POST {url}/chat/completions`, with the JSON Schema of the answer as
/// `response_format`, temperature 0 and a fixed seed.
///
/// A server that refuses one of these parameters with status 400 and its name in the message is asked again without it
/// (`max_tokens` becomes `max_completion_tokens`), from then on always.
#[derive(Debug)]
pub struct OpenAi {
    endpoint: Endpoint,
    model: String,
    settings: Mutex<Settings>,
}

/// Parameters of a request, each with its JSON: as text, because the order of properties in a schema matters.
type Settings = BTreeMap<String, String>;

impl Clone for OpenAi {
    fn clone(&self) -> Self {
        let settings = Mutex::new(self.settings());
        OpenAi { endpoint: self.endpoint.clone(), model: self.model.clone(), settings }
    }
}

/// What may be left out of a request, if the server does not know it.
const OPTIONAL: &[&str] = &["response_format", "temperature", "seed", "max_tokens", "max_completion_tokens"];

impl OpenAi {
    /// A model at this URL, such as `https://api.openai.com/v1` or `http://127.0.0.1:8080/v1`. Without a key no
    /// `Authorization` is sent.
    ///
    /// # Errors
    /// [`ClientError::Setup`] when the URL or the key makes no sense.
    pub fn new(url: &str, model: impl Into<String>, key: Option<Key>) -> Result<Self, ClientError> {
        let header = key.as_ref().map(|key| key.header("Bearer ")).transpose()?;
        let headers = header.map(|value| (AUTHORIZATION, value));
        let endpoint = Endpoint::new(url, "chat/completions", key.unwrap_or_else(|| Key::new("")), headers)?;
        let format = format!(
            r#"{{"type": "json_schema", "json_schema": {{"name": "judgements", "strict": true, "schema": {SCHEMA}}}}}"#
        );
        let settings = [
            ("temperature", "0".to_owned()),
            ("seed", "20261130".to_owned()),
            ("max_tokens", "4096".to_owned()),
            ("response_format", format),
        ];
        let settings = settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Ok(OpenAi { endpoint, model: model.into(), settings: Mutex::new(settings) })
    }

    /// Sets a parameter of the request, or takes it out of it (`null`).
    #[must_use]
    pub fn set(self, name: &str, value: Value) -> Self {
        self.change(|settings| {
            if value.is_null() {
                settings.remove(name);
            } else {
                settings.insert(name.to_owned(), value.to_string());
            }
        });
        self
    }

    /// With these repetitions.
    #[must_use]
    pub fn retries(mut self, retries: Retries) -> Self {
        self.endpoint.retries = retries;
        self
    }

    fn settings(&self) -> Settings {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut Settings)) {
        change(&mut self.settings.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Takes the parameter out of all further requests that a refusal is about. Says whether there was one.
    fn adapt(&self, error: &ClientError) -> bool {
        let ClientError::Status { status: 400 | 422, message } = error else { return false };
        let settings = self.settings();
        let Some(name) = OPTIONAL.iter().find(|name| message.contains(**name) && settings.contains_key(**name)) else {
            return false;
        };
        self.change(|settings| {
            let value = settings.remove(*name);
            if let (&"max_tokens", Some(value)) = (name, value) {
                settings.insert("max_completion_tokens".into(), value);
            }
        });
        true
    }
}

impl Model for OpenAi {
    type Error = ClientError;

    async fn complete(&self, system: &str, user: &str) -> Result<String, ClientError> {
        Ok(self.reply(system, user).await?.text)
    }

    fn name(&self) -> &str {
        &self.model
    }

    async fn reply(&self, system: &str, user: &str) -> Result<Reply, ClientError> {
        let answer = loop {
            let messages = json!([{"role": "system", "content": system}, {"role": "user", "content": user}]);
            let mut body = format!("{{\"model\": {}, \"messages\": {messages}", Value::from(self.model.as_str()));
            for (name, value) in self.settings() {
                body += &format!(", {}: {value}", Value::from(name));
            }
            body.push('}');
            match self.endpoint.post(&body).await {
                Ok(answer) => break answer,
                // Each turn has one parameter less.
                Err(error) if self.adapt(&error) => {}
                Err(error) => return Err(error),
            }
        };
        let Some(text) = answer.pointer("/choices/0/message/content").and_then(Value::as_str) else {
            return Err(ClientError::Answer("the response has no text".into()));
        };
        let tokens = |place: &str| answer.pointer(place).and_then(Value::as_u64);
        Ok(Reply {
            text: text.to_owned(),
            input_tokens: tokens("/usage/prompt_tokens"),
            output_tokens: tokens("/usage/completion_tokens"),
        })
    }
}
