//! `check --judge` and `eval claims`, with a scripted model server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::{arg, command, folder, run};

/// What came in: the head of the request, and its body.
pub(crate) type Log = Arc<Mutex<Vec<(String, Value)>>>;

/// A server that says the same about every claim, by a function of source and claim.
pub(crate) fn server(says: fn(&str, &str) -> &'static str) -> (String, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let log = Log::default();
    let seen = Arc::clone(&log);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let seen = Arc::clone(&seen);
            std::thread::spawn(move || answer(stream.unwrap(), &seen, says));
        }
    });
    (url, log)
}

fn answer(mut stream: TcpStream, log: &Log, says: fn(&str, &str) -> &'static str) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap() == 0 {
            return;
        }
    }
    let length = |line: &str| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok();
    let mut body = vec![0; head.lines().find_map(length).unwrap()];
    reader.read_exact(&mut body).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let prompt: Value = serde_json::from_str(body["messages"][1]["content"].as_str().unwrap()).unwrap();
    let entry = |claim: &Value| {
        let text = claim["text"].as_str().unwrap();
        let begins: Vec<&str> = text.split(' ').take(3).collect();
        let verdict = says(prompt["source"]["text"].as_str().unwrap(), text);
        json!({"id": claim["id"], "begins": begins.join(" "), "reason": "<b>As told.</b>", "verdict": verdict, "confidence": 0.75})
    };
    let entries: Vec<Value> = prompt["claims"].as_array().unwrap().iter().map(entry).collect();
    let text = json!({"judgements": entries}).to_string();
    let answer = json!({
        "choices": [{"message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 50},
    });
    log.lock().unwrap().push((head, body));
    let answer = answer.to_string();
    let _ = write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{answer}",
        answer.len()
    );
}

pub(crate) const SOURCES: &str =
    r#"{"1": "Late rent bears interest at four per cent a year.", "2": "The tenant keeps the roof in good repair."}"#;
pub(crate) const ANSWER: &str = "Late rent bears some interest, 4 % a year [1]. The roof is nobody's business [2]. \
    It says \"late rent bears interest\" [1]. Is that all [2]?\n";

pub(crate) fn contradicts_the_roof(source: &str, _: &str) -> &'static str {
    if source.contains("roof") { "contradicts" } else { "supports" }
}

#[test]
fn claims_are_asked_about_and_told() {
    let (url, log) = server(contradicts_the_roof);
    let args = ["check", "-", "--sources", SOURCES, "--judge", &url, "--model", "small"];
    let shown = run(args, ANSWER).fine();
    for expected in [
        "- Line 1: the claim \"Late rent bears some interest, 4 % a …\" is supported by source 1, says the model.\n",
        "- Line 1: the claim \"The roof is nobody's business [2].\" is contradicted by source 2, says the model.\n",
        "  <b>As told.</b> (small, confidence 0.75, asked because of its digits)\n",
        "asked because words alone cannot tell)\n",
        "- The model was asked in 2 calls, with about 2100 tokens.\n",
    ] {
        assert!(shown.text().contains(expected), "{expected:?} is missing in\n{}", shown.text());
    }
    let log = log.lock().unwrap();
    assert_eq!(log.len(), 2, "the quote is decided, the question is none of the model's business");
    assert!(log.iter().all(|(head, body)| head.starts_with("POST /v1/chat/completions ") && body["model"] == "small"));
    assert!(log.iter().all(|(head, _)| !head.to_ascii_lowercase().contains("authorization")));
}

#[test]
fn the_verdict_has_the_judgements() {
    let (url, _) = server(contradicts_the_roof);
    let args = ["check", "-", "--sources", SOURCES, "--judge", &url, "--model", "small", "--format", "json"];
    let json: Value = serde_json::from_str(run(args, ANSWER).fine().text()).unwrap();
    let claims = &json["verdict"]["claims"];
    assert_eq!(claims[0]["support"], "judged");
    assert_eq!(
        (&claims[1]["support"], &claims[1]["judgement"]["ruling"]),
        (&json!("unsupported"), &json!("contradicts"))
    );
    let one = &claims[0]["judgement"]["sources"][0];
    assert_eq!((&one["source"], &one["decision"], &one["confidence"]), (&json!("1"), &json!("digit"), &json!(0.75)));
    assert_eq!((&one["call"]["input_tokens"], &one["call"]["claims"]), (&json!(1000), &json!(1)));
    assert_eq!(claims[2]["judgement"], json!(null));
    assert_eq!(json["judge"]["spent"]["calls"], 2);
    let skipped =
        json!([{"claim": 2, "source": "1", "why": "quoted"}, {"claim": 3, "source": "2", "why": {"form": "question"}}]);
    assert_eq!(json["judge"]["skipped"], skipped);
    // What a policy makes of it.
    let run = run(args.into_iter().chain(["--set", "unsupported_claims=downgrade"]), ANSWER);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let json: Value = serde_json::from_str(run.text()).unwrap();
    assert_eq!(json["verdict"]["reasons"], json!(["unsupported_claim"]));
}

