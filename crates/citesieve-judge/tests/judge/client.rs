//! The clients against a scripted server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::Response;
use axum::response::IntoResponse;
use citesieve::Ruling;
use citesieve_judge::client::{Anthropic, Client, ClientError, Key, OpenAi, Retries};
use citesieve_judge::{Judge, Model, Options};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::support::*;

/// What came in: path, headers, body.
#[derive(Debug, Clone)]
struct Seen {
    path: String,
    headers: axum::http::HeaderMap,
    body: Value,
}

type Log = Arc<Mutex<Vec<Seen>>>;
type Answer = Response<Body>;

/// A server that answers by a script, which gets the number of the request and its body.
async fn server(script: impl Fn(usize, &Value) -> Answer + Send + Sync + 'static) -> (String, Log) {
    serve(script, None).await
}

async fn serve(
    script: impl Fn(usize, &Value) -> Answer + Send + Sync + 'static,
    barrier: Option<Arc<Barrier>>,
) -> (String, Log) {
    let log = Log::default();
    let (seen, script) = (Arc::clone(&log), Arc::new(script));
    let app = Router::new().fallback(move |request: Request| {
        let (seen, script, barrier) = (Arc::clone(&seen), Arc::clone(&script), barrier.clone());
        async move {
            let (head, body) = request.into_parts();
            let bytes = axum::body::to_bytes(body, 1 << 20).await.unwrap();
            let body: Value = serde_json::from_slice(&bytes).unwrap();
            let number = {
                let mut seen = seen.lock().unwrap();
                seen.push(Seen { path: head.uri.path().to_owned(), headers: head.headers, body: body.clone() });
                seen.len() - 1
            };
            if let Some(barrier) = barrier {
                barrier.wait().await;
            }
            script(number, &body)
        }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    (url, log)
}

fn user_of(body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap();
    messages.last().unwrap()["content"].as_str().unwrap().to_owned()
}

fn completion(text: &str) -> Answer {
    let body = json!({
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 321, "completion_tokens": 45},
    });
    axum::Json(body).into_response()
}

fn refusal(status: u16, headers: &[(&str, &str)], message: &str) -> Answer {
    let mut answer = Response::builder().status(status);
    for (name, value) in headers {
        answer = answer.header(*name, *value);
    }
    answer.body(Body::from(json!({"error": {"message": message}}).to_string())).unwrap()
}

/// Repeats without waiting.
const AT_ONCE: Retries = Retries { most: 2, first: Duration::ZERO, longest: Duration::from_secs(1) };

fn openai(url: &str) -> OpenAi {
    OpenAi::new(&format!("{url}/v1"), "m", Some(Key::new("sk-secret"))).unwrap().retries(AT_ONCE)
}

#[tokio::test]
async fn a_request_has_all_that_makes_it_repeatable() {
    let (url, log) = server(|_, body| completion(&all(&user_of(body), "supports"))).await;
    let judge = Judge::new(openai(&url), Options::default());
    let judged = judge.judge([claim(0, &["1"])], sources(1)).await;
    let one = &judged.judgements[0].1.sources[0];
    assert_eq!((one.ruling, one.model.as_str()), (Ruling::Supports, "m"));
    let call = one.call.unwrap();
    assert_eq!((call.input_tokens, call.output_tokens), (Some(321), Some(45)));
    let seen = log.lock().unwrap()[0].clone();
    assert_eq!(seen.path, "/v1/chat/completions");
    assert_eq!(seen.headers["authorization"], "Bearer sk-secret");
    assert_eq!((&seen.body["model"], &seen.body["temperature"]), (&json!("m"), &json!(0)));
    assert!(seen.body["seed"].is_u64() && seen.body.get("stream").is_none());
    let format = &seen.body["response_format"];
    assert_eq!((&format["type"], &format["json_schema"]["strict"]), (&json!("json_schema"), &json!(true)));
    let schema: Value = serde_json::from_str(citesieve_judge::prompt::SCHEMA).unwrap();
    assert_eq!(format["json_schema"]["schema"], schema);
    assert_eq!(seen.body["messages"][0]["role"], "system");
    let no_key = OpenAi::new(&url, "m", None).unwrap();
    no_key.complete("s", &user_of(&seen.body)).await.unwrap();
    assert!(!log.lock().unwrap()[1].headers.contains_key("authorization"));
}

#[tokio::test]
async fn calls_over_http_run_at_once() {
    // No call is answered before all five are there: one after the other they would never be.
    let barrier = Some(Arc::new(Barrier::new(5)));
    let (url, log) = serve(|_, body| completion(&all(&user_of(body), "supports")), barrier).await;
    let judge = Judge::new(openai(&url), Options::default());
    let claims = (0..15).map(|position| claim(position, &[["1", "2", "3", "4", "5"][position % 5]]));
    let judged = judge.judge(claims, sources(5)).await;
    assert_eq!(log.lock().unwrap().len(), 5);
    assert!(judged.judgements.iter().all(|(_, judgement)| judgement.ruling == Ruling::Supports));
}

#[tokio::test]
async fn what_passes_is_tried_again_and_what_does_not_is_not() {
    for (status, calls) in [(429, 3), (500, 3), (503, 3), (529, 3), (408, 3), (400, 1), (401, 1), (404, 1)] {
        let (url, log) = server(move |_, _| refusal(status, &[], "no")).await;
        let error = openai(&url).complete("s", "u").await.unwrap_err();
        assert_eq!(error, ClientError::Status { status, message: "no".into() });
        assert_eq!(log.lock().unwrap().len(), calls, "{status}");
    }
    let (url, log) = server(|number, _| match number {
        0 => refusal(429, &[("retry-after", "0")], "slow down"),
        1 => refusal(503, &[("retry-after-ms", "1")], "later"),
        _ => completion("at last"),
    })
    .await;
    assert_eq!(openai(&url).complete("s", "u").await.unwrap(), "at last");
    assert_eq!(log.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_not_waited_for() {
    for asked in ["3600", "Fri, 31 Dec 9999 23:59:59 GMT"] {
        let (url, log) = server(move |_, _| refusal(429, &[("retry-after", asked)], "tomorrow")).await;
        assert!(openai(&url).complete("s", "u").await.is_err());
        assert_eq!(log.lock().unwrap().len(), 1, "{asked}");
    }
}

#[tokio::test]
async fn a_connection_that_breaks_is_tried_again() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let connections = tokio::spawn(async move {
        for _ in 0..3 {
            drop(listener.accept().await.unwrap());
        }
    });
    let error = openai(&url).complete("s", "u").await.unwrap_err();
    assert!(matches!(error, ClientError::Connection(_)), "{error}");
    connections.await.unwrap();
    // Nobody is there any more; the address is in no message.
    let error = openai(&url).complete("s", "u").await.unwrap_err();
    assert!(!error.to_string().contains("/v1"), "{error}");
}

#[tokio::test]
async fn what_a_server_does_not_know_is_left_out() {
    let (url, log) = server(|_, body| {
        for (name, message) in [
            ("response_format", "response_format.type json_schema is not supported"),
            ("temperature", "Unsupported value: 'temperature' does not support 0"),
            ("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        ] {
            if body.get(name).is_some() {
                return refusal(400, &[], message);
            }
        }
        completion("fine")
    })
    .await;
    let model = openai(&url);
    assert_eq!(model.complete("s", "u").await.unwrap(), "fine");
    assert_eq!(model.complete("s", "u").await.unwrap(), "fine");
    let log = log.lock().unwrap();
    assert_eq!(log.len(), 5, "learned once");
    assert_eq!(log[4].body["max_completion_tokens"], 4096);
    assert!(log[4].body.get("seed").is_some());
}

#[tokio::test]
async fn garbage_over_http_is_unrelated() {
    let long = "x".repeat(2 << 20);
    let answers: Vec<(&str, String)> = vec![
        ("no JSON", "<html>".into()),
        ("no text", "{\"choices\": []}".into()),
        ("too long", format!("{{\"choices\": \"{long}\"}}")),
        ("not the JSON", json!({"choices": [{"message": {"content": "I'm sorry"}}]}).to_string()),
        ("not the JSON", json!({"choices": [{"message": {"content": "{\"judgements\": [{\"id\": "}}]}).to_string()),
    ];
    for (reason, answer) in answers {
        let (url, _) = server(move |_, _| Response::new(Body::from(answer.clone()))).await;
        let judged = Judge::new(openai(&url), Options::default()).judge([claim(0, &["1"])], sources(1)).await;
        let one = &judged.judgements[0].1.sources[0];
        assert_eq!((one.ruling, one.confidence), (Ruling::Unrelated, 0.0));
        assert!(one.reason.contains(reason), "{reason}: {}", one.reason);
    }
}

#[tokio::test]
async fn a_key_is_in_no_message() {
    let (url, _) = server(|_, _| refusal(401, &[], "Incorrect API key provided: sk-secret")).await;
    for model in [
        Client::OpenAi(openai(&url)),
        Client::Anthropic(Anthropic::new(&url, "m", Some(Key::new("sk-secret"))).unwrap()),
    ] {
        let error = model.complete("s", "u").await.unwrap_err();
        for text in [format!("{error} {error:?}"), format!("{model:?}")] {
            assert!(!text.contains("secret"), "{text}");
        }
        let judged = Judge::new(model, Options::default()).judge([claim(0, &["1"])], sources(1)).await;
        assert!(!format!("{judged:?}").contains("secret"));
    }
}

#[tokio::test]
async fn the_messages_api_answers_with_a_tool() {
    let (url, log) = server(|number, body| {
        let answer: Value = serde_json::from_str(&all(&user_of(body), "partial")).unwrap();
        let content = match number {
            0 => json!([{"type": "text", "text": "Let me see."}, {"type": "tool_use", "id": "t", "name": "judgements", "input": answer}]),
            1 => json!([{"type": "text", "text": answer.to_string()}]),
            _ => json!([]),
        };
        axum::Json(json!({"content": content, "usage": {"input_tokens": 12, "output_tokens": 3}})).into_response()
    })
    .await;
    let model = Anthropic::new(&url, "m", Some(Key::new("sk-secret"))).unwrap().retries(AT_ONCE);
    let judge = Judge::new(Client::Anthropic(model), Options::default());
    for (position, ruling) in [Ruling::Partial, Ruling::Partial, Ruling::Unrelated].into_iter().enumerate() {
        let judged = judge.judge([claim(position, &["1"])], sources(1)).await;
        let one = &judged.judgements[0].1.sources[0];
        assert_eq!(one.ruling, ruling);
        assert_eq!(one.call.unwrap().input_tokens, (position < 2).then_some(12));
    }
    let seen = &log.lock().unwrap()[0];
    assert_eq!(seen.path, "/v1/messages");
    assert_eq!(
        (&seen.headers["x-api-key"], &seen.headers["anthropic-version"]),
        (&axum::http::HeaderValue::from_static("sk-secret"), &axum::http::HeaderValue::from_static("2023-06-01"),)
    );
    assert_eq!(seen.body["tool_choice"], json!({"type": "tool", "name": "judgements"}));
    assert_eq!(seen.body["temperature"], 0);
}
