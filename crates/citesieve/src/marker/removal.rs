//! The edit that removes a run of markers without leaving a trace: which space, separator or parenthesis goes along.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::lead::Lead;
use crate::scan::buffer::Buffer;
use crate::scan::{is_space, is_spaceless};
use crate::{Edit, Reason};

/// A run of which nothing survives.
pub(super) struct Doomed<'a> {
    pub(super) lead: &'a Lead,
    /// How many of the lead's wraps are closed after it.
    pub(super) closers: usize,
    /// Where its first marker starts, and where the last one, or what closes its wraps, ends.
    pub(super) first: u64,
    pub(super) end: u64,
    /// The first character that doesn't belong to it, separators included.
    pub(super) at: u64,
    /// Whether that character closes emphasis.
    pub(super) closes_emphasis: bool,
}

impl Doomed<'_> {
    /// The edit that removes it; `next` is the character after `end`.
    pub(super) fn remove(&self, next: Option<char>, text: &Buffer) -> Edit {
        let (first, end, at) = (self.first, self.end, self.at);
        let wraps = &self.lead.wraps;
        let kept = wraps.len() - self.closers;
        let width: usize = wraps[kept..].iter().map(|c| c.len_utf8()).sum();
        let inner = self.lead.inner;
        let from = if self.closers > 0 { inner - width as u64 } else { first };
        let separators = text.slice(end..at);
        let (space, before) = match kept {
            0 => (self.lead.start..self.lead.wraps_at, self.lead.before),
            _ if self.closers == 0 => (inner..first, Some(wraps[kept - 1])),
            _ => (from..from, Some(wraps[kept - 1])),
        };
        let has_space = !space.is_empty();
        let opened = kept > 0 || before.is_none_or(is_opener);
        if opened && !has_space {
            // At the start of a line, or inside an opener: the space after it goes instead.
            return removal(from..end + separators.len() as u64, "");
        }
        let closing = |c: char| is_closing(c) || (at == end && self.closes_emphasis);
        match next {
            Some(c) if is_separator(c) && before.is_some_and(|b| is_separator(b) || matches!(b, ':' | '：')) => {
                removal(space.start..end + c.len_utf8() as u64, "")
            }
            Some(c) if !is_space(c) && c != '\n' && c != '\r' && !closing(c) => {
                let spaceless = |c: char| is_spaceless(c) || is_wide_punctuation(c);
                match before {
                    Some(b) if spaceless(b) && spaceless(c) => removal(space.start..end, ""),
                    _ if has_space => removal(from..end, ""),
                    Some(b) if welds(b) && c.is_alphanumeric() && !is_spaceless(b) && !is_spaceless(c) => {
                        removal(from..end, " ")
                    }
                    _ => removal(from..end, ""),
                }
            }
            _ => removal(space.start..end, ""),
        }
    }
}

/// The edit that removes a fabricated marker, or puts a space in its place.
pub(super) fn removal(at: Range<u64>, with: &'static str) -> Edit {
    Edit { at, with: Cow::Borrowed(with), why: Reason::FabricatedMarker }
}

/// Whether `c` may stand between the markers of a run.
pub(super) fn is_separator(c: char) -> bool {
    matches!(c, ',' | ';' | '，' | '；' | '、')
}

/// Whether a word after `c` would read as one with it.
fn welds(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c) || matches!(c, '.' | '!' | '?' | ',' | ';' | ':')
}

fn is_opener(c: char) -> bool {
    matches!(c, '(' | '[' | '{' | '“' | '‘' | '«' | '„' | '「' | '『' | '（' | '《' | '【' | '|')
}

/// What may follow a word without a space.
fn is_closing(c: char) -> bool {
    matches!(
        c,
        '.' | ','
            | ';'
            | ':'
            | '!'
            | '?'
            | ')'
            | ']'
            | '}'
            | '"'
            | '\''
            | '”'
            | '’'
            | '»'
            | '…'
            | '|'
            | '—'
            | '–'
            | '/'
    ) || is_wide_punctuation(c)
}

fn is_wide_punctuation(c: char) -> bool {
    matches!(
        c,
        '。' | '，'
            | '、'
            | '；'
            | '：'
            | '！'
            | '？'
            | '）'
            | '」'
            | '』'
            | '》'
            | '】'
            | '〉'
            | '．'
            | '।'
            | '؟'
            | '،'
            | '؛'
    )
}
