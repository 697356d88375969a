//! `--judge URL` and what belongs to it: the model that is asked about claims, for every command that asks one.

use std::path::{Path, PathBuf};

use citesieve_judge::client::{Anthropic, Client, Key, OpenAi};
use citesieve_judge::{Judge, Options};
use clap::ValueEnum;
use toml::Table;

use crate::error::{Error, Name};
use crate::text;

/// The arguments that choose a judge.
#[derive(Debug, clap::Args)]
#[group(id = "judge_args")]
pub(crate) struct JudgeArgs {
    /// Asks the model at this URL about claims that strings cannot decide, as http://127.0.0.1:8080/v1
    #[arg(long, value_name = "URL", requires = "model")]
    judge: Option<String>,
    /// The name of the model
    #[arg(long, value_name = "M", requires = "judge")]
    model: Option<String>,
    /// The environment variable that holds the API key
    #[arg(long, value_name = "NAME", requires = "judge")]
    judge_key_env: Option<String>,
    /// What the server speaks
    #[arg(long, value_enum, default_value_t, requires = "judge")]
    judge_api: Api,
    /// Reads the options of the judge (thresholds, limits, prices …) from a TOML file
    #[arg(long, value_name = "FILE.toml", requires = "judge")]
    judge_options: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Api {
    /// OpenAI's chat completions, which nearly every server has
    #[default]
    Openai,
    /// Anthropic's messages
    Anthropic,
}

impl JudgeArgs {
    /// The judge, if one is wanted.
    pub(crate) fn read(&self) -> Result<Option<Judge<Client>>, Error> {
        let options = self.options()?;
        let Some(url) = &self.judge else { return Ok(None) };
        let model = self.model.clone().unwrap_or_default();
        let key = self.judge_key_env.as_deref().map(key).transpose()?;
        let client = match self.judge_api {
            Api::Openai => OpenAi::new(url, model, key).map(Client::OpenAi),
            Api::Anthropic => Anthropic::new(url, model, key).map(Client::Anthropic),
        };
        let client =
            client.map_err(|error| Error::Input { name: Name::argument("--judge"), message: error.to_string() })?;
        Ok(Some(Judge::new(client, options)))
    }

    /// The options of the judge. Nobody waits here for an answer to be shown, so there is no deadline unless the file has one.
    pub(crate) fn options(&self) -> Result<Options, Error> {
        let table = match &self.judge_options {
            None => Table::new(),
            Some(path) => {
                let wrong = |error: toml::de::Error| bad(path, &error);
                text::read(path)?.parse().map_err(wrong)?
            }
        };
        let has_deadline = table.contains_key("deadline_ms");
        let read = table.try_into();
        let mut options: Options =
            read.map_err(|error| bad(self.judge_options.as_deref().unwrap_or(Path::new("")), &error))?;
        if !has_deadline {
            options.deadline_ms = u64::MAX;
        }
        Ok(options)
    }
}

fn bad(path: &Path, error: &toml::de::Error) -> Error {
    Error::Input { name: Name::path(path), message: error.message().replace('\n', ", ") }
}

/// The key that stands in an environment variable.
fn key(name: &str) -> Result<Key, Error> {
    match std::env::var(name) {
        Ok(key) if !key.trim().is_empty() => Ok(Key::new(key)),
        _ => Err(Error::Usage(format!("--judge-key-env {name}: this environment variable holds no key"))),
    }
}

/// Runs something that waits for a model, on this thread.
pub(crate) fn block_on<F: Future>(future: F) -> Result<F::Output, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Error::io(Name::argument("--judge")))?;
    Ok(runtime.block_on(future))
}
