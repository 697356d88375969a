//! What the caller may choose.

use serde::{Deserialize, Serialize};

use crate::quote::Elisions;

/// The choices of one run. Every field has a default; unknown keys are refused when a policy is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Policy {
    /// The most that may be held back undecided, in characters; past it the text leaves as it came and the verdict
    /// says so.
    pub max_hold: usize,
    /// The ways to write a citation marker that are read (rules, section 3); all others are ordinary text. The order
    /// means nothing. None: no marker is ever read. Default: [`MarkerSyntax::Number`], [`MarkerSyntax::Double`] and
    /// [`MarkerSyntax::Tagged`].
    pub syntaxes: Vec<MarkerSyntax>,
    /// When text leaves (rules, section 6).
    pub release: Release,
    /// The most that [`Release::Answer`] may hold, in bytes; a longer answer leaves unchecked, and the verdict says so.
    pub max_answer: usize,
    /// What becomes of a quote in the running text that no source has.
    pub inline_quotes: InlineQuotes,
    /// What becomes of a claim that fails, with [`Release::Claim`]: one with a failed quote, or with fabricated markers
    /// and no other.
    pub failed_claims: FailedClaims,
    /// What [`FailedClaims::Mark`] puts after the claim.
    pub claim_mark: String,
    /// What becomes of the marker after a quote that no source has.
    pub failed_citations: FailedCitations,
    /// What becomes of the marker after a quote that another source has.
    pub misattributed: Misattributed,
    /// What a claim that a model judges unsupported does to the status (rules, section 7). Without a judge: nothing.
    pub unsupported_claims: UnsupportedClaims,
    /// What a quote with an elision is worth where the language of the passage is not known.
    pub elisions: Elisions,
    /// How the markers that stay are shown.
    pub markers: Rendering,
    /// What stands in the place of an answer that fails, with [`Release::Answer`]; also what a model says when it found
    /// nothing: an answer that is just this has the status `not_found`.
    pub not_found_message: String,
    /// What is appended to a downgraded answer. `None`: nothing. `"gfm"`: the built-in warning callout. Else a template,
    /// in which `{reasons}`, `{verified}`, `{checkable}`, `{fabricated}` and `{markers}` are filled in.
    pub notice: Option<String>,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            max_hold: 16_384,
            syntaxes: vec![MarkerSyntax::Number, MarkerSyntax::Double, MarkerSyntax::Tagged],
            release: Release::Eager,
            max_answer: 1 << 20,
            inline_quotes: InlineQuotes::Report,
            failed_claims: FailedClaims::Keep,
            claim_mark: " [unverified]".to_owned(),
            failed_citations: FailedCitations::Keep,
            misattributed: Misattributed::Report,
            unsupported_claims: UnsupportedClaims::Report,
            elisions: Elisions::KnownLanguages,
            markers: Rendering::Keep,
            not_found_message: "I could not find this in the sources.".to_owned(),
            notice: None,
        }
    }
}

impl Policy {
    /// Whether what the claims find out changes the text, or when it leaves.
    pub(crate) fn acts_on_claims(&self) -> bool {
        self.release == Release::Claim
            || self.inline_quotes == InlineQuotes::Demote
            || self.failed_citations == FailedCitations::Drop
            || self.misattributed != Misattributed::Report
    }
}

/// When text leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// As soon as it can't be edited any more; the verdict comes at the end.
    #[default]
    Eager,
    /// A sentence leaves when it is complete and its quotes are decided.
    Claim,
    /// Everything leaves at the end; an answer that fails is replaced by the not-found message.
    Answer,
}

/// What becomes of a quote in the running text that no source has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum InlineQuotes {
    /// It is reported.
    #[default]
    Report,
    /// It loses its quotation marks. A quote is held until it is decided.
    Demote,
}

/// What becomes of a claim that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FailedClaims {
    /// It stays.
    #[default]
    Keep,
    /// The policy's `claim_mark` is put after it.
    Mark,
    /// It is left out.
    Drop,
}

/// What becomes of the marker after a quote that no source has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FailedCitations {
    /// It stays.
    #[default]
    Keep,
    /// It goes like a fabricated one.
    Drop,
}

/// What becomes of the marker after a quote that another source has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Misattributed {
    /// It stays and is reported.
    #[default]
    Report,
    /// It names the source that has the words, if it is a single marker with a single number.
    Move,
    /// It goes like a fabricated one, if it is a single marker.
    Drop,
}

/// What a claim that a model judges unsupported does to the status of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum UnsupportedClaims {
    /// Nothing: it is reported with the claim.
    #[default]
    Report,
    /// The answer is downgraded when it leaves no claim or quotation that is supported.
    NoneLeft,
    /// Every such claim downgrades the answer.
    Downgrade,
}

/// How the markers that stay are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Rendering {
    /// As the model wrote them.
    #[default]
    Keep,
    /// As links to the source: `[2]` becomes `[[2]](url)`. Sources without a URL, and ranges, stay.
    Link,
    /// Not at all.
    Remove,
    /// Numbered in the order of their first appearance, from 1; the verdict has the map.
    Renumber,
}

/// A way to write a citation marker (rules, section 3). Named in `snake_case` where a policy is read; unknown names are
/// refused there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MarkerSyntax {
    /// `[2]`, `[2, 7]`, `[1-3]`. On by default.
    Number,
    /// `[[2]]`. On by default.
    Double,
    /// `[Source 2]`, `[citation:2]`, `[doc2]`, `[ref_2]`, `[ID:2]`. On by default.
    Tagged,
    /// `[^2]` and `[^lease-a]`: footnotes. The definition of one that no source is behind (`[^9]: note`) goes as a
    /// whole, with the lines that continue it.
    Footnote,
    /// `【2】`, `【2†source】`, `【4:0†file.pdf】`: lenticular brackets. `【n:m†file】` names `n`, `n:m` or `file`,
    /// whichever is an id.
    Lenticular,
    /// `［2］`: fullwidth brackets, with digits of either width.
    Fullwidth,
    /// `(2)`. Parentheses hold many other numbers: after a colon, a comma, a number or a word such as `equation`, at
    /// the start of a line and glued to a word they are left alone; other counts in parentheses may be taken for
    /// markers.
    Paren,
    /// `²` and `<sup>2</sup>`, unless it is an exponent.
    Superscript,
    /// `[lease-a]`, `[a.pdf#page=3]`: ids in brackets. A word that no source has as its id is a fabricated id only if
    /// it looks like one of them.
    Id,
    /// `<cite id="2"/>`, `<cite index="2-1">words</cite>`, `<cite>2</cite>`, `<inref id="2"/>`: tags that cite. Words
    /// between them stay when the tags go.
    CiteTag,
    /// `U+E200 cite U+E202 turn0search0 U+E201` and `U+E202 turn0search0`, in characters for private use or spelled
    /// out (`\ue202turn0search0`). `turn0search3` names the source with that id, or with the id `3`.
    PrivateUse,
    /// `<|file-528246887823|>`.
    FileId,
}

impl MarkerSyntax {
    /// All of them.
    pub const ALL: &[MarkerSyntax] = &[
        MarkerSyntax::Number,
        MarkerSyntax::Double,
        MarkerSyntax::Tagged,
        MarkerSyntax::Footnote,
        MarkerSyntax::Lenticular,
        MarkerSyntax::Fullwidth,
        MarkerSyntax::Paren,
        MarkerSyntax::Superscript,
        MarkerSyntax::Id,
        MarkerSyntax::CiteTag,
        MarkerSyntax::PrivateUse,
        MarkerSyntax::FileId,
    ];
}
