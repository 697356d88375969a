//! What was changed, and why.

use std::ops::Range;

use citesieve::{EditRecord, Reason};

use super::Finding;
use crate::paint::bytes;

/// One finding per edit that no other finding tells of, with its place in the answer.
pub(super) fn findings(text: &str, edits: &[EditRecord]) -> Vec<(usize, Finding)> {
    let mut list = Vec::new();
    let mut index = 0;
    while let Some(edit) = edits.get(index) {
        index += 1;
        let at = bytes(edit.before).start;
        match edit.why {
            Reason::FabricatedMarker => {
                list.push((at, format!("{} was removed: it names no source.", marker(edit)).into()));
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
                list.push((at, format!("{} was removed: the quote before it is in no source.", marker(edit)).into()));
            }
            Reason::Misattributed if edit.with.is_empty() => {
                let sentence = format!("{} was removed: the quote before it is from another source.", marker(edit));
                list.push((at, sentence.into()));
            }
            Reason::Misattributed => {
                let (whole, one) = (enclosing(text, bytes(edit.before)), std::slice::from_ref(edit));
                let before = text.get(whole.clone()).unwrap_or(&edit.text);
                let sentence =
                    format!("{before} became {}: that is where the quote is from.", apply(text, &whole, one));
                list.push((at, sentence.into()));
            }
            Reason::FailedClaim if edit.with.is_empty() => {
                list.push((at, format!("\"{}\" was left out: it failed.", super::excerpt(&edit.text)).into()));
            }
            Reason::FailedClaim => list.push((at, format!("\"{}\" marks what failed.", edit.with.trim()).into())),
            Reason::FailedAnswer => list.push((at, Finding::from("the answer was replaced: it failed.".to_owned()))),
            Reason::Notice => list.push((at, Finding::from("a notice was appended.".to_owned()))),
            // Told by the quotation that they belong to.
            Reason::FabricatedBlockQuote | Reason::FailedQuote => {}
            // What the policy wants of every marker is told once.
            Reason::RemovedMarker | Reason::LinkedMarker | Reason::RenumberedMarker => {}
            _ => list.push((at, format!("\"{}\" became \"{}\".", edit.text, edit.with).into())),
        }
    }
    list
}

/// What the policy wanted of every marker.
pub(super) fn rendered(edits: &[EditRecord]) -> Vec<String> {
    let kinds = [
        (Reason::RemovedMarker, "removed, because the policy shows none"),
        (Reason::LinkedMarker, "made a link"),
        (Reason::RenumberedMarker, "numbered anew"),
    ];
    let count = |why| edits.iter().filter(|edit| edit.why == why).count() as u64;
    let told = kinds.into_iter().map(|(why, done)| (count(why), done)).filter(|(count, _)| *count > 0);
    told.map(|(count, done)| super::were(count, "marker", done) + ".").collect()
}

fn marker(edit: &EditRecord) -> &str {
    edit.text.trim_matches([' ', ',', ';', '\t', '\n'])
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
