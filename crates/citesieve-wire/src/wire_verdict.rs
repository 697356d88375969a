//! The verdict as it stands on the wire: JSON in ASCII, as any stream can carry it.

use std::io;

use citesieve::{Unchecked, Verdict};
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use crate::lane::Lane;

/// Of one lane its verdict, with what passed unchecked; of several all of theirs. And how the sources were found.
pub(crate) fn write(lanes: &[Lane], notes: Vec<Unchecked>, origin: Option<&str>) -> Vec<u8> {
    let mut out = match lanes {
        [lane] => match lane.verdicts.last() {
            Some(verdict) if notes.is_empty() => json(verdict),
            Some(verdict) => {
                let mut verdict = verdict.clone();
                verdict.unchecked.extend(notes);
                json(&verdict)
            }
            None => json(&Choices { choices: None, unchecked: notes }),
        },
        _ => {
            let choices = lanes.iter().map(|lane| Choice {
                index: lane.name.parse().map_or(Index::Name(&lane.name), Index::Number),
                verdict: lane.verdicts.last(),
            });
            json(&Choices { choices: Some(choices.collect()), unchecked: notes })
        }
    };
    if let Some(origin) = origin {
        out.pop();
        out.extend_from_slice(if out.len() > 1 { b",\"sources_from\":" } else { b"\"sources_from\":" });
        out.extend_from_slice(&json(&origin));
        out.push(b'}');
    }
    out
}

/// The verdicts on several lanes.
#[derive(Serialize)]
struct Choices<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unchecked: Vec<Unchecked>,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: Index<'a>,
    verdict: Option<&'a Verdict>,
}

/// A choice's index, or the lane's name.
#[derive(Serialize)]
#[serde(untagged)]
enum Index<'a> {
    Number(u64),
    Name(&'a str),
}

fn json(value: &impl Serialize) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    // Writing to memory does not fail, nor has any of these a key that is no string.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut out, Ascii));
    out
}

/// Escapes what is not ASCII.
struct Ascii;

impl Formatter for Ascii {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.bytes().position(|byte| !byte.is_ascii()) {
            let (plain, other) = rest.split_at(at);
            writer.write_all(plain.as_bytes())?;
            let mut chars = other.chars();
            if let Some(char) = chars.next() {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            }
            rest = chars.as_str();
        }
        writer.write_all(rest.as_bytes())
    }
}
