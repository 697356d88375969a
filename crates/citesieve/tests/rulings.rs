//! Claims that wait until somebody has ruled on them (rules, sections 6 and 7).
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::sync::Arc;

use citesieve::{
    ClaimFinding, ClosedClaim, Decision, FailedClaims, Judgement, Policy, Release, Ruling, Source, SourceJudgement,
    Sources, Status, StatusReason, Support, TextSieve, UnsupportedClaims, Verdict,
};
use common::*;
use proptest::prelude::*;

fn sources() -> Arc<Sources> {
    let list = vec![
        Source::new("1").text("Late rent bears interest at four per cent a year. No animal may be kept."),
        Source::new("2").text("Either party may terminate on three months’ written notice."),
    ];
    Arc::new(Sources::new(list).unwrap())
}

fn holding(failed: FailedClaims) -> Policy {
    let mut policy = Policy::default();
    policy.release = Release::Claim;
    policy.failed_claims = failed;
    policy
}

fn judged(ruling: Ruling) -> Option<Judgement> {
    Some(Judgement::new(vec![SourceJudgement {
        source: "1".into(),
        decision: Decision::Between,
        similarity: 0.4,
        ruling,
        confidence: 0.9,
        reason: String::new(),
        model: "m".into(),
        prompt_version: "1".into(),
        cached: false,
        call: None,
    }]))
}

fn sieve(policy: Policy) -> TextSieve {
    TextSieve::new(Arc::new(policy), sources()).awaiting_rulings()
}

/// Pushes all of it, and hands over the claims.
fn push(sieve: &mut TextSieve, text: &str) -> (String, Vec<ClosedClaim>) {
    let out = pieces(text, 3).into_iter().map(|piece| sieve.push(piece).to_owned()).collect();
    (out, sieve.closed_claims())
}

#[test]
fn a_claim_leaves_when_it_is_ruled_on() {
    for (failed, ruling, want) in [
        (FailedClaims::Keep, Ruling::Contradicts, "Interest is due [1]."),
        (FailedClaims::Mark, Ruling::Supports, "Interest is due [1]."),
        (FailedClaims::Mark, Ruling::Partial, "Interest is due [1]."),
        (FailedClaims::Mark, Ruling::Unjudged, "Interest is due [1]."),
        (FailedClaims::Mark, Ruling::Unrelated, "Interest is due [1]. [unverified]"),
        (FailedClaims::Mark, Ruling::Contradicts, "Interest is due [1]. [unverified]"),
        (FailedClaims::Drop, Ruling::Contradicts, ""),
    ] {
        let mut sieve = sieve(holding(failed));
        let (out, claims) = push(&mut sieve, "All is well. Interest is due [1]. So it is");
        assert_eq!(out, "All is well.");
        assert_eq!((claims.len(), sieve.waiting()), (1, 1));
        assert_eq!(sieve.push(" and remains.\n\nTo this day."), "");
        let out = sieve.rule(claims[0].position, judged(ruling)).to_owned();
        assert_eq!(sieve.waiting(), 0);
        let (rest, verdict) = sieve.finish();
        let space = if want.is_empty() { "" } else { " " };
        assert_eq!(
            out + &rest,
            format!("{space}{want} So it is and remains.\n\nTo this day."),
            "{failed:?} {ruling:?}"
        );
        assert_eq!(verdict.claims[0].judgement, judged(ruling));
    }
}

