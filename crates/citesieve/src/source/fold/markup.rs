//! Markup that stands between the words: HTML tags and entities, links.

use super::entity;

/// What was found at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found<T> {
    /// This, and how many bytes it takes.
    Yes(T, usize),
    /// Not that.
    No,
    /// More text is needed to tell.
    More,
}

/// What a tag does to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// Nothing: emphasis, links, spans.
    Inline,
    /// Separates words: paragraphs, cells, line breaks.
    Block,
    /// What follows is raised.
    Raised,
    /// What follows is lowered.
    Lowered,
    /// What is between it and its closing tag is not text: scripts, styles.
    Hidden(&'static str),
}

/// Tags longer than this are text.
const LONGEST_TAG: usize = 512;
/// Entities longer than this are text.
const LONGEST_ENTITY: usize = 33;

const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "time", "tt", "u", "var", "wbr",
    "nobr", "ruby", "rb", "rt", "rp", "img", "mi", "mn", "mo", "math", "mrow",
];
const BLOCK: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "button",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "html",
    "iframe",
    "input",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "meta",
    "nav",
    "ol",
    "optgroup",
    "option",
    "p",
    "picture",
    "pre",
    "section",
    "select",
    "source",
    "summary",
    "table",
    "tbody",
    "td",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
    "video",
    "audio",
    "object",
    "embed",
    "param",
    "base",
];
const HIDDEN: &[&str] = &["script", "style", "head", "template", "noscript", "svg", "title"];

/// An HTML tag, comment or declaration at the start of `text`, which begins with `<`. Only names that HTML knows, so
/// that `a <b and c> d` stays.
pub(super) fn tag(text: &str, last: bool) -> Found<Tag> {
    let bytes = text.as_bytes();
    let more = if last { Found::No } else { Found::More };
    let Some(&first) = bytes.get(1) else { return more };
    if first == b'!' {
        if bytes.len() < 4 {
            return more;
        }
        if text.starts_with("<!--") {
            return match memchr::memmem::find(&bytes[4..bytes.len().min(LONGEST_TAG)], b"-->") {
                Some(at) => Found::Yes(Tag::Inline, at + 7),
                None if bytes.len() < LONGEST_TAG => more,
                None => Found::No,
            };
        }
        if !bytes[2].is_ascii_alphabetic() && bytes[2] != b'[' {
            return Found::No;
        }
        return close(bytes, 2)
            .map_or(if bytes.len() < LONGEST_TAG { more } else { Found::No }, |end| Found::Yes(Tag::Block, end));
    }
    let closing = first == b'/';
    let from = if closing { 2 } else { 1 };
    let length = bytes[from..].iter().take_while(|b| b.is_ascii_alphanumeric()).take(12).count();
    if from + length == bytes.len() && length < 12 {
        return more;
    }
    let name = text[from..from + length].to_ascii_lowercase();
    let name = name.as_str();
    let what = if name == "sup" {
        if closing { Tag::Inline } else { Tag::Raised }
    } else if name == "sub" {
        if closing { Tag::Inline } else { Tag::Lowered }
    } else if INLINE.contains(&name) {
        Tag::Inline
    } else if BLOCK.contains(&name) {
        Tag::Block
    } else if let Some(&hidden) = HIDDEN.iter().find(|&&hidden| hidden == name) {
        if closing { Tag::Block } else { Tag::Hidden(hidden) }
    } else {
        return Found::No;
    };
    if !matches!(bytes[from + length], b'>' | b'/' | b' ' | b'\t' | b'\n' | b'\r') {
        return Found::No;
    }
    match close(bytes, from + length) {
        // `a <b or c> d` holds no attribute.
        Some(end) if closing || attributes(&text[from + length..end - 1]) => Found::Yes(what, end),
        Some(_) => Found::No,
        None if bytes.len() < LONGEST_TAG => more,
        None => Found::No,
    }
}

/// Whether this can stand between a tag's name and its `>`.
fn attributes(text: &str) -> bool {
    let text = text.trim().trim_end_matches('/').trim();
    text.is_empty()
        || text.contains('=')
        || !text.contains(char::is_whitespace) && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
}

