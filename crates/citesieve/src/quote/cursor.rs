//! Matching while the quote is still being written.

use std::sync::Arc;

use super::check::{self, LONGEST_QUOTE};
use super::elision::{self, Search};
use super::{Finding, edge, find};
use crate::Sources;
use crate::source::fold::{Folder, Reading};

/// Whether a quote that is still being written can turn out real.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// A source may still have it.
    Alive,
    /// No continuation of it is in any source.
    Dead,
}

/// A quote that is being written, held against all sources at once.
///
/// Keeps the text pushed so far (at most 64 KiB; past that it is dead) and the first place where a source has it. That
/// place only ever moves forward, so what a character costs does not depend on the size of the sources.
#[derive(Debug, Clone)]
pub struct Cursor {
    sources: Arc<Sources>,
    raw: String,
    folder: Folder,
    read: usize,
    seen: usize,
    state: State,
}

impl Cursor {
    /// A quote of which nothing was written yet.
    pub fn new(sources: Arc<Sources>) -> Self {
        Cursor {
            sources,
            raw: String::new(),
            folder: Folder::new(Reading::Quote),
            read: 0,
            seen: 0,
            state: State::Alive,
        }
    }

    /// Goes on writing. Once dead it stays so and keeps nothing more.
    pub fn push(&mut self, piece: &str) -> State {
        for c in piece.chars() {
            if self.raw.len() + c.len_utf8() > LONGEST_QUOTE {
                self.state = State::Dead;
            }
            if self.state == State::Dead {
                return State::Dead;
            }
            self.raw.push(c);
            self.read = self.folder.push(&self.raw, self.read, false);
            if self.folder.out.len() != self.seen {
                self.seen = self.folder.out.len();
                self.judge();
            }
        }
        self.state
    }

    /// Whether the quote can still turn out real.
    pub fn state(&self) -> State {
        self.state
    }

    /// What [`super::check`] says about all that was pushed. The quote may go on afterwards.
    pub fn finish(&self, cited: &[&str]) -> Finding {
        check::check(&self.sources, cited, &self.raw)
    }

    fn judge(&mut self) {
        let needle = find::trim_start(&self.folder.out);
        if needle.is_empty() || self.literal(needle) {
            return;
        }
        let whole = find::trim_end(needle);
        let alive = (0..self.sources.list().len()).any(|index| {
            let Some((original, text)) = self.sources.text(index) else { return false };
            if whole.len() < needle.len() {
                let finder = memchr::memmem::Finder::new(whole.as_bytes());
                if find::find(text, original, &finder).is_some() {
                    return true;
                }
            }
            elision::pieces(&self.folder.out)
                .is_some_and(|pieces| Search::new(&pieces, text, original, true).run().is_some())
        });
        if !alive {
            self.state = State::Dead;
        }
    }

    /// Whether a source has the text so far, as it stands.
    fn literal(&self, needle: &str) -> bool {
        let finder = memchr::memmem::Finder::new(needle.as_bytes());
        (0..self.sources.list().len()).any(|index| {
            self.sources.text(index).is_some_and(|(original, text)| {
                finder.find_iter(text.text.as_bytes()).any(|at| edge::left(text, original, at))
            })
        })
    }
}
