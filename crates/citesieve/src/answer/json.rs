//! The answers in a JSON text, with where everything stands, so that what is kept is kept byte for byte.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::position::{At, Position, Unit};
use super::{AnswerError, MAX_DEPTH, Outcome};

/// Characters of a key that a path shows.
const MAX_KEY: usize = 40;

/// An answer as the model wrote it. Ranges are bytes of the JSON text.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) path: String,
    pub(super) status: Outcome,
    pub(super) status_at: Range<usize>,
    pub(super) answer: Option<String>,
    pub(super) answer_at: Option<Range<usize>>,
    pub(super) citations: Vec<Citation>,
    pub(super) citations_at: Option<Range<usize>>,
}

/// A citation as the model wrote it.
#[derive(Debug)]
pub(super) struct Citation {
    pub(super) at: Range<usize>,
    pub(super) id: String,
    pub(super) quote: Option<String>,
    pub(super) position: Option<Position>,
}

/// Every answer in it, in the order they stand in.
pub(super) fn answers(json: &str) -> Result<Vec<Given>, AnswerError> {
    // A byte order mark is no JSON, but many programs write one.
    let start = json.strip_prefix('\u{feff}').map_or(0, |_| '\u{feff}'.len_utf8());
    let root: &RawValue = serde_json::from_str(&json[start..]).map_err(|error| AnswerError::json(&error))?;
    let mut reader = Reader { json, found: Vec::new() };
    reader.value(root, "", 0)?;
    if reader.found.is_empty() {
        return Err(AnswerError::Unexpected {
            path: String::new(),
            expected: "an object with status, answer and citations, or a record of such objects",
            found: describe(root),
        });
    }
    Ok(reader.found)
}

struct Reader<'j> {
    json: &'j str,
    found: Vec<Given>,
}

impl<'j> Reader<'j> {
    fn value(&mut self, raw: &'j RawValue, path: &str, depth: usize) -> Result<(), AnswerError> {
        let kind = raw.get().as_bytes().first();
        if !matches!(kind, Some(b'{' | b'[')) {
            return Ok(());
        }
        if depth >= MAX_DEPTH {
            return Err(AnswerError::TooDeep { path: path.to_owned() });
        }
        if kind == Some(&b'[') {
            for (index, item) in array(raw)?.into_iter().enumerate() {
                self.value(item, &format!("{path}[{index}]"), depth + 1)?;
            }
            return Ok(());
        }
        let fields = Fields::read(raw)?;
        let known = |key: &str| matches!(key, "status" | "answer" | "citations");
        let is_answer = fields.is_answer();
        if is_answer {
            let given = self.answer(&fields, path)?;
            self.found.push(given);
        }
        for (key, inner) in fields.0.iter().filter(|(key, _)| !is_answer || !known(key)) {
            self.value(inner, &below(path, key), depth + 1)?;
        }
        Ok(())
    }

    fn range(&self, raw: &RawValue) -> Range<usize> {
        let start = raw.get().as_ptr() as usize - self.json.as_ptr() as usize;
        start..start + raw.get().len()
    }

    fn answer(&self, fields: &Fields<'j>, path: &str) -> Result<Given, AnswerError> {
        const STATUS: &str = "\"extracted\" or \"not_found\"";
        let status_path = below(path, "status");
        let raw = fields.get("status", path)?;
        let status = match raw.and_then(string).as_deref() {
            Some("extracted") => Outcome::Extracted,
            Some("not_found") => Outcome::NotFound,
            _ => return Err(unexpected(status_path, STATUS, raw)),
        };
        let status_at = raw.map(|raw| self.range(raw)).unwrap_or_default();
        let raw = fields.get("answer", path)?;
        let answer = match raw {
            Some(raw) if raw.get() == "null" => None,
            Some(text) if text.get().starts_with('"') => match string(text) {
                Some(answer) => Some(answer),
                None => return Err(unexpected(below(path, "answer"), "a string of whole characters", raw)),
            },
            None if status == Outcome::NotFound => None,
            other => return Err(unexpected(below(path, "answer"), "a string or null", other)),
        };
        let answer_at = raw.map(|raw| self.range(raw));
        let citations_path = below(path, "citations");
        let raw = fields.get("citations", path)?;
        let list = match raw {
            None => Vec::new(),
            Some(raw) if raw.get().starts_with('[') => array(raw)?,
            Some(raw) if raw.get() == "null" && status == Outcome::NotFound => Vec::new(),
            other => return Err(unexpected(citations_path, "an array", other)),
        };
        let mut citations = Vec::with_capacity(list.len());
        for (index, item) in list.into_iter().enumerate() {
            citations.push(self.citation(item, &format!("{citations_path}[{index}]"))?);
        }
        let citations_at = raw.map(|raw| self.range(raw));
        Ok(Given { path: path.to_owned(), status, status_at, answer, answer_at, citations, citations_at })
    }

