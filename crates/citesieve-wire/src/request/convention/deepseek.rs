//! DeepSeek's web search prompt: `[webpage 1 begin]…[webpage 1 end]`, cited as `[citation:1]`. Others took it over, with
//! `[1]`. The prompt explains itself with an `X` for the number, which is none.

use citesieve::Source;

use super::Convention;
use super::text::Brackets;

pub(super) struct DeepSeek;

const BRACKETS: Brackets = Brackets { open: ("[webpage ", " begin]"), close: ("[webpage ", " end]") };

impl Convention for DeepSeek {
    fn name(&self) -> &'static str {
        "deepseek"
    }

    fn in_texts(&self, texts: &[&str]) -> Vec<Source> {
        texts.iter().flat_map(|text| BRACKETS.passages(text)).collect()
    }
}
