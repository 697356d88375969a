//! [`Timed`]: the upstream's body, ended when it takes too long.

use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::Instant;

use super::BoxError;
use crate::alarm::Alarm;

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

/// A body that ends with an error when nothing comes for too long, or when it takes too long in all.
pub(crate) struct Timed {
    inner: Incoming,
    alarm: Alarm,
    limits: Limits,
    last: Instant,
    /// Nothing has come yet.
    fresh: bool,
    course: Course,
}

impl Timed {
    pub(crate) fn new(inner: Incoming, limits: Limits, course: Course) -> Self {
        let last = Instant::now();
        let alarm = Alarm::new(limits.deadline.min(last + limits.idle));
        Timed { inner, alarm, limits, last, fresh: true, course }
    }

    fn late(&self, cause: u8) -> BoxError {
        self.course.0.cause.store(cause, Ordering::Relaxed);
        match cause {
            TOTAL => "the answer took too long".into(),
            _ => "the upstream sent nothing for too long".into(),
        }
    }

    /// Nothing comes: is it too late for more?
    fn wait(&mut self, cx: &mut Context<'_>) -> Poll<BoxError> {
        while self.alarm.poll(cx).is_ready() {
            let due = self.limits.deadline.min(self.last + self.limits.idle);
            if due <= Instant::now() {
                return Poll::Ready(self.late(if due == self.limits.deadline { TOTAL } else { IDLE }));
            }
            // Something came meanwhile.
            self.alarm.set(due);
        }
        Poll::Pending
    }
}

impl Body for Timed {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        match Pin::new(&mut this.inner).poll_frame(cx) {
            Poll::Ready(polled) => {
                this.last = Instant::now();
                if std::mem::take(&mut this.fresh) {
                    this.course.0.first.get_or_init(|| this.last);
                }
                if this.last >= this.limits.deadline {
                    return Poll::Ready(Some(Err(this.late(TOTAL))));
                }
                Poll::Ready(polled.map(|frame| frame.map_err(Into::into)))
            }
            Poll::Pending => this.wait(cx).map(|error| Some(Err(error))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
