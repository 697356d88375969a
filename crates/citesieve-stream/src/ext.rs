//! The methods that make the adapters.

use std::sync::Arc;

use citesieve::{Policy, Sources};
use citesieve_wire::Config;
use futures_core::{Stream, TryStream};

use crate::text::{SievedInfallible, SievedText};
use crate::wire::SievedBody;

/// Puts a sieve into a stream.
///
/// Policies and sources are shared, not copied, when they come as `Arc`; fold the sources of several answers once.
pub trait SieveExt: Stream {
    /// Sieves deltas of an answer: yields [`TextEvent`](crate::TextEvent)s, or the error of this stream, which ends the
    /// answer.
    fn sieve(self, policy: impl Into<Arc<Policy>>, sources: impl Into<Arc<Sources>>) -> SievedText<Self>
    where
        Self: Sized + TryStream<Ok: AsRef<str>>,
    {
        SievedText::new(self, policy.into(), sources.into())
    }

    /// Sieves deltas of an answer that cannot fail: yields [`TextEvent`](crate::TextEvent)s.
    fn sieve_infallible(
        self,
        policy: impl Into<Arc<Policy>>,
        sources: impl Into<Arc<Sources>>,
    ) -> SievedInfallible<Self>
    where
        Self: Sized + Stream<Item: AsRef<str>>,
    {
        SievedInfallible::new(self, policy.into(), sources.into())
    }

    /// Sieves the body of a response as it came from an API (decompressed), cut anywhere: yields
    /// [`WireEvent`](crate::WireEvent)s, or the error of this stream, which ends the body.
    fn sieve_wire(self, config: Config) -> SievedBody<Self>
    where
        Self: Sized + TryStream<Ok: AsRef<[u8]>>,
    {
        SievedBody::new(self, config)
    }
}

impl<S: Stream + ?Sized> SieveExt for S {}
