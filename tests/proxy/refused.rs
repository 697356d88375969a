//! What is refused, and how.

use std::time::Duration;

use http::Request;
use http_body_util::Full;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{CHAT, Shown, ask, both, client, client2, post, question, raw, send, until};

fn status(answer: &str) -> u16 {
    answer.split_whitespace().nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{answer:?}"))
}

#[tokio::test]
async fn it_is_no_open_proxy() {
    let (upstream, proxy) = both("").await;
    for (request, expected) in [
        ("GET http://example.com/ HTTP/1.1\r\nhost: example.com\r\nconnection: close\r\n\r\n", 421),
        (
            "POST https://example.com/v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
            421,
        ),
        ("CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\nconnection: close\r\n\r\n", 405),
        ("TRACE / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", 405),
        ("GET / HTTP/1.1\r\nconnection: close\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n", 400),
        ("GET /a/../../b HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", 400),
        ("GET /a/%2e%2e/b HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", 400),
        ("GET /a%2f..%2fb HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", 400),
        ("GET /a/..\\b HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", 400),
    ] {
        let answer = raw(proxy.address, request.as_bytes()).await;
        assert_eq!(status(&answer), expected, "{request:?}: {answer}");
    }
    assert_eq!(upstream.stats().requests, 0, "none of them got through");
}

/// Messages whose end two servers might see at different places.
#[tokio::test]
async fn nothing_is_smuggled() {
    let (upstream, proxy) = both("").await;
    let inner = "GET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n";
    let post = |headers: &str, body: &str| {
        format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n{headers}\r\n{body}"
        )
    };
    for (what, request) in [
        ("both lengths", post("content-length: 4\r\ntransfer-encoding: chunked\r\n", &format!("0\r\n\r\n{inner}"))),
        ("two lengths", post("content-length: 2\r\ncontent-length: 40\r\n", &format!("{{}}{inner}"))),
        ("a list of lengths", post("content-length: 2, 40\r\n", &format!("{{}}{inner}"))),
        ("a signed length", post("content-length: +2\r\n", &format!("{{}}{inner}"))),
        ("another coding", post("transfer-encoding: chunked, gzip\r\n", &format!("0\r\n\r\n{inner}"))),
        ("a coding in disguise", post("transfer-encoding: xchunked\r\n", &format!("0\r\n\r\n{inner}"))),
        ("a space before the colon", post("transfer-encoding : chunked\r\n", &format!("0\r\n\r\n{inner}"))),
        ("a bad size of a chunk", post("transfer-encoding: chunked\r\n", &format!("0x2\r\n{{}}\r\n0\r\n\r\n{inner}"))),
        (
            "a huge size of a chunk",
            post("transfer-encoding: chunked\r\n", &format!("fffffffffffffffff\r\n{{}}\r\n{inner}")),
        ),
        ("no end of a chunk", post("transfer-encoding: chunked\r\n", &format!("2\r\n{{}}XX0\r\n\r\n{inner}"))),
        ("a folded header", post("x-a: b\r\n transfer-encoding: chunked\r\n", &format!("0\r\n\r\n{inner}"))),
        ("a zero in a header", post("x-a: b\0c\r\n", inner)),
        ("a bare line end in a header", post("x-a: b\ntransfer-encoding: chunked\r\n", &format!("0\r\n\r\n{inner}"))),
    ] {
        // The connection stays open for what might come after; it is the other side that has to close or to wait.
        let mut stream = tokio::net::TcpStream::connect(proxy.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = vec![0; 64 << 10];
        let read = tokio::time::timeout(Duration::from_secs(5), stream.read(&mut answer)).await;
        let answer = String::from_utf8_lossy(&answer[..read.map_or(0, Result::unwrap)]).into_owned();
        let last = upstream.last();
        assert!(last.is_none_or(|last| !last.body.contains("smuggled")), "{what} {answer}");
        if what == "both lengths" {
            // The chunks count, and only they; what follows is a request of its own, for the proxy to look at.
            let last = upstream.last().unwrap();
            assert!(last.header("transfer-encoding").is_none() || last.header("content-length").is_none());
        } else if what == "a bare line end in a header" || what == "a folded header" {
            // Read as a line end, or refused; never passed on as it is.
        } else if !answer.is_empty() {
            assert_eq!(status(&answer), 400, "{what}: {answer}");
        }
    }
}

#[tokio::test]
async fn what_is_too_long() {
    let (upstream, proxy) = both("[limits]\nrequest_body = 100000\nupload = 200000\nheader = 10000").await;
    let big = |length: usize| json!({"model": "lease", "filler": "x".repeat(length)});
    let shown = send(post(proxy.address, CHAT, &big(200_000))).await;
    assert_eq!(shown.status, 413);
    assert_eq!(shown.refusal(), "the request body is too long: at most 100000 bytes are read");
    assert_eq!(send(post(proxy.address, CHAT, &big(50_000))).await.status, 200);

    // In chunks its length is not known beforehand.
    let chunk = format!("4e20\r\n{}\r\n", "x".repeat(20_000));
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let answer = raw(proxy.address, format!("{head}{}", chunk.repeat(6)).as_bytes()).await;
    assert_eq!(status(&answer), 413, "{answer}");

    // What is not read for its sources may be longer, but not for ever.
    let upload = |length: usize| {
        let request = Request::post(format!("http://{}/v1/files", proxy.address)).header("content-type", "audio/wav");
        request.body(Full::from("x".repeat(length))).unwrap()
    };
    assert_eq!(send(upload(150_000)).await.status, 404, "the upstream has no files");
    assert_eq!(upstream.last().unwrap().body.len(), 150_000);
    assert_eq!(send(upload(250_000)).await.status, 413);

    for client in [client(), client2()] {
        for (length, expected) in [(9_000, 200), (11_000, 431)] {
            let mut request = post(proxy.address, CHAT, &question(false));
            request.headers_mut().insert("x-filler", "x".repeat(length).parse().unwrap());
            let shown = Shown::of(client.request(request).await.unwrap()).await;
            assert_eq!(shown.status, expected, "{length}");
        }
    }
    let endless = format!("GET / HTTP/1.1\r\nhost: a\r\nx: {}", "x".repeat(1 << 20));
    assert_eq!(status(&raw(proxy.address, endless.as_bytes()).await), 431);
    let many = format!("GET / HTTP/1.1\r\nhost: a\r\n{}\r\n", "x: y\r\n".repeat(2000));
    assert_eq!(status(&raw(proxy.address, many.as_bytes()).await), 431);
}

