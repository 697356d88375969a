//! From folded text back to the original, compactly.
//!
//! Most of a text folds byte for byte (`A` to `a`, `Я` to `я`), so a run of such characters needs one entry. Only
//! where something was dropped, added or changed its length a new entry starts. Lookups are a binary search.

use std::ops::Range;

/// A stretch of folded text and where it came from.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// First byte in the folded text.
    folded: u32,
    /// First byte in the original.
    original: u32,
    /// One past the last byte in the original; `RUN` for a run that maps byte for byte.
    end: u32,
}

const RUN: u32 = u32::MAX;

/// Maps byte positions of a folded text to byte positions of its original.
#[derive(Debug, Clone, Default)]
pub(crate) struct Map {
    pieces: Vec<Piece>,
}

impl Map {
    /// `folded..` came from `original`, byte for byte and on the same character boundaries.
    #[inline]
    pub(super) fn run(&mut self, folded: usize, original: usize) {
        if let Some(last) = self.pieces.last()
            && last.end == RUN
            && original.wrapping_sub(last.original as usize) == folded.wrapping_sub(last.folded as usize)
        {
            return;
        }
        self.pieces.push(Piece { folded: folded as u32, original: original as u32, end: RUN });
    }

    /// The piece that starts at `folded` came from `original` as a whole.
    pub(super) fn whole(&mut self, folded: usize, original: Range<usize>) {
        self.pieces.push(Piece { folded: folded as u32, original: original.start as u32, end: original.end as u32 });
    }

    /// Forgets everything from `folded` on.
    pub(super) fn truncate(&mut self, folded: usize) {
        while self.pieces.last().is_some_and(|last| last.folded as usize >= folded) {
            self.pieces.pop();
        }
    }

    /// Where the folded character at `at` starts in the original. O(log n).
    pub(crate) fn start(&self, at: usize) -> usize {
        let Some(piece) = self.piece(at) else { return 0 };
        if piece.end == RUN { piece.original as usize + (at - piece.folded as usize) } else { piece.original as usize }
    }

    /// Where the folded character that ends at `at` ends in the original. O(log n).
    pub(crate) fn end(&self, at: usize) -> usize {
        let Some(piece) = at.checked_sub(1).and_then(|last| self.piece(last)) else { return 0 };
        if piece.end == RUN { piece.original as usize + (at - piece.folded as usize) } else { piece.end as usize }
    }

    fn piece(&self, at: usize) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.folded as usize <= at);
        self.pieces.get(after.checked_sub(1)?)
    }

    /// Bytes of memory.
    pub(crate) fn size(&self) -> usize {
        self.pieces.len() * size_of::<Piece>()
    }
}
