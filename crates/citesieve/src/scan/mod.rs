//! Scanning: what is this line, what is this character part of.
//!
//! - `byte_set.rs`: a set of bytes.
//! - `buffer.rs`: the text that is still needed, addressed by position in the answer.
//! - `block/`: block structure of Markdown, line by line: containers (quotations, list items) and leaves (paragraph,
//!   heading, fence, indented code, display math).
//! - `inline.rs`: constructs that are *perhaps* open inside a paragraph (code span, math, link, HTML tag) and what
//!   closes or kills them.
//! - `emphasis.rs`, `url.rs`: emphasis that is open, bare URLs.
//! - `html.rs`, `link.rs`: small automata for an HTML tag and for a link destination.
//!
//! Every automaton here reads one character at a time and keeps its state between characters, so where the stream was
//! cut cannot matter.

pub(crate) mod block;
pub(crate) mod buffer;
pub(crate) mod byte_set;
pub(crate) mod emphasis;
pub(crate) mod html;
pub(crate) mod inline;
pub(crate) mod link;
pub(crate) mod url;

/// Whether `c` is a space that does not end a line.
pub(crate) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Whether `c` belongs to a script that writes no spaces between words.
pub(crate) fn is_spaceless(c: char) -> bool {
    matches!(c as u32,
        0x0E00..=0x0EFF        // Thai, Lao
        | 0x0F00..=0x0FFF      // Tibetan
        | 0x1000..=0x109F      // Burmese
        | 0x1780..=0x17FF      // Khmer
        | 0x2E80..=0x2FDF | 0x3005..=0x3007 | 0x3021..=0x3029
        | 0x3040..=0x30FF | 0x3100..=0x312F | 0x31A0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF
        | 0xFF66..=0xFF9D | 0x20000..=0x3FFFF)
}
