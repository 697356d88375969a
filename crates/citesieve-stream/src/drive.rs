//! What all adapters have in common: items in, pieces out, at the end what was held, the error, the report.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use citesieve::Unchecked;

/// What makes pieces of items and has something to say at the end.
pub(crate) trait Stage {
    /// What leaves.
    type Piece;
    /// What is said at the end.
    type Report;

    /// The end: what was held, if anything, and the report. `cut` says what broke the stream off.
    fn finish(self, cut: Option<&'static str>) -> (Option<Self::Piece>, Self::Report);
}

/// A stage that takes such items.
pub(crate) trait Take<T>: Stage {
    /// What can leave now, if anything.
    fn take(&mut self, item: T) -> Option<Self::Piece>;
}

/// What comes out next.
#[derive(Debug)]
pub enum Step<P, E, R> {
    /// A piece, never empty.
    Piece(P),
    /// The error of the inner stream.
    Error(E),
    /// The report: the last step.
    Report(R),
}

/// The answer to a poll.
pub(crate) type Next<P, E, R> = Poll<Option<Step<P, E, R>>>;

/// Why an answer that an error ended is not whole.
const FAILED: &str = "cut off by an error";
/// Why an answer that nobody waited for is not whole.
const DROPPED: &str = "cut off by its reader";

/// A note that the stream did not end by itself.
pub(crate) fn cut_note(why: &'static str) -> Unchecked {
    Unchecked { what: "stream".to_owned(), why: why.to_owned(), count: 1 }
}

/// A stage, and what it still owes once the inner stream is over.
#[derive(Debug)]
pub(crate) struct Drive<G: Stage, E> {
    /// `None` once the inner stream is over.
    stage: Option<G>,
    piece: Option<G::Piece>,
    error: Option<E>,
    report: Option<G::Report>,
}

impl<G: Stage, E> Drive<G, E> {
    pub(crate) fn new(stage: G) -> Self {
        Drive { stage: Some(stage), piece: None, error: None, report: None }
    }

    /// The stage, while the inner stream goes on.
    pub(crate) fn stage(&mut self) -> Option<&mut G> {
        self.stage.as_mut()
    }

    /// The next step. Polls only when nothing is owed, and never after the end.
    pub(crate) fn poll<T>(
        &mut self,
        mut poll_inner: impl FnMut() -> Poll<Option<Result<T, E>>>,
    ) -> Next<G::Piece, E, G::Report>
    where
        G: Take<T>,
    {
        while let Some(stage) = &mut self.stage {
            match ready!(poll_inner()) {
                Some(Ok(item)) => {
                    if let Some(piece) = stage.take(item) {
                        return Poll::Ready(Some(Step::Piece(piece)));
                    }
                }
                Some(Err(error)) => {
                    self.error = Some(error);
                    self.finish(Some(FAILED));
                }
                None => self.finish(None),
            }
        }
        Poll::Ready(self.owed())
    }

    fn finish(&mut self, cut: Option<&'static str>) {
        if let Some(stage) = self.stage.take() {
            let (piece, report) = stage.finish(cut);
            self.piece = piece;
            self.report = Some(report);
        }
    }

    fn owed(&mut self) -> Option<Step<G::Piece, E, G::Report>> {
        let piece = self.piece.take().map(Step::Piece);
        piece.or_else(|| self.error.take().map(Step::Error)).or_else(|| self.report.take().map(Step::Report))
    }

    /// The report, now, whatever is still owed.
    pub(crate) fn conclude(&mut self) -> Option<G::Report> {
        self.finish(Some(DROPPED));
        self.report.take()
    }

    pub(crate) fn is_terminated(&self) -> bool {
        self.stage.is_none() && self.piece.is_none() && self.error.is_none() && self.report.is_none()
    }

    /// How many steps are left, if the inner stream has so many items.
    pub(crate) fn size_hint(&self, (_, upper): (usize, Option<usize>)) -> (usize, Option<usize>) {
        if self.stage.is_some() {
            // An item is one step at most; the end is the held piece and the report.
            return (1, upper.and_then(|upper| upper.checked_add(2)));
        }
        let owed = [self.piece.is_some(), self.error.is_some(), self.report.is_some()];
        let owed = owed.into_iter().filter(|&owed| owed).count();
        (owed, Some(owed))
    }
}

/// An adapter whose pieces can be had without its report. Cannot be named, so cannot be implemented, elsewhere.
pub trait Sieved {
    /// What leaves.
    type Piece;
    /// The errors of the inner stream.
    type Error;
    /// What is said at the end.
    type Report;

    /// The next step.
    fn poll_step(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Next<Self::Piece, Self::Error, Self::Report>;

    /// The report, now, whatever is still owed; `None` if it was given.
    fn conclude(self: Pin<&mut Self>) -> Option<Self::Report>;

    /// As of [`Stream`](futures_core::Stream), the report included.
    fn steps_hint(&self) -> (usize, Option<usize>);
}
