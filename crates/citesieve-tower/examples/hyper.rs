//! A bare hyper server with the layer around it, over one connection in memory.
//!
//! The sources come with the request here: a header names them, and the layer looks them up.

use std::convert::Infallible;
use std::error::Error;
use std::sync::mpsc;

use bytes::Bytes;
use citesieve::{Policy, Source, Sources};
use citesieve_tower::{Config, SieveLayer, Sieved};
use http::{Request, Response};
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tower_layer::Layer;

/// Finds the sources of a request by its header `x-lease`.
fn find(request: &Request<Incoming>) -> Option<Config> {
    let lease = request.headers().get("x-lease")?.to_str().ok()?;
    let source = Source::new("1").title(lease).text("Rent is due monthly.");
    Some(Config::new(Policy::default(), Sources::new(vec![source]).ok()?))
}

/// Answers as Ollama does, one line of JSON after the other.
async fn answer(_: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let lines = "{\"message\":{\"role\":\"assistant\",\"content\":\"Due monthly [1], in gold [7].\"},\"done\":false}\n\
                 {\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true}\n";
    let mut response = Response::new(Full::new(Bytes::from(lines)));
    response.headers_mut().insert("content-type", http::HeaderValue::from_static("application/x-ndjson"));
    Ok(response)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (reports, reported) = mpsc::channel();
    let layer = SieveLayer::new(find).on_report(move |sieved: Sieved| drop(reports.send(sieved)));
    let service = TowerToHyperService::new(layer.layer(tower::service_fn(answer)));

    let (client, server) = tokio::io::duplex(4096);
    tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(server), service));
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(client)).await?;
    tokio::spawn(connection);

    for (lease, expected) in [(Some("Lease 7"), "Due monthly [1], in gold."), (None, "Due monthly [1], in gold [7].")] {
        let mut request = Request::post("/api/chat").header("host", "localhost");
        if let Some(lease) = lease {
            request = request.header("x-lease", lease);
        }
        // The connection is ready again when it has seen that the response before is over.
        sender.ready().await?;
        let response = sender.send_request(request.body(Empty::<Bytes>::new())?).await?;
        // What is edited has no length that could be told beforehand; what is not looked at keeps its own.
        assert_eq!(response.headers().contains_key("content-length"), lease.is_none());
        let shown = response.into_body().collect().await?.to_bytes();
        println!("{}", String::from_utf8_lossy(&shown));
        assert_eq!(citesieve_wire::lane_texts(&shown, None)[0].1, expected);
    }
    let sieved = reported.recv()?;
    assert_eq!(sieved.report.lanes[0].1.markers.fabricated, 1);
    assert!(reported.try_recv().is_err(), "nobody asked about the second one");
    Ok(())
}
