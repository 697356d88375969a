//! The conventions by which applications hand passages to a model, one file each.
//!
//! A convention that is not found where it is costs nothing: the answer passes unchecked. One that is found where it is
//! not makes honest markers fabricated. So each of them wants a shape that nothing else has.

mod anthropic;
mod anything_llm;
mod deepseek;
mod documents;
mod librechat;
mod llama_index;
mod lobechat;
mod open_webui;
mod perplexica;
mod ragflow;
mod text;

use citesieve::{MarkerSyntax, Source};

use super::reader::Request;

/// One way to hand passages to a model. Finds nothing: an empty list.
pub(super) trait Convention: Sync {
    /// What it is called where it is reported.
    fn name(&self) -> &'static str;

    /// Syntaxes it asks the model to cite in, beyond those that are read by default.
    fn syntaxes(&self) -> &'static [MarkerSyntax] {
        &[]
    }

    /// Reads fields and blocks of the whole request.
    fn in_request(&self, _request: &Request<'_>) -> Vec<Source> {
        Vec::new()
    }

    /// Reads what was said in one turn. Linear in the texts.
    fn in_texts(&self, _texts: &[&str]) -> Vec<Source> {
        Vec::new()
    }
}

/// All of them, in the order in which they are tried: the structured ones, then those with tags of their own, then
/// those whose shape is weaker.
pub(super) const ALL: &[&dyn Convention] = &[
    &documents::Cohere,
    &documents::Vllm,
    &anthropic::Anthropic,
    &open_webui::OpenWebUi,
    &librechat::LibreChat,
    &lobechat::LobeChat,
    &deepseek::DeepSeek,
    &anything_llm::AnythingLlm,
    &ragflow::RagFlow,
    &llama_index::LlamaIndex,
    &perplexica::Perplexica,
];

/// Sources from passages that are numbered by their order alone, where nobody says whether from 0 or from 1.
///
/// Both count: the passage at position `i` has the ids `i + 1` and `i`, so `[0]` to `[n]` exist, and words are looked for
/// in either. That a marker of honest text goes is worse than that one fabricated marker more stays.
fn by_order(passages: Vec<Source>) -> Vec<Source> {
    // Where one of the two has no text, words of the other would be looked for in vain: then nothing is looked for.
    let with_text = |index: usize| passages.get(index).is_none_or(|passage| passage.text.is_some());
    let checkable = |id: usize| with_text(id) && id.checked_sub(1).is_none_or(with_text);
    let mut sources = Vec::with_capacity(2 * passages.len());
    for (index, passage) in passages.iter().enumerate() {
        let id = index + 1;
        let text = passage.text.clone().filter(|_| checkable(id));
        sources.push(Source { id: id.to_string(), text, ..passage.clone() });
    }
    for (id, passage) in passages.iter().enumerate() {
        let text = passage.text.clone().filter(|_| checkable(id));
        sources.push(Source { id: id.to_string(), text, format: passage.format, ..Source::default() });
    }
    sources
}
