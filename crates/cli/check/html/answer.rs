//! The left column: the answer as the model wrote it, cut into pieces that each mean one thing.

use citesieve::EditRecord;

use super::{Passage, label};
use crate::check::Checked;
use crate::markers;
use crate::paint::bytes;

/// A piece of the answer.
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    /// `plain`, `heading`, `removed`, `added` or `marker`.
    pub(super) kind: &'static str,
    /// The card of the source that a marker names.
    pub(super) card: Option<usize>,
    /// The quotation that opens before it.
    pub(super) opens: Option<Opening>,
    /// Whether the quotation closes after it.
    pub(super) closes: Option<Closing>,
}

pub(super) struct Opening {
    pub(super) n: usize,
    pub(super) class: &'static str,
    pub(super) label: &'static str,
}

pub(super) struct Closing {
    pub(super) n: usize,
    /// Whether there is a place in a source to lead to.
    pub(super) shown: bool,
}

/// The pieces, in order.
pub(super) fn pieces<'a>(checked: &'a Checked, passages: &[Passage<'_>]) -> Vec<Piece<'a>> {
    let text = checked.before.as_str();
    let marks = markers::find(text, &checked.policy);
    let edits: Vec<&EditRecord> = checked.verdict.edits.iter().collect();
    // What overlaps another quotation is told in the list only: quotations open and close one after the other.
    let mut shown: Vec<&Passage<'_>> = Vec::new();
    for passage in passages {
        let free = shown.last().is_none_or(|last| last.at.end <= passage.at.start);
        if free && !passage.at.is_empty() && text.get(passage.at.clone()).is_some() {
            shown.push(passage);
        }
    }
    let mut cuts: Vec<usize> = vec![0, text.len()];
    let headings = headings(text);
    for range in shown.iter().map(|passage| &passage.at).chain(&marks).chain(&headings) {
        cuts.extend([range.start, range.end]);
    }
    for edit in &edits {
        let range = bytes(edit.before);
        cuts.extend([range.start, range.end]);
    }
    cuts.retain(|&at| text.is_char_boundary(at));
    cuts.sort_unstable();
    cuts.dedup();

    let mut list: Vec<Piece<'a>> = Vec::new();
    let (mut quotes, mut marks) = (shown.iter().peekable(), marks.iter().peekable());
    let (mut removals, mut headings) = (edits.iter().peekable(), headings.into_iter().peekable());
    let mut additions = edits.iter().filter(|edit| !edit.with.is_empty()).peekable();
    let mut heading = 0..0;
    let mut open: Option<&Passage<'_>> = None;
    let mut removed = 0;
    let mut marked = 0..0;
    for cut in cuts.windows(2) {
        let at = cut[0]..cut[1];
        while let Some(edit) = additions.next_if(|edit| bytes(edit.before).end <= at.start) {
            list.push(piece(&edit.with, "added"));
        }
        while let Some(edit) = removals.next_if(|edit| bytes(edit.before).start <= at.start) {
            removed = removed.max(bytes(edit.before).end);
        }
        while let Some(mark) = marks.next_if(|mark| mark.start <= at.start) {
            marked = mark.clone();
        }
        while let Some(next) = headings.next_if(|next| next.start <= at.start) {
            heading = next;
        }
        let kind = match (at.start < removed, marked.contains(&at.start)) {
            (true, _) => "removed",
            (_, true) => "marker",
            _ if heading.contains(&at.start) => "heading",
            _ => "plain",
        };
        let mut next = piece(&text[at.clone()], kind);
        if kind == "marker" {
            next.card = card(&text[marked.clone()], checked);
        }
        if let Some(passage) = quotes.next_if(|passage| passage.at.start == at.start) {
            next.opens = Some(Opening { n: passage.n, class: passage.class, label: label(passage.class) });
            open = Some(passage);
        }
        if let Some(passage) = open.take_if(|passage| passage.at.end == at.end) {
            next.closes = Some(Closing { n: passage.n, shown: !passage.places.is_empty() });
        }
        list.push(next);
    }
    list.extend(additions.map(|edit| piece(&edit.with, "added")));
    list
}

/// Lines that are headings, so that the page may set them as such.
fn headings(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut list = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let words = line.trim_start_matches('#');
        if words.len() < line.len() && words.starts_with(' ') {
            list.push(start..start + line.trim_end().len());
        }
        start += line.len();
    }
    list
}

fn piece<'a>(text: &'a str, kind: &'static str) -> Piece<'a> {
    Piece { text, kind, card: None, opens: None, closes: None }
}

/// The first source that a marker names.
fn card(marker: &str, checked: &Checked) -> Option<usize> {
    let inner = marker.trim_matches(|c: char| !c.is_alphanumeric());
    let last = inner.rsplit([':', ' ', '_']).next().unwrap_or(inner);
    let first = inner.split([',', ';', '-', '–']).next().unwrap_or(inner).trim();
    [inner, first, last].iter().find_map(|id| checked.sources.with_id(id).first().copied())
}
