//! citesieve over recorded or live response streams of LLM APIs: byte-exact framing, one [`citesieve::Sieve`] per
//! text lane, edits spliced into the one string literal they concern. Sans-I/O: bytes in, bytes out.

mod session;

pub use session::{Config, Report, Session};
