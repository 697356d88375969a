//! [`Sieve`]: a service whose responses are sieved.

use std::sync::Arc;
use std::task::{Context, Poll};

use http::{Request, Response};
use http_body::Body;
use tower_service::Service;

use crate::{FindSources, FromExtensions, OnReport, ResponseFuture, SieveBody};

/// A service whose responses are sieved. Made by [`SieveLayer`](crate::SieveLayer).
#[derive(Debug)]
pub struct Sieve<S, F = FromExtensions, R = ()> {
    pub(crate) inner: S,
    pub(crate) find: Arc<F>,
    pub(crate) on_report: Arc<R>,
}

impl<S: Clone, F, R> Clone for Sieve<S, F, R> {
    fn clone(&self) -> Self {
        Sieve { inner: self.inner.clone(), find: Arc::clone(&self.find), on_report: Arc::clone(&self.on_report) }
    }
}

impl<S, F, R> Sieve<S, F, R> {
    /// The service inside.
    pub fn get_ref(&self) -> &S {
        &self.inner
    }

    /// The service inside.
    pub fn get_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// The service inside.
    pub fn into_inner(self) -> S {
        self.inner
    }
}

impl<S, F, R, ReqBody, ResBody> Service<Request<ReqBody>> for Sieve<S, F, R>
where
    S: Service<Request<ReqBody>, Response = Response<ResBody>>,
    F: FindSources<ReqBody>,
    R: OnReport + Send + Sync + 'static,
    ResBody: Body,
{
    type Response = Response<SieveBody<ResBody>>;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, R>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<ReqBody>) -> Self::Future {
        let config = self.find.find(&request);
        let (method, uri) = (request.method().clone(), request.uri().clone());
        ResponseFuture { inner: self.inner.call(request), config, method, uri, on_report: Arc::clone(&self.on_report) }
    }
}
