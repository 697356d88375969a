//! The verdict: what is reported about an answer, as serde types.

use serde::{Deserialize, Serialize};

use crate::Reason;
use crate::judgement::Judgement;
use crate::quote::{Class, Match, Nearest};

/// What is reported when an answer is complete. Every field is present in the JSON even when empty.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// The version of this format: [`Verdict::VERSION`].
    pub version: u32,
    /// What became of the answer.
    pub status: Status,
    /// Why it is not `answered`; empty if it is.
    pub reasons: Vec<StatusReason>,
    /// What to do with it.
    pub advice: Advice,
    /// Citation markers, counted.
    pub markers: MarkerCounts,
    /// Every edit that was made.
    pub edits: Vec<EditRecord>,
    /// How many edits were made; more than `edits` holds when there were too many to list.
    pub edit_count: u64,
    /// Block quotations, counted by class.
    pub block_counts: BlockCounts,
    /// Each block quotation.
    pub blocks: Vec<BlockFinding>,
    /// Quotes in the running text, counted by class.
    pub quote_counts: QuoteCounts,
    /// Each quote that is not too short to mean anything.
    pub quotes: Vec<QuoteFinding>,
    /// Each sentence, list item, table cell or heading that has a marker or a quote.
    pub claims: Vec<ClaimFinding>,
    /// How much of what could be checked was verified.
    pub score: Score,
    /// With renumbered markers: the number of each source that was cited, in order of first appearance.
    pub numbering: Vec<Numbering>,
    /// The most that was held back at any time.
    pub hold: Hold,
    /// What was not checked, and why.
    pub unchecked: Vec<Unchecked>,
}

impl Verdict {
    /// The version of the format that this crate writes.
    pub const VERSION: u32 = 1;
}

/// The number that a source got in the order of first appearance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Numbering {
    /// The number that is shown.
    pub number: u64,
    /// The id of the source.
    pub id: String,
}

/// What became of the answer (rules, section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// At least one citation survived and nothing failed stands in the text.
    Answered,
    /// The answer was shown but that does not hold.
    Downgraded,
    /// The model said it found nothing, or the sieve put that in the answer's place.
    NotFound,
    /// Nothing could be checked.
    #[default]
    Unchecked,
}

/// Why an answer is not `answered`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StatusReason {
    /// No marker names a source, or no quote was verified.
    NoSurvivingCitation,
    /// Words that no source has stand in the text as a quote.
    FailedQuoteInText,
    /// A model judges that a claim is not what the sources it cites say, and the policy counts that.
    UnsupportedClaim,
}

/// What the caller should do with the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// Show it as it is now.
    #[default]
    Show,
    /// Ask the model again: every marker it wrote was fabricated.
    Regenerate,
}

/// Citation markers, counted.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MarkerCounts {
    /// Markers judged: `real + fabricated`.
    pub total: u64,
    /// Markers that name at least one source.
    pub real: u64,
    /// Of the real ones, those that lost some of their ids.
    pub partial: u64,
    /// Markers that name no source at all.
    pub fabricated: u64,
    /// `fabricated / total`, 0 when there are none.
    pub ratio: f64,
    /// What looks like a marker but was left alone because it may be something else (a year, a subscript, a label).
    pub ambiguous: u64,
}

/// A range in three units, each as `[start, end)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// Where it starts.
    pub start: Units,
    /// Where it ends.
    pub end: Units,
}

/// A position in a text, in three units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Units {
    /// UTF-8 bytes.
    pub bytes: u64,
    /// Unicode scalar values.
    pub chars: u64,
    /// UTF-16 code units.
    pub utf16: u64,
}

/// One edit as it is reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditRecord {
    /// Where it stands in the answer as the model wrote it.
    pub before: Span,
    /// Where it stands in the answer as it was shown.
    pub after: Span,
    /// What the model wrote there (the first 200 characters).
    pub text: String,
    /// What was put there.
    pub with: String,
    /// Why.
    pub why: Reason,
}

/// Block quotations, counted by class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlockCounts {
    /// A source has the words.
    pub verified: u64,
    /// A source has the words, but not the one that the block cites.
    pub misattributed: u64,
    /// No source has them: the block was demoted to prose.
    pub not_found: u64,
    /// Too few words to mean anything.
    pub too_short: u64,
    /// Nothing to check them against.
    pub unchecked: u64,
    /// Callouts and code: not quotations.
    pub context: u64,
}

/// What became of one block quotation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlockFinding {
    /// Its class.
    pub class: BlockClass,
    /// The whole block in the answer as the model wrote it.
    pub before: Span,
    /// The same in the answer as it was shown.
    pub after: Span,
    /// The ids of the sources that have the words.
    pub sources: Vec<String>,
    /// The ids that the block cites.
    pub cited: Vec<String>,
    /// Where its words are, paragraph by paragraph, one place in each source that has them.
    pub matches: Vec<Match>,
}

