//! Open WebUI: `<source id="1" name="lease.pdf">passage</source>`, one per line, in a user, system or tool message.
//!
//! - Several tags share one id: chunks of one document.
//! - The passage is not escaped: it may hold `</source>`, `<`, and tags of its own. So a passage ends at the last
//!   `</source>` before the next tag; the last passage at the last one before `</context>`, if there is one.
//! - Tags may be empty: the texts are in the tools' results then, and the ids are known without them.
//! - The prompt around them explains itself with `<source id="1">` in the middle of a line. A tag stands at the start of
//!   a line or right behind another tag, and it is closed. In a fence of Markdown it is code.
//! - Older versions wrote `<source><source_id>1</source_id><source_context>passage</source_context></source>`.

use citesieve::Source;

use super::Convention;
use super::text::{Tag, first_from, is_ellipsis, last_between, lines, places};

pub(super) struct OpenWebUi;

impl Convention for OpenWebUi {
    fn name(&self) -> &'static str {
        "open-webui"
    }

    fn in_texts(&self, texts: &[&str]) -> Vec<Source> {
        texts.iter().flat_map(|text| sources(text).into_iter().chain(older(text))).collect()
    }
}

/// The older form.
fn older(text: &str) -> Vec<Source> {
    let (opening, closing) = ("<source><source_id>", "</source_context></source>");
    let closings = places(text, closing);
    let openings = places(text, opening);
    let mut list = Vec::new();
    for (index, at) in openings.iter().enumerate() {
        let next = openings.get(index + 1).copied().unwrap_or(text.len());
        let Some((id, _)) = text[at + opening.len()..next].split_once("</source_id><source_context>") else { continue };
        let from = at + opening.len() + id.len() + "</source_id><source_context>".len();
        let Some(end) = last_between(&closings, from, next) else { continue };
        if id.len() <= 200 && is_at_start(&text[..*at]) {
            list.push(Source::new(id).text(text[from..end].trim()));
        }
    }
    list
}

const CLOSING: &str = "</source>";

fn sources(text: &str) -> Vec<Source> {
    let closings = places(text, CLOSING);
    let mut tags: Vec<Tag<'_>> = Tag::all(text, "<source").filter(is_source).collect();
    if tags.is_empty() || (closings.is_empty() && !tags.iter().any(|tag| tag.empty)) {
        return Vec::new();
    }
    let at_start: Vec<bool> = tags.iter().map(|tag| is_at_start(&text[..tag.start])).collect();
    // One in a line counts if it is the first and the next line goes on with another: the list began in that line.
    let first = tags.len() > 1 && at_start[1] && {
        let end = last_between(&closings, tags[0].end, tags[1].start);
        end.is_some_and(|end| text[end + CLOSING.len()..tags[1].start].trim().is_empty())
    };
    let mut index = 0;
    tags.retain(|_| {
        index += 1;
        at_start[index - 1] || (index == 1 && first)
    });

    let (mut list, mut closed, mut behind, mut fenced) = (Vec::new(), false, 0, false);
    for (index, tag) in tags.iter().enumerate() {
        fenced ^= fences(&text[behind..tag.start.max(behind)]);
        behind = tag.end;
        if fenced {
            continue;
        }
        let next = tags.get(index + 1).map_or(text.len(), |next| next.start);
        let mut source = Source::new(tag.attributes[0].1);
        source.title = tag.get("name").or(tag.get("title")).map(str::to_owned);
        source.url = tag.get("url").or(tag.get("href")).map(str::to_owned);
        let last = index + 1 == tags.len();
        let end = if tag.empty { None } else { ending(text, &closings, tag.end, next, last) };
        if let Some(end) = end {
            behind = end + CLOSING.len();
            if is_ellipsis(&text[tag.end..end]) {
                continue;
            }
            source.text = Some(text[tag.end..end].trim().to_owned());
        }
        closed |= tag.empty || end.is_some();
        list.push(source);
    }
    if closed { list } else { Vec::new() }
}

/// Its first attribute is an id that is no placeholder, and it is not HTML's `<source src=…>`.
fn is_source(tag: &Tag<'_>) -> bool {
    let (name, id) = tag.attributes[0];
    let placeholder = id.contains(['{', '}', '<', '>', '$', '…', '*', '\n'])
        || id.contains("...")
        || id.len() > 200
        || ["n", "i", "x", "id", "number", "source_id", ""].contains(&id.to_ascii_lowercase().as_str());
    name == "id" && !placeholder && tag.get("src").is_none() && tag.get("srcset").is_none()
}

/// Whether a tag may start here: nothing before it in the line, or another tag right before it.
fn is_at_start(before: &str) -> bool {
    let line = before.trim_end_matches([' ', '\t']);
    if line.is_empty() || line.ends_with('\n') {
        return true;
    }
    let Some(inner) = before.strip_suffix('>') else { return false };
    let name = inner
        .bytes()
        .rev()
        .take(40)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'/'))
        .count();
    name > 0 && inner[..inner.len() - name].ends_with('<')
}

/// Where the passage ends that starts at `from`; the next tag is at `next`.
fn ending(text: &str, closings: &[usize], from: usize, next: usize, last: bool) -> Option<usize> {
    if !last {
        return last_between(closings, from, next);
    }
    let first = closings.partition_point(|at| *at < from);
    let rest = &closings[first..];
    let behind = |at: &&usize| text[**at + CLOSING.len()..].trim_start();
    rest.iter()
        .rfind(|at| behind(at).starts_with("</context>"))
        .or_else(|| rest.iter().rfind(|at| behind(at).is_empty()))
        .copied()
        .or_else(|| first_from(closings, from))
}

/// Whether an odd number of fences stands here.
fn fences(text: &str) -> bool {
    let fence = |line: &str| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
    lines(text).filter(|(_, line)| fence(line)).count() % 2 == 1
}
