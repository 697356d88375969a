//! Perplexica (Vane) and its like: a `<context>` with numbered passages, cited as `[1]`.
//!
//! - `<result index=1 title="…">passage</result>` in `<search_results>`, not escaped.
//! - `[1] passage`, a line each.
//! - `1. passage`, a line each. A context with a numbered list may be anything, so what is said around it must speak of
//!   citing.
//!
//! A line starts a passage if its number is the next one; any other number is part of the passage before. Lists in a
//! passage can so make more ids than there are, never fewer.

use citesieve::Source;

use super::Convention;
use super::text::{Tag, first_from, last_between, lines, number, places};

pub(super) struct Perplexica;

impl Convention for Perplexica {
    fn name(&self) -> &'static str {
        "numbered context"
    }

    fn in_texts(&self, texts: &[&str]) -> Vec<Source> {
        let results: Vec<Source> = texts.iter().flat_map(|text| results(text)).collect();
        if !results.is_empty() {
            return results;
        }
        let mut cites = None;
        let mut list = Vec::new();
        for text in texts {
            let Some(context) = context(text) else { continue };
            let cites = *cites.get_or_insert_with(|| texts.iter().any(|text| speaks_of_citing(text)));
            list.extend(bracketed(context).or_else(|| numbered(context).filter(|_| cites)).unwrap_or_default());
        }
        list
    }
}

fn results(text: &str) -> Vec<Source> {
    let Some(start) = text.find("<search_results") else { return Vec::new() };
    let Some(end) = text.rfind("</search_results>") else { return Vec::new() };
    let Some(inside) = text.get(start..end) else { return Vec::new() };
    let closings = places(inside, "</result>");
    let index_of = |tag: &Tag<'_>| {
        tag.attributes[0].0 == "index" && number(tag.attributes[0].1).is_some_and(|(_, rest)| rest.is_empty())
    };
    let tags: Vec<Tag<'_>> = Tag::all(inside, "<result").filter(index_of).collect();
    let mut list = Vec::new();
    for (index, tag) in tags.iter().enumerate() {
        let next = tags.get(index + 1).map_or(inside.len(), |next| next.start);
        let end = last_between(&closings, tag.end, next).or_else(|| first_from(&closings, tag.end));
        let mut source = Source::new(tag.attributes[0].1);
        source.title = tag.get("title").map(str::to_owned);
        source.url = tag.get("url").map(str::to_owned);
        source.text = end.map(|end| inside[tag.end..end].trim().to_owned());
        list.push(source);
    }
    list
}

/// What stands in the last `<context>` of a text: the tags start and end a line.
fn context(text: &str) -> Option<&str> {
    let (mut open, mut found) = (None, None);
    for (at, line) in lines(text) {
        if line.trim_start().starts_with(OPENING) {
            open = Some(at + line.len() - line.trim_start().len() + OPENING.len());
        }
        if let Some(before) = line.trim_end().strip_suffix(CLOSING) {
            let end = at + before.len();
            found = open.take().filter(|from| *from <= end).map(|from| &text[from..end]).or(found);
        }
    }
    found
}

const OPENING: &str = "<context>";
const CLOSING: &str = "</context>";

fn bracketed(context: &str) -> Option<Vec<Source>> {
    passages(context, true, |line| {
        let (id, rest) = number(line.strip_prefix('[')?)?;
        Some((id, rest.strip_prefix(']').filter(|rest| rest.is_empty() || rest.starts_with([' ', ':', '\t']))?))
    })
}

fn numbered(context: &str) -> Option<Vec<Source>> {
    passages(context, false, |line| {
        let (id, rest) = number(line)?;
        Some((id, rest.strip_prefix(". ")?))
    })
}

/// Passages by their numbers: the first line has one (0 or 1, unless it may be any), and each next one counts up.
fn passages<'t>(
    context: &'t str,
    any: bool,
    read: impl Fn(&'t str) -> Option<(&'t str, &'t str)>,
) -> Option<Vec<Source>> {
    let mut list: Vec<(u32, String)> = Vec::new();
    for (_, line) in lines(context) {
        let next = list.last().map(|(id, _)| id + 1);
        let start = read(line.trim_start()).and_then(|(id, rest)| Some((id.parse::<u32>().ok()?, rest)));
        match (next, start) {
            (None, Some((id, rest))) if id <= 1 || any => {
                list.push((id, rest.trim_start_matches([':', ' ']).to_owned()))
            }
            (None, _) if line.trim().is_empty() => {}
            (None, _) => return None,
            (Some(next), Some((id, rest))) if id == next => {
                list.push((id, rest.trim_start_matches([':', ' ']).to_owned()));
            }
            _ => {
                if let Some((_, words)) = list.last_mut() {
                    words.push('\n');
                    words.push_str(line);
                }
            }
        }
    }
    let source = |(id, words): (u32, String)| Source::new(id.to_string()).text(words.trim());
    (!list.is_empty()).then(|| list.into_iter().map(source).collect())
}

fn speaks_of_citing(text: &str) -> bool {
    [
        "[number]",
        "[1]",
        "[n]",
        "[id]",
        "[index]",
        "cite",
        "citation",
        "Cite",
        "Citation",
        "引用",
        "zitier",
        "citaci",
        "цитир",
    ]
    .iter()
    .any(|word| text.contains(word))
}
