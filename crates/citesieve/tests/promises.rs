//! The promises of the rules, section 2, over every case, over hostile Markdown and over the text of real streams.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::sync::{Arc, LazyLock};

use citesieve::{Policy, Sieve, Sources, Status, TextSieve, Verdict};
use common::*;
use proptest::prelude::*;

/// Every number that the atoms can make up (five digits at most).
static EVERY_ID: LazyLock<Arc<Sources>> = LazyLock::new(|| ids(0..100_000));

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases * scale()) }
}

/// Text, verdict and edits are the same for these pieces as for the whole.
fn assert_same(policy: &Arc<Policy>, sources: &Arc<Sources>, text: &str, pieces: &[&str]) {
    let (whole, verdict) = run_edits(policy, sources, [text]);
    let (cut, same) = run_edits(policy, sources, pieces.iter().copied());
    assert_eq!(cut, whole, "edits of {text:?} in pieces {pieces:?}");
    assert!(same == verdict, "verdict of {text:?} in pieces {pieces:?}: {}", difference(&verdict, &same));
}

/// The fields in which two verdicts differ.
fn difference(a: &Verdict, b: &Verdict) -> String {
    let (a, b) = (serde_json::to_value(a).unwrap(), serde_json::to_value(b).unwrap());
    let fields = a.as_object().unwrap().iter().filter(|(name, value)| b[name.as_str()] != **value);
    fields.map(|(name, value)| format!("{name}: {value} or {}; ", b[name.as_str()])).collect()
}

// ---- 1. chunk invariance ---------------------------------------------------------------------------------------------

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn where_it_is_cut_does_not_matter(
        text in hostile(40),
        cuts in prop::collection::vec(any::<usize>(), 0..12),
        hold in holds(),
        sources in source_sets(),
    ) {
        let policy = policy(hold);
        assert_same(&policy, &sources, &text, &cut(&text, &cuts));
        assert_same(&policy, &sources, &text, &characters(&text).collect::<Vec<_>>());
    }

    #[test]
    fn the_text_is_the_input_with_its_edits(text in hostile(40), hold in holds(), sources in source_sets(), size in 1_usize..9) {
        let policy = policy(hold);
        let (edits, verdict) = run_edits(&policy, &sources, pieces(&text, size));
        let (out, same) = run(&policy, &sources, pieces(&text, size));
        prop_assert_eq!(&out, &apply(&text, &edits));
        prop_assert_eq!(&verdict, &same);
        prop_assert_eq!(verdict.edit_count, edits.len() as u64);
        for (record, edit) in verdict.edits.iter().zip(&edits) {
            prop_assert_eq!(record.before.start.bytes, edit.at.start);
            prop_assert_eq!(record.before.end.bytes, edit.at.end);
            let (from, to) = (record.after.start, record.after.end);
            prop_assert_eq!(&out[from.bytes as usize..to.bytes as usize], edit.with.as_ref());
            prop_assert_eq!(out[..from.bytes as usize].chars().count() as u64, from.chars);
            prop_assert_eq!(out[..to.bytes as usize].encode_utf16().count() as u64, to.utf16);
        }
    }
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn every_pair_of_cuts_of_a_short_text(text in hostile(9), hold in holds(), sources in source_sets()) {
        let policy = policy(hold);
        let whole = run(&policy, &sources, [text.as_str()]);
        let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        for (index, &a) in cuts.iter().enumerate() {
            for &b in &cuts[index..] {
                let cut = run(&policy, &sources, [&text[..a], &text[a..b], &text[b..]]);
                prop_assert_eq!(&cut, &whole, "{:?} cut at {} and {}", text, a, b);
            }
        }
    }
}

#[test]
fn recordings_are_the_same_however_they_are_cut() {
    for (name, text) in recordings() {
        for sources in [&SOURCES[0], &SOURCES[1], &SOURCES[5]] {
            for hold in [32, 16_384] {
                let policy = policy(hold);
                let whole = run_edits(&policy, sources, [text.as_str()]);
                for size in [1, 3, 17] {
                    assert_eq!(run_edits(&policy, sources, pieces(&text, size)), whole, "{name} in pieces of {size}");
                }
            }
        }
    }
}

// ---- 2. in-range is sacred -------------------------------------------------------------------------------------------

/// Whether every number in the text is one of [`EVERY_ID`].
fn has_short_numbers(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_digit()).all(|digits| digits.trim_start_matches('0').len() <= 5)
}

proptest! {
    #![proptest_config(config(800))]

    #[test]
    fn what_is_in_range_is_never_touched(text in hostile(60), size in 1_usize..20) {
        let text = if has_short_numbers(&text) { text } else { text.replace("99", "") };
        prop_assume!(has_short_numbers(&text));
        let (out, verdict) = run(&policy(16_384), &EVERY_ID, pieces(&text, size));
        prop_assert_eq!(&out, &text);
        prop_assert_eq!(verdict.markers.fabricated, 0);
    }

    #[test]
    fn what_is_edited_once_needs_no_second_edit_of_its_numbers(text in hostile(30)) {
        // Nothing that the first pass leaves as a plain `[9]` in prose appears because of the edits themselves.
        let (out, verdict) = run(&policy(16_384), &SOURCES[0], [text.as_str()]);
        prop_assert!(out.len() <= text.len() + verdict.edit_count as usize);
    }
}

#[test]
fn recordings_are_untouched_when_every_id_exists() {
    for (name, text) in recordings() {
        if has_short_numbers(&text) {
            assert_eq!(run(&policy(16_384), &EVERY_ID, pieces(&text, 5)).0, text, "{name}");
        }
    }
}

