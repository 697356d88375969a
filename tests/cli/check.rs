//! `citesieve check`.

use serde_json::{Value, json};

use crate::support::{Run, arg, run, tests};

const SOURCES: &str = r#"[
    {"id": "lease", "title": "The lease", "url": "https://lease.example/", "text": "Late rent bears interest at four per cent a year. The roof shall be kept in good repair."},
    {"id": 2, "text": "Either party may terminate on three months’ written notice."},
    {"id": 3}
]"#;

fn check(answer: &str, more: &[&str]) -> Run {
    let args = ["check", "-", "--sources", SOURCES];
    let run = run(args.iter().chain(more), answer);
    assert_eq!(run.stderr, "");
    run
}

#[test]
fn an_answer_that_holds() {
    let answer = "It says “the roof shall be kept in good repair”.\n\n> Either party may terminate on three months' written notice. [2]\n";
    let shown = check(answer, &[]);
    assert_eq!(shown.code, Some(0), "{}", shown.text());
    for expected in [
        answer,
        "\nAnswered: ",
        "- Line 1: the quote \"the roof shall be kept in good repair\" stands word for word in source lease (The lease).\n",
        "  at characters 50 to 87\n",
        "  https://lease.example/#:~:text=The%20roof%20shall%20be%20kept%20in%20good%20repair\n",
        "- Line 3: the quotation \"Either party may terminate on three months' written …\" stands word for word in source 2.\n",
        "- 2 quotations were checked, 2 verified.\n",
    ] {
        assert!(shown.text().contains(expected), "{expected:?} is missing in\n{}", shown.text());
    }
}

#[test]
fn an_answer_that_does_not_hold() {
    let answer = "The tenant \"may terminate on two months' written notice\" [2], says the lease [9].";
    let shown = check(answer, &[]);
    assert_eq!(shown.code, Some(1), "{}", shown.text());
    for expected in [
        "says the lease[- [9]-].\n",
        "\nDowngraded: ",
        "- Line 1: the quote \"may terminate on two months' written notice\" is not what source 2 says: \"three\" became \"two\".\n",
        "- Line 1: [9] was removed: it names no source.\n",
    ] {
        assert!(shown.text().contains(expected), "{expected:?} is missing in\n{}", shown.text());
    }
    assert_eq!(check("Nothing is cited here.", &[]).code, Some(1), "no citation of it holds");
}

#[test]
fn words_from_another_source_than_the_cited_one() {
    let shown = check("It says \"late rent bears interest at four per cent\" [2].", &[]);
    let expected = "cites source 2, but its words are from source lease (The lease).\n  at characters 0 to 41\n";
    assert!(shown.text().contains(expected), "{}", shown.text());
    assert_eq!(shown.code, Some(1));
}

#[test]
fn json_says_where_each_verified_quote_stands() {
    let answer = "“The roof shall be kept” [7].\n\n> Late rent bears interest at four per cent a year.\n\nEnd.";
    let shown = check(answer, &["--format", "json"]);
    let report: Value = serde_json::from_str(shown.text()).unwrap();
    assert_eq!(report["text"], answer.replace(" [7]", ""));
    assert_eq!(report["verdict"]["edit_count"], 1);
    let targets = report["targets"].as_array().unwrap();
    let block = json!({
        "type": "SpecificResource",
        "of": ["blocks", 0],
        "id": "lease",
        "source": "https://lease.example/",
        "link": "https://lease.example/#:~:text=Late%20rent%20bears%20interest%20at%20four%20per%20cent%20a%20year",
        "selector": [
            {
                "type": "TextQuoteSelector",
                "exact": "Late rent bears interest at four per cent a year",
                "prefix": "",
                "suffix": ". The roof shall be kept in good",
            },
            {"type": "TextPositionSelector", "start": 0, "end": 48},
        ],
    });
    assert!(targets.contains(&block), "{targets:#?}");
}

#[test]
fn answers_from_files() {
    let (answer, sources) = (arg(&tests("cases/lease.txt")), arg(&tests("cases/lease.sources.json")));
    let shown = run(["check", &answer, "--sources", &sources, "--format", "json"], "");
    let report: Value = serde_json::from_str(shown.text()).unwrap();
    assert_eq!(report["text"], std::fs::read_to_string(tests("cases/lease.expected.txt")).unwrap());
    assert_eq!((shown.code, &report["verdict"]["status"]), (Some(1), &json!("downgraded")));
}
