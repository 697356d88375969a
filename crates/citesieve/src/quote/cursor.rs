//! Matching while the quote is still being written.

use std::sync::Arc;

use memchr::memmem::Finder;

use super::check::{self, LONGEST_QUOTE};
use super::elision::Search;
use super::pieces;
use super::{Elisions, Finding, edge, find};
use crate::Sources;
use crate::source::fold::{Folder, Reading};

/// Steps that all searches for pieces of one quote may take together.
const MOST_STEPS: usize = 100_000;

/// Whether a quote that is still being written can turn out real.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// A source may still have it.
    Alive,
    /// No continuation of it is in any source.
    Dead,
}

/// A place in the sources: position in the list, byte of the folded text.
type Place = (usize, usize);

/// A quote that is being written, held against all sources at once.
///
/// Keeps the text pushed so far (at most 64 KiB; past that it is dead) and the first place where a source has it. That
/// place only ever moves forward, so what a character costs does not depend on the size of the sources once few of them
/// are left. A quote with elisions or brackets is sought in the sources that had it so far.
#[derive(Debug, Clone)]
pub struct Cursor {
    sources: Arc<Sources>,
    raw: String,
    folder: Folder,
    /// How much of `raw` the folder has read.
    read: usize,
    /// The first place that has the folded text so far as it stands; `None` when there is none.
    place: Option<Place>,
    /// How much of the folded text is known to stand there.
    matched: usize,
    /// The same for what can no longer change: up to the word being written.
    sure: (usize, Option<Place>),
    /// How much of the folded text holds no word, and how much was judged.
    blank: usize,
    judged: usize,
    /// Sources that may have the quote in pieces.
    candidates: Option<Vec<usize>>,
    steps: usize,
    state: State,
    elisions: Elisions,
}

impl Cursor {
    /// A quote of which nothing was written yet.
    pub fn new(sources: Arc<Sources>) -> Self {
        Cursor {
            sources,
            raw: String::new(),
            folder: Folder::new(Reading::Quote),
            read: 0,
            place: Some((0, 0)),
            matched: 0,
            sure: (0, Some((0, 0))),
            blank: 0,
            judged: 0,
            candidates: None,
            steps: 0,
            state: State::Alive,
            elisions: Elisions::default(),
        }
    }

    /// With a choice of what elisions are taken to be.
    #[must_use]
    pub fn with_elisions(mut self, elisions: Elisions) -> Self {
        self.elisions = elisions;
        self
    }

    /// Goes on writing. Once dead it stays so and keeps nothing more.
    pub fn push(&mut self, piece: &str) -> State {
        for c in piece.chars() {
            if self.raw.len() + c.len_utf8() > LONGEST_QUOTE {
                self.die();
            }
            if self.state == State::Dead {
                return State::Dead;
            }
            self.raw.push(c);
            let before = self.folder.out.len();
            self.read = self.folder.push(&self.raw, self.read, false);
            let rewritten = self.folder.take_rewritten();
            if rewritten.is_some() || self.folder.out.len() != before {
                self.judge(rewritten);
            }
        }
        self.state
    }

    /// Whether the quote can still turn out real.
    pub fn state(&self) -> State {
        self.state
    }

    /// What [`super::check_as`] says about all that was pushed. The quote may go on afterwards.
    ///
    /// After death nothing more was kept: the finding is about the text up to there, and never `Verified`.
    pub fn finish(&self, cited: &[&str]) -> Finding {
        check::check_as(&self.sources, cited, &self.raw, self.elisions)
    }

    fn die(&mut self) {
        self.state = State::Dead;
        self.candidates = None;
    }

