//! Where a sentence ends.
//!
//! After the sentence rules of Unicode Annex 29 (terminator, closing marks, spaces, then no lower-case letter), with the
//! abbreviations, initials and numbers that those rules get wrong, and with citation markers as part of the sentence
//! that they follow.

use crate::scan::buffer::Buffer;

/// A terminator that may have ended a sentence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ending {
    kind: Terminator,
    space: bool,
    marker: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Terminator {
    /// `.`: may be part of an abbreviation or a number.
    Dot,
    /// A `.` after an abbreviation that a name or number follows.
    Abbreviation,
    /// `!`, `?`, `…` and others that want a space after them.
    Strong,
    /// The full stop of a script that writes no space after it.
    Wide,
}

impl Ending {
    /// The terminator `c` stands at `at`.
    pub(crate) fn new(c: char, at: u64, text: &Buffer) -> Self {
        let kind = match c {
            '.' if is_abbreviation(text.before(at)) => Terminator::Abbreviation,
            '.' | '…' => Terminator::Dot,
            '。' | '．' | '｡' | '！' | '？' => Terminator::Wide,
            _ => Terminator::Strong,
        };
        Ending { kind, space: false, marker: false }
    }

    /// A space follows.
    pub(crate) fn space(&mut self) {
        self.space = true;
    }

    /// A citation marker follows.
    pub(crate) fn marker(&mut self) {
        self.marker = true;
    }

    /// Whether the sentence is over before the character `next`.
    pub(crate) fn ends_before(self, next: char) -> bool {
        match self.kind {
            Terminator::Wide => true,
            Terminator::Abbreviation => false,
            Terminator::Dot | Terminator::Strong if next.is_lowercase() || matches!(next, ',' | ';' | ':') => false,
            Terminator::Dot | Terminator::Strong => self.space || (self.marker && next.is_uppercase()),
        }
    }
}

/// Whether `c` may end a sentence.
pub(crate) fn is_terminator(c: char) -> bool {
    matches!(
        c,
        '.' | '!'
            | '?'
            | '…'
            | '。'
            | '．'
            | '｡'
            | '！'
            | '？'
            | '।'
            | '॥'
            | '؟'
            | '۔'
            | '։'
            | '።'
            | '၊'
            | '။'
            | '។'
            | '៕'
            | '‼'
            | '⁇'
            | '⁈'
            | '⁉'
            | '།'
    )
}

/// Whether `c` may stand between a terminator and the space after the sentence.
pub(crate) fn is_closer(c: char) -> bool {
    matches!(
        c,
        ')' | ']'
            | '}'
            | '"'
            | '\''
            | '”'
            | '’'
            | '»'
            | '›'
            | '“'
            | '」'
            | '』'
            | '）'
            | '】'
            | '》'
            | '*'
            | '_'
            | '~'
    )
}

/// Abbreviations after which a sentence goes on whatever follows, of English, German, French, Spanish, Italian, Portuguese,
/// Dutch and Russian; in lower case and in the order of their bytes.
const ABBREVIATIONS: &[&str] = &[
    "abs", "al", "ann", "app", "approx", "apr", "art", "arts", "aug", "avv", "bd", "blz", "bv", "bzw", "c", "ca",
    "capt", "cf", "ch", "chap", "cl", "col", "d.h", "d.w.z", "dec", "dept", "dott", "dr", "dra", "e.g", "ed", "eds",
    "enz", "eq", "eqs", "est", "evtl", "ex", "excl", "feb", "fig", "figs", "ft", "gen", "ggf", "gov", "hon", "hrsg",
    "i.e", "incl", "ing", "jan", "jul", "jun", "lt", "m", "mar", "max", "messrs", "min", "mlle", "mm", "mme", "mr",
    "mrs", "ms", "mt", "n", "no", "nos", "nov", "nr", "núm", "o.a", "oct", "p", "para", "paras", "pp", "pres", "prof",
    "pág", "págs", "ref", "refs", "reg", "regs", "rep", "resp", "rev", "rn", "rs", "rz", "s", "sec", "secs", "sect",
    "sen", "sep", "sept", "sgt", "sig", "sog", "sr", "sra", "srta", "st", "str", "subsec", "tab", "tit", "u.a", "v",
    "vgl", "viz", "vol", "vols", "vs", "z", "z.b", "éd", "г", "гг", "др", "им", "п", "пп", "рис", "см", "ст", "стр",
    "т.д", "т.е", "т.п", "ул",
];

/// The longest of them, in bytes.
const LONGEST: usize = 6;

/// Whether `before`, which ends where a full stop stands, ends with an abbreviation or an initial.
fn is_abbreviation(before: &str) -> bool {
    let mut from = before.len();
    for (index, c) in before.char_indices().rev().take(16) {
        if c.is_whitespace() || matches!(c, '(' | '[' | '"' | '“' | '‘' | '\'' | '«' | ',' | ';' | '/') {
            break;
        }
        from = index;
    }
    let word = &before[from..];
    let mut chars = word.chars();
    match (chars.next(), chars.next()) {
        // An initial, or the last letter of `U.S.`: but `vitamin C.` ends nothing either.
        (Some(c), None) if c.is_uppercase() => return true,
        (Some(a), Some('.')) if a.is_alphabetic() && word.split('.').all(|part| part.chars().count() == 1) => {
            return true;
        }
        // `No. 5` is in the list; a number in front of a full stop may end a sentence.
        _ => {}
    }
    if word.len() > LONGEST {
        return false;
    }
    if !word.is_ascii() {
        return ABBREVIATIONS.binary_search(&word.to_lowercase().as_str()).is_ok();
    }
    let lower = word.bytes().map(|byte| byte.to_ascii_lowercase());
    ABBREVIATIONS.binary_search_by(|known| known.bytes().cmp(lower.clone())).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(before: &str, terminator: char, after: &str) -> bool {
        let mut text = Buffer::default();
        text.push(before);
        let mut ending = Ending::new(terminator, text.end(), &text);
        for c in after.chars() {
            if c == ' ' {
                ending.space();
            } else if !is_closer(c) {
                return ending.ends_before(c);
            }
        }
        false
    }

    #[test]
    fn abbreviations_can_be_searched() {
        assert!(ABBREVIATIONS.is_sorted());
        assert_eq!(ABBREVIATIONS.iter().map(|known| known.len()).max(), Some(LONGEST));
    }

    #[test]
    fn full_stops_end_sentences_and_abbreviations_do_not() {
        for (before, c, after) in [
            ("Rent is due", '.', " The"),
            ("in May", '.', " 5 tenants"),
            ("Why", '?', " Because"),
            ("he said", '.', "\" Then"),
            ("结束", '。', "下"),
            ("समाप्त", '।', " अब"),
            ("of 2019", '.', " Rent"),
        ] {
            assert!(ends(before, c, after), "{before}{c}{after}");
        }
        for (before, c, after) in [
            ("e.g", '.', " The"),
            ("No", '.', " 5"),
            ("Smith v", '.', " Jones"),
            ("J", '.', " Smith"),
            ("the U.S", '.', " Government"),
            ("3", '.', "14"),
            ("Why", '?', " he asked"),
            ("approx", '.', " Five"),
            ("file", '.', "Txt"),
        ] {
            assert!(!ends(before, c, after), "{before}{c}{after}");
        }
    }
}
