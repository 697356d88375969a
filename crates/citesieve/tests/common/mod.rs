//! What the integration tests of the core share: cases, sources, runs, hostile text.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(dead_code, reason = "each test binary uses its own part of this module")]

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use citesieve::{Edit, Policy, Reason, Sieve, Source, Sources, TextSieve, Verdict};
use proptest::prelude::*;
use serde::Deserialize;

/// The lead of a possible marker (spaces, opening parentheses and emphasis) may be held beyond the policy's bound.
pub(crate) const SLACK: usize = 80;

/// One line of `tests/cases/*.jsonl`.
#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) sources: Option<Vec<Source>>,
    pub(crate) input: String,
    pub(crate) output: String,
}

/// Every case, with its sources.
pub(crate) fn cases() -> Vec<(Case, Arc<Sources>)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let mut cases = Vec::new();
    for name in ["stream.jsonl", "stream-more.jsonl"] {
        let text = std::fs::read_to_string(dir.join(name)).unwrap();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let mut case: Case = serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}: {line}"));
            let sources = match case.sources.take() {
                Some(list) => Sources::new(list).unwrap(),
                None => Sources::unknown(),
            };
            cases.push((case, Arc::new(sources)));
        }
    }
    cases
}

/// The third-party data, if it is there.
pub(crate) fn shared() -> Option<PathBuf> {
    let dir = match std::env::var_os("CITESIEVE_SHARED") {
        Some(dir) => PathBuf::from(dir),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    if dir.is_dir() {
        return Some(dir);
    }
    println!("skipped: no shared data");
    None
}

/// The text of every recording: all its JSON strings, one after the other.
pub(crate) fn recordings() -> Vec<(String, String)> {
    let Some(dir) = shared() else { return Vec::new() };
    let mut texts = Vec::new();
    for api in std::fs::read_dir(dir.join("recordings")).unwrap() {
        let api = api.unwrap().path();
        if !api.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(api).unwrap() {
            let file = file.unwrap().path();
            if !matches!(file.extension().and_then(|e| e.to_str()), Some("sse" | "ndjson")) {
                continue;
            }
            let raw = std::fs::read_to_string(&file).unwrap();
            let mut text = String::new();
            for line in raw.lines() {
                let json = line.strip_prefix("data:").unwrap_or(line);
                if let Ok(value) = serde_json::from_str(json) {
                    strings(&value, &mut text);
                }
            }
            texts.push((file.display().to_string(), text));
        }
    }
    texts
}

fn strings(value: &serde_json::Value, out: &mut String) {
    match value {
        serde_json::Value::String(text) => out.push_str(text),
        serde_json::Value::Array(list) => list.iter().for_each(|value| strings(value, out)),
        serde_json::Value::Object(map) => map.values().for_each(|value| strings(value, out)),
        _ => {}
    }
}

/// Sources known by these ids only.
pub(crate) fn ids<S: ToString>(ids: impl IntoIterator<Item = S>) -> Arc<Sources> {
    Arc::new(Sources::new(ids.into_iter().map(|id| Source::new(id.to_string())).collect()).unwrap())
}

pub(crate) const LEASE: &str =
    "The tenant shall pay the rent on the first day of each month. Late rent bears interest at four per cent.";
pub(crate) const FIRE: &str = "The landlord shall insure the building against fire and flood.";

/// The kinds of source sets there are.
pub(crate) static SOURCES: LazyLock<Vec<Arc<Sources>>> = LazyLock::new(|| {
    let texts = vec![
        Source::new("1").text(LEASE),
        Source::new("2").text(FIRE),
        Source::new("2").text("色不異空，空不異色。房租应于每月一日支付。"),
        Source::new("4").text("Plain words a b, one two. [9] and x."),
    ];
    let mut some = texts.clone();
    some.push(Source::new("5"));
    vec![
        ids(1..=5),
        Arc::new(Sources::new(texts).unwrap()),
        Arc::new(Sources::new(some).unwrap()),
        ids(["0", "2", "lease-a", "doc7"]),
        ids([2019, 45]),
        Arc::new(Sources::new(Vec::new()).unwrap()),
    ]
});

/// A policy that holds at most so many characters.
pub(crate) fn policy(max_hold: usize) -> Arc<Policy> {
    let mut policy = Policy::default();
    policy.max_hold = max_hold;
    Arc::new(policy)
}

/// Runs a [`TextSieve`] over the pieces.
pub(crate) fn run<'a>(
    policy: &Arc<Policy>,
    sources: &Arc<Sources>,
    pieces: impl IntoIterator<Item = &'a str>,
) -> (String, Verdict) {
    let mut sieve = TextSieve::new(Arc::clone(policy), Arc::clone(sources));
    let mut out = String::new();
    for piece in pieces {
        out.push_str(sieve.push(piece));
    }
    let (rest, verdict) = sieve.finish();
    (out + &rest, verdict)
}

