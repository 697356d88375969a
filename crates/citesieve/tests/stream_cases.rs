//! Every case of `tests/cases/stream.jsonl`, whole, character by character and at every pair of cuts.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::sync::Arc;

use citesieve::{Policy, Sources, Verdict};
use common::{Case, cases, characters};

fn run<'a>(sources: &Arc<Sources>, pieces: impl IntoIterator<Item = &'a str>) -> (String, Verdict) {
    common::run(&Arc::new(Policy::default()), sources, pieces)
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
        assert_eq!(run(&sources, characters(&case.input)), whole, "{}", case.id);
    }
}

/// The cases that are not our own: all pairs of the others take too long.
fn given(case: &Case) -> bool {
    !case.id.starts_with("more-")
}

#[test]
fn every_case_is_the_same_at_every_cut() {
    for (case, sources) in cases() {
        let whole = run(&sources, [case.input.as_str()]);
        for (at, _) in case.input.char_indices() {
            assert_eq!(run(&sources, [&case.input[..at], &case.input[at..]]), whole, "{} cut at {at}", case.id);
        }
    }
}

#[test]
fn every_given_case_is_the_same_at_every_pair_of_cuts() {
    for (case, sources) in cases().into_iter().filter(|(case, _)| given(case)) {
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
