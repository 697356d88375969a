//! The judge of the configuration.

use citesieve_judge::client::{Anthropic, Client, Key, OpenAi};
use citesieve_judge::{Judge, Options};
use serde::Deserialize;

use super::{ConfigError, Span};

/// The model that is asked about claims which strings cannot decide (`docs/judge.md`).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeSettings {
    /// The URL of the API, as `http://127.0.0.1:8080/v1`.
    pub url: String,
    /// The name of the model.
    pub model: String,
    /// What the API speaks. Default: `openai`.
    #[serde(default)]
    pub api: JudgeApi,
    /// The environment variable that holds the API key. The key itself has no place in the file.
    pub key_env: Option<String>,
    /// With the policy `release = "claim"`: how long a sentence that cites a source waits for its ruling. One that
    /// fails is then kept, marked or left out as the policy's `failed_claims` says; one that is not ruled on in this time
    /// leaves as it is. Default: 0 s, nothing waits.
    #[serde(default = "no_wait")]
    pub wait: Span,
    /// Thresholds, limits, prices, deadline.
    #[serde(default)]
    pub options: Options,
}

/// What the API of a judge speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgeApi {
    /// OpenAI's chat completions, which nearly every server has.
    #[default]
    Openai,
    /// Anthropic's messages.
    Anthropic,
}

fn no_wait() -> Span {
    Span::seconds(0)
}

/// Makes it; its key is read from the environment now.
pub(super) fn judge(settings: &JudgeSettings) -> Result<Judge<Client>, ConfigError> {
    let JudgeSettings { url, model, api, key_env, options, wait: _ } = settings;
    let key = match key_env {
        Some(name) => match std::env::var(name) {
            Ok(key) if !key.trim().is_empty() => Some(Key::new(key)),
            _ => return Err(ConfigError::new(format!("judge.key_env: the environment variable {name} holds no key"))),
        },
        None => None,
    };
    let client = match api {
        JudgeApi::Openai => OpenAi::new(url, model, key).map(Client::OpenAi),
        JudgeApi::Anthropic => Anthropic::new(url, model, key).map(Client::Anthropic),
    };
    let client = client.map_err(|error| ConfigError::new(format!("judge: {error}")))?;
    Ok(Judge::new(client, options.clone()))
}
