//! What is handed out when a response is over.

use citesieve_wire::Report;
use http::{Extensions, Method, StatusCode, Uri};

/// How a body came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ended {
    /// It is complete.
    Complete,
    /// The inner body failed. What was held left before the error did.
    Failed,
    /// It was dropped before its end: the client went away, or its connection did.
    Dropped,
}

/// What is known about one body at its end.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BodyReport {
    /// The verdicts, and what was not looked at.
    pub report: Report,
    /// How the body ended.
    pub ended: Ended,
    /// Bytes that came from the inner body.
    pub bytes_in: u64,
    /// Bytes that were handed out.
    pub bytes_out: u64,
    /// Events, lines or items that were complete.
    pub frames: u64,
}

/// What is known about one response at its end.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Sieved {
    /// The verdicts, and what was not looked at.
    pub report: Report,
    /// How the body ended.
    pub ended: Ended,
    /// Bytes that came from the inner body.
    pub bytes_in: u64,
    /// Bytes that were handed out.
    pub bytes_out: u64,
    /// Events, lines or items that were complete.
    pub frames: u64,
    /// The method of the request.
    pub method: Method,
    /// The address of the request.
    pub uri: Uri,
    /// The status of the response.
    pub status: StatusCode,
    /// The extensions of the response, in which its handler may leave what tells the response from others.
    pub extensions: Extensions,
}

/// Is told when a response is over: [`SieveLayer::on_report`](crate::SieveLayer::on_report).
///
/// It is called where the body is polled or dropped, and must not block.
pub trait OnReport {
    /// Takes the report of one response.
    fn on_report(&self, sieved: Sieved);
}

impl<F: Fn(Sieved)> OnReport for F {
    fn on_report(&self, sieved: Sieved) {
        self(sieved);
    }
}

/// Nobody is told.
impl OnReport for () {
    fn on_report(&self, _: Sieved) {}
}
