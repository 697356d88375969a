//! JSON string literals: decoded to text, and edited in place.
//!
//! A literal is read as a row of *units*: one raw byte, one UTF-8 sequence, one escape or one pair of surrogate
//! escapes, each standing for one character. [`decode`] and [`splice`] walk the same units, so a byte of the text and
//! the bytes of the literal that spell it always correspond, and what no edit touches is copied as it was spelled.

use std::ops::Range;

use citesieve::Edit;

/// An escape that JSON does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BadEscape;

/// How a literal spells what is not ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Style {
    /// It holds raw bytes outside ASCII.
    pub(crate) raw: bool,
    /// It holds bytes that are no UTF-8; each stands for U+FFFD in the text.
    pub(crate) invalid: bool,
}

/// Appends the text of a literal to `text`. `body` is what stands between the quotes.
///
/// Lone surrogates and invalid UTF-8 become U+FFFD in the text (three bytes); [`splice`] still copies them as they are.
pub(crate) fn decode(body: &[u8], text: &mut String) -> Result<Style, BadEscape> {
    if memchr::memchr(b'\\', body).is_none()
        && let Ok(plain) = std::str::from_utf8(body)
    {
        text.push_str(plain);
        return Ok(Style { raw: !plain.is_ascii(), invalid: false });
    }
    let mut style = Style::default();
    let mut at = 0;
    while at < body.len() {
        // Stretches without escapes at once: a repeated answer is read again with every frame.
        if body[at] != b'\\' {
            let end = memchr::memchr(b'\\', &body[at..]).map_or(body.len(), |found| at + found);
            let run = match std::str::from_utf8(&body[at..end]) {
                Ok(run) => run,
                Err(error) => std::str::from_utf8(&body[at..at + error.valid_up_to()]).unwrap_or_default(),
            };
            style.raw |= !run.is_ascii();
            text.push_str(run);
            at += run.len();
            if at == end {
                continue;
            }
        }
        let unit = unit(body, at)?;
        if body[at] >= 0x80 {
            style.raw = true;
            style.invalid |= unit.char == char::REPLACEMENT_CHARACTER && !body[at..].starts_with("\u{fffd}".as_bytes());
        }
        text.push(unit.char);
        at += unit.len;
    }
    Ok(style)
}

/// The text of a literal if it needs no decoding.
#[inline]
pub(crate) fn plain(body: &[u8]) -> Option<&str> {
    if memchr::memchr(b'\\', body).is_some() { None } else { std::str::from_utf8(body).ok() }
}

/// One character and how many bytes of the literal spell it.
struct Unit {
    len: usize,
    char: char,
}

fn unit(body: &[u8], at: usize) -> Result<Unit, BadEscape> {
    let rest = &body[at..];
    match rest {
        [b'\\', b'u', ..] => {
            let first = hex4(&rest[2..]).ok_or(BadEscape)?;
            if (0xd800..0xdc00).contains(&first)
                && let [b'\\', b'u', tail @ ..] = &rest[6..]
                && let Some(second) = hex4(tail)
                && (0xdc00..0xe000).contains(&second)
            {
                let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(Unit { len: 12, char: char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER) });
            }
            Ok(Unit { len: 6, char: char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER) })
        }
        [b'\\', escape, ..] => {
            let char = match escape {
                b'"' | b'\\' | b'/' => char::from(*escape),
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                _ => return Err(BadEscape),
            };
            Ok(Unit { len: 2, char })
        }
        [b'\\'] => Err(BadEscape),
        [byte, ..] if *byte < 0x80 => Ok(Unit { len: 1, char: char::from(*byte) }),
        _ => {
            let sequence = &rest[..rest.len().min(4)];
            let good = match std::str::from_utf8(sequence) {
                Ok(text) => text,
                Err(error) => std::str::from_utf8(&sequence[..error.valid_up_to()]).unwrap_or_default(),
            };
            match good.chars().next() {
                Some(char) => Ok(Unit { len: char.len_utf8(), char }),
                None => Ok(Unit { len: 1, char: char::REPLACEMENT_CHARACTER }),
            }
        }
    }
}

fn hex4(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.get(..4)?;
    digits.iter().try_fold(0, |n, &d| Some(n * 16 + char::from(d).to_digit(16)?))
}

/// Where the text of a literal stands in its lane, and which part of it is wanted.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// Position in the lane of the literal's first byte of text.
    pub(crate) start: u64,
    /// The stretch of the lane that is to be written; both ends on character borders.
    pub(crate) wanted: Range<u64>,
    /// Insertions at the very end of the stretch belong to it.
    pub(crate) closing: bool,
    /// It is not one of several parts that make up the lane, but what its offsets point to: what stands for an edit
    /// belongs to it if the edit ends in it, since offsets inside an edit go to its start.
    pub(crate) excerpt: bool,
}

