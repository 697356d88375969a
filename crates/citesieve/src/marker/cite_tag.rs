//! `<cite id="2"/>`, `<cite index="0-1">words</cite>`, `<cite>2</cite>`, `<inref id="…"/>`: tags that cite.
//!
//! The ids stand in an attribute, or alone between the tags. A word `n-m` or `n:m` of an attribute (document and
//! sentence) names `n` unless it is an id as a whole. Words of the answer between the tags stay when the tags go; a
//! `<cite>` around a title is HTML, not a marker.

use super::guard::{Context, Guard};
use super::id::is_id_like;
use super::{Form, Reading, Step, Syntax};

#[derive(Debug)]
pub(crate) struct CiteTag;

const NAMES: [&str; 2] = ["cite", "inref"];
/// Attributes that hold ids.
const ATTRIBUTES: &str = "id ids index indexes doc docs doc_id doc-id document document_id source sources source_id \
    source-id ref refs n num number key file_id attachment_id chunk_id data-id data-source data-index";
/// Longer than this (bytes), it is not a tag that cites.
const MAX_TAG: u64 = 1024;
/// Longer than this (bytes), what stands between the tags is words.
const MAX_CONTENT: u64 = 64;

/// Phases: the name, what may follow it or a value, the name of an attribute, its value, the end of the tag, what
/// stands between the tags, the tag that closes it; a closing tag alone.
const NAME: u8 = 1;
const SPACE: u8 = 2;
const AFTER_VALUE: u8 = 3;
const ATTRIBUTE: u8 = 4;
const EQUALS: u8 = 5;
const DOUBLE_QUOTED: u8 = 6;
const SINGLE_QUOTED: u8 = 7;
const BARE: u8 = 8;
const END: u8 = 9;
const CONTENT: u8 = 10;
const WORDS: u8 = 11;
const CLOSER: u8 = 12;
const CLOSING: u8 = 13;

/// Bits of `part`: in a word of a value; the ids stand between the tags; the tag is `inref`; an attribute had ids.
const IN_WORD: u8 = 1;
const BETWEEN: u8 = 2;
const INREF: u8 = 4;
const TAKEN: u8 = 8;

impl Syntax for CiteTag {
    fn openers(&self) -> &'static [char] {
        &['<']
    }

    /// Between the tags may stand anything.
    fn guard(&self, context: &Context<'_>) -> Option<Guard> {
        let first = context.elements.first()?;
        if context.real || !context.text.slice(context.start..first.first.start).contains('>') {
            return None;
        }
        let number = |at: &std::ops::Range<u64>| context.text.slice(at.clone()).bytes().all(|b| b.is_ascii_digit());
        let known = context.elements.iter().all(|e| number(&e.first) || is_id_like(context, e.first.clone()));
        (!known).then_some(Guard::Word)
    }

    fn step(&self, reading: &mut Reading, c: char, at: u64) -> Step {
        if c == '\n' || c == '\r' {
            return no_content(reading);
        }
        let space = c == ' ' || c == '\t';
        match (reading.phase, c) {
            (0, _) => {
                reading.phase = NAME;
                reading.from = at;
                Step::Open
            }
            (NAME, '/') if reading.tag.is_empty() => self.go(reading, CLOSING),
            (NAME | CLOSING, 'a'..='z' | 'A'..='Z') => {
                reading.tag.push(c.to_ascii_lowercase());
                let may = NAMES.iter().any(|name| name.starts_with(&reading.tag));
                if may { Step::Open } else { Step::Dead }
            }
            (CLOSING, '>') if NAMES.contains(&reading.tag.as_str()) => {
                reading.form = Form::Closing;
                Step::Done
            }
            (NAME, _) if NAMES.contains(&reading.tag.as_str()) => {
                if reading.tag == NAMES[1] {
                    reading.part |= INREF;
                }
                self.after_name(reading, c, at, space)
            }
            (NAME | CLOSING, _) => Step::Dead,
            (CONTENT | WORDS | CLOSER, _) => self.content(reading, c, at),
            _ if at - reading.from > MAX_TAG => Step::Dead,
            (SPACE | AFTER_VALUE, _) => self.after_name(reading, c, at, space),
            (ATTRIBUTE, 'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' | ':' | '.') => {
                if reading.tag.len() < 32 {
                    reading.tag.push(c.to_ascii_lowercase());
                }
                Step::Open
            }
            (ATTRIBUTE, '=') => self.go(reading, EQUALS),
            (ATTRIBUTE, _) => self.after_name(reading, c, at, space),
            (EQUALS, '"') => self.go(reading, DOUBLE_QUOTED),
            (EQUALS, '\'') => self.go(reading, SINGLE_QUOTED),
            (DOUBLE_QUOTED, '"') | (SINGLE_QUOTED, '\'') => {
                end_value(reading);
                self.go(reading, AFTER_VALUE)
            }
            (DOUBLE_QUOTED | SINGLE_QUOTED, '<' | '>') => Step::Dead,
            (DOUBLE_QUOTED | SINGLE_QUOTED, _) => value(reading, c, at),
            (BARE, '/' | '>') => {
                end_value(reading);
                self.after_name(reading, c, at, false)
            }
            (EQUALS | BARE, _) if !space && !matches!(c, '"' | '\'' | '<' | '>' | '=' | '`') => {
                reading.phase = BARE;
                value(reading, c, at)
            }
            (BARE, _) if space => {
                end_value(reading);
                self.go(reading, SPACE)
            }
            (END, '>') if !reading.list.elements.is_empty() => Step::Done,
            _ => Step::Dead,
        }
    }
}

