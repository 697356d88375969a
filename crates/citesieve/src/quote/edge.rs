//! Whole words and numbers: may a match start or end here?
//!
//! `5%` is not in `25%`, `able to` not in `unable to`, `binding` not in `non-binding`, `3人` not in `13人`. Numbers are
//! atoms: sign, digits, separators, decimals, percent, exponent, fraction and currency belong together.

use crate::source::fold::{Class, Folded};

/// Characters that write numbers in Chinese and Japanese.
fn is_han_numeral(c: char) -> bool {
    matches!(
        c,
        '〇' | '零'
            | '一'
            | '二'
            | '三'
            | '四'
            | '五'
            | '六'
            | '七'
            | '八'
            | '九'
            | '十'
            | '百'
            | '千'
            | '万'
            | '萬'
            | '亿'
            | '億'
            | '兆'
            | '两'
            | '兩'
            | '廿'
            | '卅'
            | '壹'
            | '贰'
            | '貳'
            | '叁'
            | '參'
            | '肆'
            | '伍'
            | '陆'
            | '陸'
            | '柒'
            | '捌'
            | '玖'
            | '拾'
            | '佰'
            | '仟'
    )
}

fn is_numeral(c: char) -> bool {
    is_han_numeral(c) || Class::of(c) == Class::Digit
}

/// What stands on both sides of a place in a folded text.
struct Place<'a> {
    before: &'a str,
    after: &'a str,
    left: char,
    right: char,
    /// White space stands here in the original, and no line break.
    spaced: bool,
    /// Nothing stands here in the original.
    glued: bool,
}

impl<'a> Place<'a> {
    fn new(text: &'a Folded, original: &str, at: usize) -> Option<Self> {
        let (before, after) = text.text.split_at(at);
        let (left, right) = (before.chars().next_back()?, after.chars().next()?);
        let between = original.get(text.map.end(at)..text.map.start(at)).unwrap_or_default();
        let spaced = between.contains([' ', '\t', '\u{a0}']) && !between.contains(['\n', '\r']);
        Some(Place { before, after, left, right, spaced, glued: between.is_empty() })
    }
}

/// Whether a match may start at `at`.
pub(super) fn left(text: &Folded, original: &str, at: usize) -> bool {
    Place::new(text, original, at).is_none_or(|place| opens(&place) && separates(&place))
}

/// Whether a match may end at `at`.
pub(super) fn right(text: &Folded, original: &str, at: usize) -> bool {
    Place::new(text, original, at).is_none_or(|place| closes(&place) && separates(&place))
}

/// What must not be torn apart on either side of a match.
fn separates(place: &Place<'_>) -> bool {
    let &Place { before, after, left, right, spaced, .. } = place;
    if unicode_normalization::char::is_combining_mark(right) && right > '\u{7f}' {
        return false;
    }
    let (l, r) = (Class::of(left), Class::of(right));
    match (l, r) {
        _ if left == ' ' || right == ' ' => !splits_number(before.trim_end_matches(' '), after.trim_start_matches(' ')),
        (Class::Letter | Class::Digit, Class::Letter | Class::Digit) => {
            // `pre- and post-war`: the hyphen hangs, the words are two.
            spaced || elided_article(before, after)
        }
        (Class::Letter | Class::Digit, _) if right == '\'' => false,
        (_, Class::Digit) if left == '\'' => false,
        (_, Class::Letter) if left == '\'' => elided_article(before, after),
        (Class::Spaceless | Class::Digit, Class::Spaceless | Class::Digit) => {
            !(is_numeral(left) && is_numeral(right) || left == '第' && is_numeral(right) || torn_han(before, after))
        }
        (Class::Digit, Class::Percent) => false,
        (Class::Currency, Class::Digit) => false,
        (Class::Digit, Class::Currency) => second(after).is_some_and(|c| Class::of(c) == Class::Digit),
        _ if left == '^' || right == '^' || left == '_' && r.is_word() || right == '_' && l.is_word() => false,
        _ if left == '-' => !r.is_word() && r != Class::Currency,
        _ if right == '-' => !l.is_word(),
        (Class::Digit, _) if matches!(right, '.' | ',' | ':') => {
            !second(after).is_some_and(|c| Class::of(c) == Class::Digit)
        }
        (_, Class::Digit) if matches!(left, '.' | ',' | ':') => {
            // `.5`, `0.5`, but not `end.5`.
            match before.chars().rev().nth(1) {
                Some(c) if c == ' ' || Class::of(c) == Class::Open => left != '.',
                Some(c) => Class::of(c) != Class::Digit,
                None => left != '.',
            }
        }
        (Class::Digit, _) if matches!(right, '×' | '÷') => false,
        (_, Class::Digit) if matches!(left, '×' | '÷') => false,
        _ => true,
    }
}

