//! Which ids of a marker exist, and what is left of one that names some that don't.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use super::list::Element;
use super::superscript::DIGITS as SUPERSCRIPTS;
use crate::scan::buffer::Buffer;
use crate::source::ids::IdSet;
use crate::{Edit, Reason};

/// How many ids of one marker are remembered as cited.
const MAX_CITED: usize = 64;

/// How many ids that nobody has, and how much of each (characters), is remembered.
const MAX_MADE_UP: usize = 4;
const MAX_ID: usize = 20;

/// What became of a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Every id exists.
    Real,
    /// Some do.
    Partial,
    /// None does.
    Fabricated,
    /// It came before anything was known about the sources.
    Unknown,
}

/// A marker that was read whole.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    pub(crate) at: Range<u64>,
    pub(crate) fate: Fate,
    /// The edits inside it, if it lost some ids.
    pub(crate) edits: Vec<Edit>,
    /// Why it goes, if it does.
    pub(crate) gone: Option<Reason>,
    /// What becomes of it if no other marker stands beside it.
    pub(crate) alone: Option<Alone>,
    /// What it was read as; kept only where it is to be shown otherwise.
    pub(crate) elements: Vec<Element>,
    /// The ids it names (at most 64): the real ones, or, if there are none, the first ones it made up.
    pub(crate) cited: Vec<String>,
}

/// What becomes of a marker that stands alone after a quote of another source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Alone {
    /// It names this source instead.
    Move(Edit, String),
    /// It goes.
    Drop,
}

impl Mark {
    /// Whether something of it may be edited though it stays.
    pub(crate) fn may_change(&self) -> bool {
        !self.edits.is_empty() || self.alone.is_some() || !self.elements.is_empty()
    }

    /// Whether nothing of it stays.
    pub(crate) fn goes(&self) -> bool {
        self.gone.is_some()
    }
}

/// Judges the elements of the marker at `at`.
pub(crate) fn judge(at: Range<u64>, elements: &[Element], ids: &IdSet, text: &Buffer) -> Mark {
    if !ids.known() {
        let (edits, cited, elements) = (Vec::new(), Vec::new(), Vec::new());
        return Mark { at, fate: Fate::Unknown, edits, cited, gone: None, alone: None, elements };
    }
    let mut cited = Vec::new();
    let kept: Vec<Kept> = elements.iter().map(|element| keep(element, ids, text, &mut cited)).collect();
    let fate = if kept.iter().all(|k| *k == Kept::All) {
        Fate::Real
    } else if kept.iter().all(|k| *k == Kept::Nothing) {
        Fate::Fabricated
    } else {
        Fate::Partial
    };
    if fate == Fate::Fabricated {
        for element in elements.iter().take(MAX_MADE_UP) {
            let id = text.slice(element.first.clone());
            note(&mut cited, &id.chars().take(MAX_ID).collect::<String>());
        }
    }
    let edits = if fate == Fate::Partial { take_out(elements, &kept) } else { Vec::new() };
    let gone = (fate == Fate::Fabricated).then_some(Reason::FabricatedMarker);
    Mark { at, fate, edits, cited, gone, alone: None, elements: Vec::new() }
}

/// What is kept of one element.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kept {
    All,
    Nothing,
    /// Of a range: what is left of it, as this replacement.
    Instead(Range<u64>, String),
}

