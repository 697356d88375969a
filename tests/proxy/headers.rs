//! What passes of the heads, in both directions, and of the trailers.

use serde_json::json;

use crate::support::{CHAT, Shown, ask, both, client, client2, post, question, send};

#[tokio::test]
async fn what_the_upstream_sees() {
    let (upstream, proxy) = both("").await;
    let mut request = post(proxy.address, &format!("{CHAT}?api-version=2&key=secret&x=%5B1%5D"), &question(true));
    for (name, value) in [
        ("authorization", "Bearer secret"),
        ("x-api-key", "secret"),
        ("accept-encoding", "gzip, br"),
        ("accept", "application/json"),
        ("connection", "keep-alive, x-drop-me"),
        ("x-drop-me", "1"),
        ("keep-alive", "timeout=5"),
        ("proxy-authorization", "secret"),
        ("te", "trailers"),
        ("range", "bytes=0-10"),
        ("if-none-match", "\"x\""),
        ("expect", "100-continue"),
        ("x-citesieve-id", "mine"),
        ("cookie", "a=b"),
    ] {
        request.headers_mut().append(name, value.parse().unwrap());
    }
    request.headers_mut().append("x-many", "1".parse().unwrap());
    request.headers_mut().append("x-many", "2".parse().unwrap());
    assert_eq!(send(request).await.status, 200);
    let last = upstream.last().unwrap();
    assert_eq!(last.path, format!("{CHAT}?api-version=2&key=secret&x=%5B1%5D"));
    assert_eq!(last.header("host").unwrap(), upstream.address().to_string());
    for (name, value) in [
        ("authorization", Some("Bearer secret")),
        ("x-api-key", Some("secret")),
        ("accept-encoding", Some("identity")),
        ("accept", Some("application/json")),
        ("te", Some("trailers")),
        ("cookie", Some("a=b")),
        ("connection", None),
        ("x-drop-me", None),
        ("keep-alive", None),
        ("proxy-authorization", None),
        ("range", None),
        ("if-none-match", None),
        ("expect", None),
        ("transfer-encoding", None),
    ] {
        assert_eq!(last.header(name), value, "{name}");
    }
    let many: Vec<&str> =
        last.headers.iter().filter(|(name, _)| name == "x-many").map(|(_, value)| value.as_str()).collect();
    assert_eq!(many, ["1", "2"]);
    // Its own field is taken out, and nothing else is touched.
    let mut body = question(true);
    body.as_object_mut().unwrap().remove("citesieve");
    assert_eq!(last.body, body.to_string());
    assert_eq!(last.header("content-length").unwrap(), body.to_string().len().to_string());
    // Nothing of it in the log.
    assert!(!proxy.log().contains("secret"), "{}", proxy.log());
}

#[tokio::test]
async fn what_the_client_sees() {
    let (_upstream, proxy) = both("").await;
    let headers = json!({
        "x-request-id": "req_1", "openai-processing-ms": "12", "x-ratelimit-remaining-tokens": "9", "etag": "\"e\"",
        "digest": "x", "content-digest": "x", "content-md5": "x", "accept-ranges": "bytes", "keep-alive": "timeout=5",
        "connection": "x-hop", "x-hop": "1", "vary": "Origin", "set-cookie": "a=b", "proxy-authenticate": "x",
        "x-citesieve-id": "forged",
    });
    for (client, _version) in [(client(), 1), (client2(), 2)] {
        let request = ask(proxy.address, CHAT, &question(true), &json!({"headers": headers, "length": true}));
        let shown = Shown::of(client.request(request).await.unwrap()).await;
        for (name, value) in [
            ("x-request-id", Some("req_1")),
            ("openai-processing-ms", Some("12")),
            ("x-ratelimit-remaining-tokens", Some("9")),
            ("vary", Some("Origin")),
            ("set-cookie", Some("a=b")),
            ("x-accel-buffering", Some("no")),
            ("etag", None),
            ("digest", None),
            ("content-digest", None),
            ("content-md5", None),
            ("accept-ranges", None),
            ("content-length", None),
            ("keep-alive", None),
            ("x-hop", None),
            ("connection", None),
            ("proxy-authenticate", None),
        ] {
            assert_eq!(shown.header(name), value, "{name}");
        }
        assert_eq!(shown.header("x-citesieve-id").unwrap().len(), 32);
        assert!(shown.header("cache-control").is_some());
    }
    let script = json!({"headers": {"cache-control": "no-store, no-transform", "x-accel-buffering": "yes"}});
    let shown = send(ask(proxy.address, CHAT, &question(true), &script)).await;
    assert_eq!(shown.header("cache-control"), Some("no-store, no-transform"));
    assert_eq!(shown.header("x-accel-buffering"), Some("yes"));

    // Without sources the length and what speaks of the bytes is still true.
    let plain = json!({"model": "lease", "stream": true});
    let shown = send(ask(proxy.address, CHAT, &plain, &json!({"headers": headers, "length": true}))).await;
    assert_eq!((shown.header("etag"), shown.header("digest")), (Some("\"e\""), Some("x")));
    assert!(shown.header("content-length").is_some());
}

