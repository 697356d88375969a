//! Errors that the proxy itself answers with, and those that end a body.

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use http_body_util::{BodyExt, Full};

use crate::body::{BoxError, ResponseBody};

/// A refusal: a status and the reason, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    /// A header that belongs to the status.
    header: Option<(HeaderName, HeaderValue)>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Refusal { status, message: message.into(), header: None }
    }

    pub(crate) fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.header = Some((name, HeaderValue::from_static(value)));
        self
    }

    /// Too much is going on; it may be tried again.
    pub(crate) fn busy(message: impl Into<String>) -> Self {
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message).with(header::RETRY_AFTER, "1")
    }

    /// The response: the error as OpenAI's clients and most others read it.
    pub(crate) fn response(self) -> Response<ResponseBody> {
        let error = serde_json::json!({ "error": { "message": self.message, "type": "citesieve" } });
        let mut response = json(self.status, error.to_string());
        if let Some((name, value)) = self.header {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

/// A response with this JSON.
pub(crate) fn json(status: StatusCode, body: impl Into<Bytes>) -> Response<ResponseBody> {
    text(status, "application/json", body)
}

/// A response with this text.
pub(crate) fn text(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Response<ResponseBody> {
    let body = Full::new(body.into()).map_err(|never| -> BoxError { match never {} }).boxed_unsync();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
