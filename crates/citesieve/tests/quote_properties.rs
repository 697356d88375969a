//! A quote cut from a source and put through any mix of foldable changes is verified, with the right span; one with any
//! change of a word, digit, sign, unit, operator or of the order is not. Hostile input stays small and quick.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use citesieve::quote::{Class, Cursor, State, check};
use citesieve::{FoldCache, Source, Sources};
use proptest::prelude::*;

/// Words of a source, each with spellings that a typesetter might give it.
const WORDS: &[&[&str]] = &[
    &["the", "The", "THE", "ｔｈｅ", "t\u{200b}he", "**the**", "<b>the</b>"],
    &["tenant's", "tenant’s", "tenantʼs", "Tenant's", "tenant&rsquo;s"],
    &["fee", "FEE", "_fee_", "`fee`", "f\u{ad}ee"],
    &["office", "oﬃce", "of-\nfice", "of\u{ad}fice", "OFFICE"],
    &["well-known", "well‑known", "well-\nknown", "wellknown", "Well-Known", "well\u{2010}known"],
    &["café", "cafe\u{301}", "CAFÉ", "caf&eacute;"],
    &["straße", "STRASSE", "Straße", "strasse"],
    &["loan", "lоan", "loаn", "Loan"],
    &["пункт", "Пункт", "ПУНКТ"],
    &["договор", "дoговор", "Договор"],
    &["α-synuclein", "Α-synuclein", "α‐synuclein"],
    &["−5%", "-5%", "–5%", "-5 %", "−5\u{202f}%"],
    &["€5", "€ 5", "&euro;5"],
    &["10²", "10^2", "10<sup>2</sup>"],
    &["1½", "1 1/2", "1&frac12;"],
    &["41±7", "41 ± 7", "41 +/- 7", "41+/-7"],
    &["≥0.5", ">= 0.5", "≥ 0.5", ">/=0.5"],
    &["3×5", "3 x 5", "3 × 5", "3x5"],
    &["3–7", "3-7", "3—7", "3 – 7"],
    &["1,250.75", "1,250.75"],
    &["20°C", "20 °C", "20℃"],
    &["50m²", "50m2", "50m<sup>2</sup>"],
    &["“net”", "\"net\"", "«net»", "« net »", "‘net’", "„net“", "''net''"],
    &["may", "MAY", "ma\u{2060}y"],
    &["not", "Not", "*not*"],
    &["harmless", "harmleſs", "HARMLESS"],
    &["CO₂", "CO2", "co2"],
    &["(monthly)", "( monthly )", "（monthly）"],
];

/// Spaces, as a typesetter might set them.
const SPACES: &[&str] = &[" ", "  ", "\n", "\u{a0}", " \n ", "\u{2009}", "\r\n", "\u{3000}", "<br>", "&nbsp;"];

fn set(texts: &[&str]) -> Sources {
    let list = texts.iter().enumerate().map(|(at, text)| Source::new((at + 1).to_string()).text(*text)).collect();
    Sources::new(list).unwrap()
}

fn join(words: &[usize], spelling: impl Fn(usize) -> usize, space: impl Fn(usize) -> usize) -> String {
    let mut text = String::new();
    for (at, &word) in words.iter().enumerate() {
        if at > 0 {
            text.push_str(SPACES[space(at) % SPACES.len()]);
        }
        let spellings = WORDS[word];
        text.push_str(spellings[spelling(at) % spellings.len()]);
    }
    text
}

