//! Marker syntaxes that are off by default: what each does when it is on, that it does nothing when it is off, and
//! that where the answer is cut never matters.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::sync::Arc;

use citesieve::{MarkerSyntax, Policy, Source, Sources, Verdict};
use common::{characters, cut, holds, ids, run, scale};
use proptest::prelude::*;

const NUMBERS: &[&str] = &["1", "2", "3", "4", "5"];
const LEASES: &[&str] = &["lease-a", "lease-b"];
const FILES: &[&str] = &["docs/handbook.pdf", "plan.pdf#page=1", "plan.pdf#page=2"];

/// A syntax, the ids of the sources, an answer, and what is left of it.
type Case = (MarkerSyntax, &'static [&'static str], &'static str, &'static str);

fn with(syntaxes: &[MarkerSyntax]) -> Arc<Policy> {
    let mut policy = Policy::default();
    policy.syntaxes = syntaxes.to_vec();
    Arc::new(policy)
}

fn everything() -> Arc<Policy> {
    with(MarkerSyntax::ALL)
}

mod table;
use table::CASES;

/// Runs a case with its syntax and the default ones.
fn on(case: &Case) -> (Arc<Policy>, Arc<Sources>) {
    let mut syntaxes = Policy::default().syntaxes;
    syntaxes.push(case.0);
    (with(&syntaxes), ids(case.1))
}

