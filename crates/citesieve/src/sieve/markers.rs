//! Markers: what the run has found becomes edits as soon as no open construct holds it.

use super::{Pending, Sieve};
use crate::claim::Token;
use crate::marker::action::Actions;
use crate::marker::footnote::Definition;
use crate::marker::judge::{Fate, Mark};
use crate::marker::lead::Limits;
use crate::marker::run::{Fed, Found, Scene};
use crate::scan::inline::Change;
use crate::{Edit, Reason};

impl Sieve {
    pub(super) fn feed_run(&mut self, c: Option<char>, at: u64) -> Fed {
        let scene = Scene {
            text: &self.text,
            ids: self.sources.ids(),
            limits: Limits { floor: self.floor, line: self.content, emphasis: self.inline.emphasis() },
            may_start: self.inline.may_start(),
            after_label: self.inline.is_after_label(at),
            closes_emphasis: self.inline.closed_emphasis(at),
            actions: &Actions { policy: &self.policy, sources: &self.sources, quote: self.claims.quote_before() },
        };
        let fed = self.run.feed(c, at, &scene);
        if !self.run.found.is_empty() {
            self.take_found();
        }
        fed
    }

    pub(super) fn take_found(&mut self) {
        let mut found = std::mem::take(&mut self.run.found);
        for found in found.drain(..) {
            match found {
                Found::Ambiguous => self.tally.markers.ambiguous += 1,
                Found::Definition { start } if self.may_define(start) => {
                    self.definition = Some(Definition::new(self.line, self.is_after_blank()));
                }
                Found::Definition { .. } => self.tally.markers.ambiguous += 1,
                Found::Span { edit } => {
                    let start = edit.at.start;
                    let index = self.pending.partition_point(|pending| pending.start < start);
                    self.pending_hold = Some(self.pending_hold.map_or(start, |hold| hold.min(start)));
                    let pending = Pending { start, hold: Some(start), marks: Vec::new(), edits: vec![edit] };
                    self.pending.insert(index, pending);
                }
                Found::Tag { at } => self.claims.token(Token::Opaque { at }),
                Found::Label { start, at } => self.inline.open_destination(start, at),
                Found::Marks { marks, edits, start } => {
                    if let Some(last) = edits.last() {
                        self.floor = self.floor.max(last.at.end);
                    }
                    if let Some(block) = &mut self.block_quote {
                        for mark in &marks {
                            block.marker(mark.at.clone(), mark.fate != Fate::Fabricated, &mark.cited);
                        }
                    }
                    let rendered = marks.iter().find(|mark| !mark.elements.is_empty()).map(|mark| mark.at.start);
                    let hold = edits.first().map(|edit| edit.at.start).into_iter().chain(rendered).min();
                    let edits = with_reasons(edits, &marks);
                    self.pending_hold = self.pending_hold.or(hold);
                    self.pending.push_back(Pending { start, hold, marks, edits });
                }
            }
        }
        self.run.found = found;
        self.commit();
    }

    pub(super) fn apply(&mut self, change: Change) {
        match change {
            Change::Nothing => {}
            Change::Closed(closed) => {
                let link = closed.opaque > closed.start;
                while self.pending.back().is_some_and(|pending| pending.start >= closed.start) {
                    let Some(pending) = self.pending.pop_back() else { break };
                    if pending.hold.is_some() && pending.hold == self.pending_hold {
                        self.pending_hold = None;
                    }
                    self.tally.markers.ambiguous +=
                        pending.marks.iter().filter(|m| !matches!(m.fate, Fate::Real | Fate::Unknown)).count() as u64;
                    if link {
                        // `[2](https://…)`: a link that names a source still cites it.
                        for mark in pending.marks.iter().filter(|mark| mark.fate == Fate::Real) {
                            self.tally.markers.real += 1;
                            self.claims.token(Token::marker(mark));
                        }
                    }
                }
                self.run.forget_from(closed.start);
                self.claims.token(Token::Opaque { at: closed.opaque..closed.end });
                self.commit();
            }
            Change::Died => self.commit(),
        }
    }

    /// Makes final what no open construct holds any more.
    pub(super) fn commit(&mut self) {
        let open = self.inline.first_open();
        while let Some(pending) = self.pending.front() {
            if open.is_some_and(|open| open <= pending.start) {
                break;
            }
            let Some(pending) = self.pending.pop_front() else { break };
            let mut edits = pending.edits;
            if pending.hold.is_some() {
                self.pending_hold = self.pending.iter().find_map(|pending| pending.hold);
            }
            for mark in &pending.marks {
                self.claims.token(Token::marker(mark));
                if !mark.elements.is_empty() && !mark.goes() {
                    edits.retain(|edit| edit.at.start < mark.at.start || edit.at.end > mark.at.end);
                    edits.extend(self.renderer.render(mark, &self.policy, &self.sources, &self.text));
                }
                match mark.fate {
                    Fate::Real => self.tally.markers.real += 1,
                    Fate::Partial => {
                        self.tally.markers.real += 1;
                        self.tally.markers.partial += 1;
                    }
                    Fate::Fabricated => self.tally.markers.fabricated += 1,
                    Fate::Unknown => self.tally.early += 1,
                }
            }
            // The `>` of a later line may be final already.
            for edit in edits {
                self.claims.edit(edit.clone());
                let index = self.ready.partition_point(|ready| ready.at.start <= edit.at.start);
                self.ready.insert(index, edit);
            }
        }
    }
}

/// The edits that remove markers, with the reason why those go that could have stayed.
fn with_reasons(mut edits: Vec<Edit>, marks: &[Mark]) -> Vec<Edit> {
    let other = marks.iter().filter(|mark| mark.fate != Fate::Fabricated).find_map(|mark| mark.gone);
    if let Some(reason) = other
        && marks.iter().all(|mark| mark.fate != Fate::Fabricated)
    {
        for edit in edits.iter_mut().filter(|edit| edit.why == Reason::FabricatedMarker) {
            edit.why = reason;
        }
    }
    edits
}
