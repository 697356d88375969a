//! What strings cannot decide about a cited answer, asked of a model (rules, section 7).
//!
//! Optional, and last: markers, quotes and block quotations are decided by the core, and no model ever sees a quote that
//! was verified or that failed. What is left are claims in the model's own words that cite a source. Which of them go to
//! a model, and why, says [`select`](mod@select); all else is plumbing around the smallest contract there is: a
//! [`Model`] takes a system prompt and a user prompt and returns text.
//!
//! ```
//! use std::sync::Arc;
//! use citesieve::{Policy, Source, Sources, TextSieve};
//! use citesieve_judge::{Judge, Options};
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
//! # runtime.block_on(async {
//! // Any async function is a model; a real one would call an API here.
//! let judge = Judge::new(
//!     |_system: String, _user: String| async {
//!         Ok::<_, std::io::Error>(
//!             r#"{"judgements": [{"id": "c1", "begins": "Who pays late", "reason": "It says so.",
//!                 "verdict": "supports", "confidence": 0.9}]}"#.to_owned(),
//!         )
//!     },
//!     Options::default(),
//! );
//! let sources = Arc::new(Sources::new(vec![Source::new("1").text("Late rent bears interest.")])?);
//! let mut sieve = TextSieve::new(Arc::new(Policy::default()), Arc::clone(&sources)).gathering_claims();
//! let mut answer = judge.answer(sources);
//! for delta in ["Who pays late ", "owes interest [1]."] {
//!     let _shown = sieve.push(delta);
//!     answer.claims(sieve.closed_claims());
//! }
//! let (_rest, mut verdict, last) = sieve.finish_with_claims();
//! answer.claims(last);
//! let judged = answer.finish().await;
//! judged.apply(&mut verdict, Default::default());
//! assert_eq!(verdict.claims[0].support, citesieve::Support::Judged);
//! # Ok::<(), citesieve::SourceError>(())
//! # }).unwrap();
//! ```
//!
//! Nothing here delays text: calls run beside the stream, and only [`Answer::finish`] waits, no longer than
//! [`Options::deadline_ms`]. Whoever wants no claim shown before it is judged makes the sieve wait
//! ([`citesieve::Sieve::awaiting_rulings`], with the policy's `release` set to claims) and takes rulings as they come:
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! # use std::sync::Arc;
//! # use citesieve::{FailedClaims, Policy, Release, Source, Sources, TextSieve};
//! # use citesieve_judge::{Judge, Options};
//! # let model = |_: String, _: String| async {
//! #     Ok::<_, std::io::Error>(
//! #         r#"{"judgements": [{"id": "c1", "begins": "Who pays late", "reason": "It is four.",
//! #             "verdict": "contradicts", "confidence": 0.9}]}"#.to_owned(),
//! #     )
//! # };
//! let judge = Judge::new(model, Options::default());
//! let sources = Arc::new(Sources::new(vec![Source::new("1").text("Late rent bears interest at four per cent a year.")])?);
//! let mut policy = Policy::default();
//! policy.release = Release::Claim;
//! policy.failed_claims = FailedClaims::Drop;
//! let mut sieve = TextSieve::new(Arc::new(policy), Arc::clone(&sources)).awaiting_rulings();
//! let mut answer = judge.answer(sources).ruling();
//!
//! let mut shown = sieve.push("Who pays late owes twenty per cent [1].").to_owned();
//! shown += sieve.close();
//! answer.claims(sieve.closed_claims());
//! while sieve.waiting() > 0 {
//!     let (claim, judgement) = answer.ruled().await;
//!     shown += sieve.rule(claim, judgement);
//! }
//! assert_eq!(shown, "");
//! # Ok::<(), citesieve::SourceError>(())
//! # }).unwrap();
//! ```

mod ask;
pub mod budget;
mod cache;
pub mod cite;
pub mod client;
mod excerpt;
mod form;
mod group;
mod model;
mod options;
pub mod parse;
pub mod prompt;
mod rulings;
mod run;
pub mod select;

pub use cache::Cache;
pub use cite::{Audit, Citation, Outcome, audit};
pub use form::Form;
pub use model::{Model, Reply};
pub use options::Options;
pub use run::{Answer, Judge, Judged};
pub use select::{Select, Selection, Skip, decide, select};
