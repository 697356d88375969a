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
//! With [`Config::verdict`] on and sources known, the event that ends the run carries one extra field `citesieve`; no
//! event is added, as every added one breaks some client. Where it stands:
//!
//! | dialect | event | place |
//! |---|---|---|
//! | OpenAI chat, completions | the last with a `finish_reason` | top level |
//! | OpenAI Responses | `response.completed`, `incomplete`, `failed` | inside `response`, where clients keep it |
//! | Anthropic | `message_delta` with a `stop_reason` | top level |
//! | Gemini | the last with a `finishReason` | top level |
//! | Cohere v2, v1 | `message-end`, `stream-end` | top level |
//! | Ollama | the line with `done` | top level |
//! | AI SDK UI | `finish` | inside `messageMetadata`, which the client hands to its user |
//! | bodies that are not streamed | | top level |
//!
//! An answer of one lane has its [`citesieve::Verdict`] there. One of several has
//! `{"choices":[{"index":0,"verdict":{…}},…]}`, `index` being the choice's index or the lane's name. What passed
//! without being looked at ([`Report::notes`]) is appended to the `unchecked` of the one, or stands beside `choices`.
//! `sources_from` beside these fields says how the sources were found, where [`Config::origin`] told.
//! Where each choice has an event that ends it, the verdict is on the last of these, which is why such an event is held
//! until the next one comes.
//!
//! # What is not done
//! Text in channels that are not the answer (refusals, reasoning, tool calls, audio transcripts) passes as it came and is
//! counted in [`Report::notes`]. Stored state on the server, and token arrays such as Ollama's `context`, hold the text
//! as the model wrote it. Padding that hides lengths (`obfuscation`, `p`) is not adjusted to edits. Azure's
//! `content_filter_offsets` are left as they are.

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
pub mod request;
mod session;
mod splice;
pub mod testing;
mod wire_verdict;

pub use config::{Config, Failure};
pub use dialect::Dialect;
pub use report::{LaneClaim, LaneRuling, Report};
pub use session::{Session, lane_texts};
