//! A stream that does as it is told, and streams run by hand.

use std::cell::Cell;
use std::collections::VecDeque;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use citesieve::{Policy, Source, Sources, TextSieve, Verdict};
use futures::Stream;

/// What a scripted stream does at one poll.
#[derive(Debug, Clone)]
pub(crate) enum Act<T> {
    Item(T),
    /// Not yet; wakes at once.
    Pending,
    Fail,
}

/// The error of scripted streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure;

/// A stream that follows a script, counts its polls, and must not be polled after its end.
#[derive(Debug)]
pub(crate) struct Script<T> {
    acts: VecDeque<Act<T>>,
    pub(crate) polls: Rc<Cell<usize>>,
    over: bool,
}

impl<T> Script<T> {
    pub(crate) fn new(acts: impl IntoIterator<Item = Act<T>>) -> Self {
        Script { acts: acts.into_iter().collect(), polls: Rc::default(), over: false }
    }

    pub(crate) fn items(items: impl IntoIterator<Item = T>) -> Self {
        Self::new(items.into_iter().map(Act::Item))
    }
}

impl<T: Unpin> Stream for Script<T> {
    type Item = Result<T, Failure>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        assert!(!self.over, "polled after the end");
        self.polls.set(self.polls.get() + 1);
        match self.acts.pop_front() {
            Some(Act::Item(item)) => Poll::Ready(Some(Ok(item))),
            Some(Act::Pending) => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Some(Act::Fail) => Poll::Ready(Some(Err(Failure))),
            None => {
                self.over = true;
                Poll::Ready(None)
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.acts.len()))
    }
}

/// Polls once.
pub(crate) fn poll<S: Stream + Unpin>(stream: &mut S) -> Poll<Option<S::Item>> {
    Pin::new(stream).poll_next(&mut Context::from_waker(Waker::noop()))
}

/// Everything that a stream yields, and how often it was not ready. After its end it must stay there, and what it said
/// about its length on the way must have been true.
pub(crate) fn drain<S: Stream + Unpin>(stream: &mut S) -> (Vec<S::Item>, usize) {
    let (mut items, mut pending, mut hints) = (Vec::new(), 0, Vec::new());
    loop {
        hints.push((items.len(), stream.size_hint()));
        match poll(stream) {
            Poll::Ready(Some(item)) => items.push(item),
            Poll::Ready(None) => break,
            Poll::Pending => pending += 1,
        }
    }
    for (before, (lower, upper)) in hints {
        let left = items.len() - before;
        assert!(lower <= left && upper.is_none_or(|upper| left <= upper), "{left} left, not {lower} to {upper:?}");
    }
    assert_eq!(stream.size_hint(), (0, Some(0)));
    for _ in 0..3 {
        assert!(matches!(poll(stream), Poll::Ready(None)), "it goes on after its end");
    }
    (items, pending)
}

/// Two sources, of which the first has words.
pub(crate) fn sources() -> Arc<Sources> {
    Arc::new(Sources::new(vec![Source::new("1").text("Rent is due monthly in advance."), Source::new("2")]).unwrap())
}

/// What the sieve itself makes of a whole text.
pub(crate) fn expected(text: &str, policy: &Policy) -> (String, Verdict) {
    let mut sieve = TextSieve::new(Arc::new(policy.clone()), sources());
    let mut shown = sieve.push(text).to_owned();
    let (rest, verdict) = sieve.finish();
    shown += &rest;
    (shown, verdict)
}

/// Cuts into pieces of these lengths, over and over, with a wait before each whose length divides by `wait`.
pub(crate) fn cut<T: Clone>(all: &[T], lengths: &[usize], wait: usize) -> Vec<Act<Vec<T>>> {
    let (mut acts, mut rest) = (Vec::new(), all);
    for &length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, later) = rest.split_at(length.min(rest.len()));
        acts.extend((length % wait == 0).then_some(Act::Pending));
        // Empty items come, too.
        acts.extend((length % 5 == 0).then(|| Act::Item(Vec::new())));
        acts.push(Act::Item(piece.to_vec()));
        rest = later;
    }
    acts
}
