//! `citesieve filter`.

use std::io::{Read, Write};
use std::process::Stdio;

use serde_json::Value;

use crate::support::{self, arg, folder, run, tests};

/// Every stream case through the real binary, cut in three ways.
#[test]
fn every_case_of_the_stream_file() {
    let cases = std::fs::read_to_string(tests("cases/stream.jsonl")).unwrap();
    let mut failures = Vec::new();
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        for cut in [&[][..], &["--chunk", "1"], &["--chunk", "random:7"]] {
            let mut args: Vec<String> = vec!["filter".into()];
            if !case["sources"].is_null() {
                args.extend(["--sources".into(), case["sources"].to_string()]);
            }
            args.extend(cut.iter().map(|&arg| arg.to_owned()));
            let run = run(&args, case["input"].as_str().unwrap()).fine();
            if run.text() != case["output"] {
                failures.push(format!("{} {cut:?}: {:?}, not {}", case["id"], run.text(), case["output"]));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn text_leaves_before_the_pipe_is_closed() {
    let mut child = support::command()
        .args(["filter", "--sources", r#"{"1": "Rent is due."}"#])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut shown = Vec::new();
    // The é is cut in two: its first byte must neither be lost nor wait in the way of what came before.
    for (fed, expected) in [
        (&b"Rent is du"[..], "Rent is du"),
        (b"e [1]. Caf\xc3", "Rent is due [1]. Caf"),
        (b"\xa9 is late [9].\n", "Rent is due [1]. Caf\u{e9} is late.\n"),
    ] {
        stdin.write_all(fed).unwrap();
        stdin.flush().unwrap();
        let mut byte = [0];
        // Blocks for ever, and so fails, if the program waits for more than it needs.
        while shown.len() < expected.len() {
            stdout.read_exact(&mut byte).unwrap();
            shown.push(byte[0]);
        }
        assert_eq!(String::from_utf8_lossy(&shown), expected);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn nothing_known_and_known_to_be_none() {
    let text = "Due [1], see [2].\n\n> In gold and silver only.\n";
    assert_eq!(run(["filter"], text).fine().text(), text);
    assert_eq!(run(["filter", "--sources", "[]"], "Due [1], monthly [2].").fine().text(), "Due, monthly.");
}

#[test]
fn sources_from_a_folder_are_numbered_in_name_order() {
    let folder = folder();
    for (name, text) in [("b.md", "# Second\n"), ("a.txt", "First."), ("c.HTML", "<p>Third</p>"), ("z.pdf", "%PDF")] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    std::fs::write(folder.path().join(".hidden.txt"), "not a source").unwrap();
    let run = run(["filter", "-s", &arg(folder.path())], "One [1], two [2], three [3], four [4].").fine();
    assert_eq!(run.text(), "One [1], two [2], three [3], four.");
}

#[test]
fn the_report_is_the_verdict() {
    let folder = folder();
    let file = folder.path().join("verdict.json");
    let args = ["filter", "--sources", r#"[{"id": 1}]"#, "--report"];
    run(args.into_iter().chain([arg(&file).as_str()]), "Due [1], late [9].").fine();
    let verdict: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(verdict["markers"]["fabricated"], 1);
    assert_eq!(support::files(folder.path()), ["verdict.json"]);

    let to_stderr = run(args.into_iter().chain(["-"]), "Due [1], late [9].");
    assert_eq!((to_stderr.code, to_stderr.text()), (Some(0), "Due [1], late."));
    assert_eq!(serde_json::from_str::<Value>(&to_stderr.stderr).unwrap(), verdict);
}

#[test]
fn a_policy_from_a_file_and_from_arguments() {
    let folder = folder();
    let policy = folder.path().join("policy.toml");
    std::fs::write(&policy, "max_hold = 4\n").unwrap();
    // What may not be held until it is decided cannot be demoted.
    let text = "> Rent is due on gold and silver only.\n";
    let sources = r#"{"1": "Rent is due on the first day of each month."}"#;
    let with = |more: &[&str]| {
        let args: Vec<&str> = ["filter", "-s", sources].iter().chain(more).copied().collect();
        run(args, text).fine().text().to_owned()
    };
    assert_eq!(with(&[]), "Rent is due on gold and silver only.\n");
    assert_eq!(with(&["--policy", &arg(&policy)]), text);
    assert_eq!(with(&["--policy", &arg(&policy), "--set", "max_hold=4096"]), with(&[]));
}

#[test]
fn bad_utf8_releases_what_came_before() {
    let run = run(["filter", "-s", r#"[{"id": 1}]"#], b"Due [1] and [\xff");
    assert_eq!(run.text(), "Due [1] and [");
    assert_eq!((run.code, run.stderr.as_str()), (Some(2), "citesieve: standard input: not UTF-8 at byte 13\n"));
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let mut child = support::command().arg("filter").stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    drop(child.stdout.take());
    // More than a pipe holds, until the program gives up.
    while stdin.write_all(&[b'a'; 4096]).is_ok() {}
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