/// Runs a [`Sieve`] over the pieces and checks what it promises on the way: the watermark never goes back, edits come
/// in order, never overlap, stand on character borders, never reach beyond the watermark or behind the one before.
pub(crate) fn run_edits<'a>(
    policy: &Arc<Policy>,
    sources: &Arc<Sources>,
    pieces: impl IntoIterator<Item = &'a str>,
) -> (Vec<Edit>, Verdict) {
    let mut sieve = Sieve::new(Arc::clone(policy), Arc::clone(sources));
    let mut input = String::new();
    let mut edits: Vec<Edit> = Vec::new();
    let mut to = 0;
    for piece in pieces {
        input.push_str(piece);
        let decided = sieve.push(piece);
        assert!(decided.to >= to, "the watermark went back from {to} to {}", decided.to);
        assert!(decided.to <= input.len() as u64, "the watermark is beyond the input");
        assert!(input.is_char_boundary(decided.to as usize), "the watermark stands inside a character");
        for edit in decided.edits {
            check_edit(edit, &edits, to, decided.to, &input);
            edits.push(edit.clone());
        }
        to = decided.to;
        assert_eq!(sieve.held(), input.len() - to as usize);
        let held = input[to as usize..].chars().count();
        assert!(held <= policy.max_hold.max(SLACK), "{held} characters are held at {input:?}");
    }
    let (rest, verdict) = sieve.finish();
    for edit in rest {
        check_edit(&edit, &edits, to, input.len() as u64, &input);
        edits.push(edit);
    }
    (edits, verdict)
}

fn check_edit(edit: &Edit, earlier: &[Edit], from: u64, to: u64, input: &str) {
    let (start, end) = (edit.at.start as usize, edit.at.end as usize);
    assert!(start <= end && input.is_char_boundary(start) && input.is_char_boundary(end), "{edit:?}");
    assert!(edit.at.start >= from && edit.at.end <= to, "{edit:?} stands outside {from}..{to}");
    assert!(earlier.last().is_none_or(|last| last.at.end <= edit.at.start), "{edit:?} after {earlier:?}");
    let removed = &input[start..end];
    match edit.why {
        Reason::FabricatedBlockQuote => assert!(matches!(removed, ">" | "> "), "{edit:?} removes {removed:?}"),
        Reason::FabricatedMarker | Reason::FabricatedIds => {
            assert!(is_trimming(removed), "{edit:?} removes {removed:?}");
            assert!(edit.with.chars().all(|c| c.is_ascii_digit() || " ,-–—".contains(c)), "{edit:?}");
        }
        #[allow(unreachable_patterns, reason = "other reasons come with other features")]
        _ => {}
    }
}

/// Whether a text is nothing but markers and what goes with them.
fn is_trimming(text: &str) -> bool {
    let mut tags = text.to_lowercase();
    for tag in ["sources", "source", "citations", "citation", "documents", "document", "references", "reference"] {
        tags = tags.replace(tag, "");
    }
    for tag in ["docs", "doc", "cite", "refs", "ref", "id"] {
        tags = tags.replace(tag, "");
    }
    tags.chars()
        .all(|c| c.is_ascii_digit() || (c.is_whitespace() && c != '\n') || "[](（)）*_~,;，；、:#.-–—‐‑‒―−".contains(c))
}

/// Applies edits to the text that they were made for.
pub(crate) fn apply(input: &str, edits: &[Edit]) -> String {
    let mut out = String::new();
    let mut from = 0;
    for edit in edits {
        out.push_str(&input[from..edit.at.start as usize]);
        out.push_str(&edit.with);
        from = edit.at.end as usize;
    }
    out + &input[from..]
}

/// The text cut at these bytes (taken modulo its length, moved to character borders).
pub(crate) fn cut<'a>(text: &'a str, cuts: &[usize]) -> Vec<&'a str> {
    let mut at: Vec<usize> = cuts
        .iter()
        .map(|cut| {
            let mut at = cut % (text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        })
        .collect();
    at.push(text.len());
    at.sort_unstable();
    let mut from = 0;
    at.into_iter().map(|at| &text[std::mem::replace(&mut from, at)..at]).collect()
}

/// The text one character at a time.
pub(crate) fn characters(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|_: char| true)
}

/// The text in pieces of so many characters.
pub(crate) fn pieces(text: &str, size: usize) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let at = rest.char_indices().nth(size).map_or(rest.len(), |(at, _)| at);
        out.push(&rest[..at]);
        rest = &rest[at..];
    }
    out
}

