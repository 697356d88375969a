//! What goes wrong: upstreams that fail, stop or cut, clients that go away.

use std::time::Duration;

use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::support::{CHAT, Proxy, Shown, ask, both, client, client2, post, question, root, send, until};

fn recorded() -> Vec<u8> {
    std::fs::read(root().join("tests/recordings/openai-chat/lease.sse")).unwrap()
}

/// The record of a response, when it is there.
async fn record(proxy: &Proxy, shown: &Shown) -> Value {
    let id = shown.header("x-citesieve-id").unwrap();
    for _ in 0..1000 {
        let (status, record) = proxy.page(&format!("/_citesieve/verdicts/{id}")).await;
        if status == 200 {
            return serde_json::from_str(&record).unwrap();
        }
        assert_eq!(status, 202);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("no record")
}

#[tokio::test]
async fn a_cut_is_passed_on_as_a_cut() {
    let (_upstream, proxy) = both("").await;
    let body = recorded();
    for (client, version) in [(client(), 1), (client2(), 2)] {
        for cut in [0, 1, 300, 1900, body.len() / 2, body.len() - 1] {
            let response =
                client.request(ask(proxy.address, CHAT, &question(true), &json!({"cut": cut}))).await.unwrap();
            let shown = Shown::of(response).await;
            assert!(shown.cut, "HTTP/{version}, cut after {cut} bytes");
            // No end is invented.
            assert!(!shown.text().contains("[DONE]") || cut > body.len() - 20);
            assert!(!shown.text().contains("\"citesieve\":{") || cut > body.len() - 400);
            assert_eq!(record(&proxy, &shown).await["ended"], "upstream_cut");
        }
    }
}

/// Nothing is lost: what was held when the upstream broke off leaves before the connection does.
#[tokio::test]
async fn what_was_held_leaves_before_a_cut() {
    let (_upstream, proxy) = both("").await;
    let body = recorded();
    let text = citesieve_wire::lane_texts(&body, None)[0].1.clone();
    for cut in (500..body.len() - 600).step_by(977) {
        let shown = send(ask(proxy.address, CHAT, &question(true), &json!({"cut": cut}))).await;
        let came = citesieve_wire::lane_texts(&body[..cut], None).first().map_or(0, |lane| lane.1.len());
        let shown = shown.answer();
        // Everything that came in is there, but for what was edited.
        let words = |text: &str| text.split_whitespace().last().unwrap_or_default().to_owned();
        let (last, shown_last) = (words(&text[..came]), words(&shown));
        assert!(
            shown_last == last || last.contains(['[', ']', '>']) || shown.ends_with(&last),
            "{cut}: {shown_last} {last}"
        );
    }
}

#[tokio::test]
async fn errors_before_the_stream_pass_byte_for_byte() {
    let (_upstream, proxy) = both("").await;
    for status in [400, 401, 403, 404, 413, 429, 500, 502, 503, 529] {
        let body = json!({"error": {"message": "No [9] \u{e9}", "type": "x"}, "z": 1, "a": 2});
        let script = json!({"status": status, "body": body, "headers": {"retry-after": "7", "x-should-retry": "true"}});
        let shown = send(ask(proxy.address, CHAT, &question(true), &script)).await;
        assert_eq!(shown.status, status);
        assert_eq!(shown.text(), body.to_string());
        assert_eq!(shown.header("content-length").unwrap(), body.to_string().len().to_string());
        assert_eq!((shown.header("retry-after"), shown.header("x-should-retry")), (Some("7"), Some("true")));
        assert_eq!(shown.header("x-citesieve-id"), None, "there will be no verdict");
    }
}

#[tokio::test]
async fn errors_in_the_stream_pass() {
    let (_upstream, proxy) = both("").await;
    for at in [10, 2000, 4000] {
        let shown = send(ask(proxy.address, CHAT, &question(true), &json!({"error_at": at}))).await;
        let direct = {
            let upstream = crate::support::upstream([]).await;
            send(ask(upstream.address(), CHAT, &question(true), &json!({"error_at": at}))).await
        };
        let last = |text: &str| text.trim_end().rsplit("\n\n").next().unwrap().to_owned();
        assert!(last(&direct.text()).contains("error"));
        assert_eq!(last(&shown.text()), last(&direct.text()));
        assert!(!shown.cut);
    }
}

#[tokio::test]
async fn an_upstream_that_is_not_there() {
    let proxy = Proxy::start("upstream = \"http://127.0.0.1:1\"");
    let shown = send(post(proxy.address, CHAT, &question(true))).await;
    assert_eq!(shown.status, 502);
    assert_eq!(shown.refusal(), "the upstream could not be reached");
    assert_eq!(proxy.metric("citesieve_requests_total{status=\"502\",by=\"citesieve\"}").await, 1.0);
}

#[tokio::test]
async fn an_upstream_that_is_no_http_server() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::io::AsyncWriteExt::write_all(&mut stream, b"220 mail.example ESMTP\r\n").await.unwrap();
        }
    });
    let proxy = Proxy::start(&format!("upstream = \"http://{address}\""));
    let shown = send(post(proxy.address, CHAT, &question(true))).await;
    assert_eq!((shown.status.as_u16(), shown.refusal().as_str()), (502, "the upstream gave no valid answer"));
}

