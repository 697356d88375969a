//! The clients that talk to upstreams. One per kind of route, each with its pool of connections.

use std::collections::HashMap;
use std::time::Duration;

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use crate::body::RequestBody;
use crate::config::{ConfigError, Protocol};
use crate::tls::{self, Trust};

/// A client with a pool of connections.
pub(crate) type Client = hyper_util::client::legacy::Client<HttpsConnector<HttpConnector>, RequestBody>;

/// Makes clients, one for each kind.
#[derive(Debug, Default)]
pub(crate) struct Clients(HashMap<(Protocol, usize), Client>);

impl Clients {
    /// The client for this kind of upstream.
    pub(crate) fn get(&mut self, protocol: Protocol, trust: &Trust, connect: Duration) -> Result<Client, ConfigError> {
        let key = (protocol, trust.identity());
        if let Some(client) = self.0.get(&key) {
            return Ok(client.clone());
        }
        let client = new(protocol, trust, connect)?;
        self.0.insert(key, client.clone());
        Ok(client)
    }
}

fn new(protocol: Protocol, trust: &Trust, connect: Duration) -> Result<Client, ConfigError> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(Some(connect));
    tcp.set_keepalive(Some(Duration::from_secs(60)));
    let connector = HttpsConnectorBuilder::new().with_tls_config(tls::client(trust)?).https_or_http();
    let connector = match protocol {
        Protocol::Auto => connector.enable_all_versions().wrap_connector(tcp),
        Protocol::Http1 => connector.enable_http1().wrap_connector(tcp),
        Protocol::Http2 => connector.enable_http2().wrap_connector(tcp),
    };
    Ok(hyper_util::client::legacy::Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(Duration::from_secs(60))
        .http2_only(protocol == Protocol::Http2)
        .http2_adaptive_window(true)
        .http2_keep_alive_interval(Duration::from_secs(30))
        .build(connector))
}
