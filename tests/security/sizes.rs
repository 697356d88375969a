//! Too much of anything.

use crate::support::{Answer, Proxy, Upstream, status};

const LIMITS: &str = "request_body = 100000\nupload = 200000\nheader = 8192\n";

fn post(kind: &str, rest: &str) -> String {
    format!("POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: {kind}\r\nConnection: close\r\n{rest}")
}

#[test]
fn request_bodies() {
    let upstream = Upstream::new([]);
    let proxy = Proxy::new(&upstream, LIMITS);
    let json = |length: usize| format!("\"{}\"", "x".repeat(length - 2));
    // One that fits, with and without chunks.
    for framed in [
        format!("Content-Length: 100000\r\n\r\n{}", json(100_000)),
        format!("Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n", 100_000, json(100_000)),
    ] {
        let answer = proxy.send(post("application/json", &framed));
        assert_eq!(status(&answer), 200, "{answer:?}");
    }
    assert!(upstream.seen().iter().all(|seen| seen.body.len() == 100_000));
    let before = upstream.seen().len();
    // Announced, announced and not sent, and not announced.
    let chunks = format!("1000\r\n{}\r\n", "x".repeat(0x1000)).repeat(40);
    for framed in [
        format!("Content-Length: 100001\r\n\r\n{}", json(100_001)),
        "Content-Length: 99999999999999\r\n\r\n".to_owned(),
        format!("Transfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n"),
        "Expect: 100-continue\r\nContent-Length: 100001\r\n\r\n".to_owned(),
    ] {
        let answer = proxy.send(post("application/json", &framed));
        let last = answer.rsplit("HTTP/1.1 100 Continue\r\n\r\n").next().unwrap();
        assert_eq!(status(last), 413, "{}: {answer:?}", &framed[..40]);
        assert!(last.contains("100000 bytes"), "{answer:?}");
    }
    assert_eq!(upstream.seen().len(), before);
    // What is not read is bounded too.
    let chunks = chunks.repeat(2);
    let answer = proxy.send(
        post("application/octet-stream", &format!("Transfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n"))
            .replace("/v1/chat/completions", "/upload"),
    );
    assert_eq!(status(&answer), 413, "{answer:?}");
    let answer = proxy.send(
        post("application/octet-stream", "Content-Length: 200001\r\n\r\n").replace("/v1/chat/completions", "/upload"),
    );
    assert_eq!(status(&answer), 413, "{answer:?}");
    assert_eq!(upstream.seen().len(), before);
    proxy.assert_fine();
}

