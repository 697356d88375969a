//! The contract of the rules, section 6, line by line: which status and reasons an answer must get, and what is shown in
//! each release mode; and that every mode keeps the promises of section 2.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::sync::Arc;

use citesieve::{
    FailedCitations, FailedClaims, InlineQuotes, Misattributed, Policy, Release, Rendering, Source, Sources, Status,
    StatusReason, Verdict,
};
use common::{characters, cut, hostile, run, run_edits};
use proptest::prelude::*;

fn sources() -> Arc<Sources> {
    Arc::new(
        Sources::new(vec![
            Source::new("1").url("https://lease.example/a_(1)").text(
                "Rent is payable on the first day of each month. Late rent bears interest at four per cent a year.",
            ),
            Source::new("2").text("The landlord shall insure the building against fire and flood."),
            Source::new("3")
                .url("https://lease.example/3|x")
                .text("Either party may terminate on three months’ written notice."),
            Source::new("4"),
        ])
        .unwrap(),
    )
}

fn shown(change: impl FnOnce(&mut Policy), text: &str) -> (String, Verdict) {
    shown_with(&sources(), change, text)
}

fn shown_with(sources: &Arc<Sources>, change: impl FnOnce(&mut Policy), text: &str) -> (String, Verdict) {
    let mut policy = Policy::default();
    change(&mut policy);
    let policy = Arc::new(policy);
    let whole = run(&policy, sources, [text]);
    assert_eq!(run(&policy, sources, characters(text)), whole, "{text:?} character by character");
    whole
}

/// The same sources without the one that has no text: only then a failed quote is known to be nobody's.
fn texts() -> Arc<Sources> {
    Arc::new(Sources::new(sources().list()[..3].to_vec()).unwrap())
}

const NONE: StatusReason = StatusReason::NoSurvivingCitation;
const FAILED: StatusReason = StatusReason::FailedQuoteInText;

/// Each line: an answer, its status and the reasons, in eager mode.
#[test]
fn status_and_reasons() {
    let table: &[(&str, Status, &[StatusReason])] = &[
        ("Rent is due monthly [1].", Status::Answered, &[]),
        ("Rent is due monthly.", Status::Downgraded, &[NONE]),
        ("Rent is due monthly [9].", Status::Downgraded, &[NONE]),
        ("The lease says \"rent is payable on the first day of each month\" [1].", Status::Answered, &[]),
        ("It says \"rent is payable on the first day of each month\".", Status::Answered, &[]),
        ("It says \"late rent bears interest at five per cent\" [1].", Status::Downgraded, &[NONE, FAILED]),
        // A spare failed quote that stands in the text as a quote.
        (
            "\"Late rent bears interest at four per cent a year\" [1], and \"the tenant waives every claim\" [2].",
            Status::Downgraded,
            &[FAILED],
        ),
        // Misattributed words are no support, nor are they a failed quote.
        ("It says \"the landlord shall insure the building\" [1].", Status::Downgraded, &[NONE]),
        ("\"Late rent bears interest\" [1] and \"the landlord shall insure the building\" [3].", Status::Answered, &[]),
        // Scare quotes, terms and titles are no accusations.
        ("The so-called \"net rent\" is due [1].", Status::Answered, &[]),
        ("The paper \"Attention Is All You Need\" agrees [1].", Status::Answered, &[]),
        // What can't be checked neither supports nor fails.
        ("It says \"whatever nobody here can check at all\" [4].", Status::Answered, &[]),
        ("I could not find this in the sources.", Status::NotFound, &[NONE]),
        ("> Late rent bears interest at four per cent a year.\n", Status::Answered, &[]),
        // A demoted block does not stand there as a quotation.
        ("> The tenant waives every claim against the landlord.\n\nRent is due [1].", Status::Answered, &[]),
    ];
    for (text, status, reasons) in table {
        let (_, verdict) = shown(|_| {}, text);
        assert_eq!((verdict.status, verdict.reasons.as_slice()), (*status, *reasons), "{text}\n{verdict:#?}");
    }
}

#[test]
fn a_failed_quote_loses_its_marks_and_no_longer_sinks_the_answer() {
    let demote = |policy: &mut Policy| policy.inline_quotes = InlineQuotes::Demote;
    for (text, want) in [
        (
            "Rent [1]. It says “the tenant waives every claim” [2].",
            "Rent [1]. It says the tenant waives every claim [2].",
        ),
        (
            "It says “the landlord shall insure the building” [2].",
            "It says “the landlord shall insure the building” [2].",
        ),
        ("So-called \"green\" rent [1].", "So-called \"green\" rent [1]."),
        ("An \"unclosed quote of words [1].\n\nEnd.", "An unclosed quote of words [1].\n\nEnd."),
        ("In `\"code it is not touched\"` [1].", "In `\"code it is not touched\"` [1]."),
    ] {
        assert_eq!(shown_with(&texts(), demote, text).0, want);
    }
    let (_, verdict) = shown_with(
        &texts(),
        demote,
        "Rent \"late rent bears interest\" [1]. It says “the tenant waives every claim” [2].",
    );
    assert_eq!(verdict.status, Status::Answered);
    assert!(verdict.quotes[1].demoted);
    // It may be in the source that nobody has the text of.
    let text = "It says “the tenant waives every claim” [4].";
    assert_eq!(shown(demote, text).0, text);
}

