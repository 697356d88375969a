//! The clients that talk to upstreams. One per kind of route on each thread, each with its pool of connections.

use std::collections::HashMap;
use std::time::Duration;

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::ClientConfig;

use crate::body::RequestBody;
use crate::config::{Config, ConfigError, Protocol, Route};
use crate::tls::{self, Trust};

/// A client with a pool of connections.
pub(crate) type Client = hyper_util::client::legacy::Client<HttpsConnector<HttpConnector>, RequestBody>;

/// The clients of all routes, on one thread.
#[derive(Debug)]
pub(crate) struct Upstreams(HashMap<String, Client>);

impl Upstreams {
    /// One set of clients for each thread that carries connections.
    pub(crate) fn new(config: &Config) -> Result<Vec<Self>, ConfigError> {
        let mut trusted = HashMap::new();
        for route in &config.routes {
            trusted.insert(route.trust.identity(), tls::client(&route.trust)?);
        }
        let set = |_| {
            let mut kinds = HashMap::new();
            let mut by_path = HashMap::new();
            for route in &config.routes {
                let identity = route.trust.identity();
                let Some(tls) = trusted.get(&identity) else { continue };
                let new = || new(route.protocol, tls.clone(), config.limits.connect.0);
                let client = kinds.entry((route.protocol, identity)).or_insert_with(new);
                by_path.insert(route.path.clone(), client.clone());
            }
            Upstreams(by_path)
        };
        Ok((0..config.workers.get()).map(set).collect())
    }

    /// The client of a route.
    pub(crate) fn client(&self, route: &Route) -> Option<&Client> {
        self.0.get(&route.path)
    }
}

/// A client that talks to anybody whom the public authorities know.
pub(crate) fn public(connect: Duration) -> Result<Client, ConfigError> {
    Ok(new(Protocol::Auto, tls::client(&Trust::public())?, connect))
}

fn new(protocol: Protocol, trusted: ClientConfig, connect: Duration) -> Client {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(Some(connect));
    tcp.set_keepalive(Some(Duration::from_secs(60)));
    let connector = HttpsConnectorBuilder::new().with_tls_config(trusted).https_or_http();
    let connector = match protocol {
        Protocol::Auto => connector.enable_all_versions().wrap_connector(tcp),
        Protocol::Http1 => connector.enable_http1().wrap_connector(tcp),
        Protocol::Http2 => connector.enable_http2().wrap_connector(tcp),
    };
    hyper_util::client::legacy::Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(Duration::from_secs(60))
        .http2_only(protocol == Protocol::Http2)
        .http2_adaptive_window(true)
        .http2_keep_alive_interval(Duration::from_secs(30))
        .build(connector)
}
