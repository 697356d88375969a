//! Markers around words of the answer: `<cite id="2">words</cite>`, U+E203 words U+E204 and the marker after it.

use std::ops::Range;

/// More open tags than this are not followed.
const MAX_OPEN: usize = 64;

/// The tags and spans that are open.
#[derive(Debug, Default)]
pub(crate) struct Wraps {
    /// Opening tags: where they start, and whether they went.
    tags: Vec<(u64, bool)>,
    /// The characters around the words that a marker may follow.
    span: Option<(Range<u64>, Option<Range<u64>>)>,
}

impl Wraps {
    /// An opening tag stands at `start`; `gone`: its closing tag must go too.
    pub(crate) fn open(&mut self, start: u64, gone: bool) {
        if self.tags.len() < MAX_OPEN {
            self.tags.push((start, gone));
        }
    }

    /// A closing tag: whether it must go.
    pub(crate) fn close(&mut self) -> bool {
        self.tags.pop().is_some_and(|tag| tag.1)
    }

    /// What starts at `start` or later was no marker after all.
    pub(crate) fn forget_from(&mut self, start: u64) {
        self.tags.retain(|tag| tag.0 < start);
        self.span.take_if(|span| span.0.start >= start);
    }

    pub(crate) fn start_span(&mut self, at: Range<u64>) {
        self.span = Some((at, None));
    }

    pub(crate) fn end_span(&mut self, at: Range<u64>) {
        match &mut self.span {
            Some((_, end @ None)) => *end = Some(at),
            _ => self.span = None,
        }
    }

    pub(crate) fn drop_span(&mut self) {
        self.span = None;
    }

    /// A character that opens no marker stands at `at`: a span that ended before it has none.
    pub(crate) fn pass(&mut self, at: u64) {
        self.span.take_if(|span| span.1.as_ref().is_some_and(|end| end.end <= at));
    }

    /// Whether the next character decides if a marker follows a span.
    pub(crate) fn wait(&self) -> bool {
        self.span.as_ref().is_some_and(|span| span.1.is_some())
    }

    /// Where the text is held for a span.
    pub(crate) fn hold(&self) -> Option<u64> {
        self.span.as_ref().map(|span| span.0.start)
    }

    /// The characters around the words that the marker at `start` is for.
    pub(crate) fn take_span(&mut self, start: u64) -> Option<(Range<u64>, Range<u64>)> {
        let span = self.span.take_if(|span| span.1.as_ref().is_some_and(|close| close.end == start));
        span.and_then(|(open, close)| Some((open, close?)))
    }
}