/// What hostile text is made of.
pub(crate) const ATOMS: &[&str] = &[
    "[",
    "]",
    "[[",
    "]]",
    "[9]",
    "[1]",
    "[2]",
    "[7]",
    "[0]",
    "[02]",
    "[2, 7]",
    "[7,2]",
    "[1;9]",
    "[1-3]",
    "[4–7]",
    "[8-9]",
    "[9-8]",
    "[1,3-9,12]",
    "[99999999999999999999]",
    "[1-99999999999999999999]",
    "[[2]]",
    "[[9]]",
    "[ 7 ]",
    "[7",
    "7]",
    "[Source 1]",
    "[Source 9]",
    "[source 1, 9]",
    "[citation:9]",
    "[citation:2]",
    "[doc 9]",
    "[doc7]",
    "[ref 9]",
    "[ref_9]",
    "[ID:9]",
    "[ID 9]",
    "[Source",
    "[citation:",
    "[^9]",
    "[^9]: ",
    "【9】",
    "［9］",
    "(9)",
    "[lease-a]",
    "[2019]",
    "[2019-2021]",
    "[0,1]",
    "interval ",
    "∈ ",
    "at [45]",
    "para ",
    "arr[9]",
    "dp[i][9]",
    "row_x[7]",
    "x[9] = ",
    "= ",
    "[9](",
    "[9](u)",
    "[9][a]",
    "[a][9]",
    "![9](i)",
    "[9]: ",
    "[9]: u\n",
    "[x](",
    "[x](a[9])",
    "(https://a.example/b)",
    "https://a.example/[9]",
    "www.b.example/x",
    "<a href=\"[9]\">",
    "<a ",
    "</b>",
    "<b>",
    "<!--",
    "-->",
    "<https://x.example/[9]>",
    "<",
    ">",
    "`",
    "``",
    "```",
    "~~~",
    "`a[9]`",
    "$",
    "$$",
    "$5",
    "$x$",
    "\\(",
    "\\)",
    "\\[",
    "\\]",
    "\\",
    "\\`",
    "\\$",
    "*",
    "**",
    "_",
    "__",
    "~~",
    "**[9]**",
    "*[9]*",
    "(",
    ")",
    "([9])",
    "（",
    "）",
    "（[9]）",
    "|",
    "| ",
    "|---|",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    " ",
    "  ",
    "    ",
    "\u{a0}",
    "\u{3000}",
    "- ",
    "* ",
    "1. ",
    "2) ",
    "+ ",
    "# ",
    "### ",
    "> ",
    "> ",
    ">",
    ">> ",
    "> > ",
    "\n> ",
    "\n> ",
    "\n- ",
    "\n> - ",
    "\n>\n",
    "> [!NOTE]\n",
    "\n> — ",
    "---\n",
    "===\n",
    "- [ ] ",
    "- [x] ",
    "\n```\n",
    "\n    ",
    "\n> ```\n",
    "\n$$\n",
    ",",
    ", ",
    "; ",
    ".",
    ". ",
    ":",
    "!",
    "?",
    "…",
    "...",
    "[...]",
    "[…]",
    "\"",
    "“",
    "”",
    "‘",
    "’",
    "«",
    "»",
    "「",
    "」",
    "—",
    "–",
    "-",
    "word",
    "The tenant shall pay the rent",
    " on the first day",
    "against fire and flood",
    "Plain words",
    "a",
    "b",
    "7",
    "9",
    "é",
    "e\u{301}",
    "结论",
    "。",
    "，",
    "色不異空",
    "หนังสือ",
    "한국어",
    "שלום",
    "مرحبا",
    "👩\u{200d}👩\u{200d}👧",
    "😀",
    "\u{200b}",
    "\u{ad}",
    "\u{feff}",
    "\u{202e}",
    "\u{ea}",
    "ß",
    "ﬁ",
    "\u{0}",
];

/// Markdown-ish text made of atoms that get into each other's way.
pub(crate) fn hostile(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(ATOMS), 0..most).prop_map(|atoms| atoms.concat())
}

/// How much may be held: very little, or what is usual.
pub(crate) fn holds() -> impl Strategy<Value = usize> {
    prop::sample::select(&[8, 13, 32, 64, 200, 16_384][..])
}

/// One of the kinds of source sets.
pub(crate) fn source_sets() -> impl Strategy<Value = Arc<Sources>> {
    (0..SOURCES.len()).prop_map(|index| Arc::clone(&SOURCES[index]))
}

/// How many times as many cases as usual are to be tried (environment variable `CITESIEVE_CASES`).
pub(crate) fn scale() -> u32 {
    std::env::var("CITESIEVE_CASES").ok().and_then(|scale| scale.parse().ok()).unwrap_or(1)
}
