//! AnythingLLM: `[CONTEXT 0]:`, the passage, `[END CONTEXT 0]`, in the system message. Numbered from 0.

use citesieve::Source;

use super::Convention;
use super::text::Brackets;

pub(super) struct AnythingLlm;

const BRACKETS: Brackets = Brackets { open: ("[CONTEXT ", "]:"), close: ("[END CONTEXT ", "]") };

impl Convention for AnythingLlm {
    fn name(&self) -> &'static str {
        "anythingllm"
    }

    fn in_texts(&self, texts: &[&str]) -> Vec<Source> {
        texts.iter().flat_map(|text| BRACKETS.passages(text)).collect()
    }
}