#[tokio::test]
async fn an_upstream_that_says_nothing() {
    let (upstream, proxy) = both("[limits]\nidle = \"200ms\"").await;
    let shown = send(ask(proxy.address, CHAT, &question(true), &json!({"silent": true}))).await;
    assert_eq!((shown.status.as_u16(), shown.refusal().as_str()), (504, "the upstream did not answer in time"));
    until("the upstream is left", || (upstream.stats().abandoned == 1).then_some(())).await;

    let shown = send(ask(proxy.address, CHAT, &question(true), &json!({"stall": 2000}))).await;
    assert!(shown.cut);
    assert_eq!(record(&proxy, &shown).await["ended"], "idle_timeout");
    until("the upstream is left", || (upstream.stats().abandoned == 2).then_some(())).await;
    // Slow is not idle.
    let shown = send(ask(proxy.address, CHAT, &question(true), &json!({"delay_ms": 20}))).await;
    assert!(!shown.cut);
    assert_eq!(record(&proxy, &shown).await["ended"], "complete");
}

#[tokio::test]
async fn an_answer_that_never_ends() {
    let (upstream, proxy) = both("[limits]\ntotal = \"500ms\"").await;
    let shown = send(ask(proxy.address, CHAT, &question(true), &json!({"delay_ms": 100}))).await;
    assert!(shown.cut);
    assert_eq!(record(&proxy, &shown).await["ended"], "total_timeout");
    let shown = send(ask(proxy.address, CHAT, &question(true), &json!({"silent": true}))).await;
    assert_eq!(shown.status, 504);
    until("the upstream is left", || (upstream.stats().abandoned == 2).then_some(())).await;
}

/// A client that goes away takes its request at the upstream with it: before the answer begins, and in it.
#[tokio::test]
async fn a_client_that_goes_away() {
    let (upstream, proxy) = both("").await;
    let mut gone = 0;
    for client in [client, client2] {
        for (script, begins) in
            [(json!({"silent": true}), false), (json!({"stall": 0}), false), (json!({"stall": 2000}), true)]
        {
            let client = client();
            let request = ask(proxy.address, CHAT, &question(true), &script);
            let (begun, begin) = tokio::sync::oneshot::channel();
            let asked = tokio::spawn(async move {
                let mut body = client.request(request).await.unwrap().into_body();
                body.frame().await.unwrap().unwrap();
                begun.send(()).unwrap();
                while body.frame().await.is_some() {}
            });
            match begins {
                true => begin.await.unwrap(),
                false => until("the upstream is asked", || (upstream.stats().open_bodies == 1).then_some(())).await,
            }
            asked.abort();
            let _ = asked.await;
            gone += 1;
            until("the upstream is left", || (upstream.stats().abandoned == gone).then_some(())).await;
        }
    }
    for _ in 0..1000 {
        let told = proxy.metric("citesieve_streams_total{dialect=\"openai-chat\",ended=\"client_gone\"}").await;
        if proxy.metric("citesieve_streams").await == 0.0 && told == 2.0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("streams are never over, or not told about");
}

/// Compressed rubbish is no end of an answer.
#[tokio::test]
async fn a_compression_that_breaks_off() {
    let (_upstream, proxy) = both("").await;
    for encoding in ["gzip", "br", "zstd", "deflate"] {
        let shown = send(ask(proxy.address, CHAT, &question(true), &json!({"encoding": encoding, "cut": 700}))).await;
        assert!(shown.cut, "{encoding}");
    }
    let script = json!({"headers": {"content-encoding": "gzip"}});
    let shown = send(ask(proxy.address, CHAT, &question(true), &script)).await;
    assert!(shown.cut && shown.body.is_empty(), "it says gzip and is none");
}

#[tokio::test]
async fn a_compression_that_nobody_knows() {
    for (failure, status) in [("open", 200), ("closed", 502)] {
        let (_upstream, proxy) = both(&format!("[sieve]\nfailure = \"{failure}\"")).await;
        let script = json!({"headers": {"content-encoding": "lzma"}});
        let shown = send(ask(proxy.address, CHAT, &question(true), &script)).await;
        assert_eq!(shown.status, status);
        assert_eq!(shown.body == recorded(), status == 200);
        assert_eq!(shown.header("content-encoding"), (status == 200).then_some("lzma"));
        let record = record(&proxy, &shown).await;
        assert_eq!(record["unchecked"][0]["why"], "content encoding lzma");
    }
}
