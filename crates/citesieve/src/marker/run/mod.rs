//! Runs of markers, and the edits that remove the fabricated ones without leaving a trace.
//!
//! A run is a sequence of markers with at most spaces, commas or semicolons between. Which space, separator or
//! parenthesis goes with a marker depends on what stands after the run, so a run is decided by the first character
//! that doesn't belong to it.
//!
//! - here: what each character means to the run.
//! - `complete.rs`: a marker was read whole.
//! - `settle.rs`: the run is over, or a part of it is decided.

mod complete;
mod settle;

use std::ops::Range;

use super::action::Actions;
use super::judge::{Fate, Mark};
use super::lead::{self, Lead, Limits};
use super::removal::is_separator;
use super::wrap::Wraps;
use super::{Readers, Step};
use crate::scan::buffer::Buffer;
use crate::scan::is_space;
use crate::source::ids::IdSet;
use crate::{Edit, MarkerSyntax};

/// Separators longer than this end a run (characters).
const MAX_SEPARATOR: usize = 64;

/// What the run says about a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fed {
    /// It belongs to no marker.
    NotMine,
    /// It belongs to the run, or may.
    Mine,
    /// Go back to this position and read on from there as ordinary text.
    Rewind(u64),
}

/// What a run found out.
#[derive(Debug)]
pub(crate) enum Found {
    /// Markers that are decided, with the edits they need.
    Marks { marks: Vec<Mark>, edits: Vec<Edit>, start: u64 },
    /// Something that was left alone.
    Ambiguous,
    /// The start of words whose marker goes, and goes with it.
    Span { edit: Edit },
    /// A closing tag that stays.
    Tag { at: Range<u64> },
    /// The footnote whose definition starts here has no source.
    Definition { start: u64 },
    /// The last marker may be the label of a link whose destination starts at `at`.
    Label { start: u64, at: u64 },
}

/// Everything a run needs to see.
pub(crate) struct Scene<'a> {
    pub(crate) text: &'a Buffer,
    pub(crate) ids: &'a IdSet,
    pub(crate) limits: Limits<'a>,
    /// Whether a marker may start at the character (no code, URL, escape …).
    pub(crate) may_start: bool,
    /// Whether the character directly before closes brackets that are no marker.
    pub(crate) after_label: bool,
    /// Whether the character closes emphasis.
    pub(crate) closes_emphasis: bool,
    /// What the policy does to markers that name real sources.
    pub(crate) actions: &'a Actions<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Idle,
    Reading,
    After,
}

/// The run that is being read.
#[derive(Debug)]
pub(crate) struct Run {
    state: State,
    readers: Readers,
    lead: Lead,
    /// Markers that are not decided yet: fabricated ones, and perhaps one survivor at the end.
    marks: Vec<Mark>,
    /// Where the last survivor ended that is decided already.
    survivor: Option<u64>,
    /// Where the last marker, or what closes its wraps, ended.
    after: u64,
    separators: usize,
    /// Whether the brackets being read follow brackets that are no marker.
    after_label: bool,
    closers: usize,
    /// Where an opener was tried in vain.
    tried: Option<u64>,
    /// Where the last subscript ended: `grid[1][9]`.
    subscript: Option<u64>,
    /// Where the last pinpoint ended.
    pinpoint: Option<u64>,
    wraps: Wraps,
    pub(crate) found: Vec<Found>,
}

impl Run {
    pub(crate) fn new(syntaxes: &[MarkerSyntax]) -> Self {
        Run {
            state: State::Idle,
            readers: Readers::new(syntaxes),
            lead: Lead::default(),
            marks: Vec::new(),
            survivor: None,
            after: 0,
            separators: 0,
            after_label: false,
            closers: 0,
            tried: None,
            subscript: None,
            pinpoint: None,
            wraps: Wraps::default(),
            found: Vec::new(),
        }
    }

    /// Whether a marker may start with a character whose first byte is this.
    pub(crate) fn opens_at_byte(&self, byte: u8) -> bool {
        self.readers.opens_at_byte(byte)
    }

