//! What the scanner hands over to the claims.

use std::ops::Range;

use crate::marker::judge::{Fate, Mark};
use crate::scan::block::Kind;

/// Something in the text that is no ordinary character.
#[derive(Debug, Clone)]
pub(crate) enum Token {
    /// A citation marker.
    Marker { at: Range<u64>, ids: Vec<String>, real: bool },
    /// Code, math, a tag, a link destination: part of the sentence, but nothing in it is read.
    Opaque { at: Range<u64> },
    /// The start of a line: indentation, `>`, a list bullet, the hashes of a heading.
    Structure { at: Range<u64> },
    /// A block ends here; what follows is of this kind.
    Border { at: u64, kind: Kind },
    /// A block quotation that keeps its marks opens or ends here.
    Block { at: u64, opens: bool },
}

impl Token {
    /// The token of a marker that was judged.
    pub(crate) fn marker(mark: &Mark) -> Self {
        Token::Marker { at: mark.at.clone(), ids: mark.cited.clone(), real: mark.fate != Fate::Fabricated }
    }

    pub(crate) fn at(&self) -> Range<u64> {
        match self {
            Token::Marker { at, .. } | Token::Opaque { at } | Token::Structure { at } => at.clone(),
            Token::Border { at, .. } | Token::Block { at, .. } => *at..*at,
        }
    }

    /// Order among the tokens: by position, borders first.
    pub(crate) fn order(&self) -> (u64, u8) {
        let rank = match self {
            Token::Block { opens: false, .. } => 0,
            Token::Border { .. } => 1,
            Token::Block { .. } => 2,
            _ => 3,
        };
        (self.at().start, rank)
    }
}
