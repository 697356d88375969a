//! What stands directly before a marker and may go with it: spaces, opening parentheses and emphasis.

use crate::scan::buffer::Buffer;
use crate::scan::is_space;

/// How many characters of space are looked at; what is further away stays.
const MAX_SPACE: usize = 64;
/// How many opening characters are looked at.
const MAX_WRAPS: usize = 8;

/// How far a look back may go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits<'a> {
    /// Nothing before this may be edited any more.
    pub(crate) floor: u64,
    /// Where the content of the line starts.
    pub(crate) line: u64,
    /// Positions of emphasis characters that are open, ascending.
    pub(crate) emphasis: &'a [(char, u64)],
}

/// Spaces and openers before a position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lead {
    /// Where the spaces start; the openers follow them.
    pub(crate) start: u64,
    /// Where the openers start (and the spaces end).
    pub(crate) wraps_at: u64,
    /// Where the spaces between the openers and the marker start; where the marker starts if there are none.
    pub(crate) inner: u64,
    /// The openers, outermost first.
    pub(crate) wraps: Vec<char>,
    /// What stands before all of that on the same line.
    pub(crate) before: Option<char>,
}

/// Looks back from `at`.
pub(crate) fn look_back(text: &Buffer, at: u64, limits: Limits<'_>) -> Lead {
    let mut wraps = Vec::new();
    let inner = inner(text, at, limits);
    let (start, wraps_at, before) = walk(text, inner, limits, |c| wraps.push(c));
    wraps.reverse();
    Lead { start, wraps_at, inner, wraps, before }
}

/// Where the lead of a marker at `at` would start.
pub(crate) fn start_of(text: &Buffer, at: u64, limits: Limits<'_>) -> u64 {
    // Nearly always the last byte tells that there is none.
    let last = text.before(at).as_bytes().last();
    if last.is_some_and(|byte| byte.is_ascii_graphic() && !matches!(byte, b'(' | b'*' | b'_' | b'~')) {
        return at;
    }
    walk(text, inner(text, at, limits), limits, |_| {}).0
}

/// `( [7] )`: where the spaces after an opening parenthesis start; `at` if there are none.
fn inner(text: &Buffer, at: u64, limits: Limits<'_>) -> u64 {
    let (before, at_start) = window(text, at, limits);
    let spaces = spaces_at_end(before);
    let rest = &before[..before.len() - spaces];
    let opened = spaces > 0 && matches!(rest.chars().next_back(), Some('(' | '（'));
    if opened { at_start + rest.len() as u64 } else { at }
}

/// The text before `at` that may be looked at, and where it starts.
fn window<'a>(text: &'a Buffer, at: u64, limits: Limits<'_>) -> (&'a str, u64) {
    let before = text.before(at);
    let floor = limits.floor.max(limits.line);
    let length = (at.saturating_sub(floor) as usize).min(before.len());
    (&before[before.len() - length..], at - length as u64)
}

/// How many bytes of space `text` ends with, at most [`MAX_SPACE`] characters of them.
fn spaces_at_end(text: &str) -> usize {
    text.chars().rev().take(MAX_SPACE).take_while(|c| is_space(*c)).map(char::len_utf8).sum()
}

fn walk(text: &Buffer, at: u64, limits: Limits<'_>, mut wrap: impl FnMut(char)) -> (u64, u64, Option<char>) {
    let (mut before, window_at) = window(text, at, limits);
    for _ in 0..MAX_WRAPS {
        let Some(c) = before.chars().next_back() else { break };
        let rest = &before[..before.len() - c.len_utf8()];
        let opens = match c {
            '(' | '（' => !rest.ends_with('\\'),
            '*' | '_' | '~' => {
                let position = window_at + rest.len() as u64;
                limits.emphasis.binary_search_by_key(&position, |open| open.1).is_ok()
            }
            _ => false,
        };
        if !opens {
            break;
        }
        wrap(c);
        before = rest;
    }
    let wraps_at = window_at + before.len() as u64;
    let start = wraps_at - spaces_at_end(before) as u64;
    if start <= limits.line {
        // Spaces at the start of a line are its indentation, not the marker's.
        return (wraps_at, wraps_at, None);
    }
    (start, wraps_at, text.char_before(start))
}

/// What closes `wrap`.
pub(crate) fn closer(wrap: char) -> char {
    match wrap {
        '(' => ')',
        '（' => '）',
        other => other,
    }
}
