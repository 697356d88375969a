//! The cursor and the whole quote agree.
//!
//! Third-party data is read in place, from the directory that `CITESIEVE_SHARED` names.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
// Helpers of tests fail as tests do.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use citesieve::quote::{Class, Cursor, State, check};
use citesieve::{Source, Sources};

fn sources(texts: &[&str]) -> Arc<Sources> {
    let list = texts.iter().enumerate().map(|(at, text)| Source::new((at + 1).to_string()).text(*text)).collect();
    Arc::new(Sources::new(list).expect("ids that differ"))
}

/// How much of the quote was pushed when the cursor died.
fn death(sources: &Arc<Sources>, quote: &str) -> Option<String> {
    let mut cursor = Cursor::new(Arc::clone(sources));
    let mut pushed = String::new();
    for c in quote.chars() {
        pushed.push(c);
        if cursor.push(c.encode_utf8(&mut [0; 4])) == State::Dead {
            return Some(pushed);
        }
    }
    None
}

#[test]
fn dies_at_the_first_character_that_no_source_goes_on_with() {
    let sources = sources(&[
        "The tenant shall pay the rent on the first day of each month. Late rent bears interest at four per cent.",
        "The landlord shall insure the building against fire and flood.",
    ]);
    for (quote, dead) in [
        ("The tenant may withhold rent", "The tenant m"),
        ("“The tenant may withhold rent", "“The tenant m"),
        ("**The tenant** may withhold rent", "**The tenant** m"),
        ("enant shall pay", "en"),
        ("The tenant shall pay the rent on the second day", "The tenant shall pay the rent on the s"),
        ("The tenant shall pay the rent [...] at five per cent", "The tenant shall pay the rent [...] at fi"),
        ("The tenant shall pay the rent … at five per cent", "The tenant shall pay the rent … at fi"),
        ("Late rent bears interest at four per cents", "Late rent bears interest at four per cents"),
        ("zebra", "z"),
    ] {
        assert_eq!(death(&sources, quote).as_deref(), Some(dead), "{quote}");
    }
    for quote in [
        "The tenant shall pay the rent on the first day of each month.",
        "> The tenant shall pay",
        "「The landlord shall insure the building」",
        "The tenant shall pay the rent (...) at four per cent.",
        "[T]he tenant shall pay [sic] the rent ... at four per cent.”",
        "The ténant".get(..4).unwrap(),
        "The tenаnt shall pay the rent",
        "Тhе tenant shall pay the rent",
    ] {
        assert_eq!(death(&sources, quote), None, "{quote}");
    }
}

#[test]
fn marks_and_letters_that_come_later() {
    let sources = sources(&[
        "Die Miete für die Straße ist fällig.",
        "Договор сова ору аренды заключён.",
        "모든 사람은 자유롭다. ガラスの製品",
    ]);
    for quote in [
        "Die Miete fu\u{308}r die Straße ist fa\u{308}llig",
        "Договор coва орy аренды",
        "заключе\u{308}н",
        "\u{1106}\u{1169}\u{1103}\u{1173}\u{11ab} 사람은",
        "カ\u{3099}ラスの製品",
        "ｶﾞﾗｽの製品",
        "F&uuml;r die",
    ] {
        assert!(death(&sources, quote).is_none() || quote.starts_with("F&"), "{quote}");
    }
    assert_eq!(death(&sources, "Die Mie&uuml;te").as_deref(), Some("Die Mie&uuml;"));
}

#[test]
fn ends_and_goes_on() {
    let sources = sources(&["The tenant shall pay the rent. It is due monthly."]);
    let mut cursor = Cursor::new(Arc::clone(&sources));
    assert_eq!(cursor.push("The tenant shall pay the rent."), State::Alive);
    assert_eq!(cursor.finish(&["1"]).class, Class::Verified);
    assert_eq!(cursor.push(" It is due"), State::Alive);
    assert_eq!(cursor.finish(&["1"]).class, Class::Verified);
    assert_eq!(cursor.push(" never"), State::Dead);
    assert_ne!(cursor.finish(&["1"]).class, Class::Verified);
}

/// No prefix of a quote that turns out real is dead; a quote that is dead was not real.
#[test]
fn never_dead_too_early() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let named = std::env::var("CITESIEVE_SHARED").unwrap_or_else(|_| format!("{root}/../shared"));
    let bench = PathBuf::from(named).join("bench");
    if !bench.is_dir() {
        println!("skipped: no shared data");
        return;
    }
    for (set, docs, every) in [
        ("typography", "typography/docs.json", 1),
        ("udhr", "udhr/docs.json", 5),
        ("meaning", "arxiv295/docs.json", 23),
        ("arxiv295", "arxiv295/docs.json", 31),
    ] {
        let docs: BTreeMap<String, String> =
            serde_json::from_str(&std::fs::read_to_string(bench.join(docs)).unwrap()).unwrap();
        let list = docs.into_iter().map(|(id, text)| Source::new(id).text(text)).collect();
        let sources = Arc::new(Sources::new(list).unwrap());
        let (mut real, mut dead) = (0, 0);
        for line in std::fs::read_to_string(bench.join(set).join("cases.jsonl")).unwrap().lines().step_by(every) {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let quote = case["quote"].as_str().unwrap();
            let whole = check(&sources, &[], quote);
            let died = death(&sources, quote);
            if whole.class == Class::Verified {
                real += 1;
                assert_eq!(died, None, "{set}: {quote:?}");
            }
            dead += usize::from(died.is_some());
        }
        println!("{set}: {real} real, {dead} dead");
        assert!(real > 0 && dead > 0);
    }
}
