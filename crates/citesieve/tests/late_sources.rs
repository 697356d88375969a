//! Sources that become known while the answer streams.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::sync::Arc;

use citesieve::quote::Class;
use citesieve::{Policy, Release, Source, Sources, Status, TextSieve, Verdict};
use common::{characters, cut, hostile};
use proptest::prelude::*;

fn texts(list: &[(&str, &str)]) -> Arc<Sources> {
    Arc::new(Sources::new(list.iter().map(|(id, text)| Source::new(*id).text(*text)).collect()).unwrap())
}

fn policy(release: Release) -> Arc<Policy> {
    let mut policy = Policy::default();
    policy.release = release;
    Arc::new(policy)
}

/// What is shown of a text whose sources come in the middle.
fn shown<'a>(
    mut sieve: TextSieve,
    before: impl IntoIterator<Item = &'a str>,
    sources: &Arc<Sources>,
    after: impl IntoIterator<Item = &'a str>,
) -> (String, Verdict) {
    let mut shown = String::new();
    for delta in before {
        shown += sieve.push(delta);
    }
    sieve.set_sources(Arc::clone(sources));
    for delta in after {
        shown += sieve.push(delta);
    }
    let (rest, verdict) = sieve.finish();
    (shown + &rest, verdict)
}

#[test]
fn what_comes_before_passes_and_what_comes_after_is_checked() {
    let sources = texts(&[("1", "Rent is due on the first day of each month.")]);
    let before = "I will look [9].\n\n```\nlet a = [7];\n";
    let after = "let b = [8];\n```\nIt is \"due on the first day\" [1], not \"due on the second day\" [3].";
    let sieve = TextSieve::awaiting_sources(policy(Release::Eager));
    let (text, verdict) = shown(sieve, [before], &sources, [after]);
    assert_eq!(text, format!("{before}{}", after.replace(" [3]", "")), "and the fence is still known to be open");
    assert_eq!((verdict.markers.total, verdict.markers.fabricated), (2, 1));
    assert_eq!(verdict.quotes[0].class, Class::Verified);
    let early = verdict.unchecked.iter().find(|unchecked| unchecked.what == "markers").unwrap();
    assert_eq!((early.count, early.why.contains("before anything was known")), (1, true));
}

#[test]
fn a_second_round_adds_to_the_first() {
    let (first, both) =
        (texts(&[("1", "One thing is so.")]), texts(&[("1", "One thing is so."), ("2", "Two is not.")]));
    let sieve = TextSieve::new(policy(Release::Eager), first);
    let (text, verdict) = shown(sieve, ["So [1], so [2]. And"], &both, [" not [2] nor [3]."]);
    assert_eq!(text, "So [1], so. And not [2] nor.");
    assert_eq!((verdict.markers.real, verdict.markers.fabricated), (2, 2));
}

#[test]
fn none_ever_come() {
    for release in [Release::Eager, Release::Claim, Release::Answer] {
        let mut sieve = TextSieve::awaiting_sources(policy(release));
        let text = "> Made up.\n\nSo [7], and \"so and so and so\" [8].\n";
        let mut out = sieve.push(text).to_owned();
        let (rest, verdict) = sieve.finish();
        out += &rest;
        assert_eq!((out.as_str(), verdict.status), (text, Status::Unchecked), "{release:?}");
        assert_eq!(verdict.edit_count, 0);
    }
}

#[test]
fn an_answer_that_is_held_is_judged_by_the_sources_that_came() {
    let sieve = TextSieve::awaiting_sources(policy(Release::Answer));
    let sources = texts(&[("1", "Rent is due on the first day of each month.")]);
    let (text, verdict) = shown(sieve, ["It says"], &sources, [" so [7]."]);
    assert_eq!(text, Policy::default().not_found_message);
    assert_eq!(verdict.status, Status::NotFound);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300 * common::scale()) })]

    #[test]
    fn the_cuts_do_not_matter(
        before in hostile(15),
        after in hostile(15),
        cuts in prop::collection::vec(any::<usize>(), 0..8),
        known in any::<bool>(),
        release in 0..3_usize,
    ) {
        let release = [Release::Eager, Release::Claim, Release::Answer][release];
        let sources = texts(&[("1", "So it is written here."), ("2", "words of the source"), ("3", "")]);
        let first = texts(&[("1", "So it is written here.")]);
        let new = || match known {
            true => TextSieve::new(policy(release), Arc::clone(&first)),
            false => TextSieve::awaiting_sources(policy(release)),
        };
        let whole = shown(new(), [before.as_str()], &sources, [after.as_str()]);
        prop_assert_eq!(shown(new(), cut(&before, &cuts), &sources, cut(&after, &cuts)), whole.clone());
        prop_assert_eq!(shown(new(), characters(&before), &sources, characters(&after)), whole);
    }
}
