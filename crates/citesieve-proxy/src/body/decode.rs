//! Compressed bodies, decoded as they come.

use std::future::ready;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::{HeaderMap, Request, Response};
use http_body::{Body, Frame, SizeHint};
use tower::ServiceExt;
use tower_http::decompression::{Decompression, DecompressionBody};

use super::{BoxError, Timed};

/// The upstream's body without its compression.
pub(crate) enum Decoded {
    /// It had none, or one that cannot be undone.
    Plain {
        /// As it came.
        body: Timed,
    },
    /// It had one.
    Compressed {
        /// Without it.
        body: Pin<Box<DecompressionBody<Timed>>>,
    },
}

/// Undoes the compression of a response, if it has one that is known; its headers say what is left.
pub(crate) async fn decode(mut response: Response<Timed>) -> Result<Response<Decoded>, BoxError> {
    let Some(encoding) = known(response.headers()) else {
        return Ok(response.map(|body| Decoded::Plain { body }));
    };
    response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    let mut given = Some(response);
    let service = tower::service_fn(move |_: Request<()>| ready(given.take().ok_or("asked for twice")));
    let response = Decompression::new(service).oneshot(Request::new(())).await?;
    Ok(response.map(|body| Decoded::Compressed { body: Box::pin(body) }))
}

/// The one compression of a response, if it can be undone, spelled as its decoder wants it.
fn known(headers: &HeaderMap) -> Option<&'static str> {
    let mut values = headers.get_all(header::CONTENT_ENCODING).iter();
    let (value, None) = (values.next()?.to_str().ok()?.trim(), values.next()) else { return None };
    let names = [("gzip", "gzip"), ("x-gzip", "gzip"), ("deflate", "deflate"), ("br", "br"), ("zstd", "zstd")];
    names.into_iter().find(|(name, _)| value.eq_ignore_ascii_case(name)).map(|(_, spelled)| spelled)
}

impl Body for Decoded {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match self.get_mut() {
            Decoded::Plain { body } => Pin::new(body).poll_frame(cx),
            Decoded::Compressed { body } => body.as_mut().poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Decoded::Plain { body } => body.is_end_stream(),
            Decoded::Compressed { body } => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Decoded::Plain { body } => body.size_hint(),
            Decoded::Compressed { body } => body.size_hint(),
        }
    }
}