#[test]
fn heads() {
    let upstream = Upstream::new([]);
    let proxy = Proxy::new(&upstream, LIMITS);
    let many = |count: usize, length: usize| {
        (0..count).map(|n| format!("x-{n}: {}\r\n", "a".repeat(length))).collect::<String>()
    };
    for (what, request) in [
        ("a long value", format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", many(1, 9000))),
        ("a very long value", format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", many(1, 3_000_000))),
        ("a long name", format!("GET / HTTP/1.1\r\nHost: a\r\n{}: 1\r\n\r\n", "x".repeat(9000))),
        ("a very long name", format!("GET / HTTP/1.1\r\nHost: a\r\n{}: 1\r\n\r\n", "x".repeat(300_000))),
        ("many", format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", many(240, 40))),
        ("very many", format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", many(30_000, 1))),
        ("a long path", format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(9000))),
        ("a very long path", format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(300_000))),
        ("a long query", format!("GET /?{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(9000))),
        ("a long method", format!("{} / HTTP/1.1\r\nHost: a\r\n\r\n", "A".repeat(300_000))),
        ("no end", "GET / HTTP/1.1\r\nHost: a\r\nx: ".to_owned() + &"a".repeat(3_000_000)),
    ] {
        let answer = proxy.send(&request);
        // What is still coming may reset the connection before the answer is read.
        assert!(matches!(status(&answer), 0 | 400 | 414 | 431), "{what}: {answer:?}");
        if request.len() < 20_000 {
            assert_eq!(status(&answer), 431, "{what}: {answer:?}");
        }
        assert!(upstream.seen().is_empty(), "{what}");
    }
    // Below the limit they pass.
    let answer = proxy.send(format!("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{}\r\n", many(100, 50)));
    assert_eq!(status(&answer), 200, "{answer:?}");
    assert_eq!(upstream.seen()[0].values("x-99"), ["a".repeat(50)]);
}

#[test]
fn heads_of_answers() {
    let long = format!("HTTP/1.1 200 OK\r\nx: {}\r\ncontent-length: 2\r\n\r\n{{}}", "a".repeat(3_000_000));
    let many = format!("HTTP/1.1 200 OK\r\n{}content-length: 2\r\n\r\n{{}}", "x: 1\r\n".repeat(30_000));
    let informed = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(20_000);
    let answers =
        [long, many, "no HTTP at all\r\n\r\n".into(), "HTTP/1.1 999999 X\r\n\r\n".into(), "\0".repeat(100_000)];
    let upstream = Upstream::new(answers.map(|answer: String| Answer::Bytes(answer.into_bytes())));
    let proxy = Proxy::new(&upstream, "idle = \"2s\"\n");
    for _ in 0..5 {
        let answer = proxy.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        assert_eq!(status(&answer), 502, "{answer:?}");
    }
    let upstream = Upstream::new([Answer::Hang(informed.into_bytes())]);
    let proxy = Proxy::new(&upstream, "idle = \"1s\"\n");
    let answer = proxy.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    let last = answer.rfind("HTTP/1.1 50").map(|at| status(&answer[at..]));
    assert!(matches!(last, Some(502 | 504)), "{answer:?}");
}

/// An event that never ends is not kept, nor is an answer that nobody takes.
#[test]
fn endless_answers_do_not_fill_the_memory() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let event = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Due [";
    let body = r#"{"stream":true,"citesieve":{"sources":{"1":"Rent."}},"messages":[]}"#;
    let request = post("application/json", &format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    // An event without an end, markers that never close, an event of nothing but brackets.
    let kinds = [
        (event.to_owned(), "x".repeat(60_000)),
        (String::new(), format!("{event}\"}}}}]}}\n\n").repeat(1000)),
        ("data: ".to_owned(), "[".repeat(60_000)),
        (String::new(), "\n: \n\nid: 1\n".repeat(6000)),
        (String::new(), "data\n".repeat(10_000)),
    ];
    for (start, more) in kinds {
        let upstream =
            Upstream::new([Answer::Endless(format!("{head}{start}").into_bytes(), more.clone().into_bytes())]);
        let proxy = Proxy::new(&upstream, "frame = 1000000\n");
        let Some(before) = proxy.resident() else { return println!("skipped: no /proc") };
        let mut client = proxy.connect();
        client.send(&request);
        let head = client.until("\r\n\r\n");
        assert_eq!(status(&head), 200, "{head}");
        let taken = client.take(100 << 20);
        let after = proxy.resident().unwrap();
        assert!(taken >= 100 << 20, "{:?}: only {taken} bytes came", &more[..5]);
        assert!(after < before + 60_000, "{:?}: from {before} to {after} kB", &more[..5]);
        drop(client);
        upstream.await_closed(1);
    }
}

/// As many requests as are allowed, and a clear word to the next.
#[test]
fn streams_at_once() {
    let hang = || Answer::Hang(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: hi\n\n".to_vec());
    let upstream = Upstream::new([hang(), hang()]);
    let proxy = Proxy::new(&upstream, "streams = 2\n");
    let mut clients = [proxy.connect(), proxy.connect()];
    for client in &mut clients {
        client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
        client.until(": hi\n\n");
    }
    let answer = proxy.send("GET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert_eq!(status(&answer), 503, "{answer}");
    assert!(answer.to_lowercase().contains("retry-after: 1"), "{answer}");
    let health = proxy.send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert_eq!(status(&health), 200, "{health}");
    drop(clients);
    upstream.await_closed(2);
    proxy.assert_fine();
}
