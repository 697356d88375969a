//! Anthropic's `document` and `search_result` blocks, in a message or in the result of a tool.
//!
//! The API numbers them by their order in the whole conversation, and cites in structured form, from 0; a model that is
//! asked for markers counts from 1. Both count. A document that comes as base64, as a file or by its URL is known by its
//! place only. Where no text is known at all, nothing is taken to be found: the `[12]` in an answer about an uploaded paper is
//! most likely the paper's own.

use citesieve::Source;

use super::{Convention, by_order};
use crate::request::json::Json;
use crate::request::reader::Request;

pub(super) struct Anthropic;

impl Convention for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic blocks"
    }

    fn in_request(&self, request: &Request<'_>) -> Vec<Source> {
        let sources: Vec<Source> = request.blocks.iter().filter_map(|block| source(*block)).collect();
        if sources.iter().all(|source| source.text.is_none()) {
            return Vec::new();
        }
        by_order(sources)
    }
}

fn source(block: Json<'_>) -> Option<Source> {
    let [kind, source, title, content] = block.fields(["type", "source", "title", "content"]);
    let title = title.and_then(Json::text);
    if kind?.text()? == "search_result" {
        let text = content.and_then(words);
        return Some(Source { title, url: source.and_then(Json::text), text, ..Source::default() });
    }
    let source = source.filter(|source| source.is_object())?;
    let [kind, data, content, url] = source.fields(["type", "data", "content", "url"]);
    let text = match kind?.text()?.as_str() {
        "text" => data.and_then(Json::text),
        "content" => content.and_then(words),
        _ => None,
    };
    Some(Source { title, url: url.and_then(Json::text), text, ..Source::default() })
}

/// The text of a content: a string, or text blocks.
fn words(content: Json<'_>) -> Option<String> {
    if let Some(text) = content.text() {
        return Some(text);
    }
    let mut texts = Vec::new();
    content.each(|block| texts.extend(block.field("text").and_then(Json::text)));
    (!texts.is_empty()).then(|| texts.join("\n"))
}
