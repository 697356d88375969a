//! `citesieve check --structured`.

use serde_json::Value;

use crate::support::{Run, arg, folder, run};

const SOURCES: &str = r#"[
    {"id": 1, "title": "Lease", "text": "Late rent bears interest at four per cent a year. The deposit is €900."},
    {"id": 2, "text": "Either party may terminate on three months’ written notice."}
]"#;
const GOOD: &str = r#"{"status": "extracted", "answer": "4 %", "n": 1e2, "citations": [{"ref": 1, "quote": "interest at four per cent"}]}"#;
const BAD: &str = r#"{"status": "extracted", "answer": "2 months", "citations": [{"ref": 2, "quote": "terminate on two months’ written notice"}]}"#;
const GONE: &str = r#"{"status": "not_found", "answer": null, "citations": []}"#;

fn check(json: &str, more: &[&str]) -> Run {
    let args = ["check", "-", "--structured", "--sources", SOURCES];
    run(args.iter().chain(more), json)
}

#[test]
fn the_corrected_object_and_the_exit_code() {
    let record = |second: &str| format!("{{\"rent\": {GOOD},\n \"notice\": {second}}}\n");
    for (json, corrected, code) in [
        (GOOD.to_owned(), format!("{GOOD}\n"), 0),
        (BAD.to_owned(), format!("{GONE}\n"), 1),
        (GONE.to_owned(), format!("{GONE}\n"), 1),
        (record(BAD), record(GONE), 1),
        (record(GOOD), record(GOOD), 0),
        (record(GONE), record(GONE), 0),
    ] {
        let shown = check(&json, &["--format", "json"]);
        assert_eq!((shown.text(), shown.code, shown.stderr.as_str()), (corrected.as_str(), Some(code), ""), "{json}");
    }
}

#[test]
fn told_to_people() {
    let json = format!(r#"{{"rent": {GOOD}, "notice": {BAD}, "pets": {GONE}}}"#);
    let shown = check(&json, &[]);
    for expected in [
        "Downgraded: 1 of 2 answers stay, the others became not_found.\n",
        "\nrent: extracted\n- Citation 1, kept: the quote \"interest at four per cent\" stands word for word in source 1 (Lease).\n",
        "\nnotice: became not_found: no citation of it holds\n- Citation 1, dropped: the quote \"terminate on two months’ written notice\" is not what source 2 says: \"three\" became \"two\"",
        "\npets: not found, says the model\n",
        "\n1 of 2 quotes that could be checked are verified.\n",
    ] {
        assert!(shown.text().contains(expected), "{expected:?} is missing in\n{}", shown.text());
    }
    let place = r#"{"status": "extracted", "answer": "x", "citations": [
        {"ref": 1, "start": 0, "end": 900, "unit": "chars"}, {"ref": 1, "quote": "€900"}, {"ref": 1, "quote": "€90"},
        {"ref": 1, "quote": "bears interest at four per cent"}]}"#;
    let shown = check(place, &[]);
    assert_eq!(shown.code, Some(0));
    for expected in [
        "dropped: the position it names is outside of the text of source 1.",
        "kept: the quote \"€900\" is too short to prove anything, but source 1 has it.",
        "dropped: the quote \"€90\" is short, and source 1 does not have it.",
    ] {
        assert!(shown.text().contains(expected), "{expected:?} is missing in\n{}", shown.text());
    }
}

#[test]
fn the_report() {
    let folder = folder();
    let path = folder.path().join("report.json");
    let shown = check(BAD, &["--format", "json", "--report", &arg(&path)]);
    assert_eq!((shown.code, shown.text()), (Some(1), format!("{GONE}\n").as_str()));
    let report: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(report["json"], GONE);
    assert_eq!(report["verdict"]["status"], "not_found");
    assert_eq!(report["answers"][0]["reasons"][0], "no_surviving_citation");
    assert_eq!(report["answers"][0]["citations"][0]["kept"], false);
    assert_eq!(report["verdict"]["quotes"][0]["class"], "altered");
}

#[test]
fn what_cannot_be_read() {
    for (json, more, expected) in [
        ("{", &[][..], "line 1, column 1: EOF while parsing an object"),
        (
            "[]",
            &[],
            "expected an object with status, answer and citations, or a record of such objects, found an array",
        ),
        (
            &GOOD.replace("\"ref\": 1", "\"ref\": []"),
            &[],
            "citations[0].ref: expected a string or a whole number, found an array",
        ),
        (GOOD, &["--format", "html"], "--format html shows answers in running text"),
    ] {
        let shown = check(json, more);
        assert!(shown.code == Some(2) && shown.stdout.is_empty(), "{shown:?}");
        assert!(shown.stderr.contains(expected), "{expected} is missing in {}", shown.stderr);
    }
}
