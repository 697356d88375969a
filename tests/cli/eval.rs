//! `citesieve eval`.

use serde_json::{Value, json};

use crate::support::{arg, folder, run, shared, tests};

#[test]
fn streams_pass_however_they_are_cut() {
    let cases = arg(&tests("cases/stream.jsonl"));
    let table = run(["eval", "streams", &cases], "").fine();
    assert!(table.text().starts_with("kind"), "{}", table.text());
    let count = std::fs::read_to_string(&cases).unwrap().lines().count();
    let results: Value = serde_json::from_str(run(["eval", "streams", "--json", &cases], "").fine().text()).unwrap();
    assert_eq!((&results["cases"], &results["passed"]), (&json!(count), &json!(count)));
}

#[test]
fn a_stream_that_fails_is_shown_and_counts() {
    let folder = folder();
    let file = folder.path().join("cases.jsonl");
    let case = |id: &str, output: &str| {
        json!({"id": id, "kind": "marker", "sources": [{"id": 1}], "input": "Due [9].", "output": output}).to_string()
    };
    std::fs::write(&file, [case("good", "Due."), case("bad", "Due [9].")].join("\n")).unwrap();
    let run = run(["eval", "streams", &arg(&file)], "");
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    assert!(run.text().contains("bad (whole)\n  expected \"Due [9].\"\n  got      \"Due.\"\n"), "{}", run.text());
    assert!(run.text().contains("marker      2       1       1\n"), "{}", run.text());
}

const DOCS: &str =
    r#"{"lease": "Late rent bears interest at 25% a year. Pets are not allowed.", "annex": "The roof is red."}"#;

/// One case per expectation, then one of each that is not met.
const QUOTES: &str = r#"
{"id": "a", "mode": "exact", "expect": "found", "source": "lease", "quote": "Late rent bears interest"}
{"id": "b", "mode": "cut", "expect": "not_found", "source": "lease", "quote": "interest at 5% a year"}
{"id": "c", "mode": "elsewhere", "expect": "misattributed", "source": "annex", "quote": "Late rent bears interest"}
{"id": "d", "mode": "short", "expect": "too_short", "source": "lease", "quote": "a year"}
{"id": "e", "mode": "exact", "expect": "found", "source": "lease", "quote": "Early rent bears no interest at all"}
{"id": "f", "mode": "cut", "expect": "not_found", "source": "annex", "quote": "The roof is red."}
"#;

#[test]
fn quotes_are_counted_by_mode_and_listed() {
    let folder = folder();
    let (cases, results) = (folder.path().join("cases.jsonl"), folder.path().join("results.jsonl"));
    std::fs::write(&cases, QUOTES).unwrap();
    let cases = arg(&cases);
    let args = ["eval", "quotes", "--sources", DOCS, &cases, "--results", &arg(&results)];
    let table = run(args, "").fine();
    for expected in [
        "exact              found      2    1       1\n",
        "cut            not_found      2    1       1\n",
        "elsewhere  misattributed      1    1       0\n",
        "bad quotes caught       2 of 3 (0.6667)\n",
        "honest quotes rejected  1 of 2 (0.5000)\n",
        "too short, and said so  1 of 1 (1.0000)\n",
    ] {
        assert!(table.text().contains(expected), "{expected:?} is missing in\n{}", table.text());
    }
    let summary: Value = serde_json::from_str(run(args.into_iter().chain(["--json"]), "").fine().text()).unwrap();
    assert_eq!(summary["bad_caught"], json!({"cases": 3, "count": 2, "share": 2.0 / 3.0}));
    assert_eq!((&summary["cases"], &summary["met"]), (&json!(6), &json!(4)));

    let lines = std::fs::read_to_string(&results).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[0], json!({"id": "a", "got": "verified", "source": "lease", "span": [0, 24]}));
    assert_eq!(lines[2], json!({"id": "c", "got": "misattributed", "source": "lease", "span": [0, 24]}));
    assert_eq!(lines[3], json!({"id": "d", "got": "too_short", "source": null, "span": null}));
    let streamed = run(["eval", "quotes", "-s", DOCS, &cases, "--results", "-"], "").fine();
    assert_eq!(streamed.text(), std::fs::read_to_string(&results).unwrap());
}

/// Two of the sets that the matcher is measured on; it has tests of its own for all.
#[test]
fn public_quotes_are_judged_right() {
    for (set, rejected) in [("arxiv295", 0.006), ("typography", 0.0)] {
        let file = |name: &str| shared(&format!("bench/{set}/{name}")).map(|path| arg(&path));
        let (Some(cases), Some(docs)) = (file("cases.jsonl"), file("docs.json")) else { return };
        let json = run(["eval", "quotes", "--json", "--sources", &docs, &cases], "").fine();
        let summary: Value = serde_json::from_str(json.text()).unwrap();
        assert_eq!(summary["bad_caught"]["share"], 1.0, "{set}");
        assert!(summary["honest_rejected"]["share"].as_f64().unwrap() <= rejected, "{set}: {summary}");
        assert_eq!(summary["too_short"]["cases"], summary["too_short"]["count"], "{set}");
    }
}
