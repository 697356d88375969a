//! Headers that would become others, or that belong to somebody else.

use crate::support::{Answer, Proxy, Upstream, status};

#[test]
fn nothing_is_injected_into_a_request() {
    let upstream = Upstream::new([]);
    let proxy = Proxy::new(&upstream, "");
    for target in ["/a?b=%0d%0aX-Injected:%201", "/a?b=%0aX-Injected:%201", "/a;b=%20HTTP/1.1"] {
        let before = upstream.seen().len();
        let answer = proxy.send(format!("GET {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
        assert_eq!(status(&answer), 200, "{target}: {answer}");
        let seen = &upstream.seen()[before..];
        assert_eq!(seen[0].line(), format!("GET {target} HTTP/1.1"), "encoded it stays");
        assert!(seen[0].values("x-injected").is_empty());
    }
    for request in [
        "GET /a%0d%0aX-Injected:1 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a\rX-Injected: 1 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX-A: b\rX-Injected: 1\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX-A: b\0c\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX-A\u{7f}: b\r\n\r\n",
        "GET  /a HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a HTTP/1.1 \r\nHost: a\r\n\r\n",
        "GET /a HTTP/1.2\r\nHost: a\r\n\r\n",
        "GET /a HTTP/9\r\nHost: a\r\n\r\n",
        "G\0T /a HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a HTTP/1.1\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    ] {
        let before = upstream.seen().len();
        let answer = proxy.send(request);
        assert!(matches!(status(&answer), 0 | 400 | 505), "{request:?}: {answer:?}");
        assert_eq!(upstream.seen().len(), before, "{request:?}: {:?}", upstream.seen().last());
    }
    proxy.assert_fine();
}

/// What is between the client and the proxy stays there, and what a client names as such only takes away its own.
#[test]
fn what_belongs_to_one_connection_stays_there() {
    let upstream = Upstream::new([]);
    let proxy = Proxy::new(&upstream, "");
    let answer = proxy.send(
        "GET /a HTTP/1.1\r\nHost: proxy.example\r\nAuthorization: Bearer mine\r\nCookie: c=1\r\nX-Mine: 1\r\nX-Stays: 1\r\n\
         Connection: close, X-Mine, Authorization, Cookie, Host\r\nKeep-Alive: timeout=5\r\nProxy-Authorization: Basic eA==\r\n\
         Proxy-Connection: keep-alive\r\nTE: trailers, deflate\r\nAccept-Encoding: gzip\r\nX-Citesieve-Id: forged\r\n\r\n",
    );
    assert_eq!(status(&answer), 200, "{answer}");
    let seen = &upstream.seen()[0];
    for gone in ["x-mine", "keep-alive", "proxy-authorization", "proxy-connection"] {
        assert!(seen.values(gone).is_empty(), "{gone}: {}", seen.head);
    }
    assert_eq!(seen.values("host"), [upstream.address.to_string()]);
    assert_eq!(seen.values("authorization"), ["Bearer mine"]);
    assert_eq!(seen.values("cookie"), ["c=1"]);
    assert_eq!(seen.values("x-stays"), ["1"]);
    assert_eq!(seen.values("accept-encoding"), ["identity"]);
}

/// An upstream cannot pass for the proxy, nor write headers with its values.
#[test]
fn nothing_is_injected_into_an_answer() {
    let forged = "HTTP/1.1 200 OK\r\nx-citesieve-id: forged\r\nconnection: x-hop\r\nx-hop: 1\r\nkeep-alive: timeout=5\r\n\
                  proxy-authenticate: Basic\r\ncontent-length: 2\r\n\r\n{}";
    let split = "HTTP/1.1 200 OK\r\nx-a: b\rset-cookie: c=1\r\ncontent-length: 2\r\n\r\n{}";
    let null = "HTTP/1.1 200 OK\r\nx-a: b\0\r\ncontent-length: 2\r\n\r\n{}";
    let upstream = Upstream::new([forged, split, null].map(|bytes| Answer::Bytes(bytes.as_bytes().to_vec())));
    let proxy = Proxy::new(&upstream, "");
    let ask = || proxy.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").to_lowercase();
    let answer = ask();
    for gone in ["forged", "x-hop", "keep-alive", "proxy-authenticate"] {
        assert!(!answer.contains(gone), "{gone}: {answer}");
    }
    for _ in 0..2 {
        let answer = ask();
        assert_eq!(status(&answer.to_uppercase()), 502, "{answer:?}");
    }
}

/// Neither logs nor errors repeat credentials or bodies.
#[test]
fn nothing_secret_is_logged() {
    let upstream = Upstream::new([]);
    let proxy = Proxy::new(&upstream, "");
    let body = r#"{"messages":[{"role":"user","content":"hush-body"}],"citesieve":{"sources":{"1":"hush-source"}}}"#;
    for path in [
        "/v1/chat/completions?key=hush-query&alt=sse",
        "/v1beta/models/m:generateContent?hush-flag",
        "/..?key=hush-refused",
    ] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer hush-token\r\nx-api-key: hush-key\r\napi-key: hush-key\r\n\
             x-goog-api-key: hush-key\r\nCookie: hush-cookie\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let answer = proxy.send(format!("{head}{body}"));
        assert!(!answer.contains("hush"), "{answer}");
    }
    let bad = r#"{"citesieve":{"sources":[{"id":"1","text":"hush-bad","more":1}]}}"#;
    let answer = proxy.send(format!(
        "POST /v1/messages HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{bad}",
        bad.len()
    ));
    assert_eq!(status(&answer), 400, "{answer}");
    assert!(answer.contains("citesieve.sources[0]"), "{answer}");
    // Everything is logged: the filter of these tests is `debug`.
    let log = proxy.log();
    assert!(log.contains("\"answer\"") || log.contains("refused"), "{log}");
    assert!(!log.contains("hush"), "{log}");
}
