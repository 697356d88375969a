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
//! [`Options::deadline_ms`].

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
mod run;
pub mod select;

pub use cache::Cache;
pub use cite::{Audit, Citation, Outcome, audit};
pub use form::Form;
pub use model::{Model, Reply};
pub use options::Options;
pub use run::{Answer, Judge, Judged};
pub use select::{Select, Selection, Skip, decide, select};
