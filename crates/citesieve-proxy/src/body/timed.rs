//! [`Timed`]: the upstream's body, ended when it takes too long.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};

use super::BoxError;

/// What is known about a body on its way, shared with who reports it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Course(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    first: OnceLock<Instant>,
    cause: AtomicU8,
}

const IDLE: u8 = 1;
const TOTAL: u8 = 2;

impl Course {
    /// Why the body ended before its end, as it is called in records.
    pub(crate) fn cause(&self) -> &'static str {
        match self.0.cause.load(Ordering::Relaxed) {
            IDLE => "idle_timeout",
            TOTAL => "total_timeout",
            _ => "upstream_cut",
        }
    }

    /// When the upstream's first bytes came.
    pub(crate) fn first(&self) -> Option<Instant> {
        self.0.first.get().copied()
    }
}

/// How long a body may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Without a frame.
    pub(crate) idle: Duration,
    /// Until its end.
    pub(crate) deadline: Instant,
}

pin_project! {
    /// A body that ends with an error when nothing comes for too long, or when it takes too long in all.
    pub(crate) struct Timed {
        #[pin]
        inner: Incoming,
        #[pin]
        sleep: Sleep,
        limits: Limits,
        last: Instant,
        course: Course,
    }
}

impl Timed {
    pub(crate) fn new(inner: Incoming, limits: Limits, course: Course) -> Self {
        let last = Instant::now();
        let sleep = sleep_until(limits.deadline.min(last + limits.idle));
        Timed { inner, sleep, limits, last, course }
    }
}

impl Body for Timed {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let mut this = self.project();
        if let Poll::Ready(polled) = this.inner.poll_frame(cx) {
            // The timer stays as it is: it finds out when it fires.
            *this.last = Instant::now();
            this.course.0.first.get_or_init(|| *this.last);
            if *this.last < this.limits.deadline {
                return Poll::Ready(polled.map(|frame| frame.map_err(Into::into)));
            }
        }
        loop {
            let due = this.limits.deadline.min(*this.last + this.limits.idle);
            if due <= Instant::now() {
                let (cause, why) = match due == this.limits.deadline {
                    true => (TOTAL, "the answer took too long"),
                    false => (IDLE, "the upstream sent nothing for too long"),
                };
                this.course.0.cause.store(cause, Ordering::Relaxed);
                return Poll::Ready(Some(Err(why.into())));
            }
            if this.sleep.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
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
