//! The run is over, or one of its markers survives: what goes, and what goes with it.

use std::borrow::Cow;

use super::{Fed, Found, Run, Scene, State};
use crate::marker::guard;
use crate::marker::judge::Alone;
use crate::marker::removal::{Doomed, removal};
use crate::{Edit, Reason};

impl Run {
    /// The run is over; `at` is the first character that does not belong to it.
    pub(super) fn finish_run(&mut self, at: u64, scene: &Scene<'_>) -> Fed {
        let next = scene.text.char_at(self.after);
        let back = self.settle(next, at, scene);
        self.state = State::Idle;
        Fed::Rewind(back)
    }

    /// A survivor at the end of the marks decides everything before it.
    pub(super) fn flush_survivor(&mut self) {
        let Some(last) = self.marks.last() else { return };
        if last.goes() {
            return;
        }
        let (start, end) = (last.at.start, last.at.end);
        let mut edits = Vec::new();
        if let [first, .., before, _] | [before @ first, _] = self.marks.as_slice() {
            // The survivor keeps the space before it: what goes is each marker with the separator after it, or, if
            // one survived before, with the separator before it.
            let range = match self.survivor {
                Some(kept) => kept..before.at.end,
                None => first.at.start..start,
            };
            edits.push(removal(range, ""));
        }
        let marks = std::mem::take(&mut self.marks);
        if let Some(last) = marks.last() {
            edits.extend(last.edits.iter().cloned());
        }
        self.found.push(Found::Marks { marks, edits, start });
        self.survivor = Some(end);
    }

    /// Decides all marks; `next` is the character after them (separators included), `at` the first one that does not
    /// belong to the run. Returns where reading goes on.
    pub(super) fn settle(&mut self, next: Option<char>, at: u64, scene: &Scene<'_>) -> u64 {
        if let (None, [mark]) = (self.survivor, self.marks.as_mut_slice()) {
            match mark.alone.take() {
                Some(Alone::Move(edit, id)) => {
                    mark.edits = vec![edit];
                    mark.cited = vec![id];
                }
                Some(Alone::Drop) => mark.gone = Some(Reason::Misattributed),
                None => {}
            }
        }
        self.flush_survivor();
        let marks = std::mem::take(&mut self.marks);
        let (Some(first), Some(last)) = (marks.first(), marks.last()) else { return self.after };
        let start = first.at.start;
        if self.survivor.is_none() && self.closers == 0 && self.is_assigned(at, scene) && marks.len() == 1 {
            self.found.push(Found::Ambiguous);
            return self.after;
        }
        let edit = match self.survivor {
            Some(kept) => removal(kept..last.at.end, ""),
            None => {
                let doomed = Doomed {
                    lead: &self.lead,
                    closers: self.closers,
                    first: start,
                    end: self.after,
                    at,
                    closes_emphasis: scene.closes_emphasis,
                };
                doomed.remove(next, scene.text)
            }
        };
        let back = self.after.max(edit.at.end);
        let mut edits = vec![edit];
        if self.survivor.is_none()
            && scene.text.char_at(start).is_some_and(is_private_use)
            && let Some((open, close)) = self.wraps.take_span(start)
        {
            let why = marks.first().and_then(|mark| mark.gone).unwrap_or(Reason::FabricatedMarker);
            self.found.push(Found::Span { edit: Edit { at: open, with: Cow::Borrowed(""), why } });
            edits.insert(0, removal(close, ""));
        }
        self.found.push(Found::Marks { marks, edits, start });
        self.closers = 0;
        back
    }

    /// `x[9] = 5`: whatever the name, this is code.
    pub(super) fn is_assigned(&self, at: u64, scene: &Scene<'_>) -> bool {
        let glued = self.lead.start == self.lead.wraps_at && self.lead.wraps.is_empty();
        glued
            && scene.text.char_at(at) == Some('=')
            && !guard::identifier(scene.text.before(self.lead.wraps_at)).is_empty()
    }
}

/// Whether a marker in characters for private use starts so.
fn is_private_use(c: char) -> bool {
    matches!(c, '\u{E200}'..='\u{E204}' | '\\')
}
