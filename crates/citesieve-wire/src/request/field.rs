//! The field `citesieve` of a request body: read, and taken out of it.

use std::ops::Range;

use citesieve::source::{self, SourceList};
use citesieve::{Source, SourceError};
use serde_json::Value;

use super::MAX_SOURCES;
use super::json::Json;
use crate::json::Cursor;

/// The name of the field.
pub const FIELD: &str = "citesieve";

/// Why the field `citesieve` of a request is refused. What was expected, what came, and where, is in its text; a
/// server answers with status 400.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    /// A value is not of the form that is read there.
    #[error("{at}: expected {expected}, found {found} (byte {byte} of the body)")]
    Form {
        /// Where in the field, as `citesieve.sources[2]`.
        at: String,
        /// What is read there.
        expected: &'static str,
        /// What stands there instead.
        found: String,
        /// Bytes of the body before that.
        byte: usize,
    },
    /// The field has a key that is not known.
    #[error("{FIELD}: unknown key \"{key}\", expected `sources` or `policy`")]
    UnknownKey {
        /// The key.
        key: String,
    },
    /// The sources make no set.
    #[error("{FIELD}.sources: {0}")]
    Sources(#[from] SourceError),
    /// There are more sources than are read.
    #[error("{FIELD}.sources: {count} sources, at most {MAX_SOURCES} are read")]
    TooMany {
        /// How many.
        count: usize,
    },
}

/// What the field says.
#[derive(Debug, Default)]
pub(crate) struct Field {
    pub(crate) sources: Option<Vec<Source>>,
    pub(crate) policy: Option<Value>,
    /// The body without the field.
    pub(crate) body: Vec<u8>,
}

/// Looks for the field. `Ok(None)`: there is none, or the body is no JSON object.
///
/// Where the field stands more than once the last one counts, as for every parser; all of them are taken out.
pub(crate) fn read(body: &[u8]) -> Result<Option<Field>, FieldError> {
    let start = if body.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
    let json = &body[start..];
    // Nearly always absent: then nothing is parsed for it. Escapes could spell it (`"cite\u0073ieve"`).
    if memchr::memmem::find(json, FIELD.as_bytes()).is_none() && memchr::memmem::find(json, b"\\u").is_none() {
        return Ok(None);
    }
    let mut members: Vec<Member> = Vec::new();
    let mut cursor = Cursor::new(json);
    let mut from = match cursor.peek() {
        Some(b'{') => cursor.position() + 1,
        _ => return Ok(None),
    };
    let mut found = None;
    let read = cursor.object(|cursor, key| {
        let ours = key == FIELD.as_bytes();
        let value = cursor.skip()?;
        if ours {
            found = Some(value.clone());
        }
        let at = from..value.end;
        // The comma behind it, if there is one, is the next byte that is no white space.
        from = if cursor.peek() == Some(b',') { cursor.position() + 1 } else { value.end };
        match members.last_mut() {
            Some(last) if last.ours == ours => last.at.end = at.end,
            _ => members.push(Member { at, ours }),
        }
        Ok(())
    });
    let (Ok(_), Ok(()), Some(value)) = (read, cursor.end(), found) else { return Ok(None) };
    let mut field = parse(Json(&json[value.clone()]), start + value.start)?;
    field.body = without(body, start, &members);
    Ok(Some(field))
}

/// Members of the object, one after the other, that stay or go together: from behind the brace or the comma before them
/// to the end of their last value.
#[derive(Debug)]
struct Member {
    at: Range<usize>,
    ours: bool,
}

/// The body without our members: each goes with the white space before it and one comma, that before it or, of the
/// first, that behind it.
fn without(body: &[u8], start: usize, members: &[Member]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut copied = 0;
    let mut kept = false;
    for (index, member) in members.iter().enumerate() {
        if !member.ours {
            kept = true;
            continue;
        }
        let at = start + member.at.start..start + member.at.end;
        // With a comma before it, if anything stays before it; else with the one behind, if anything follows.
        let from = if kept { at.start - 1 } else { at.start };
        let to = if kept { at.end } else { members.get(index + 1).map_or(at.end, |next| start + next.at.start) };
        out.extend_from_slice(&body[copied..from]);
        copied = to;
    }
    out.extend_from_slice(&body[copied..]);
    out
}

