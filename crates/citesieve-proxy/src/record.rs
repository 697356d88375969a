//! [`Record`]: what is told about one answer.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use citesieve::{Unchecked, Verdict};
use citesieve_tower::{BodyReport, Ended};
use serde::Serialize;

/// The unguessable name of a response: 128 bits from the operating system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Id(u128);

impl Id {
    /// A new one; `None` if the operating system has no random bits.
    pub(crate) fn new() -> Option<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).ok()?;
        Some(Id(u128::from_ne_bytes(bytes)))
    }

    /// Reads one as it is written: 32 hexadecimal digits, or these as a UUID.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let groups = text.split('-').map(str::len);
        let text = if groups.eq([8, 4, 4, 4, 12]) { &text.replace('-', "") } else { text };
        let plain = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        plain.then(|| u128::from_str_radix(text, 16).ok().map(Id)).flatten()
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// What is known about a request before its answer is over.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) id: Id,
    pub(crate) route: String,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) status: u16,
    /// Why the request was not read for its sources.
    pub(crate) unread: Option<String>,
    /// Where the sources came from; `None`: none are known.
    pub(crate) sources_from: Option<String>,
    /// How many there are.
    pub(crate) sources: Option<usize>,
    pub(crate) started: SystemTime,
}

/// What is told about one answer: one line of JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Record {
    /// The name of the response, as in its header `x-citesieve-id`.
    pub(crate) id: String,
    /// When the request came, in milliseconds since 1970.
    pub(crate) time: u64,
    pub(crate) route: String,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) status: u16,
    /// How the body ended: `complete`, `upstream_cut`, `idle_timeout`, `total_timeout`, `client_gone`.
    pub(crate) ended: &'static str,
    pub(crate) dialect: Option<String>,
    /// Where the sources came from.
    pub(crate) sources_from: Option<String>,
    /// How many there are.
    pub(crate) sources: Option<usize>,
    /// How often the upstream was asked.
    pub(crate) attempts: u32,
    pub(crate) duration_ms: u64,
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
    pub(crate) events: u64,
    /// One verdict per text, in order of first appearance.
    pub(crate) choices: Vec<Choice>,
    /// What passed without being looked at.
    pub(crate) unchecked: Vec<Unchecked>,
}

/// The verdict on one text.
#[derive(Debug, Serialize)]
pub(crate) struct Choice {
    /// The choice's index, or the lane's name.
    pub(crate) index: String,
    pub(crate) verdict: Verdict,
}

impl Record {
    pub(crate) fn new(asked: Asked, body: BodyReport, attempts: u32, cause: &'static str) -> Self {
        let unread = asked.unread.into_iter().map(|why| Unchecked { what: "request".into(), why, count: 1 });
        let since = |time: Result<Duration, _>| time.map_or(0, |time: Duration| time.as_millis() as u64);
        let choices = body.report.lanes.into_iter().map(|(index, verdict)| Choice { index, verdict });
        Record {
            id: asked.id.to_string(),
            time: since(asked.started.duration_since(UNIX_EPOCH)),
            route: asked.route,
            method: asked.method,
            path: asked.path,
            status: asked.status,
            ended: match body.ended {
                Ended::Complete => "complete",
                Ended::Failed => cause,
                _ => "client_gone",
            },
            dialect: body.report.dialect,
            sources_from: asked.sources_from,
            sources: asked.sources,
            attempts,
            duration_ms: since(asked.started.elapsed()),
            bytes_in: body.bytes_in,
            bytes_out: body.bytes_out,
            events: body.frames,
            choices: choices.collect(),
            unchecked: unread.chain(body.report.notes).collect(),
        }
    }
}
