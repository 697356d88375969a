//! What a lane has said so far, for what comes later and repeats it or points into it.

use citesieve::Edit;

use crate::dialect::{Offset, Unit};

/// Bytes of text from one count of characters to the next.
const STEP: usize = 1024;
/// The most text that is kept; a longer lane can no longer be repeated or pointed into.
const MAX_TEXT: usize = 16 << 20;

/// The text of a lane and how its edits move what stands behind them.
#[derive(Debug, Default)]
pub(crate) struct History {
    text: String,
    /// Characters before each multiple of [`STEP`] bytes; a character on the border counts where it starts.
    chars: Vec<u64>,
    chars_total: u64,
    moves: Vec<Move>,
    lost: bool,
}

/// An edit, and by how much everything behind it has moved, this edit included.
#[derive(Debug, Clone, Copy)]
struct Move {
    start: u64,
    end: u64,
    bytes: i64,
    chars: i64,
}

impl History {
    pub(crate) fn push(&mut self, delta: &str) {
        if self.lost || self.text.len() + delta.len() > MAX_TEXT {
            self.lose();
            return;
        }
        let from = self.text.len();
        self.text.push_str(delta);
        // Few deltas cross a border; those that do are counted piece by piece.
        let mut counted = from;
        loop {
            let border = self.chars.len() * STEP;
            if border > self.text.len() {
                break;
            }
            let here = chars(&self.text.as_bytes()[counted..border]);
            self.chars_total += here;
            self.chars.push(self.chars_total);
            counted = border;
        }
        self.chars_total += chars(&self.text.as_bytes()[counted..]);
    }

    /// Gives up: the lane is too long, or has too many edits.
    pub(crate) fn lose(&mut self) {
        *self = History { lost: true, ..History::default() };
    }

    pub(crate) fn lost(&self) -> bool {
        self.lost
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Characters of the text.
    pub(crate) fn chars(&self) -> u64 {
        self.chars_total
    }

    pub(crate) fn edit(&mut self, edit: &Edit) {
        if self.lost {
            return;
        }
        let (bytes, moved_chars) = self.moves.last().map_or((0, 0), |last| (last.bytes, last.chars));
        let removed = &self.text.as_bytes()[edit.at.start as usize..edit.at.end as usize];
        self.moves.push(Move {
            start: edit.at.start,
            end: edit.at.end,
            bytes: bytes + edit.with.len() as i64 - removed.len() as i64,
            chars: moved_chars + chars(edit.with.as_bytes()) as i64 - chars(removed) as i64,
        });
    }

    /// Position in bytes of an offset; `None` if it lies beyond the text.
    pub(crate) fn to_bytes(&self, at: u64, unit: Unit) -> Option<u64> {
        match unit {
            Unit::Bytes => (at <= self.text.len() as u64).then_some(at),
            Unit::Chars => {
                if at > self.chars_total {
                    return None;
                }
                // The last border with no more characters before it.
                let border = self.chars.partition_point(|&before| before <= at).saturating_sub(1);
                let mut left = at - self.chars.get(border).copied().unwrap_or(0);
                let mut byte = border * STEP;
                let bytes = self.text.as_bytes();
                // The characters before a border include one that lies across it.
                while byte < bytes.len() && !self.text.is_char_boundary(byte) {
                    byte += 1;
                }
                while left > 0 && byte < bytes.len() {
                    byte += 1;
                    while !self.text.is_char_boundary(byte) {
                        byte += 1;
                    }
                    left -= 1;
                }
                Some(byte as u64)
            }
        }
    }

    /// Where an offset stands after the edits known by now; inside a removed stretch: at its start.
    pub(crate) fn moved(&self, offset: Offset) -> u64 {
        let base = self.moved_from_start(offset.block, offset.unit);
        match (offset.at + offset.block).checked_sub(offset.base) {
            Some(at) => self.moved_from_start(at, offset.unit).saturating_sub(base).saturating_add(offset.base),
            None => offset.at,
        }
    }

    fn moved_from_start(&self, at: u64, unit: Unit) -> u64 {
        let shift = |by: i64, at: u64| at.saturating_add_signed(by);
        let Some(byte) = self.to_bytes(at, unit) else {
            return self.moves.last().map_or(at, |last| match unit {
                Unit::Bytes => shift(last.bytes, at),
                Unit::Chars => shift(last.chars, at),
            });
        };
        let behind = self.moves.partition_point(|edit| edit.end <= byte);
        let before = behind.checked_sub(1).map(|index| self.moves[index]);
        let by = before.map_or(0, |edit| if unit == Unit::Bytes { edit.bytes } else { edit.chars });
        let inside = self.moves.get(behind).filter(|edit| edit.start < byte);
        let at = match (inside, unit) {
            (None, _) => at,
            (Some(edit), Unit::Bytes) => edit.start,
            (Some(edit), Unit::Chars) => at - chars(&self.text.as_bytes()[edit.start as usize..byte as usize]),
        };
        shift(by, at)
    }
}

/// Characters that start in a piece of UTF-8.
fn chars(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u64
}

#[cfg(test)]
mod tests {
    use citesieve::Reason;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn offsets_are_those_of_a_walk(pieces in prop::collection::vec("[a-zé漢🙂]{0,700}", 0..8), at in 0u64..3000) {
            let mut history = History::default();
            pieces.iter().for_each(|piece| history.push(piece));
            let text = pieces.concat();
            let expected = text.char_indices().map(|(byte, _)| byte).chain([text.len()]).nth(at as usize);
            prop_assert_eq!(history.to_bytes(at, Unit::Chars), expected.map(|byte| byte as u64));
        }
    }

    #[test]
    fn offsets_move_with_the_edits() {
        let mut history = History::default();
        history.push("é [9] und [8] da");
        for at in [2..6, 10..14] {
            let edit = Edit { at, with: "".into(), why: Reason::FabricatedMarker };
            history.edit(&edit);
        }
        let moved = |at| history.moved(Offset { at, unit: Unit::Chars, base: 0, block: 0 });
        assert_eq!([0, 1, 2, 4, 5, 6, 9, 11, 13, 15, 16].map(moved), [0, 1, 1, 1, 1, 2, 5, 5, 5, 7, 8]);
        assert_eq!(
            [0, 2, 3, 6, 7].map(|at| history.moved(Offset { at, unit: Unit::Bytes, base: 0, block: 0 })),
            [0, 2, 2, 2, 3]
        );
        assert_eq!(moved(100), 92);
        assert_eq!(history.moved(Offset { at: 25, unit: Unit::Chars, base: 10, block: 0 }), 17);
    }
}
