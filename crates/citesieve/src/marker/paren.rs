//! `(2)`, `(2, 7)`, `(1-3)`: parentheses.
//!
//! Parentheses hold many other numbers. What is glued to a word is a call or a subsection, what opens a line or
//! follows a colon or a comma is an enumeration, what follows a number or a word such as `equation` is neither.

use super::guard::{self, Context, Guard};
use super::{Reading, Step, Syntax};
use crate::scan::{is_space, is_spaceless};

#[derive(Debug)]
pub(crate) struct Paren;

/// What a number in parentheses after such a word counts or names, in lower case.
const NAMED: &str = "article articles art section sections sec subsection clause clauses paragraph paragraphs para paras chapter \
    part rule step steps item items option options equation equations eq eqs figure fig table page pages line \
    lines number no point points phase stage level class category group type version exhibit appendix schedule § \
    §§ absatz abs satz nr gleichung abbildung tabelle";
/// Numbers written out, whose figure follows: `thirty (30) days`.
const WRITTEN: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million \
    dozen first second third fourth fifth";
/// What stands before an item of an enumeration inside a sentence.
const LISTING: &str = "and or either both whether und oder et ou y o и или";

impl Syntax for Paren {
    fn openers(&self) -> &'static [char] {
        &['(', '（']
    }

    fn guard(&self, context: &Context<'_>) -> Option<Guard> {
        if context.follows {
            return guard::look(context);
        }
        if context.lead.before.is_none() {
            return Some(Guard::Label);
        }
        let before = guard::line_before(context.text, context.lead.wraps_at);
        let glued = before.chars().next_back().filter(|c| !is_space(*c));
        if glued.is_some_and(|c| (c.is_alphanumeric() || matches!(c, '_' | ')' | ']')) && !is_spaceless(c)) {
            return Some(Guard::Subscript);
        }
        let word = guard::last_word(before).trim_matches(|c: char| !c.is_alphanumeric() && c != '§').to_lowercase();
        let last = word.rsplit('-').next().unwrap_or(&word);
        let ends = before.trim_end_matches(is_space).chars().next_back();
        if matches!(ends, Some(':' | '：' | ',' | ';' | '，' | '；' | '、' | '=' | '+' | '*' | '/' | '^'))
            || has(LISTING, &word)
            || has(NAMED, &word)
            || has(WRITTEN, last)
            || ends.is_some_and(|c| c.is_numeric() || matches!(c, '%' | '€' | '$' | '£'))
        {
            return Some(Guard::Value);
        }
        guard::look(context)
    }

    fn step(&self, reading: &mut Reading, c: char, at: u64) -> Step {
        match (reading.phase, c) {
            (0, _) => {
                reading.phase = if c == '(' { 1 } else { 2 };
                Step::Open
            }
            (1, ')') | (2, '）') if reading.list.is_complete() => Step::Done,
            _ => reading.list.step(c, at),
        }
    }
}

fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|other| other == word)
}
