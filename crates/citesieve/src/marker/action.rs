//! What the policy does to markers that name real sources.

use std::borrow::Cow;
use std::collections::HashMap;

use super::judge::{Alone, Fate, Mark};
use super::list::Element;
use crate::policy::{FailedCitations, Misattributed, Rendering};
use crate::quote::{self, Class};
use crate::scan::buffer::Buffer;
use crate::{Edit, Policy, Reason, Sources};

/// The quote before a marker, with no other marker between.
#[derive(Debug, Clone)]
pub(crate) struct Before {
    pub(crate) words: String,
    /// Whether no source has its words.
    pub(crate) failed: bool,
}

/// What a marker is subject to when it is complete.
#[derive(Debug)]
pub(crate) struct Actions<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) sources: &'a Sources,
    pub(crate) quote: Option<&'a Before>,
}

impl Actions<'_> {
    /// Decides what becomes of a marker; `first` of its run.
    pub(crate) fn act(&self, mark: &mut Mark, elements: &[Element], first: bool) {
        if mark.goes() || mark.fate == Fate::Unknown {
            return;
        }
        match self.policy.markers {
            Rendering::Keep => {}
            Rendering::Remove => mark.gone = Some(Reason::RemovedMarker),
            Rendering::Link | Rendering::Renumber => mark.elements = elements.to_vec(),
        }
        let Some(before) = self.quote else { return };
        if before.failed {
            if self.policy.failed_citations == FailedCitations::Drop {
                mark.gone = Some(Reason::FailedCitation);
            }
            return;
        }
        if !first || self.policy.misattributed == Misattributed::Report {
            return;
        }
        let ids: Vec<&str> = mark.cited.iter().map(String::as_str).collect();
        let finding = quote::check_as(self.sources, &ids, &before.words, self.policy.elisions);
        if finding.class != Class::Misattributed {
            return;
        }
        match (self.policy.misattributed, elements, finding.matches.first()) {
            (Misattributed::Drop, ..) => mark.alone = Some(Alone::Drop),
            (Misattributed::Move, [one], Some(found)) if !one.is_range() => {
                let edit =
                    Edit { at: one.first.clone(), with: Cow::Owned(found.id.clone()), why: Reason::Misattributed };
                mark.alone = Some(Alone::Move(edit, found.id.clone()));
            }
            _ => {}
        }
    }
}

/// Shows markers otherwise than the model wrote them.
#[derive(Debug, Default)]
pub(crate) struct Renderer {
    numbers: HashMap<String, usize>,
    /// The ids in the order of their first appearance: position 0 has the number 1.
    pub(crate) order: Vec<String>,
}

impl Renderer {
    /// The edits for a marker that stays, those it has included; in order.
    pub(crate) fn render(&mut self, mark: &Mark, policy: &Policy, sources: &Sources, text: &Buffer) -> Vec<Edit> {
        match policy.markers {
            Rendering::Link => link(mark, sources, text),
            Rendering::Renumber => self.renumber(mark, text),
            Rendering::Keep | Rendering::Remove => mark.edits.clone(),
        }
    }

    fn number(&mut self, id: &str) -> usize {
        if let Some(number) = self.numbers.get(id) {
            return *number;
        }
        self.order.push(id.to_owned());
        self.numbers.insert(id.to_owned(), self.order.len());
        self.order.len()
    }

    /// Each number becomes the number of its source; a marker with a range, or one that lost ids, is listed anew.
    fn renumber(&mut self, mark: &Mark, text: &Buffer) -> Vec<Edit> {
        let (Some(first), Some(last)) = (mark.elements.first(), mark.elements.last()) else {
            return mark.edits.clone();
        };
        let plain = mark.fate == Fate::Real && mark.edits.is_empty() && mark.elements.iter().all(|e| !e.is_range());
        if plain && mark.cited.len() == mark.elements.len() {
            let mut edits = Vec::new();
            for (element, id) in mark.elements.iter().zip(&mark.cited) {
                let number = self.number(id).to_string();
                if text.slice(element.first.clone()) != number {
                    edits.push(renumbered(element.first.clone(), number));
                }
            }
            return edits;
        }
        let mut numbers: Vec<usize> = mark.cited.iter().map(|id| self.number(id)).collect();
        numbers.sort_unstable();
        let list: Vec<String> = numbers.iter().map(usize::to_string).collect();
        vec![renumbered(first.first.start..last.last.end, list.join(", "))]
    }
}

fn renumbered(at: std::ops::Range<u64>, with: String) -> Edit {
    Edit { at, with: Cow::Owned(with), why: Reason::RenumberedMarker }
}

/// `[2]` becomes `[[2]](url)`, `[2, 7]` becomes `[[2](url), [7](url)]`.
fn link(mark: &Mark, sources: &Sources, text: &Buffer) -> Vec<Edit> {
    let insert = |at: u64, with: String| Edit { at: at..at, with: Cow::Owned(with), why: Reason::LinkedMarker };
    let mut edits = mark.edits.clone();
    let url =
        |id: &str| sources.with_id(id).iter().find_map(|source| sources.list()[*source].url.as_deref()).map(escape);
    if mark.elements.iter().any(Element::is_range) {
        return edits;
    }
    if let [id] = mark.cited.as_slice() {
        if let Some(url) = url(id) {
            let doubled = text.slice(mark.at.clone()).starts_with("[[");
            if doubled {
                edits.push(insert(mark.at.end, format!("({url})")));
            } else {
                edits.insert(0, insert(mark.at.start, "[".to_owned()));
                edits.push(insert(mark.at.end, format!("]({url})")));
            }
        }
        return edits;
    }
    for element in &mark.elements {
        let number = text.slice(element.first.clone()).trim_start_matches('0');
        let id = if number.is_empty() { "0" } else { number };
        if let Some(url) = mark.cited.iter().any(|cited| cited == id).then(|| url(id)).flatten() {
            edits.push(insert(element.first.start, "[".to_owned()));
            edits.push(insert(element.first.end, format!("]({url})")));
        }
    }
    edits.sort_by_key(|edit| (edit.at.start, edit.at.end));
    edits
}

/// A URL as it may stand in a link destination anywhere: in a table cell, with parentheses in it.
fn escape(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    for c in url.chars() {
        match c {
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '|' => out.push_str("%7C"),
            '\\' => out.push_str("%5C"),
            '`' => out.push_str("%60"),
            '*' => out.push_str("%2A"),
            '_' => out.push('_'),
            c if c.is_whitespace() || c.is_control() => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    out.push_str(&format!("%{byte:02X}"));
                }
            }
            c => out.push(c),
        }
    }
    out
}
