//! A claim that is complete, its markers and quotes.

use std::ops::Range;

use super::gather::Words;
use crate::ledger::Place;
use crate::quote;
use crate::scan::block::Kind;

/// A marker of a claim.
#[derive(Debug, Clone)]
pub(crate) struct Cited {
    pub(crate) at: Range<u64>,
    pub(crate) ids: Vec<String>,
    /// Whether it stays in the text.
    pub(crate) real: bool,
}

/// A quote of a claim, with what it is worth.
#[derive(Debug)]
pub(crate) struct Quoted {
    pub(crate) at: Range<u64>,
    pub(crate) places: (Place, Place),
    /// Its words, without the quotation marks and without markers.
    pub(crate) words: String,
    pub(crate) cited: Vec<String>,
    pub(crate) finding: Option<quote::Finding>,
    /// Whether it lost its quotation marks.
    pub(crate) demoted: bool,
}

/// A claim that is complete.
#[derive(Debug)]
pub(crate) struct Claim {
    /// How many were complete before it.
    pub(crate) number: u64,
    pub(crate) kind: Kind,
    pub(crate) places: (Place, Place),
    pub(crate) markers: Vec<Cited>,
    pub(crate) quotes: Vec<Quoted>,
    /// Its words, if they were asked for.
    pub(crate) words: Option<Words>,
}
