//! [`FindSources`]: the configuration of a request.

use citesieve_wire::Config;
use http::Request;

/// Finds what the response to a request is to be checked against.
///
/// It sees the head of the request and an unread body. Who needs the body's content reads it in a layer of its own and
/// leaves the [`Config`] in the request's extensions, for [`FromExtensions`].
pub trait FindSources<B> {
    /// The configuration for the response; `None` if it need not be looked at.
    fn find(&self, request: &Request<B>) -> Option<Config>;
}

impl<B, F> FindSources<B> for F
where
    F: Fn(&Request<B>) -> Option<Config>,
{
    fn find(&self, request: &Request<B>) -> Option<Config> {
        self(request)
    }
}

/// Takes the [`Config`] in the request's extensions, if there is one. The default of
/// [`SieveLayer`](crate::SieveLayer).
#[derive(Debug, Clone, Copy, Default)]
pub struct FromExtensions;

impl<B> FindSources<B> for FromExtensions {
    fn find(&self, request: &Request<B>) -> Option<Config> {
        request.extensions().get().cloned()
    }
}
