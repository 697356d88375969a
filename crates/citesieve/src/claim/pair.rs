//! Which marker a quote belongs to, and what its words are worth (rules, section 5).

use super::{Cited, Quoted};
use crate::Sources;
use crate::quote::{self, Class, Elisions, Finding};
use crate::scan::buffer::Buffer;

/// Judges a quote against the sources that the markers of its claim name.
///
/// It belongs to the nearest marker after it, else to the nearest before it. Where the words are not in what follows
/// but are in what precedes (`[1] says "…" and [2] says "…"`), they belong to what precedes.
pub(super) fn judge(quoted: &mut Quoted, markers: &[Cited], sources: &Sources, elisions: Elisions, text: &Buffer) {
    let outside = |marker: &&Cited| marker.at.start >= quoted.at.end || marker.at.end <= quoted.at.start;
    let inside: Vec<&Cited> = markers.iter().filter(|marker| !outside(marker)).collect();
    let after = run(markers.iter().filter(|marker| marker.at.start >= quoted.at.end), text);
    let before = run(markers.iter().rev().filter(|marker| marker.at.end <= quoted.at.start), text);
    let near = if inside.is_empty() { &after } else { &inside };
    let adjacent = near
        .first()
        .is_some_and(|marker| marker.at.start < quoted.at.end || is_gap(text.slice(quoted.at.end..marker.at.start)));
    let (cited, mut finding) = ask(if near.is_empty() { &before } else { near }, &quoted.words, sources, elisions);
    quoted.cited = cited;
    if finding.class == Class::Misattributed && !near.is_empty() && !before.is_empty() {
        let (cited, other) = ask(&before, &quoted.words, sources, elisions);
        if other.class == Class::Verified {
            (quoted.cited, finding) = (cited, other);
        }
    }
    if finding.reason == Some(quote::Reason::Empty) {
        finding.class = Class::TooShort;
    }
    let failed = matches!(finding.class, Class::NotFound | Class::Altered);
    if failed && (is_own_title(&quoted.words, sources) || (!adjacent && is_title(&quoted.words))) {
        finding.class = Class::TooShort;
    }
    quoted.finding = Some(finding);
}

/// Whether no source has the words, whoever is cited for them.
pub(super) fn is_failed(words: &str, sources: &Sources, elisions: Elisions) -> bool {
    let finding = quote::check_as(sources, &[], words, elisions);
    let failed = matches!(finding.class, Class::NotFound | Class::Altered);
    failed && finding.reason != Some(quote::Reason::Empty) && !is_title(words) && !is_own_title(words, sources)
}

/// The first marker and those that follow it directly.
fn run<'a>(markers: impl Iterator<Item = &'a Cited>, text: &Buffer) -> Vec<&'a Cited> {
    let mut run: Vec<&Cited> = Vec::new();
    for marker in markers {
        if let Some(last) = run.last() {
            let gap = last.at.end.min(marker.at.end)..last.at.start.max(marker.at.start);
            if !is_gap(text.slice(gap)) {
                break;
            }
        }
        run.push(marker);
    }
    run
}

/// Whether only spaces and punctuation stand here.
fn is_gap(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || matches!(c, ',' | ';' | '.' | '(' | ')' | '*' | '_' | '，' | '。' | '、'))
}

fn ask(markers: &[&Cited], words: &str, sources: &Sources, elisions: Elisions) -> (Vec<String>, Finding) {
    let mut cited: Vec<String> = Vec::new();
    for id in markers.iter().flat_map(|marker| &marker.ids) {
        if !cited.contains(id) {
            cited.push(id.clone());
        }
    }
    let ids: Vec<&str> = cited.iter().map(String::as_str).collect();
    let finding = quote::check_as(sources, &ids, words, elisions);
    (cited, finding)
}

/// Whether the words are the title of a source.
fn is_own_title(words: &str, sources: &Sources) -> bool {
    let plain =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let words = plain(words);
    sources.list().iter().filter_map(|source| source.title.as_deref()).any(|title| plain(title) == words)
}

/// Small words that a title writes in lower case.
const SMALL: &[&str] = &[
    "a", "an", "and", "as", "at", "but", "by", "for", "from", "in", "into", "is", "nor", "of", "on", "or", "over",
    "the", "to", "under", "up", "via", "vs", "with", "de", "la", "le", "les", "des", "du", "et", "el", "los", "las",
    "y", "und", "der", "die", "das", "von", "van", "di", "da", "do", "dos", "e",
];

/// Whether the words are written as a title: `Attention Is All You Need`.
pub(super) fn is_title(words: &str) -> bool {
    if words.ends_with(['.', '!', ';']) {
        return false;
    }
    let mut capitals = 0;
    for word in words.split_whitespace() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let Some(first) = word.chars().next() else { continue };
        if first.is_uppercase() || first.is_numeric() {
            capitals += 1;
        } else if !SMALL.contains(&word) {
            return false;
        }
    }
    capitals >= 2
}
