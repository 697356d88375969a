//! The contract: a system prompt and a user prompt in, text out.

use std::fmt::Display;
use std::future::Future;

/// Anything that answers a prompt. One method must be written; any `async` closure of two strings is a model too.
///
/// ```
/// use citesieve_judge::Model;
///
/// struct Mine;
///
/// impl Model for Mine {
///     type Error = std::io::Error;
///
///     async fn complete(&self, system: &str, user: &str) -> Result<String, Self::Error> {
///         // Call whatever answers, at temperature 0; JSON is wanted, nothing around it.
///         Ok(format!("{} bytes of prompt", system.len() + user.len()))
///     }
/// }
/// ```
pub trait Model: Send + Sync {
    /// What goes wrong. It is shown as the reason of a judgement, so it must not hold keys.
    type Error: Display + Send;

    /// Answers the prompt. A call that takes too long is dropped.
    fn complete(&self, system: &str, user: &str) -> impl Future<Output = Result<String, Self::Error>> + Send;

    /// The name that judgements give, and that tells cached answers of one model from those of another.
    fn name(&self) -> &str {
        "model"
    }

    /// As [`Model::complete`], for models that know what an answer cost.
    fn reply(&self, system: &str, user: &str) -> impl Future<Output = Result<Reply, Self::Error>> + Send {
        async move { self.complete(system, user).await.map(Reply::from) }
    }
}

/// An answer, with what it cost if the model says so.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// Tokens of the prompt.
    pub input_tokens: Option<u64>,
    /// Tokens of the answer.
    pub output_tokens: Option<u64>,
}

impl From<String> for Reply {
    fn from(text: String) -> Self {
        Reply { text, ..Reply::default() }
    }
}

impl<F, R, E> Model for F
where
    F: Fn(String, String) -> R + Send + Sync,
    R: Future<Output = Result<String, E>> + Send,
    E: Display + Send,
{
    type Error = E;

    fn complete(&self, system: &str, user: &str) -> impl Future<Output = Result<String, E>> + Send {
        self(system.to_owned(), user.to_owned())
    }
}