#[tokio::test]
async fn who_is_too_slow() {
    let (upstream, proxy) = both("[limits]\nrequest_head = \"300ms\"\nrequest_idle = \"300ms\"").await;
    // Nothing, a part of a head, the start of HTTP/2.
    for start in ["", "GET / HT", "GET / HTTP/1.1\r\nhost: a\r\nx-a: ", "PRI * HTTP/2.0\r\n\r\nSM"] {
        let mut stream = tokio::net::TcpStream::connect(proxy.address).await.unwrap();
        stream.write_all(start.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let end = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut answer)).await;
        assert!(end.is_ok(), "{start:?} may wait for ever");
    }
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{";
    assert_eq!(status(&raw(proxy.address, head.as_bytes()).await), 408);
    let head = "POST /v1/files HTTP/1.1\r\nhost: a\r\ncontent-type: audio/wav\r\ncontent-length: 50\r\n\r\nxx";
    assert_eq!(status(&raw(proxy.address, head.as_bytes()).await), 408);
    assert_eq!(upstream.stats().requests, 0);
    // And others are served meanwhile.
    assert_eq!(send(post(proxy.address, CHAT, &question(false))).await.status, 200);
}

#[tokio::test]
async fn who_is_one_too_many() {
    let (upstream, proxy) = both("[limits]\nstreams = 2").await;
    let mut running = Vec::new();
    for _ in 0..2 {
        running.push(client().request(ask(proxy.address, CHAT, &question(true), &json!({"stall": 0}))).await.unwrap());
    }
    let shown = send(post(proxy.address, CHAT, &question(true))).await;
    assert_eq!((shown.status.as_u16(), shown.header("retry-after")), (503, Some("1")));
    assert!(shown.refusal().contains("2 requests are under way"));
    // It can still be asked how it is.
    assert_eq!(proxy.page("/healthz").await.0, 200);
    drop(running);
    until("the streams are over", || (upstream.stats().open_bodies == 0).then_some(())).await;
    for _ in 0..1000 {
        if proxy.metric("citesieve_streams").await == 0.0 {
            break;
        }
    }
    assert_eq!(send(post(proxy.address, CHAT, &question(true))).await.status, 200);
}

#[tokio::test]
async fn who_holds_too_much() {
    let (_upstream, proxy) = both("[policy]\nrelease = \"answer\"\n[limits]\nheld = 1000").await;
    let holding = client().request(ask(proxy.address, CHAT, &question(true), &json!({"stall": 4000}))).await.unwrap();
    let mut held = 0.0;
    for _ in 0..1000 {
        held = proxy.metric("citesieve_held_bytes").await;
        if held > 1000.0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(held > 1000.0);
    let shown = send(post(proxy.address, CHAT, &question(true))).await;
    assert_eq!(
        (shown.status.as_u16(), shown.refusal().as_str()),
        (503, "too much text is held for the answers under way")
    );
    drop(holding);
    for _ in 0..1000 {
        if proxy.metric("citesieve_held_bytes").await == 0.0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("what was held is never given back");
}

/// What they carry could not be checked. That HTTP/2 is offered is no such thing.
#[tokio::test]
async fn upgrades() {
    let (upstream, proxy) = both("").await;
    let upgrade = |to: &str| {
        format!(
            "GET /v1/realtime HTTP/1.1\r\nhost: a\r\nconnection: upgrade, close\r\nupgrade: {to}\r\n\
             sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n"
        )
    };
    let answer = raw(proxy.address, upgrade("websocket").as_bytes()).await;
    assert_eq!(status(&answer), 501, "{answer}");
    assert!(answer.contains("an upgrade to websocket is not passed on"));
    assert_eq!(upstream.stats().requests, 0);
    assert_eq!(proxy.metric("citesieve_requests_total{status=\"501\",by=\"citesieve\"}").await, 1.0);
    assert_eq!(status(&raw(proxy.address, upgrade("h2c").as_bytes()).await), 404);
    let last = upstream.last().unwrap();
    assert_eq!((last.header("upgrade"), last.header("connection")), (None, None));
}

#[tokio::test]
async fn answers_to_head_have_no_body() {
    let (_upstream, proxy) = both("").await;
    for path in ["/healthz", "/_citesieve/verdicts/7", "/v1/models"] {
        let request = Request::head(format!("http://{}{path}", proxy.address)).body(Full::default()).unwrap();
        assert!(send(request).await.body.is_empty(), "{path}");
    }
}
