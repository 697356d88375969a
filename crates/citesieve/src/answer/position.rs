//! Citations by position: from a place in a source to the words that stand there.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// What the offsets of a position count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Bytes,
    Chars,
    Utf16,
}

/// An offset as the model wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    Offset(u64),
    /// Below zero, or larger than any text.
    Nowhere,
}

/// `start` and `end` of a citation, the end not included.
#[derive(Debug, Clone, Copy)]
pub(super) struct Position {
    pub(super) start: At,
    pub(super) end: At,
    pub(super) unit: Unit,
}

/// What is wrong with a citation's position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PositionProblem {
    /// It ends before it starts, or outside the text.
    OutOfBounds,
    /// It cuts a character in two.
    OffCharacterBorder,
    /// Other words stand there than the citation quotes.
    OtherWords,
}

impl Position {
    /// The bytes of the text that it means. Linear in the text.
    pub(super) fn resolve(&self, text: &str) -> Result<Range<usize>, PositionProblem> {
        let start = self.byte(self.start, text)?;
        let end = self.byte(self.end, text)?;
        if start > end { Err(PositionProblem::OutOfBounds) } else { Ok(start..end) }
    }

    fn byte(&self, at: At, text: &str) -> Result<usize, PositionProblem> {
        let At::Offset(at) = at else { return Err(PositionProblem::OutOfBounds) };
        let width = |c: char| match self.unit {
            Unit::Bytes => c.len_utf8(),
            Unit::Chars => 1,
            Unit::Utf16 => c.len_utf16(),
        };
        if self.unit == Unit::Bytes {
            let at = usize::try_from(at).ok().filter(|&at| at <= text.len()).ok_or(PositionProblem::OutOfBounds)?;
            return if text.is_char_boundary(at) { Ok(at) } else { Err(PositionProblem::OffCharacterBorder) };
        }
        let mut seen = 0;
        for (byte, c) in text.char_indices() {
            if seen == at {
                return Ok(byte);
            }
            seen += width(c) as u64;
            if seen > at {
                return Err(PositionProblem::OffCharacterBorder);
            }
        }
        if seen == at { Ok(text.len()) } else { Err(PositionProblem::OutOfBounds) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_counts_its_own() {
        // 😀 is four bytes, one character, two code units; é is two, one, one.
        let text = "é😀ab";
        let resolve = |start, end, unit| {
            let position = Position { start: At::Offset(start), end: At::Offset(end), unit };
            position.resolve(text).map(|range| &text[range])
        };
        assert_eq!(resolve(2, 7, Unit::Bytes), Ok("😀a"));
        assert_eq!(resolve(1, 3, Unit::Chars), Ok("😀a"));
        assert_eq!(resolve(1, 4, Unit::Utf16), Ok("😀a"));
        assert_eq!(resolve(0, 8, Unit::Bytes), Ok(text));
        assert_eq!(resolve(0, 4, Unit::Chars), Ok(text));
        assert_eq!(resolve(0, 5, Unit::Utf16), Ok(text));
        assert_eq!(resolve(1, 2, Unit::Bytes), Err(PositionProblem::OffCharacterBorder));
        assert_eq!(resolve(0, 2, Unit::Utf16), Err(PositionProblem::OffCharacterBorder));
        for (unit, past) in [(Unit::Bytes, 9), (Unit::Chars, 5), (Unit::Utf16, 6)] {
            assert_eq!(resolve(0, past, unit), Err(PositionProblem::OutOfBounds));
            assert!(resolve(3, 2, unit).is_err());
            assert_eq!(resolve(u64::MAX, u64::MAX, unit), Err(PositionProblem::OutOfBounds));
        }
        let below = Position { start: At::Nowhere, end: At::Offset(2), unit: Unit::Chars };
        assert_eq!(below.resolve(text), Err(PositionProblem::OutOfBounds));
    }
}
