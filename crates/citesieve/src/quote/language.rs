//! Which language is a passage in?

use std::collections::HashMap;
use std::sync::OnceLock;

use super::negation::{LANGUAGES, Language};

/// Letters that no language of the list uses.
const FOREIGN: &[char] = &[
    'ł', 'ą', 'ę', 'ż', 'ź', 'ś', 'ń', 'ć', 'č', 'š', 'ž', 'ř', 'ů', 'ě', 'ť', 'ď', 'ő', 'ű', 'ă', 'ș', 'ț', 'ş', 'ţ',
    'ğ', 'å', 'ø', 'đ', 'ơ', 'ư', 'ħ', 'ġ', 'ċ', 'ŵ', 'ŷ', 'þ', 'ð', 'ā', 'ē', 'ī', 'ū', 'ķ', 'ļ', 'ņ', 'і', 'ї', 'є',
    'ґ', 'ј', 'љ', 'њ', 'ћ', 'ђ', 'џ', 'ў', 'ә', 'ғ', 'қ', 'ң', 'ө', 'ү', 'ұ', 'һ',
];

/// A set of languages of the list, as bits of their positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Languages(u16);

impl Languages {
    /// None of the list.
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The languages in it.
    pub(super) fn iter(self) -> impl Iterator<Item = &'static Language> {
        LANGUAGES.iter().enumerate().filter(move |(at, _)| self.0 >> at & 1 == 1).map(|(_, language)| language)
    }

    /// All of the list.
    pub(super) fn all() -> Self {
        Languages((1 << LANGUAGES.len()) - 1)
    }

    fn only(code: &str) -> Self {
        Languages(LANGUAGES.iter().position(|language| language.code == code).map_or(0, |at| 1 << at))
    }
}

/// For each common word the languages that it is common in.
fn common() -> &'static HashMap<&'static str, u16> {
    static COMMON: OnceLock<HashMap<&'static str, u16>> = OnceLock::new();
    COMMON.get_or_init(|| {
        let mut table = HashMap::new();
        for (at, language) in LANGUAGES.iter().enumerate() {
            for &word in language.common {
                *table.entry(word).or_default() |= 1 << at;
            }
        }
        table
    })
}

/// The languages of the list that a folded passage may be in; empty when it is in none of them.
pub(super) fn languages(folded: &str) -> Languages {
    let (mut kana, mut han, mut letters) = (0, 0, 0);
    for c in folded.chars() {
        match c as u32 {
            0x3041..=0x30ff => kana += 1,
            0x3400..=0x9fff | 0x20000..=0x3ffff => han += 1,
            _ => letters += usize::from(c.is_alphabetic()),
        }
    }
    if kana + han > letters {
        return Languages::only(if kana * 12 >= han { "ja" } else { "zh" });
    }
    let table = common();
    let mut scores = [0usize; LANGUAGES.len()];
    let (mut words, mut foreign) = (0, 0);
    for word in folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        words += 1;
        foreign += usize::from(!word.is_ascii() && word.contains(FOREIGN));
        if let Some(&set) = table.get(word) {
            for (at, score) in scores.iter_mut().enumerate() {
                *score += usize::from(set >> at & 1);
            }
        }
    }
    let best = scores.into_iter().max().unwrap_or(0);
    // A passage of a language holds one of its commonest words in every eight or so, and letters of its alphabet only.
    if best < 2 || best * 8 < words || foreign * 8 > words {
        return Languages::default();
    }
    let near = scores.into_iter().enumerate().filter(|&(_, score)| score * 3 > best * 2);
    Languages(near.fold(0, |set, (at, _)| set | 1 << at))
}
