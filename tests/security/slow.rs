//! Those who take their time, on either side.

use std::thread::sleep;
use std::time::Duration;

use crate::support::{Answer, Proxy, Upstream, status};

const JSON: &str = "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";

/// Sends a piece every 50 ms until the other side has closed, at most for 20 s.
fn drip(client: &mut crate::support::Client, pieces: impl Iterator<Item = String>) {
    for piece in pieces.take(400) {
        if !client.send(piece) {
            return;
        }
        sleep(Duration::from_millis(50));
    }
    panic!("it takes whatever comes, for 20 s");
}

#[test]
fn heads_that_do_not_end() {
    let upstream = Upstream::new([]);
    let proxy = Proxy::new(&upstream, "request_head = \"500ms\"\n");
    // Nothing at all, half a line, half a head; and one that keeps coming.
    for start in ["", "G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\nx: "] {
        let mut client = proxy.connect();
        client.send(start);
        let answer = client.rest();
        assert!(matches!(status(&answer), 0 | 408), "{start:?}: {answer:?}");
        let mut client = proxy.connect();
        client.send(if start.is_empty() { "GET / HTTP/1.1\r\n" } else { start });
        drip(&mut client, (0..).map(|n| format!("{n}: ")));
    }
    // A connection that was used and is left open ends as well.
    let mut client = proxy.connect();
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    client.until("{}");
    assert_eq!(client.rest(), "");
    // The preface of HTTP/2, cut.
    let mut client = proxy.connect();
    client.send("PRI * HTTP/2.0\r\n\r\nS");
    assert_eq!(status(&client.rest()), 0);
    proxy.assert_fine();
}

#[test]
fn bodies_that_do_not_end() {
    let upstream = Upstream::new([]);
    let proxy = Proxy::new(&upstream, "request_idle = \"500ms\"\ntotal = \"2s\"\n");
    for rest in [
        "Content-Length: 10\r\n\r\n{",
        "Transfer-Encoding: chunked\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\n{",
    ] {
        let mut client = proxy.connect();
        client.send(format!("{JSON}{rest}"));
        let answer = client.rest();
        assert_eq!(status(&answer), 408, "{rest:?}: {answer:?}");
    }
    // One that keeps coming, byte by byte, is bounded by the time of the whole.
    for (head, piece) in [
        (format!("{JSON}Transfer-Encoding: chunked\r\n\r\n"), "1\r\nx\r\n"),
        (
            JSON.replace("application/json", "text/plain").replace("/v1/chat/completions", "/upload")
                + "Transfer-Encoding: chunked\r\n\r\n",
            "1\r\nx\r\n",
        ),
        (format!("{JSON}Content-Length: 100000\r\n\r\n"), "x"),
    ] {
        let mut client = proxy.connect();
        client.send(&head);
        drip(&mut client, std::iter::repeat(piece.to_owned()));
    }
    assert!(upstream.seen().is_empty());
    proxy.assert_fine();
}

#[test]
fn an_upstream_that_never_answers() {
    let nothing = || Answer::Hang(Vec::new());
    let half = || Answer::Hang(b"HTTP/1.1 200 OK\r\ncontent-le".to_vec());
    let upstream = Upstream::new([nothing(), half(), nothing(), half()]);
    let proxy = Proxy::new(&upstream, "idle = \"500ms\"\n");
    let body = r#"{"citesieve":{"sources":[]},"messages":[]}"#;
    let post = format!("{JSON}Connection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    for request in ["GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", &post] {
        for _ in 0..2 {
            let answer = proxy.send(request);
            assert_eq!(status(&answer), 504, "{answer:?}");
        }
    }
    upstream.await_closed(4);
    proxy.assert_fine();
}

/// An answer that stops in the middle is passed on as one that does.
#[test]
fn an_upstream_that_stops() {
    let event = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Due [\"}}]}\n\n";
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let stops = || Answer::Hang(format!("{head}{:x}\r\n{event}\r\n", event.len()).into_bytes());
    let upstream = Upstream::new([stops(), stops()]);
    let proxy = Proxy::new(&upstream, "idle = \"500ms\"\n");
    for sources in [r#""citesieve":{"sources":[]},"#, ""] {
        let body = format!(r#"{{{sources}"stream":true,"messages":[]}}"#);
        let answer = proxy.send(format!("{JSON}Connection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
        assert_eq!(status(&answer), 200, "{answer:?}");
        assert!(answer.contains("Due ["), "what was held is not lost: {answer:?}");
        assert!(!answer.ends_with("0\r\n\r\n"), "the cut is passed on: {answer:?}");
    }
    upstream.await_closed(2);
}

/// A client that takes nothing does not keep its upstream busy for ever.
#[test]
fn a_client_that_takes_nothing() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let upstream = Upstream::new([Answer::Endless(head.into(), vec![b'x'; 60_000])]);
    let proxy = Proxy::new(&upstream, "client_stall = \"500ms\"\n");
    let mut client = proxy.connect();
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    client.until("\r\n\r\n");
    upstream.await_closed(1);
    proxy.assert_fine();
}

/// Nobody listens there.
#[test]
fn an_upstream_that_is_not_there() {
    let mut upstream = Upstream::new([]);
    upstream.address = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let proxy = Proxy::new(&upstream, "connect = \"500ms\"\n");
    let answer = proxy.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert_eq!(status(&answer), 502, "{answer:?}");
}