    /// Whether a marker may start with this character.
    pub(crate) fn opens(&self, c: char) -> bool {
        self.readers.opens(c)
    }

    /// Whether no marker is being read.
    pub(crate) fn is_idle(&self) -> bool {
        self.state == State::Idle && !self.wraps.wait()
    }

    /// Where the first undecided marker starts, if one is being read.
    pub(crate) fn start(&self) -> Option<u64> {
        match self.state {
            State::Idle => None,
            _ => Some(self.marks.first().map_or(self.readers.start, |mark| mark.at.start)),
        }
    }

    /// Whether a marker is being read that starts here.
    pub(crate) fn reads_from(&self, start: u64) -> bool {
        self.state == State::Reading && self.readers.start == start
    }

    /// Where text must be held for this run.
    pub(crate) fn hold(&self) -> Option<u64> {
        let hold = self.marker_hold();
        match self.wraps.hold() {
            Some(span) => Some(hold.map_or(span, |hold| hold.min(span))),
            None => hold,
        }
    }

    fn marker_hold(&self) -> Option<u64> {
        // Nothing stands before a survivor but what has been decided, so the first mark tells.
        let first_edit = self.marks.first().filter(|mark| mark.goes() || mark.may_change());
        match (self.state, first_edit) {
            (State::Idle, _) => None,
            (_, Some(mark)) if mark.goes() || mark.alone.is_some() || self.marks.len() > 1 => {
                Some(self.survivor.unwrap_or(self.lead.start))
            }
            (_, Some(mark)) => Some(mark.at.start),
            (State::Reading, None) if self.marks.is_empty() => Some(self.survivor.unwrap_or(self.lead.start)),
            (_, None) => Some(self.after),
        }
    }

    /// A new paragraph: pinpoints are forgotten.
    pub(crate) fn new_paragraph(&mut self) {
        self.pinpoint = None;
        self.wraps.drop_span();
    }

    /// What starts at `start` or later is inside code, a link or a tag.
    pub(crate) fn forget_from(&mut self, start: u64) {
        self.wraps.forget_from(start);
        if self.start().is_some_and(|run| run >= start) {
            self.drop_run();
        }
    }

    /// Drops what is being read: it turned out to be inside code, a link or a tag.
    fn drop_run(&mut self) {
        self.state = State::Idle;
        self.marks.clear();
        self.survivor = None;
    }

    /// What is held leaves as it came.
    pub(crate) fn release(&mut self) {
        self.drop_run();
        self.wraps.drop_span();
    }

    /// Reads the character `c` at `at`; `None` is the end of the line or of the answer.
    pub(crate) fn feed(&mut self, c: Option<char>, at: u64, scene: &Scene<'_>) -> Fed {
        match self.state {
            State::Idle => match c {
                Some(c) if self.may_open(c, at, scene) => {
                    self.lead = lead::look_back(scene.text, at, scene.limits);
                    self.survivor = None;
                    self.marks.clear();
                    self.open(c, at, scene.after_label);
                    Fed::Mine
                }
                _ => {
                    self.wraps.pass(at);
                    Fed::NotMine
                }
            },
            State::Reading => self.read(c, at, scene),
            State::After => self.after(c, at, scene),
        }
    }

    fn may_open(&self, c: char, at: u64, scene: &Scene<'_>) -> bool {
        self.readers.opens(c)
            && scene.may_start
            && self.tried != Some(at)
            // `[[[[[[9]` is no marker of any syntax.
            && scene.text.char_before(at).filter(|_| at > scene.limits.line) != Some(c)
    }

    fn open(&mut self, c: char, at: u64, after_label: bool) {
        self.readers.start(c, at);
        self.after_label = after_label;
        self.state = State::Reading;
    }

    fn read(&mut self, c: Option<char>, at: u64, scene: &Scene<'_>) -> Fed {
        let (step, syntax) = match c {
            Some(c) => self.readers.step(c, at),
            None => self.readers.end(at),
        };
        match step {
            Step::Open => Fed::Mine,
            Step::Ended(end) => match self.complete(syntax, end, scene) {
                Fed::Mine | Fed::NotMine => Fed::Rewind(end),
                rewind @ Fed::Rewind(_) => rewind,
            },
            Step::Dead => self.not_a_marker(scene, true),
            Step::Done => {
                let end = at + c.map_or(0, |c| c.len_utf8() as u64);
                self.complete(syntax, end, scene)
            }
        }
    }

