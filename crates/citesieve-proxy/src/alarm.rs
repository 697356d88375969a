//! [`Alarm`]: a timer that costs nothing while things go well.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tokio::time::{Instant, Sleep, sleep_until};

/// A timer for what is polled again and again and hardly ever late.
///
/// A [`Sleep`] takes note of who waits whenever it is polled; this one only when somebody else waits than before, so that
/// an event that comes in time costs two comparisons. It is set later only when it goes off.
#[derive(Debug)]
pub(crate) struct Alarm {
    due: Instant,
    sleep: Pin<Box<Sleep>>,
    waits: Option<Waker>,
}

impl Alarm {
    pub(crate) fn new(due: Instant) -> Self {
        Alarm { due, sleep: Box::pin(sleep_until(due)), waits: None }
    }

    /// Ready when it went off; it is then to be set again.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let noted = self.waits.as_ref().is_some_and(|waker| waker.will_wake(cx.waker()));
        // Asked of the clock, not of the sleep: that would be another cache line for every event.
        if noted && Instant::now() < self.due {
            return Poll::Pending;
        }
        match self.sleep.as_mut().poll(cx) {
            Poll::Ready(()) => {
                self.waits = None;
                Poll::Ready(())
            }
            Poll::Pending => {
                self.waits = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    pub(crate) fn set(&mut self, due: Instant) {
        self.due = due;
        self.sleep.as_mut().reset(due);
        self.waits = None;
    }
}
