//! What the caller may choose.

use serde::{Deserialize, Serialize};

/// The choices of one run. Every field has a default; unknown keys are refused when a policy is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
}

impl Default for Policy {
    fn default() -> Self {
        Policy { max_hold: 16_384, syntaxes: vec![MarkerSyntax::Number, MarkerSyntax::Double, MarkerSyntax::Tagged] }
    }
}

/// A way to write a citation marker (rules, section 3). Named in `snake_case` where a policy is read; unknown names are
/// refused there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