/// Words that may stand side by side in any order without making another number or sign.
fn sentence() -> impl Strategy<Value = Vec<usize>> {
    // Plain words between the others, so that `3–7 −5%` is not one number.
    proptest::collection::vec((0..WORDS.len(), prop::sample::select(vec![0usize, 2, 3, 23, 25])), 4..14)
        .prop_map(|pairs| pairs.into_iter().flat_map(|(any, plain)| [any, plain]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn foldable_changes_are_folded(
        words in sentence(), cut in 0usize..100, spellings in any::<[u8; 32]>(), spaces in any::<[u8; 32]>(), wrap in 0usize..6,
    ) {
        let text = join(&words, |_| 0, |_| 0);
        // At a word boundary, with plain words at both edges.
        let from = (cut % (words.len() / 2)) * 2;
        let from = if from == 0 { 0 } else { from - 1 };
        let quoted = &words[from..];
        let quoted = &quoted[..quoted.len().min(30)];
        let quote = join(quoted, |at| spellings[at] as usize, |at| spaces[at] as usize);
        let quote = match wrap {
            0 => format!("“{quote}”"),
            1 => format!("{quote},"),
            2 => format!("...{quote}…"),
            3 => format!("\"{quote}.\" [3]"),
            4 => format!("「{quote}」"),
            _ => quote,
        };
        let sources = set(&["Nothing of the kind is written here.", &text]);
        let finding = check(&sources, &["2"], &quote);
        prop_assert_eq!(finding.class, Class::Verified, "{:?} in {:?}", quote, text);
        let place = &finding.matches[0];
        prop_assert_eq!(&text[place.span.clone()], place.words.as_str());
        let again = join(quoted, |_| 0, |_| 0);
        let again = again.trim_matches(['“', '”']);
        prop_assert_eq!(place.words.trim_matches(['“', '”']), again);
        let elsewhere = check(&sources, &["1"], &quote);
        prop_assert_eq!(elsewhere.class, Class::Misattributed);
        // While it streams it is never dead.
        let mut cursor = Cursor::new(Arc::new(sources));
        for c in quote.chars().filter(|_| wrap != 3) {
            prop_assert_eq!(cursor.push(c.encode_utf8(&mut [0; 4])), State::Alive, "{:?}", quote);
        }
    }

    #[test]
    fn changes_of_meaning_are_not(words in sentence(), at in 0usize..100, change in 0usize..WORDS.len(), how in 0usize..4) {
        let text = join(&words, |_| 0, |_| 0);
        let mut quoted = words.clone();
        let at = 1 + at % (quoted.len() - 2);
        match how {
            0 => quoted[at] = change,
            1 => { quoted.remove(at); }
            2 => quoted.insert(at, change),
            _ => quoted.swap(at, at - 1),
        }
        let quote = join(&quoted, |_| 0, |_| 0);
        // Some changes change nothing, or make a stretch that stands elsewhere in the text.
        prop_assume!(!text.contains(&quote));
        let sources = set(&[&text]);
        let class = check(&sources, &[], &quote).class;
        prop_assert!(matches!(class, Class::Altered | Class::NotFound), "{:?}: {:?} in {:?}", class, quote, text);
    }

    #[test]
    fn a_changed_character_is_seen(words in sentence(), at in 0usize..1000, with in prop::sample::select("0123456789%‰°$€£<>≤≥=±+^/½²".chars().collect::<Vec<_>>()), insert in any::<bool>()) {
        let text = join(&words, |_| 0, |_| 0);
        let places: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| if insert { *c == ' ' } else { c.is_ascii_digit() || "%±≥€²½".contains(*c) }).collect();
        prop_assume!(!places.is_empty());
        let (at, old) = places[at % places.len()];
        prop_assume!(old != with);
        // `m²` is `m2`.
        prop_assume!(!(text[..at].ends_with('m') && (old, with) == ('²', '2')));
        let mut quote = text.clone();
        if insert {
            quote.insert_str(at, &format!(" {with} "));
        } else {
            quote.replace_range(at..at + old.len_utf8(), &with.to_string());
        }
        let class = check(&set(&[&text]), &[], &quote).class;
        prop_assert!(matches!(class, Class::Altered | Class::NotFound), "{:?}: {:?} in {:?}", class, quote, text);
    }

    #[test]
    fn nothing_panics(source in "(\\PC|[\\[\\].… &<>*_`'\"-]){0,120}", quote in "(\\PC|[\\[\\].… &<>*_`'\"-]){0,120}") {
        let sources = set(&[&source, "The rent is due at once."]);
        let finding = check(&sources, &["1"], &quote);
        prop_assert!((0.0..=1.0).contains(&finding.similarity));
        let whole = check(&sources, &[], &source);
        prop_assert!(matches!(whole.class, Class::Verified | Class::TooShort | Class::NotFound | Class::Altered));
        let mut cursor = Cursor::new(Arc::new(sources));
        for c in source.chars() {
            if cursor.push(c.encode_utf8(&mut [0; 4])) == State::Dead {
                prop_assert_ne!(whole.class, Class::Verified, "{:?}", source);
                break;
            }
        }
    }
}

#[test]
fn hostile_input_is_bounded() {
    let word = "never ".repeat(100_000);
    let marks = format!("e{}", "\u{301}".repeat(300_000));
    let elisions = "the … ".repeat(10_000);
    let brackets = "the [x] ".repeat(10_000);
    let texts =
        [word.as_str(), &marks, &elisions, &"[[[[".repeat(100_000), &"<!--".repeat(100_000), &"&amp".repeat(100_000)];
    let sources = Arc::new(set(&texts));
    let long = "the tenant ".repeat(100_000);
    for quote in [
        long.as_str(),
        &word,
        &word[..60_000],
        &format!("{}x", &word[..60_000]),
        &marks,
        &marks[..60_001],
        &elisions,
        &"never … ".repeat(60),
        &"never never never … ".repeat(60),
        &"never [x] ".repeat(60),
        &brackets,
        &"[[[[".repeat(10_000),
        &"<!--".repeat(10_000),
        &"(((".repeat(10_000),
        &"*_`~".repeat(10_000),
        &"1 ".repeat(30_000),
        &"....".repeat(10_000),
    ] {
        check(&sources, &["1"], quote);
        check(&sources, &[], quote);
        let mut cursor = Cursor::new(Arc::clone(&sources));
        for c in quote.chars().take(100_000) {
            cursor.push(c.encode_utf8(&mut [0; 4]));
        }
    }
}

#[test]
fn sets_share_folded_texts() {
    let cache = Arc::new(FoldCache::new(1 << 20));
    for _ in 0..3 {
        let sources =
            set(&["The rent is due at once.", "The deposit is held in escrow."]).with_cache(Arc::clone(&cache));
        assert_eq!(check(&sources, &[], "deposit is held in escrow").class, Class::Verified);
    }
    assert_eq!(cache.len(), 2);
}

#[test]
fn findings_say_what_happened() {
    use citesieve::quote::{Bracket, Change, Note, Reason};
    let list = vec![
        Source::new("a").text("The buyer, having seen the goods, shall pay within ten days."),
        Source::new("b").text("The seller is not, under any reading, liable for the defects."),
        Source::new("c"),
    ];
    let sources = Sources::new(list).unwrap();
    let elided = check(&sources, &["a"], "[T]he buyer ... shall [promptly] pay within ten days");
    assert_eq!(elided.class, Class::Verified);
    assert_eq!(
        elided.matches[0].notes,
        [
            Note::Bracket { kind: Bracket::Letters, text: "t".into() },
            Note::Elision { words: 4 },
            Note::Bracket { kind: Bracket::Gloss, text: "promptly".into() },
        ]
    );
    let hidden = check(&sources, &["b"], "The seller is ... liable for the defects");
    assert_eq!(hidden.class, Class::Altered);
    assert_eq!(hidden.reason, Some(Reason::HiddenNegation { word: "not".into() }));
    assert!(hidden.nearest.unwrap().words.contains("is not, under any reading, liable"));
    let changed = check(&sources, &["a"], "The buyer, having seen the goods, shall pay within two days.");
    assert_eq!(changed.class, Class::Altered);
    assert!(changed.similarity > 0.8 && changed.similarity < 1.0);
    let nearest = changed.nearest.unwrap();
    assert!(
        nearest.changes.contains(&Change::Source("ten".into()))
            && nearest.changes.contains(&Change::Quote("two".into()))
    );
    assert_eq!(check(&sources, &["c"], "The buyer, having seen the goods").class, Class::Unchecked);
    assert_eq!(check(&sources, &["z"], "The buyer, having seen the goods").class, Class::Misattributed);
    let unknown = check(&sources, &["z"], "Wholly different words are in this one");
    assert_eq!((unknown.class, unknown.reason), (Class::NotFound, Some(Reason::UnknownSource)));
}
