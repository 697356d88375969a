//! Clients for models behind HTTP: [`OpenAi`] for everything that speaks chat completions (OpenAI, Azure, llama.cpp, vLLM,
//! Ollama, LiteLLM …), [`Anthropic`] for the Messages API. Any other model is a closure.

mod anthropic;
mod http;
mod openai;

pub use anthropic::Anthropic;
pub use http::{ClientError, Key, Retries};
pub use openai::OpenAi;

use crate::{Model, Reply};

/// One of the clients, where the choice is made at run time.
#[derive(Debug, Clone)]
pub enum Client {
    /// Chat completions.
    OpenAi(OpenAi),
    /// Messages.
    Anthropic(Anthropic),
}

impl Model for Client {
    type Error = ClientError;

    async fn complete(&self, system: &str, user: &str) -> Result<String, ClientError> {
        Ok(self.reply(system, user).await?.text)
    }

    fn name(&self) -> &str {
        match self {
            Client::OpenAi(client) => client.name(),
            Client::Anthropic(client) => client.name(),
        }
    }

    async fn reply(&self, system: &str, user: &str) -> Result<Reply, ClientError> {
        match self {
            Client::OpenAi(client) => client.reply(system, user).await,
            Client::Anthropic(client) => client.reply(system, user).await,
        }
    }
}
