//! Which responses are read, and which of their headers speak of bytes that are not sent.

use citesieve_wire::Dialect;
use http::header::{self, HeaderName};
use http::{HeaderMap, StatusCode};

/// Headers that are no longer true of a body in which anything may be edited.
const UNTRUE: [HeaderName; 7] = [
    header::CONTENT_LENGTH,
    header::ETAG,
    header::ACCEPT_RANGES,
    HeaderName::from_static("content-md5"),
    HeaderName::from_static("digest"),
    HeaderName::from_static("content-digest"),
    HeaderName::from_static("repr-digest"),
];

/// Whether a response can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reading {
    /// It can.
    Sieved,
    /// It holds no answer: an error, a redirect, nothing at all.
    NoAnswer,
    /// It may hold an answer that cannot be read, and this is why.
    Unread(String),
}

/// Whether a response with this status and these headers can be read.
pub fn read(status: StatusCode, headers: &HeaderMap) -> Reading {
    if !status.is_success() || status == StatusCode::NO_CONTENT || status == StatusCode::RESET_CONTENT {
        return Reading::NoAnswer;
    }
    let content_type = text(headers, &header::CONTENT_TYPE);
    if content_type.is_empty() {
        return Reading::Unread("no content type".into());
    }
    if !Dialect::reads(&content_type) {
        let kind = content_type.split(';').next().unwrap_or_default().trim();
        return Reading::Unread(format!("content type {kind}"));
    }
    if status == StatusCode::PARTIAL_CONTENT {
        return Reading::Unread("a part of a body".into());
    }
    let encoding = text(headers, &header::CONTENT_ENCODING);
    let plain = |name: &str| name.trim().is_empty() || name.trim().eq_ignore_ascii_case("identity");
    if !encoding.split(',').all(plain) {
        return Reading::Unread(format!("content encoding {encoding}"));
    }
    Reading::Sieved
}

/// Removes the headers that are no longer true.
pub(crate) fn remove_untrue(headers: &mut HeaderMap) {
    for name in UNTRUE {
        headers.remove(name);
    }
}

/// All values of a header; what is no text is no value of any that is known.
fn text(headers: &HeaderMap, name: &HeaderName) -> String {
    let values = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    values.collect::<Vec<_>>().join(", ")
}