#[test]
fn text_leaves_in_its_own_order_whatever_is_ruled_on_first() {
    let mut sieve = sieve(holding(FailedClaims::Drop));
    let (out, claims) = push(&mut sieve, "First [1]. Second [2].\n\n- Third [1].\n- Fourth.\n\n");
    assert_eq!(out, "");
    assert_eq!(claims.iter().map(|claim| claim.position).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(sieve.rule(2, None), "");
    assert_eq!(sieve.rule(1, judged(Ruling::Unrelated)), "");
    assert_eq!(sieve.rule(7, judged(Ruling::Unrelated)), "", "nobody has heard of it");
    assert_eq!(sieve.rule(0, judged(Ruling::Supports)), "First [1].\n\n- Third [1].\n- Fourth.\n\n");
    assert_eq!(sieve.rule(0, judged(Ruling::Contradicts)), "", "it has left");
}

#[test]
fn what_strings_decide_does_not_wait() {
    let mut sieve = sieve(holding(FailedClaims::Drop));
    let (out, claims) =
        push(&mut sieve, "It says \"the tenant waives every claim\" [2]. He cites nobody [9]. Rent is due. Now");
    assert_eq!((out.as_str(), sieve.waiting()), ("Rent is due.", 0));
    // It is handed over all the same, and may be ruled on.
    assert_eq!(claims.len(), 2);
    assert_eq!(sieve.rule(0, None), "");
}

#[test]
fn what_fails_behind_a_claim_that_waits_is_left_out_once_that_is_ruled_on() {
    let mut sieve = sieve(holding(FailedClaims::Drop));
    let (out, _) =
        push(&mut sieve, "Interest is due [1]. It says \"the tenant waives every claim\" [2]. Rent is due. Now");
    assert_eq!((out.as_str(), sieve.waiting()), ("", 1));
    assert_eq!(sieve.rule(0, None), "Interest is due [1]. Rent is due.");
}

#[test]
fn the_last_claim_can_be_ruled_on_before_the_end() {
    for text in [
        "Interest is due [1].",
        "Interest is due [1]",
        "He says that “late rent bears interest at” [1]",
        "- Interest is due [1]",
    ] {
        let mut sieve = sieve(holding(FailedClaims::Drop));
        let (_, claims) = push(&mut sieve, text);
        assert_eq!((claims.len(), sieve.waiting()), (0, 0));
        assert_eq!(sieve.close().trim_start_matches("- "), "", "{text}");
        let claims = sieve.closed_claims();
        assert_eq!((claims.len(), sieve.waiting()), (1, 1), "{text}");
        let out = sieve.rule(claims[0].position, judged(Ruling::Contradicts)).to_owned();
        let (rest, verdict) = sieve.finish();
        assert_eq!((out + &rest).trim_start_matches("- "), "", "{text}");
        assert_eq!(verdict.reasons, [StatusReason::NoSurvivingCitation]);
        assert!(verdict.claims[0].is_left_out());
    }
}

#[test]
fn what_nobody_rules_on_leaves_as_it_is() {
    let text = "Interest is due [1]. It says \"the tenant waives every claim\" [2]. Late rent [1]. More";
    let mut sieve = sieve(holding(FailedClaims::Mark));
    let (out, _) = push(&mut sieve, text);
    assert_eq!((out.as_str(), sieve.waiting()), ("", 2));
    let (rest, _) = sieve.finish();
    assert_eq!(rest, text.replace("claim\" [2].", "claim\" [2]. [unverified]"));
}

#[test]
fn no_more_is_held_than_the_policy_allows() {
    let mut policy = holding(FailedClaims::Drop);
    policy.max_hold = 100;
    let mut sieve = sieve(policy);
    let text = "Interest is due [1]. ".repeat(30);
    let (out, claims) = push(&mut sieve, &text);
    assert!(out.len() >= text.len() - 101, "{}", out.len());
    // What has left cannot be taken back.
    let out: String = out
        + &claims
            .iter()
            .map(|claim| sieve.rule(claim.position, judged(Ruling::Unrelated)).to_owned())
            .collect::<String>();
    let (rest, verdict) = sieve.finish();
    assert!(verdict.hold.overflows > 0);
    assert!(text.starts_with(&out[..text.len() - 101]));
    assert!((out + &rest).len() <= text.len());
}

#[test]
fn a_ruling_without_a_wait_is_reported_all_the_same() {
    let mut policy = Policy::default();
    policy.unsupported_claims = UnsupportedClaims::Downgrade;
    let mut sieve = sieve(policy);
    let (out, claims) = push(&mut sieve, "Interest is due [1]. And");
    assert_eq!((out.as_str(), sieve.waiting()), ("Interest is due [1]. And", 0));
    assert_eq!(sieve.rule(claims[0].position, judged(Ruling::Contradicts)), "");
    let (_, verdict) = sieve.finish();
    assert_eq!(verdict.claims[0].support, Support::Unsupported);
    assert_eq!((verdict.status, verdict.reasons), (Status::Downgraded, vec![StatusReason::UnsupportedClaim]));
}

#[test]
fn a_claim_that_was_left_out_downgrades_nothing() {
    // By its quote.
    let quoted = "Rent is due [1]. It says \"the tenant waives every claim\" [2]. Notice is three months [2].";
    for (failed, status) in [(FailedClaims::Drop, Status::Answered), (FailedClaims::Mark, Status::Downgraded)] {
        let (_, verdict) = run(&Arc::new(holding(failed)), &sources(), [quoted]);
        assert_eq!(verdict.status, status, "{failed:?}: {:?}", verdict.reasons);
        let before = |span: citesieve::Span| &quoted[span.start.bytes as usize..span.end.bytes as usize];
        assert_eq!(before(verdict.claims[1].before), "It says \"the tenant waives every claim\" [2].");
        assert_eq!(before(verdict.quotes[0].before), "\"the tenant waives every claim\"");
        assert_eq!(verdict.quote_counts.not_found + verdict.quote_counts.altered, 1, "it is counted");
    }
    // Nothing that is cited is left.
    let (out, verdict) = run(
        &Arc::new(holding(FailedClaims::Drop)),
        &sources(),
        ["It says \"the tenant waives every claim\" [2]. Rent."],
    );
    assert_eq!((out.as_str(), verdict.reasons), ("Rent.", vec![StatusReason::NoSurvivingCitation]));
    // By a ruling.
    for (failed, status) in [(FailedClaims::Drop, Status::Answered), (FailedClaims::Mark, Status::Downgraded)] {
        let mut policy = holding(failed);
        policy.unsupported_claims = UnsupportedClaims::Downgrade;
        let mut sieve = sieve(policy);
        let (_, claims) = push(&mut sieve, "Interest is due [1]. Notice is three months [2].\n\n-");
        sieve.rule(claims[0].position, judged(Ruling::Contradicts));
        sieve.rule(claims[1].position, judged(Ruling::Supports));
        assert_eq!(sieve.finish().1.status, status, "{failed:?}");
    }
}

/// What a claim at this position is judged to be.
fn ruling(position: usize, seed: u64) -> Option<Judgement> {
    let all = [Ruling::Supports, Ruling::Contradicts, Ruling::Unrelated, Ruling::Unjudged, Ruling::Partial];
    let number = (position as u64).wrapping_mul(0x9e37_79b9).wrapping_add(seed) >> 3;
    (number % 6 < 5).then(|| judged(all[number as usize % 5])).flatten()
}

/// The answer in pieces, and rulings that come after `delay` more pieces, the later ones first if `turned`.
fn ruled(
    policy: &Arc<Policy>,
    sources: &Arc<Sources>,
    pieces: &[&str],
    (seed, delay, turned): (u64, usize, bool),
) -> (String, Verdict) {
    let mut sieve = TextSieve::new(Arc::clone(policy), Arc::clone(sources)).awaiting_rulings();
    let mut out = String::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        out.push_str(sieve.push(piece));
        open.extend(sieve.closed_claims().iter().map(|claim| (index, claim.position)));
        let due = open.iter().take_while(|(since, _)| since + delay <= index).count();
        let mut due: Vec<_> = open.drain(..due).collect();
        if turned {
            due.reverse();
        }
        for (_, position) in due {
            out.push_str(sieve.rule(position, ruling(position, seed)));
        }
    }
    out.push_str(sieve.close());
    open.extend(sieve.closed_claims().iter().map(|claim| (0, claim.position)));
    for (_, position) in open {
        out.push_str(sieve.rule(position, ruling(position, seed)));
    }
    let (rest, mut verdict) = sieve.finish();
    verdict.hold = Default::default();
    (out + &rest, verdict)
}

