//! Bare URLs: in one, nothing is a marker.

use super::buffer::Buffer;
use super::is_space;

/// Whether a bare URL is open, and how many round and square brackets in it.
#[derive(Debug, Default)]
pub(crate) struct Url(Option<(u32, u32)>);

impl Url {
    /// Whether the character read last belongs to a URL.
    pub(crate) fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Reads the character `c` at `at`. A URL ends at a space, a quotation mark, full-width punctuation, or a bracket
    /// that it has not opened.
    pub(crate) fn step(&mut self, c: char, at: u64, text: &Buffer) {
        self.0 = match self.0 {
            Some((round, square)) => match c {
                _ if is_space(c) => None,
                '\n' | '\r' | '<' | '>' | '"' | '`' | '|' | '”' | '»' => None,
                '，' | '。' | '、' | '；' | '：' | '）' | '」' | '』' | '】' | '！' | '？' => None,
                '(' => Some((round + 1, square)),
                ')' => round.checked_sub(1).map(|round| (round, square)),
                '[' => Some((round, square + 1)),
                ']' => square.checked_sub(1).map(|square| (round, square)),
                _ => Some((round, square)),
            },
            None if c == '/' || c == '.' => starts_url(text.before(at), c).then_some((0, 0)),
            None => None,
        };
    }
}

/// Whether `before` and the character `c` after it start a bare URL.
fn starts_url(before: &str, c: char) -> bool {
    if c == '.' {
        let Some(rest) = before.strip_suffix("www") else { return false };
        return !rest.chars().next_back().is_some_and(char::is_alphanumeric);
    }
    ["http:/", "https:/", "ftp:/", "HTTP:/", "HTTPS:/"].iter().any(|scheme| before.ends_with(scheme))
}
