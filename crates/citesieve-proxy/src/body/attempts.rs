//! [`Attempts`]: an answer, asked for again while it fails and the client has seen nothing of it.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use citesieve::Advice;
use citesieve_tower::{BodyReport, Ended, SieveBody};
use citesieve_wire::{Dialect, Report};
use http_body::{Body, Frame};

use super::{BoxError, Decoded};

/// An answer that is sieved.
pub(crate) type Sieved = SieveBody<Decoded>;

/// Where an attempt leaves its report.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reported(Arc<Mutex<Option<BodyReport>>>);

impl Reported {
    pub(crate) fn set(&self, report: BodyReport) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
    }

    fn take(&self) -> Option<BodyReport> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Another attempt, to come; `None` when the upstream gave no answer.
pub(crate) type Coming = Pin<Box<dyn Future<Output = Option<(Sieved, Reported)>> + Send>>;

/// What it takes to ask again.
pub(crate) struct Again {
    /// Asks.
    pub(crate) ask: Box<dyn FnMut() -> Coming + Send>,
    /// How often that may still be done.
    pub(crate) left: u32,
    /// The most bytes that are kept of one attempt; a longer one is the last.
    pub(crate) most: usize,
    /// Takes the report that counts, and how many attempts there were.
    pub(crate) tell: Option<Box<dyn FnOnce(BodyReport, u32) + Send>>,
}

/// An answer that is asked for again while it fails. Nothing of an attempt leaves before it is known to be the last.
pub(crate) struct Attempts {
    stage: Stage,
    /// `None` only while it is dropped.
    body: Option<Sieved>,
    reported: Reported,
    /// What came of the attempt at hand, and its length.
    kept: VecDeque<Frame<Bytes>>,
    bytes: usize,
    /// What came after everything that is kept.
    error: Option<BoxError>,
    over: bool,
    again: Again,
    attempts: u32,
}

enum Stage {
    /// The attempt at hand arrives, and is kept.
    Arriving,
    /// The next one was asked for.
    Asked(Coming),
    /// What was kept leaves, and then what is still to come.
    Leaving,
}

impl Attempts {
    pub(crate) fn new(body: Sieved, reported: Reported, again: Again) -> Self {
        Attempts {
            stage: Stage::Arriving,
            body: Some(body),
            reported,
            kept: VecDeque::new(),
            bytes: 0,
            error: None,
            over: false,
            again,
            attempts: 1,
        }
    }

    /// Bytes that are kept from the client; while an attempt is under way never none.
    pub(crate) fn held(&self) -> usize {
        let held = self.bytes + self.body.as_ref().map_or(0, |body| body.held());
        if matches!(self.stage, Stage::Leaving) { held } else { held.max(1) }
    }

    /// The dialect of the answer, as soon as it is known.
    pub(crate) fn dialect(&self) -> Option<Dialect> {
        self.body.as_ref().and_then(|body| body.dialect())
    }

    pub(crate) fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        loop {
            match &mut self.stage {
                Stage::Arriving => {
                    match ready!(poll(&mut self.body, cx)) {
                        Some(Ok(frame)) => {
                            self.bytes += frame.data_ref().map_or(0, Bytes::len);
                            self.kept.push_back(frame);
                            if self.bytes > self.again.most {
                                self.stage = Stage::Leaving;
                            }
                            continue;
                        }
                        Some(Err(error)) => self.error = Some(error),
                        None => {}
                    }
                    self.over = true;
                    self.decide();
                }
                Stage::Asked(coming) => match ready!(coming.as_mut().poll(cx)) {
                    Some((body, reported)) => {
                        self.attempts += 1;
                        (self.body, self.reported) = (Some(body), reported);
                        self.kept.clear();
                        (self.bytes, self.over) = (0, false);
                        self.stage = Stage::Arriving;
                    }
                    None => {
                        self.tell();
                        self.stage = Stage::Leaving;
                    }
                },
                Stage::Leaving => {
                    if let Some(frame) = self.kept.pop_front() {
                        self.bytes -= frame.data_ref().map_or(0, Bytes::len);
                        return Poll::Ready(Some(Ok(frame)));
                    }
                    if let Some(error) = self.error.take() {
                        return Poll::Ready(Some(Err(error)));
                    }
                    if self.over {
                        return Poll::Ready(None);
                    }
                    let polled = ready!(poll(&mut self.body, cx));
                    self.over = polled.as_ref().is_none_or(Result::is_err);
                    self.tell();
                    return Poll::Ready(polled);
                }
            }
        }
    }

    /// The attempt at hand is complete: asks again, or lets it go.
    fn decide(&mut self) {
        let Some(report) = self.reported.take() else {
            self.stage = Stage::Leaving;
            return;
        };
        let again = report.ended == Ended::Complete && advises_again(&report.report) && self.again.left > 0;
        // If nothing comes of it, this one counts.
        self.reported.set(report);
        if again {
            self.again.left -= 1;
            self.stage = Stage::Asked((self.again.ask)());
        } else {
            self.tell();
            self.stage = Stage::Leaving;
        }
    }

    /// Hands the report of the attempt at hand on, if it is there.
    fn tell(&mut self) {
        if let Some(report) = self.reported.take()
            && let Some(tell) = self.again.tell.take()
        {
            tell(report, self.attempts);
        }
    }
}

impl Drop for Attempts {
    fn drop(&mut self) {
        // It reports when it is dropped.
        self.body = None;
        self.tell();
    }
}

fn poll(body: &mut Option<Sieved>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
    match body {
        Some(body) => Pin::new(body).poll_frame(cx),
        None => Poll::Ready(None),
    }
}

/// Whether every answer in it should be asked for again.
fn advises_again(report: &Report) -> bool {
    !report.lanes.is_empty() && report.lanes.iter().all(|(_, verdict)| verdict.advice == Advice::Regenerate)
}
