//! `2`, `2, 7`, `1-3; 9`: the list of ids that a marker holds, numbers and ranges of them or words.

use std::ops::Range;

use super::Step;
use crate::scan::is_space;

/// One number, range or word of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element {
    /// Where it stands, its tag included.
    pub(crate) at: Range<u64>,
    /// Where its first number, or the word, stands.
    pub(crate) first: Range<u64>,
    /// Where its last number stands; the same as `first` unless it is a range.
    pub(crate) last: Range<u64>,
    /// Value of the first number; numbers too large for 64 bits, and words, count as the largest.
    pub(crate) low: u64,
    /// Value of the last number.
    pub(crate) high: u64,
    /// What else may be the id: `4:0` and `a.pdf` of `【4:0†a.pdf】`. Empty: nothing.
    pub(crate) names: [Range<u64>; 2],
}

impl Element {
    pub(crate) fn is_range(&self) -> bool {
        self.first != self.last
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// An element must follow.
    #[default]
    Before,
    /// In the first number.
    First,
    /// After the first number and a space.
    AfterFirst,
    /// After the dash of a range.
    Dash,
    /// In the second number.
    Last,
    /// After the second number and a space.
    AfterLast,
}

/// A list being read.
#[derive(Debug, Default)]
pub(crate) struct List {
    /// What was read so far; the last one may be incomplete.
    pub(crate) elements: Vec<Element>,
    state: State,
    /// Where the tag of the next element starts.
    tag: Option<u64>,
}

impl List {
    pub(crate) fn clear(&mut self) {
        self.elements.clear();
        self.state = State::Before;
        self.tag = None;
    }

    /// The next element has a tag that starts at this position.
    pub(crate) fn tag_at(&mut self, at: u64) {
        self.tag = Some(at);
    }

    /// Whether an element must follow.
    pub(crate) fn wants_element(&self) -> bool {
        self.state == State::Before
    }

    /// Whether the first number of an element was read last.
    pub(crate) fn in_number(&self) -> bool {
        self.state == State::First
    }

    /// Whether the list may end here. A reversed range is nonsense, which is never touched.
    pub(crate) fn is_complete(&self) -> bool {
        !matches!(self.state, State::Before | State::Dash)
            && self.elements.iter().all(|element| element.low <= element.high)
    }

    /// Starts a word at `at`.
    pub(crate) fn start_word(&mut self, at: u64) {
        let word = at..at;
        self.elements.push(Element {
            at: self.tag.take().unwrap_or(at)..at,
            first: word.clone(),
            last: word,
            low: u64::MAX,
            high: u64::MAX,
            names: [0..0, 0..0],
        });
        self.state = State::First;
    }

    /// The word that was started last goes on to `end`.
    pub(crate) fn grow_word(&mut self, end: u64) {
        self.with_last(|element| {
            element.first.end = end;
            element.last.end = end;
            element.at.end = end;
        });
    }

    /// After a separator of words: another element must follow.
    pub(crate) fn separate(&mut self) {
        self.state = State::Before;
    }

    /// Reads the next character of the list; `Dead` for one that can't stand in it.
    pub(crate) fn step(&mut self, c: char, at: u64) -> Step {
        self.step_as(c, c.len_utf8() as u64, at)
    }

    /// Reads a character of `width` bytes that means `c`: a digit of another shape.
    pub(crate) fn step_as(&mut self, c: char, width: u64, at: u64) -> Step {
        let end = at + width;
        let digit = c.to_digit(10).filter(|_| c.is_ascii_digit());
        let dash = matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}');
        let separator = matches!(c, ',' | ';' | '，' | '；' | '、');
        let space = is_space(c);
        self.state = match (self.state, digit) {
            (State::Before, Some(value)) => {
                let start = self.tag.take().unwrap_or(at);
                let number = at..end;
                let value = u64::from(value);
                self.elements.push(Element {
                    at: start..end,
                    first: number.clone(),
                    last: number,
                    low: value,
                    high: value,
                    names: [0..0, 0..0],
                });
                State::First
            }
            (State::Dash, Some(value)) => {
                self.with_last(|element| {
                    element.last = at..end;
                    element.high = u64::from(value);
                    element.at.end = end;
                });
                State::Last
            }
            (State::First, Some(value)) => {
                self.with_last(|element| {
                    element.first.end = end;
                    element.last.end = end;
                    element.at.end = end;
                    element.low = element.low.saturating_mul(10).saturating_add(u64::from(value));
                    element.high = element.low;
                });
                State::First
            }
            (State::Last, Some(value)) => {
                self.with_last(|element| {
                    element.last.end = end;
                    element.at.end = end;
                    element.high = element.high.saturating_mul(10).saturating_add(u64::from(value));
                });
                State::Last
            }
            (State::Before | State::Dash, None) if space => self.state,
            (State::First | State::AfterFirst, None) if dash => State::Dash,
            (State::First | State::AfterFirst, None) if space => State::AfterFirst,
            (State::Last | State::AfterLast, None) if space => State::AfterLast,
            (State::First | State::AfterFirst | State::Last | State::AfterLast, None) if separator => State::Before,
            _ => return Step::Dead,
        };
        Step::Open
    }

    /// Changes the element read last.
    pub(crate) fn with_last(&mut self, change: impl FnOnce(&mut Element)) {
        if let Some(element) = self.elements.last_mut() {
            change(element);
        }
    }
}
