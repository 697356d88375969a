//! [`Stats`]: what the server has seen.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde::{Deserialize, Serialize};

/// What the server has seen since it was started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// Connections that were accepted.
    pub connections: u64,
    /// Connections that are open now.
    pub open_connections: u64,
    /// Requests other than for `/_upstream/…`.
    pub requests: u64,
    /// Those of them that came over HTTP/2.
    pub http2_requests: u64,
    /// Bodies that are being sent now.
    pub open_bodies: u64,
    /// Bodies that were sent as their script says, to the end or to the cut.
    pub complete_bodies: u64,
    /// Bodies, or answers never given, that the client did not wait for.
    pub abandoned: u64,
}

/// The counters behind [`Stats`].
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) connections: AtomicU64,
    pub(crate) open_connections: AtomicU64,
    pub(crate) requests: AtomicU64,
    pub(crate) http2_requests: AtomicU64,
    pub(crate) open_bodies: AtomicU64,
    pub(crate) complete_bodies: AtomicU64,
    pub(crate) abandoned: AtomicU64,
}

impl Counters {
    pub(crate) fn read(&self) -> Stats {
        Stats {
            connections: self.connections.load(Relaxed),
            open_connections: self.open_connections.load(Relaxed),
            requests: self.requests.load(Relaxed),
            http2_requests: self.http2_requests.load(Relaxed),
            open_bodies: self.open_bodies.load(Relaxed),
            complete_bodies: self.complete_bodies.load(Relaxed),
            abandoned: self.abandoned.load(Relaxed),
        }
    }
}
