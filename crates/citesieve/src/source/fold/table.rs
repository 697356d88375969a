//! What a character of the basic plane is, looked up: worked out for 256 of them at a time, when the first is met.

use std::sync::OnceLock;

use super::class::{self, Class};
use super::compat;
use super::lookalike::Alphabet;

/// For characters that fold to themselves and that no rule treats in its own way: their class.
pub(super) fn plain(c: char) -> Option<Class> {
    static BLOCKS: [OnceLock<Box<[Option<Class>]>>; 256] = [const { OnceLock::new() }; 256];
    let code = c as u32;
    let block = BLOCKS.get(code as usize >> 8)?;
    let block = block
        .get_or_init(|| (code & 0xff00..=code | 0xff).map(|code| char::from_u32(code).and_then(work_out)).collect());
    block[code as usize & 0xff]
}

fn work_out(c: char) -> Option<Class> {
    if c.is_ascii()
        || class::is_space(c)
        || class::is_ignorable(c)
        || class::dash(c).is_some()
        || class::quote(c).is_some()
        || Alphabet::of(c).is_some()
        || compat::joins_previous(c)
        || matches!(
            c,
            '×' | '·'
                | 'º'
                | '•'
                | '◦'
                | '▪'
                | '■'
                | '●'
                | '‣'
                | '\u{f0b7}'
                | '\u{ff9e}'
                | '\u{ff9f}'
                | '\u{309b}'
                | '\u{309c}'
        )
    {
        return None;
    }
    let mut folded = String::new();
    compat::fold_char(c, &mut folded);
    let mut chars = folded.chars();
    (chars.next() == Some(c) && chars.next().is_none()).then(|| Class::of(c))
}