    /// Follows the folded text; `rewritten` is where its last word was changed.
    fn judge(&mut self, rewritten: Option<usize>) {
        if rewritten.is_some_and(|from| from < self.matched) {
            (self.matched, self.place) = self.sure;
        }
        let sources = Arc::clone(&self.sources);
        if self.blank == self.judged && find::is_edge(&self.folder.out[self.blank..]) && rewritten.is_none() {
            self.blank = self.folder.out.len();
            self.judged = self.blank;
            return;
        }
        self.judged = self.folder.out.len();
        let needle = find::trim_start(&self.folder.out);
        if needle.is_empty() {
            return;
        }
        let skipped = self.folder.out.len() - needle.len();
        if let Some(place) = self.place {
            let known = self.matched.saturating_sub(skipped);
            self.place = follow(&sources, place, needle, known);
            self.matched = self.folder.out.len();
            let word = self.folder.word_start();
            if word > self.sure.0 && word > skipped {
                // All places before this one lack even a part of the text, and that part can no longer change.
                let part = &self.folder.out[skipped..word];
                let known = self.sure.0.saturating_sub(skipped);
                self.sure = (word, self.sure.1.and_then(|place| follow(&sources, place, part, known)));
            }
            if self.place.is_some() {
                return;
            }
        }
        let out = self.folder.out.clone();
        if self.in_pieces(&out, true) {
            return;
        }
        if self.folder.is_part() {
            return;
        }
        // The last letter may still get a mark, the last word a letter of another alphabet.
        for ending in self.folder.endings(&self.raw) {
            let other = format!("{}{ending}", &out[..self.folder.word_start()]);
            let trimmed = find::trim_start(&other);
            if follow(&sources, (0, 0), trimmed, 0).is_some() || self.in_pieces(&other, false) {
                return;
            }
        }
        self.die();
    }

    /// Whether a source may have the text in pieces, or whole if it ends here. `narrow` keeps only those sources.
    fn in_pieces(&mut self, folded: &str, narrow: bool) -> bool {
        let needle = find::trim_start(folded);
        // `(...)` begins with a parenthesis.
        let open = needle.trim_end_matches(['.', ' ']);
        let whole = find::trim_end(open.strip_suffix('(').unwrap_or(needle));
        let ends = whole.len() < needle.len();
        let pieces = pieces::pieces(folded);
        if !ends && pieces.is_none() || self.steps > MOST_STEPS {
            return false;
        }
        let all = (0..self.sources.list().len()).collect();
        let candidates: Vec<usize> = self.candidates.take().unwrap_or(all);
        let finder = Finder::new(whole.as_bytes());
        let mut steps = 0;
        let alive = |&index: &usize| {
            let Some((original, text)) = self.sources.text(index) else { return false };
            if ends && find::find(text, original, &finder).is_some() {
                return true;
            }
            pieces.as_deref().is_some_and(|pieces| {
                let mut search = Search::new(pieces, text, original, self.elisions).partial();
                let found = search.run().is_some();
                steps += search.steps();
                found
            })
        };
        let left: Vec<usize> = if narrow {
            candidates.into_iter().filter(alive).collect()
        } else {
            let any = candidates.iter().any(alive);
            if any { candidates } else { Vec::new() }
        };
        self.steps += steps;
        let any = !left.is_empty();
        self.candidates = any.then_some(left);
        any
    }
}

/// The first place from `place` on where a source has the needle, given that `known` bytes of it stand at `place`.
fn follow(sources: &Sources, place: Place, needle: &str, known: usize) -> Option<Place> {
    let (mut index, mut at) = place;
    if known > 0
        && let Some((_, text)) = sources.text(index)
        && text.text.as_bytes()[at..].get(known..).is_some_and(|rest| rest.starts_with(&needle.as_bytes()[known..]))
    {
        return Some(place);
    }
    let finder = Finder::new(needle.as_bytes());
    while index < sources.list().len() {
        if let Some((original, text)) = sources.text(index) {
            let haystack = text.text.as_bytes();
            while let Some(found) = haystack.get(at..).and_then(|rest| finder.find(rest)) {
                at += found;
                if edge::left(text, original, at) {
                    return Some((index, at));
                }
                at += 1;
            }
        }
        index += 1;
        at = 0;
    }
    None
}