#[test]
fn a_failed_claim_is_kept_marked_or_left_out() {
    let text = "Rent is due [1]. It says \"the tenant waives every claim\" [2]. The rest is open [9].\n\n- It is \"not in any source at all\".\n- Fine [2].";
    let mode = |failed: FailedClaims| {
        move |policy: &mut Policy| {
            policy.release = Release::Claim;
            policy.failed_claims = failed;
        }
    };
    assert_eq!(shown(mode(FailedClaims::Keep), text).0, text.replace(" [9]", ""));
    assert_eq!(
        shown(mode(FailedClaims::Mark), text).0,
        "Rent is due [1]. It says \"the tenant waives every claim\" [2]. [unverified] The rest is open. [unverified]\n\n- It is \"not in any source at all\". [unverified]\n- Fine [2]."
    );
    assert_eq!(shown(mode(FailedClaims::Drop), text).0, "Rent is due [1].\n\n- \n- Fine [2].");
    // The marker takes the space before the claim along, and the claim is held from inside that edit.
    assert_eq!(shown(mode(FailedClaims::Keep), "| [9]: ").0, "|: ");
    assert_eq!(shown(mode(FailedClaims::Mark), "[9], ").0, " [unverified]");
    // The claim ends where the marker of the next one takes something along: that panicked.
    assert_eq!(shown(mode(FailedClaims::Mark), "[. [9](*([9])").0, "[. (* [unverified] [unverified]");
    assert_eq!(shown(mode(FailedClaims::Drop), "| [8] | a [1] |").0, "| | a [1] |");
    let (out, _) = shown(mode(FailedClaims::Drop), "It says \"the tenant waives every claim\" [2]. Rent is due [1].");
    assert_eq!(out, "Rent is due [1].");
}

#[test]
fn a_failed_answer_is_replaced() {
    let answer = |policy: &mut Policy| policy.release = Release::Answer;
    let (out, verdict) = shown(answer, "It says \"the tenant waives every claim\" [2].");
    assert_eq!(out, Policy::default().not_found_message);
    assert_eq!((verdict.status, verdict.reasons.as_slice()), (Status::NotFound, &[NONE, FAILED][..]));
    let (out, verdict) = shown(answer, "Rent is due [1] [9].");
    assert_eq!((out.as_str(), verdict.status), ("Rent is due [1].", Status::Answered));
}

#[test]
fn the_marker_after_a_failed_quote_goes() {
    let drop = |policy: &mut Policy| policy.failed_citations = FailedCitations::Drop;
    for (text, want) in [
        ("It says \"the tenant waives every claim\" [2].", "It says \"the tenant waives every claim\"."),
        (
            "It says \"the tenant waives every claim\" [2][3], but [1].",
            "It says \"the tenant waives every claim\", but [1].",
        ),
        ("It says \"late rent bears interest\" [1].", "It says \"late rent bears interest\" [1]."),
        ("A \"term\" is fine [1].", "A \"term\" is fine [1]."),
    ] {
        assert_eq!(shown(drop, text).0, want);
    }
}

#[test]
fn a_misattributed_quote_gets_the_marker_of_its_source() {
    let set = |what: Misattributed| move |policy: &mut Policy| policy.misattributed = what;
    let text = "It says \"the landlord shall insure the building\" [1].";
    let (out, verdict) = shown(set(Misattributed::Move), text);
    assert_eq!(out, "It says \"the landlord shall insure the building\" [2].");
    assert_eq!(verdict.status, Status::Answered);
    assert_eq!(shown(set(Misattributed::Drop), text).0, "It says \"the landlord shall insure the building\".");
    assert_eq!(shown(set(Misattributed::Report), text).0, text);
    // One of the two is right: nothing to move.
    let both = "It says \"the landlord shall insure the building\" [1][2].";
    assert_eq!(shown(set(Misattributed::Move), both).0, both);
}

