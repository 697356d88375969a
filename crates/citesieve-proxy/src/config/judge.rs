//! The judge of the configuration.

use citesieve_judge::Judge;
use citesieve_judge::client::{Anthropic, Client, Key, OpenAi};

use super::{ConfigError, JudgeApi, JudgeSettings};

/// Makes it; its key is read from the environment now.
pub(super) fn judge(settings: &JudgeSettings) -> Result<Judge<Client>, ConfigError> {
    let JudgeSettings { url, model, api, key_env, options } = settings;
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
