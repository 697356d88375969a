//! Structured answers: a model's JSON with an answer and the citations that it rests on (rules, section 6).
//!
//! ```json
//! {"status": "extracted", "answer": "Four per cent.", "citations": [{"ref": 1, "quote": "interest at four per cent"}]}
//! ```
//!
//! There are two outcomes. `extracted` has an answer and at least one citation, `not_found` has neither. [`check`] drops
//! the citations that fail; an answer that has none left, or in which words stand that failed as a quote, becomes
//! `not_found`. A record of such answers, an object or an array at any depth, is checked field by field.
//!
//! The corrected JSON is the given one with edits, like everything else here: fields that are not ours, their order,
//! numbers and spaces are the same bytes as before.
//!
//! - `json.rs`: where the answers are.
//! - `position.rs`: citations that name a place instead of words.
//! - `contract.rs`: what an answer becomes.

mod contract;
mod error;
mod json;
mod position;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Sources, StatusReason, Verdict};

pub use error::AnswerError;
pub use position::PositionProblem;

/// Objects and arrays may be nested this deep.
pub const MAX_DEPTH: usize = 64;

/// What an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The sources have it.
    Extracted,
    /// They do not.
    NotFound,
}

/// A structured answer that was checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Checked {
    /// The JSON text as it may be passed on.
    pub json: String,
    /// What became of it as a whole. `answered`: every answer that was given stays; `downgraded`: some became
    /// `not_found`; `not_found`: none is left; `unchecked`: no sources are known.
    ///
    /// Its `quotes` are those of the citations, in order, and those that stand in the texts of the answers. `before` and
    /// `after` say where the words stand in the text of their own answer, and are zero where they do not. `markers`
    /// counts the citations' references.
    pub verdict: Verdict,
    /// Each answer, in the order of the JSON text.
    pub answers: Vec<AnswerFinding>,
}

/// What became of one answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerFinding {
    /// Where it stands in the JSON, as `cells.rent` or `[2]`; empty for the root.
    pub path: String,
    /// What the model said it is.
    pub given: Outcome,
    /// What it is.
    pub status: Outcome,
    /// Why it is `not_found` where the model said `extracted`.
    pub reasons: Vec<StatusReason>,
    /// Its citations, in order, dropped ones too.
    pub citations: Vec<CitationFinding>,
    /// Positions in [`Verdict::quotes`] of the quotes that stand in the text of the answer itself.
    pub quotes: Vec<usize>,
}

/// What became of one citation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CitationFinding {
    /// Position in [`Verdict::quotes`] of its words.
    pub quote: usize,
    /// Whether it is in the corrected JSON.
    pub kept: bool,
    /// What is wrong with its position, if it names one.
    pub position: Option<PositionProblem>,
}

/// Checks a structured answer, or a record of them.
///
/// A citation is `{ref, quote}`, `{ref, start, end, unit}` or both; `ref` is a string or a whole number, `unit` is
/// `bytes`, `chars` or `utf16`. A citation by position quotes the words that stand there in the source's text; with both,
/// the quote must stand at the position. Kept are citations that are verified, and those that cannot be judged but may
/// well be right: the source has no text, or it has the words and they are too few to mean anything.
///
/// An answer stays if a citation is verified or, where none of them could be judged, if one was kept; and if none of the
/// words that failed stand in its text, in quotation marks or not.
///
/// When no sources are known everything stays as it is.
///
/// # Errors
/// [`AnswerError`] when the text is no JSON, holds no answer, or an answer in it is not what it should be.
///
/// Cost: linear in the JSON; each citation costs what [`crate::quote::check`] does.
pub fn check(json: &str, sources: &Arc<Sources>) -> Result<Checked, AnswerError> {
    let given = json::answers(json)?;
    Ok(contract::apply(json, &given, sources))
}
