//! Verdicts afterwards: by id, in a file, at a webhook; counts and logs.

use std::time::Duration;

use citesieve_upstream::Script;
use http::Request;
use http_body_util::Full;
use serde_json::{Value, json};

use crate::support::{CHAT, ask, both, client, page, post, question, scripted, send, until};

#[tokio::test]
async fn by_id_for_a_while() {
    let (_upstream, proxy) = both("[verdicts]\ncount = 2").await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let shown = send(post(proxy.address, CHAT, &question(true))).await;
        ids.push(shown.header("x-citesieve-id").unwrap().to_owned());
        let (status, record) = proxy.page(&format!("/_citesieve/verdicts/{}", ids[ids.len() - 1])).await;
        let record: Value = serde_json::from_str(&record).unwrap();
        assert_eq!(status, 200);
        assert_eq!(
            (record["id"].as_str(), record["ended"].as_str()),
            (ids.last().map(String::as_str), Some("complete"))
        );
        assert_eq!((record["method"].as_str(), record["path"].as_str()), (Some("POST"), Some(CHAT)));
        assert_eq!((record["dialect"].as_str(), record["attempts"].as_u64()), (Some("openai-chat"), Some(1)));
        assert_eq!(record["bytes_out"].as_u64(), Some(shown.body.len() as u64));
        assert_eq!(record["events"].as_u64().unwrap() as usize, shown.text().matches("\n\n").count());
        let verdict = &record["choices"][0]["verdict"];
        assert!(verdict["markers"]["fabricated"].as_u64().unwrap() >= 2);
        // The same that stands on the wire.
        let event = shown.text().split("\n\n").find(|event| event.contains("\"citesieve\":")).unwrap()[6..].to_owned();
        let event: Value = serde_json::from_str(&event).unwrap();
        assert_eq!(event["citesieve"]["markers"], verdict["markers"]);
    }
    ids.dedup();
    assert_eq!(ids.len(), 3);
    assert_eq!(proxy.page(&format!("/_citesieve/verdicts/{}", ids[0])).await.0, 404, "there are newer ones");
    for id in ["", "7", "../healthz", "0123456789abcdef0123456789abcdef"] {
        assert!(proxy.page(&format!("/_citesieve/verdicts/{id}")).await.0.is_client_error(), "{id}");
    }
    let request = Request::delete(format!("http://{}/_citesieve/verdicts/{}", proxy.address, ids[2]));
    assert_eq!(send(request.body(Full::default()).unwrap()).await.status, 405);

    let running = client().request(ask(proxy.address, CHAT, &question(true), &json!({"stall": 0}))).await.unwrap();
    let id = running.headers()["x-citesieve-id"].to_str().unwrap();
    assert_eq!(proxy.page(&format!("/_citesieve/verdicts/{id}")).await.0, 202);
}

#[tokio::test]
async fn they_go_when_their_time_is_over() {
    let (_upstream, proxy) = both("[verdicts]\nkeep = \"200ms\"").await;
    let shown = send(post(proxy.address, CHAT, &question(true))).await;
    let path = format!("/_citesieve/verdicts/{}", shown.header("x-citesieve-id").unwrap());
    for _ in 0..2000 {
        if proxy.page(&path).await.0 == 404 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it stays");
}

#[tokio::test]
async fn in_a_file_and_at_a_webhook() {
    let script = Script { body: Some(json!({"ok": true})), ..Script::default() };
    let hook = scripted(script, []).await;
    let config = format!("[verdicts]\nfile = \"verdicts.jsonl\"\nwebhook = \"{}/hook?token=secret\"", hook.url());
    let (_upstream, proxy) = both(&config).await;
    let file = proxy.folder.path().join("verdicts.jsonl");
    for number in 1..=3 {
        let shown = send(post(proxy.address, CHAT, &question(true))).await;
        let written = until("it is written", || {
            let lines = std::fs::read_to_string(&file).ok()?;
            (lines.lines().count() == number && lines.ends_with('\n')).then_some(lines)
        })
        .await;
        let record: Value = serde_json::from_str(written.lines().last().unwrap()).unwrap();
        assert_eq!(record["id"], shown.header("x-citesieve-id").unwrap());
        let posted = until("it is posted", || hook.last().filter(|_| hook.stats().requests == number as u64)).await;
        assert_eq!(serde_json::from_str::<Value>(&posted.body).unwrap(), record);
        assert_eq!((posted.method.as_str(), posted.path.as_str()), ("POST", "/hook?token=secret"));
        assert_eq!(posted.header("content-type"), Some("application/json"));
    }
    assert_eq!(hook.stats().connections, 1);
    assert_eq!(proxy.metric("citesieve_sink_records_total{sink=\"file\",result=\"written\"}").await, 3.0);
    assert!(!proxy.log().contains("secret"));
}

/// A webhook that never answers holds nobody up: what does not fit is dropped, and that is counted.
#[tokio::test]
async fn a_webhook_that_hangs() {
    let hook = scripted(Script { silent: true, ..Script::default() }, []).await;
    let (_upstream, proxy) = both(&format!("[verdicts]\nqueue = 1\nwebhook = \"{}\"", hook.url())).await;
    for _ in 0..10 {
        assert!(!send(post(proxy.address, CHAT, &question(true))).await.cut);
    }
    let dropped = proxy.metric("citesieve_sink_records_total{sink=\"webhook\",result=\"dropped\"}").await;
    assert!((7.0..10.0).contains(&dropped), "{dropped}");
}

#[tokio::test]
async fn on_standard_output() {
    let (_upstream, proxy) = both("[verdicts]\nfile = \"-\"").await;
    let shown = send(post(proxy.address, CHAT, &question(false))).await;
    let stdout = proxy.folder.path().join("stdout");
    let written =
        until("it is written", || std::fs::read_to_string(&stdout).ok().filter(|text| text.ends_with('\n'))).await;
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap()["id"], shown.header("x-citesieve-id").unwrap());
}

