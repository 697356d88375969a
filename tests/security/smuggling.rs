//! Requests that two parsers could read differently.

use crate::support::{Answer, Proxy, Upstream, status};

/// A request that must not be one: it stands where a careless parser sees the next request.
const HIDDEN: &str = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n";

/// Heads whose framing is in doubt, each behind `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n`, with what follows.
fn doubtful() -> Vec<(&'static str, String)> {
    let chunked = |fields: &str| format!("{fields}\r\n\r\n0\r\n\r\n{HIDDEN}");
    let counted = |fields: &str| format!("{fields}\r\n\r\n{HIDDEN}");
    vec![
        ("both lengths", chunked("Content-Length: 5\r\nTransfer-Encoding: chunked")),
        ("both lengths, the other way round", chunked("Transfer-Encoding: chunked\r\nContent-Length: 5")),
        (
            "both lengths, the whole",
            chunked(&format!("Transfer-Encoding: chunked\r\nContent-Length: {}", 5 + HIDDEN.len())),
        ),
        ("two lengths", counted("Content-Length: 0\r\nContent-Length: 4")),
        ("two lengths in one", counted("Content-Length: 0, 4")),
        ("a signed length", counted("Content-Length: +0")),
        ("a negative length", counted("Content-Length: -1")),
        ("a length in hexadecimal", counted("Content-Length: 0x0")),
        ("an empty length", counted("Content-Length: ")),
        ("a huge length", counted("Content-Length: 99999999999999999999999")),
        ("a length with a space in it", counted("Content-Length: 0 0")),
        ("a length behind a space", counted("Content-Length : 0\r\nTransfer-Encoding : chunked")),
        ("an unknown coding", chunked("Transfer-Encoding: xchunked")),
        ("identity", chunked("Transfer-Encoding: identity")),
        ("chunked, then another", chunked("Transfer-Encoding: chunked, identity")),
        ("chunked as a word in quotation marks", chunked("Transfer-Encoding: \"chunked\"")),
        ("chunked behind a vertical tab", chunked("Transfer-Encoding: \u{b}chunked")),
        ("two codings", chunked("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity")),
        ("a folded coding", chunked("Transfer-Encoding:\r\n chunked")),
        ("a folded field before it", chunked("X-A: b\r\n Transfer-Encoding: chunked\r\nContent-Length: 5")),
        ("a carriage return alone", chunked("X-A: b\rTransfer-Encoding: chunked\r\nContent-Length: 5")),
        ("a null", chunked("X-A: b\0\r\nTransfer-Encoding: chunked")),
        ("a name with a space", counted("Content Length: 5")),
        ("a name in brackets", counted("(Content-Length): 5")),
        ("no colon", counted("Content-Length")),
        ("a field that begins with a space", counted(" Content-Length: 5")),
        ("a name that is not ASCII", counted("Content\u{2011}Length: 5")),
    ]
}

/// Whatever is made of them, nothing comes out that was hidden in a body, and nothing more is read of the connection.
#[test]
fn doubtful_lengths() {
    let upstream = Upstream::new([]);
    let proxy = Proxy::new(&upstream, "");
    for (what, rest) in doubtful() {
        let before = upstream.seen().len();
        let answer = proxy.send(format!("POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n{rest}"));
        let new = &upstream.seen()[before..];
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{what}: {answer:?}");
        if what.starts_with("both lengths") && status(&answer) == 200 {
            // RFC 9112, section 6.3: the chunks count, the length does not, and the connection ends with the answer.
            assert!(answer.to_lowercase().contains("connection: close"), "{what}: {answer:?}");
            assert_eq!((new.len(), new[0].body.len()), (1, 0), "{what}: {new:?}");
            let lengths = (new[0].values("content-length"), new[0].values("transfer-encoding"));
            assert!(lengths == (vec!["0"], vec![]) || lengths == (vec![], vec![]), "{what}: {new:?}");
            continue;
        }
        assert_eq!(status(&answer), 400, "{what}: {answer:?}");
        assert!(new.is_empty(), "{what}: {new:?}");
    }
    proxy.assert_fine();
}

/// A line feed alone ends a line, as RFC 9112, section 2.2 allows; what comes out has lines of one kind only.
#[test]
fn line_feeds_alone() {
    let upstream = Upstream::new([]);
    let proxy = Proxy::new(&upstream, "");
    let answer =
        proxy.send("POST /x HTTP/1.1\nHost: a\nX-A: b\nTransfer-Encoding: chunked\nConnection: close\n\n0\r\n\r\n");
    assert_eq!(status(&answer), 200, "{answer:?}");
    let seen = upstream.seen();
    assert_eq!((seen.len(), seen[0].values("x-a")), (1, vec!["b"]), "{seen:?}");
    assert_eq!(seen[0].head.matches('\n').count(), seen[0].head.matches("\r\n").count(), "{seen:?}");
}