// ---- 3. no needless delay --------------------------------------------------------------------------------------------

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn prose_leaves_in_the_call_it_came_in(
        words in prop::collection::vec("[a-zA-Zéß0-9结,.!?'’\"-]{0,8}[a-zA-Zé结.!?]", 1..30),
        sources in source_sets(),
    ) {
        let mut sieve = Sieve::new(policy(16_384), sources);
        let mut length = 0;
        for (index, word) in words.iter().enumerate() {
            let delta = if index == 0 { format!("A{word}") } else { format!(" {word}") };
            length += delta.len() as u64;
            prop_assert_eq!(sieve.push(&delta).to, length, "{:?} is held", delta);
            prop_assert_eq!(sieve.held(), 0);
        }
    }

    #[test]
    fn nothing_outlives_its_paragraph(text in hostile(40), sources in source_sets(), hold in holds()) {
        let mut sieve = Sieve::new(policy(hold), sources);
        sieve.push(&text);
        sieve.push("\n\nplain");
        prop_assert_eq!(sieve.held(), 0, "{:?}", text);
    }

    #[test]
    fn a_construct_that_is_perhaps_open_delays_no_prose(opener in prop::sample::select(&["`", "``", "$", "$$", "\\(", "\\[", "<a ", "[", "[see ", "[x](", "[x](<", "**", "(", "\"", "“", "<!-- "][..])) {
        let mut sieve = Sieve::new(policy(16_384), Arc::clone(&SOURCES[0]));
        sieve.push("Words ");
        sieve.push(opener);
        sieve.push("and prose");
        prop_assert_eq!(sieve.held(), 0, "{:?}", opener);
        sieve.push(" [2] with");
        prop_assert_eq!(sieve.held(), 0, "{:?}: a marker in range delays nothing either", opener);
    }
}

#[test]
fn text_leaves_at_the_character_that_decides_it() {
    // The delta, and how many bytes of everything so far are held after it.
    let script: &[(&str, usize)] = &[
        ("Rent", 0),
        (" ", 1),
        ("is", 0),
        (" [", 2),
        ("s", 3),
        ("e", 0),
        ("e appendix]", 0),
        (" [7", 3),
        ("x", 0),
        ("]", 0),
        (" [2", 3),
        ("]", 0),
        (" and [7]", 4),
        (" so", 0),
        (" [Sour", 6),
        ("ly]", 0),
        (" (", 2),
        ("[7", 4),
        ("])", 6),
        (".", 0),
        ("\n", 0),
        ("> ", 0),
    ];
    let mut sieve = Sieve::new(policy(16_384), Arc::clone(&SOURCES[0]));
    for (delta, held) in script {
        sieve.push(delta);
        assert_eq!(sieve.held(), *held, "after {delta:?}");
    }
}

#[test]
fn a_block_quotation_is_demoted_at_the_first_character_after_which_it_cannot_be_real() {
    let mut sieve = Sieve::new(policy(16_384), Arc::clone(&SOURCES[1]));
    sieve.push("> The landlord shall insure the building against ");
    assert!(sieve.held() > 0, "it may still turn out real");
    sieve.push("alien");
    assert_eq!(sieve.held(), 0, "no source goes on like this");
    sieve.push(" attack and then some.\n");
    sieve.push("> More of it");
    assert_eq!(sieve.held(), 0, "the block is decided");
    let mut sieve = Sieve::new(policy(16_384), Arc::clone(&SOURCES[0]));
    sieve.push("> Whatever it says");
    assert_eq!(sieve.held(), 0, "nothing to check it against");
    let mut sieve = Sieve::new(policy(16_384), Arc::clone(&SOURCES[1]));
    sieve.push("> [!NOTE]\n> Anything");
    assert_eq!(sieve.held(), 0, "a callout");
}

// ---- 4. nothing lost -------------------------------------------------------------------------------------------------

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn an_answer_may_end_anywhere(text in hostile(20), sources in source_sets()) {
        for at in text.char_indices().map(|(at, _)| at) {
            let (edits, _) = run_edits(&policy(16_384), &sources, [&text[..at]]);
            let (out, _) = run(&policy(16_384), &sources, characters(&text[..at]));
            prop_assert_eq!(out, apply(&text[..at], &edits));
        }
    }

    #[test]
    fn a_barrier_releases_everything(text in hostile(20), more in hostile(20), sources in source_sets()) {
        let mut sieve = Sieve::new(policy(16_384), sources);
        sieve.push(&text);
        prop_assert_eq!(sieve.barrier().to, text.len() as u64);
        prop_assert_eq!(sieve.held(), 0);
        let mut edits = sieve.push(&more).edits.to_vec();
        edits.extend(sieve.finish().0);
        prop_assert!(edits.iter().all(|edit| edit.at.start >= text.len() as u64));
    }

    #[test]
    fn without_a_bracket_or_a_quotation_nothing_is_edited(text in hostile(40), sources in source_sets(), size in 1_usize..9) {
        let text = text.replace(['[', '>'], "");
        let (out, _) = run(&policy(16_384), &sources, pieces(&text, size));
        prop_assert_eq!(out, text);
    }
}

// ---- 6. no sources known ---------------------------------------------------------------------------------------------

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn without_known_sources_everything_passes(text in hostile(40), size in 1_usize..9) {
        let mut sieve = TextSieve::new(policy(8), Arc::new(Sources::unknown()));
        for piece in pieces(&text, size) {
            prop_assert_eq!(sieve.push(piece), piece);
            prop_assert_eq!(sieve.held(), 0);
        }
        let (rest, verdict) = sieve.finish();
        prop_assert_eq!(rest, "");
        prop_assert_eq!(verdict.status, Status::Unchecked);
        prop_assert_eq!(verdict.markers.total, 0);
    }
}
