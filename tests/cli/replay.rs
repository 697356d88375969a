//! `citesieve replay`.

use std::path::Path;

use serde_json::Value;

use crate::support::{arg, files, folder, run, shared, tests};

/// The text of the first choice, read by an independent, slow way.
fn chat_text(body: &[u8]) -> String {
    let body = std::str::from_utf8(body).unwrap();
    let data = body.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| *data != "[DONE]");
    data.map(|data| serde_json::from_str::<Value>(data).unwrap())
        .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str().map(str::to_owned))
        .collect()
}

fn recorded(path: &Path, more: &[&str]) -> Vec<u8> {
    let args = ["replay".to_owned(), arg(path), "--out".into(), "-".into()];
    run(args.into_iter().chain(more.iter().map(|&arg| arg.to_owned())), "").fine().stdout
}

#[test]
fn a_real_servers_stream_carries_exactly_the_expected_text() {
    let Some(recording) = shared("recordings/openai-chat/llama-server-lease.sse") else { return };
    let sources = arg(&tests("cases/lease.sources.json"));
    let expected = std::fs::read_to_string(tests("cases/lease.expected.txt")).unwrap();
    let whole = recorded(&recording, &["--sources", &sources]);
    assert_eq!(chat_text(&whole), expected);
    for chunk in ["1", "7", "100000000", "random:3"] {
        assert_eq!(recorded(&recording, &["--sources", &sources, "--chunk", chunk]), whole, "--chunk {chunk}");
    }
}

#[test]
fn without_sources_every_byte_is_the_same() {
    let Some(folder) = shared("recordings/openai-chat") else { return };
    for file in files(&folder).iter().filter(|file| file.ends_with(".sse")) {
        let file = folder.join(file);
        let body = std::fs::read(&file).unwrap();
        for chunk in ["1", "7", "random:7"] {
            assert!(recorded(&file, &["--chunk", chunk]) == body, "{} --chunk {chunk}", file.display());
        }
        assert!(recorded(&file, &[]) == body, "{}", file.display());
    }
}

/// A recording of our own, so that this is tested everywhere.
fn demo(file: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/cli/demo").join(file)
}

#[test]
fn out_is_the_stream_and_report_is_the_verdict() {
    let folder = folder();
    let (out, report) = (folder.path().join("out.sse"), folder.path().join("report.json"));
    let (recording, sources) = (arg(&demo("answer.sse")), arg(&demo("sources.json")));
    let args = ["replay", &recording, "-s", &sources, "--out", &arg(&out), "--report", &arg(&report)];
    assert_eq!(run(args, "").fine().text(), "");
    let text = chat_text(&std::fs::read(&out).unwrap());
    assert!(text.contains("saw the same. Kidney stones were hardly more common [2].\n"), "{text}");
    assert!(text.contains("> Adults over 65") && !text.contains("> Treatment"), "{text}");
    let report: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
    assert_eq!(report["lanes"][0][1]["markers"]["fabricated"], 1);
    assert_eq!(files(folder.path()), ["out.sse", "report.json"]);
}

#[test]
fn several_recordings_follow_each_other() {
    let recording = arg(&demo("answer.sse"));
    let body = std::fs::read(demo("answer.sse")).unwrap();
    let twice = run(["replay", &recording, &recording, "--out", "-", "--report", "-"], "");
    assert_eq!((twice.code, twice.stdout), (Some(0), [body.as_slice(), &body].concat()));
    assert_eq!(serde_json::from_str::<Value>(&twice.stderr).unwrap().as_array().unwrap().len(), 2);
}

#[test]
fn people_see_what_was_changed_and_why() {
    let (recording, sources) = (arg(&demo("answer.sse")), arg(&demo("sources.json")));
    let shown = run(["replay", &recording, "--sources", &sources], "").fine();
    let shown = shown.text();
    for expected in [
        "saw the same[- [4]-]. Kidney",
        "[2[-, 6-]].",
        "[-> -]Treatment can be started",
        "\n> Adults over 65",
        "Line 1: [4] was removed: it names no source.",
        "Line 1: [2, 6] became [2]: the rest of it names no source.",
        "stands word for word in source 3 (National guideline).",
        "\"Treatment can be started without seeing a doctor.",
    ] {
        assert!(shown.contains(expected), "{expected:?} is missing in\n{shown}");
    }
    assert!(!shown.contains('\u{1b}'), "no colours in a pipe");
}

#[test]
fn paced_is_the_same_stream() {
    // A short one: this takes its time.
    let folder = folder();
    let file = folder.path().join("short.sse");
    let body = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Due monthly.\"}}]}\n\ndata: [DONE]\n\n";
    std::fs::write(&file, body).unwrap();
    assert_eq!(recorded(&file, &["--paced"]), body.as_bytes());
}
