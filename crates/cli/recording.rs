//! Recorded response bodies: where their frames end, and the text in them.

use std::time::Duration;

use citesieve_wire::{Dialect, lane_texts};

/// How fast a recording plays when it plays for people: characters of the answer in a second.
const PACE: u32 = 110;

/// The text of one lane of a body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Lane {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// The text lanes of a body, in order of first appearance.
pub(crate) fn lanes(body: &[u8], dialect: Option<Dialect>) -> Vec<Lane> {
    lane_texts(body, dialect).into_iter().map(|(name, text)| Lane { name, text }).collect()
}

/// The frames of a body, delimiters included: events up to their blank line, or lines of JSON.
pub(crate) fn frames(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines_only = body.trim_ascii_start().starts_with(b"{");
    let mut rest = body;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = if lines_only { after_line(rest) } else { after_blank_line(rest) };
        let (frame, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(frame)
    })
}

fn after_line(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&byte| byte == b'\n').map(|at| at + 1)
}

fn after_blank_line(bytes: &[u8]) -> Option<usize> {
    (1..=bytes.len()).find(|&at| {
        let until = &bytes[..at];
        // A CR may be half a CRLF.
        let half = until.ends_with(b"\r") && bytes.get(at) == Some(&b'\n');
        !half && [&b"\n\n"[..], b"\r\n\r\n", b"\r\r"].iter().any(|blank| until.ends_with(blank))
    })
}

/// How long a body with `characters` of text takes to play.
pub(crate) fn duration(characters: usize) -> Duration {
    Duration::from_secs(1) * u32::try_from(characters).unwrap_or(u32::MAX) / PACE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_end_at_blank_lines_and_lose_nothing() {
        for (body, count) in [
            ("data: 1\n\ndata: 2\n\n", 2),
            ("data: 1\r\n\r\n: ping\r\n\r\ndata: [DONE]", 3),
            ("data: 1\r\rdata: 2\r\r", 2),
            ("{\"a\":1}\n{\"a\":2}\n", 2),
            ("", 0),
        ] {
            let frames: Vec<_> = frames(body.as_bytes()).collect();
            assert_eq!(frames.len(), count, "{body:?}");
            assert_eq!(frames.concat(), body.as_bytes());
        }
    }
}
