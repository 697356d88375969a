//! [`Script`]: how an answer is sent.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// How an answer is sent. As JSON, absent fields have their default; unknown ones are an error, so that a misspelled
/// test fails.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Script {
    /// The recording, as `lease` or `openai-chat/lease.sse`, instead of the one that the request's model names.
    pub recording: Option<String>,
    /// Words of the recording and what is put in their place, byte for byte: makes streams that can be told apart.
    pub replace: BTreeMap<String, String>,
    /// The lengths of the pieces that are written, in bytes; 0: everything at once. Default: one event at a time.
    pub chunk: Option<usize>,
    /// Milliseconds before each piece.
    pub delay_ms: u64,
    /// Milliseconds before the head of the answer.
    pub wait_ms: u64,
    /// No answer is ever given; the connection stays open.
    pub silent: bool,
    /// How the body is compressed. Each piece is flushed, as streaming servers do.
    pub encoding: Option<Encoding>,
    /// The connection (HTTP/2: the stream) is broken off after so many bytes of the body as sent.
    pub cut: Option<usize>,
    /// Nothing is sent after so many bytes of the body as sent; the connection stays open.
    pub stall: Option<usize>,
    /// At the end of the event that holds this byte of the recording, an error in the provider's form takes the place of
    /// the rest.
    pub error_at: Option<usize>,
    /// The status, if not 200. From 400 on the body is an error, not a recording.
    pub status: Option<u16>,
    /// The JSON body, whatever was asked for.
    pub body: Option<Value>,
    /// More fields for the head, or other values for those that are there.
    pub headers: BTreeMap<String, String>,
    /// Fields for the trailer section.
    pub trailers: BTreeMap<String, String>,
    /// Streams have a `content-length` too (bodies always do).
    pub length: bool,
}

/// A content coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// RFC 1952.
    Gzip,
    /// RFC 1950: deflate in the zlib format, as HTTP means it.
    Deflate,
    /// RFC 7932.
    Br,
    /// RFC 8878.
    Zstd,
}

impl Encoding {
    /// Its name in `content-encoding`.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Gzip => "gzip",
            Encoding::Deflate => "deflate",
            Encoding::Br => "br",
            Encoding::Zstd => "zstd",
        }
    }
}
