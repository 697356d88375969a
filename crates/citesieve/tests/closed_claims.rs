//! Claims as they close, and how near a claim comes to a source.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::sync::Arc;

use citesieve::quote::similarity;
use citesieve::{ClaimKind, ClosedClaim, Policy, Sieve, Source, Sources, Support, TextSieve, Verdict};
use common::*;
use proptest::prelude::*;

/// The claims of an answer in these pieces, asked for after every piece.
fn closed<'a>(
    policy: &Arc<Policy>,
    sources: &Arc<Sources>,
    pieces: impl IntoIterator<Item = &'a str>,
) -> (Vec<ClosedClaim>, Vec<citesieve::Edit>, Verdict) {
    let mut sieve = Sieve::new(Arc::clone(policy), Arc::clone(sources)).gathering_claims();
    let (mut claims, mut edits) = (Vec::new(), Vec::new());
    for piece in pieces {
        edits.extend_from_slice(sieve.push(piece).edits);
        claims.extend(sieve.closed_claims());
    }
    let (rest, verdict, last) = sieve.finish_with_claims();
    edits.extend(rest);
    claims.extend(last);
    (claims, edits, verdict)
}

#[track_caller]
fn assert_same(policy: &Arc<Policy>, sources: &Arc<Sources>, text: &str, size: usize) {
    let (edits, verdict) = run_edits(policy, sources, [text]);
    let whole = closed(policy, sources, [text]);
    let cut = closed(policy, sources, pieces(text, size));
    assert_eq!(cut.0, whole.0, "claims of {text:?} in pieces of {size}");
    assert_eq!(cut.1, edits, "{text:?}: asking for claims changes nothing");
    assert!(cut.2 == verdict && whole.2 == verdict, "{text:?}: asking for claims changes nothing");
    assert_eq!(cut.0.len(), verdict.claims.len());
    for (index, (claim, finding)) in cut.0.iter().zip(&verdict.claims).enumerate() {
        assert_eq!(
            (claim.position, claim.kind, &claim.cited, claim.support),
            (index, finding.kind, &finding.cited, finding.support)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600 * scale()) })]

    #[test]
    fn asking_for_claims_changes_nothing(text in hostile(40), hold in holds(), sources in source_sets(), size in 1_usize..9) {
        assert_same(&policy(hold), &sources, &text, size);
    }
}

#[test]
fn claims_of_recordings_are_the_same_however_they_are_cut() {
    for (_, text) in recordings() {
        for size in [1, 3, 17] {
            assert_same(&policy(16_384), &SOURCES[1], &text, size);
        }
    }
}

fn sources() -> Arc<Sources> {
    let list = vec![
        Source::new("1")
            .text("Late rent bears interest at four per cent a year. No animal, large or small, may be kept."),
        Source::new("2").text("Either party may terminate on three months’ written notice."),
        Source::new("3"),
    ];
    Arc::new(Sources::new(list).unwrap())
}

fn claims(text: &str) -> Vec<ClosedClaim> {
    closed(&Arc::new(Policy::default()), &sources(), [text]).0
}

#[test]
fn words_are_those_of_the_claim() {
    let texts = |text: &str| claims(text).into_iter().map(|claim| claim.text).collect::<Vec<_>>();
    assert_eq!(
        texts("Late rent costs 4% [1]. No pets [1][9], says\nthe lease . Nobody knows."),
        ["Late rent costs 4%.", "No pets, says the lease ."]
    );
    assert_eq!(texts("# The *rent* [1]\n\n- it costs\n  more [2, 9]\n"), ["The *rent*", "it costs more"]);
    assert_eq!(texts("| rent [1] | pets [2] |\n|---|---|\n| 4% [1] | none |\n"), ["rent", "pets", "4%"]);
    assert_eq!(texts("She says \"no animal may be kept\" [1] there."), ["She says \"no animal may be kept\" there."]);
    assert_eq!(texts("租金每月[1]到期。"), ["租金每月到期。"]);
}

#[test]
fn a_claim_comes_when_it_closes() {
    let mut sieve = TextSieve::new(Arc::new(Policy::default()), sources()).gathering_claims();
    sieve.push("Rent is due [1].");
    assert!(sieve.closed_claims().is_empty(), "another marker may follow");
    sieve.push(" Pets");
    let closed = sieve.closed_claims();
    assert_eq!(closed.len(), 1);
    assert_eq!((closed[0].position, closed[0].support, closed[0].kind), (0, Support::Cited, ClaimKind::Sentence));
    assert!(sieve.closed_claims().is_empty(), "once");
    sieve.push(" are forbidden [2]");
    let (_, verdict, last) = sieve.finish_with_claims();
    assert_eq!((last.len(), last[0].position, verdict.claims.len()), (1, 1, 2));
}

#[test]
fn who_does_not_ask_gets_none() {
    let mut sieve = Sieve::new(Arc::new(Policy::default()), sources());
    sieve.push("Rent is due [1]. Pets are not [2]. ");
    assert!(sieve.closed_claims().is_empty());
    assert!(sieve.finish_with_claims().2.is_empty());
}

#[test]
fn a_demoted_block_says_so() {
    // Of a source without a text nobody knows what it says.
    let searchable = Sources::new(sources().list()[..2].to_vec()).unwrap();
    let text = "> Gold and silver only, says the king [1].\n> Nothing else [2].\n\nLate rent costs [1].\n";
    let (claims, ..) = closed(&Arc::new(Policy::default()), &Arc::new(searchable), pieces(text, 3));
    let demoted: Vec<bool> = claims.iter().map(|claim| claim.demoted).collect();
    assert_eq!(demoted, [true, true, false], "{claims:?}");
}

#[test]
fn similarity_is_verbatim_near_or_nothing() {
    let sources = sources();
    let of = |id: &str, text: &str| similarity(&sources, id, text).unwrap();
    let verbatim = of("1", "late rent bears interest at four per cent a year");
    assert_eq!((verbatim.value, verbatim.verbatim, verbatim.passage), (1.0, true, Some((0, 0..48))));
    let near = of("1", "Late rent bears interest at five per cent a year.");
    assert!(near.value > 0.8 && near.value < 1.0 && !near.verbatim, "{near:?}");
    let paraphrase = of("1", "A tenant who pays late owes interest at four per cent every year");
    assert!(paraphrase.value > 0.2 && paraphrase.value < 0.6, "{paraphrase:?}");
    assert_eq!(of("2", "Late rent bears interest at four per cent a year.").value, 0.0);
    assert_eq!(of("1", "…").value, 0.0);
    assert!(similarity(&sources, "3", "x").is_none(), "no text");
    assert!(similarity(&sources, "9", "x").is_none(), "no such source");
}
