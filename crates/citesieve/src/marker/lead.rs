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
    walk(text, inner(text, at, limits), limits, |_| {}).0
}

/// `( [7] )`: where the spaces after an opening parenthesis start; `at` if there are none.
fn inner(text: &Buffer, at: u64, limits: Limits<'_>) -> u64 {
    let floor = limits.floor.max(limits.line);
    let mut start = at;
    for _ in 0..MAX_SPACE {
        match text.char_before(start).filter(|_| start > floor) {
            Some(c) if is_space(c) => start -= c.len_utf8() as u64,
            Some('(' | '（') => return start,
            _ => break,
        }
    }
    at
}

fn walk(text: &Buffer, at: u64, limits: Limits<'_>, mut wrap: impl FnMut(char)) -> (u64, u64, Option<char>) {
    let floor = limits.floor.max(limits.line);
    let before = |at: u64| text.char_before(at).filter(|_| at > floor);
    let mut wraps_at = at;
    for _ in 0..MAX_WRAPS {
        let Some(c) = before(wraps_at) else { break };
        let position = wraps_at - c.len_utf8() as u64;
        let opens = match c {
            '(' | '（' => before(position) != Some('\\'),
            '*' | '_' | '~' => limits.emphasis.binary_search_by_key(&position, |open| open.1).is_ok(),
            _ => false,
        };
        if !opens {
            break;
        }
        wrap(c);
        wraps_at = position;
    }
    let mut start = wraps_at;
    for _ in 0..MAX_SPACE {
        match before(start) {
            Some(c) if is_space(c) => start -= c.len_utf8() as u64,
            _ => break,
        }
    }
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