#[test]
fn every_case_gives_its_output() {
    let mut wrong = Vec::new();
    for case in CASES {
        let (policy, sources) = on(case);
        let (out, _) = run(&policy, &sources, [case.2]);
        if out != case.3 {
            wrong.push(format!("{:?}\n    in {:?}\n  want {:?}\n   got {:?}", case.0, case.2, case.3, out));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_syntax_that_is_off_does_nothing() {
    for case in CASES {
        let (out, _) = run(&with(&[]), &ids(case.1), [case.2]);
        assert_eq!(out, case.2, "{:?}", case.0);
        // What the default syntaxes read in it is their affair.
        if !case.2.contains("[9]") && !case.2.contains("[1]") {
            let (out, _) = run(&Arc::new(Policy::default()), &ids(case.1), [case.2]);
            assert_eq!(out, case.2, "{:?}", case.0);
        }
    }
}

#[test]
fn every_case_is_the_same_character_by_character_and_at_every_pair_of_cuts() {
    for case in CASES {
        let (policy, sources) = on(case);
        let text = case.2;
        let whole = run(&policy, &sources, [text]);
        assert_eq!(run(&policy, &sources, characters(text)), whole, "{text:?}");
        let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        for (index, &a) in cuts.iter().enumerate() {
            for &b in &cuts[index..] {
                let pieces = [&text[..a], &text[a..b], &text[b..]];
                assert_eq!(run(&policy, &sources, pieces), whole, "{text:?} cut at {a} and {b}");
            }
        }
    }
}

#[test]
fn all_syntaxes_together_do_what_each_does_alone() {
    for case in CASES {
        let (out, _) = run(&everything(), &ids(case.1), [case.2]);
        assert!(out == case.3 || table::DIFFERS_TOGETHER.contains(&case.2), "{:?}: {out:?}", case.2);
    }
}

#[test]
fn the_cases_of_the_default_syntaxes_are_cut_anywhere_with_everything_on() {
    for (case, sources) in common::cases() {
        let whole = run(&everything(), &sources, [case.input.as_str()]);
        assert_eq!(run(&everything(), &sources, characters(&case.input)), whole, "{}", case.id);
    }
}

#[test]
fn names_are_read_in_snake_case_and_unknown_ones_are_refused() {
    let policy: Policy =
        serde_json::from_str(r#"{"syntaxes": ["number", "cite_tag", "private_use", "file_id"]}"#).unwrap();
    assert_eq!(
        policy.syntaxes,
        [MarkerSyntax::Number, MarkerSyntax::CiteTag, MarkerSyntax::PrivateUse, MarkerSyntax::FileId]
    );
    let error = serde_json::from_str::<Policy>(r#"{"syntaxes": ["roman"]}"#).unwrap_err().to_string();
    assert!(error.contains("roman") && error.contains("superscript"), "{error}");
    assert_eq!(Policy::default().syntaxes, [MarkerSyntax::Number, MarkerSyntax::Double, MarkerSyntax::Tagged]);
}

#[test]
fn ids_are_counted_and_the_order_and_number_of_names_mean_nothing() {
    let text = "One [^1]. Two 【9】. Three [^9]【2†source】 four.";
    let a = [MarkerSyntax::Lenticular, MarkerSyntax::Footnote];
    let b = [MarkerSyntax::Footnote, MarkerSyntax::Lenticular, MarkerSyntax::Footnote];
    let (out, verdict) = run(&with(&a), &ids(1..=5), [text]);
    assert_eq!(out, "One [^1]. Two. Three 【2†source】 four.");
    assert_eq!((verdict.markers.real, verdict.markers.fabricated), (2, 2));
    assert_eq!(run(&with(&b), &ids(1..=5), [text]), (out, verdict));
}

#[test]
fn a_definition_longer_than_may_be_held_leaves_as_it_came() {
    let mut policy = Policy::default();
    policy.syntaxes.push(MarkerSyntax::Footnote);
    policy.max_hold = 64;
    let policy = Arc::new(policy);
    let text = format!("A.\n\n[^9]: {}\n\nB [9] c.", "note ".repeat(40));
    let (out, verdict) = run(&policy, &ids(1..=5), [text.as_str()]);
    assert_eq!(out, text.replace(" [9]", ""));
    assert_eq!(verdict.hold.overflows, 1);
    assert_eq!(run(&policy, &ids(1..=5), characters(&text)), (out, verdict));
}

#[test]
fn plain_prose_is_not_held_when_everything_is_on() {
    let mut sieve = citesieve::Sieve::new(everything(), ids(1..=5));
    for piece in ["Plain words", ", 5 of them", " – 世界。", "and \"more\"", " at 3:30", "."] {
        sieve.push(piece);
        assert_eq!(sieve.held(), 0, "after {piece:?}");
    }
    for (piece, held) in [(" see [appendix", 10), (" b", 0), ("] 1 <", 2), (" 2", 0), (" <cite", 6), ("d>", 0)] {
        sieve.push(piece);
        assert_eq!(sieve.held(), held, "after {piece:?}");
    }
}

#[test]
fn what_was_wrong_once_under_a_small_bound_is_right() {
    for (text, hold) in [
        ("    [^lease-a]\n- [^9]: ", 8),
        ("> [^lease-a]\n- [^9]: ", 8),
        ("> <cite id=\"9\">\n$$\n", 8),
        ("```[lease-a][^lease-a](2, 9)<sup>1</sup>[9999999999999999999999999999999]<cite>9</cite>`a[9]`", 64),
        ("\\ue203[[【1】\u{e204}\u{e200}cite\u{e202}turn0search1\u{e201}[^9]: ", 64),
        ("$\u{e203}[9]\\ue204【1】[2019]", 32),
        ("\\ue203\u{e204}The tenant shall pay the rent", 13),
        ("$ \u{e203}a [9] b\u{e204}\u{e202}turn0search9 c", 64),
    ] {
        for sources in [ids(1..=5), ids(LEASES)] {
            let policy = held(hold);
            assert_eq!(run(&policy, &sources, characters(text)), run(&policy, &sources, [text]), "{text:?}");
        }
    }
    let (out, _) = run(&everything(), &ids(1..=5), ["$ \u{e203}a [9] b\u{e204}\u{e202}turn0search9 c"]);
    assert_eq!(out, "$ a b c");
}

// ---- promises --------------------------------------------------------------------------------------------------------

const ATOMS: &[&str] = &[
    "[^1]",
    "[^9]",
    "[^9]: ",
    "\n[^9]: note",
    "\n\n[^2]: real",
    "[^lease-a]",
    "[^lease-z]",
    "[^",
    "【1】",
    "【9】",
    "【9†source】",
    "【1†a.pdf】",
    "【4:0†",
    "【",
    "】",
    "†",
    "［1］",
    "［９］",
    "［１－９］",
    "［",
    "］",
    "(1)",
    "(9)",
    "(2, 9)",
    "((9))",
    "f(9)",
    "(1) ",
    "¹",
    "²",
    "⁹",
    "⁹,²",
    "²⁻⁹",
    "x²",
    "10⁹",
    "⁻",
    "⁺",
    "<sup>1</sup>",
    "<sup>9</sup>",
    "<sup>[9]</sup>",
    "<sup>",
    "</sup>",
    "[lease-a]",
    "[lease-z]",
    "[lease-a, lease-z]",
    "[plan.pdf#page=9]",
    "[word]",
    "[lease-",
    "<cite>9</cite>",
    "<cite id=\"9\">",
    "<cite id=\"1\">",
    "<cite id=\"1,9\"/>",
    "<cite id=\"9\"/>",
    "<cite title=\"[9]\">",
    "</cite>",
    "<cite index=\"9-1\">words</cite>",
    "<inref id=\"9\"/>",
    "<cite ",
    "<inref",
    "\u{E200}cite\u{E202}turn0search1\u{E201}",
    "\u{E200}cite\u{E202}turn0search9\u{E201}",
    "\u{E200}cite\u{E202}turn0file1\u{E202}L8-L13\u{E202}turn0file9\u{E201}",
    "\u{E200}",
    "\u{E201}",
    "\u{E202}",
    "\u{E202}turn0search1",
    "\u{E202}turn0search9",
    "\u{E203}",
    "\u{E204}",
    "\\ue202turn0search9",
    "\\ue202turn0search2",
    "\\ue200cite\\ue202turn0search9\\ue201",
    "\\ue203",
    "\\ue204",
    "\\ue2",
    "\\u",
    "turn0",
    "<|file-1|>",
    "<|file-9|>",
    "<|file-",
    "|>",
    "<|",
    "[9]",
    "[1]",
    "[Source 9]",
    "[[9]]",
];

fn text(most: usize) -> impl Strategy<Value = String> {
    let own = prop::sample::select(ATOMS);
    let other = prop::sample::select(common::ATOMS);
    prop::collection::vec(prop_oneof![own, other], 0..most).prop_map(|atoms| atoms.concat())
}

/// The same without atoms that make up ids together with others.
fn whole_markers(most: usize) -> impl Strategy<Value = String> {
    let parts = ["\u{E201}", "\u{E202}", "<|file-", "[lease-"];
    let own: Vec<&str> = ATOMS.iter().copied().filter(|atom| !parts.contains(atom)).collect();
    let atoms = prop_oneof![prop::sample::select(own), prop::sample::select(common::ATOMS)];
    prop::collection::vec(atoms, 0..most).prop_map(|atoms| atoms.concat())
}

fn held(max_hold: usize) -> Arc<Policy> {
    let mut policy = Policy::default();
    policy.syntaxes = MarkerSyntax::ALL.to_vec();
    policy.max_hold = max_hold;
    Arc::new(policy)
}

fn all_real() -> Arc<Sources> {
    let words = ["lease-a", "lease-z", "plan.pdf#page=9", "plan.pdf#page=1", "word", "doc7"].map(String::from);
    let numbers = (0..100_000).map(|id| id.to_string());
    let list = words.into_iter().chain(numbers).map(Source::new).collect();
    Arc::new(Sources::new(list).expect("ids are not empty"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500 * scale()) })]

    #[test]
    fn where_it_is_cut_does_not_matter(
        text in text(24),
        cuts in prop::collection::vec(any::<usize>(), 0..12),
        hold in holds(),
        some in prop::sample::select(&[NUMBERS, LEASES, FILES, &["turn0search1", "1", "file-1"]][..]),
    ) {
        let (policy, sources) = (held(hold), ids(some));
        let whole: (String, Verdict) = run(&policy, &sources, [text.as_str()]);
        prop_assert_eq!(&run(&policy, &sources, cut(&text, &cuts)), &whole, "{:?}", text);
        prop_assert_eq!(&run(&policy, &sources, characters(&text)), &whole, "{:?}", text);
    }

    #[test]
    fn markers_whose_ids_all_exist_are_never_touched(text in whole_markers(24), hold in holds()) {
        // `[9999999…]` of the shared atoms has no source however many there are.
        let text = text.replace("99999999999999999999", "9");
        thread_local!(static ALL: Arc<Sources> = all_real());
        let (out, _) = run(&held(hold), &ALL.with(Arc::clone), [text.as_str()]);
        prop_assert_eq!(out, text);
    }

    #[test]
    fn unknown_sources_pass_everything(text in text(24)) {
        let (out, _) = run(&everything(), &Arc::new(Sources::unknown()), [text.as_str()]);
        prop_assert_eq!(out, text);
    }
}
