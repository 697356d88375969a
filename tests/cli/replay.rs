//! `citesieve replay`.

use std::io::{Read, Write};
use std::path::Path;

use serde_json::Value;

use crate::support::{arg, command, files, folder, run, shared, tests};

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
fn sources_that_the_response_sends_count_if_they_are_asked_for() {
    let folder = folder();
    let file = folder.path().join("perplexity.sse");
    let chunk = serde_json::json!({
        "citations": ["https://a.example", "https://b.example"],
        "choices": [{"index": 0, "delta": {"content": "Due [2], paid [3]."}}],
    });
    let body = format!("data: {chunk}\n\ndata: [DONE]\n\n");
    std::fs::write(&file, &body).unwrap();
    assert_eq!(recorded(&file, &[]), body.as_bytes());
    assert_eq!(chat_text(&recorded(&file, &["--response-sources"])), "Due [2], paid.");
    let shown = run(["replay", &arg(&file), "--response-sources"], "").fine();
    assert!(shown.text().contains("1 made up"), "{}", shown.text());
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

#[test]
fn a_pace_changes_nothing_but_the_time() {
    let folder = folder();
    let file = folder.path().join("short.sse");
    let frame =
        |text: &str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
    let body = frame("Due [9") + &frame("] monthly.");
    std::fs::write(&file, &body).unwrap();
    let plain = recorded(&file, &["--sources", "[]"]);
    assert_eq!(chat_text(&plain), "Due monthly.");
    for pace in ["--paced=20x", "--paced=5000", "--paced=0.5x"] {
        // The times may know less than the body has, or end in a line that was being written.
        for times in ["0 5\n1 20\n3 70\n", "0 5\n1 2", ""] {
            std::fs::write(folder.path().join("short.sse.times"), times).unwrap();
            assert_eq!(recorded(&file, &[pace, "--sources", "[]"]), plain, "{pace} {times:?}");
            assert_eq!(recorded(&file, &[pace, "--sources", "[]", "--chunk", "7"]), plain, "{pace} {times:?}");
        }
    }
    // People see the same, too.
    let shown = |more: &[&str]| {
        let args = ["replay", file.to_str().unwrap(), "--sources", "[]"];
        run(args.iter().chain(more), "").fine().stdout
    };
    assert_eq!(shown(&["--paced=5000"]), shown(&[]));
}

#[test]
fn times_that_make_no_sense_are_named() {
    let folder = folder();
    let file = folder.path().join("a.sse");
    std::fs::write(&file, "data: [DONE]\n\n").unwrap();
    std::fs::write(folder.path().join("a.sse.times"), "0 5\nsoon 9\n").unwrap();
    let refused = run(["replay", &arg(&file), "--out", "-"], "");
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("a.sse.times: line 2, column 1: expected milliseconds and bytes"),
        "{}",
        refused.stderr
    );
}

/// Bodies of three APIs, each with a marker that names nothing, and the names of their dialects.
const BODIES: [(&str, &str, &str); 3] = [
    (
        "a.sse",
        "openai-chat",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Due [9].\"}}]}\n\ndata: [DONE]\n\n",
    ),
    (
        "b/c.ndjson",
        "ollama",
        "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"Due [9].\"},\"done\":true}\n",
    ),
    (
        "b/d.json",
        "gemini",
        "[{\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"Due [9].\"}]},\"index\": 0}]}\n]",
    ),
];

#[test]
fn a_folder_is_every_recording_in_it() {
    let folder = folder();
    let place = folder.path().join("recordings");
    std::fs::create_dir_all(place.join("b/empty")).unwrap();
    for (file, _, body) in BODIES {
        std::fs::write(place.join(file), body).unwrap();
    }
    for other in ["MANIFEST.json", "a.headers", "a.sse.times", ".hidden.sse", "b/notes.md"] {
        std::fs::write(place.join(other), "").unwrap();
    }
    let report = folder.path().join("report.json");
    let args = ["replay", &arg(&place), "--sources", "[]", "--no-verdict", "--out", "-", "--report", &arg(&report)];
    let out = run(args, "").fine();
    let expected: String = BODIES.iter().map(|(_, _, body)| body.replace(" [9]", "")).collect();
    assert_eq!(out.text(), expected);
    let report: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
    let told: Vec<_> = report.as_array().unwrap().iter().map(|one| (&one["file"], &one["dialect"])).collect();
    assert_eq!(told.len(), 3);
    for ((file, dialect), (expected, expected_dialect, _)) in told.into_iter().zip(BODIES) {
        assert_eq!(file, &Value::from(arg(&place.join(expected))));
        assert_eq!(dialect, expected_dialect);
    }
    // For people, each under its name.
    let shown = run(["replay", &arg(&place), "--sources", "[]"], "").fine();
    assert_eq!(shown.text().matches("Due[- [9]-].").count(), 3, "{}", shown.text());
    assert!(shown.text().contains("d.json\n"), "{}", shown.text());
    // A folder of one is a list of one.
    let one = run(["replay", &arg(&place.join("b")), "--out", "-", "--report", "-"], "");
    assert!(serde_json::from_str::<Value>(&one.stderr).unwrap().is_array());

    let none = run(["replay", &arg(&place.join("b/empty"))], "");
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("no recordings are in it"), "{}", none.stderr);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_back_is_no_end() {
    let folder = folder();
    std::fs::write(folder.path().join("a.sse"), BODIES[0].2).unwrap();
    std::os::unix::fs::symlink(folder.path(), folder.path().join("again")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("a.sse"), folder.path().join("b.sse")).unwrap();
    let out = run(["replay", &arg(folder.path()), "--out", "-"], "").fine();
    assert_eq!(out.text(), BODIES[0].2.repeat(2));
}

