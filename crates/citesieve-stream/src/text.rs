//! Streams of text.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use citesieve::{Policy, Sources, TextSieve, Verdict};
use futures_core::{FusedStream, Stream, TryStream};
use pin_project_lite::pin_project;

use crate::drive::{Drive, Next, Sieved, Stage, Step, Take, cut_note};
use crate::pieces::PiecesOnly;

/// What a sieved stream of text yields.
#[derive(Debug, Clone, PartialEq)]
pub enum TextEvent {
    /// Text to show now; never empty.
    Text(String),
    /// What is reported at the end, once.
    Verdict(Box<Verdict>),
}

impl TextEvent {
    /// The text, if it is some.
    pub fn text(&self) -> Option<&str> {
        match self {
            TextEvent::Text(text) => Some(text),
            TextEvent::Verdict(_) => None,
        }
    }

    /// The verdict, if it is the verdict.
    pub fn verdict(&self) -> Option<&Verdict> {
        match self {
            TextEvent::Text(_) => None,
            TextEvent::Verdict(verdict) => Some(verdict),
        }
    }
}

impl Stage for TextSieve {
    type Piece = String;
    type Report = Box<Verdict>;

    fn finish(self, cut: Option<&'static str>) -> (Option<String>, Box<Verdict>) {
        let (rest, mut verdict) = TextSieve::finish(self);
        verdict.unchecked.extend(cut.map(cut_note));
        ((!rest.is_empty()).then_some(rest), Box::new(verdict))
    }
}

impl<T: AsRef<str>> Take<T> for TextSieve {
    fn take(&mut self, item: T) -> Option<String> {
        let text = self.push(item.as_ref());
        (!text.is_empty()).then(|| text.to_owned())
    }
}

pin_project! {
    /// A stream of text with a sieve in it. Made by [`SieveExt::sieve`](crate::SieveExt::sieve).
    #[derive(Debug)]
    #[must_use = "streams do nothing unless polled"]
    pub struct SievedText<S>
    where
        S: TryStream,
    {
        #[pin]
        inner: S,
        drive: Drive<TextSieve, S::Error>,
    }
}

impl<S: TryStream> SievedText<S> {
    pub(crate) fn new(inner: S, policy: Arc<Policy>, sources: Arc<Sources>) -> Self {
        SievedText { inner, drive: Drive::new(TextSieve::new(policy, sources)) }
    }

    /// The inner stream.
    pub fn get_ref(&self) -> &S {
        &self.inner
    }

    /// Sets the sources while the answer streams (a tool round, a list that the API sends along): they hold for the text
    /// of items that are polled after this, as [`TextSieve::set_sources`] has it. After the end it does nothing.
    pub fn set_sources(self: Pin<&mut Self>, sources: impl Into<Arc<Sources>>) {
        if let Some(sieve) = self.project().drive.stage() {
            sieve.set_sources(sources.into());
        }
    }

    /// The text alone; the verdict goes to `on_verdict`. See [`PiecesOnly`].
    pub fn text_only<F: FnOnce(Box<Verdict>)>(self, on_verdict: F) -> PiecesOnly<Self, F>
    where
        S::Ok: AsRef<str>,
    {
        PiecesOnly::new(self, on_verdict)
    }
}

impl<S: TryStream<Ok: AsRef<str>>> Sieved for SievedText<S> {
    type Piece = String;
    type Error = S::Error;
    type Report = Box<Verdict>;

    fn poll_step(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Next<String, Self::Error, Self::Report> {
        let mut this = self.project();
        this.drive.poll(|| this.inner.as_mut().try_poll_next(cx))
    }

    fn conclude(self: Pin<&mut Self>) -> Option<Self::Report> {
        self.project().drive.conclude()
    }

    fn steps_hint(&self) -> (usize, Option<usize>) {
        self.drive.size_hint(self.inner.size_hint())
    }
}

impl<S: TryStream<Ok: AsRef<str>>> Stream for SievedText<S> {
    type Item = Result<TextEvent, S::Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_step(cx).map(|step| {
            step.map(|step| match step {
                Step::Piece(text) => Ok(TextEvent::Text(text)),
                Step::Error(error) => Err(error),
                Step::Report(verdict) => Ok(TextEvent::Verdict(verdict)),
            })
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.steps_hint()
    }
}

impl<S: TryStream<Ok: AsRef<str>>> FusedStream for SievedText<S> {
    fn is_terminated(&self) -> bool {
        self.drive.is_terminated()
    }
}

pin_project! {
    /// A stream of text that cannot fail, with a sieve in it. Made by
    /// [`SieveExt::sieve_infallible`](crate::SieveExt::sieve_infallible).
    #[derive(Debug)]
    #[must_use = "streams do nothing unless polled"]
    pub struct SievedInfallible<S> {
        #[pin]
        inner: S,
        drive: Drive<TextSieve, Infallible>,
    }
}

impl<S> SievedInfallible<S> {
    pub(crate) fn new(inner: S, policy: Arc<Policy>, sources: Arc<Sources>) -> Self {
        SievedInfallible { inner, drive: Drive::new(TextSieve::new(policy, sources)) }
    }

    /// The inner stream.
    pub fn get_ref(&self) -> &S {
        &self.inner
    }
}

impl<S: Stream<Item: AsRef<str>>> Stream for SievedInfallible<S> {
    type Item = TextEvent;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<TextEvent>> {
        let mut this = self.project();
        let step = this.drive.poll(|| this.inner.as_mut().poll_next(cx).map(|item| item.map(Ok)));
        step.map(|step| {
            step.map(|step| match step {
                Step::Piece(text) => TextEvent::Text(text),
                Step::Error(never) => match never {},
                Step::Report(verdict) => TextEvent::Verdict(verdict),
            })
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.drive.size_hint(self.inner.size_hint())
    }
}

impl<S: Stream<Item: AsRef<str>>> FusedStream for SievedInfallible<S> {
    fn is_terminated(&self) -> bool {
        self.drive.is_terminated()
    }
}
