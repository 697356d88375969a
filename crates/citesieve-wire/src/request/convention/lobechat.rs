//! LobeChat: results of its searches, in tool messages. `<searchResults>` with `<item title url>` (escaped), and
//! `<knowledge_base_search_results>` with `<file>` and `<chunk>` in it (not escaped).
//!
//! They have no numbers, so the order is all there is, from 1 and over all rounds. Of the knowledge base nobody says
//! whether files or chunks are meant: both count.

use citesieve::Source;

use super::Convention;
use super::text::{Tag, first_from, last_between, places, unescape};

pub(super) struct LobeChat;

impl Convention for LobeChat {
    fn name(&self) -> &'static str {
        "lobechat"
    }

    fn in_texts(&self, texts: &[&str]) -> Vec<Source> {
        let mut counted = 0;
        let mut list = Vec::new();
        for text in texts {
            items(text, &mut counted, &mut list);
            chunks(text, &mut counted, &mut list);
        }
        list
    }
}

/// What stands between two tags of a text, from the first to the last.
fn inside<'t>(text: &'t str, opening: &str, closing: &str) -> Option<&'t str> {
    let start = text.find(opening)?;
    let end = text.rfind(closing)?;
    text.get(start + opening.len()..end)
}

fn items(text: &str, counted: &mut usize, list: &mut Vec<Source>) {
    let Some(inside) = inside(text, "<searchResults>", "</searchResults>") else { return };
    let closings = places(inside, "</item>");
    for tag in Tag::all(inside, "<item") {
        let (Some(title), Some(url)) = (tag.get("title"), tag.get("url")) else { continue };
        // Escaped, so the first closing is its own.
        let end = if tag.empty { None } else { first_from(&closings, tag.end) };
        *counted += 1;
        list.push(Source {
            id: counted.to_string(),
            title: Some(unescape(title)),
            url: Some(unescape(url)),
            text: end.map(|end| unescape(&inside[tag.end..end])),
            ..Source::default()
        });
    }
}

fn chunks(text: &str, counted: &mut usize, list: &mut Vec<Source>) {
    let Some(inside) = inside(text, "<knowledge_base_search_results ", "</knowledge_base_search_results>") else {
        return;
    };
    let closings = places(inside, "</chunk>");
    let is_chunk = |tag: &Tag<'_>| tag.get("fileId").is_some();
    let tags: Vec<Tag<'_>> = Tag::all(inside, "<chunk").filter(is_chunk).collect();
    let before = *counted;
    let mut files = 0;
    let mut file = None;
    for (index, tag) in tags.iter().enumerate() {
        let next = tags.get(index + 1).map_or(inside.len(), |next| next.start);
        let Some(end) = last_between(&closings, tag.end, next) else { continue };
        let text = inside[tag.end..end].trim();
        if file != tag.get("fileId") {
            file = tag.get("fileId");
            files += 1;
        }
        *counted += 1;
        let source = Source::new(counted.to_string()).text(text);
        list.push(match tag.get("fileName") {
            Some(name) => source.title(name),
            None => source,
        });
        if before + files != *counted {
            list.push(Source::new((before + files).to_string()).text(text));
        }
    }
}
