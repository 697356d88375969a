//! What is counted while streams run: how many there are, and what they hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use crate::error::Refusal;

/// Counts of what runs now, shared by all streams.
#[derive(Debug, Default)]
pub(crate) struct Running {
    streams: AtomicUsize,
    held: AtomicI64,
}

impl Running {
    /// Requests under way.
    pub(crate) fn streams(&self) -> usize {
        self.streams.load(Ordering::Relaxed)
    }

    /// Bytes that all streams hold.
    pub(crate) fn held(&self) -> usize {
        usize::try_from(self.held.load(Ordering::Relaxed)).unwrap_or(0)
    }

    /// Lets one more request in.
    pub(crate) fn enter(self: &Arc<Self>, most: usize, most_held: usize) -> Result<Permit, Refusal> {
        // Counted first, so that the check cannot be overtaken; given back when it is dropped.
        let before = self.streams.fetch_add(1, Ordering::Relaxed);
        let permit = Permit(Arc::clone(self));
        if before >= most {
            return Err(Refusal::busy(format!("{most} requests are under way, which is as many as are allowed")));
        }
        if self.held() > most_held {
            return Err(Refusal::busy("too much text is held for the answers under way"));
        }
        Ok(permit)
    }
}

/// One request under way.
#[derive(Debug)]
pub(crate) struct Permit(Arc<Running>);

impl Permit {
    /// What this request's answer holds.
    pub(crate) fn held(&self) -> Held {
        Held { running: Arc::clone(&self.0), bytes: 0 }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What one answer holds, counted among all.
#[derive(Debug)]
pub(crate) struct Held {
    running: Arc<Running>,
    bytes: usize,
}

impl Held {
    /// It holds so many bytes now.
    pub(crate) fn set(&mut self, bytes: usize) {
        if bytes != self.bytes {
            self.running.held.fetch_add(bytes as i64 - self.bytes as i64, Ordering::Relaxed);
            self.bytes = bytes;
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_or_over_is_given_back() {
        let running = Arc::new(Running::default());
        let first = running.enter(1, 10).unwrap();
        assert!(running.enter(1, 10).is_err());
        assert_eq!(running.streams(), 1);
        let mut held = first.held();
        held.set(11);
        held.set(7);
        assert_eq!(running.held(), 7);
        held.set(12);
        assert!(running.enter(9, 10).is_err());
        drop(held);
        drop(first);
        assert_eq!((running.held(), running.streams()), (0, 0));
        assert!(running.enter(1, 10).is_ok());
    }
}
