//! Structured answers: the contract of rules 6, line by line.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(test)]

use std::sync::Arc;

use citesieve::answer::{AnswerError, Checked, MAX_DEPTH, Outcome, PositionProblem, check};
use citesieve::quote::Class;
use citesieve::{Advice, Source, Sources, Status, StatusReason};
use proptest::prelude::*;

const LEASE: &str = "Late rent bears interest at four per cent a year. The roof shall be kept in good repair. \
                     The tenant may not sublet the premises. The deposit is €900.";
const NOTICE: &str = "Either party may terminate on three months’ written notice.";

fn sources() -> Arc<Sources> {
    let list = vec![Source::new("1").text(LEASE), Source::new("2").text(NOTICE), Source::new("3")];
    Arc::new(Sources::new(list).unwrap())
}

fn checked(json: &str) -> Checked {
    check(json, &sources()).unwrap_or_else(|error| panic!("{json}: {error}"))
}

const HELD: &str = r#"{"ref": 1, "quote": "interest at four per cent"}"#;
const NONE: &str = r#"{"status": "not_found", "answer": null, "citations": []}"#;

fn extracted(answer: &str, citations: &[&str]) -> String {
    format!(
        r#"{{"status": "extracted", "answer": {}, "citations": [{}]}}"#,
        serde_json::to_string(answer).unwrap(),
        citations.join(", ")
    )
}

