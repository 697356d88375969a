//! Paths that lead elsewhere.

use crate::support::{Proxy, Upstream, status};

fn get(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
}

#[test]
fn it_is_no_open_proxy() {
    let (upstream, other) = (Upstream::new([]), Upstream::new([]));
    let proxy = Proxy::new(&upstream, "");
    let elsewhere = other.address;
    for (request, expected) in [
        (get(&format!("http://{elsewhere}/x")), 421),
        (get(&format!("https://{elsewhere}/x")), 421),
        (get(&format!("http://{}/x", upstream.address)), 421),
        (get(&format!("HTTP://user:pass@{elsewhere}/x")), 421),
        (format!("CONNECT {elsewhere} HTTP/1.1\r\nHost: {elsewhere}\r\n\r\n"), 405),
        (format!("CONNECT /x HTTP/1.1\r\nHost: {elsewhere}\r\n\r\n"), 405),
        ("TRACE / HTTP/1.1\r\nHost: a\r\nCookie: c\r\n\r\n".to_owned(), 405),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n".to_owned(), 501),
    ] {
        let answer = proxy.send(&request);
        // A parser may refuse the odd ones before anybody reads them.
        assert!(status(&answer) == expected || status(&answer) == 400, "{request:?}: {answer:?}");
    }
    assert!(other.seen().is_empty() && upstream.seen().is_empty(), "{:?}", upstream.seen());
    // Names of other hosts change nothing about where it goes.
    for request in [
        get(&format!("//{elsewhere}/x")),
        get(&format!("/@{elsewhere}/x")),
        get(&format!("/x?url=http://{elsewhere}/")),
        get("/x").replace(
            "Host: a",
            &format!("Host: {elsewhere}\r\nX-Forwarded-Host: {elsewhere}\r\nForwarded: host={elsewhere}"),
        ),
    ] {
        let before = upstream.seen().len();
        let answer = proxy.send(&request);
        assert_eq!(status(&answer), 200, "{request:?}: {answer:?}");
        assert_eq!(upstream.seen()[before].values("host"), [upstream.address.to_string()], "{request:?}");
    }
    assert!(other.seen().is_empty());
}

#[test]
fn a_route_is_not_left() {
    let (upstream, secret) = (Upstream::new([]), Upstream::new([]));
    let config = format!("[[route]]\npath = \"/secret\"\nupstream = \"http://{}/base\"\n", secret.address);
    let proxy = Proxy::with(&upstream, "", &config);
    for path in [
        "/secret/..",
        "/secret/../x",
        "/secret/%2e%2e/x",
        "/secret/.%2e/x",
        "/secret/..%2fx",
        "/secret%2f..%2fx",
        "/secret/..\\x",
        "/secret/..%5cx",
        "/secret/..;/x",
        "/secret/%252e%252e/x",
        "/x/../secret/y",
        "/secret/./x",
        "/secret/..%00/x",
        "/secret/%c0%ae%c0%ae/../x",
    ] {
        let answer = proxy.send(get(path));
        assert_eq!(status(&answer), 400, "{path}: {answer:?}");
    }
    assert!(upstream.seen().is_empty() && secret.seen().is_empty(), "{:?} {:?}", upstream.seen(), secret.seen());
    for (path, to_secret, expected) in [
        ("/secret", true, "/base/"),
        ("/secret/x", true, "/base/x"),
        ("/secret?x=/../y", true, "/base/?x=/../y"),
        ("/secrets/x", false, "/secrets/x"),
        ("/SECRET/x", false, "/SECRET/x"),
        ("//secret/x", false, "//secret/x"),
        ("/a/secret/x", false, "/a/secret/x"),
    ] {
        let before = (upstream.seen().len(), secret.seen().len());
        let answer = proxy.send(get(path));
        assert_eq!(status(&answer), 200, "{path}: {answer:?}");
        let seen = if to_secret { &secret.seen()[before.1..] } else { &upstream.seen()[before.0..] };
        assert_eq!(seen[0].line(), format!("GET {expected} HTTP/1.1"));
    }
}

/// Verdicts are for who knows their name; nothing else of the proxy's own leads to the upstream.
#[test]
fn the_proxys_own_pages() {
    let upstream = Upstream::new([]);
    let proxy = Proxy::new(&upstream, "");
    for (path, expected) in [
        ("/healthz", 200),
        ("/readyz", 200),
        ("/metrics", 200),
        ("/_citesieve/", 404),
        ("/_citesieve/verdicts", 404),
        ("/_citesieve/verdicts/", 404),
        ("/_citesieve/verdicts/0", 404),
        ("/_citesieve/verdicts/00000000000000000000000000000000", 404),
        ("/_citesieve/verdicts/%30", 404),
        ("/_citesieve/verdicts/..", 400),
        ("/_citesieve/verdicts/+0000000000000000000000000000000", 404),
    ] {
        let answer = proxy.send(get(path));
        assert_eq!(status(&answer), expected, "{path}: {answer:?}");
        let posted = proxy.send(get(path).replacen("GET", "POST", 1));
        assert!(status(&posted) == 405 || expected == 400, "{path}: {posted:?}");
    }
    assert!(upstream.seen().is_empty(), "{:?}", upstream.seen());
}