fn failed_claims() -> impl Strategy<Value = FailedClaims> {
    prop_oneof![Just(FailedClaims::Keep), Just(FailedClaims::Mark), Just(FailedClaims::Drop)]
}

/// Policies that hold claims, with everything else that may act on them.
fn policies() -> impl Strategy<Value = Arc<Policy>> {
    use citesieve::{FailedCitations, InlineQuotes, Misattributed, Rendering};
    let quotes = prop_oneof![3 => Just(InlineQuotes::Report), 1 => Just(InlineQuotes::Demote)];
    let citations = prop_oneof![3 => Just(FailedCitations::Keep), 1 => Just(FailedCitations::Drop)];
    let moved =
        prop_oneof![3 => Just(Misattributed::Report), 1 => Just(Misattributed::Move), 1 => Just(Misattributed::Drop)];
    let shown = prop_oneof![3 => Just(Rendering::Keep), 1 => Just(Rendering::Remove), 1 => Just(Rendering::Renumber)];
    (failed_claims(), quotes, citations, moved, shown).prop_map(|(failed, quotes, citations, moved, shown)| {
        let mut policy = holding(failed);
        policy.inline_quotes = quotes;
        policy.failed_citations = citations;
        policy.misattributed = moved;
        policy.markers = shown;
        Arc::new(policy)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600 * scale()) })]

    #[test]
    fn when_and_in_what_order_rulings_come_does_not_matter(
        text in hostile(40),
        policy in policies(),
        sources in source_sets(),
        cuts in prop::collection::vec(any::<usize>(), 0..12),
        seed in any::<u64>(),
        delay in 0_usize..30,
        turned in any::<bool>(),
    ) {
        let (out, verdict) = ruled(&policy, &sources, &[&text], (seed, 0, false));
        for pieces in [cut(&text, &cuts), characters(&text).collect()] {
            let (same, other) = ruled(&policy, &sources, &pieces, (seed, delay, turned));
            prop_assert_eq!(&same, &out, "{:?}", text);
            prop_assert!(other == verdict, "{:?}: {:?} {:?}", text, other, verdict);
        }
    }

    #[test]
    fn rulings_that_find_nothing_change_nothing(
        text in hostile(40),
        policy in policies(),
        sources in source_sets(),
        size in 1_usize..9,
        end in any::<bool>(),
    ) {
        let (want, mut verdict) = run(&policy, &sources, [text.as_str()]);
        verdict.hold = Default::default();
        let mut sieve = TextSieve::new(Arc::clone(&policy), Arc::clone(&sources)).awaiting_rulings();
        let mut out = String::new();
        for piece in pieces(&text, size) {
            out.push_str(sieve.push(piece));
            for claim in sieve.closed_claims() {
                out.push_str(sieve.rule(claim.position, None));
            }
            prop_assert_eq!(sieve.waiting(), 0);
        }
        if end {
            out.push_str(sieve.close());
            for claim in sieve.closed_claims() {
                out.push_str(sieve.rule(claim.position, None));
            }
        }
        let (rest, mut same) = sieve.finish();
        same.hold = Default::default();
        prop_assert_eq!(&(out + &rest), &want, "{:?}", text);
        prop_assert!(same == verdict, "{:?}", text);
    }
}

#[test]
fn a_finding_is_left_out_only_if_it_failed_and_is_gone() {
    let empty = ClaimFinding {
        kind: Default::default(),
        before: Default::default(),
        after: Default::default(),
        support: Support::Failed,
        cited: Vec::new(),
        quotes: Vec::new(),
        judgement: None,
    };
    assert!(!empty.is_left_out(), "it never stood there");
    // A marker that stood alone.
    let (out, verdict) = run(&Arc::new(holding(FailedClaims::Drop)), &sources(), ["| [9] | a [1] |"]);
    assert_eq!(out, "| | a [1] |");
    assert!(!verdict.claims[0].is_left_out());
    assert_eq!(verdict.status, Status::Answered);
}
