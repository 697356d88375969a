//! Recordings: which one answers a request, and what its head says.

use std::path::PathBuf;

use bytes::Bytes;
use citesieve_wire::Dialect;
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::Script;
use crate::request::Asked;

/// One recorded answer.
#[derive(Debug, Clone)]
pub(crate) struct Recording {
    /// The body, decompressed.
    pub(crate) body: Bytes,
    /// The head, without what belongs to one connection only.
    pub(crate) headers: HeaderMap,
    /// Whether it is a stream, and not one JSON value.
    pub(crate) stream: bool,
}

/// Reads the recording that answers this request, or says where it was looked for.
pub(crate) fn find(folders: &[PathBuf], asked: &Asked, script: &Script) -> Result<Recording, String> {
    let name = script.recording.as_deref().unwrap_or(&asked.model);
    let safe = |part: &str| !part.is_empty() && part != ".." && !part.contains(['\\', '\0']);
    if !name.split('/').all(safe) {
        return Err(format!("{name:?} is no name of a recording"));
    }
    let dialect = Dialect::by_path(&asked.path).map(Dialect::name);
    let stem = match (name.contains('/'), dialect) {
        (true, _) => name.to_owned(),
        (false, Some(dialect)) => format!("{dialect}/{name}"),
        (false, None) => return Err(format!("{:?} is the path of no API, and {name:?} names none", asked.path)),
    };
    let endings: &[&str] = match (asked.stream, asked.array) {
        _ if stem.ends_with(".sse") || stem.ends_with("json") => &[""],
        (true, true) => &[".array.json"],
        (true, false) => &[".sse", ".ndjson"],
        (false, _) => &[".json"],
    };
    for folder in folders {
        for ending in endings {
            let file = folder.join(format!("{stem}{ending}"));
            if let Ok(body) = std::fs::read(&file) {
                let file = file.to_string_lossy();
                let dialect = stem.split('/').next().unwrap_or_default();
                let head = std::fs::read_to_string(folder.join(format!("{stem}.headers"))).unwrap_or_default();
                return Ok(Recording {
                    body: edited(body, dialect, file.ends_with(".ndjson"), script),
                    headers: headers(&file, dialect, &head),
                    stream: !file.ends_with(".json") || asked.array,
                });
            }
        }
    }
    Err(format!("there is no recording {stem} ({})", endings.join(", ")))
}

/// The body with the script's words replaced and its error put in.
fn edited(mut body: Vec<u8>, dialect: &str, lines: bool, script: &Script) -> Bytes {
    for (from, to) in &script.replace {
        body = replace(&body, from.as_bytes(), to.as_bytes());
    }
    if let Some(at) = script.error_at {
        let rest = &body[at.min(body.len())..];
        let border = events(rest, lines).next().map_or(0, <[u8]>::len);
        body.truncate(at.min(body.len()) + border);
        body.extend_from_slice(error(dialect).as_bytes());
    }
    body.into()
}

fn replace(body: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    while !rest.is_empty() {
        if !from.is_empty() && rest.starts_with(from) {
            out.extend_from_slice(to);
            rest = &rest[from.len()..];
        } else {
            out.push(rest[0]);
            rest = &rest[1..];
        }
    }
    out
}

/// The events of a body, each with the blank line that ends it; or its lines.
pub(crate) fn events(body: &[u8], lines: bool) -> impl Iterator<Item = &[u8]> {
    let mut rest = body;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.iter().enumerate().find_map(|(at, byte)| {
            let blank = rest[..at].ends_with(b"\n") || rest[..at].ends_with(b"\n\r");
            (*byte == b'\n' && (lines || blank)).then_some(at + 1)
        });
        let (event, later) = rest.split_at(end.unwrap_or(rest.len()));
        rest = later;
        Some(event)
    })
}

/// An error in the middle of a stream, as the provider sends it.
fn error(dialect: &str) -> &'static str {
    match dialect {
        "anthropic" => {
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"
        }
        "openai-responses" => {
            "event: error\ndata: {\"type\":\"error\",\"code\":\"server_error\",\"message\":\"Overloaded\",\"param\":null}\n\n"
        }
        "gemini" => {
            "data: {\"error\": {\"code\": 503,\"message\": \"Overloaded\",\"status\": \"UNAVAILABLE\"}}\r\n\r\n"
        }
        "cohere-v2" => {
            "event: message-end\ndata: {\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"ERROR\",\"error\":\"Overloaded\"}}\n\n"
        }
        "ollama" => "{\"error\":\"Overloaded\"}\n",
        "ai-sdk-ui" => "data: {\"type\":\"error\",\"errorText\":\"Overloaded\"}\n\n",
        _ => {
            "data: {\"error\":{\"message\":\"Overloaded\",\"type\":\"server_error\",\"param\":null,\"code\":null}}\n\n"
        }
    }
}

/// The head that belongs to a file: the recorded one (`NAME.headers`) or what its form tells.
fn headers(file: &str, dialect: &str, recorded: &str) -> HeaderMap {
    let kind = match file.rsplit('.').next() {
        Some("sse") => "text/event-stream; charset=utf-8",
        Some("ndjson") if dialect == "cohere-v1" => "application/stream+json",
        Some("ndjson") => "application/x-ndjson",
        _ => "application/json",
    };
    let mut headers = HeaderMap::new();
    headers.insert(http::header::CONTENT_TYPE, HeaderValue::from_static(kind));
    for line in recorded.lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        let hop = ["transfer-encoding", "connection", "keep-alive", "content-length", "content-encoding"];
        if hop.contains(&name.trim().to_ascii_lowercase().as_str()) {
            continue;
        }
        if let (Ok(name), Ok(value)) = (name.trim().parse::<HeaderName>(), value.trim().parse()) {
            headers.insert(name, value);
        }
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_end_at_blank_lines() {
        let cut = |body: &'static [u8], lines| events(body, lines).collect::<Vec<_>>();
        assert_eq!(cut(b"a\nb\n\nc\n\n", false), [b"a\nb\n\n".as_slice(), b"c\n\n"]);
        assert_eq!(cut(b"a\r\n\r\nb", false), [b"a\r\n\r\n".as_slice(), b"b"]);
        assert_eq!(cut(b"a\nb\n", true), [b"a\n".as_slice(), b"b\n"]);
        assert!(cut(b"", false).is_empty());
    }

    #[test]
    fn an_error_stands_at_the_end_of_an_event() {
        let script = Script { error_at: Some(1), ..Script::default() };
        let body = edited(b"{\"a\":1}\n{\"b\":2}\n".to_vec(), "ollama", true, &script);
        assert_eq!(body, "{\"a\":1}\n{\"error\":\"Overloaded\"}\n");
    }
}
