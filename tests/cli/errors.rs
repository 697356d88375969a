//! Bad input and usage: one line on standard error, exit code 2, nothing half-written.

use crate::support::{arg, files, folder, run, tests};

/// Runs the program and expects one line on standard error that begins and goes on like this.
#[track_caller]
fn refused(args: &[&str], input: &[u8], begins: &str, contains: &str) {
    let run = run(args, input);
    let line = run.stderr.strip_prefix("citesieve: ").and_then(|line| line.strip_suffix('\n')).unwrap_or("");
    assert!(run.code == Some(2) && run.stdout.is_empty(), "{args:?}: {run:?}");
    assert!(!line.contains('\n') && line.starts_with(begins) && line.contains(contains), "{args:?}: {}", run.stderr);
}

#[test]
fn sources_that_cannot_be_read() {
    let folder = folder();
    let file = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        arg(&path)
    };
    let missing = arg(&folder.path().join("missing.json"));
    for (sources, expected) in [
        (missing, "no such file or folder"),
        (file("latin1.json", b"[{\"id\": \"\xe9\"}]"), "not UTF-8 at byte 9"),
        (
            file("bad.json", b"[\n  {\"id\": 1},\n  {\"id\": 2 \"text\": \"x\"}\n]"),
            "line 3, column 12: expected `,` or `}`",
        ),
        (file("bad.jsonl", b"{\"id\": 1}\n\n{\"id\": }\n"), "line 3, column 8: expected value"),
        (file("unknown.json", b"[{\"id\": 1, \"titel\": \"x\"}]"), "line 1, column 18: unknown field `titel`"),
        (file("format.json", b"[{\"id\": 1, \"format\": \"pdf\"}]"), "unknown variant `pdf`"),
        (file("noid.json", b"[{\"text\": \"x\"}]"), "missing field `id`"),
        (file("emptyid.json", b"[{\"id\": \"\"}]"), "source 0: its id is empty"),
        (
            file("titles.json", b"[{\"id\": 1, \"title\": \"a\"}, {\"id\": \"1\", \"title\": \"b\"}]"),
            "id \"1\" stands twice with different titles: \"a\" and \"b\"",
        ),
        (file("empty.json", b""), "empty; [] says that there are no sources"),
        (file("number.json", b"7"), "neither a JSON array nor an object"),
    ] {
        refused(&["filter", "--sources", &sources], b"Due [1].", &format!("{sources}: "), expected);
    }
    let empty = arg(&folder.path().join("."));
    refused(&["filter", "--sources", &empty], b"", &empty, "a folder without .txt, .md or .html files");
    refused(&["filter", "--sources", r#"[{"id": 1,}]"#], b"", "--sources: line 1, column 11: ", "trailing comma");
}

#[test]
fn a_policy_that_cannot_be_read() {
    let folder = folder();
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        arg(&path)
    };
    let (syntax, key) = (file("syntax.toml", "max_hold = 4\nmax_hold = = 5\n"), file("key.toml", "max_hlod = 4\n"));
    refused(&["filter", "--policy", &syntax], b"", &format!("{syntax}: line 2, column 12: "), "");
    let near = "unknown key \"max_hlod\"; the nearest known one is \"max_hold\"";
    refused(&["filter", "--policy", &key], b"", &format!("{key}: "), near);
    refused(&["filter", "--set", "max_hlod=4"], b"", "--set max_hlod=4: ", near);
    refused(&["filter", "--set", "max_hold=wide"], b"", "--set max_hold=wide: ", "invalid type: string \"wide\"");
    refused(&["filter", "--set", "max_hold"], b"", "--set max_hold: ", "KEY=VALUE");
}

