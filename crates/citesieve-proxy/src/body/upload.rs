//! Request bodies: read whole where sources may be in them, else passed on as they come.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep, timeout};

use super::BoxError;
use crate::error::Refusal;

/// What goes to the upstream.
pub(crate) enum RequestBody {
    /// A body that was read whole.
    Whole(Full<Bytes>),
    /// One that passes as it comes.
    Upload(Pin<Box<Upload>>),
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match self.get_mut() {
            RequestBody::Whole(body) => Pin::new(body).poll_frame(cx).map_err(|never| match never {}),
            RequestBody::Upload(body) => body.as_mut().poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            RequestBody::Whole(body) => body.is_end_stream(),
            RequestBody::Upload(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            RequestBody::Whole(body) => body.size_hint(),
            RequestBody::Upload(body) => body.size_hint(),
        }
    }
}

pin_project! {
    /// A request body that passes as it comes, up to a length, and must not stop coming.
    pub(crate) struct Upload {
        #[pin]
        inner: Incoming,
        #[pin]
        sleep: Sleep,
        idle: Duration,
        last: Instant,
        left: u64,
    }
}

/// The client sent more than it may. Shown in logs.
pub(crate) const TOO_LONG: &str = "the request body is too long";

/// The client stopped sending.
pub(crate) const TOO_SLOW: &str = "the request body stopped coming";

impl Upload {
    pub(crate) fn new(inner: Incoming, most: u64, idle: Duration) -> Self {
        Upload { inner, sleep: sleep(idle), idle, last: Instant::now(), left: most }
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let mut this = self.project();
        if let Poll::Ready(polled) = this.inner.poll_frame(cx) {
            *this.last = Instant::now();
            if let Some(Ok(frame)) = &polled
                && let Some(data) = frame.data_ref()
            {
                match this.left.checked_sub(data.len() as u64) {
                    Some(left) => *this.left = left,
                    None => return Poll::Ready(Some(Err(TOO_LONG.into()))),
                }
            }
            return Poll::Ready(polled.map(|frame| frame.map_err(Into::into)));
        }
        loop {
            if this.sleep.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            let due = *this.last + *this.idle;
            if due <= Instant::now() {
                return Poll::Ready(Some(Err(TOO_SLOW.into())));
            }
            this.sleep.as_mut().reset(due);
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// Reads a body whole.
pub(crate) async fn read_whole(mut body: Incoming, most: u64, idle: Duration) -> Result<Bytes, Refusal> {
    let too_long = || Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, format!("{TOO_LONG}: at most {most} bytes are read"));
    let hint = body.size_hint();
    if hint.lower() > most {
        return Err(too_long());
    }
    let mut first = Bytes::new();
    let mut whole = BytesMut::new();
    loop {
        let frame = match timeout(idle, body.frame()).await {
            Err(_) => return Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, TOO_SLOW)),
            Ok(None) => break,
            Ok(Some(Err(error))) => {
                return Err(Refusal::new(
                    StatusCode::BAD_REQUEST,
                    format!("the request body could not be read: {error}"),
                ));
            }
            Ok(Some(Ok(frame))) => frame,
        };
        // Trailers of a request tell nothing about what it asks.
        let Ok(data) = frame.into_data() else { continue };
        if (first.len() + whole.len() + data.len()) as u64 > most {
            return Err(too_long());
        }
        if first.is_empty() && whole.is_empty() {
            first = data;
        } else {
            if whole.is_empty() {
                whole.reserve(usize::try_from(hint.lower()).unwrap_or(0).max(first.len() + data.len()));
                whole.extend_from_slice(&std::mem::take(&mut first));
            }
            whole.extend_from_slice(&data);
        }
    }
    Ok(if whole.is_empty() { first } else { whole.freeze() })
}
