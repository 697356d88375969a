//! Where a verified quote stands in its source, in the terms of the web: a text fragment for a link, and the selectors
//! of the W3C's Web Annotation Data Model.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

/// Characters of context on each side of an exact quotation.
const CONTEXT: usize = 32;
/// A quotation of more characters than this is linked by its first and last words.
const LONGEST: usize = 100;
/// How many words at each end name a longer one.
const WORDS: usize = 5;

/// `TextQuoteSelector`: the words, with a little of what stands around them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "TextQuoteSelector")]
pub(crate) struct TextQuote {
    exact: String,
    prefix: String,
    suffix: String,
}

/// `TextPositionSelector`: where the words stand, in Unicode code points from the start of the source's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "TextPositionSelector")]
pub(crate) struct TextPosition {
    start: usize,
    end: usize,
}

impl TextQuote {
    /// For a range of bytes, on character borders.
    pub(crate) fn new(text: &str, range: Range<usize>) -> Option<Self> {
        let (before, after) = (text.get(..range.start)?, text.get(range.end..)?);
        let skipped = before.chars().count().saturating_sub(CONTEXT);
        Some(TextQuote {
            exact: text.get(range)?.to_owned(),
            prefix: before.chars().skip(skipped).collect(),
            suffix: after.chars().take(CONTEXT).collect(),
        })
    }
}

impl TextPosition {
    /// For a range of bytes, on character borders.
    pub(crate) fn new(text: &str, range: Range<usize>) -> Option<Self> {
        let start = text.get(..range.start)?.chars().count();
        Some(TextPosition { start, end: start + text.get(range)?.chars().count() })
    }
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.start, self.end)
    }
}

/// The URL of a source, leading to these words of it.
pub(crate) fn link(url: &str, words: &str) -> String {
    let all: Vec<&str> = words.split_whitespace().collect();
    let text = if words.chars().count() <= LONGEST || all.len() <= 2 * WORDS {
        encode(&all.join(" "))
    } else {
        format!("{},{}", encode(&all[..WORDS].join(" ")), encode(&all[all.len() - WORDS..].join(" ")))
    };
    let hash = if url.contains('#') { "" } else { "#" };
    format!("{url}{hash}:~:text={text}")
}

/// Percent-encodes what a text directive cannot hold: everything but letters, digits and a few marks; `-` and `,`
/// mean something in it.
fn encode(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'~' => out.push(byte.into()),
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_name_the_words() {
        assert_eq!(
            link("https://a.example/x", "well-known, and\n50 % café"),
            "https://a.example/x#:~:text=well%2Dknown%2C%20and%2050%20%25%20caf%C3%A9"
        );
        let long = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen";
        assert_eq!(
            link("https://a.example/#top", long),
            "https://a.example/#top:~:text=one%20two%20three%20four%20five,thirteen%20fourteen%20fifteen%20sixteen%20seventeen"
        );
        let wide = "家".repeat(101);
        assert!(!link("https://a.example/", &wide).contains(','));
    }

    #[test]
    fn selectors_count_code_points() {
        let text = "Ünï: the roof shall be kept.";
        let range = text.find("the").unwrap()..text.find(" shall").unwrap();
        assert_eq!(TextPosition::new(text, range.clone()).unwrap(), TextPosition { start: 5, end: 13 });
        let quote = TextQuote::new(text, range).unwrap();
        assert_eq!((quote.exact.as_str(), quote.prefix.as_str()), ("the roof", "Ünï: "));
        assert_eq!(
            serde_json::to_value(&quote).unwrap(),
            serde_json::json!({"type": "TextQuoteSelector", "exact": "the roof", "prefix": "Ünï: ", "suffix": " shall be kept."})
        );
        assert_eq!(TextQuote::new(text, 1..3), None, "not on character borders");
    }
}
