//! Frames: the pieces that a response body is cut into, byte for byte.
//!
//! A scanner finds where a frame ends, however the input is cut; [`Framer`] keeps the bytes of a frame that is not
//! complete yet. The frames of a body, one after the other, are the body.

mod json;
mod lines;
mod sse;

pub(crate) use sse::parse as parse_event;

/// How a body is cut into frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events: `text/event-stream`.
    Sse,
    /// One JSON value per line: `application/x-ndjson`, `application/stream+json`.
    Lines,
    /// One JSON value, or one array whose items are the frames: `application/json`.
    Json,
}

impl Framing {
    /// Finds out from the first bytes of a body; `None`: more are needed.
    ///
    /// A line that is a complete JSON object is taken for a stream of such lines, which also holds for a body of one.
    pub(crate) fn sniff(start: &[u8], complete: bool) -> Option<Framing> {
        let text = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start);
        match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
            None => complete.then_some(Framing::Sse),
            Some(b'[') => Some(Framing::Json),
            Some(b'{') => match memchr::memchr(b'\n', text.trim_ascii_start()) {
                Some(end) => {
                    let line = &text.trim_ascii_start()[..end];
                    Some(if crate::json::Cursor::new(line).skip().is_ok() { Framing::Lines } else { Framing::Json })
                }
                None => complete.then_some(Framing::Json),
            },
            Some(0xef) if text.len() < 3 => complete.then_some(Framing::Sse),
            Some(_) => Some(Framing::Sse),
        }
    }
}

/// What the framer hands out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// A whole frame.
    Frame(&'a [u8]),
    /// Bytes of a frame longer than the bound, to be passed on as they are; `true` for the first of them.
    Oversize(&'a [u8], bool),
}

#[derive(Debug)]
enum Scanner {
    Sse(sse::Scanner),
    Lines(lines::Scanner),
    Json(json::Scanner),
}

impl Scanner {
    fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        match self {
            Scanner::Sse(scanner) => scanner.feed(bytes),
            Scanner::Lines(scanner) => scanner.feed(bytes),
            Scanner::Json(scanner) => scanner.feed(bytes),
        }
    }
}

/// Cuts a body into frames.
#[derive(Debug)]
pub(crate) struct Framer {
    scanner: Scanner,
    /// The frame that is not complete yet, or the one handed out last.
    buffer: Vec<u8>,
    /// `buffer` was handed out and is to be cleared.
    spent: bool,
    /// The current frame is longer than the bound.
    oversize: bool,
    max_frame: usize,
}

impl Framer {
    pub(crate) fn new(framing: Framing, max_frame: usize) -> Self {
        let scanner = match framing {
            Framing::Sse => Scanner::Sse(sse::Scanner::default()),
            Framing::Lines => Scanner::Lines(lines::Scanner),
            Framing::Json => Scanner::Json(json::Scanner::default()),
        };
        Framer { scanner, buffer: Vec::new(), spent: false, oversize: false, max_frame }
    }

    /// The next piece, and how many bytes of `input` were taken. No piece: all of them were, and are kept.
    pub(crate) fn next<'a>(&'a mut self, input: &'a [u8]) -> (usize, Option<Piece<'a>>) {
        if std::mem::take(&mut self.spent) {
            self.buffer.clear();
            // One huge frame must not keep its memory for the rest of the body.
            self.buffer.shrink_to(64 * 1024);
        }
        if input.is_empty() {
            return (0, None);
        }
        let end = self.scanner.feed(input);
        let now = &input[..end.unwrap_or(input.len())];
        let oversize = self.oversize || self.buffer.len() + now.len() > self.max_frame;
        let first = oversize && !std::mem::replace(&mut self.oversize, end.is_none());
        let piece = if self.buffer.is_empty() && (oversize || end.is_some()) {
            now
        } else {
            self.buffer.extend_from_slice(now);
            if !oversize && end.is_none() {
                return (now.len(), None);
            }
            self.spent = true;
            &self.buffer
        };
        (now.len(), Some(if oversize { Piece::Oversize(piece, first) } else { Piece::Frame(piece) }))
    }

    /// Whether the last frame is complete, and nothing has come since.
    pub(crate) fn is_between(&self) -> bool {
        let fresh = match &self.scanner {
            Scanner::Sse(scanner) => scanner.is_fresh(),
            Scanner::Lines(_) => true,
            // Brackets are open.
            Scanner::Json(_) => false,
        };
        fresh && self.waiting() == 0 && !self.oversize
    }

    /// Bytes of a frame that is not complete yet.
    pub(crate) fn waiting(&self) -> usize {
        if self.spent { 0 } else { self.buffer.len() }
    }

    /// The body is complete: what is left of it.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        if std::mem::take(&mut self.spent) {
            self.buffer.clear();
        }
        std::mem::take(&mut self.buffer)
    }
}