/// The class of a block quotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BlockClass {
    /// A source has the words.
    Verified,
    /// A source has the words, but not the one that the block cites.
    Misattributed,
    /// No source has them.
    NotFound,
    /// Too few words to mean anything.
    TooShort,
    /// Nothing to check them against.
    Unchecked,
    /// A callout or code: not a quotation.
    Context,
}

/// The largest hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hold {
    /// The most bytes that were held undecided at the end of a character.
    pub largest: u64,
    /// What they were held for: `space`, `marker`, `run`, `code`, `math`, `link`, `html`, `block_quote`; empty if
    /// nothing was ever held.
    pub why: String,
    /// How often the bound was met and text left as it came.
    pub overflows: u64,
}

/// Something that was not checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unchecked {
    /// What: `markers`, `blocks`, `quotes`, `frame`, `lane` …
    pub what: String,
    /// Why, in words.
    pub why: String,
    /// How many of them.
    pub count: u64,
}

/// Quotes in the running text, counted by class (rules, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuoteCounts {
    /// A cited source has the words (any source, where none is cited).
    pub verified: u64,
    /// Nearly the words of a source.
    pub altered: u64,
    /// Another source than the cited one has the words.
    pub misattributed: u64,
    /// No source has the words.
    pub not_found: u64,
    /// Too few words to mean anything, or a title.
    pub too_short: u64,
    /// The cited source has no text.
    pub unchecked: u64,
}

impl QuoteCounts {
    /// Counts a quote of this class.
    pub(crate) fn add(&mut self, class: Class) {
        *match class {
            Class::Verified => &mut self.verified,
            Class::Altered => &mut self.altered,
            Class::Misattributed => &mut self.misattributed,
            Class::NotFound => &mut self.not_found,
            Class::TooShort => &mut self.too_short,
            Class::Unchecked => &mut self.unchecked,
        } += 1;
    }
}

/// What became of one quote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuoteFinding {
    /// Its class.
    pub class: Class,
    /// The quote, its marks included, in the answer as the model wrote it.
    pub before: Span,
    /// The same in the answer as it was shown.
    pub after: Span,
    /// Its words (the first 1,000 characters).
    pub text: String,
    /// The ids that its marker names, real or not; empty if it has no marker.
    pub cited: Vec<String>,
    /// Where the words are, if a source has them.
    pub matches: Vec<Match>,
    /// How much of the quote a source has, 0 to 1.
    pub similarity: f64,
    /// The nearest passage, if no source has the words.
    pub nearest: Option<Nearest>,
    /// Why, where the class does not say.
    pub reason: Option<crate::quote::Reason>,
    /// Whether it lost its quotation marks, so that it no longer stands in the text as a quote.
    pub demoted: bool,
}

/// What became of one claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClaimFinding {
    /// What it is.
    pub kind: ClaimKind,
    /// Where it stands in the answer as the model wrote it.
    pub before: Span,
    /// The same in the answer as it was shown.
    pub after: Span,
    /// What supports it.
    pub support: Support,
    /// The ids of the sources that it cites.
    pub cited: Vec<String>,
    /// Positions in [`Verdict::quotes`] of its quotes.
    pub quotes: Vec<usize>,
    /// What a model says about it (rules, section 7), if one was to be asked; see [`Verdict::judge`].
    #[serde(default)]
    pub judgement: Option<Judgement>,
}

impl ClaimFinding {
    /// Whether it is not in the text any more: it failed, and the policy leaves such claims out.
    pub fn is_left_out(&self) -> bool {
        let fails = self.support == Support::Failed
            || self.judgement.as_ref().is_some_and(|judgement| judgement.ruling.is_failure());
        let is_empty = |span: &Span| span.start.bytes == span.end.bytes;
        fails && is_empty(&self.after) && !is_empty(&self.before)
    }
}

/// What a claim is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// A sentence of a paragraph.
    #[default]
    Sentence,
    /// A heading.
    Heading,
    /// A sentence of a list item.
    ListItem,
    /// A cell of a table.
    TableCell,
    /// A block quotation.
    BlockQuote,
}

/// What supports a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// It has a verified quote.
    Quoted,
    /// It cites a source, and a model judges that the source supports all of it or a part.
    Judged,
    /// It cites a source, and quotes nothing that could be checked.
    Cited,
    /// A model was to judge it and has not answered in time: this is no support.
    Unjudged,
    /// A model judges that the sources it cites do not support it, or contradict it.
    Unsupported,
    /// It cites nothing that exists and quotes nothing that was verified.
    None,
    /// A quote of it failed.
    Failed,
}

/// How much of what could be checked was verified.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Score {
    /// Quotes and block quotations that were verified.
    pub verified: u64,
    /// Those that could be checked: verified, altered, misattributed or not found.
    pub checkable: u64,
    /// `verified / checkable`; null if nothing could be checked.
    pub value: Option<f64>,
}
