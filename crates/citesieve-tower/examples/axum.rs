//! A question-answering service in axum, with its answers checked on their way out.
//!
//! The handler knows its sources only once it has searched for them, so it leaves the configuration in the response's
//! extensions. The program asks itself one question and shows what a client gets.

use std::convert::Infallible;
use std::error::Error;
use std::sync::mpsc;

use axum::Router;
use axum::body::Body;
use axum::http::{Response, header};
use axum::routing::post;
use citesieve::{Policy, Source, Sources};
use citesieve_tower::{Config, SieveLayer, Sieved};
use http_body_util::{BodyExt, StreamBody};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio_stream::StreamExt;

/// What a model would write, piece by piece.
const ANSWER: [&str; 6] = ["Rent is due", " monthly [1", "]. Deposits are", " paid in gold [7", "]", "."];

/// Searches, asks the model, and streams its answer as OpenAI's API does.
async fn ask() -> Result<Response<Body>, citesieve::SourceError> {
    let found = vec![Source::new("1").title("Lease").text("Rent is due monthly.")];
    let config = Config::new(Policy::default(), Sources::new(found)?);
    let events = tokio_stream::iter(ANSWER).map(|text| {
        let chunk = serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]});
        Ok::<_, Infallible>(format!("data: {chunk}\n\n"))
    });
    let last = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let events = events.chain(tokio_stream::once(Ok(last.to_owned())));
    let mut response = Response::new(Body::from_stream(events));
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("text/event-stream"));
    response.extensions_mut().insert(config);
    Ok(response)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (reports, reported) = mpsc::channel();
    // Nothing is known about a request before it is answered.
    let layer = SieveLayer::default().on_report(move |sieved: Sieved| drop(reports.send(sieved)));
    let answer = || async { ask().await.map_err(|error| error.to_string()) };
    let app = Router::new().route("/ask", post(answer)).layer(layer);

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, app).await });

    let client = Client::builder(TokioExecutor::new()).build_http();
    let question = axum::http::Request::post(format!("http://{address}/ask")).body(StreamBody::new(empty()))?;
    let shown = client.request(question).await?.into_body().collect().await?.to_bytes();
    println!("{}", String::from_utf8_lossy(&shown));

    let text: String = citesieve_wire::lane_texts(&shown, None).into_iter().map(|(_, text)| text).collect();
    assert_eq!(text, "Rent is due monthly [1]. Deposits are paid in gold.");
    let sieved = reported.recv()?;
    assert_eq!(sieved.uri.path(), "/ask");
    assert_eq!(sieved.report.lanes[0].1.markers.fabricated, 1);
    println!("{}: {} fabricated", sieved.uri, sieved.report.lanes[0].1.markers.fabricated);
    Ok(())
}

/// A body of nothing.
fn empty() -> impl tokio_stream::Stream<Item = Result<http_body::Frame<bytes::Bytes>, Infallible>> + Send + Unpin {
    tokio_stream::empty()
}