/// Writes the wanted part of a literal's body with `edits` applied (in order, positions in the lane). Replacements are
/// written where the edit starts (in excerpts where it ends); `ascii` escapes what is not ASCII in them.
pub(crate) fn splice<'e>(
    body: &[u8],
    part: &Part,
    edits: impl Iterator<Item = &'e Edit>,
    ascii: bool,
    out: &mut Vec<u8>,
) -> Result<(), BadEscape> {
    let mut edits = edits.peekable();
    let mut at = 0;
    let mut position = part.start;
    let mut copied_from = None;
    // Runs of kept units are copied at once.
    let flush = |copied_from: &mut Option<usize>, to: usize, out: &mut Vec<u8>| {
        if let Some(from) = copied_from.take() {
            out.extend_from_slice(&body[from..to]);
        }
    };
    loop {
        while let Some(edit) = edits.peek() {
            if edit.at.start <= position && edit.at.end <= position {
                // Behind us: an insertion here, or an edit that ended.
                let edit = edits.next();
                let here = part.wanted.contains(&position) || (part.closing && position == part.wanted.end);
                if let Some(edit) = edit.filter(|edit| here && edit.at.is_empty() && edit.at.start == position) {
                    flush(&mut copied_from, at, out);
                    escape(&edit.with, ascii, out);
                }
            } else {
                break;
            }
        }
        if at >= body.len() {
            break;
        }
        let unit = unit(body, at)?;
        let after = position + unit.char.len_utf8() as u64;
        let edited = edits.peek().filter(|edit| edit.at.start <= position && position < edit.at.end);
        if let Some(edit) = edited {
            flush(&mut copied_from, at, out);
            let here = if part.excerpt { after == edit.at.end } else { edit.at.start == position };
            if here && part.wanted.contains(&position) {
                escape(&edit.with, ascii, out);
            }
        } else if part.wanted.contains(&position) {
            if copied_from.is_none() && ends_in_high_surrogate(out) && is_low_surrogate(&body[at..]) {
                // What stood between them is gone: two halves that were none each must not become a character.
                out.extend_from_slice(b"\\ufffd");
            } else {
                copied_from.get_or_insert(at);
            }
        } else {
            flush(&mut copied_from, at, out);
        }
        at += unit.len;
        position = after;
    }
    flush(&mut copied_from, at, out);
    Ok(())
}

