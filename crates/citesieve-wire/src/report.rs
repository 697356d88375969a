//! [`Report`]: what is said about a body at its end.

use std::borrow::Cow;

use citesieve::{ClosedClaim, Judgement, Source, Unchecked, Verdict};
use serde::{Deserialize, Serialize};

/// What is reported at the end of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// One verdict per text lane, in order of first appearance. A lane stands here twice if text came after the event
    /// that ended the run.
    pub lanes: Vec<(String, Verdict)>,
    /// The name of the dialect, if it was told or found.
    #[serde(default)]
    pub dialect: Option<String>,
    /// What passed without being looked at, with counts: `frame` (malformed, unknown, too long), `channel` (text that
    /// is not part of the answer: a refusal, reasoning, tool calls …), `repeat`, `text`.
    #[serde(default)]
    pub notes: Vec<Unchecked>,
    /// The sources that the response itself sent, if [`crate::Config::response_sources`] asked for them.
    #[serde(default)]
    pub sources: Vec<Source>,
    /// How the sources were found, if [`crate::Config::origin`] told.
    #[serde(default)]
    pub sources_from: Option<String>,
}

/// A claim that has become complete in one of the lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneClaim {
    /// The name of the lane, as in [`Report::lanes`].
    pub lane: String,
    /// Which of the lane's verdicts it stands in, from 0: a lane has a second one if text came after the event that ended
    /// the run.
    pub verdict: usize,
    /// The claim.
    pub claim: ClosedClaim,
}

/// What somebody says about a claim that waits: see [`crate::Session::rule`].
#[derive(Debug, Clone, PartialEq)]
pub struct LaneRuling {
    /// The lane of the claim, as [`LaneClaim::lane`].
    pub lane: String,
    /// The verdict that it stands in, as [`LaneClaim::verdict`].
    pub verdict: usize,
    /// Its position there, as [`ClosedClaim::position`].
    pub position: usize,
    /// The judgement; `None`: there was nothing to judge, or it took too long.
    pub judgement: Option<Judgement>,
}

/// The most different notes that are kept; hostile bodies could make any number.
const MAX_NOTES: usize = 64;

/// Counts what passed without being looked at.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    list: Vec<(&'static str, Cow<'static, str>, u64)>,
    further: u64,
}

impl Notes {
    pub(crate) fn add(&mut self, what: &'static str, why: Cow<'static, str>) {
        match self.list.iter().position(|(kind, reason, _)| *kind == what && *reason == why) {
            Some(index) => self.list[index].2 += 1,
            None if self.list.len() < MAX_NOTES => self.list.push((what, why, 1)),
            None => self.further += 1,
        }
    }

    pub(crate) fn list(&self) -> Vec<Unchecked> {
        let further = (self.further > 0).then(|| ("other", Cow::from("further kinds of these"), self.further));
        self.list
            .iter()
            .cloned()
            .chain(further)
            .map(|(what, why, count)| Unchecked { what: what.into(), why: why.into_owned(), count })
            .collect()
    }
}