#[test]
fn without_a_judge_nothing_is_said_of_one() {
    let json: Value =
        serde_json::from_str(run(["check", "-", "-s", SOURCES, "--format", "json"], ANSWER).fine().text()).unwrap();
    assert!(json.get("judge").is_none());
    assert_eq!(
        (&json["verdict"]["claims"][0]["judgement"], &json["verdict"]["claims"][0]["support"]),
        (&json!(null), &json!("cited"))
    );
}

#[test]
fn the_page_tells_what_the_model_said() {
    let (url, _) = server(contradicts_the_roof);
    let args = ["check", "-", "--sources", SOURCES, "--judge", &url, "--model", "<small>", "--format", "html"];
    let page = run(args, ANSWER).fine();
    for expected in [
        "Claims, as a model judges them",
        "Contradicted",
        "Supported",
        "&#60;b&#62;As told.&#60;/b&#62; (&#60;small&#62;",
        "The model was asked in 2 calls",
    ] {
        assert!(page.text().contains(expected), "{expected} is missing in\n{}", page.text());
    }
    assert!(!page.text().contains("no model took part"));
    let page = run(["check", "-", "--sources", SOURCES, "--format", "html"], ANSWER).fine();
    assert!(page.text().contains("no model took part") && !page.text().contains("as a model judges"));
}

