//! A quote cut at its elisions and editorial brackets.

use super::find;

/// The longest bracket, in bytes.
const LONGEST_BRACKET: usize = 120;

/// Quotes with more pieces than this are not taken apart.
const MOST_PIECES: usize = 128;

/// A piece of a quote, folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Words of the source.
    Words(String),
    /// Something was left out here.
    Elision,
    /// An editor's brackets.
    Bracket {
        /// What is in them.
        inner: String,
        /// No space before them.
        glued_left: bool,
        /// No space after them.
        glued_right: bool,
        /// Nobody closed them yet.
        open: bool,
    },
}

/// Cuts a folded quote into pieces; `None` when it has neither elisions nor brackets, or too many.
pub(super) fn pieces(folded: &str) -> Option<Vec<Piece>> {
    if !folded.contains(['[', '【']) && !folded.contains("...") {
        return None;
    }
    let mut pieces: Vec<Piece> = Vec::new();
    let mut words = String::new();
    let mut rest = folded;
    let flush = |words: &mut String, pieces: &mut Vec<Piece>| {
        if !words.trim().is_empty() {
            pieces.push(Piece::Words(std::mem::take(words)));
        }
        words.clear();
    };
    while let Some(c) = rest.chars().next() {
        if pieces.len() > MOST_PIECES {
            return None;
        }
        let dots = dots(rest);
        if dots > 0 {
            flush(&mut words, &mut pieces);
            if pieces.last() != Some(&Piece::Elision) {
                pieces.push(Piece::Elision);
            }
            rest = &rest[dots..];
            continue;
        }
        if matches!(c, '[' | '【') {
            let close = if c == '[' { ']' } else { '】' };
            let end = rest.char_indices().take(LONGEST_BRACKET).find(|&(_, c)| c == close).map(|(at, _)| at);
            let open = end.is_none() && rest.len() < LONGEST_BRACKET;
            if end.is_some() || open {
                let inner = rest[c.len_utf8()..end.unwrap_or(rest.len())].trim();
                let glued_left = !words.is_empty() && !words.ends_with(' ');
                let after = end.map_or("", |end| &rest[end + close.len_utf8()..]);
                if is_marker(inner) && !open {
                    // Not part of the words, and neither is the space before it.
                    let kept = words.trim_end().len();
                    if after.is_empty() || after.starts_with([' ', ',', '.', ';', ':', '?', '!', '[']) {
                        words.truncate(kept);
                    }
                } else {
                    flush(&mut words, &mut pieces);
                    let glued_right = !after.is_empty() && !after.starts_with(' ');
                    pieces.push(Piece::Bracket { inner: inner.to_owned(), glued_left, glued_right, open });
                }
                rest = after;
                continue;
            }
        }
        words.push(c);
        rest = &rest[c.len_utf8()..];
    }
    flush(&mut words, &mut pieces);
    // Dots at the edge elide nothing.
    while pieces.first() == Some(&Piece::Elision) {
        pieces.remove(0);
    }
    while pieces.last() == Some(&Piece::Elision) {
        pieces.pop();
    }
    Some(tidy(pieces))
}

/// Bytes of an elision at the start of `text`: three dots or more, alone or in brackets.
fn dots(text: &str) -> usize {
    let run = |text: &str| text.bytes().take_while(|&b| b == b'.').count();
    match text.bytes().next() {
        Some(b'.') => {
            let run = run(text);
            if run >= 3 { run } else { 0 }
        }
        Some(open @ (b'[' | b'(')) => {
            let inner = text[1..].trim_start();
            let run = run(inner);
            let after = inner[run..].trim_start();
            let close = if open == b'[' { ']' } else { ')' };
            if run >= 3 && after.starts_with(close) { text.len() - after.len() + 1 } else { 0 }
        }
        _ => 0,
    }
}

/// Words beside an elision lose the punctuation at that edge, as at the edge of a quote.
fn tidy(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut tidied = Vec::with_capacity(pieces.len());
    for (at, piece) in pieces.iter().enumerate() {
        let Piece::Words(words) = piece else {
            tidied.push(piece.clone());
            continue;
        };
        let before = at.checked_sub(1).and_then(|at| pieces.get(at));
        let after = pieces.get(at + 1);
        let mut words = words.trim();
        if matches!(before, None | Some(Piece::Elision)) {
            words = find::trim_start(words);
        }
        if matches!(after, None | Some(Piece::Elision)) {
            words = find::trim_end(words);
        }
        if !words.is_empty() {
            tidied.push(Piece::Words(words.to_owned()));
        }
    }
    tidied
}

/// Citation markers: `[3]`, `[1, 2]`, `[1-3]`, `[source 3]`, `[^3]`, `【3†source】`.
fn is_marker(inner: &str) -> bool {
    let inner = inner.trim_start_matches('^');
    let inner = ["source", "sources", "citation", "doc", "document", "ref", "id"]
        .iter()
        .find_map(|tag| inner.strip_prefix(tag))
        .unwrap_or(inner)
        .trim_start_matches([' ', ':', '_', '#']);
    let inner = inner.split('†').next().unwrap_or(inner);
    !inner.is_empty()
        && inner.starts_with(|c: char| c.is_ascii_digit())
        && inner.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | ',' | ';' | '-'))
}
