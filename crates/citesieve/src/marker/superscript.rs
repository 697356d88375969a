//! `²`, `²⁻⁴`, `²,³` (markers one after the other) and `<sup>2</sup>`, `<sup>[2]</sup>`.
//!
//! A superscript is an exponent where it stands on a number, on a variable, on a unit (`km²`) or on the name of a
//! function, or where a sign follows it (`Ca²⁺`).

use super::guard::{Context, Guard};
use super::{Reading, Step, Syntax};

#[derive(Debug)]
pub(crate) struct Superscript;

/// The superscript digits, by value.
pub(crate) const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

const OPENERS: &[char] = &['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹', '<'];

/// Phases: in the digits, after the dash of a range; then those of the tag.
const FIGURES: u8 = 1;
const DASH: u8 = 2;
const NAME: u8 = 3;
const LIST: u8 = 4;
const CLOSER: u8 = 5;

const OPEN_TAG: &str = "<sup>";
const CLOSE_TAG: &str = "</sup>";

/// Units that are squared or cubed, in lower case.
const UNITS: &str = "mm cm dm km µm μm nm pm ft foot feet in inch inches yd yard yards mi mile miles meter meters metre metres \
    kilometer kilometers kilometre kilometres sec ms hz kg mg mol rad px mc м мм см дм км";
/// Functions whose power is written on their name.
const FUNCTIONS: &str = "sin cos tan cot sec csc sinh cosh tanh log ln lg";

impl Syntax for Superscript {
    fn openers(&self) -> &'static [char] {
        OPENERS
    }

    fn guard(&self, context: &Context<'_>) -> Option<Guard> {
        let before = context.text.before(context.start);
        let exponent = match before.chars().next_back() {
            Some(c) if c.is_alphabetic() => {
                let word = last_letters(before).to_lowercase();
                let small = context.elements.iter().all(|element| element.high <= 6);
                word.chars().nth(1).is_none() && !crate::scan::is_spaceless(c)
                    || (small && has(UNITS, &word))
                    || has(FUNCTIONS, &word)
            }
            Some(')') => is_term(before),
            Some(c) => c.is_numeric() || matches!(c, ']' | '}' | '|' | '⁺' | '⁻' | 'ⁿ' | '_' | '^'),
            None => false,
        };
        exponent.then_some(Guard::Subscript)
    }

    fn step(&self, reading: &mut Reading, c: char, at: u64) -> Step {
        let width = c.len_utf8() as u64;
        let figure = DIGITS.iter().zip('0'..='9').find_map(|(digit, plain)| (*digit == c).then_some(plain));
        match (reading.phase, figure) {
            (0, None) => {
                reading.phase = NAME;
                reading.part = 1;
                Step::Open
            }
            (0 | FIGURES | DASH, Some(plain)) => {
                reading.phase = FIGURES;
                reading.list.step_as(plain, width, at);
                reading.from = at + width;
                Step::Open
            }
            (FIGURES, None) => match c {
                // `Ca²⁺`, `10⁻⁹ⁿ`.
                '⁺' | 'ⁿ' | 'ⁱ' => Step::Dead,
                '⁻' if reading.list.in_number() => {
                    reading.phase = DASH;
                    reading.list.step_as('-', width, at)
                }
                _ if reading.list.is_complete() => Step::Ended(reading.from),
                _ => Step::Dead,
            },
            (NAME, _) => self.letter(reading, c, OPEN_TAG, LIST),
            (LIST, _) => match (c, reading.tag.as_str()) {
                ('[', "") if reading.list.elements.is_empty() => {
                    reading.tag.push('[');
                    Step::Open
                }
                (']', "[") if reading.list.is_complete() => {
                    reading.tag.push(']');
                    Step::Open
                }
                ('<', "" | "[]") if reading.list.is_complete() => {
                    reading.phase = CLOSER;
                    reading.part = 1;
                    Step::Open
                }
                (_, "[]") => Step::Dead,
                _ => reading.list.step(c, at),
            },
            (CLOSER, _) => self.letter(reading, c, CLOSE_TAG, CLOSER),
            _ => Step::Dead,
        }
    }
}

impl Superscript {
    /// The next letter of a tag; after its last one comes the phase `then`.
    fn letter(&self, reading: &mut Reading, c: char, tag: &str, then: u8) -> Step {
        let expected = tag.as_bytes()[usize::from(reading.part)];
        if !c.is_ascii() || c.to_ascii_lowercase() as u8 != expected {
            return Step::Dead;
        }
        reading.part += 1;
        if usize::from(reading.part) == tag.len() {
            if then == CLOSER {
                return Step::Done;
            }
            reading.phase = then;
        }
        Step::Open
    }
}

/// The letters that `text` ends with (at most twelve of them).
fn last_letters(text: &str) -> &str {
    let letters = text.char_indices().rev().take(12).take_while(|(_, c)| c.is_alphabetic());
    letters.last().map_or("", |(start, _)| &text[start..])
}

/// Whether the parentheses that `text` ends with hold a term, not words: `(a + b)`, `(x)`.
fn is_term(text: &str) -> bool {
    let from = text.char_indices().rev().take(64).find(|(_, c)| *c == '(').map(|(start, _)| start);
    let Some(from) = from else { return false };
    let inner = text[from..].trim_matches(['(', ')']);
    let words = inner.split(|c: char| !c.is_alphabetic()).any(|word| word.chars().nth(3).is_some());
    !words || inner.contains(['+', '=', '*', '/', '^', '−', '·'])
}

fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|other| other == word)
}