/// A sign before a number belongs to it.
fn opens(place: &Place<'_>) -> bool {
    let &Place { before, left, right, glued, .. } = place;
    let r = Class::of(right);
    let value = matches!(r, Class::Digit | Class::Currency);
    if value && matches!(left, '<' | '>' | '≤' | '≥' | '±' | '+' | '~' | '≈' | '≠' | '∼' | '≲' | '≳' | '∓')
    {
        return false;
    }
    if matches!(left, '/' | '@' | '&') && r.is_word() {
        let word = before.chars().rev().nth(1).is_some_and(|c| Class::of(c).is_word());
        return !(glued && word);
    }
    true
}

/// What stands after a word or number and belongs to it.
fn closes(place: &Place<'_>) -> bool {
    let &Place { after, left, right, glued, .. } = place;
    let l = Class::of(left);
    if matches!(right, '/' | '@' | '&') && l.is_word() {
        return !(glued && second(after).is_some_and(|c| Class::of(c).is_word()));
    }
    if matches!(right, '+' | '#' | '±' | '~') && l.is_word() {
        return !glued;
    }
    true
}

fn second(text: &str) -> Option<char> {
    text.chars().nth(1)
}

/// `1 200` and `1 1/2` are one number.
fn splits_number(before: &str, after: &str) -> bool {
    let left = before.bytes().rev().take_while(u8::is_ascii_digit).take(4).count();
    let right = after.bytes().take_while(u8::is_ascii_digit).take(4).count();
    if left == 0 || left > 3 || right == 0 {
        return false;
    }
    // `0.5 200`, `x1 200`: what stands before the space is no group of thousands.
    let rest = &after[right..];
    right == 3 || right < 3 && rest.starts_with('/') && rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
}

/// `百分之五`, `三点五`, `负五`.
fn torn_han(before: &str, after: &str) -> bool {
    let numeral = |c: Option<char>| c.is_some_and(is_numeral);
    let ends = |what: &str| before.ends_with(what) && numeral(after.chars().next());
    ends("分之")
        || ends("负")
        || ends("負")
        || numeral(before.chars().next_back()) && after.starts_with("分之")
        || numeral(before.chars().next_back()) && after.starts_with(['点', '點']) && numeral(second(after))
        || before.ends_with(['点', '點']) && numeral(after.chars().next()) && numeral(before.chars().rev().nth(1))
}

/// Articles and prepositions that French, Italian and Catalan join to the next word with an apostrophe: a quote may
/// start after them. `n'` is not among them: it negates.
const ELIDED: &[&str] = &[
    "l", "d", "j", "m", "t", "s", "c", "qu", "lorsqu", "puisqu", "jusqu", "quoiqu", "aujourd", "dell", "all", "dall",
    "nell", "sull", "coll", "un", "quell", "quest", "bell", "sant", "cent", "anch", "dov", "com", "cos", "gl",
];

fn elided_article(before: &str, after: &str) -> bool {
    let Some(word) = before.strip_suffix('\'') else { return false };
    let start = word
        .rfind(|c: char| !c.is_alphanumeric())
        .map_or(0, |at| at + word[at..].chars().next().map_or(1, char::len_utf8));
    // `it's`, `don't`: what follows the apostrophe is no word.
    let next = after.find(|c: char| !c.is_alphanumeric()).map_or(after, |end| &after[..end]);
    ELIDED.contains(&&word[start..]) && !matches!(next, "s" | "t" | "re" | "ve" | "ll" | "d" | "m")
}
