use super::*;

fn folded(text: &str) -> String {
    fold_quote(text).text
}

#[test]
fn folds() {
    for (a, b) in [
        ("The tenant’s deposit", "the tenant's deposit"),
        ("He said “the term ‘net’ is", "He said 'the term \"net\" is"),
        ("de « bonne foi » reste", "de “bonne foi” reste"),
        ("moved by −4.2 points", "moved by -4.2 points"),
        ("fee—payable monthly—is", "fee – payable monthly – is"),
        ("stieg um 5\u{a0}% im", "stieg um 5% im"),
        ("50 m² was", "50 m2 was"),
        ("It is a well-\nknown fact", "It is a wellknown fact"),
        ("41 ± 7 years", "41 +/- 7 years"),
        ("3 x 5 mm", "3×5 mm"),
        ("ratio 3·61 in", "ratio 3.61 in"),
        ("1½ hours", "1 1/2 hours"),
        ("当事者の書面に\nよる合意", "当事者の書面による合意"),
        ("the **Core, a** x", "the Core, a x"),
        ("Smith &amp; Sons &lt;5", "Smith & Sons <5"),
        ("10<sup>2</sup> a", "10² a"),
        ("nha\u{323}\u{302}n quye\u{302}\u{300}n thu\u{31b}\u{300}a", "nhận quyền thừa"),
        ("nhâ\u{323}n", "nhận"),
        ("ｶﾀﾛｸﾞに", "カタログに"),
        ("10⁻² a", "10^-2 a"),
    ] {
        assert_eq!(folded(a), folded(b), "{a} | {b}");
    }
    for (a, b) in [("10²", "102"), ("1½", "11/2"), ("3 5", "3-5"), ("x -5", "x 5"), ("3,5", "35")] {
        assert_ne!(folded(a), folded(b), "{a} | {b}");
    }
}

/// Folds without the fast paths: every character through `step`.
fn slowly(text: &str) -> Folded {
    let mut folder = Folder::new(Reading::Quote);
    let mut at = 0;
    while at < text.len() {
        match folder.step(text, at, true) {
            Some(next) => at = next,
            None => break,
        }
    }
    Folded { text: folder.out, map: folder.map }
}

/// Pieces of text that the fast paths meet or must leave alone.
const PIECES: &[&str] = &[
    "a",
    "The",
    "x",
    "X",
    "3",
    "12",
    " ",
    "  ",
    "\n",
    ".",
    ",",
    "-",
    "–",
    "—",
    "'",
    "’",
    "\"",
    "(",
    ")",
    "%",
    "$",
    "²",
    "½",
    "é",
    "e\u{301}",
    "б",
    "Я",
    "ё",
    "о",
    "人",
    "第",
    "か\u{3099}",
    "。",
    "，",
    "*",
    "**",
    "_",
    "`",
    "&amp;",
    "&lt",
    "<b>",
    "<br>",
    "[",
    "](http://a)",
    "…",
    "...",
    ":",
    ";",
    "?",
    "!",
    "+/-",
    ">=",
    "->",
    "\u{ad}",
    "\u{200b}",
    "~",
    "|",
    "#",
    ">",
    "º",
    "·",
    "×",
    "<sup>",
    "/",
    "α",
    "\\",
    "ﬁ",
];

proptest::proptest! {
    #[test]
    fn fast_paths_change_nothing(picks in proptest::collection::vec(0..PIECES.len(), 0..40)) {
        let text: String = picks.iter().map(|&at| PIECES[at]).collect();
        let (fast, slow) = (fold_quote(&text), slowly(&text));
        proptest::prop_assert_eq!(&fast.text, &slow.text, "{:?}", text);
        for (at, c) in fast.text.char_indices() {
            proptest::prop_assert_eq!(fast.map.start(at), slow.map.start(at), "{:?} at {}", text, at);
            let end = at + c.len_utf8();
            proptest::prop_assert_eq!(fast.map.end(end), slow.map.end(end), "{:?} at {}", text, end);
        }
    }

    #[test]
    fn cuts_change_nothing(picks in proptest::collection::vec(0..PIECES.len(), 0..40)) {
        let text: String = picks.iter().map(|&at| PIECES[at]).collect();
        let whole = fold_quote(&text).text;
        let mut folder = Folder::new(Reading::Quote);
        let mut read = 0;
        for (at, c) in text.char_indices() {
            read = folder.push(&text[..at + c.len_utf8()], read, false);
        }
        folder.push(&text, read, true);
        proptest::prop_assert_eq!(folder.out, whole, "{:?}", text);
    }

    #[test]
    fn the_map_stays_in_the_text(text in ".{0,200}") {
        let folded = fold_quote(&text);
        let mut last = 0;
        for (at, c) in folded.text.char_indices() {
            let (start, end) = (folded.map.start(at), folded.map.end(at + c.len_utf8()));
            proptest::prop_assert!(start <= end && start >= last && text.get(start..end).is_some(), "{:?} at {}", text, at);
            last = start;
        }
    }
}
