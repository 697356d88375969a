//! [`ResponseFuture`].

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use citesieve_wire::Config;
use http::{Method, Response, Uri};
use http_body::Body;
use pin_project_lite::pin_project;

use crate::{BodyReport, OnReport, SieveBody, Sieved};

pin_project! {
    /// The response of a [`Sieve`](crate::Sieve), to come.
    #[derive(Debug)]
    pub struct ResponseFuture<F, R> {
        #[pin]
        pub(crate) inner: F,
        pub(crate) config: Option<Config>,
        pub(crate) method: Method,
        pub(crate) uri: Uri,
        pub(crate) on_report: Arc<R>,
    }
}

impl<F, R, B, E> Future for ResponseFuture<F, R>
where
    F: Future<Output = Result<Response<B>, E>>,
    R: OnReport + Send + Sync + 'static,
    B: Body,
{
    type Output = Result<Response<SieveBody<B>>, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let mut response = ready!(this.inner.poll(cx))?;
        // Who answers knows best what the answer was made of.
        let config = response.extensions_mut().remove().or(this.config.take());
        let Some(config) = config.filter(|_| *this.method != Method::HEAD) else {
            return Poll::Ready(Ok(response.map(SieveBody::passing)));
        };
        let (method, uri, status) = (this.method.clone(), this.uri.clone(), response.status());
        let extensions = response.extensions().clone();
        let on_report = Arc::clone(this.on_report);
        let tell = move |body: BodyReport| {
            let BodyReport { report, ended, bytes_in, bytes_out, frames } = body;
            on_report.on_report(Sieved { report, ended, bytes_in, bytes_out, frames, method, uri, status, extensions });
        };
        Poll::Ready(Ok(SieveBody::around(response, config, tell)))
    }
}
