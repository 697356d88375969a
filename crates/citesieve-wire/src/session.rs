//! [`Session`]: one response body through the sieve.

use std::sync::Arc;

use bytes::BytesMut;
use citesieve::{Policy, Sources, Verdict};
use serde::{Deserialize, Serialize};

/// What a session needs to know.
#[derive(Debug, Clone)]
pub struct Config {
    /// The choices of this run.
    pub policy: Arc<Policy>,
    /// The sources of this answer.
    pub sources: Arc<Sources>,
    /// Whether the verdict is put on the event that ends the run.
    pub verdict: bool,
}

/// One response body through the sieve.
#[derive(Debug)]
pub struct Session {
    _config: Config,
}

/// What is reported at the end of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// One verdict per text lane, in order of first appearance.
    pub lanes: Vec<(String, Verdict)>,
}

impl Session {
    /// A session at the start of a body.
    pub fn new(config: Config) -> Self {
        Session { _config: config }
    }

    /// Takes the next bytes of the body, cut anywhere, and appends to `out` what may be sent on now.
    pub fn push(&mut self, bytes: &[u8], out: &mut BytesMut) {
        out.extend_from_slice(bytes);
    }

    /// The body is complete (or was cut): appends what was held to `out` and reports.
    pub fn finish(self, out: &mut BytesMut) -> Report {
        let _ = out;
        Report::default()
    }
}