#[tokio::test]
async fn trailers_pass() {
    let (_upstream, proxy) = both("").await;
    for (client, version) in [(client(), 1), (client2(), 2)] {
        let script = json!({"trailers": {"x-checksum": "abc", "x-cost": "7"}});
        let mut request = ask(proxy.address, CHAT, &question(true), &script);
        request.headers_mut().insert("te", "trailers".parse().unwrap());
        let shown = Shown::of(client.request(request).await.unwrap()).await;
        let trailers = shown.trailers.unwrap_or_else(|| panic!("HTTP/{version}"));
        assert_eq!((trailers["x-checksum"].to_str().unwrap(), trailers["x-cost"].to_str().unwrap()), ("abc", "7"));
    }
}

/// Interim answers of the upstream are not the answer, and a client that waits for leave to send its body gets it.
#[tokio::test]
async fn interim_answers() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let upstream = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"{\"model\":1}") {
            let mut more = [0; 1024];
            let read = stream.read(&mut more).await.unwrap();
            request.extend_from_slice(&more[..read]);
        }
        let answer = b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
        stream.write_all(answer).await.unwrap();
        String::from_utf8(request).unwrap()
    });
    let proxy = crate::support::Proxy::start(&format!("upstream = \"http://{upstream}\""));
    let mut client = tokio::net::TcpStream::connect(proxy.address).await.unwrap();
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\
                expect: 100-continue\r\nconnection: close\r\n\r\n";
    client.write_all(head.as_bytes()).await.unwrap();
    let mut leave = [0; 25];
    client.read_exact(&mut leave).await.unwrap();
    assert_eq!(leave, *b"HTTP/1.1 100 Continue\r\n\r\n");
    client.write_all(b"{\"model\":1}").await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\nok"), "{answer}");
    assert!(!server.await.unwrap().to_lowercase().contains("expect"));
}

#[tokio::test]
async fn redirections_do_not_lead_past_the_proxy() {
    let upstream = crate::support::upstream([]).await;
    let proxy =
        crate::support::Proxy::start(&format!("[[route]]\npath = \"/a\"\nupstream = \"{}/base\"", upstream.url()));
    let url = upstream.url();
    for (to, expected) in [
        (format!("{url}/base/v2/chat?x=1"), "/a/v2/chat?x=1".to_owned()),
        ("/base/v2".into(), "/a/v2".into()),
        (format!("{url}/base"), "/a/".into()),
        // Where this proxy does not lead.
        (format!("{url}/based/v2"), format!("{url}/based/v2")),
        ("https://example.com/base/v2".into(), "https://example.com/base/v2".into()),
        ("//example.com/base/v2".into(), "//example.com/base/v2".into()),
        ("v2".into(), "v2".into()),
    ] {
        let script = json!({"status": 307, "headers": {"location": to}});
        let shown = send(ask(proxy.address, &format!("/a{CHAT}"), &question(true), &script)).await;
        assert_eq!((shown.status.as_u16(), shown.header("location")), (307, Some(expected.as_str())));
    }
}

#[tokio::test]
async fn cookies_that_came_one_by_one() {
    let (upstream, proxy) = both("").await;
    let mut request = post(proxy.address, CHAT, &question(false));
    for cookie in ["a=1", "b=2"] {
        request.headers_mut().append("cookie", cookie.parse().unwrap());
    }
    Shown::of(client2().request(request).await.unwrap()).await;
    assert_eq!(upstream.last().unwrap().headers.iter().filter(|(name, _)| name == "cookie").count(), 1);
    assert_eq!(upstream.last().unwrap().header("cookie"), Some("a=1; b=2"));
}
