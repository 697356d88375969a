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
    /// Where the last passage ends (bytes of it) if the list does not go on: at dashes, at a query.
    end: Option<usize>,
}

impl List<'_> {
    fn last(&self) -> u32 {
        self.passages.last().map_or(u32::MAX, |(id, _)| value(id))
    }

    /// Whether it is one, and no example.
    fn counts(&self) -> bool {
        let counted = || self.passages.iter().zip(1..).all(|((id, _), number)| value(id) == number);
        !self.example && (self.dashes || (self.passages.len() > 1 && counted()))
    }
}

fn sources(text: &str) -> Vec<Source> {
    let mut lists: Vec<List<'_>> = vec![List::default()];
    let (mut dashes, mut fenced) = (false, false);
    for (_, line) in lines(text) {
        let Some(list) = lists.last_mut() else { break };
        let bare = line.trim();
        if list.passages.is_empty() && (bare.starts_with("```") || bare.starts_with("~~~")) {
            fenced = !fenced;
        }
        let id = heading(line).filter(|_| !fenced);
        if let Some(id) = id.filter(|id| value(id).checked_sub(1) == Some(list.last())) {
            list.passages.push((id, String::new()));
            list.end = None;
            continue;
        }
        // Another number is part of the passage before, unless it begins a list of its own.
        if let Some(id) = id.filter(|id| dashes || value(id) == 1) {
            lists.push(List { passages: vec![(id, String::new())], dashes, ..List::default() });
            dashes = false;
            continue;
        }
        let divides = bare.len() >= 3 && bare.bytes().all(|b| b == b'-');
        if let Some((_, words)) = list.passages.last_mut() {
            let answer = bare.strip_prefix("Answer:");
            if divides || answer.is_some() || ["Query:", "Question:"].iter().any(|name| bare.starts_with(name)) {
                list.end = list.end.or(Some(words.len()));
            }
            list.example |= answer.is_some_and(|answer| !answer.trim().is_empty());
            words.push_str(line);
            words.push('\n');
        }
        dashes = divides || (dashes && bare.is_empty());
    }
    let mut found = Vec::new();
    for mut list in lists.into_iter().filter(List::counts) {
        if let (Some((_, words)), Some(end)) = (list.passages.last_mut(), list.end) {
            words.truncate(end);
        }
        found.extend(list.passages.into_iter().map(|(id, words)| Source::new(id).text(words.trim())));
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