#[test]
fn usage() {
    for (args, expected) in [
        (&["filtr"][..], "unrecognized subcommand 'filtr' tip: a similar subcommand exists: 'filter'"),
        (&["filter", "--sorces", "x"], "unexpected argument '--sorces' found"),
        (&["filter", "--chunk", "0"], "\"0\" is neither a number from 1 nor random:SEED"),
        (&["filter", "--chunk", "random:x"], "\"random:x\" is neither"),
        (&["replay"], "required arguments were not provided: <FILE>..."),
        (&["replay", "missing.sse"], "missing.sse: no such file or folder"),
        (
            &["replay", "-", "--dialect", "openai"],
            "invalid value 'openai' for '--dialect <NAME>' [possible values: openai-chat",
        ),
        (&["replay", "-", "--paced=fast"], "\"fast\" is neither a speed such as 2x nor a number of characters"),
        (&["replay", "Cargo.toml", "--record", "x.sse"], "--record writes what arrives"),
        (&["replay", "-", "Cargo.toml", "--record", "x.sse"], "--record writes what arrives"),
        (&["filter", "--record", "-"], "--record needs a file"),
        (&["filter", "--record", "no/such/folder/x"], "no/such/folder/x: no such file or folder"),
        (&["check", "missing.md", "-s", "[]"], "missing.md: no such file or folder"),
        (&["check", "missing.md"], "required arguments were not provided: --sources <S>"),
        (&["check", "missing.md", "-s", "[]", "--format", "pdf"], "invalid value 'pdf' for '--format <FORMAT>'"),
        (&["schema", "verdikt"], "invalid value 'verdikt' for '<WHAT>'"),
        (&["schema", "verdict", "--field", "x"], "--field: only with \"answer\""),
        (&["schema", "answer", "--field", "x", "--field", "x"], "--field x: given twice"),
        (&["eval", "quotes", "cases.jsonl"], "required arguments were not provided: --sources <S>"),
        (&["eval", "quotes", "--sources", "[]", "missing.jsonl"], "missing.jsonl: no such file or folder"),
        (&["eval", "streams", "missing.jsonl"], "missing.jsonl: no such file or folder"),
    ] {
        refused(args, b"", "", expected);
    }
    let none = run([""; 0], "");
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("Usage: citesieve <COMMAND>"), "{none:?}");
    for args in [&["--help"][..], &["filter", "--help"], &["--version"]] {
        assert!(run(args, "").fine().text().contains("citesieve"), "{args:?}");
    }
}

#[test]
fn cases_that_cannot_be_read() {
    let folder = folder();
    let file = arg(&folder.path().join("cases.jsonl"));
    let refuse = |content: &str, expected: &str| {
        std::fs::write(&file, content).unwrap();
        refused(&["eval", "quotes", "-s", "[]", &file], b"", "", expected);
    };
    refuse("", "there are no cases in these files");
    refuse("\n{\"id\": 1}\n", "cases.jsonl: line 2, column 8: invalid type: integer `1`, expected a string");
    refuse(
        r#"{"id": "a", "mode": "m", "expect": "maybe", "source": "s", "quote": "q"}"#,
        "unknown variant `maybe`, expected one of `found`",
    );
    refuse(r#"{"id": "a", "mode": "m", "expect": "found", "source": "s"}"#, "missing field `quote`");
}

#[test]
fn nothing_is_half_written() {
    let folder = folder();
    let (out, report) = (folder.path().join("out.txt"), folder.path().join("report.json"));
    std::fs::write(&report, "what was there").unwrap();
    let here = |path: &std::path::Path| arg(path);
    // The input turns out bad half-way: the report keeps what it was.
    let bad = run(["filter", "--report", &here(&report)], b"fine so far \xff");
    assert_eq!((bad.code, bad.text()), (Some(2), "fine so far "));
    // A recording that is missing, a report that has no place: nothing is written at all.
    let recording = here(&tests("../crates/cli/demo/answer.sse"));
    for args in [
        &["replay", &recording, "missing.sse", "--out", &here(&out)][..],
        &["replay", &recording, "--out", &here(&out), "--report", &here(&folder.path().join("none/report.json"))],
        &["replay", &recording, "--out", &here(&out), "--report", &here(folder.path())],
    ] {
        refused(args, b"", "", "");
    }
    assert_eq!(files(folder.path()), ["report.json"]);
    assert_eq!(std::fs::read_to_string(&report).unwrap(), "what was there");
}

#[cfg(unix)]
#[test]
fn links_and_devices_stay_what_they_are() {
    let folder = folder();
    let (real, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
    std::fs::write(&real, "old").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    run(["filter", "--report", &arg(&link)], "Due.").fine();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().starts_with('{'));
    run(["filter", "--report", "/dev/null"], "Due.").fine();
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
}
