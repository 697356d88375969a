//! `[Source 2]`, `[citation:2]`, `[doc 2]`, `[doc2]`, `[ref_2]`, `[ID:2]`: a tag and a list; the tag may be repeated
//! inside it (`[Source 1, Source 2]`). Upper and lower case mean the same.

use super::guard::{Context, Guard};
use super::{Reading, Step, Syntax};

#[derive(Debug)]
pub(crate) struct Tagged;

/// The tags.
const TAGS: &[&str] = &[
    "source",
    "sources",
    "citation",
    "citations",
    "cite",
    "doc",
    "docs",
    "document",
    "documents",
    "ref",
    "refs",
    "reference",
    "references",
    ID,
];
/// The one tag that needs its colon: `[ID 5]` is an ordinary phrase.
const ID: &str = "id";

/// Phases: the opener, letters of a tag, what joins the tag to its number, the list.
const LETTERS: u8 = 1;
const JOINT: u8 = 2;
const JOINED: u8 = 3;
const LIST: u8 = 4;

impl Syntax for Tagged {
    fn openers(&self) -> &'static [char] {
        &['[']
    }

    /// The tag says what it is: no year or interval can be meant.
    fn guard(&self, _: &Context<'_>) -> Option<Guard> {
        None
    }

    fn step(&self, reading: &mut Reading, c: char, at: u64) -> Step {
        let space = c == ' ' || c == '\u{a0}';
        match reading.phase {
            0 => {
                reading.phase = LETTERS;
                Step::Open
            }
            LETTERS if c.is_ascii_alphabetic() => {
                if reading.tag.is_empty() {
                    reading.list.tag_at(at);
                }
                reading.tag.push(c.to_ascii_lowercase());
                if TAGS.iter().any(|tag| tag.starts_with(&reading.tag)) { Step::Open } else { Step::Dead }
            }
            LETTERS if space && reading.tag.is_empty() => Step::Open,
            LETTERS | JOINT | JOINED if c.is_ascii_digit() => {
                let whole = TAGS.contains(&reading.tag.as_str());
                if !whole || (reading.tag == ID && reading.phase != JOINED) {
                    return Step::Dead;
                }
                reading.phase = LIST;
                reading.list.step(c, at)
            }
            LETTERS | JOINT if TAGS.contains(&reading.tag.as_str()) => match c {
                ':' | '_' | '.' | '#' => {
                    reading.phase = JOINED;
                    if reading.tag == ID && c != ':' { Step::Dead } else { Step::Open }
                }
                _ if space => {
                    reading.phase = JOINT;
                    Step::Open
                }
                _ => Step::Dead,
            },
            JOINED if space => Step::Open,
            LIST if c == ']' && reading.list.is_complete() => Step::Done,
            LIST if c.is_ascii_alphabetic() && reading.list.wants_element() => {
                reading.phase = LETTERS;
                reading.tag.clear();
                self.step(reading, c, at)
            }
            LIST => reading.list.step(c, at),
            _ => Step::Dead,
        }
    }
}
