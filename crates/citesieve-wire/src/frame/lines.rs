//! One JSON value per line.

/// Finds line feeds.
#[derive(Debug)]
pub(super) struct Scanner;

impl Scanner {
    /// Where the frame ends in `bytes`, if it does.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        memchr::memchr(b'\n', bytes).map(|at| at + 1)
    }
}
