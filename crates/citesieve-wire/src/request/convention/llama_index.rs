//! LlamaIndex's citation prompt: `Source 1:`, the passage below it; cited as `[1]`.
//!
//! The line alone is an ordinary one, so either dashes stand around the list, as in the prompt, or there are two or more
//! of them, counted from 1. The prompt explains itself with two such sources that answer a made-up query: an example.

use citesieve::Source;

use super::Convention;
use super::text::{lines, number};

pub(super) struct LlamaIndex;

impl Convention for LlamaIndex {
    fn name(&self) -> &'static str {
        "llamaindex"
    }

    fn in_texts(&self, texts: &[&str]) -> Vec<Source> {
        texts.iter().filter(|text| text.contains("Source ")).flat_map(|text| sources(text)).collect()
    }
}

/// A list of passages, counted up.
#[derive(Default)]
struct List<'t> {
    passages: Vec<(&'t str, String)>,
    /// A line of dashes stands right before it.
    dashes: bool,
    /// A query and its answer follow.
    example: bool,
    /// It is over: what comes belongs to no passage.
    closed: bool,
}

fn sources(text: &str) -> Vec<Source> {
    let mut lists: Vec<List<'_>> = vec![List::default()];
    let mut dashes = false;
    let mut fenced = false;
    for (_, line) in lines(text) {
        let Some(list) = lists.last_mut() else { break };
        let bare = line.trim();
        if list.passages.is_empty() && (bare.starts_with("```") || bare.starts_with("~~~")) {
            fenced = !fenced;
        }
        if let Some(id) = heading(line).filter(|_| !fenced) {
            let goes_on = list.passages.last().is_some_and(|(last, _)| value(id) > value(last)) && !list.closed;
            if goes_on {
                list.passages.push((id, String::new()));
            } else {
                lists.push(List { passages: vec![(id, String::new())], dashes, ..List::default() });
            }
        } else if bare.len() >= 3 && bare.bytes().all(|b| b == b'-') {
            list.closed = true;
            dashes = true;
            continue;
        } else if ["Query:", "Question:"].iter().any(|name| bare.starts_with(name)) {
            list.closed = true;
        } else if let Some(answer) = bare.strip_prefix("Answer:") {
            list.example |= !answer.trim().is_empty();
            list.closed = true;
        } else if let Some((_, words)) = list.passages.last_mut().filter(|_| !list.closed) {
            words.push_str(line);
            words.push('\n');
        }
        dashes &= bare.is_empty();
    }
    let mut found = Vec::new();
    for list in lists.into_iter().filter(|list| !list.example) {
        let counted =
            list.passages.len() > 1 && list.passages.iter().enumerate().all(|(i, (id, _))| value(id) == i as u32 + 1);
        if list.dashes || counted {
            found.extend(list.passages.into_iter().map(|(id, words)| Source::new(id).text(words.trim())));
        }
    }
    found
}

/// `Source 1:` alone in its line.
fn heading(line: &str) -> Option<&str> {
    let (id, rest) = number(line.strip_prefix("Source ")?)?;
    (rest.trim_end() == ":").then_some(id)
}

fn value(id: &str) -> u32 {
    id.parse().unwrap_or(u32::MAX)
}
