//! One call: the prompt, the time-out, the answer read. Never fails; what goes wrong is `unrelated`, confidence 0.

use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use citesieve::{CallCost, Sources};
use futures::FutureExt;
use tokio::time::{Instant, timeout};

use crate::budget::Spent;
use crate::excerpt::excerpt;
use crate::parse::{Ruled, parse};
use crate::prompt::{self, SYSTEM, Source};
use crate::{Model, Options, Reply};

/// A call that is ready to be made.
#[derive(Debug)]
pub(crate) struct Prompt<'a> {
    claims: Vec<(String, &'a str)>,
    user: String,
}

/// The texts and the title of the source with this id.
pub(crate) fn source_of<'a>(sources: &'a Sources, id: &'a str) -> (Vec<&'a str>, Option<&'a str>) {
    let all = || sources.with_id(id).iter().filter_map(|index| sources.list().get(*index));
    (all().filter_map(|source| source.text.as_deref()).collect(), all().find_map(|source| source.title.as_deref()))
}

impl<'a> Prompt<'a> {
    /// About these claims (number, words). `places` are bytes of the source's texts, joined, that matter.
    pub(crate) fn new(
        source: &Source<'_>,
        claims: impl IntoIterator<Item = (usize, &'a str)>,
        places: &[Range<usize>],
        options: &Options,
    ) -> Self {
        let claims: Vec<(String, &str)> =
            claims.into_iter().map(|(number, words)| (format!("c{}", number + 1), words)).collect();
        let words: Vec<&str> = claims.iter().map(|(_, words)| *words).collect();
        let room = options.max_prompt.saturating_sub(words.iter().map(|words| words.len() + 32).sum());
        let text = source.texts.join("\n\n");
        // However long the claims are, there must be something to judge them by.
        let (text, cut) = excerpt(&text, &words, places, room.max(LEAST_SOURCE));
        let user = prompt::user(source, &text, cut, &claims);
        Prompt { claims, user }
    }

    /// What it will cost, about.
    pub(crate) fn estimate(&self, options: &Options) -> Spent {
        Spent::estimate(SYSTEM.len() + self.user.len(), self.claims.len(), options.prices)
    }

    /// Makes the call. One result for each claim, in their order: what was understood, or what it counts for.
    pub(crate) async fn ask<M: Model>(&self, model: &M, options: &Options) -> (Vec<(Ruled, bool)>, CallCost, Spent) {
        let start = Instant::now();
        let call = AssertUnwindSafe(model.reply(SYSTEM, &self.user)).catch_unwind();
        let limit = Duration::from_millis(options.call_timeout_ms);
        let estimate = self.estimate(options);
        // Of a call that fails nobody knows what it cost; one that was cut off may have cost all of it.
        let mut spent = Spent::call(0, 0, options.prices);
        let mut heard = Reply::default();
        let ruled = match timeout(limit, call).await {
            Ok(Ok(Ok(reply))) => {
                heard = reply;
                spent = Spent::call(
                    heard.input_tokens.unwrap_or(estimate.input_tokens),
                    heard.output_tokens.unwrap_or(heard.text.len().div_ceil(3) as u64),
                    options.prices,
                );
                let closed = |why| (Ruled::closed(why), false);
                let parsed = parse(&heard.text, &self.claims);
                parsed.into_iter().map(|ruled| ruled.map_or_else(closed, |ruled| (ruled, true))).collect()
            }
            Ok(Ok(Err(error))) => self.closed(&format!("the model was not heard: {error}")),
            Ok(Err(_)) => self.closed("the model's code panicked"),
            Err(_) => {
                spent = estimate;
                self.closed("the model did not answer in time")
            }
        };
        let cost = CallCost {
            claims: self.claims.len() as u64,
            latency_ms: start.elapsed().as_millis() as u64,
            input_tokens: heard.input_tokens,
            output_tokens: heard.output_tokens,
        };
        (ruled, cost, spent)
    }

    fn closed(&self, why: &str) -> Vec<(Ruled, bool)> {
        self.claims.iter().map(|_| (Ruled::closed(why), false)).collect()
    }
}

/// The least of a source that is given (bytes).
const LEAST_SOURCE: usize = 4096;