fn parse(json: Json<'_>, byte: usize) -> Result<Field, FieldError> {
    let mut field = Field::default();
    if json.0 == b"null" {
        return Ok(field);
    }
    if !json.is_object() {
        let expected = "an object {sources, policy}";
        return Err(FieldError::Form { at: FIELD.into(), expected, found: kind(json), byte });
    }
    let mut unknown = None;
    json.each_field(|key, _| {
        if !matches!(key, "sources" | "policy") && unknown.is_none() {
            unknown = Some(key.chars().take(100).collect());
        }
    });
    if let Some(key) = unknown {
        return Err(FieldError::UnknownKey { key });
    }
    let [sources, policy] = json.fields(["sources", "policy"]);
    let place = |part: Json<'_>| byte + (part.0.as_ptr() as usize - json.0.as_ptr() as usize);
    if let Some(value) = policy.filter(|value| value.0 != b"null") {
        let form = |found| FieldError::Form {
            at: format!("{FIELD}.policy"),
            expected: "an object with fields of the policy",
            found,
            byte: place(value),
        };
        if !value.is_object() {
            return Err(form(kind(value)));
        }
        field.policy = Some(serde_json::from_slice(value.0).map_err(|error| form(error.to_string()))?);
    }
    if let Some(value) = sources.filter(|value| value.0 != b"null") {
        field.sources = Some(list(value, place(value))?);
    }
    Ok(field)
}

/// Reads the sources: an array, item by item so that an error can name the item, or an object.
fn list(json: Json<'_>, byte: usize) -> Result<Vec<Source>, FieldError> {
    let at = format!("{FIELD}.sources");
    let mut list = Vec::new();
    if json.is_array() {
        let mut items = Vec::new();
        json.each(|item| items.push(item.0));
        if items.len() > MAX_SOURCES {
            return Err(FieldError::TooMany { count: items.len() });
        }
        list.reserve(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let form = |found, inside| FieldError::Form {
                at: format!("{at}[{index}]"),
                expected: "a source {id, title?, url?, text?, format?}",
                found,
                byte: byte + (item.as_ptr() as usize - json.0.as_ptr() as usize) + inside,
            };
            if !Json(item).is_object() {
                return Err(form(kind(Json(item)), 0));
            }
            list.push(serde_json::from_slice(item).map_err(|error| form(short(&error), place_of(item, &error)))?);
        }
    } else {
        let form = |found, inside| FieldError::Form {
            at: at.clone(),
            expected: "an array of {id, title?, url?, text?, format?} or an object {id: text}",
            found,
            byte: byte + inside,
        };
        if !json.is_object() {
            return Err(form(kind(json), 0));
        }
        let read = serde_json::from_slice(json.0);
        let SourceList(read) = read.map_err(|error| form(short(&error), place_of(json.0, &error)))?;
        list = read;
        if list.len() > MAX_SOURCES {
            return Err(FieldError::TooMany { count: list.len() });
        }
    }
    source::check(&list)?;
    Ok(list)
}

/// What stands there, in a word.
fn kind(json: Json<'_>) -> String {
    match json.0.first() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
    .to_owned()
}

/// An error without its place, which is told in bytes of the body.
fn short(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text[..end].chars().take(300).collect()
}

/// Bytes of `json` before the place of the error.
fn place_of(json: &[u8], error: &serde_json::Error) -> usize {
    let line = error.line().saturating_sub(1);
    let start = match line.checked_sub(1) {
        Some(before) => memchr::memchr_iter(b'\n', json).nth(before).map_or(0, |newline| newline + 1),
        None => 0,
    };
    (start + error.column().saturating_sub(1)).min(json.len())
}
