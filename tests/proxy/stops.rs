//! The end: streams under way come to theirs first, but not for ever.

#![cfg(unix)]

use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::support::{CHAT, Shown, ask, both, client, client2, question, until};

#[tokio::test]
async fn streams_come_to_their_end() {
    for client in [client, client2] {
        let (_upstream, mut proxy) = both("[verdicts]\nfile = \"verdicts.jsonl\"").await;
        let request = ask(proxy.address, CHAT, &question(true), &json!({"delay_ms": 10}));
        let response = client().request(request).await.unwrap();
        proxy.terminate();
        until("it stops listening", || std::net::TcpStream::connect(proxy.address).is_err().then_some(())).await;
        let shown = Shown::of(response).await;
        assert!(!shown.cut && shown.body.ends_with(b"data: [DONE]\n\n"));
        assert!(proxy.stopped().await.success());
        // What was reported last is written.
        let lines = std::fs::read_to_string(proxy.folder.path().join("verdicts.jsonl")).unwrap();
        let record: Value = serde_json::from_str(&lines).unwrap();
        assert_eq!(
            (record["id"].as_str(), record["ended"].as_str()),
            (shown.header("x-citesieve-id"), Some("complete"))
        );
    }
}

#[tokio::test]
async fn but_not_for_ever() {
    let (upstream, mut proxy) = both("[limits]\ndrain = \"200ms\"\n[verdicts]\nfile = \"v.jsonl\"").await;
    let request = ask(proxy.address, CHAT, &question(true), &json!({"stall": 3000}));
    let mut response = client().request(request).await.unwrap().into_body();
    response.frame().await.unwrap().unwrap();
    proxy.terminate();
    assert!(proxy.stopped().await.success());
    let cut = loop {
        match response.frame().await {
            Some(Ok(_)) => {}
            Some(Err(_)) => break true,
            None => break false,
        }
    };
    assert!(cut, "the client sees that there should be more");
    until("the upstream is left", || (upstream.stats().abandoned == 1).then_some(())).await;
    assert!(proxy.log().contains("streams were cut"));
    assert!(std::fs::read_to_string(proxy.folder.path().join("v.jsonl")).unwrap().contains("\"client_gone\""));
}
