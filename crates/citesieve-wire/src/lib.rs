//! citesieve over recorded or live response streams of LLM APIs: byte-exact framing, one [`citesieve::Sieve`] per
//! text lane, edits spliced into the one string literal they concern. Sans-I/O: bytes in, bytes out.
//!
//! ```text
//! bytes ─► frame ─► dialect ─► lane (Sieve) ─► queue ─► emit (splice) ─► bytes
//! ```
//!
//! Frames are held back, not text: a frame whose text is decided and unedited leaves as the very bytes that came in,
//! and an edited one differs from them in that string only. Comments and pings never wait, nor do lanes for each other.
//!
//! # The verdict on the wire
//! With [`Config::verdict`] on and sources known, the event that ends the run carries one extra top-level field
//! `citesieve`. An answer of one lane has its [`citesieve::Verdict`] there. One of several has
//! `{"choices":[{"index":0,"verdict":{…}},…]}`, `index` being the choice's index or the lane's name. What passed
//! without being looked at ([`Report::notes`]) is appended to the `unchecked` of the one, or stands beside `choices`.
//! Where each choice has an event that ends it, the verdict is on the last of these, which is why such an event is held
//! until the next one comes.

mod config;
mod dialect;
mod emit;
mod engine;
mod frame;
mod history;
mod json;
mod lane;
mod queue;
mod report;
mod session;
mod splice;

pub use config::{Config, Failure};
pub use dialect::Dialect;
pub use report::Report;
pub use session::{Session, lane_texts};
