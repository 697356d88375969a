//! `citesieve eval`.

use serde_json::{Value, json};

use crate::support::{arg, folder, run, tests};

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