/// Whether what was written ends in the first half of a pair, as an escape.
fn ends_in_high_surrogate(out: &[u8]) -> bool {
    let Some(at) = out.len().checked_sub(6) else { return false };
    let escaped = out[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
    !escaped
        && out[at..].starts_with(b"\\u")
        && hex4(&out[at + 2..]).is_some_and(|unit| (0xd800..0xdc00).contains(&unit))
}

/// Whether the second half of a pair comes, as an escape.
fn is_low_surrogate(rest: &[u8]) -> bool {
    rest.starts_with(b"\\u") && hex4(&rest[2..]).is_some_and(|unit| (0xdc00..0xe000).contains(&unit))
}

/// Writes text as it stands inside a JSON string.
pub(crate) fn escape(text: &str, ascii: bool, out: &mut Vec<u8>) {
    for char in text.chars() {
        match char {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            '\u{8}' => out.extend_from_slice(b"\\b"),
            '\u{c}' => out.extend_from_slice(b"\\f"),
            ' '..='~' => out.push(char as u8),
            _ if !ascii && char >= '\u{a0}' => out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            _ => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use citesieve::Reason;
    use proptest::prelude::*;

    use super::*;

    fn edit(at: Range<u64>, with: &'static str) -> Edit {
        Edit { at, with: with.into(), why: Reason::FabricatedMarker }
    }

    fn spliced(body: &[u8], start: u64, wanted: Range<u64>, edits: &[Edit], ascii: bool) -> String {
        let mut out = Vec::new();
        let part = Part { start, wanted, closing: true, excerpt: false };
        splice(body, &part, edits.iter(), ascii, &mut out).unwrap();
        String::from_utf8_lossy(&out).into_owned()
    }

    fn text(body: &[u8]) -> String {
        let mut text = String::new();
        decode(body, &mut text).unwrap();
        text
    }

    /// One character in one of its spellings.
    fn spelled() -> impl Strategy<Value = (String, Vec<u8>)> {
        let short = |c: char, e: &str| (c.to_string(), e.as_bytes().to_vec());
        prop_oneof![
            4 => "[a-z \\[\\]0-9>]".prop_map(|c: String| (c.clone(), c.into_bytes())),
            1 => any::<char>().prop_filter("must be escaped", |c| !c.is_control() && *c != '"' && *c != '\\')
                .prop_map(|c| (c.to_string(), c.to_string().into_bytes())),
            2 => (any::<char>(), any::<bool>()).prop_map(|(c, upper)| {
                let mut units = [0; 2];
                let spelled: String = c.encode_utf16(&mut units).iter()
                    .map(|unit| if upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") }).collect();
                (c.to_string(), spelled.into_bytes())
            }),
            1 => prop::sample::select(vec![
                short('"', "\\\""), short('\\', "\\\\"), short('/', "\\/"), short('\u{8}', "\\b"),
                short('\u{c}', "\\f"), short('\n', "\\n"), short('\r', "\\r"), short('\t', "\\t"),
            ]),
            1 => prop::sample::select(vec![
                ("\u{fffd}".to_owned(), b"\\ud83d ".to_vec()), ("\u{fffd}".to_owned(), b"\\uDE42".to_vec()),
                ("\u{fffd}".to_owned(), b"\xff".to_vec()),
            ]).prop_map(|(mut text, spelled)| {
                if spelled.ends_with(b" ") { text.push(' '); }
                (text, spelled)
            }),
        ]
    }

    proptest! {
        #[test]
        fn splicing_is_editing_the_text(
            units in prop::collection::vec(spelled(), 0..40),
            cuts in prop::collection::vec((0usize..40, 0usize..6, 0usize..4), 0..5),
            start in 0u64..100, ascii: bool, from in 0usize..40,
        ) {
            let body: Vec<u8> = units.iter().flat_map(|(_, spelled)| spelled.clone()).collect();
            let plain: String = units.iter().map(|(text, _)| text.as_str()).collect();
            let decoded = text(&body);
            prop_assert_eq!(&decoded, &plain);
            // Edits in order that do not overlap, on character borders.
            let borders: Vec<usize> = plain.char_indices().map(|(at, _)| at).chain([plain.len()]).collect();
            let mut edits = Vec::new();
            let mut sorted = cuts.clone();
            sorted.sort_unstable();
            let mut last = 0;
            for (at, len, with) in sorted {
                let at = at.max(last).min(borders.len() - 1);
                let end = (at + len).min(borders.len() - 1);
                if at < last || (end == at && edits.last().is_some_and(|e: &Edit| e.at.end == start + borders[at] as u64)) {
                    continue;
                }
                last = end + 1;
                let with = ["", "é🙂", "\"\\\n", "[4-5]"][with];
                edits.push(edit(start + borders[at] as u64..start + borders[end] as u64, with));
            }
            let apply = |from: usize, to: usize| {
                let mut out = String::new();
                let mut done = from;
                for e in &edits {
                    let (s, t) = ((e.at.start - start) as usize, (e.at.end - start) as usize);
                    if t < from || s > to || (s == to && to < plain.len()) { continue; }
                    if s >= done { out.push_str(&plain[done..s]); }
                    if s >= from { out.push_str(&e.with); }
                    done = done.max(t.min(to));
                }
                if done < to { out.push_str(&plain[done..to]); }
                out
            };
            let from = borders[from.min(borders.len() - 1)];
            let all = start..start + plain.len() as u64;
            let whole = spliced(&body, start, all.clone(), &edits, ascii);
            prop_assert_eq!(text(whole.as_bytes()), apply(0, plain.len()));
            if ascii && edits.iter().any(|e| !e.with.is_ascii()) && body.is_ascii() {
                prop_assert!(whole.is_ascii());
            }
            // A tail of it, as of a frame that was split.
            let tail = spliced(&body, start, start + from as u64..all.end, &edits, ascii);
            prop_assert_eq!(text(tail.as_bytes()), apply(from, plain.len()));
            // Nothing to do: the very bytes.
            let mut same = Vec::new();
            splice(&body, &Part { start, wanted: all, closing: true, excerpt: false }, [].iter(), ascii, &mut same).unwrap();
            prop_assert_eq!(same, body);
        }

        #[test]
        fn decodes_like_serde_json(text_in in any::<String>()) {
            let literal = serde_json::to_string(&text_in).unwrap();
            prop_assert_eq!(text(&literal.as_bytes()[1..literal.len() - 1]), text_in.clone());
            let mut escaped = Vec::new();
            escape(&text_in, true, &mut escaped);
            prop_assert!(escaped.is_ascii());
            prop_assert_eq!(text(&escaped), text_in);
        }
    }

    #[test]
    fn lone_surrogates_stay_as_they_are() {
        let body = br"a [9]\ud83d";
        assert_eq!(text(body), "a [9]\u{fffd}");
        assert_eq!(spliced(body, 0, 0..8, &[edit(1..5, "")], true), r"a\ud83d");
        assert_eq!(spliced(br"\uDe42 b", 8, 8..13, &[edit(11..12, "")], true), r"\uDe42b");
        // Nor do two of them become a character when what stood between them goes.
        assert_eq!(spliced(br"\ud83d[9]\ude42", 0, 0..9, &[edit(3..6, "")], true), r"\ud83d\ufffd");
        assert_eq!(spliced(br"\\ud83d[9]\ude42", 0, 0..12, &[edit(6..9, "")], true), r"\\ud83d\ude42");
    }

    #[test]
    fn refuses_escapes_that_do_not_exist() {
        for body in [&b"\\x"[..], b"\\", b"\\u12", b"\\u12g4"] {
            assert_eq!(decode(body, &mut String::new()), Err(BadEscape));
        }
    }
}