#[tokio::test]
async fn without_a_verdict_on_the_wire() {
    let (_upstream, proxy) = both("[sieve]\nverdict = false").await;
    let shown = send(post(proxy.address, CHAT, &question(true))).await;
    assert!(!shown.text().contains("citesieve") && shown.header("x-citesieve-id").is_some());
}

#[tokio::test]
async fn counts_and_an_address_of_their_own() {
    let (upstream, proxy) = both("admin = \"127.0.0.1:0\"").await;
    let admin = proxy.admin.unwrap();
    send(post(proxy.address, CHAT, &question(true))).await;
    send(post(proxy.address, "/v1/messages", &question(true))).await;
    send(ask(proxy.address, CHAT, &question(true), &json!({"status": 429}))).await;
    for (name, least) in [
        ("citesieve_requests_total{status=\"200\",by=\"upstream\"}", 2.0),
        ("citesieve_requests_total{status=\"429\",by=\"upstream\"}", 1.0),
        ("citesieve_streams_total{dialect=\"anthropic\",ended=\"complete\"}", 1.0),
        ("citesieve_streams_total{dialect=\"openai-chat\",ended=\"complete\"}", 1.0),
        ("citesieve_events_total", 50.0),
        ("citesieve_bytes_total{direction=\"in\"}", 10_000.0),
        ("citesieve_bytes_total{direction=\"out\"}", 10_000.0),
        ("citesieve_markers_total{kind=\"fabricated\"}", 4.0),
        ("citesieve_markers_total{kind=\"real\"}", 4.0),
        ("citesieve_quotes_total{class=\"verified\"}", 1.0),
        ("citesieve_time_added_seconds_count", 2.0),
        ("citesieve_held_seconds_count", 2.0),
    ] {
        let value = proxy.metric(name).await;
        assert!(value >= least, "{name}: {value}");
    }
    assert_eq!(page(admin, "/healthz").await, (http::StatusCode::OK, "ok\n".into()));
    assert_eq!(page(admin, "/readyz").await.0, 200);
    assert_eq!(page(admin, "/v1/models").await.0, 404);
    // On the first address these paths are the upstream's.
    for path in ["/healthz", "/readyz", "/metrics"] {
        proxy.page(path).await;
        assert_eq!(upstream.last().unwrap().path, path);
    }
    assert!(proxy.page("/_citesieve/verdicts/7").await.1.contains("no such verdict"));
}

#[tokio::test]
async fn logs_say_what_happened_and_no_secrets() {
    let (_upstream, proxy) = both("[log]\nformat = \"json\"\nfilter = \"info,citesieve_proxy=debug\"").await;
    let mut request = post(proxy.address, &format!("{CHAT}?key=topsecret&alt=sse"), &question(true));
    request.headers_mut().insert("authorization", "Bearer topsecret".parse().unwrap());
    send(request).await;
    send(post(proxy.address, "/a/../b?key=topsecret", &question(true))).await;
    // It is read by a thread of its own.
    let log =
        until("it is logged", || Some(proxy.log()).filter(|log| log.contains("\"refused\"") && log.ends_with('\n')))
            .await;
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let answer = lines.iter().find(|line| line["message"] == "answer").unwrap();
    assert_eq!(
        (answer["path"].as_str(), answer["status"].as_u64()),
        (Some("/v1/chat/completions?key=…&alt=sse"), Some(200))
    );
    assert_eq!((answer["sources"].as_u64(), answer["dialect"].as_str()), (Some(5), Some("openai-chat")));
    assert!(lines.iter().any(|line| line["message"] == "refused" && line["status"] == 400));
    assert!(!log.contains("topsecret") && !log.contains("When is rent due"), "{log}");
}
