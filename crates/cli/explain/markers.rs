//! What became of the markers.

use std::ops::Range;

use citesieve::{EditRecord, Reason};

use super::Finding;
use crate::paint::bytes;

/// One finding per edited marker, with its place in the answer.
pub(super) fn findings(text: &str, edits: &[EditRecord]) -> Vec<(usize, Finding)> {
    let mut list = Vec::new();
    let mut index = 0;
    while let Some(edit) = edits.get(index) {
        index += 1;
        let at = bytes(edit.before).start;
        match edit.why {
            Reason::FabricatedMarker => {
                let marker = edit.text.trim_matches([' ', ',', ';', '\t', '\n']);
                list.push((at, format!("{marker} was removed: it names no source.").into()));
            }
            Reason::FabricatedIds => {
                // Several ids of one marker are one finding.
                let whole = enclosing(text, bytes(edit.before));
                let inside = |other: &&EditRecord| bytes(other.before).end <= whole.end;
                let more = edits[index..].iter().take_while(inside).count();
                let after = apply(text, &whole, &edits[index - 1..index + more]);
                index += more;
                let before = text.get(whole.clone()).unwrap_or(&edit.text);
                list.push((at, format!("{before} became {after}: the rest of it names no source.").into()));
            }
            Reason::FailedCitation => {
                let marker = edit.text.trim();
                list.push((at, format!("{marker} was removed: no source has the quote before it.").into()));
            }
            Reason::Misattributed if edit.with.is_empty() => {
                let marker = edit.text.trim();
                list.push((at, format!("{marker} was removed: another source has the quote before it.").into()));
            }
            Reason::Misattributed => {
                let (from, to) = (&edit.text, &edit.with);
                list.push((at, format!("[{from}] became [{to}], which is the source of the quote before it.").into()));
            }
            Reason::FailedClaim if edit.with.is_empty() => {
                list.push((at, format!("\"{}\" was left out: nothing supports it.", edit.text.trim()).into()));
            }
            Reason::FailedAnswer => {
                list.push((at, "The whole answer was replaced: nothing supports it.".to_owned().into()));
            }
            // Told by the quote or block that it belongs to, or plain to see.
            Reason::FabricatedBlockQuote | Reason::FailedQuote | Reason::FailedClaim | Reason::Notice => {}
            // The policy's wish, no finding.
            Reason::RemovedMarker | Reason::LinkedMarker | Reason::RenumberedMarker => {}
            _ => {}
        }
    }
    list
}

/// The brackets around a range, or the range itself.
fn enclosing(text: &str, range: Range<usize>) -> Range<usize> {
    let (Some(before), Some(after)) = (text.get(..range.start), text.get(range.end..)) else { return range };
    let open = before.rfind(['[', '【', '［', '(', '<', '\n']).filter(|&at| !before[at..].starts_with('\n'));
    let close = after.find([']', '】', '］', ')', '>', '\n']).filter(|&at| !after[at..].starts_with('\n'));
    match (open, close) {
        (Some(open), Some(close)) => {
            let width = after[close..].chars().next().map_or(0, char::len_utf8);
            open..range.end + close + width
        }
        _ => range,
    }
}

/// A range of the answer with its edits.
fn apply(text: &str, range: &Range<usize>, edits: &[EditRecord]) -> String {
    let mut out = String::new();
    let mut from = range.start;
    for edit in edits {
        let at = bytes(edit.before);
        out += text.get(from..at.start).unwrap_or_default();
        out += &edit.with;
        from = at.end;
    }
    out + text.get(from..range.end).unwrap_or_default()
}