    fn citation(&self, raw: &'j RawValue, path: &str) -> Result<Citation, AnswerError> {
        if !raw.get().starts_with('{') {
            return Err(unexpected(path.to_owned(), "an object with ref and quote", Some(raw)));
        }
        let fields = Fields::read(raw)?;
        let given = |key: &str| Ok(fields.get(key, path)?.filter(|raw| raw.get() != "null"));
        let refer = fields.get("ref", path)?;
        let id = refer.and_then(|raw| string(raw).or_else(|| whole_number(raw).map(str::to_owned)));
        let id = id.ok_or_else(|| unexpected(below(path, "ref"), "a string or a whole number", refer))?;
        let quote = match given("quote")? {
            None => None,
            Some(raw) => Some(string(raw).ok_or_else(|| unexpected(below(path, "quote"), "a string", Some(raw)))?),
        };
        let (start, end) = (given("start")?, given("end")?);
        let position = if start.is_some() || end.is_some() {
            let at = |key: &str, raw: Option<&RawValue>| {
                let number = raw.and_then(whole_number);
                let number = number.ok_or_else(|| unexpected(below(path, key), "a whole number", raw))?;
                Ok(number.parse().map_or(At::Nowhere, At::Offset))
            };
            let unit = given("unit")?;
            let unit = match unit.and_then(string).as_deref() {
                Some("bytes") => Unit::Bytes,
                Some("chars") => Unit::Chars,
                Some("utf16") => Unit::Utf16,
                _ => return Err(unexpected(below(path, "unit"), "\"bytes\", \"chars\" or \"utf16\"", unit)),
            };
            Some(Position { start: at("start", start)?, end: at("end", end)?, unit })
        } else {
            None
        };
        if quote.is_none() && position.is_none() {
            let found = fields.get("quote", path)?;
            return Err(unexpected(below(path, "quote"), "a string, or start, end and unit", found));
        }
        Ok(Citation { at: self.range(raw), id, quote, position })
    }
}

/// The fields of an object, in order.
struct Fields<'j>(Vec<(String, &'j RawValue)>);

impl<'j> Fields<'j> {
    fn read(raw: &'j RawValue) -> Result<Self, AnswerError> {
        serde_json::from_str(raw.get()).map_err(|error| AnswerError::json(&error))
    }

    /// Whether it is an answer, even one with something missing: what may reach a reader unchecked is no answer of ours.
    fn is_answer(&self) -> bool {
        let mut parts = 0;
        for (key, raw) in &self.0 {
            let first = raw.get().as_bytes().first();
            parts += match key.as_str() {
                "status" if matches!(raw.get(), "\"extracted\"" | "\"not_found\"") => 2,
                "answer" if first == Some(&b'"') => 2,
                // A record may well be called `answer`.
                "answer" if matches!(first, Some(b'{' | b'[')) => 0,
                "status" | "answer" => 1,
                "citations" if first == Some(&b'[') => 1,
                _ => 0,
            };
        }
        parts >= 2
    }

    /// The one field with this key.
    fn get(&self, key: &str, path: &str) -> Result<Option<&'j RawValue>, AnswerError> {
        let mut all = self.0.iter().filter(|(known, _)| known == key);
        let first = all.next().map(|(_, raw)| *raw);
        if all.next().is_some() { Err(AnswerError::Twice { path: below(path, key) }) } else { Ok(first) }
    }
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry::<String, &'de RawValue>()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(FieldsVisitor)
    }
}

fn array(raw: &RawValue) -> Result<Vec<&RawValue>, AnswerError> {
    serde_json::from_str(raw.get()).map_err(|error| AnswerError::json(&error))
}

/// The text of a string; none if it is no string, or has half a surrogate pair in it.
fn string(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

/// The digits of a whole number, with its sign.
fn whole_number(raw: &RawValue) -> Option<&str> {
    let text = raw.get();
    let digits = text.strip_prefix('-').unwrap_or(text);
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

fn below(path: &str, key: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let cut = match key.char_indices().nth(MAX_KEY) {
        Some((at, _)) => format!("{}…", &key[..at]),
        None => key.to_owned(),
    };
    match (!key.is_empty() && key.chars().all(plain), path.is_empty()) {
        (true, true) => cut,
        (true, false) => format!("{path}.{cut}"),
        (false, _) => format!("{path}[{cut:?}]"),
    }
}

fn unexpected(path: String, expected: &'static str, found: Option<&RawValue>) -> AnswerError {
    let found = found.map_or_else(|| "nothing".to_owned(), describe);
    AnswerError::Unexpected { path, expected, found }
}

fn describe(raw: &RawValue) -> String {
    let text = raw.get();
    let shown: String = text.chars().take(MAX_KEY).collect();
    let shown = if shown.len() < text.len() { shown + "…" } else { shown };
    match text.as_bytes().first() {
        Some(b'{') => "an object".to_owned(),
        Some(b'[') => "an array".to_owned(),
        _ => shown,
    }
}

/// The JSON text with these edits, which do not overlap.
pub(super) fn splice(json: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(json.len());
    let mut from = 0;
    for (range, with) in edits {
        out.push_str(&json[from..range.start]);
        out.push_str(&with);
        from = range.end;
    }
    out.push_str(&json[from..]);
    out
}

/// Takes elements out of an array, each with the comma that goes with it.
pub(super) fn without(citations: &[Citation], keep: &[bool], array: &Range<usize>) -> Vec<(Range<usize>, String)> {
    if !keep.contains(&true) {
        return vec![(array.clone(), "[]".to_owned())];
    }
    let kept: HashSet<usize> = (0..citations.len()).filter(|&index| keep[index]).collect();
    let first = kept.iter().min().copied().unwrap_or(0);
    let mut edits = Vec::new();
    if first > 0 {
        edits.push((citations[0].at.start..citations[first].at.start, String::new()));
    }
    for index in first + 1..citations.len() {
        if !kept.contains(&index) {
            edits.push((citations[index - 1].at.end..citations[index].at.end, String::new()));
        }
    }
    edits
}
