//! What looks like a marker but is something else: a year, a subscript, a number interval, a paragraph pinpoint.

use super::lead::Lead;
use super::list::Element;
use crate::scan::buffer::Buffer;
use crate::scan::is_space;
use crate::source::ids::IdSet;

/// What a would-be marker is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guard {
    Year,
    Subscript,
    Interval,
    Pinpoint,
    /// The label of a link, an image, a reference or a definition.
    Label,
    /// The value of an assignment: `x = [1, 2]`.
    Value,
    /// A word that does not look like an id.
    Word,
}

/// Everything that the guards look at.
pub(crate) struct Context<'a> {
    pub(crate) text: &'a Buffer,
    pub(crate) ids: &'a IdSet,
    /// Whether a source has every id of it.
    pub(crate) real: bool,
    /// Whether it follows another marker of its run.
    pub(crate) follows: bool,
    /// Position of the marker's opener.
    pub(crate) start: u64,
    pub(crate) elements: &'a [Element],
    pub(crate) lead: &'a Lead,
    /// Where the last pinpoint ended, if this paragraph has one.
    pub(crate) pinpoint: Option<u64>,
}

/// What the marker is taken for. Looks only at what stands before its end.
pub(crate) fn look(context: &Context<'_>) -> Option<Guard> {
    if context.real {
        return is_subscript(context).then_some(Guard::Subscript);
    }
    let before = line_before(context.text, context.lead.wraps_at);
    if is_year(context.elements, context.ids) {
        return Some(Guard::Year);
    }
    if is_interval(context, before) {
        return Some(Guard::Interval);
    }
    if before.trim_end_matches(is_space).ends_with('=') {
        return Some(Guard::Value);
    }
    if context.lead.wraps.is_empty() && is_pinpoint(context, before) {
        return Some(Guard::Pinpoint);
    }
    is_subscript(context).then_some(Guard::Subscript)
}

/// Whether the marker stands on a code-like identifier (also when its id exists).
pub(crate) fn is_subscript(context: &Context<'_>) -> bool {
    if context.lead.start != context.start {
        return false;
    }
    let name = identifier(context.text.before(context.start));
    let zero = matches!(context.elements, [one] if one.low == 0 && !one.is_range() && !context.ids.has("0"));
    is_code_name(name) || (zero && !name.is_empty())
}

/// The rest of the line before `at` that is still known, at most 200 bytes of it.
pub(crate) fn line_before(text: &Buffer, at: u64) -> &str {
    let before = text.before(at);
    let mut from = before.len().saturating_sub(200);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    let tail = &before[from..];
    tail.rsplit('\n').next().unwrap_or(tail)
}

/// The ASCII identifier that `text` ends with.
pub(crate) fn identifier(text: &str) -> &str {
    let start = text
        .char_indices()
        .rev()
        .take(64)
        .take_while(|(_, c)| c.is_ascii_alphanumeric() || *c == '_')
        .last()
        .map_or(text.len(), |(index, _)| index);
    let name = &text[start..];
    let glued = text[..start].chars().next_back().is_some_and(char::is_alphanumeric);
    if glued || !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { "" } else { name }
}

/// Names that are identifiers and no words.
const CODE_NAMES: &[&str] = &[
    "arr", "dp", "buf", "vec", "args", "argv", "kwargs", "nums", "ptr", "tmp", "idx", "mem", "str", "img", "mat",
    "lst", "elem", "elems", "cols", "params", "dict", "obj", "vals", "cnt", "lhs", "rhs", "src", "dst", "ctx", "cfg",
    "env", "msg", "req", "res", "ret", "fn", "func", "memo", "adj", "seq", "strs", "chars", "bytes", "xs", "ys", "df",
];

/// Whether a name can only be an identifier: `grid_row`, `rowIndex`, `x`, `x1`, `arr`; `world`, `iPhone`, `B12` can't.
fn is_code_name(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let lower = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if CODE_NAMES.contains(&stem) || (lower && stem.len() == 1 && name.len() <= 2) {
        return true;
    }
    if name.trim_matches('_').contains('_') {
        return true;
    }
    let bytes = name.as_bytes();
    let humps =
        bytes.windows(3).any(|w| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase() && w[2].is_ascii_lowercase());
    let prefix = bytes.iter().take_while(|b| b.is_ascii_lowercase()).count();
    humps && prefix >= 2
}

fn is_year(elements: &[Element], ids: &IdSet) -> bool {
    let year = |value: u64| (1500..=2199).contains(&value);
    ids.largest().is_none_or(|largest| largest < 1000)
        && !elements.is_empty()
        && elements.iter().all(|e| year(e.low) && year(e.high) && e.first.end - e.first.start == 4)
}

/// Words before an interval, in lower case.
const INTERVAL_WORDS: &[&str] = &[
    "interval",
    "intervals",
    "range",
    "ranges",
    "domain",
    "∈",
    "∉",
    "⊂",
    "⊆",
    "\\in",
    "intervall",
    "bereich",
    "intervalle",
    "intervalo",
    "intervallo",
    "rango",
    "plage",
    "интервал",
    "интервале",
    "диапазон",
    "диапазоне",
];
const INTERVAL_ENDS: &[&str] = &["区间", "區間", "範囲", "范围", "∈"];

fn is_interval(context: &Context<'_>, before: &str) -> bool {
    let two = match context.elements {
        [one] => one.is_range(),
        [a, b] => !a.is_range() && !b.is_range(),
        _ => false,
    };
    if !two {
        return false;
    }
    let from_zero = context.elements[0].low == 0 && !context.ids.has("0");
    let word = last_word(before).to_lowercase();
    from_zero || INTERVAL_WORDS.contains(&word.as_str()) || INTERVAL_ENDS.iter().any(|end| word.ends_with(end))
}

/// Words and signs before a paragraph pinpoint, in lower case, without a full stop.
const PINPOINT_WORDS: &[&str] = &[
    "at",
    "para",
    "paras",
    "paragraph",
    "paragraphs",
    "¶",
    "¶¶",
    "§",
    "§§",
    "rn",
    "rdnr",
    "rz",
    "absatz",
    "abs",
    "point",
    "points",
    "alinéa",
    "párrafo",
    "párrafos",
    "apartado",
    "considerando",
    "paragrafo",
    "punt",
    "пункт",
    "п",
];

fn is_pinpoint(context: &Context<'_>, before: &str) -> bool {
    let word = last_word(before).trim_end_matches('.').to_lowercase();
    if PINPOINT_WORDS.contains(&word.as_str()) {
        return true;
    }
    // `at [45]-[47]`, `at [45] and [47]`.
    let Some(end) = context.pinpoint.filter(|end| *end <= context.lead.start) else { return false };
    let between = context.text.slice(end..context.lead.wraps_at).trim();
    matches!(between, "-" | "–" | "—" | "," | ";" | "and" | ", and" | "&" | "to" | "or")
}

/// The last word of `text`, spaces after it left out.
pub(crate) fn last_word(text: &str) -> &str {
    let text = text.trim_end_matches(is_space);
    text.rsplit(|c: char| is_space(c) || matches!(c, '(' | ',' | ';')).next().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_told_from_words() {
        for name in ["arr", "dp", "grid_row", "rowIndex", "x", "x1", "nums2", "_private_x"] {
            assert!(is_code_name(name), "{name}");
        }
        for name in ["world", "iPhone", "YouTube", "mRNA", "B12", "p53", "COVID19", "A", "macOS", ""] {
            assert!(!is_code_name(name), "{name}");
        }
    }
}
