//! Adapters that put citesieve around a [`Stream`](futures_core::Stream) of text or of response bytes.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use citesieve::{Policy, Source, Sources};
//! use citesieve_stream::{SieveExt, TextEvent};
//! use futures::{StreamExt, TryStreamExt};
//!
//! // Any stream of `Result<impl AsRef<str>, E>`: the deltas of a model's answer.
//! let deltas = futures::stream::iter(["Due monthly [1", "], in gold [7", "]."]).map(Ok::<_, std::io::Error>);
//!
//! let sources = Sources::new(vec![Source::new("1").text("Rent is due monthly.")])?;
//! let mut answer = deltas.sieve(Policy::default(), sources);
//! let mut shown = String::new();
//! while let Some(event) = answer.try_next().await? {
//!     match event {
//!         TextEvent::Text(text) => shown += &text,
//!         TextEvent::Verdict(verdict) => assert_eq!(verdict.markers.fabricated, 1),
//!     }
//! }
//! assert_eq!(shown, "Due monthly [1], in gold.");
//! # Ok(()) }
//! ```
//!
//! | items of the stream | method of [`SieveExt`] | what comes out |
//! |---|---|---|
//! | `Result<impl AsRef<str>, E>` | [`sieve`](SieveExt::sieve) | `Result<`[`TextEvent`]`, E>` |
//! | `impl AsRef<str>` | [`sieve_infallible`](SieveExt::sieve_infallible) | [`TextEvent`] |
//! | `Result<impl AsRef<[u8]>, E>`: the body of a response | [`sieve_wire`](SieveExt::sieve_wire) | `Result<`[`WireEvent`]`, E>` |
//!
//! Who wants nothing but the pieces, for a response body say, hands the verdict to a function:
//! [`SievedText::text_only`], [`SievedBody::bytes_only`].
//!
//! # What all of them promise
//! - **Order.** Pieces, none of them empty, then exactly one verdict, then `None` for ever.
//! - **Back-pressure.** The inner stream is polled when the adapter is polled and has nothing to yield, and never after
//!   its end. An item of which nothing can leave yet leads to another poll, not to an empty piece.
//! - **Cancellation.** Dropping a future that waits for the next item loses nothing; dropping the adapter is fine.
//! - **Errors.** An error ends the answer: what was held leaves first (as [`Policy::release`](citesieve::Policy::release)
//!   says), then the error, then the verdict, in whose `unchecked` (the report's `notes`) stands `stream`. The inner
//!   stream is not polled again, so map errors that the answer survives to items before.
//! - **Traits.** `Unpin` exactly where the inner stream is, `Send` and `Sync` where it and its errors are. No task is
//!   spawned, no timer runs, no lock is taken.
//! - **Cost.** That of [`TextSieve`](citesieve::TextSieve) or [`Session`](citesieve_wire::Session): linear in the stream,
//!   bounded memory; beyond it one `String` or `Bytes` for each piece.

mod drive;
mod ext;
mod pieces;
mod text;
mod wire;

pub use ext::SieveExt;
pub use pieces::PiecesOnly;
pub use text::{SievedInfallible, SievedText, TextEvent};
pub use wire::{SievedBody, WireEvent};
