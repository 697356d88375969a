//! citesieve: checks the citations and quotations of a language model's answer while it streams.
//!
//! **An answer is its input and a list of edits.** The core never produces text. It reads the stream and says two
//! things: up to where everything is decided, and which [`Edit`]s stand before that point.
//!
//! ```
//! use std::sync::Arc;
//! use citesieve::{Policy, Source, Sources, TextSieve};
//!
//! let sources = Arc::new(Sources::new(vec![Source::new("1").text("Rent is due monthly.")])?);
//! let mut sieve = TextSieve::new(Arc::new(Policy::default()), sources);
//! let mut shown = String::new();
//! for delta in ["Rent is due", " monthly [1", "] and", " in gold [7", "]."] {
//!     shown += sieve.push(delta);
//! }
//! let (rest, verdict) = sieve.finish();
//! shown += &rest;
//! assert_eq!(shown, "Rent is due monthly [1] and in gold.");
//! assert_eq!(verdict.markers.fabricated, 1);
//! # Ok::<(), citesieve::SourceError>(())
//! ```
//!
//! Data flows one way: `scan` reads characters, `marker` and `quote` judge what it finds, [`Sieve`] decides, the
//! [`Verdict`] reports. There is no I/O, clock, thread or async type in this crate.

pub mod answer;
mod block_quote;
mod claim;
mod edit;
mod gate;
mod judgement;
mod ledger;
mod marker;
mod policy;
pub mod quote;
mod scan;
pub mod schema;
mod sieve;
pub mod source;
mod tally;
mod text_sieve;
mod verdict;

pub use edit::{Edit, Reason};
pub use judgement::{CallCost, ClosedClaim, Decision, Judgement, Ruling, SourceJudgement};
pub use policy::{
    FailedCitations, FailedClaims, InlineQuotes, MarkerSyntax, Misattributed, Policy, Release, Rendering,
    UnsupportedClaims,
};
pub use sieve::{Decided, Sieve};
pub use source::{FoldCache, Format, Source, SourceError, Sources};
pub use text_sieve::TextSieve;
pub use verdict::{
    Advice, BlockClass, BlockCounts, BlockFinding, ClaimFinding, ClaimKind, EditRecord, Hold, MarkerCounts, Numbering,
    QuoteCounts, QuoteFinding, Score, Span, Status, StatusReason, Support, Unchecked, Units, Verdict,
};
