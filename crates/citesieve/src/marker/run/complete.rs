//! A marker was read whole: is it one, and what becomes of it?

use std::ops::Range;

use super::{Fed, Found, Run, Scene, State};
use crate::marker::Form;
use crate::marker::guard::{self, Guard};
use crate::marker::judge::{self, Fate};
use crate::marker::lead::{self, Limits};
use crate::marker::removal::removal;

impl Run {
    pub(super) fn complete(&mut self, syntax: usize, end: u64, scene: &Scene<'_>) -> Fed {
        let at = self.readers.start..end;
        if self.readers.reading(syntax).form != Form::Whole {
            return self.half(syntax, at, scene);
        }
        let first = self.marks.is_empty() && self.survivor.is_none();
        let mut mark = judge::judge(at.clone(), &self.readers.reading(syntax).list.elements, scene.ids, scene.text);
        let own_lead;
        let lead = if first {
            &self.lead
        } else {
            own_lead = lead::look_back(scene.text, at.start, Limits { floor: self.after, ..scene.limits });
            &own_lead
        };
        let context = guard::Context {
            text: scene.text,
            ids: scene.ids,
            real: mark.fate == Fate::Real,
            follows: !first,
            start: at.start,
            elements: &self.readers.reading(syntax).list.elements,
            lead,
            pinpoint: self.pinpoint,
        };
        let brackets = self.readers.opener == '[';
        let guard = if self.after_label && first && brackets {
            Some(Guard::Label)
        } else if first && self.subscript == Some(at.start) {
            Some(Guard::Subscript)
        } else {
            self.readers.syntax(syntax).guard(&context)
        };
        if let Some(guard) = guard {
            if guard == Guard::Word {
                return self.not_a_marker(scene, true);
            }
            if guard == Guard::Pinpoint {
                self.pinpoint = Some(end);
            }
            if first {
                if guard == Guard::Subscript {
                    self.subscript = Some(end);
                }
                self.found.push(Found::Ambiguous);
                self.state = State::Idle;
                return Fed::Mine;
            }
            return self.not_a_marker(scene, false);
        }
        self.flush_survivor();
        scene.actions.act(&mut mark, &self.readers.reading(syntax).list.elements, first);
        self.marks.push(mark);
        self.after = end;
        self.separators = 0;
        self.closers = 0;
        self.state = State::After;
        Fed::Mine
    }

    /// One half of a marker around words. It is no part of a run.
    pub(super) fn half(&mut self, syntax: usize, at: Range<u64>, scene: &Scene<'_>) -> Fed {
        if !self.marks.is_empty() || self.survivor.is_some() {
            return self.finish_run(at.start, scene);
        }
        self.state = State::Idle;
        let (start, end) = (at.start, at.end);
        let reading = self.readers.reading(syntax);
        match reading.form {
            Form::SpanStart => self.wraps.start_span(at),
            Form::SpanEnd => self.wraps.end_span(at),
            Form::Closing if self.wraps.close() => {
                self.found.push(Found::Marks { marks: Vec::new(), edits: vec![removal(at, "")], start });
            }
            Form::Closing => self.found.push(Found::Tag { at }),
            Form::Whole => {}
            Form::Opening => {
                let mark = judge::judge(at.clone(), &reading.list.elements, scene.ids, scene.text);
                self.wraps.open(start, mark.fate == Fate::Fabricated);
                let edits = if mark.fate == Fate::Fabricated { vec![removal(at, "")] } else { mark.edits.clone() };
                self.found.push(Found::Marks { marks: vec![mark], edits, start });
            }
        }
        Fed::Rewind(end)
    }
}
