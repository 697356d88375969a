//! What stands between two characters: spaces, line breaks, hyphens and dashes.

use super::Folder;
use super::class::{Class, DashKind};
use super::lookalike::Alphabet;

/// What was read since the last folded character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Gap {
    /// Where it starts in the original.
    pub(super) from: usize,
    /// White space before the dash, or without one.
    pub(super) before: bool,
    /// A line break in that.
    pub(super) line_before: bool,
    /// A dash.
    pub(super) dash: Option<DashOf>,
    /// White space after the dash.
    pub(super) after: bool,
    /// A line break in that.
    pub(super) line_after: bool,
}

/// A dash in a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DashOf {
    pub(super) kind: DashKind,
    /// Where it starts in the original.
    pub(super) at: usize,
    /// Whether it is a soft hyphen, which is seen only at the end of a line.
    pub(super) soft: bool,
    /// Whether it may open an item of a list.
    pub(super) bullet: bool,
    /// Whether it is written as two hyphens or more.
    pub(super) doubled: bool,
}

impl Gap {
    fn is_empty(&self) -> bool {
        !self.before && self.dash.is_none()
    }
}

impl Folder {
    /// White space.
    pub(super) fn space(&mut self, at: usize, newline: bool) {
        self.open_gap(at);
        if self.gap.dash.is_some() {
            self.gap.after = true;
            self.gap.line_after |= newline;
        } else {
            self.gap.before = true;
            self.gap.line_before |= newline;
        }
        self.row &= !newline;
    }

    /// A dash.
    pub(super) fn dash(&mut self, at: usize, kind: DashKind, c: char) {
        let soft = c == '\u{ad}';
        self.open_gap(at);
        self.gap.dash = match self.gap.dash {
            None => Some(DashOf { kind, at, soft, bullet: c == '-', doubled: false }),
            // A hyphen at the end of a line and again at the start of the next is one hyphen.
            Some(first) if self.gap.line_after || first.soft || soft => Some(DashOf { soft: false, ..first }),
            Some(first) => Some(DashOf { doubled: true, ..first }),
        };
    }

    fn open_gap(&mut self, at: usize) {
        if self.gap.is_empty() {
            self.gap = Gap { from: at, ..Gap::default() };
        }
    }

    /// Whether the next character is the first of a line.
    pub(super) fn at_line_start(&self) -> bool {
        self.gap.dash.is_none() && (self.gap.line_before || self.prev == Class::Start)
    }

    /// Whether nothing was read since the last folded character.
    pub(super) fn glued(&self) -> bool {
        self.gap.is_empty()
    }

    /// Writes what the gap before a character of class `next`, which stands at `at`, comes to.
    pub(super) fn settle(&mut self, next: Class, at: usize) {
        if self.gap.is_empty() {
            self.between_digits(next, at);
            return;
        }
        self.shift = None;
        self.disguised = false;
        let gap = std::mem::take(&mut self.gap);
        let (space, dash) = match gap.dash {
            Some(dash) => self.resolve_dash(gap, dash, next),
            None => (keeps_space(self.prev, next), None),
        };
        // The end of the space in front: where the dash starts, or all of the gap.
        let middle = gap.dash.map_or(at, |dash| dash.at);
        if space {
            let here = self.out.len();
            if middle - gap.from == 1 {
                self.map.run(here, gap.from);
            } else {
                self.map.whole(here, gap.from..middle);
            }
            self.out.push(' ');
        }
        if let Some(c) = dash {
            let from = if space { middle } else { gap.from };
            let here = self.out.len();
            if at - from == c.len_utf8() {
                self.map.run(here, from);
            } else {
                self.map.whole(here, from..at);
            }
            self.out.push(c);
            self.prev = Class::Dash;
        }
        // Letters that only a hyphen parted are one word, but the `Α` of `Α-synuclein` is itself.
        if space || dash.is_some() || gap.dash.is_none() || self.alphabets == Alphabet::Greek.bit() {
            self.begin_word();
        }
    }

    /// `10²` is not `102`, `1½` is not `11/2`: keeps digits in another guise apart from plain ones.
    fn between_digits(&mut self, next: Class, at: usize) {
        let shift = self.shift.take();
        if self.prev != Class::Digit || next != Class::Digit {
            return;
        }
        let sign = shift.or(self.disguised.then_some(' '));
        if let Some(sign) = sign {
            self.map.whole(self.out.len(), at..at);
            self.out.push(sign);
        }
    }

    /// The space and the dash that a gap with a dash comes to.
    fn resolve_dash(&self, gap: Gap, dash: DashOf, next: Class) -> (bool, Option<char>) {
        use Class::{Currency, Digit, Letter, Quote, Start};
        // `--` is a dash, except where a line ends in a hyphen of its own and one of the typesetter's.
        let kind = if dash.doubled && !(gap.line_after && !gap.before && self.prev == Letter && next == Letter) {
            DashKind::Dash
        } else {
            dash.kind
        };
        if dash.soft && !(gap.line_after && !gap.before && self.prev == Letter && next == Letter) {
            return (gap.before || gap.after && keeps_space(self.prev, next), None);
        }
        let value = matches!(next, Digit | Currency);
        match (self.prev, next) {
            // A bullet, or a dash that opens the text.
            (Start, Letter | Quote) => (false, None),
            (_, Letter | Quote) if gap.line_before && gap.after && dash.bullet && kind == DashKind::Hyphen => {
                (keeps_space(self.prev, next), None)
            }
            // A hyphen between letters, at a line end or not, is no more than the word it joins.
            (Letter, Letter) if kind == DashKind::Hyphen && !gap.before => (false, None),
            // A sign before a number.
            (prev, _) if value && !gap.after && kind == DashKind::Hyphen && (gap.before || !prev.is_word()) => {
                (gap.before && keeps_space(prev, next), Some('-'))
            }
            // A range.
            (Digit, Digit) => (false, Some('-')),
            _ if kind == DashKind::Hyphen && !gap.before && (!gap.after || gap.line_after) => (false, Some('-')),
            _ => (false, Some('—')),
        }
    }
}

/// Whether white space between two characters separates anything.
fn keeps_space(prev: Class, next: Class) -> bool {
    use Class::{Close, Currency, Dash, Digit, Letter, Open, Operator, Percent, Quote, Spaceless, Start, Stop};
    !matches!(
        (prev, next),
        (Start | Quote | Spaceless | Open | Operator | Dash, _)
            | (_, Quote | Spaceless | Close | Stop | Operator)
            | (Digit, Percent | Currency)
            | (Currency, Digit)
            // `bugs.⏎debian.org`, `{gz,⏎bz2}`: where a line ends after a stop, nothing tells whether a space stood there.
            | (Stop, Letter | Open)
    )
}
