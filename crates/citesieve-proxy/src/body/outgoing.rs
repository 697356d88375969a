//! [`Outgoing`]: the body that goes to the client, kept alive while text is held, and accounted for.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use citesieve_wire::Dialect;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

use super::attempts::Sieved;
use super::{Attempts, BoxError, Course};
use crate::alarm::Alarm;
use crate::limits::{Held, Permit};
use crate::metrics::Metrics;

/// What is sent to keep a connection alive.
const COMMENT: &[u8] = b": citesieve\n\n";

/// How long an error waits after what was sent before it: HTTP drops what it has not yet written when a body fails.
const PARTING: Duration = Duration::from_millis(20);

/// An answer on its way to the client.
#[expect(clippy::large_enum_variant, reason = "nearly every answer is of the large one, which is boxed as a whole")]
enum Answer {
    Once(Sieved),
    Attempts(Box<Attempts>),
}

impl Answer {
    fn held(&self) -> usize {
        match self {
            Answer::Once(body) => body.held(),
            Answer::Attempts(attempts) => attempts.held(),
        }
    }

    fn dialect(&self) -> Option<Dialect> {
        match self {
            Answer::Once(body) => body.dialect(),
            Answer::Attempts(attempts) => attempts.dialect(),
        }
    }
}

/// When comments are sent.
pub(crate) struct Beat {
    every: Duration,
    alarm: Alarm,
    /// The dialect, if the body does not tell.
    dialect: Option<Dialect>,
    /// Something was sent since the last beat.
    sent: bool,
    /// What was sent so far ends where an event does.
    between: bool,
}

impl Beat {
    pub(crate) fn new(every: Duration, dialect: Option<Dialect>) -> Self {
        Beat { every, alarm: Alarm::new(Instant::now() + every), dialect, sent: false, between: true }
    }

    fn sent(&mut self, bytes: &[u8]) {
        self.sent = true;
        self.between = [&b"\n\n"[..], b"\r\n\r\n", b"\r\r"].iter().any(|end| bytes.ends_with(end));
    }
}

/// Measures an answer.
struct Watch {
    held: Held,
    held_since: Option<Instant>,
    /// For how long it held anything until then.
    held_for: Duration,
    /// Nothing has left yet.
    fresh: bool,
    course: Course,
    metrics: Arc<Metrics>,
}

impl Watch {
    fn new(held: Held, course: Course, metrics: Arc<Metrics>) -> Self {
        Watch { held, held_since: None, held_for: Duration::ZERO, fresh: true, course, metrics }
    }

    fn held(&mut self, bytes: usize) {
        self.held.set(bytes);
        match (bytes, self.held_since) {
            (0, Some(since)) => {
                self.held_for += since.elapsed();
                self.held_since = None;
            }
            (1.., None) => self.held_since = Some(Instant::now()),
            _ => {}
        }
    }

    fn sent(&mut self) {
        if std::mem::take(&mut self.fresh)
            && let Some(first) = self.course.first()
        {
            self.metrics.first_bytes_after(first.elapsed());
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.held(0);
        if !self.fresh {
            self.metrics.held_for(self.held_for);
        }
    }
}

/// The body that goes to the client.
pub(crate) struct Outgoing {
    answer: Answer,
    beat: Option<Beat>,
    watch: Watch,
    /// The error that ends the body, and when it may.
    parting: Option<(BoxError, Pin<Box<Sleep>>)>,
    /// Given back when the body is dropped.
    _permit: Permit,
}

impl Outgoing {
    /// An answer that comes once.
    pub(crate) fn once(
        answer: Sieved,
        beat: Option<Beat>,
        metrics: &Arc<Metrics>,
        course: Course,
        permit: Permit,
    ) -> Self {
        Self::new(Answer::Once(answer), beat, metrics, course, permit)
    }

    /// An answer that may be asked for again.
    pub(crate) fn attempts(
        answer: Attempts,
        beat: Option<Beat>,
        metrics: &Arc<Metrics>,
        course: Course,
        permit: Permit,
    ) -> Self {
        Self::new(Answer::Attempts(Box::new(answer)), beat, metrics, course, permit)
    }

    fn new(answer: Answer, beat: Option<Beat>, metrics: &Arc<Metrics>, course: Course, permit: Permit) -> Self {
        let watch = Watch::new(permit.held(), course, Arc::clone(metrics));
        Outgoing { answer, beat, watch, parting: None, _permit: permit }
    }

    fn part(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Some((_, sleep)) = &mut self.parting
            && sleep.as_mut().poll(cx).is_pending()
        {
            return Poll::Pending;
        }
        Poll::Ready(self.parting.take().map(|(error, _)| Err(error)))
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        if this.parting.is_some() {
            return this.part(cx);
        }
        let polled = match &mut this.answer {
            Answer::Once(body) => Pin::new(body).poll_frame(cx),
            Answer::Attempts(attempts) => attempts.poll_frame(cx),
        };
        if let Poll::Ready(Some(Err(error))) = polled {
            this.parting = Some((error, Box::pin(sleep(PARTING))));
            return this.part(cx);
        }
        let held = this.answer.held();
        this.watch.held(held);
        if let Poll::Ready(Some(Ok(_))) = &polled {
            this.watch.sent();
        }
        let Some(beat) = &mut this.beat else { return polled };
        match polled {
            Poll::Ready(polled) => {
                if let Some(Ok(frame)) = &polled
                    && let Some(data) = frame.data_ref()
                {
                    beat.sent(data);
                }
                Poll::Ready(polled)
            }
            // While nothing is held, nobody looks at the alarm; one that went off meanwhile is set anew.
            Poll::Pending => {
                while held > 0 && beat.alarm.poll(cx).is_ready() {
                    beat.alarm.set(Instant::now() + beat.every);
                    let quiet = !std::mem::take(&mut beat.sent);
                    let allowed = this.answer.dialect().or(beat.dialect).is_some_and(Dialect::allows_comments);
                    if quiet && held > 0 && beat.between && allowed {
                        return Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(COMMENT)))));
                    }
                }
                Poll::Pending
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.answer {
            Answer::Once(body) => body.is_end_stream(),
            Answer::Attempts(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.answer {
            Answer::Once(body) => body.size_hint(),
            Answer::Attempts(_) => SizeHint::default(),
        }
    }
}
