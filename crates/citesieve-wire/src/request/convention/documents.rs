//! The field `documents`: vLLM's `[{title, text}]`, Cohere's `[{id?, data: {…}} | string]` (v2) and `[{id?, …}]` (v1),
//! and Cohere's `document` parts in a message.
//!
//! Ids that are given are the ids (`id`, `doc_id`, `document_id`). Where none are, the model's own template numbers the
//! documents, from 0 (Cohere's Command) or from 1 (Granite and others), and nothing in the request says which: both count.
//! Cohere's API answers with `doc:0` (v1: `doc_0`) then, which counts as well.

use citesieve::Source;

use super::{Convention, by_order};
use crate::request::json::Json;
use crate::request::reader::Request;

pub(super) struct Cohere;
pub(super) struct Vllm;

impl Convention for Cohere {
    fn name(&self) -> &'static str {
        "cohere documents"
    }

    fn in_request(&self, request: &Request<'_>) -> Vec<Source> {
        let mut list = Vec::new();
        let mut theirs = request.cohere_v1;
        if let Some(documents) = request.documents.filter(|_| !request.messages.is_empty()) {
            documents.each(|document| {
                theirs |= document.text().is_some() || document.field("data").is_some();
                list.extend(Document::read(document));
            });
        }
        if !theirs {
            list.clear();
        }
        for block in &request.blocks {
            list.extend(block.field("document").and_then(Document::read));
        }
        let joint = if request.cohere_v1 { '_' } else { ':' };
        numbered(list, |index| Some(format!("doc{joint}{index}")))
    }
}

impl Convention for Vllm {
    fn name(&self) -> &'static str {
        "vllm documents"
    }

    fn in_request(&self, request: &Request<'_>) -> Vec<Source> {
        let mut list = Vec::new();
        // Without anybody who speaks, it is another kind of request: ranking, embedding.
        if let Some(documents) = request.documents.filter(|_| !request.messages.is_empty()) {
            documents.each(|document| list.extend(Document::read(document)));
        }
        numbered(list, |_| None)
    }
}

/// A document with its id, if it has one.
struct Document {
    id: Option<String>,
    source: Source,
}

impl Document {
    fn read(json: Json<'_>) -> Option<Self> {
        let mut document = Document { id: None, source: Source::default() };
        if let Some(text) = json.text() {
            document.source.text = Some(text);
            return Some(document);
        }
        if !json.is_object() {
            return None;
        }
        let mut texts = Vec::new();
        document.add(json, &mut texts);
        match json.field("data") {
            Some(data) if data.is_object() => document.add(data, &mut texts),
            Some(data) => texts.extend(data.text()),
            None => {}
        }
        document.source.text = (!texts.is_empty()).then(|| texts.join("\n"));
        Some(document)
    }

    /// Any field may hold words; these are something else.
    fn add(&mut self, json: Json<'_>, texts: &mut Vec<String>) {
        let source = &mut self.source;
        json.each_field(|key, value| match key {
            "id" | "doc_id" | "document_id" => self.id = self.id.take().or(value.text_or_number()),
            "title" | "name" | "filename" => source.title = source.title.take().or(value.text()),
            "url" | "uri" => source.url = source.url.take().or(value.text()),
            "data" | "type" | "_excludes" | "timestamp" => {}
            _ => texts.extend(value.text()),
        });
    }
}

/// By their ids if all have one, else by their order.
fn numbered(list: Vec<Document>, also: impl Fn(usize) -> Option<String>) -> Vec<Source> {
    if list.iter().all(|document| document.id.is_some()) {
        let with_id = |document: Document| document.id.map(|id| Source { id, ..document.source });
        return list.into_iter().filter_map(with_id).collect();
    }
    let mut more = Vec::new();
    for (index, document) in list.iter().enumerate() {
        if let Some(id) = document.id.clone().or_else(|| also(index)) {
            more.push(Source { id, ..document.source.clone() });
        }
    }
    let mut sources = by_order(list.into_iter().map(|document| document.source).collect());
    sources.extend(more);
    sources
}
