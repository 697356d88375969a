//! The judge in `serve`: beside the stream, and before it where sentences wait.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Child;
use std::thread::JoinHandle;

use serde_json::{Value, json};

use crate::judge::{ANSWER, SOURCES, contradicts_the_roof, server};
use crate::support::{command, folder};

/// An upstream that streams one answer to everybody.
fn upstream(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            while line != "\r\n" {
                line.clear();
                if reader.read_line(&mut line).unwrap() == 0 {
                    break;
                }
            }
            let mut body = String::new();
            for word in answer.split_inclusive(' ') {
                body += &format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": word}}]}));
            }
            body += &format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
            body += "data: [DONE]\n\n";
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";
            let _ = write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len());
        }
    });
    url
}

/// One request to the proxy; the whole response.
fn request(address: &str, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(stream, "{head} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

/// A proxy with a judge at this URL, in front of an upstream that always says [`ANSWER`].
struct Proxy {
    child: Child,
    address: String,
    folder: tempfile::TempDir,
    said: JoinHandle<String>,
}

impl Proxy {
    fn start(url: &str, policy: &str, judge: &str) -> Self {
        let folder = folder();
        let file = |name: &str| folder.path().join(name);
        std::fs::write(file("sources.json"), SOURCES).unwrap();
        let config = format!(
            "listen = \"127.0.0.1:0\"\nupstream = \"{}\"\ndefault_set = \"lease\"\n[sources]\nlease = \"sources.json\"\n\
             [policy]\n{policy}\n[verdicts]\nfile = \"verdicts.jsonl\"\n\
             [judge]\nurl = \"{url}\"\nmodel = \"small\"\nkey_env = \"JUDGE_KEY\"\n{judge}\n",
            upstream(ANSWER)
        );
        std::fs::write(file("proxy.toml"), config).unwrap();
        let refused = command().args(["serve", "--check-config", "--config"]).arg(file("proxy.toml")).output().unwrap();
        assert!(String::from_utf8_lossy(&refused.stderr).contains("JUDGE_KEY holds no key"), "{refused:?}");
        let mut child = command()
            .args(["serve", "--config"])
            .arg(file("proxy.toml"))
            .env("JUDGE_KEY", "sk-very-secret")
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        let address = loop {
            let mut line = String::new();
            assert!(stderr.read_line(&mut line).unwrap() > 0, "{said}");
            said += &line;
            if let Some((_, rest)) = line.split_once("address=") {
                break rest.split_whitespace().next().unwrap().to_owned();
            }
        };
        let said = std::thread::spawn(move || {
            stderr.read_to_string(&mut said).unwrap();
            said
        });
        Proxy { child, address, folder, said }
    }

    fn request(&self, head: &str, body: &str) -> String {
        request(&self.address, head, body)
    }

    /// Asks for the answer.
    fn ask(&self) -> String {
        let response = self.request("POST /v1/chat/completions", "{\"model\": \"m\", \"messages\": []}");
        assert!(response.contains("data: [DONE]"), "{response}");
        response
    }

    /// The record of a response, when it is there.
    fn record(&self, response: &str) -> Value {
        let id = response.lines().find_map(|line| line.strip_prefix("x-citesieve-id: ")).unwrap().to_owned();
        loop {
            let found = self.request(&format!("GET /_citesieve/verdicts/{id}"), "");
            let (head, body) = found.split_once("\r\n\r\n").unwrap();
            if head.starts_with("HTTP/1.1 200") {
                break serde_json::from_str(body).unwrap();
            }
            assert!(head.starts_with("HTTP/1.1 202"), "{found}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// Ends it; what it said, and the file of verdicts.
    fn stop(mut self) -> (String, String) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        (self.said.join().unwrap(), std::fs::read_to_string(self.folder.path().join("verdicts.jsonl")).unwrap())
    }
}

/// What each claim of a verdict is supported by.
fn supports(verdict: &Value) -> Vec<&str> {
    verdict["claims"].as_array().unwrap().iter().map(|claim| claim["support"].as_str().unwrap()).collect()
}

/// The text of a stream, and the verdict on it.
fn shown(response: &str) -> (String, Value) {
    let events = response.lines().filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok());
    let (mut text, mut verdict) = (String::new(), Value::Null);
    for event in events {
        text += event["choices"][0]["delta"]["content"].as_str().unwrap_or_default();
        if !event["citesieve"].is_null() {
            verdict = event["citesieve"].clone();
        }
    }
    // What the record tells elsewhere.
    if let Some(verdict) = verdict.as_object_mut() {
        verdict.remove("sources_from");
    }
    (text, verdict)
}

#[test]
fn the_proxy_judges_beside_the_stream() {
    let (url, log) = server(contradicts_the_roof);
    let proxy = Proxy::start(&url, "unsupported_claims = \"downgrade\"", "[judge.options]\npatience = 1");
    let response = proxy.ask();
    let (text, verdict) = shown(&response);
    assert_eq!(text, ANSWER);
    assert_eq!(supports(&verdict), ["cited", "cited", "quoted", "cited"], "the stream does not wait");
    let record = proxy.record(&response);
    let verdict = &record["choices"][0]["verdict"];
    assert_eq!((&verdict["status"], &verdict["reasons"]), (&json!("downgraded"), &json!(["unsupported_claim"])));
    assert_eq!(supports(verdict), ["judged", "unsupported", "quoted", "cited"]);
    let metrics = proxy.request("GET /metrics", "");
    for expected in ["citesieve_judgements_total{ruling=\"contradicts\"} 1", "citesieve_judge_calls_total 2"] {
        assert!(metrics.contains(expected), "{expected} is missing in\n{metrics}");
    }
    assert!(log.lock().unwrap().iter().all(|(head, _)| head.contains("Bearer sk-very-secret")));
    let (said, verdicts) = proxy.stop();
    assert!(!said.contains("secret"));
    assert!(verdicts.contains("\"unsupported\""));
}

#[test]
fn sentences_wait_for_the_judge_where_that_is_asked_for() {
    let roof = " The roof is nobody's business [2].";
    for (failed, want) in [
        ("keep", ANSWER.to_owned()),
        ("mark", ANSWER.replace(roof, &format!("{roof} [unverified]"))),
        ("drop", ANSWER.replace(roof, "")),
    ] {
        let (url, log) = server(contradicts_the_roof);
        let policy = format!("release = \"claim\"\nfailed_claims = \"{failed}\"\nunsupported_claims = \"downgrade\"");
        let proxy = Proxy::start(&url, &policy, "wait = \"60s\"");
        let response = proxy.ask();
        let (text, verdict) = shown(&response);
        assert_eq!(text, want, "{failed}");
        assert_eq!(supports(&verdict), ["judged", "unsupported", "quoted", "cited"], "the verdict on the wire has it");
        // What was left out downgrades nothing.
        assert_eq!(verdict["status"], if failed == "drop" { "answered" } else { "downgraded" });
        let record = proxy.record(&response);
        assert_eq!(record["choices"][0]["verdict"], verdict, "and so has the record");
        assert_eq!(log.lock().unwrap().len(), 2, "nothing is asked twice");
        proxy.stop();
    }
}

#[test]
fn a_judge_that_is_too_slow_delays_sentences_no_longer_than_allowed() {
    // It takes connections and never answers.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let policy = "release = \"claim\"\nfailed_claims = \"drop\"";
    let proxy = Proxy::start(&url, policy, "wait = \"100ms\"\n[judge.options]\ndeadline_ms = 100");
    let response = proxy.ask();
    assert_eq!(shown(&response).0, ANSWER, "what is not ruled on is not damaged");
    let record = proxy.record(&response);
    assert_eq!(supports(&record["choices"][0]["verdict"]), ["unjudged", "unjudged", "quoted", "cited"]);
    proxy.stop();
}