impl CiteTag {
    fn go(&self, reading: &mut Reading, phase: u8) -> Step {
        reading.phase = phase;
        Step::Open
    }

    /// After the name, after an attribute.
    fn after_name(&self, reading: &mut Reading, c: char, at: u64, space: bool) -> Step {
        match c {
            _ if space => self.go(reading, SPACE),
            '/' => self.go(reading, END),
            '>' => {
                reading.from = at + 1;
                reading.phase = CONTENT;
                if reading.list.elements.is_empty() {
                    reading.part |= BETWEEN;
                    reading.phase = WORDS;
                }
                Step::Open
            }
            'a'..='z' | 'A'..='Z' | '_' if reading.phase == SPACE => {
                reading.tag.clear();
                reading.tag.push(c.to_ascii_lowercase());
                self.go(reading, ATTRIBUTE)
            }
            _ => Step::Dead,
        }
    }

    fn content(&self, reading: &mut Reading, c: char, at: u64) -> Step {
        if at - reading.from > MAX_CONTENT {
            return no_content(reading);
        }
        match (reading.phase, c) {
            (CLOSER, _) => {
                let name = NAMES[usize::from(reading.part & INREF != 0)];
                let read = reading.tag.len();
                let expected = match read {
                    0 => Some('/'),
                    _ if read <= name.len() => name[read - 1..].chars().next(),
                    _ => Some('>'),
                };
                reading.tag.push(c.to_ascii_lowercase());
                if Some(c.to_ascii_lowercase()) != expected {
                    no_content(reading)
                } else if c == '>' {
                    Step::Done
                } else {
                    Step::Open
                }
            }
            (_, '<') if !reading.list.elements.is_empty() => {
                reading.tag.clear();
                self.go(reading, CLOSER)
            }
            (CONTENT, '0'..='9' | ' ' | '[' | ']' | '(' | ')' | ',' | ';' | '-' | '–' | '†' | '【' | '】') => {
                Step::Open
            }
            (WORDS, '[' | '(') if reading.list.elements.is_empty() => Step::Open,
            (WORDS, ']' | ')') if !reading.list.elements.is_empty() => {
                reading.part &= !IN_WORD;
                Step::Open
            }
            (WORDS, _) if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '#' | '/' | '=' | ',' | ';' | ' ') => {
                value(reading, c, at)
            }
            _ => no_content(reading),
        }
    }
}

/// What stands between the tags are words of the answer.
fn no_content(reading: &mut Reading) -> Step {
    if matches!(reading.phase, CONTENT | CLOSER) && reading.part & BETWEEN == 0 {
        reading.form = Form::Opening;
        return Step::Ended(reading.from);
    }
    Step::Dead
}

fn end_value(reading: &mut Reading) {
    reading.part &= !IN_WORD;
    if !reading.list.elements.is_empty() {
        reading.part |= TAKEN;
    }
}

/// A character of an attribute's value, or of ids between the tags.
fn value(reading: &mut Reading, c: char, at: u64) -> Step {
    let ids = reading.phase == WORDS
        || (reading.part & TAKEN == 0 && ATTRIBUTES.split_whitespace().any(|name| name == reading.tag));
    if !ids {
        return Step::Open;
    }
    if matches!(c, ',' | ';' | ' ' | '\t') {
        reading.part &= !IN_WORD;
        return Step::Open;
    }
    if reading.part & IN_WORD == 0 {
        reading.part |= IN_WORD;
        reading.list.start_word(at);
        reading.list.with_last(|element| element.names[0] = at..at);
    }
    let end = at + c.len_utf8() as u64;
    reading.list.grow_word(end);
    reading.list.with_last(|element| {
        // The number that the word starts with, if a dash or colon follows it.
        if element.names[0].end == at {
            match c {
                '0'..='9' => element.names[0].end = end,
                '-' | ':' => {}
                _ => element.names[0] = 0..0,
            }
        }
    });
    Step::Open
}
