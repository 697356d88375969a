//! Many streams at once, clients that do not read, and the memory that this takes.

use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::support::{CHAT, Plain, Proxy, Shown, ask, both, client, client2, until, upstream};

/// One stream of its own: its sources have ids that no other stream has, and so do its markers.
async fn one(client: Plain, proxy: std::net::SocketAddr, number: usize) {
    let id = 100_000 + number;
    let body = json!({"model": "lease", "stream": true, "citesieve": {"sources": [{"id": id.to_string()}]}});
    // A marker of this stream's source, and one of its neighbour's.
    let (own, other) = (format!("[{id}]"), format!("[{}]", id + 1));
    let script = json!({"replace": {" on the first of ": format!(" {own} {other} first of ")}, "delay_ms": number % 7});
    let response = client.request(ask(proxy, CHAT, &body, &script)).await.unwrap();
    let shown = Shown::of(response).await;
    assert!(!shown.cut && shown.body.ends_with(b"data: [DONE]\n\n"), "stream {number}: {}", shown.text());
    let answer = shown.answer();
    assert_eq!(answer.matches("[10").count(), answer.matches(&own).count(), "stream {number}: {answer}");
    assert_eq!(answer.matches(&own).count(), 1, "stream {number}: {answer}");
    assert!(!answer.contains("[1]") && !answer.contains("[9].") && answer.contains("in the ledger"), "{answer}");
    assert!(shown.text().contains(&format!("\"cited\":[\"{id}\"")), "its own verdict: {}", shown.text());
}

async fn round(proxy: &Proxy, clients: &[Plain], count: usize) {
    let mut streams: FuturesUnordered<_> =
        (0..count).map(|number| one(clients[number % clients.len()].clone(), proxy.address, number)).collect();
    while streams.next().await.is_some() {}
}

#[tokio::test]
async fn five_hundred_streams() {
    let (upstream, proxy) = both("").await;
    let clients = [client(), client2(), client2()];
    round(&proxy, &clients, 500).await;
    let before = proxy.memory();
    for _ in 0..3 {
        round(&proxy, &clients, 500).await;
    }
    let stats = upstream.stats();
    assert_eq!((stats.complete_bodies, stats.abandoned, stats.open_bodies), (2000, 0, 0));
    assert_eq!(proxy.metric("citesieve_streams_total{dialect=\"openai-chat\",ended=\"complete\"}").await, 2000.0);
    assert_eq!(proxy.metric("citesieve_held_bytes").await, 0.0);
    if let (Some(before), Some(after)) = (before, proxy.memory()) {
        // Verdicts are kept for a while, which is all that may have grown.
        let grown = after.saturating_sub(before) / 1500;
        assert!(grown < 16 << 10, "{grown} bytes per stream are never given back");
    }
}

/// A recording of so many events.
fn long(events: usize) -> (tempfile::TempDir, u64) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("openai-chat")).unwrap();
    let filler = "x".repeat(900);
    let chunk = json!({"choices": [{"index": 0, "delta": {"content": format!("{filler} [1] [7].\n\n")}}]});
    let mut body = format!("data: {chunk}\n\n").repeat(events);
    body += "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    std::fs::write(folder.path().join("openai-chat/long.sse"), &body).unwrap();
    (folder, body.len() as u64)
}

/// A client that stops reading stops the upstream; nothing is kept for it, and nothing is lost when it goes on.
#[tokio::test]
async fn a_slow_reader() {
    // More than the kernel keeps for two connections, however far it lets their buffers grow (32 MiB is seen).
    let (folder, length) = long(80_000);
    let upstream = upstream([folder.path().to_owned()]).await;
    let proxy = Proxy::start(&format!("upstream = \"{}\"\n[verdicts]\nkeep = \"0s\"", upstream.url()));
    let body = json!({"model": "long", "stream": true, "citesieve": {"sources": [{"id": "1"}]}});
    for client in [client(), client2()] {
        let before = proxy.memory();
        let mut response = client.request(ask(proxy.address, CHAT, &body, &json!({}))).await.unwrap().into_body();
        let first = response.frame().await.unwrap().unwrap().into_data().unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(upstream.stats().open_bodies, 1, "the upstream waits");
        if let (Some(before), Some(now)) = (before, proxy.memory()) {
            let kept = now.saturating_sub(before);
            assert!(kept < 14_500_000, "{kept} bytes are kept of an answer of {length}");
        }
        let mut shown = first.to_vec();
        while let Some(frame) = response.frame().await {
            shown.extend_from_slice(&frame.unwrap().into_data().unwrap());
        }
        let answer = String::from_utf8(shown).unwrap();
        assert_eq!((answer.matches("x [1].").count(), answer.matches("x [1] [7]").count()), (80_000, 0));
    }
}

/// A client that never reads again is left, and so is the upstream.
#[tokio::test]
async fn a_client_that_stalls() {
    let (folder, _) = long(20_000);
    let upstream = upstream([folder.path().to_owned()]).await;
    let proxy = Proxy::start(&format!("upstream = \"{}\"\n[limits]\nclient_stall = \"300ms\"", upstream.url()));
    let body = json!({"model": "long", "stream": true, "citesieve": {"sources": [{"id": "1"}]}});
    let response = client().request(ask(proxy.address, CHAT, &body, &json!({}))).await.unwrap();
    until("the upstream is left", || (upstream.stats().abandoned == 1).then_some(())).await;
    drop(response);
}

/// A million digits, brackets and line starts that never become anything.
#[tokio::test]
async fn hostile_answers_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("openai-chat")).unwrap();
    for (name, piece) in [("digits", "1"), ("brackets", "["), ("quotes", "> "), ("open", "\"a ")] {
        let chunk: Value = json!({"choices": [{"index": 0, "delta": {"content": piece.repeat(1000)}}]});
        let body = format!("data: {chunk}\n\n").repeat(1000) + "data: [DONE]\n\n";
        std::fs::write(folder.path().join(format!("openai-chat/{name}.sse")), body).unwrap();
    }
    let upstream = upstream([folder.path().to_owned()]).await;
    let proxy = Proxy::start(&format!("upstream = \"{}\"", upstream.url()));
    for name in ["digits", "brackets", "quotes", "open"] {
        let body = json!({"model": name, "stream": true, "citesieve": {"sources": [{"id": "1", "text": "a"}]}});
        let shown = Shown::of(client().request(ask(proxy.address, CHAT, &body, &json!({}))).await.unwrap()).await;
        assert!(!shown.cut && shown.body.ends_with(b"data: [DONE]\n\n"), "{name}");
    }
    if let Some(memory) = proxy.memory() {
        assert!(memory < 300 << 20, "{memory} bytes");
    }
}
