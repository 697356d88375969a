//! The upstream does what its scripts say: tests that lean on it may believe it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on is to fail")]

use std::io::Read;
use std::path::Path;

use bytes::Bytes;
use citesieve_upstream::{Received, Script, Settings, Stats, Upstream};
use http::{HeaderMap, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// The recording, the server that plays it, and a request for it.
const RECORDING: &str = "openai-chat/lease.sse";
const ASK: &str = r#"{"model":"lease","stream":true}"#;

fn recording() -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../recordings").join(RECORDING)).unwrap()
}

async fn upstream(script: &str) -> Upstream {
    let recordings = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../recordings")];
    let script: Script = serde_json::from_str(script).unwrap();
    Upstream::start(Settings { recordings, script, ..Settings::default() }).await.unwrap()
}

struct Got {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
    trailers: Option<HeaderMap>,
    whole: bool,
}

async fn get(upstream: &Upstream, http2: bool) -> Got {
    let client = Client::builder(TokioExecutor::new()).http2_only(http2).build_http();
    let request = Request::post(format!("{}/v1/chat/completions", upstream.url())).header("te", "trailers");
    let response = client.request(request.body(Full::<Bytes>::from(ASK)).unwrap()).await.unwrap();
    let (parts, mut body) = response.into_parts();
    let mut got =
        Got { status: parts.status.as_u16(), headers: parts.headers, body: Vec::new(), trailers: None, whole: false };
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return got };
        match frame.into_data() {
            Ok(data) => got.body.extend_from_slice(&data),
            Err(frame) => got.trailers = frame.into_trailers().ok(),
        }
    }
    got.whole = true;
    got
}

/// Waits until the statistics are so: they change when a task of the server gets to it.
async fn becomes(upstream: &Upstream, so: impl Fn(Stats) -> bool) {
    while !so(upstream.stats()) {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_recording_is_played_whole_however_it_is_cut() {
    for (script, http2) in
        [("{}", false), (r#"{"chunk":1}"#, false), (r#"{"chunk":0}"#, true), (r#"{"chunk":7}"#, true)]
    {
        let upstream = upstream(script).await;
        let got = get(&upstream, http2).await;
        assert!(got.whole && got.status == 200, "{script}");
        assert_eq!(got.headers["content-type"], "text/event-stream; charset=utf-8");
        assert!(got.body == recording(), "{script}");
        assert_eq!(upstream.stats().http2_requests, u64::from(http2));
        becomes(&upstream, |stats| stats.complete_bodies == 1 && stats.open_bodies == 0).await;
        let Received { body, path, .. } = upstream.last().unwrap();
        assert_eq!((body.as_str(), path.as_str()), (ASK, "/v1/chat/completions"));
    }
}

#[tokio::test]
async fn a_compressed_body_is_the_recording() {
    for encoding in ["gzip", "deflate", "br", "zstd"] {
        let got = get(&upstream(&format!(r#"{{"encoding":"{encoding}"}}"#)).await, false).await;
        assert_eq!(got.headers["content-encoding"], encoding);
        let mut body = Vec::new();
        let mut decoder: Box<dyn Read> = match encoding {
            "gzip" => Box::new(flate2::read::GzDecoder::new(&got.body[..])),
            "deflate" => Box::new(flate2::read::ZlibDecoder::new(&got.body[..])),
            "br" => Box::new(brotli::Decompressor::new(&got.body[..], 4096)),
            _ => Box::new(zstd::stream::read::Decoder::new(&got.body[..]).unwrap()),
        };
        decoder.read_to_end(&mut body).unwrap();
        assert!(body == recording(), "{encoding}");
    }
}

#[tokio::test]
async fn a_cut_is_a_cut() {
    for http2 in [false, true] {
        let upstream = upstream(r#"{"cut":1000}"#).await;
        let got = get(&upstream, http2).await;
        assert!(!got.whole);
        assert!(got.body == recording()[..1000]);
    }
}

#[tokio::test]
async fn errors_trailers_and_lengths() {
    let got = get(&upstream(r#"{"status":429,"headers":{"retry-after":"7"}}"#).await, false).await;
    assert_eq!((got.status, got.headers["retry-after"].as_bytes()), (429, &b"7"[..]));
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&got.body).unwrap()["error"]["code"], 429);

    let got = get(&upstream(r#"{"error_at":400}"#).await, false).await;
    let end = String::from_utf8(got.body[got.body.len() - 120..].to_vec()).unwrap();
    assert!(end.contains("\"Overloaded\"") && end.ends_with("\n\n"), "{end}");

    let got = get(&upstream(r#"{"trailers":{"x-checksum":"1"}}"#).await, false).await;
    assert_eq!(got.trailers.unwrap()["x-checksum"], "1");

    let got = get(&upstream(r#"{"length":true}"#).await, false).await;
    assert_eq!(got.headers["content-length"].to_str().unwrap(), recording().len().to_string());
}

#[tokio::test]
async fn a_client_that_leaves_is_counted() {
    for script in [r#"{"stall":300}"#, r#"{"silent":true}"#] {
        let upstream = upstream(script).await;
        let mut client = tokio::net::TcpStream::connect(upstream.address()).await.unwrap();
        let head = format!("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", ASK.len());
        client.write_all(format!("{head}{ASK}").as_bytes()).await.unwrap();
        if script.contains("stall") {
            client.read_u8().await.unwrap();
        }
        becomes(&upstream, |stats| stats.open_bodies == 1 && stats.open_connections == 1).await;
        drop(client);
        becomes(&upstream, |stats| stats.abandoned == 1 && stats.open_bodies == 0 && stats.open_connections == 0).await;
    }
}

#[tokio::test]
async fn a_misspelled_script_is_an_error() {
    let upstream = upstream("{}").await;
    let request =
        Request::post(format!("{}/v1/chat/completions", upstream.url())).header("x-upstream", r#"{"chunks":1}"#);
    let client = Client::builder(TokioExecutor::new()).build_http();
    let response = client.request(request.body(Full::<Bytes>::from(ASK)).unwrap()).await.unwrap();
    assert_eq!(response.status(), 400);
}