#[test]
fn markers_are_linked_removed_or_numbered() {
    let set = |what: Rendering| move |policy: &mut Policy| policy.markers = what;
    for (text, want) in [
        ("Rent [1].", "Rent [[1]](https://lease.example/a_%281%29)."),
        ("Rent [[1]].", "Rent [[1]](https://lease.example/a_%281%29)."),
        ("| Rent [3] |", "| Rent [[3]](https://lease.example/3%7Cx) |"),
        ("Rent [2].", "Rent [2]."),
        ("Rent [1, 9].", "Rent [[1]](https://lease.example/a_%281%29)."),
        ("Rent [1, 3].", "Rent [[1](https://lease.example/a_%281%29), [3](https://lease.example/3%7Cx)]."),
        ("Rent [1-3].", "Rent [1-3]."),
        ("Rent `[1]`.", "Rent `[1]`."),
    ] {
        assert_eq!(shown(set(Rendering::Link), text).0, want);
    }
    assert_eq!(shown(set(Rendering::Remove), "Rent [1], due ([2]). [3]").0, "Rent, due.");
    let (out, verdict) = shown(set(Rendering::Renumber), "Rent [3], due [1] [9]; late [3, 2] [1-3].");
    assert_eq!(out, "Rent [1], due [2]; late [1, 3] [1, 2, 3].");
    let numbering: Vec<(u64, &str)> = verdict.numbering.iter().map(|n| (n.number, n.id.as_str())).collect();
    assert_eq!(numbering, [(1, "3"), (2, "1"), (3, "2")]);
}

#[test]
fn a_downgraded_answer_gets_its_notice() {
    let text = "Rent is due [9].";
    let (out, verdict) = shown(|policy| policy.notice = Some("gfm".to_owned()), text);
    assert!(out.starts_with("Rent is due.\n\n> [!WARNING]\n> "), "{out}");
    let record = verdict.edits.last().unwrap();
    assert_eq!(&out[record.after.start.bytes as usize..record.after.end.bytes as usize], record.with);
    let (out, _) = shown(|policy| policy.notice = Some(" ({fabricated} of {markers}: {reasons})".to_owned()), text);
    assert_eq!(out, "Rent is due. (1 of 1: no citation of a source holds)");
    let (out, _) = shown(|policy| policy.notice = Some("never".to_owned()), "Rent is due [1].");
    assert_eq!(out, "Rent is due [1].");
}

#[test]
fn claims_are_sentences_items_cells_and_headings() {
    let text = "# Rent [1]\n\nDue on the 1st, e.g. Monday [1]. Late?[2] Then. ([2]) (Or so [1].) Dr. Smith v. Jones agrees [3].\n\n- One [1]. Two [2].\n\n| a [1] | b [2] |\n|---|---|\n| c | d [3] |\n\n结论如下[1]。其次[2]。\n";
    let (_, verdict) = shown(|_| {}, text);
    let claims: Vec<&str> = verdict
        .claims
        .iter()
        .map(|claim| &text[claim.before.start.bytes as usize..claim.before.end.bytes as usize])
        .collect();
    assert_eq!(
        claims,
        [
            "Rent [1]",
            "Due on the 1st, e.g. Monday [1].",
            "Late?[2]",
            "Then. ([2])",
            "(Or so [1].)",
            "Dr. Smith v. Jones agrees [3].",
            "One [1].",
            "Two [2].",
            "a [1]",
            "b [2]",
            "d [3]",
            "结论如下[1]。",
            "其次[2]。",
        ]
    );
}

fn policies() -> impl Strategy<Value = Arc<Policy>> {
    (
        0..3_usize,
        0..2_usize,
        0..3_usize,
        0..2_usize,
        0..3_usize,
        0..4_usize,
        prop_oneof![Just(8_usize), Just(64), Just(16_384)],
        any::<bool>(),
    )
        .prop_map(|(release, quotes, claims, citations, misattributed, markers, hold, notice)| {
            let mut policy = Policy::default();
            policy.release = [Release::Eager, Release::Claim, Release::Answer][release];
            policy.inline_quotes = [InlineQuotes::Report, InlineQuotes::Demote][quotes];
            policy.failed_claims = [FailedClaims::Keep, FailedClaims::Mark, FailedClaims::Drop][claims];
            policy.failed_citations = [FailedCitations::Keep, FailedCitations::Drop][citations];
            policy.misattributed = [Misattributed::Report, Misattributed::Move, Misattributed::Drop][misattributed];
            policy.markers = [Rendering::Keep, Rendering::Link, Rendering::Remove, Rendering::Renumber][markers];
            policy.max_hold = if policy.release == Release::Answer { 16_384 } else { hold };
            policy.notice = notice.then(|| "gfm".to_owned());
            Arc::new(policy)
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600 * common::scale()) })]

    #[test]
    fn every_mode_is_the_same_wherever_it_is_cut(
        text in hostile(30),
        cuts in prop::collection::vec(any::<usize>(), 0..8),
        policy in policies(),
    ) {
        let whole = run_edits(&policy, &sources(), [text.as_str()]);
        prop_assert_eq!(run_edits(&policy, &sources(), cut(&text, &cuts)), whole.clone());
        prop_assert_eq!(run_edits(&policy, &sources(), characters(&text)), whole);
    }
}
