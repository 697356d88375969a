//! Hostile input: linear time, nothing lost, no panic. A quadratic path would make these tests run for hours.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::sync::Arc;

use citesieve::{Policy, TextSieve};
use common::*;

/// How long the text is: whole, and in small pieces.
const WHOLE: usize = 1_600_000;
const PIECES: usize = 150_000;

/// What is repeated, and whether nothing of it is to be edited.
const PATTERNS: &[(&str, bool)] = &[
    ("[", true),
    ("]", true),
    ("[[", true),
    ("[1", true),
    ("[1,", true),
    ("[1, 1", true),
    ("[9], ", false),
    ("[9]", false),
    ("[9] ", false),
    ("[2][9]", false),
    ("([9", false),
    ("([9])", false),
    ("**[9]** ", false),
    ("> ", false),
    (">", false),
    ("> a\n", false),
    ("> a [9]\n", false),
    ("> [9]\n>\n", false),
    ("> The tenant shall pay the rent\n", false),
    ("The tenant shall pay ", true),
    ("`", true),
    ("` ", true),
    ("`a", true),
    ("``[9] `", false),
    ("```\n", true),
    ("\"", true),
    ("\"a ", true),
    ("“", true),
    ("*", true),
    ("* ", true),
    ("**a ", true),
    ("_a*b~", true),
    ("<a ", true),
    ("<", true),
    ("<!--", true),
    ("<a href=\"", true),
    ("[x](", true),
    ("[x](<", true),
    ("[9](", false),
    ("[a][9]", true),
    ("![", true),
    ("$", true),
    ("$ ", true),
    ("$a[9]", false),
    ("$$\n", true),
    ("\\(", true),
    ("\\[[9]", false),
    ("\\", true),
    ("1", true),
    ("1 ", true),
    ("[1111111111", true),
    (" ", true),
    ("\t", true),
    ("\n", true),
    ("\r", true),
    ("\r\n", true),
    ("- ", true),
    ("- [9]\n", false),
    ("-", true),
    ("#", true),
    ("# [9]\n", false),
    ("| [9] ", false),
    ("|-", true),
    ("1. ", true),
    ("=", true),
    ("= [9] ", true),
    ("https://a.example/", true),
    ("(", true),
    ("（", true),
    ("a", true),
    ("é", true),
    ("结", true),
    ("结[9]", false),
    ("😀", true),
    ("e\u{301}", true),
    ("\u{200b}", true),
    ("[Source ", true),
    ("[Source 9, ", true),
    ("[Source 9]", false),
    ("arr[9]", true),
    ("at [9], ", true),
    ("…", true),
    ("...", true),
    ("[...]", true),
];

fn whole(pattern: &str, length: usize) -> String {
    pattern.repeat(length / pattern.len())
}

/// Streams the text and says what came out, and the most that was held.
fn stream<'a>(pieces: impl IntoIterator<Item = &'a str>, policy: &Arc<Policy>, set: usize) -> (usize, String) {
    let mut sieve = TextSieve::new(Arc::clone(policy), Arc::clone(&SOURCES[set]));
    let mut out = String::new();
    let mut held = 0;
    for piece in pieces {
        out.push_str(sieve.push(piece));
        held = held.max(sieve.held());
    }
    out.push_str(&sieve.finish().0);
    (held, out)
}

#[test]
fn much_of_one_thing() {
    let policy = policy(16_384);
    for (pattern, untouched) in PATTERNS {
        let quotes = pattern.contains(['>', '"', '“', '[']);
        for set in if quotes { 0..2 } else { 0..1 } {
            let text = whole(pattern, WHOLE);
            let (_, out) = stream([text.as_str()], &policy, set);
            if *untouched && (set == 0 || !pattern.contains('>')) {
                assert!(out == text, "{pattern:?} was edited");
            }
        }
    }
}

#[test]
fn much_of_one_thing_in_small_pieces() {
    let policy = policy(16_384);
    for (pattern, untouched) in PATTERNS {
        let text = whole(pattern, PIECES);
        let (_, expected) = stream([text.as_str()], &policy, 1);
        for size in [1, 7] {
            let (held, out) = stream(pieces(&text, size), &policy, 1);
            assert!(out == expected, "{pattern:?} in pieces of {size}");
            assert!(held <= 4 * 16_384, "{pattern:?}: {held} bytes were held");
            if *untouched {
                assert!(out == text, "{pattern:?} was edited");
            }
        }
    }
}

#[test]
fn one_thing_once_and_then_much_of_another() {
    let policy = policy(16_384);
    let openers =
        ["`", "$", "\\(", "[", "[x](", "<a ", "<!--", "\"", "**", "> ", "> The tenant ", "- ", "```\n", "$$\n", "([9"];
    for opener in openers {
        for filler in ["a ", "[9] ", "[2] ", "a\n", "\n", "> ", "[", "结", " "] {
            let text = format!("{opener}{}", whole(filler, PIECES));
            let (_, expected) = stream([text.as_str()], &policy, 1);
            let (held, out) = stream(pieces(&text, 3), &policy, 1);
            assert!(out == expected, "{opener:?} and {filler:?}");
            assert!(held <= 4 * 16_384, "{opener:?} and {filler:?}: {held} bytes were held");
        }
    }
}

#[test]
fn much_of_everything() {
    let policy = policy(16_384);
    // A pseudo-random order that is the same every time.
    let (mut state, mut text) = (1_u64, String::new());
    while text.len() < WHOLE {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(ATOMS[(state >> 33) as usize % ATOMS.len()]);
    }
    for set in 0..SOURCES.len() {
        let (_, expected) = stream([text.as_str()], &policy, set);
        let (held, out) = stream(pieces(&text, 7), &policy, set);
        assert!(out == expected, "source set {set}");
        assert!(held <= 4 * 16_384);
    }
}

#[test]
fn numbers_of_any_length_name_no_source() {
    let digits = "9".repeat(1_000_000);
    let sources = &SOURCES[0];
    let policy = policy(4_000_000);
    for text in [format!("a [{digits}]."), format!("a [{digits}-{digits}]."), format!("a [6, {digits}].")] {
        assert_eq!(run(&policy, sources, [text.as_str()]).0, "a.");
    }
    assert_eq!(run(&policy, sources, [format!("a [3-{digits}].").as_str()]).0, "a [3-5].");
    // Past the bound it leaves as it came.
    let text = format!("a [{digits}].");
    let (out, verdict) = run(&common::policy(1000), sources, [text.as_str()]);
    assert_eq!(out, text);
    assert_eq!(verdict.hold.overflows, 1);
}
