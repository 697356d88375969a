//! Contiguous matches: whole words, in one text.

use std::ops::Range;

use memchr::memmem::Finder;

use super::edge;
use crate::source::fold::Folded;

/// At most this many places are looked at in one text; a word that is everywhere costs no more.
const MOST_PLACES: usize = 4096;

/// The first place in `text` where the folded needle stands whole.
pub(super) fn find(text: &Folded, original: &str, needle: &Finder<'_>) -> Option<Range<usize>> {
    let length = needle.needle().len();
    let mut from = 0;
    for _ in 0..MOST_PLACES {
        let at = from + needle.find(&text.text.as_bytes()[from..])?;
        let range = at..at + length;
        if is_whole(text, original, &range) {
            return Some(range);
        }
        from = at + 1;
    }
    None
}

/// Whether a place starts and ends where a word or number does.
pub(super) fn is_whole(text: &Folded, original: &str, range: &Range<usize>) -> bool {
    edge::left(text, original, range.start) && edge::right(text, original, range.end)
}

/// What may stand at a quote's edges: quotation marks, commas, full stops, dots.
const EDGE: [char; 9] = [' ', '"', ',', '.', '。', '、', '\'', '․', '｡'];

/// Whether there is nothing else in it.
pub(super) fn is_edge(folded: &str) -> bool {
    folded.chars().all(|c| EDGE.contains(&c))
}

/// Without them at the end.
pub(super) fn trim_end(folded: &str) -> &str {
    folded.trim_end_matches(EDGE)
}

/// Without them at the start.
pub(super) fn trim_start(folded: &str) -> &str {
    let rest = folded.trim_start_matches(EDGE);
    // `.5` begins with its point, `...5` does not.
    let before = &folded[..folded.len() - rest.len()];
    if rest.starts_with(|c: char| c.is_ascii_digit()) && before.ends_with('.') && !before.ends_with("..") {
        return &folded[before.len() - 1..];
    }
    rest
}

/// Words in a folded text; in scripts that write no spaces two letters count as one.
pub(super) fn words(folded: &str) -> usize {
    use crate::source::fold::Class;
    let (mut words, mut letters, mut inside) = (0, 0, false);
    for c in folded.chars() {
        match Class::of(c) {
            Class::Spaceless => {
                letters += usize::from(c.is_alphabetic());
                inside = false;
            }
            Class::Letter | Class::Digit => {
                words += usize::from(!inside);
                inside = true;
            }
            _ => inside = matches!(c, '\'' | '_') && inside,
        }
    }
    words + letters / 2
}
