//! Requests: what was received, and what it asks for.

use bytes::Bytes;
use http::request::Parts;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request as it arrived.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Received {
    /// Its method.
    pub method: String,
    /// Its path and query.
    pub path: String,
    /// `HTTP/1.1` or `HTTP/2.0`.
    pub version: String,
    /// Its fields in order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body; bytes that are no UTF-8 are replaced.
    pub body: String,
}

impl Received {
    pub(crate) fn new(parts: &Parts, body: &Bytes) -> Self {
        let field = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
            (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        Received {
            method: parts.method.to_string(),
            path: parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
            version: format!("{:?}", parts.version),
            headers: parts.headers.iter().map(field).collect(),
            body: String::from_utf8_lossy(body).into_owned(),
        }
    }

    /// The value of a field, by its name in lower case; the first if there are several.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }
}

/// What a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Its path.
    pub(crate) path: String,
    /// The model that it names, in its body or its path.
    pub(crate) model: String,
    /// Whether it wants a stream.
    pub(crate) stream: bool,
    /// Whether the stream is a JSON array: Gemini's without `alt=sse`.
    pub(crate) array: bool,
}

impl Asked {
    pub(crate) fn new(parts: &Parts, body: &Bytes) -> Self {
        let path = parts.uri.path();
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let in_path = path.rsplit_once("/models/").and_then(|(_, rest)| rest.split(':').next());
        let gemini = path.ends_with(":streamGenerateContent");
        // Ollama streams unless told not to; the others only if asked.
        let default = path.ends_with("/api/chat") || path.ends_with("/api/generate");
        Asked {
            path: path.to_owned(),
            model: in_path.or(body["model"].as_str()).unwrap_or("lease").to_owned(),
            stream: gemini || body["stream"].as_bool().unwrap_or(default),
            array: gemini && !parts.uri.query().unwrap_or_default().split('&').any(|pair| pair == "alt=sse"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn asked(path: &str, body: &'static str, model: &str, stream: bool, array: bool) {
        let (parts, ()) = http::Request::post(path).body(()).unwrap().into_parts();
        let path = parts.uri.path().to_owned();
        let expected = Asked { path, model: model.to_owned(), stream, array };
        assert_eq!(Asked::new(&parts, &Bytes::from(body)), expected);
    }

    #[test]
    fn each_api_says_what_it_wants_in_its_own_way() {
        asked("/v1/chat/completions", r#"{"model":"m","stream":true}"#, "m", true, false);
        asked("/v1/chat/completions", r#"{"model":"m"}"#, "m", false, false);
        asked("/v1beta/models/m:streamGenerateContent?alt=sse", "{}", "m", true, false);
        asked("/v1beta/models/m:streamGenerateContent", "{}", "m", true, true);
        asked("/v1beta/models/m:generateContent", "{}", "m", false, false);
        asked("/api/chat", r#"{"model":"m"}"#, "m", true, false);
        asked("/api/chat", r#"{"model":"m","stream":false}"#, "m", false, false);
        asked("/elsewhere", "", "lease", false, false);
    }
}
