//! The ledger: where every edit stands before and after, in three units.

use std::collections::VecDeque;

use crate::scan::buffer::Buffer;
use crate::{Edit, EditRecord, Span, Units};

/// Edits beyond this many are counted, not listed.
const MAX_RECORDS: usize = 10_000;
/// How much of the removed text is quoted (characters).
pub(crate) const MAX_TEXT: usize = 200;

/// A position that was asked for; its units are known once it has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place(usize);

#[derive(Debug, Default, Clone, Copy)]
struct Slot {
    at: u64,
    before: Units,
    after: Units,
}

/// Counts what has left.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    before: Units,
    after: Units,
    slots: Vec<Slot>,
    /// Slots that nobody asks for any more.
    spare: Vec<usize>,
    /// Slots that are not known yet, by position.
    waiting: VecDeque<(u64, usize)>,
    pub(crate) records: Vec<EditRecord>,
    pub(crate) count: u64,
}

impl Ledger {
    /// The text up to `to` leaves with these edits.
    pub(crate) fn advance(&mut self, to: u64, edits: &[Edit], text: &Buffer) {
        for edit in edits {
            self.pass(edit.at.start, text);
            let (before, after) = (self.before, self.after);
            let removed = text.slice(edit.at.clone());
            self.after = add(self.after, &edit.with);
            self.skip(edit.at.end, text);
            self.count += 1;
            if self.records.len() < MAX_RECORDS {
                self.records.push(EditRecord {
                    before: Span { start: before, end: self.before },
                    after: Span { start: after, end: self.after },
                    text: removed.chars().take(MAX_TEXT).collect(),
                    with: edit.with.to_string(),
                    why: edit.why,
                });
            }
        }
        self.pass(to, text);
    }

    /// Asks for the units of a position that has not left yet.
    pub(crate) fn place(&mut self, at: u64) -> Place {
        let place = Place(self.spare.pop().unwrap_or(self.slots.len()));
        if place.0 == self.slots.len() {
            self.slots.push(Slot::default());
        }
        self.move_place(place, at);
        place
    }

    /// Nobody will ask for this place.
    pub(crate) fn free(&mut self, place: Place) {
        self.slots[place.0].at = u64::MAX;
        self.spare.push(place.0);
    }

    /// Asks for another position in the same place.
    pub(crate) fn move_place(&mut self, place: Place, at: u64) {
        let at = at.max(self.before.bytes);
        self.slots[place.0] = Slot { at, before: self.before, after: self.after };
        let index = self.waiting.partition_point(|waiting| waiting.0 <= at);
        self.waiting.insert(index, (at, place.0));
    }

    /// Where everything that has left ends, before and after the edits.
    pub(crate) fn end(&self) -> (Units, Units) {
        (self.before, self.after)
    }

    /// The span between two places in the text before the edits, and after them.
    pub(crate) fn spans(&self, from: Place, to: Place) -> (Span, Span) {
        let (from, to) = (self.slots[from.0], self.slots[to.0]);
        (Span { start: from.before, end: to.before }, Span { start: from.after, end: to.after })
    }

    /// Unedited text leaves.
    fn pass(&mut self, to: u64, text: &Buffer) {
        while let Some(&(at, slot)) = self.waiting.front() {
            if at > to {
                break;
            }
            self.waiting.pop_front();
            self.pass_plain(at.max(self.before.bytes), text);
            if self.slots[slot].at == at {
                self.slots[slot] = Slot { at, before: self.before, after: self.after };
            }
        }
        self.pass_plain(to, text);
    }

    /// Text that was replaced ends here. Places inside it are where they were before, and behind what replaced it.
    fn skip(&mut self, end: u64, text: &Buffer) {
        while let Some(&(at, slot)) = self.waiting.front() {
            if at >= end {
                break;
            }
            self.waiting.pop_front();
            self.before = add(self.before, text.slice(self.before.bytes..at.max(self.before.bytes)));
            if self.slots[slot].at == at {
                self.slots[slot] = Slot { at, before: self.before, after: self.after };
            }
        }
        self.before = add(self.before, text.slice(self.before.bytes..end.max(self.before.bytes)));
    }

    fn pass_plain(&mut self, to: u64, text: &Buffer) {
        let plain = text.slice(self.before.bytes..to);
        self.before = add(self.before, plain);
        self.after = add(self.after, plain);
    }
}

pub(crate) fn add(units: Units, text: &str) -> Units {
    let bytes = text.len() as u64;
    if text.is_ascii() {
        return Units { bytes: units.bytes + bytes, chars: units.chars + bytes, utf16: units.utf16 + bytes };
    }
    let (mut chars, mut wide) = (0, 0);
    for byte in text.bytes() {
        chars += u64::from(byte & 0xC0 != 0x80);
        wide += u64::from(byte >= 0xF0);
    }
    Units { bytes: units.bytes + bytes, chars: units.chars + chars, utf16: units.utf16 + chars + wide }
}
