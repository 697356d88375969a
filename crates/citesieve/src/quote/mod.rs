//! Quotes: are these words in that source?
//!
//! [`check`] answers for one quote and the sources it cites; [`Cursor`] answers while the quote is still being written.
//! Both fold quote and sources with the same normaliser and ask for a contiguous match of whole words, or for one that an
//! editor's elisions and brackets explain (rules, section 5).

mod check;
mod cursor;
mod edge;
mod elision;
mod find;
mod gap;
mod language;
mod nearest;
mod negation;
mod pieces;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use check::{check, check_as, places};
pub use cursor::{Cursor, State};
pub use nearest::{Change, Nearest, Similarity, similarity};

/// Where an elision may stand for words of the source (rules, section 5): it must not hide a negation, and those are known
/// in some languages only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Elisions {
    /// In passages of a language whose negations are known; in others a quote with an elision is [`Class::Altered`].
    #[default]
    KnownLanguages,
    /// In any passage. In one of another language the negations of all that are known count.
    AnyLanguage,
}

/// A text as the matcher sees it: quotes and sources are compared in this form. Linear.
pub fn folded(text: &str) -> String {
    crate::source::fold::fold_quote(text).text
}

/// What became of a quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A cited source has the words; where nothing is cited, any source.
    Verified,
    /// No source has the words, but one has nearly these.
    Altered,
    /// The cited source does not have the words, another does.
    Misattributed,
    /// No source has the words.
    NotFound,
    /// Too few words to mean anything: neither support nor failure.
    TooShort,
    /// No source that could be checked has a text.
    Unchecked,
}

/// A place where a source has the words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Match {
    /// Position in [`crate::Sources::list`].
    pub source: usize,
    /// Its id.
    pub id: String,
    /// Bytes of the source's text.
    pub span: Range<usize>,
    /// The source's own words there.
    pub words: String,
    /// What an editor did between them: elisions and brackets, in order. Empty for a plain match.
    pub notes: Vec<Note>,
}

/// An editor's mark in a quote that matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "note")]
pub enum Note {
    /// Words were left out.
    Elision {
        /// How many.
        words: usize,
    },
    /// Something stands in brackets.
    Bracket {
        /// What it does.
        kind: Bracket,
        /// What it says, folded.
        text: String,
    },
}

/// What brackets in a quote do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Bracket {
    /// Speak about the quote: `[sic]`, `[emphasis added]`.
    Note,
    /// Hold letters of the source: `[t]he`.
    Letters,
    /// Complete a word of the source: `pass[ing]`.
    Completed,
    /// Explain: inserted between the source's words.
    Gloss,
    /// Stand for words of the source.
    Replaced,
}

/// Why a quote got its class, where the class alone does not say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "QuoteReason"))]
#[serde(rename_all = "snake_case", tag = "reason")]
#[non_exhaustive]
pub enum Reason {
    /// There are no words in it.
    Empty,
    /// An elision hides a negation or a condition.
    HiddenNegation {
        /// The word, folded.
        word: String,
    },
    /// It has an elision, in a language whose negations are not known.
    UnknownLanguage,
    /// It cites ids that no source has.
    UnknownSource,
    /// It is longer than a quote may be.
    TooLong,
}

/// What was found out about a quote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// Its class.
    pub class: Class,
    /// Where the words are: for `Verified` in cited sources, for `Misattributed` elsewhere. One per source.
    pub matches: Vec<Match>,
    /// How much of the quote a source has, 0 to 1: 1 for a match, else of the nearest passage.
    pub similarity: f64,
    /// The nearest passage, when there is no match.
    pub nearest: Option<Nearest>,
    /// Why, where the class does not say.
    pub reason: Option<Reason>,
}
