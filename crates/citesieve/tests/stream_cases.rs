//! Every case of `tests/cases/stream.jsonl`, whole, character by character and at every pair of cuts.

use std::path::Path;
use std::sync::Arc;

use citesieve::{Policy, Source, Sources, TextSieve, Verdict};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    id: String,
    sources: Option<Vec<Source>>,
    input: String,
    output: String,
}

fn cases() -> Vec<(Case, Arc<Sources>)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let mut cases = Vec::new();
    for name in ["stream.jsonl", "stream-more.jsonl"] {
        let text = std::fs::read_to_string(dir.join(name)).unwrap();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let mut case: Case = serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}: {line}"));
            let sources = match case.sources.take() {
                Some(list) => Sources::new(list).unwrap(),
                None => Sources::unknown(),
            };
            cases.push((case, Arc::new(sources)));
        }
    }
    cases
}

fn run<'a>(sources: &Arc<Sources>, pieces: impl IntoIterator<Item = &'a str>) -> (String, Verdict) {
    let mut sieve = TextSieve::new(Arc::new(Policy::default()), Arc::clone(sources));
    let mut out = String::new();
    for piece in pieces {
        out.push_str(sieve.push(piece));
    }
    let (rest, verdict) = sieve.finish();
    (out + &rest, verdict)
}

#[test]
fn every_case_gives_its_output() {
    let mut wrong = Vec::new();
    for (case, sources) in cases() {
        let (out, _) = run(&sources, [case.input.as_str()]);
        if out != case.output {
            wrong.push(format!("{}\n   in  {:?}\n  want {:?}\n   got {:?}", case.id, case.input, case.output, out));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_case_is_the_same_character_by_character() {
    for (case, sources) in cases() {
        let whole = run(&sources, [case.input.as_str()]);
        let pieces = case.input.split_inclusive(|_: char| true);
        assert_eq!(run(&sources, pieces), whole, "{}", case.id);
    }
}

#[test]
fn every_case_is_the_same_at_every_pair_of_cuts() {
    for (case, sources) in cases() {
        let whole = run(&sources, [case.input.as_str()]);
        let cuts: Vec<usize> = case.input.char_indices().map(|(at, _)| at).chain([case.input.len()]).collect();
        // Of a long text every cut, and every pair of those that are a little apart.
        let stride = cuts.len() / 80 + 1;
        for (index, &a) in cuts.iter().enumerate() {
            for &b in cuts[index..].iter().step_by(stride) {
                let pieces = [&case.input[..a], &case.input[a..b], &case.input[b..]];
                assert_eq!(run(&sources, pieces), whole, "{} cut at {a} and {b}", case.id);
            }
        }
    }
}