/// Bodies in chunks that are none.
#[test]
fn bad_chunks() {
    let upstream = Upstream::new([]);
    let proxy = Proxy::new(&upstream, "request_idle = \"500ms\"\n");
    let bodies = [
        "x\r\n{}\r\n0\r\n\r\n",
        "-2\r\n{}\r\n0\r\n\r\n",
        "+2\r\n{}\r\n0\r\n\r\n",
        "0x2\r\n{}\r\n0\r\n\r\n",
        "\r\n{}\r\n0\r\n\r\n",
        "2\n{}\r\n0\r\n\r\n",
        "2\r\n{}0\r\n\r\n",
        "2\r\n{}xx0\r\n\r\n",
        "2\r\n{}\n0\r\n\r\n",
        "fffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        // So long that the end never comes.
        "ffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        "2\r\n{}\r\n0\r\nx y: z\r\n\r\n",
        "2\0\r\n{}\r\n0\r\n\r\n",
    ];
    // An end that never came is none.
    let cut = ["2\r\n{}\r\n", "2\r\n{}\r\n0\r\n", "9\r\n{}", ""];
    for kind in ["application/json", "application/octet-stream"] {
        for (body, cut) in bodies.map(|body| (body, false)).into_iter().chain(cut.map(|body| (body, true))) {
            let before = upstream.seen().len();
            let head = format!(
                "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
            );
            let request = format!("{head}{body}");
            let answer = if cut { proxy.send_cut(&request) } else { proxy.send(&request) };
            let long = body.starts_with("ffffffffffffffff\r\n");
            assert!(matches!(status(&answer), 0 | 400) || (long && status(&answer) == 408), "{body:?}: {answer:?}");
            assert_eq!(answer.matches("HTTP/1.1 ").count(), usize::from(status(&answer) > 0), "{body:?}: {answer:?}");
            assert!(upstream.seen().len() == before, "{body:?}: {:?}", upstream.seen().last());
        }
    }
    let endless = format!("2;{}\r\n{{}}\r\n0\r\n\r\n", "a=b;".repeat(1 << 20));
    let answer = proxy.send(format!(
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{endless}"
    ));
    assert!(matches!(status(&answer), 0 | 400), "{answer:?}");
    proxy.assert_fine();
}

/// What is framed well is passed on framed anew: one length, one coding, and the same bytes.
#[test]
fn good_bodies_are_framed_anew() {
    let upstream = Upstream::new([]);
    let proxy = Proxy::new(&upstream, "");
    let hidden = format!("\"{}\"", HIDDEN.replace("\r\n", "\\r\\n"));
    for kind in ["application/json", "text/plain"] {
        for framed in [
            format!("Content-Length: {}\r\n\r\n{hidden}", hidden.len()),
            format!("Content-Length: {0}\r\nContent-Length: {0}\r\n\r\n{hidden}", hidden.len()),
            format!(
                "Transfer-Encoding: chunked\r\n\r\n{:x};a=b\r\n{hidden}\r\n0\r\nX-Trailer: 1\r\n\r\n",
                hidden.len()
            ),
            format!(
                "Transfer-Encoding: CHUNKED\r\n\r\n{}0\r\n\r\n",
                hidden.chars().map(|c| format!("1\r\n{c}\r\n")).collect::<String>()
            ),
        ] {
            let before = upstream.seen().len();
            let answer = proxy
                .send(format!("POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: {kind}\r\nConnection: close\r\n{framed}"));
            let seen = &upstream.seen()[before..];
            // Two lengths that agree may also be refused.
            if framed.matches("Content-Length").count() == 2 && status(&answer) == 400 {
                assert!(seen.is_empty());
                continue;
            }
            assert_eq!((status(&answer), seen.len()), (200, 1), "{framed}: {answer}");
            assert_eq!(seen[0].body, hidden.as_bytes());
            let lengths = seen[0].values("content-length").len() + seen[0].values("transfer-encoding").len();
            assert_eq!(lengths, 1, "{}", seen[0].head);
        }
    }
}

/// Answers whose framing is in doubt are none: the client gets a 502, or a body that is seen to be cut.
#[test]
fn doubtful_answers() {
    let second = "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nhidden";
    for head in [
        "content-length: 2\r\ncontent-length: 3",
        "content-length: 2, 3",
        "content-length: -2",
        "content-length: +2",
        "content-length: 99999999999999999999999",
        "x y: z\r\ncontent-length: 2",
        "no colon\r\ncontent-length: 2",
    ] {
        let upstream =
            Upstream::new([Answer::Bytes(format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n{{}}{second}").into_bytes())]);
        let proxy = Proxy::new(&upstream, "");
        let answer = proxy.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        assert_eq!(status(&answer), 502, "{head:?}: {answer:?}");
        assert!(!answer.contains("hidden"), "{head:?}: {answer:?}");
    }
    // Both lengths: chunks win, one framing comes out, and the connection to the upstream is not used again.
    let both = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    let upstream = Upstream::new([Answer::Bytes(format!("{both}{second}").into_bytes())]);
    let proxy = Proxy::new(&upstream, "");
    let answer = proxy.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert!(!answer.contains("hidden"), "{answer:?}");
    let head = answer.split("\r\n\r\n").next().unwrap().to_lowercase();
    assert!(!(head.contains("content-length") && head.contains("transfer-encoding")), "{answer:?}");
    proxy.assert_fine();
}

/// Requests on one connection do not mix, whoever their upstream is.
#[test]
fn pipelined_requests_stay_apart() {
    let answer = |body: &str| {
        Answer::Bytes(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes())
    };
    let upstream = Upstream::new(["one", "two", "three"].map(answer));
    let proxy = Proxy::new(&upstream, "");
    let post = |n: u32| {
        format!("POST /{n} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{n}")
    };
    let answers = proxy.send([post(1), post(2), post(3).replace("Host: a", "Host: a\r\nConnection: close")].concat());
    let places: Vec<usize> = ["one", "two", "three"].iter().map(|body| answers.find(body).unwrap()).collect();
    assert!(places.is_sorted(), "{answers}");
    let seen: Vec<_> = upstream.seen().iter().map(|seen| (seen.line().to_owned(), seen.body.clone())).collect();
    let expected = [1, 2, 3].map(|n| (format!("POST /{n} HTTP/1.1"), n.to_string().into_bytes()));
    assert_eq!(seen, expected);
}
