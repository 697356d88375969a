//! Letters that look the same in two alphabets.
//!
//! An extractor or a careless font mixes them inside one word (`lоan` with a Cyrillic `о`). Only a word of several
//! alphabets is touched, and only when all of its letters can be read in one of them: a wholly Greek or Cyrillic word
//! is itself, and so is the `μ` of `μg`.

/// An alphabet that shares letter forms with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    Latin,
    Cyrillic,
    Greek,
    Armenian,
}

/// All of them.
pub(super) const ALL: [Alphabet; 4] = [Alphabet::Latin, Alphabet::Cyrillic, Alphabet::Greek, Alphabet::Armenian];

impl Alphabet {
    /// As a set of one.
    pub(super) fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The alphabet of a letter.
    pub(super) fn of(c: char) -> Option<Alphabet> {
        match c as u32 {
            0x41..=0x5a | 0x61..=0x7a | 0xc0..=0x24f | 0x1e00..=0x1eff => Some(Alphabet::Latin),
            0x370..=0x3ff | 0x1f00..=0x1fff => Some(Alphabet::Greek),
            0x400..=0x52f => Some(Alphabet::Cyrillic),
            0x531..=0x587 => Some(Alphabet::Armenian),
            _ => None,
        }
    }
}

/// Letters with the same form: Latin, Cyrillic, Greek, Armenian; a space where an alphabet has none.
const SAME: &[[char; 4]] = &[
    ['A', 'А', 'Α', ' '],
    ['B', 'В', 'Β', ' '],
    ['C', 'С', ' ', ' '],
    ['E', 'Е', 'Ε', ' '],
    ['H', 'Н', 'Η', ' '],
    ['I', 'І', 'Ι', ' '],
    ['J', 'Ј', 'Ϳ', ' '],
    ['K', 'К', 'Κ', ' '],
    ['M', 'М', 'Μ', ' '],
    ['N', ' ', 'Ν', ' '],
    ['O', 'О', 'Ο', 'Օ'],
    ['P', 'Р', 'Ρ', ' '],
    ['Q', 'Ԛ', ' ', ' '],
    ['S', 'Ѕ', ' ', 'Տ'],
    ['T', 'Т', 'Τ', ' '],
    ['U', ' ', ' ', 'Ս'],
    ['W', 'Ԝ', ' ', ' '],
    ['X', 'Х', 'Χ', ' '],
    ['Y', 'У', 'Υ', ' '],
    ['Z', ' ', 'Ζ', ' '],
    ['L', ' ', ' ', 'Լ'],
    ['a', 'а', ' ', ' '],
    ['c', 'с', ' ', ' '],
    ['d', 'ԁ', ' ', ' '],
    ['e', 'е', ' ', ' '],
    ['g', ' ', ' ', 'ց'],
    ['h', 'һ', ' ', 'հ'],
    ['i', 'і', ' ', ' '],
    ['j', 'ј', 'ϳ', ' '],
    ['l', 'ӏ', ' ', ' '],
    ['n', ' ', ' ', 'ո'],
    ['o', 'о', 'ο', 'օ'],
    ['p', 'р', ' ', ' '],
    ['q', 'ԛ', ' ', 'զ'],
    ['s', 'ѕ', ' ', ' '],
    ['u', ' ', ' ', 'ս'],
    ['v', 'ѵ', 'ν', ' '],
    ['w', 'ԝ', ' ', ' '],
    ['x', 'х', ' ', ' '],
    ['y', 'у', ' ', 'յ'],
    ['Ï', 'Ї', 'Ϊ', ' '],
    ['ï', 'ї', ' ', ' '],
    ['Ë', 'Ё', ' ', ' '],
    ['ë', 'ё', ' ', ' '],
    ['Æ', 'Ӕ', ' ', ' '],
    ['æ', 'ӕ', ' ', ' '],
    ['Ə', 'Ә', ' ', ' '],
    ['ə', 'ә', ' ', ' '],
    ['ó', ' ', 'ό', ' '],
];

/// The letter of another alphabet that has the form of `c`.
pub(super) fn twin(c: char, target: Alphabet) -> Option<char> {
    let from = Alphabet::of(c)?;
    if from == target {
        return Some(c);
    }
    let row = SAME.iter().find(|row| row[from as usize] == c)?;
    Some(row[target as usize]).filter(|&twin| twin != ' ')
}

/// Twins that words of everyday text do not hold: nothing is read as one of these if it can be read otherwise.
const RARE: &[char] = &['һ', 'ѕ', 'ј', 'ԁ', 'ԛ', 'ԝ', 'ӏ', 'ѵ', 'ӕ', 'ә', 'Ѕ', 'Ј', 'Ԛ', 'Ԝ', 'Ӕ', 'Ә', 'ϳ', 'Ϳ'];

/// The alphabet in which all letters of a word can be read; `None` when there is none. With several, the one that most
/// of its letters are written in.
pub(super) fn reading(word: &str) -> Option<Alphabet> {
    let letters = || word.chars().filter(|&c| Alphabet::of(c).is_some());
    ALL.into_iter().filter(|&target| letters().all(|c| twin(c, target).is_some())).max_by_key(|&target| {
        let rare =
            letters().any(|c| Alphabet::of(c) != Some(target) && twin(c, target).is_some_and(|c| RARE.contains(&c)));
        let own = letters().filter(|&c| Alphabet::of(c) == Some(target)).count();
        (!rare, own, target == Alphabet::Latin)
    })
}
