//! Pieces without the report.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::drive::{Sieved, Step};

pin_project! {
    /// The pieces of a sieved stream alone. Its verdict or report goes to a function, which is called exactly once:
    ///
    /// - at the end, before `None` is yielded;
    /// - at an error, before it is yielded, as servers ask a body for nothing more after that;
    /// - when the stream is dropped before (a client that went away), with what is known then and the note `stream`.
    ///   Only while a panic unwinds it is not called.
    ///
    /// Made by [`SievedText::text_only`](crate::SievedText::text_only) and
    /// [`SievedBody::bytes_only`](crate::SievedBody::bytes_only).
    #[derive(Debug)]
    #[must_use = "streams do nothing unless polled"]
    pub struct PiecesOnly<S, F>
    where
        S: Sieved,
        F: FnOnce(S::Report),
    {
        #[pin]
        sieved: S,
        // `None` once it was called.
        on_report: Option<F>,
    }

    impl<S, F> PinnedDrop for PiecesOnly<S, F>
    where
        S: Sieved,
        F: FnOnce(S::Report),
    {
        fn drop(this: Pin<&mut Self>) {
            if !std::thread::panicking() {
                this.conclude();
            }
        }
    }
}

impl<S: Sieved, F: FnOnce(S::Report)> PiecesOnly<S, F> {
    pub(crate) fn new(sieved: S, on_report: F) -> Self {
        PiecesOnly { sieved, on_report: Some(on_report) }
    }

    fn conclude(self: Pin<&mut Self>) {
        let this = self.project();
        if this.on_report.is_some()
            && let (Some(report), Some(on_report)) = (this.sieved.conclude(), this.on_report.take())
        {
            on_report(report);
        }
    }
}

impl<S: Sieved, F: FnOnce(S::Report)> Stream for PiecesOnly<S, F> {
    type Item = Result<S::Piece, S::Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.on_report.is_none() {
            return Poll::Ready(None);
        }
        Poll::Ready(match ready!(self.as_mut().project().sieved.poll_step(cx)) {
            Some(Step::Piece(piece)) => Some(Ok(piece)),
            Some(Step::Error(error)) => {
                self.conclude();
                Some(Err(error))
            }
            Some(Step::Report(report)) => {
                if let Some(on_report) = self.project().on_report.take() {
                    on_report(report);
                }
                None
            }
            None => None,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        if self.on_report.is_none() {
            return (0, Some(0));
        }
        let (lower, upper) = self.sieved.steps_hint();
        (lower.saturating_sub(1), upper.map(|upper| upper.saturating_sub(1)))
    }
}

impl<S: Sieved, F: FnOnce(S::Report)> FusedStream for PiecesOnly<S, F> {
    fn is_terminated(&self) -> bool {
        self.on_report.is_none()
    }
}
