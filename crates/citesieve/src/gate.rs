//! The gate: what becomes of an answer whose support evaporated (rules, section 6).

use std::borrow::Cow;

use crate::ledger::{MAX_TEXT, add};
use crate::{Edit, EditRecord, Reason, Span, Status, StatusReason, Units, Verdict};

/// The built-in notice: a warning callout of GitHub-flavoured Markdown.
const GFM: &str = "\n\n> [!WARNING]\n> Not everything in this answer is supported by its sources: {reasons}.\n";

/// Replaces the whole answer by the not-found message. `end` and `total`: where the answer ends.
pub(crate) fn replace(verdict: &mut Verdict, end: u64, total: (Units, Units), text: &str, message: &str) -> Edit {
    verdict.status = Status::NotFound;
    let after = Span { start: Units::default(), end: add(Units::default(), message) };
    let record = EditRecord {
        before: Span { start: Units::default(), end: total.0 },
        after,
        text: text.chars().take(MAX_TEXT).collect(),
        with: message.to_owned(),
        why: Reason::FailedAnswer,
    };
    verdict.edits = vec![record];
    verdict.edit_count = 1;
    Edit { at: 0..end, with: Cow::Owned(message.to_owned()), why: Reason::FailedAnswer }
}

/// Appends a notice to the answer.
pub(crate) fn append(verdict: &mut Verdict, end: u64, total: (Units, Units), template: &str) -> Edit {
    let template = if template == "gfm" { GFM } else { template };
    let with = fill(template, verdict);
    verdict.edits.push(EditRecord {
        before: Span { start: total.0, end: total.0 },
        after: Span { start: total.1, end: add(total.1, &with) },
        text: String::new(),
        with: with.clone(),
        why: Reason::Notice,
    });
    verdict.edit_count += 1;
    Edit { at: end..end, with: Cow::Owned(with), why: Reason::Notice }
}

fn fill(template: &str, verdict: &Verdict) -> String {
    let reasons: Vec<&str> = verdict
        .reasons
        .iter()
        .map(|reason| match reason {
            StatusReason::NoSurvivingCitation => "no citation of a source holds",
            StatusReason::FailedQuoteInText => "a quotation is not what the sources say",
            StatusReason::UnsupportedClaim => "a claim is not what its sources say",
        })
        .collect();
    template
        .replace("{reasons}", &reasons.join(", and "))
        .replace("{verified}", &verdict.score.verified.to_string())
        .replace("{checkable}", &verdict.score.checkable.to_string())
        .replace("{fabricated}", &verdict.markers.fabricated.to_string())
        .replace("{markers}", &verdict.markers.total.to_string())
}

/// The answer so far, as long as it may be nothing but the not-found message.
#[derive(Debug)]
pub(crate) struct Opening {
    message: String,
    text: String,
    /// More text came than the message has.
    longer: bool,
}

impl Opening {
    pub(crate) fn new(message: &str) -> Self {
        Opening { message: plain(message), text: String::new(), longer: false }
    }

    pub(crate) fn push(&mut self, delta: &str) {
        if self.longer || self.message.is_empty() {
            return;
        }
        if self.text.len() + delta.len() > self.message.len() + 64 {
            self.longer = true;
            self.text = String::new();
        } else {
            self.text.push_str(delta);
        }
    }

    /// Whether the answer, which is so long, is the message.
    pub(crate) fn is_message(&self, end: u64) -> bool {
        !self.longer && self.text.len() as u64 == end && !self.message.is_empty() && plain(&self.text) == self.message
    }
}

/// A message as far as it matters: letters and digits, without case.
fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