/// Every recording that there is, in one run: nothing known, nothing changed.
#[test]
fn a_folder_of_all_dialects_passes_byte_for_byte() {
    let Some(folder) = shared("recordings") else { return };
    let mut expected = Vec::new();
    for dialect in files(&folder).iter().filter(|name| folder.join(name).is_dir()) {
        for file in files(&folder.join(dialect)).iter().filter(|name| !name.ends_with(".headers")) {
            expected.extend(std::fs::read(folder.join(dialect).join(file)).unwrap());
        }
    }
    assert!(run(["replay", &arg(&folder), "--out", "-"], "").fine().stdout == expected);
}

#[test]
fn the_dialect_may_be_told() {
    // What is told is believed, also where it is wrong: then nothing is found, and nothing is lost.
    let folder = folder();
    let report = folder.path().join("report.json");
    for (_, dialect, body) in BODIES {
        for told in ["openai-chat", "ollama", "gemini"] {
            let args =
                ["replay", "-", "--dialect", told, "-s", "[]", "--no-verdict", "--out", "-", "--report", &arg(&report)];
            let out = run(args, body).fine();
            let expected = if told == dialect { body.replace(" [9]", "") } else { body.to_owned() };
            assert_eq!(out.text(), expected, "{dialect} taken for {told}");
            let report: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
            assert_eq!(report["dialect"], told);
        }
    }
}

/// Feeds a program and reads what it writes before it is fed more; blocks for ever, and so fails, if it waits.
fn converse(args: &[&str], turns: &[(&str, &str)]) {
    let mut child = command().args(args).stdin(std::process::Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    for (fed, expected) in turns {
        stdin.write_all(fed.as_bytes()).unwrap();
        stdin.flush().unwrap();
        let mut written = vec![0; expected.len()];
        stdout.read_exact(&mut written).unwrap();
        assert_eq!(&String::from_utf8(written).unwrap(), expected);
    }
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    assert!(child.wait().unwrap().success());
}

#[test]
fn standard_input_is_sieved_and_recorded_as_it_arrives() {
    let folder = folder();
    let file = folder.path().join("live.sse");
    std::fs::write(&file, "what was recorded before, and was longer than this will be".repeat(20)).unwrap();
    let frame =
        |text: &str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
    let turns = [
        (frame("Due"), frame("Due")),
        // Undecided: but the ping passes.
        (frame(" monthly [7") + ": ping\n\n", ": ping\n\n".to_owned()),
        (frame("]."), frame(" monthly") + &frame(".")),
        ("data: [DONE]\n\n".to_owned(), "data: [DONE]\n\n".to_owned()),
    ];
    let turns: Vec<(&str, &str)> = turns.iter().map(|(fed, out)| (fed.as_str(), out.as_str())).collect();
    converse(&["replay", "-", "-s", "[]", "--out", "-", "--no-verdict", "--record", &arg(&file)], &turns);
    let came = std::fs::read_to_string(&file).unwrap();
    assert_eq!(came, turns.iter().map(|(fed, _)| *fed).collect::<String>());
    let times = std::fs::read_to_string(folder.path().join("live.sse.times")).unwrap();
    // Each turn was read alone, as the program had answered before.
    let lengths: Vec<usize> = times.lines().map(|line| line.split_once(' ').unwrap().1.parse().unwrap()).collect();
    assert_eq!(lengths, turns.iter().map(|(fed, _)| fed.len()).collect::<Vec<_>>());
    // And it plays.
    let out = recorded(&file, &["-s", "[]", "--no-verdict", "--paced=50x"]);
    assert_eq!(String::from_utf8(out).unwrap(), turns.iter().map(|(_, out)| *out).collect::<String>());
}

#[test]
fn a_run_that_is_killed_leaves_what_came_in() {
    let folder = folder();
    let file = folder.path().join("live.txt");
    let mut child =
        command().args(["filter", "--record", &arg(&file)]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    stdin.write_all("Due [9] is caf\u{e9}".as_bytes()).unwrap();
    stdin.flush().unwrap();
    stdout.read_exact(&mut [0; 3]).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "Due [9] is caf\u{e9}");
    let times = std::fs::read_to_string(folder.path().join("live.txt.times")).unwrap();
    assert!(times.ends_with(" 16\n"), "{times}");
}

#[test]
fn a_recording_is_of_what_came_in_also_where_it_is_no_text() {
    let folder = folder();
    let file = folder.path().join("live.txt");
    let refused = run(["filter", "-s", "[]", "--record", &arg(&file)], b"Due [9].\xff more");
    assert_eq!((refused.code, refused.text()), (Some(2), "Due."));
    assert_eq!(std::fs::read(&file).unwrap(), b"Due [9].\xff more");
}

#[test]
fn what_is_read_for_people_is_recorded_too() {
    let folder = folder();
    let file = folder.path().join("live.ndjson");
    let (_, _, body) = BODIES[1];
    for more in [&["--record", &arg(&file)][..], &["--record", &arg(&file), "--paced=5000"]] {
        let shown = run(["replay", "-", "-s", "[]"].iter().chain(more), body).fine();
        assert!(shown.text().starts_with("Due[- [9]-].\n"), "{}", shown.text());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), body);
    }
}
