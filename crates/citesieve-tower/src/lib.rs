//! A tower [`Layer`](tower_layer::Layer) that sieves the response bodies of any HTTP service: the citations and
//! quotations of a language model's answer are checked while it streams.
//!
//! ```
//! use citesieve::{Policy, Source, Sources};
//! use citesieve_tower::{Config, SieveLayer};
//! use http::Request;
//!
//! let sources = Sources::new(vec![Source::new("1").text("Rent is due monthly.")])?;
//! let config = Config::new(Policy::default(), sources);
//! let layer = SieveLayer::new(move |_request: &Request<String>| Some(config.clone()))
//!     .on_report(|sieved: citesieve_tower::Sieved| println!("{:?}", sieved.report.lanes));
//! # let _ = layer;
//! # Ok::<(), citesieve::SourceError>(())
//! ```
//!
//! # Where the sources come from
//! - from the request: [`FindSources`], which any `Fn(&Request<B>) -> Option<Config>` is. [`FromExtensions`] takes a
//!   [`Config`] that an earlier layer left in the request's extensions;
//! - from the handler: a service that knows its sources only when it answers puts a [`Config`] into the *response's*
//!   extensions. It wins.
//!
//! No configuration: the response passes as it is and nothing is reported.
//!
//! # What is sieved
//! Successful responses whose `Content-Type` can be read ([`Dialect::reads`](citesieve_wire::Dialect::reads)), streamed
//! or not. Only then `Content-Length`, `ETag`, `Content-MD5`, `Digest`, `Content-Digest`, `Repr-Digest` and
//! `Accept-Ranges` go, as they speak of bytes that are not sent. Everything else is left as it is, and so is a response
//! when nothing is known about its sources.
//!
//! What cannot be read (a `Content-Encoding`, another type, a part of a body) passes unfiltered, and the report says so
//! in its notes; with [`Failure::Closed`](citesieve_wire::Failure) and sources known, an error of status 502 takes its
//! place. Errors of the service pass as they are.
//!
//! # Cost
//! One allocation per response for the session and one for the callback. Each piece of the inner body that lets
//! anything out makes one piece, however many events it has. Nothing is spawned, and there is no timer.

mod body;
mod find;
mod future;
mod headers;
mod layer;
mod report;
mod service;
mod sieving;

pub use body::SieveBody;
pub use citesieve_wire::{Config, Failure, Report};
pub use find::{FindSources, FromExtensions};
pub use future::ResponseFuture;
pub use headers::{Reading, read};
pub use layer::SieveLayer;
pub use report::{BodyReport, Ended, OnReport, Sieved};
pub use service::Sieve;