/// One past the `>` that ends the tag, not counting those inside quoted attributes.
fn close(bytes: &[u8], from: usize) -> Option<usize> {
    let mut quoted = None;
    for (at, &b) in bytes.iter().enumerate().take(LONGEST_TAG).skip(from) {
        match (quoted, b) {
            (None, b'>') => return Some(at + 1),
            (None, b'<') => return None,
            (None, b'"' | b'\'') if bytes[at - 1] == b'=' => quoted = Some(b),
            (Some(open), b) if open == b => quoted = None,
            _ => {}
        }
    }
    None
}

/// An HTML entity at the start of `text`, which begins with `&`.
pub(super) fn entity(text: &str, last: bool) -> Found<&'static str> {
    match reference(text, last) {
        Found::Yes(name, length) => match entity::named(name) {
            Some(value) => Found::Yes(value, length),
            None => Found::No,
        },
        Found::No => Found::No,
        Found::More => Found::More,
    }
}

/// A numeric character reference at the start of `text`, which begins with `&`.
pub(super) fn numeric(text: &str, last: bool) -> Found<char> {
    match reference(text, last) {
        Found::Yes(name, length) => {
            let number = name.strip_prefix('#').and_then(|digits| match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok(),
                None => digits.parse().ok(),
            });
            match number.and_then(|code| entity::windows(code).or_else(|| char::from_u32(code))) {
                Some(c) => Found::Yes(c, length),
                None => Found::No,
            }
        }
        Found::No => Found::No,
        Found::More => Found::More,
    }
}

/// What stands between `&` and `;`.
fn reference(text: &str, last: bool) -> Found<&str> {
    for (at, b) in text.bytes().enumerate().skip(1).take(LONGEST_ENTITY) {
        match b {
            b';' if at > 1 => return Found::Yes(&text[1..at], at + 1),
            b'#' if at == 1 => {}
            b if b.is_ascii_alphanumeric() => {}
            _ => return Found::No,
        }
    }
    if last || text.len() > LONGEST_ENTITY { Found::No } else { Found::More }
}

/// The label of a link at the start of `text`, which begins with `[`: its length in bytes without the brackets, and
/// the length of the whole link.
pub(super) fn link(text: &str, last: bool) -> Found<usize> {
    const LONGEST_LABEL: usize = 600;
    const LONGEST_TARGET: usize = 1200;
    let bytes = text.as_bytes();
    let more = if last { Found::No } else { Found::More };
    let mut depth = 0usize;
    let mut label = None;
    for (at, &b) in bytes.iter().enumerate().take(LONGEST_LABEL) {
        match b {
            // Images and markers in a label, no more: a long row of brackets is no link, and is not read again and again.
            b'[' if depth == 3 => return Found::No,
            b'[' => depth += 1,
            b']' => {
                depth -= 1;
                if depth == 0 {
                    label = Some(at);
                    break;
                }
            }
            _ => {}
        }
    }
    let Some(label) = label else { return if bytes.len() < LONGEST_LABEL { more } else { Found::No } };
    match bytes.get(label + 1) {
        None => return more,
        Some(b'(') => {}
        Some(_) => return Found::No,
    }
    let mut depth = 0usize;
    for (at, &b) in bytes.iter().enumerate().skip(label + 1).take(LONGEST_TARGET) {
        match b {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    let target = text[label + 2..at].trim();
                    return if is_target(target) { Found::Yes(label - 1, at + 1) } else { Found::No };
                }
            }
            b'\n' if bytes.get(at + 1) == Some(&b'\n') => return Found::No,
            _ => {}
        }
    }
    if bytes.len() < label + LONGEST_TARGET { more } else { Found::No }
}

/// Whether this is where a link goes, rather than words in parentheses.
fn is_target(target: &str) -> bool {
    let address = match target.strip_prefix('<') {
        Some(bracketed) => bracketed.find('>').map_or("", |end| &target[..end + 2]),
        None => target.split_whitespace().next().unwrap_or_default(),
    };
    let title = target[address.len()..].trim_start();
    !address.is_empty()
        && (title.is_empty() || title.starts_with(['"', '\'', '(']))
        && (address.contains([':', '/', '.', '#', '?']) || address.starts_with('<'))
}
