//! The public quote benches: every bad quote caught, honest ones let through.
//!
//! Third-party data is read in place, from the directory that `CITESIEVE_SHARED` names.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use citesieve::quote::{Class, check};
use citesieve::{Source, Sources};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    id: String,
    mode: String,
    expect: String,
    source: String,
    quote: String,
}

fn shared() -> Option<PathBuf> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let named = std::env::var("CITESIEVE_SHARED").unwrap_or_else(|_| format!("{root}/../shared"));
    let path = PathBuf::from(named).join("bench");
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: no shared data");
    None
}

fn sources(path: &std::path::Path) -> Sources {
    let docs: BTreeMap<String, String> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    Sources::new(docs.into_iter().map(|(id, text)| Source::new(id).text(text)).collect()).unwrap()
}

/// Cases by what is expected, and those that came out wrong.
type Outcome = (HashMap<String, usize>, Vec<(Case, Class)>);

/// Judges all cases of a set; returns those that came out wrong, with their class.
fn run(set: &str, docs: &str) -> Option<Outcome> {
    let bench = shared()?;
    let sources = sources(&bench.join(docs));
    let mut totals = HashMap::new();
    let mut wrong = Vec::new();
    for line in std::fs::read_to_string(bench.join(set).join("cases.jsonl")).unwrap().lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        *totals.entry(case.expect.clone()).or_default() += 1;
        let finding = check(&sources, &[&case.source], &case.quote);
        let right = match case.expect.as_str() {
            "found" => finding.class == Class::Verified,
            "not_found" => matches!(finding.class, Class::NotFound | Class::Altered),
            "misattributed" => finding.class == Class::Misattributed,
            "too_short" => finding.class == Class::TooShort,
            other => panic!("{other}"),
        };
        if !right {
            println!(
                "{set} {} [{}] expected {}, got {:?} {:?}\n    {:?}",
                case.id, case.mode, case.expect, finding.class, finding.reason, case.quote
            );
            wrong.push((case, finding.class));
        }
    }
    println!("{set}: {totals:?}, wrong {}", wrong.len());
    Some((totals, wrong))
}

/// At most this share of honest quotes may be rejected; nothing else may be wrong.
fn assert_bar(set: &str, docs: &str, share: f64) {
    let Some((totals, wrong)) = run(set, docs) else { return };
    let honest = wrong.iter().filter(|(case, _)| case.expect == "found").count();
    let rejected = honest as f64 / totals["found"] as f64;
    assert_eq!(wrong.len() - honest, 0, "{set}: bad quotes let through or misjudged");
    assert!(rejected <= share, "{set}: {rejected} of honest quotes rejected");
}

#[test]
fn arxiv295() {
    let Some((totals, wrong)) = run("arxiv295", "arxiv295/docs.json") else { return };
    assert_eq!(wrong.iter().filter(|(case, _)| case.expect != "found").count(), 0);
    // Mechanical elisions that hide a negation or a condition, and nothing else.
    assert!(wrong.iter().all(|(case, class)| case.mode == "editorial_ellipsis" && *class == Class::Altered));
    assert!(wrong.len() as f64 / totals["found"] as f64 <= 0.006, "{}", wrong.len());
}

#[test]
fn meaning() {
    assert_bar("meaning", "arxiv295/docs.json", 0.002);
}

#[test]
fn typography() {
    assert_bar("typography", "typography/docs.json", 0.0);
}

#[test]
fn udhr() {
    assert_bar("udhr", "udhr/docs.json", 0.002);
}