#[test]
fn a_key_comes_from_the_environment_and_is_shown_nowhere() {
    let (url, log) = server(contradicts_the_roof);
    let with_key = |url: &str, format: &str| {
        let mut child = command()
            .args(["check", "-", "--sources", SOURCES, "--judge", url, "--model", "m", "--judge-key-env", "MY_KEY"])
            .args(["--format", format, "--report", "-"])
            .env("MY_KEY", "sk-very-secret")
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(ANSWER.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    for format in ["text", "json", "html"] {
        assert!(!with_key(&url, format).contains("secret"), "{format}");
        // Nobody there: the message has no key either.
        assert!(!with_key("http://127.0.0.1:9/v1", format).contains("secret"), "{format}");
    }
    assert!(log.lock().unwrap().iter().all(|(head, _)| head.contains("Bearer sk-very-secret")));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |args: &[&str], message: &str| {
        let run = run(["check", "-", "-s", SOURCES].iter().chain(args), ANSWER);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.starts_with("citesieve: ") && run.stderr.contains(message), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1);
    };
    refused(&["--judge", "http://127.0.0.1:9"], "--model");
    refused(&["--model", "m"], "--judge");
    refused(&["--judge", "nowhere", "--model", "m"], "the URL of the model");
    refused(&["--judge", "http://x", "--model", "m", "--judge-key-env", "NO_SUCH_KEY"], "NO_SUCH_KEY");
    refused(&["--judge", "http://x", "--model", "m", "--structured"], "--structured");
    let folder = folder();
    let file = folder.path().join("judge.toml");
    std::fs::write(&file, "max_calls = 3\n").unwrap();
    refused(&["--judge", "http://x", "--model", "m", "--judge-options", &arg(&file)], "max_calls");
}

#[test]
fn options_come_from_a_file() {
    let (url, log) = server(contradicts_the_roof);
    let folder = folder();
    let file = folder.path().join("judge.toml");
    std::fs::write(&file, "[per_answer]\ncalls = 1\n[prices]\ninput = 2.0\noutput = 10.0\n").unwrap();
    let args = ["check", "-", "-s", SOURCES, "--judge", &url, "--model", "m", "--judge-options", &arg(&file)];
    let shown = run(args, ANSWER).fine();
    assert!(shown.text().contains("was not judged by source"), "{}", shown.text());
    assert!(shown.text().contains("1 call, with about 1050 tokens, which cost 0.0025."), "{}", shown.text());
    assert_eq!(log.lock().unwrap().len(), 1);
}

/// One claim of each class that the server tells right, one that it does not, one in the words of its source.
const CASES: &str = r#"
{"claim": "Who pays late owes 4 % a year.", "source": "Late rent bears interest at four per cent a year.", "label": "supports"}
{"claim": "The roof is nobody's business at all.", "source": "The tenant keeps the roof in good repair.", "label": "contradicts"}
{"claim": "The roof was painted red in 1990.", "source": "The tenant keeps the roof in good repair.", "label": "unrelated"}
{"claim": "The tenant keeps the roof in good repair.", "source": "The tenant keeps the roof in good repair.", "label": "supports"}
"#;

#[test]
fn a_model_is_measured_on_claims() {
    let (url, log) = server(contradicts_the_roof);
    let folder = folder();
    let file = |name: &str| arg(&folder.path().join(name));
    let (cases, plot, results) = (file("cases.jsonl"), file("sweep.svg"), file("results.jsonl"));
    std::fs::write(&cases, CASES).unwrap();
    let args = ["eval", "claims", &cases, "--judge", &url, "--model", "m", "--plot", &plot, "--results", &results];
    let table = run(args, "").fine();
    for expected in [
        "class        cases  judged  right  precision  recall\n",
        "supports         2       2      2      1.000   1.000\n",
        "unrelated        1       0      0          -   0.000\n",
        "contradicts      1       2      1      0.500   1.000\n",
        "right                3 of 4\n",
        "cases                4: 3 asked, 1 by their words, 0 not to be judged\n",
        "not understood       0\n",
        "calls                2, 2000 tokens in, 100 out\n",
    ] {
        assert!(table.text().contains(expected), "{expected:?} is missing in\n{}", table.text());
    }
    assert_eq!(log.lock().unwrap().len(), 2);
    let svg = std::fs::read_to_string(&plot).unwrap();
    for expected in ["<svg", "near_verbatim", "clearly_unsupported", "claims that go to a model", "<polyline"] {
        assert!(svg.contains(expected), "{expected}");
    }
    let lines = std::fs::read_to_string(&results).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let rulings: Vec<&Value> = lines.iter().map(|line| &line["judgement"]["ruling"]).collect();
    assert_eq!(rulings, ["supports", "contradicts", "contradicts", "supports"]);
    assert_eq!(lines[3]["judgement"]["decision"], "verbatim");
}

#[test]
fn the_sweep_needs_no_model() {
    let folder = folder();
    let cases = arg(&folder.path().join("cases.jsonl"));
    std::fs::write(
        &cases,
        CASES.replace("\"The tenant keeps the roof in good repair.\", \"label\"", "\"roof\", \"label\""),
    )
    .unwrap();
    let unknown = run(["eval", "claims", &cases, "--sources", SOURCES], "");
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("no source has the id \"Late rent"), "{}", unknown.stderr);

    std::fs::write(&cases, CASES).unwrap();
    let summary: Value = serde_json::from_str(run(["eval", "claims", "--json", &cases], "").fine().text()).unwrap();
    assert_eq!((&summary["asked"], &summary["by_words"], &summary["model"]), (&json!(3), &json!(1), &json!(null)));
    let sweep = summary["sweep"].as_array().unwrap();
    assert_eq!((sweep.len(), &sweep[0]["threshold"], &sweep[40]["threshold"]), (41, &json!(0.0), &json!(1.0)));
    // The higher the threshold, the more is asked, and the less passes wrongly.
    for pair in sweep.windows(2) {
        assert!(pair[0]["asked"].as_f64() <= pair[1]["asked"].as_f64());
        assert!(pair[0]["passed_wrongly"].as_f64() >= pair[1]["passed_wrongly"].as_f64());
        assert!(pair[0]["supported_unmatched"].as_f64() <= pair[1]["supported_unmatched"].as_f64());
    }
    assert_eq!(sweep[40]["unsupported_unmatched"], 1.0);
}

/// The cases that the documentation speaks of.
#[test]
fn the_cases_of_the_project_are_read() {
    let cases = arg(&crate::support::tests("cases/claims.jsonl"));
    let table = run(["eval", "claims", &cases], "").fine();
    assert!(table.text().starts_with("cases                27: "), "{}", table.text());
}