fn keep(element: &Element, ids: &IdSet, text: &Buffer, cited: &mut Vec<String>) -> Kept {
    if !element.is_range() {
        let [name, other] = &element.names;
        // `[doc1]` may name a source whose id is `doc1`.
        for at in [&element.first, &element.at, name, other] {
            if !at.is_empty()
                && let Some(id) = ids.named(text.slice(at.clone()))
            {
                note(cited, id);
                return Kept::All;
            }
        }
        // Digits of another shape: `²`, `２`.
        if !text.slice(element.first.clone()).is_ascii()
            && let [number] = ids.between(element.low, element.high)
        {
            note(cited, &number.to_string());
            return Kept::All;
        }
        return Kept::Nothing;
    }
    let real = ids.between(element.low, element.high);
    for id in real.iter().take(MAX_CITED) {
        note(cited, &id.to_string());
    }
    let (Some(first), Some(last)) = (real.first(), real.last()) else { return Kept::Nothing };
    let complete = real.len() as u64 == (last - first).saturating_add(1);
    if complete && *first == element.low && *last == element.high {
        return Kept::All;
    }
    // What stays is spelled as it was: `[01-09]` becomes `[01-5]`, in digits of the same shape.
    let digit = text.slice(element.first.clone()).chars().next();
    let shaped = |number: String| number.chars().map(|c| digit.map_or(c, |digit| in_shape_of(digit, c))).collect();
    match complete {
        true if *first == element.low && first == last => {
            Kept::Instead(element.first.end..element.last.end, String::new())
        }
        true if *first == element.low => Kept::Instead(element.last.clone(), shaped(last.to_string())),
        true if *last == element.high && first == last => {
            Kept::Instead(element.first.start..element.last.start, String::new())
        }
        true if *last == element.high => Kept::Instead(element.first.clone(), shaped(first.to_string())),
        _ => {
            let dash = text.slice(element.first.end..element.last.start);
            Kept::Instead(element.first.start..element.last.end, shaped(spell(real, dash)))
        }
    }
}

/// Ascending ids as numbers and ranges: `1-3,7`.
fn spell(ids: &[u64], dash: &str) -> String {
    let mut out = String::new();
    let mut rest = ids;
    while let Some(first) = rest.first() {
        let length = rest.iter().zip(*first..).take_while(|(a, b)| **a == *b).count();
        if !out.is_empty() {
            out.push_str(", ");
        }
        let _ = match length {
            1 => write!(out, "{first}"),
            _ => write!(out, "{first}{dash}{}", rest[length - 1]),
        };
        rest = &rest[length..];
    }
    out
}

/// The digit `c` in the shape of another digit.
fn in_shape_of(digit: char, c: char) -> char {
    let Some(value) = c.to_digit(10) else { return c };
    let shaped = match digit {
        '０'..='９' => char::from_u32('０' as u32 + value),
        '0'..='9' => None,
        _ => SUPERSCRIPTS.get(value as usize).copied(),
    };
    shaped.unwrap_or(c)
}

fn note(cited: &mut Vec<String>, id: &str) {
    if cited.len() < MAX_CITED && !cited.iter().any(|known| known == id) {
        cited.push(id.to_owned());
    }
}

/// The edits that leave what is kept, with the separators of what stays.
fn take_out(elements: &[Element], kept: &[Kept]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut cut = |at: Range<u64>, with: String| {
        edits.push(Edit { at, with: Cow::Owned(with), why: Reason::FabricatedIds });
    };
    let mut survivor = None;
    let mut pending: Option<u64> = None;
    for (index, (element, kept)) in elements.iter().zip(kept).enumerate() {
        match kept {
            Kept::Nothing if survivor.is_some() => {
                // With the separator before it.
                pending.get_or_insert(elements[index - 1].at.end);
            }
            Kept::Nothing => {
                pending.get_or_insert(element.at.start);
            }
            Kept::All | Kept::Instead(..) => {
                if let Some(from) = pending.take() {
                    // Before the first survivor everything up to it goes, but for the one tag that they share; after a
                    // survivor, the separator before this stays.
                    let own_tag = element.at.start < element.first.start;
                    match survivor {
                        Some(_) => cut(from..elements[index - 1].at.end, String::new()),
                        None if own_tag => cut(from..element.at.start, String::new()),
                        None => cut(elements[0].first.start..element.at.start, String::new()),
                    }
                }
                if let Kept::Instead(at, text) = kept {
                    cut(at.clone(), text.clone());
                }
                survivor = Some(index);
            }
        }
    }
    if let Some(from) = pending {
        let end = elements.last().map_or(from, |element| element.at.end);
        cut(from..end, String::new());
    }
    edits
}