#[test]
fn an_answer_that_holds_is_the_same_bytes() {
    for json in [
        extracted("Four per cent.", &[HELD]),
        extracted("Four per cent.", &[r#"{"ref": "1", "quote": "“Interest at FOUR per cent a year…”"}"#]),
        extracted("It says \"interest at four per cent\".", &[HELD]),
        NONE.to_owned(),
        format!(
            "\u{feff} {{\n\t\"n\": 1e2, \"big\": 123456789012345678901234567890, \"status\":\"extracted\",\"x\": \"\\u00e9\\/\",\n\
             \"answer\" : \"Four\",\"citations\":[ {HELD} ] , \"z\": {{\"b\": 1, \"a\": [1.0, -0]}} }} \n"
        ),
    ] {
        let checked = checked(&json);
        assert_eq!(checked.json, json);
        assert_eq!(checked.answers[0].given, checked.answers[0].status);
        assert!(checked.answers[0].reasons.is_empty());
    }
}

/// Citations, which of them stay, and what the quotes are.
#[test]
fn failed_citations_are_dropped() {
    let altered = r#"{"ref": 2, "quote": "may terminate on two months' written notice"}"#;
    let elsewhere = r#"{"ref": 2, "quote": "the roof shall be kept in good repair"}"#;
    let nowhere = r#"{"ref": 1, "quote": "gold and silver only, says the king"}"#;
    let unknown = r#"{"ref": 9, "quote": "the roof shall be kept in good repair"}"#;
    let made_up = r#"{"ref": "9", "quote": "gold and silver only, says the king"}"#;
    let no_text = r#"{"ref": 3, "quote": "the roof shall be kept in good repair"}"#;
    let short = r#"{"ref": 1, "quote": "€900"}"#;
    let short_wrong = r#"{"ref": 1, "quote": "€90"}"#;
    let empty = r#"{"ref": 1, "quote": ""}"#;
    for (citation, kept, class) in [
        (HELD, true, Class::Verified),
        (altered, false, Class::Altered),
        (elsewhere, false, Class::Misattributed),
        (nowhere, false, Class::NotFound),
        (unknown, false, Class::Misattributed),
        (made_up, false, Class::NotFound),
        (no_text, true, Class::Unchecked),
        (short, true, Class::TooShort),
        (short_wrong, false, Class::TooShort),
        (empty, false, Class::NotFound),
    ] {
        for (list, at) in [
            (vec![HELD, citation, HELD], 1),
            (vec![citation, HELD], 0),
            (vec![HELD, citation], 1),
            (vec![citation, citation, HELD, citation], 0),
        ] {
            let json = extracted("See the lease.", &list);
            let checked = checked(&json);
            let left: Vec<&str> = list.iter().copied().filter(|&other| kept || other == HELD).collect();
            assert_eq!(checked.json, extracted("See the lease.", &left), "{json}");
            let finding = &checked.answers[0];
            assert_eq!((finding.status, finding.citations[at].kept), (Outcome::Extracted, kept), "{json}");
            assert_eq!(checked.verdict.quotes[finding.citations[at].quote].class, class, "{json}");
            assert_eq!(checked.verdict.status, Status::Answered);
        }
    }
}

#[test]
fn with_no_citation_left_it_is_not_found() {
    let altered = r#"{"ref": 2, "quote": "may terminate on two months' written notice"}"#;
    let short_wrong = r#"{"ref": 1, "quote": "€90"}"#;
    let short = r#"{"ref": 1, "quote": "€900"}"#;
    for json in [
        extracted("See the lease.", &[]),
        extracted("See the lease.", &[altered]),
        extracted("See the lease.", &[altered, altered]),
        extracted("€90", &[short_wrong]),
        // Where one could be judged, one must be verified.
        extracted("€900", &[short, altered]),
        r#"{"status": "extracted", "answer": null, "citations": [{"ref": 1, "quote": "interest at four per cent"}]}"#
            .to_owned(),
    ] {
        let checked = checked(&json);
        assert_eq!(checked.json, NONE, "{json}");
        assert_eq!(checked.answers[0].reasons, [StatusReason::NoSurvivingCitation], "{json}");
        assert_eq!(checked.verdict.status, Status::NotFound);
    }
    assert_eq!(checked(&extracted("€900", &[short])).answers[0].status, Outcome::Extracted);
    let unchecked = r#"{"ref": 3, "quote": "whatever it says there"}"#;
    assert_eq!(checked(&extracted("Whatever.", &[unchecked])).answers[0].status, Outcome::Extracted);
}

#[test]
fn a_failed_quote_that_leaked_into_the_answer() {
    let cite = |words: &str| format!(r#"{{"ref": 2, "quote": {}}}"#, serde_json::to_string(words).unwrap());
    for (answer, quote) in [
        // Bare, in quotation marks, in other marks and capitals, over a line break, with emphasis, hyphenated.
        ("They may terminate on two months' written notice.", "may terminate on two months' written notice"),
        ("They “may terminate on two months’ written notice”.", "may terminate on two months' written notice"),
        ("MAY TERMINATE\non two  months’ written notice", "\"may terminate on two months' written notice\""),
        ("They may termi-\nnate on **two** months' written notice", "may terminate on two months' written notice…"),
        ("Gold and silver only, says the king.", "gold and silver only, says the king"),
        ("So: gold and silver only, says the king", "Gold and silver only, says … the king"),
    ] {
        let json = extracted(answer, &[HELD, &cite(quote)]);
        let checked = checked(&json);
        assert_eq!(checked.json, NONE, "{json}");
        assert_eq!(checked.answers[0].reasons, [StatusReason::FailedQuoteInText], "{json}");
        assert!(checked.answers[0].citations.iter().all(|citation| !citation.kept));
    }
    // Not the words, or not the whole of them, or words that some source has.
    for (answer, quote) in [
        ("Notice is two months.", "may terminate on two months' written notice"),
        ("They may terminate on two months", "may terminate on two months' written notice"),
        ("They may terminate on two months' written notices", "may terminate on two months' written notice"),
        ("the roof shall be kept in good repair", "the roof shall be kept in good repair"),
    ] {
        let json = extracted(answer, &[HELD, &cite(quote)]);
        assert_eq!(checked(&json).json, extracted(answer, &[HELD]), "{json}");
    }
}

#[test]
fn a_quote_of_the_answer_itself_counts_too() {
    let json = extracted("It says \"interest at five per cent a year\" somewhere.", &[HELD]);
    let gone = checked(&json);
    assert_eq!((gone.json.as_str(), gone.answers[0].quotes.as_slice()), (NONE, &[1][..]));
    assert_eq!(gone.answers[0].reasons, [StatusReason::FailedQuoteInText]);
    // A title, a word in quotation marks and a quote that some source has are no failures.
    for answer in ["The \"rent\" is late.", "See \"the roof shall be kept\".", "See \"Terms And Conditions\"."] {
        let json = extracted(answer, &[HELD]);
        assert_eq!(checked(&json).json, json);
    }
    let block = extracted("So:\n\n> Gold and silver only, says the king.\n", &[HELD]);
    // The source without a text might have it.
    assert_eq!(checked(&block).json, block);
    let known = Arc::new(Sources::new(vec![Source::new("1").text(LEASE)]).unwrap());
    assert_eq!(check(&block, &known).unwrap().json, NONE);
}

#[test]
fn not_found_stays_and_shows_nothing() {
    for (json, expected) in [
        (NONE, NONE),
        (r#"{"status": "not_found"}"#, r#"{"status": "not_found", "answer": null, "citations": []}"#),
        (
            r#"{"answer":null,"status":"not_found","z":1}"#,
            r#"{"answer":null,"status":"not_found", "citations": [],"z":1}"#,
        ),
        (
            r#"{"status": "not_found", "answer": "I guess four per cent.", "citations": [{"ref": 1, "quote": "x"}]}"#,
            NONE,
        ),
        (
            r#"{"status": "not_found", "answer": null, "citations": null}"#,
            r#"{"status": "not_found", "answer": null, "citations": null}"#,
        ),
    ] {
        let checked = checked(json);
        assert_eq!(checked.json, expected, "{json}");
        assert_eq!((checked.answers[0].status, checked.verdict.status), (Outcome::NotFound, Status::NotFound));
        assert!(checked.answers[0].reasons.is_empty());
    }
}

#[test]
fn a_record_is_checked_field_by_field() {
    let bad = extracted("Gold.", &[r#"{"ref": 1, "quote": "gold and silver only, says the king"}"#]);
    let good = extracted("Four per cent.", &[HELD]);
    let json = format!(
        r#"{{"v": 1, "cells": {{"rent": {good}, "a b": [{bad}, {NONE}], "n": null}}, "status": "done", "meta": {{"deep": [[{good}]]}}}}"#
    );
    let checked = checked(&json);
    assert_eq!(checked.json, json.replace(&bad, NONE));
    let found: Vec<_> = checked.answers.iter().map(|answer| (answer.path.as_str(), answer.status)).collect();
    assert_eq!(
        found,
        [
            ("cells.rent", Outcome::Extracted),
            ("cells[\"a b\"][0]", Outcome::NotFound),
            ("cells[\"a b\"][1]", Outcome::NotFound),
            ("meta.deep[0][0]", Outcome::Extracted),
        ]
    );
    assert_eq!(checked.verdict.status, Status::Downgraded);
    assert_eq!(checked.verdict.reasons, [StatusReason::NoSurvivingCitation]);
    let score = checked.verdict.score;
    assert_eq!((score.verified, score.checkable), (2, 3));
    // An answer inside an answer's own fields, and one whose field is called as ours are.
    let nested = extracted("Four.", &[HELD]).replace("\"citations\"", &format!("\"more\": {bad}, \"citations\""));
    assert_eq!(corrected(&nested), nested.replace(&bad, NONE));
    let named = format!(r#"{{"answer": {{"answer": {bad}, "citations": {good}}}}}"#);
    assert_eq!(corrected(&named), named.replace(&bad, NONE));
}

fn corrected(json: &str) -> String {
    checked(json).json
}

#[test]
fn citations_by_position() {
    let place = |text: &str, words: &str| {
        let start = text.find(words).unwrap();
        start..start + words.len()
    };
    let roof = place(LEASE, "The roof shall be kept in good repair.");
    let euro = place(LEASE, "The deposit is €900");
    let (chars, utf16) = (LEASE.chars().count(), LEASE.encode_utf16().count());
    let cite = |rest: &str| format!(r#"{{"ref": 1, {rest}}}"#);
    let range = |start: usize, end: usize, unit: &str| format!(r#""start": {start}, "end": {end}, "unit": "{unit}""#);
    for (citation, class, problem) in [
        (range(roof.start, roof.end, "bytes"), Class::Verified, None),
        (range(roof.start, roof.end, "chars"), Class::Verified, None),
        (range(euro.start, euro.end, "bytes"), Class::Verified, None),
        (range(euro.start, euro.end - 2, "utf16"), Class::Verified, None),
        (range(euro.end - 5, euro.end, "bytes"), Class::NotFound, Some(PositionProblem::OffCharacterBorder)),
        (range(0, LEASE.len() + 1, "bytes"), Class::NotFound, Some(PositionProblem::OutOfBounds)),
        (range(0, chars + 1, "chars"), Class::NotFound, Some(PositionProblem::OutOfBounds)),
        (range(0, utf16 + 1, "utf16"), Class::NotFound, Some(PositionProblem::OutOfBounds)),
        (range(20, 10, "chars"), Class::NotFound, Some(PositionProblem::OutOfBounds)),
        (r#""start": -5, "end": 30, "unit": "chars""#.into(), Class::NotFound, Some(PositionProblem::OutOfBounds)),
        (
            r#""start": 0, "end": 99999999999999999999999, "unit": "chars""#.into(),
            Class::NotFound,
            Some(PositionProblem::OutOfBounds),
        ),
        // No words there; half a word.
        (range(10, 10, "chars"), Class::NotFound, None),
        (range(roof.start, roof.end - 3, "bytes"), Class::Altered, None),
        // With the words: they must be the ones that stand there.
        (
            format!(r#""quote": "the roof shall be kept", {}"#, range(roof.start, roof.end, "bytes")),
            Class::Verified,
            None,
        ),
        (
            format!(r#""quote": "the roof shall be kept", {}"#, range(0, 40, "bytes")),
            Class::Misattributed,
            Some(PositionProblem::OtherWords),
        ),
        (
            format!(r#""quote": "the roof shall be kept", {}"#, range(0, 4000, "bytes")),
            Class::Misattributed,
            Some(PositionProblem::OutOfBounds),
        ),
    ] {
        let json = extracted("Yes.", &[HELD, &cite(&citation)]);
        let checked = checked(&json);
        let finding = checked.answers[0].citations[1].clone();
        let quote = &checked.verdict.quotes[finding.quote];
        assert_eq!((quote.class, finding.position), (class, problem), "{citation}");
        assert_eq!(finding.kept, class == Class::Verified, "{citation}");
        if finding.kept && !citation.contains("quote") {
            assert_eq!(quote.text, LEASE[quote.matches[0].span.clone()], "{citation}");
        }
    }
    let checked =
        check(&extracted("Yes.", &[r#"{"ref": 3, "start": 0, "end": 4, "unit": "chars"}"#]), &sources()).unwrap();
    assert_eq!(checked.verdict.quotes[0].class, Class::Unchecked, "the source has no text");
    let unknown = corrected(&extracted("Yes.", &[r#"{"ref": 9, "start": 0, "end": 4, "unit": "chars"}"#]));
    assert_eq!(unknown, NONE);
}

#[test]
fn where_the_words_stand_in_the_answer() {
    let json = extracted("Ja 😀: “interest at four per cent”, é.", &[HELD]);
    let checked = checked(&json);
    let at = checked.verdict.quotes[0].before;
    let (start, end) = (at.start, at.end);
    assert_eq!((start.bytes, start.chars, start.utf16), (12, 7, 8));
    assert_eq!((end.chars - start.chars, end.utf16 - start.utf16), (25, 25));
    let elsewhere = structured_span("Four.", HELD);
    assert_eq!(elsewhere, (0, 0));
}

fn structured_span(answer: &str, citation: &str) -> (u64, u64) {
    let span = checked(&extracted(answer, &[citation])).verdict.quotes[0].before;
    (span.start.bytes, span.end.bytes)
}

#[test]
fn what_is_known_about_the_sources() {
    let json = extracted("Gold.", &[r#"{"ref": 7, "quote": "gold and silver only, says the king"}"#]);
    let unknown = check(&json, &Arc::new(Sources::unknown())).unwrap();
    assert_eq!((unknown.json.as_str(), unknown.verdict.status), (json.as_str(), Status::Unchecked));
    let none = check(&json, &Arc::new(Sources::new(Vec::new()).unwrap())).unwrap();
    assert_eq!((none.json.as_str(), none.verdict.status), (NONE, Status::NotFound));
    assert_eq!(none.verdict.advice, Advice::Regenerate, "it cites nothing that exists");
    assert_eq!((none.verdict.markers.total, none.verdict.markers.fabricated), (1, 1));
}

#[test]
fn errors_say_where() {
    let refuse = |json: &str| check(json, &sources()).unwrap_err().to_string();
    let cells = |inner: &str| format!(r#"{{"cells": {{"rent": {inner}}}}}"#);
    let cite = |citation: &str| cells(&extracted("x", &[HELD, HELD, citation]));
    for (json, expected) in [
        ("{\"status\": \n \"extracted\",}".to_owned(), "line 2, column 14: key must be a string"),
        (String::new(), "line 1, column 0: EOF while parsing a value"),
        ("7".into(), "expected an object with status, answer and citations, or a record of such objects, found 7"),
        (
            r#"{"a": [1]}"#.into(),
            "expected an object with status, answer and citations, or a record of such objects, found an object",
        ),
        (
            cells(r#"{"status": "maybe", "answer": "x", "citations": []}"#),
            r#"cells.rent.status: expected "extracted" or "not_found", found "maybe""#,
        ),
        (cells(r#"{"answer": "x"}"#), r#"cells.rent.status: expected "extracted" or "not_found", found nothing"#),
        (
            cells(r#"{"status": "extracted", "citations": []}"#),
            "cells.rent.answer: expected a string or null, found nothing",
        ),
        (
            cells(r#"{"status": "extracted", "answer": 7, "citations": []}"#),
            "cells.rent.answer: expected a string or null, found 7",
        ),
        (
            cells(r#"{"status": "extracted", "answer": "x", "citations": "1"}"#),
            r#"cells.rent.citations: expected an array, found "1""#,
        ),
        (
            cells(r#"{"status": "extracted", "answer": "\ud800", "citations": []}"#),
            r#"cells.rent.answer: expected a string of whole characters, found "\ud800""#,
        ),
        (cite("7"), "cells.rent.citations[2]: expected an object with ref and quote, found 7"),
        (cite(r#"{"quote": "x"}"#), "cells.rent.citations[2].ref: expected a string or a whole number, found nothing"),
        (
            cite(r#"{"ref": 1.5, "quote": "x"}"#),
            "cells.rent.citations[2].ref: expected a string or a whole number, found 1.5",
        ),
        (
            cite(r#"{"ref": null, "quote": "x"}"#),
            "cells.rent.citations[2].ref: expected a string or a whole number, found null",
        ),
        (
            cite(r#"{"ref": 1}"#),
            "cells.rent.citations[2].quote: expected a string, or start, end and unit, found nothing",
        ),
        (cite(r#"{"ref": 1, "quote": ["x"]}"#), "cells.rent.citations[2].quote: expected a string, found an array"),
        (
            cite(r#"{"ref": 1, "start": 1, "unit": "chars"}"#),
            "cells.rent.citations[2].end: expected a whole number, found nothing",
        ),
        (
            cite(r#"{"ref": 1, "start": 1, "end": 2}"#),
            r#"cells.rent.citations[2].unit: expected "bytes", "chars" or "utf16", found nothing"#,
        ),
        (cite(r#"{"ref": 1, "ref": 2, "quote": "x"}"#), "cells.rent.citations[2].ref: stands twice"),
        (cells(r#"{"status": "not_found", "status": "extracted", "answer": "x"}"#), "cells.rent.status: stands twice"),
    ] {
        assert_eq!(refuse(&json), expected, "{json}");
    }
    let deep = "[".repeat(MAX_DEPTH + 1) + &"]".repeat(MAX_DEPTH + 1);
    assert!(refuse(&deep).ends_with("[0]: nested too deep"), "{}", refuse(&deep));
    let hostile = check(&"[".repeat(1_000_000), &sources()).unwrap_err();
    assert!(matches!(hostile, AnswerError::Json { .. }));
    let key = "k".repeat(1000);
    assert!(refuse(&format!(r#"{{"{key}": {{"answer": "x"}}}}"#)).len() < 200);
}

fn pieces() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "interest at four per cent",
        "interest at five per cent a year",
        "the roof shall be kept in good repair",
        "gold and silver only, says the king",
        "may terminate on two months' written notice",
        "€900",
        "“the tenant may … sublet”",
        "",
    ]);
    let citation = (prop::sample::select(vec!["1", "2", "\"3\"", "\"9\"", "-1"]), words.clone())
        .prop_map(|(id, quote)| format!(r#"{{"ref": {id}, "quote": {quote:?}}}"#));
    let answer = (words, prop::collection::vec(citation, 0..4))
        .prop_map(|(answer, list)| extracted(answer, &list.iter().map(String::as_str).collect::<Vec<_>>()));
    let leaf = prop_oneof![answer, Just(NONE.to_owned())];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop::collection::vec(inner, 1..3).prop_map(|list| format!("[{}]", list.join(",")))
    })
}

proptest! {
    /// What was corrected needs no more correction, and shows nothing that failed.
    #[test]
    fn corrected_is_correct(json in pieces()) {
        let first = checked(&json);
        let second = checked(&first.json);
        prop_assert_eq!(&second.json, &first.json);
        prop_assert!(second.answers.iter().all(|answer| answer.reasons.is_empty()));
        for answer in &first.answers {
            let kept = answer.citations.iter().filter(|citation| citation.kept).count();
            prop_assert_eq!(answer.status == Outcome::Extracted, kept > 0);
        }
    }

    /// Nothing panics, whatever stands there.
    #[test]
    fn any_text(json in r#"(\{|\}|\[|\]|,|:|"status"|"extracted"|"answer"|"citations"|"ref"|"start"|-?[0-9]|"é😀"|null| ){0,40}"#) {
        let _ = check(&json, &sources());
    }
}
