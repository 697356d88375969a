//! A scripted LLM API on loopback: it plays recordings to real clients and to the proxy, as a provider would and as
//! providers should not.
//!
//! [`Upstream::start`] listens on a free port. A request's path tells the dialect, its model the recording
//! (`DIALECT/MODEL.sse`), and whether it asked for a stream decides between the stream and the body; a [`Script`] says
//! how it is sent: cut into single bytes, slowly, compressed, cut off, with an error in the middle, never. The script is
//! the one that the server was started with, or the JSON in a request's header `x-upstream`.
//!
//! | path | answer |
//! |---|---|
//! | `GET /_upstream/stats` | [`Stats`] as JSON |
//! | `GET /_upstream/last` | [`Received`], the last request that was not one of these, as JSON; 404 before the first |
//! | `GET /_citesieve/verdicts/ID` | with [`Settings::sources`]: the verdicts on the answer with that `x-citesieve-id`, as the proxy has them |
//!
//! With [`Settings::sources`] every answer passes through a `citesieve_wire::Session` first, so that clients can be
//! tried on sieved streams without a proxy.

mod body;
mod encoding;
mod recording;
mod request;
mod script;
mod server;
mod stats;

pub use request::Received;
pub use script::{Encoding, Script};
pub use server::{Settings, Upstream};
pub use stats::Stats;
