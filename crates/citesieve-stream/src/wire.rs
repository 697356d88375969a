//! Streams of the bytes of a response body.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use citesieve_wire::{Config, Report, Session};
use futures_core::{FusedStream, Stream, TryStream};
use pin_project_lite::pin_project;

use crate::drive::{Drive, Next, Sieved, Stage, Step, Take, cut_note};
use crate::pieces::PiecesOnly;

/// What a sieved response body yields.
#[derive(Debug, Clone, PartialEq)]
pub enum WireEvent {
    /// Bytes to send on now; never empty. They are cut as they could leave, not as they came.
    Bytes(Bytes),
    /// What is reported at the end, once.
    Report(Report),
}

impl WireEvent {
    /// The bytes, if it is some.
    pub fn bytes(&self) -> Option<&Bytes> {
        match self {
            WireEvent::Bytes(bytes) => Some(bytes),
            WireEvent::Report(_) => None,
        }
    }

    /// The report, if it is the report.
    pub fn report(&self) -> Option<&Report> {
        match self {
            WireEvent::Bytes(_) => None,
            WireEvent::Report(report) => Some(report),
        }
    }
}

/// A session and what it writes to.
#[derive(Debug)]
struct Body {
    session: Session,
    out: BytesMut,
}

impl Stage for Body {
    type Piece = Bytes;
    type Report = Report;

    fn finish(mut self, cut: Option<&'static str>) -> (Option<Bytes>, Report) {
        let mut report = self.session.finish(&mut self.out);
        report.notes.extend(cut.map(cut_note));
        ((!self.out.is_empty()).then(|| self.out.freeze()), report)
    }
}

impl<T: AsRef<[u8]>> Take<T> for Body {
    fn take(&mut self, item: T) -> Option<Bytes> {
        self.session.push(item.as_ref(), &mut self.out);
        (!self.out.is_empty()).then(|| self.out.split().freeze())
    }
}

pin_project! {
    /// A response body with a sieve in it. Made by [`SieveExt::sieve_wire`](crate::SieveExt::sieve_wire).
    #[derive(Debug)]
    #[must_use = "streams do nothing unless polled"]
    pub struct SievedBody<S>
    where
        S: TryStream,
    {
        #[pin]
        inner: S,
        drive: Drive<Body, S::Error>,
    }
}

impl<S: TryStream> SievedBody<S> {
    pub(crate) fn new(inner: S, config: Config) -> Self {
        SievedBody { inner, drive: Drive::new(Body { session: Session::new(config), out: BytesMut::new() }) }
    }

    /// The inner stream.
    pub fn get_ref(&self) -> &S {
        &self.inner
    }

    /// The bytes alone, as a server wants them for a response body; the report goes to `on_report`. See [`PiecesOnly`].
    pub fn bytes_only<F: FnOnce(Report)>(self, on_report: F) -> PiecesOnly<Self, F>
    where
        S::Ok: AsRef<[u8]>,
    {
        PiecesOnly::new(self, on_report)
    }
}

impl<S: TryStream<Ok: AsRef<[u8]>>> Sieved for SievedBody<S> {
    type Piece = Bytes;
    type Error = S::Error;
    type Report = Report;

    fn poll_step(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Next<Bytes, Self::Error, Report> {
        let mut this = self.project();
        this.drive.poll(|| this.inner.as_mut().try_poll_next(cx))
    }

    fn conclude(self: Pin<&mut Self>) -> Option<Report> {
        self.project().drive.conclude()
    }

    fn steps_hint(&self) -> (usize, Option<usize>) {
        self.drive.size_hint(self.inner.size_hint())
    }
}

impl<S: TryStream<Ok: AsRef<[u8]>>> Stream for SievedBody<S> {
    type Item = Result<WireEvent, S::Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_step(cx).map(|step| {
            step.map(|step| match step {
                Step::Piece(bytes) => Ok(WireEvent::Bytes(bytes)),
                Step::Error(error) => Err(error),
                Step::Report(report) => Ok(WireEvent::Report(report)),
            })
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.steps_hint()
    }
}

impl<S: TryStream<Ok: AsRef<[u8]>>> FusedStream for SievedBody<S> {
    fn is_terminated(&self) -> bool {
        self.drive.is_terminated()
    }
}