    /// The brackets hold no marker: the run ends before them.
    fn not_a_marker(&mut self, scene: &Scene<'_>, brackets_open: bool) -> Fed {
        let start = self.readers.start;
        self.tried = Some(start);
        self.state = State::Idle;
        if self.marks.is_empty() && self.survivor.is_none() {
            return Fed::Rewind(start);
        }
        let label = self.readers.opener == '[' && scene.text.char_before(start) == Some(']');
        if brackets_open && label && self.after == start && self.closers == 0 {
            // `[7][text]`: the first one is the text of a reference link.
            if self.marks.pop().is_some() {
                self.found.push(Found::Ambiguous);
                self.after = self.marks.last().map_or(self.survivor.unwrap_or(self.after), |last| last.at.end);
            }
            self.settle(Some('['), start, scene);
            return Fed::Rewind(start);
        }
        self.finish_run(start, scene)
    }

    fn after(&mut self, c: Option<char>, at: u64, scene: &Scene<'_>) -> Fed {
        let Some(c) = c else { return self.finish_run(at, scene) };
        let glued = at == self.after;
        let lone = self.survivor.is_none() && self.marks.last().is_none_or(Mark::goes);
        let brackets = scene.text.char_before(self.after) == Some(']');
        if glued && self.closers == 0 && c == '(' && brackets {
            return self.label(scene);
        }
        if glued
            && c == ':'
            && brackets
            && self.lead.before.is_none()
            && self.lead.wraps.is_empty()
            && self.marks.len() == 1
        {
            // `[9]: https://…`
            if let Some(mark) = self.marks.pop() {
                let footnote = scene.text.from(mark.at.start).starts_with("[^");
                self.found.push(if footnote && mark.fate == Fate::Fabricated {
                    Found::Definition { start: mark.at.start }
                } else {
                    Found::Ambiguous
                });
            }
            self.state = State::Idle;
            return Fed::NotMine;
        }
        let wraps = &self.lead.wraps;
        let closes =
            glued || (self.lead.inner < self.marks.first().map_or(0, |mark| mark.at.start) && self.is_space(at, scene));
        if closes && lone && self.closers < wraps.len() && c == lead::closer(wraps[wraps.len() - 1 - self.closers]) {
            self.closers += 1;
            self.separators = 0;
            self.after = at + c.len_utf8() as u64;
            return Fed::Mine;
        }
        if self.closers == 0 && self.may_open(c, at, scene) {
            self.open(c, at, scene.after_label);
            return Fed::Mine;
        }
        if (is_space(c) || is_separator(c)) && self.separators < MAX_SEPARATOR {
            self.separators += 1;
            return Fed::Mine;
        }
        self.finish_run(at, scene)
    }

    /// Whether nothing but spaces stands between the marks and `at`.
    fn is_space(&self, at: u64, scene: &Scene<'_>) -> bool {
        scene.text.slice(self.after..at).chars().all(is_space)
    }

    /// `[9](`: perhaps the label of a link.
    fn label(&mut self, scene: &Scene<'_>) -> Fed {
        let Some(mut last) = self.marks.pop() else { return self.finish_run(self.after, scene) };
        last.alone = None;
        let (start, end) = (last.at.start, last.at.end);
        let alone = self.marks.is_empty() && self.survivor.is_none();
        if !alone {
            self.after = self.marks.last().map_or(self.survivor.unwrap_or(start), |mark| mark.at.end);
            self.settle(Some('['), start, scene);
            self.lead = Lead { start, wraps_at: start, inner: start, wraps: Vec::new(), before: Some(']') };
            self.survivor = None;
        }
        self.marks.push(last);
        self.after = end;
        self.settle(Some('('), end, scene);
        self.found.push(Found::Label { start, at: end });
        self.state = State::Idle;
        Fed::Rewind(end)
    }
}
