//! Server-sent events, byte-exact: LF, CRLF, bare CR and mixtures, byte order mark, comments, data of several lines.
//!
//! A frame is everything up to and including the blank line that ends an event, with any further blank lines before
//! it. Where frames end depends on the bytes alone, never on how they were cut: a blank line that is a CR after a line
//! that ended in CRLF waits for its LF; any other CR ends the frame at once, and an LF after it belongs to the next.

use std::borrow::Cow;

use memchr::memchr2;

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    LineStart,
    InLine,
    /// A line ended in CR; an LF may follow.
    AfterCr,
    /// The blank line is a CR; the LF that ended the line before it promises another.
    AfterBlankCr,
}

/// Finds blank lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Scanner {
    state: State,
    /// A line that is not blank was seen in this frame.
    content: bool,
    /// The line before ended in CRLF.
    crlf: bool,
}

impl Scanner {
    /// Whether the last frame has ended with the last byte.
    pub(super) fn is_fresh(&self) -> bool {
        *self == Scanner::default()
    }

    /// Where the frame ends in `bytes`, if it does.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.state {
                State::AfterBlankCr => {
                    *self = Scanner::default();
                    return Some(at + usize::from(byte == b'\n'));
                }
                State::AfterCr => {
                    self.crlf = byte == b'\n';
                    self.state = State::LineStart;
                    at += usize::from(self.crlf);
                }
                State::LineStart if byte == b'\n' || byte == b'\r' => {
                    at += 1;
                    if !self.content {
                        continue;
                    }
                    if byte == b'\r' && self.crlf {
                        self.state = State::AfterBlankCr;
                    } else {
                        *self = Scanner::default();
                        return Some(at);
                    }
                }
                State::LineStart | State::InLine => {
                    self.content = true;
                    let Some(found) = memchr2(b'\n', b'\r', &bytes[at..]) else {
                        self.state = State::InLine;
                        return None;
                    };
                    at += found + 1;
                    if bytes[at - 1] == b'\n' {
                        self.crlf = false;
                        self.state = State::LineStart;
                    } else {
                        self.state = State::AfterCr;
                    }
                }
            }
        }
        None
    }
}

/// The fields of one frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Event<'a> {
    /// The value of `event:`.
    pub(crate) name: &'a [u8],
    /// The value of `data:`, several lines joined by LF. `None` if there is no such field.
    pub(crate) data: Option<Cow<'a, [u8]>>,
    /// Where the first line of data stands in the frame.
    first: usize,
    /// For each further line its start in the data and in the frame.
    more: Vec<(usize, usize)>,
}

impl Event<'_> {
    /// Where a byte of the data stands in the frame.
    #[inline]
    pub(crate) fn in_frame(&self, at: usize) -> usize {
        match self.more.partition_point(|&(start, _)| start <= at).checked_sub(1) {
            None => self.first + at,
            Some(line) => self.more[line].1 + (at - self.more[line].0),
        }
    }
}

/// Reads the fields of a frame.
pub(crate) fn parse(frame: &[u8]) -> Event<'_> {
    let mut event = Event { name: b"", data: None, first: 0, more: Vec::new() };
    let mut at = if frame.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
    while at < frame.len() {
        let end = memchr2(b'\n', b'\r', &frame[at..]).map_or(frame.len(), |found| at + found);
        let line = &frame[at..end];
        if let Some(value) = line.strip_prefix(b"data") {
            if let Some(value) = field_value(value) {
                let start = end - value.len();
                match &mut event.data {
                    None => {
                        event.first = start;
                        event.data = Some(Cow::Borrowed(value));
                    }
                    Some(data) => {
                        let data = data.to_mut();
                        data.push(b'\n');
                        event.more.push((data.len(), start));
                        data.extend_from_slice(value);
                    }
                }
            }
        } else if let Some(value) = line.strip_prefix(b"event").and_then(field_value) {
            event.name = value;
        }
        at = end + 1;
    }
    event
}

/// What follows the name of a field, if that is the whole name.
#[inline]
fn field_value(after: &[u8]) -> Option<&[u8]> {
    match after {
        [] => Some(after),
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Framer, Framing, Piece};
    use super::*;

    fn frames(pieces: &[&[u8]]) -> Vec<String> {
        let mut framer = Framer::new(Framing::Sse, 1 << 20);
        let mut frames = Vec::new();
        for mut piece in pieces.iter().copied() {
            while let (taken, Some(found)) = framer.next(piece) {
                match found {
                    Piece::Frame(frame) => frames.push(String::from_utf8_lossy(frame).into_owned()),
                    Piece::Oversize(..) => unreachable!(),
                }
                piece = &piece[taken..];
            }
        }
        frames.push(String::from_utf8_lossy(&framer.rest()).into_owned());
        frames
    }

    #[test]
    fn every_kind_of_line_end_at_every_cut() {
        let bodies = [
            ("data: a\n\ndata: b\n\n", vec!["data: a\n\n", "data: b\n\n", ""]),
            ("data: a\r\n\r\n\r\ndata: b\r\n\r\nx", vec!["data: a\r\n\r\n", "\r\ndata: b\r\n\r\n", "x"]),
            ("data: a\r\rdata: b\r\r", vec!["data: a\r\r", "data: b\r\r", ""]),
            ("data: a\r\r\ndata: b\r\n\rdata: c", vec!["data: a\r\r", "\ndata: b\r\n\r", "data: c"]),
            ("data: a\n\r\ndata: b\n\n", vec!["data: a\n\r", "\ndata: b\n\n", ""]),
            ("\u{feff}data: a\n\n: ping\n\n\n\nb", vec!["\u{feff}data: a\n\n", ": ping\n\n", "\n\nb"]),
        ];
        for (body, expected) in bodies {
            let body = body.as_bytes();
            for first in 0..=body.len() {
                for second in first..=body.len() {
                    let found = frames(&[&body[..first], &body[first..second], &body[second..]]);
                    assert_eq!(found, expected, "{first} {second}");
                }
            }
        }
    }

    #[test]
    fn fields_in_any_order_and_their_places() {
        let frame = b"\xef\xbb\xbf: note\nid: 7\ndata:{\"a\":\r\ndata:  1}\nevent: delta\nretry: 3\ndatabase: no\n\n";
        let event = parse(frame);
        assert_eq!(event.name, b"delta");
        let data = event.data.clone().unwrap();
        assert_eq!(&data[..], b"{\"a\":\n 1}");
        for (at, byte) in data.iter().enumerate().filter(|(_, byte)| **byte != b'\n') {
            assert_eq!(frame[event.in_frame(at)], *byte);
        }
        assert_eq!(parse(b"data\n\n").data.as_deref(), Some(&b""[..]));
        assert_eq!(parse(b": only a comment\n\n").data, None);
        assert_eq!(parse(b"data: x").data.as_deref(), Some(&b"x"[..]));
    }
}
