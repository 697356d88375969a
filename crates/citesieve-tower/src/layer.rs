//! [`SieveLayer`].

use std::sync::Arc;

use tower_layer::Layer;

use crate::{FromExtensions, OnReport, Sieve, Sieved};

/// Puts a [`Sieve`] around a service. See the [crate's documentation](crate).
#[derive(Debug)]
pub struct SieveLayer<F = FromExtensions, R = ()> {
    find: Arc<F>,
    on_report: Arc<R>,
}

impl Default for SieveLayer {
    /// A layer for configurations that stand in extensions, of the request or of the response.
    fn default() -> Self {
        SieveLayer::new(FromExtensions)
    }
}

impl<F, R> Clone for SieveLayer<F, R> {
    fn clone(&self) -> Self {
        SieveLayer { find: Arc::clone(&self.find), on_report: Arc::clone(&self.on_report) }
    }
}

impl<F> SieveLayer<F> {
    /// A layer that finds the sources like this; see [`FindSources`](crate::FindSources). Reports go nowhere until
    /// [`SieveLayer::on_report`] says where.
    pub fn new(find: F) -> Self {
        SieveLayer { find: Arc::new(find), on_report: Arc::new(()) }
    }
}

impl<F, R> SieveLayer<F, R> {
    /// Calls this when a response is over. It must not block.
    pub fn on_report<N>(self, on_report: N) -> SieveLayer<F, N>
    where
        N: Fn(Sieved),
    {
        self.report_to(on_report)
    }

    /// Tells this when a response is over; as [`SieveLayer::on_report`], for types.
    pub fn report_to<N: OnReport>(self, on_report: N) -> SieveLayer<F, N> {
        SieveLayer { find: self.find, on_report: Arc::new(on_report) }
    }
}

impl<S, F, R> Layer<S> for SieveLayer<F, R> {
    type Service = Sieve<S, F, R>;

    fn layer(&self, inner: S) -> Self::Service {
        Sieve { inner, find: Arc::clone(&self.find), on_report: Arc::clone(&self.on_report) }
    }
}
