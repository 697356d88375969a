//! Answers that are held whole: asked for again, kept alive meanwhile.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};

use crate::support::{CHAT, Proxy, Shown, ask, both, client, post, question, send, upstream};

/// An upstream that answers with one after the other of these; then with an error.
struct Sequence {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

async fn sequence(answers: &[(u16, String)]) -> Sequence {
    let left = Arc::new(Mutex::new(answers.iter().cloned().collect::<VecDeque<_>>()));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let seen = Arc::clone(&asked);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (left, seen) = (Arc::clone(&left), Arc::clone(&seen));
            let service = service_fn(move |request: Request<Incoming>| {
                let (left, seen) = (Arc::clone(&left), Arc::clone(&seen));
                async move {
                    let body = request.into_body().collect().await.unwrap().to_bytes();
                    seen.lock().unwrap().push(String::from_utf8(body.to_vec()).unwrap());
                    let (status, body) = left.lock().unwrap().pop_front().unwrap_or((500, "{}".into()));
                    let kind = if body.starts_with('{') { "application/json" } else { "text/event-stream" };
                    let response = Response::builder().status(status).header("content-type", kind);
                    Ok::<_, Infallible>(response.body(Full::<Bytes>::from(body)).unwrap())
                }
            });
            tokio::spawn(async move {
                let builder = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
                let _ = builder.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    Sequence { address, asked }
}

fn stream(text: &str) -> String {
    let chunk = json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    format!(
        "data: {chunk}\n\ndata: {}\n\ndata: [DONE]\n\n",
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    )
}

fn whole(text: &str) -> String {
    json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]})
        .to_string()
}

async fn proxied(sequence: &Sequence, times: u32) -> Proxy {
    Proxy::start(&format!(
        "upstream = \"http://{}\"\n[policy]\nrelease = \"answer\"\n[sieve]\nregenerate = {times}\n",
        sequence.address
    ))
}

async fn attempts(proxy: &Proxy, shown: &Shown) -> u64 {
    let (_, record) = proxy.page(&format!("/_citesieve/verdicts/{}", shown.header("x-citesieve-id").unwrap())).await;
    serde_json::from_str::<Value>(&record).unwrap()["attempts"].as_u64().unwrap()
}

const BAD: &str = "In gold [7].";
const GOOD: &str = "Due monthly [1].";
const NOTHING: &str = "I could not find this in the sources.";

#[tokio::test]
async fn an_answer_is_asked_for_again() {
    for form in [stream, whole] {
        for (answers, times, expected, asked) in [
            (vec![(200, form(GOOD))], 2, GOOD, 1),
            (vec![(200, form(BAD)), (200, form(GOOD))], 2, GOOD, 2),
            (vec![(200, form(BAD)), (200, form(BAD)), (200, form(GOOD))], 2, GOOD, 3),
            (vec![(200, form(BAD)), (200, form(BAD)), (200, form(BAD)), (200, form(GOOD))], 2, NOTHING, 3),
            (vec![(200, form(BAD)), (200, form(GOOD))], 0, NOTHING, 1),
            // When nothing comes of it, the first one counts.
            (vec![(200, form(BAD)), (429, "{}".into())], 2, NOTHING, 2),
            (vec![(200, form(BAD)), (200, form(BAD)), (500, "{}".into())], 5, NOTHING, 3),
        ] {
            let sequence = sequence(&answers).await;
            let proxy = proxied(&sequence, times).await;
            let shown = send(post(proxy.address, CHAT, &question(true))).await;
            assert_eq!(shown.answer(), expected, "{answers:?}");
            assert!(!shown.cut && shown.status == 200);
            let requests = sequence.asked.lock().unwrap().clone();
            assert_eq!(requests.len(), asked, "{answers:?}");
            assert!(requests.iter().all(|request| *request == requests[0] && request.contains("lease")));
            let successes = answers.iter().take(asked).filter(|(status, _)| *status == 200).count();
            assert_eq!(attempts(&proxy, &shown).await, successes as u64, "{answers:?}");
            // One verdict, of what is shown.
            assert_eq!(shown.text().matches("\"citesieve\":{").count(), 1);
        }
    }
}

#[tokio::test]
async fn what_is_too_long_to_be_kept_is_shown() {
    let filler = "Nothing of it is known. ".repeat(3000);
    let sequence = sequence(&[(200, stream(&format!("{filler}{BAD}"))), (200, stream(GOOD))]).await;
    let proxy = Proxy::start(&format!(
        "upstream = \"http://{}\"\n[policy]\nrelease = \"answer\"\nmax_answer = 1000\n[sieve]\nregenerate = 1\n[limits]\nframe = 20000",
        sequence.address
    ));
    let shown = send(post(proxy.address, CHAT, &question(true))).await;
    assert!(!shown.cut && shown.answer().contains("Nothing of it"));
    assert_eq!(sequence.asked.lock().unwrap().len(), 1);
}

/// A client that goes away while the upstream is asked again takes that along, and is reported.
#[tokio::test]
async fn who_goes_away_meanwhile() {
    let slow = upstream([]).await;
    let proxy = Proxy::start(&format!(
        "upstream = \"{}\"\n[policy]\nrelease = \"answer\"\n[sieve]\nregenerate = 1",
        slow.url()
    ));
    let request = ask(proxy.address, CHAT, &question(true), &json!({"stall": 3000}));
    let response = client().request(request).await.unwrap();
    let id = response.headers()["x-citesieve-id"].to_str().unwrap().to_owned();
    drop(response);
    for _ in 0..1000 {
        let (status, record) = proxy.page(&format!("/_citesieve/verdicts/{id}")).await;
        if status == 200 {
            assert!(record.contains("\"client_gone\""), "{record}");
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it is never reported");
}

#[tokio::test]
async fn while_text_is_held_the_connection_is_kept_alive() {
    let config = "[policy]\nrelease = \"answer\"\n[sieve]\nheartbeat = \"30ms\"\n";
    for (path, recording, comments) in [
        (CHAT, "openai-chat/lease.sse", true),
        ("/v1/messages", "anthropic/lease.sse", true),
        ("/v1beta/models/lease:streamGenerateContent?alt=sse", "gemini/lease.sse", false),
        ("/api/chat", "ollama/lease.ndjson", false),
    ] {
        for regenerate in [0, 1] {
            let (_upstream, proxy) = both(&format!("{config}regenerate = {regenerate}")).await;
            let script = json!({"recording": recording, "delay_ms": 20});
            let shown = send(ask(proxy.address, path, &question(true), &script)).await;
            let text = shown.text();
            let count = text.matches(": citesieve\n\n").count();
            assert_eq!(count > 0, comments, "{recording}: {count} comments");
            // Without them it is what it would be, so they stand between events.
            let (_upstream, quiet) = both(&format!("{config}regenerate = {regenerate}").replace("30ms", "0s")).await;
            let expected = send(ask(quiet.address, path, &question(true), &json!({"recording": recording}))).await;
            assert_eq!(text.replace(": citesieve\n\n", ""), expected.text(), "{recording}");
        }
    }
}

#[tokio::test]
async fn nothing_is_added_where_nothing_is_held() {
    let (_upstream, proxy) = both("[sieve]\nheartbeat = \"20ms\"").await;
    let plain = json!({"model": "lease", "stream": true});
    let shown = send(ask(proxy.address, CHAT, &plain, &json!({"delay_ms": 50}))).await;
    assert!(!shown.text().contains(": citesieve"));
}
