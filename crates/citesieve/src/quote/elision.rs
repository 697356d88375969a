//! Elisions and editorial brackets: a quote in pieces.
//!
//! A quote is cut into pieces of words, with elisions and brackets between them, and the pieces are sought in one text,
//! in order. The search is bounded: so many pieces, so many steps.

use std::collections::HashSet;
use std::ops::Range;

use super::gap::{self, Gap};
use super::language::{self, Languages};
use super::pieces::Piece;
use super::{Bracket, Elisions, Note, edge, find, negation};
use crate::source::fold::{Class, Folded};

/// Steps of the search in one text.
const MOST_STEPS: usize = 5_000;
/// The longest gloss, in words.
const LONGEST_GLOSS: usize = 5;
/// The most words of the source that a bracket may stand for.
const MOST_REPLACED: usize = 4;
/// A fragment with fewer words must stand near its neighbour.
const SHORT_FRAGMENT: usize = 3;
/// How near, in words.
const NEAR: usize = 15;
/// The longest elision, in words.
const LONGEST_ELISION: usize = 300;

/// Where the pieces stand in a text.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// In the folded text.
    pub(super) range: Range<usize>,
    /// What an editor did.
    pub(super) notes: Vec<Note>,
}

/// Why pieces that stand in a text in order do not match all the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Refused {
    /// The negation or condition that an elision hides.
    pub(super) hidden: Option<String>,
    /// An elision in a language whose negations are not known.
    pub(super) unknown_language: bool,
    /// From the fragment before that elision to the end of the one after it: source, range of the folded text.
    pub(super) passage: Option<(usize, Range<usize>)>,
}

/// The search for a quote's pieces in one text.
pub(super) struct Search<'a> {
    pieces: &'a [Piece],
    text: &'a Folded,
    original: &'a str,
    elisions: Elisions,
    /// The quote may go on after its last piece.
    partial: bool,
    steps: usize,
    /// Where the first words stand.
    start: usize,
    failed: HashSet<(usize, usize, usize)>,
    notes: Vec<Note>,
    gaps: Vec<(usize, Gap)>,
    /// The languages of the passage last looked at.
    known: Option<(Range<usize>, Languages)>,
    pub(super) refused: Refused,
}

impl<'a> Search<'a> {
    pub(super) fn new(pieces: &'a [Piece], text: &'a Folded, original: &'a str, elisions: Elisions) -> Self {
        Search {
            pieces,
            text,
            original,
            elisions,
            partial: false,
            steps: 0,
            start: 0,
            failed: HashSet::new(),
            notes: Vec::new(),
            gaps: Vec::new(),
            known: None,
            refused: Refused::default(),
        }
    }

    /// The quote may go on after its last piece.
    pub(super) fn partial(mut self) -> Self {
        self.partial = true;
        self
    }

    /// The first place where the pieces match.
    pub(super) fn run(&mut self) -> Option<Found> {
        let words: usize =
            self.pieces.iter().map(|piece| if let Piece::Words(w) = piece { find::words(w) } else { 0 }).sum();
        if words == 0 {
            return self.partial.then(|| Found { range: 0..0, notes: Vec::new() });
        }
        let first = self.pieces.iter().position(|piece| matches!(piece, Piece::Words(_)))?;
        // Brackets before the first words: a letter changed, or a gloss.
        let mut prefix = String::new();
        if let Some(at) = first.checked_sub(1)
            && let Piece::Bracket { inner, glued_right: true, .. } = &self.pieces[at]
            && is_letters(inner)
        {
            prefix.clone_from(inner);
        }
        let Piece::Words(words) = &self.pieces[first] else { return None };
        let needle = format!("{prefix}{words}");
        let finder = memchr::memmem::Finder::new(needle.as_bytes());
        let mut from = 0;
        while self.spend() {
            let at = from + finder.find(&self.text.text.as_bytes()[from..])?;
            from = at + 1;
            if !edge::left(self.text, self.original, at) {
                continue;
            }
            self.notes.clear();
            self.start = at;
            let pieces = self.pieces;
            for (piece, bracket) in pieces[..first].iter().enumerate() {
                let Piece::Bracket { inner, .. } = bracket else { continue };
                let letters = !prefix.is_empty() && piece + 1 == first;
                if !letters && !self.may_insert(inner, at) {
                    return None;
                }
                let kind = if letters { Bracket::Letters } else { note_kind(inner) };
                self.notes.push(Note::Bracket { kind, text: inner.clone() });
            }
            if let Some(end) = self.after(first + 1, at + needle.len()) {
                return Some(Found { range: at..end, notes: std::mem::take(&mut self.notes) });
            }
        }
        None
    }

    /// Steps taken so far.
    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    fn spend(&mut self) -> bool {
        self.steps += 1;
        self.steps <= MOST_STEPS
    }

    /// Whether the pieces from `piece` on match after the folded position `at`; where they end.
    fn after(&mut self, piece: usize, at: usize) -> Option<usize> {
        if !self.spend() || self.failed.contains(&(piece, at, self.gaps.last().map_or(0, |gap| gap.0))) {
            return None;
        }
        let found = self.attempt(piece, at);
        if found.is_none() {
            self.failed.insert((piece, at, self.gaps.last().map_or(0, |gap| gap.0)));
        }
        found
    }

    fn attempt(&mut self, piece: usize, at: usize) -> Option<usize> {
        match self.pieces.get(piece) {
            None => {
                let whole = self.partial || edge::right(self.text, self.original, at);
                (whole && self.fragments_near()).then_some(at)
            }
            Some(Piece::Words(words)) => self.words(piece, words, at, false),
            Some(Piece::Elision) => self.elision(piece, at),
            Some(Piece::Bracket { open, .. }) if self.partial && (*open || piece + 1 == self.pieces.len()) => Some(at),
            Some(Piece::Bracket { inner, glued_left, glued_right, .. }) => {
                self.bracket(piece, inner, *glued_left, *glued_right, at)
            }
        }
    }

    /// Words that stand right at `at`.
    fn words(&mut self, piece: usize, words: &str, at: usize, glued: bool) -> Option<usize> {
        let haystack = &self.text.text;
        for start in [at, at + 1] {
            if start > at && (glued || haystack.as_bytes().get(at) != Some(&b' ')) {
                break;
            }
            let rest = haystack.get(start..)?;
            if rest.starts_with(words)
                && (glued || edge::left(self.text, self.original, start))
                && let Some(end) = self.after(piece + 1, start + words.len())
            {
                return Some(end);
            }
        }
        None
    }

    fn elision(&mut self, piece: usize, at: usize) -> Option<usize> {
        if !edge::right(self.text, self.original, at) {
            return None;
        }
        let Some(next) = self.pieces.get(piece + 1) else { return self.partial.then_some(at) };
        let (words, next) = match next {
            Piece::Words(words) => (words.clone(), piece + 2),
            Piece::Bracket { open: true, .. } if self.partial => return Some(at),
            Piece::Bracket { inner, glued_right: true, .. } if is_letters(inner) => match self.pieces.get(piece + 2) {
                Some(Piece::Words(words)) => (format!("{inner}{words}"), piece + 3),
                _ => return None,
            },
            Piece::Bracket { inner, .. } if self.may_insert(inner, at) => match self.pieces.get(piece + 2) {
                Some(Piece::Words(words)) => (words.clone(), piece + 3),
                _ => return None,
            },
            _ => return None,
        };
        let window = &self.text.text[at..gap::reach(&self.text.text, at, LONGEST_ELISION)];
        let limit = (at + window.len() + words.len()).min(self.text.text.len());
        let finder = memchr::memmem::Finder::new(words.as_bytes());
        let mut from = at;
        while self.spend() {
            let Some(found) = finder.find(&self.text.text.as_bytes()[from..limit]) else { break };
            let start = from + found;
            from = start + 1;
            if !edge::left(self.text, self.original, start) {
                continue;
            }
            let gap = gap::between(self.text, self.original, at..start);
            let mut languages = self.languages(at..start);
            if languages.is_empty() && self.elisions == Elisions::AnyLanguage {
                languages = Languages::all();
            }
            if languages.is_empty() {
                self.refused.unknown_language = true;
                self.refuse(start + words.len());
                continue;
            }
            if let Some(hidden) = gap.hidden(&self.text.text, languages) {
                self.refused.hidden.get_or_insert(hidden);
                self.refuse(start + words.len());
                continue;
            }
            self.gaps.push((piece, gap));
            self.notes.push(Note::Elision { words: gap.words });
            if let Some(end) = self.after(next, start + words.len()) {
                return Some(end);
            }
            self.notes.pop();
            self.gaps.pop();
        }
        None
    }

    fn refuse(&mut self, end: usize) {
        let start = self.start;
        self.refused.passage.get_or_insert((0, start..end));
    }

    /// The languages that the passage around a gap may be in.
    fn languages(&mut self, gap: Range<usize>) -> Languages {
        if let Some((near, languages)) = &self.known
            && near.contains(&gap.start)
        {
            return *languages;
        }
        let languages = language::languages(gap::surroundings(&self.text.text, gap.clone()));
        self.known = Some((gap.start.saturating_sub(500)..gap.start + 500, languages));
        languages
    }

    fn bracket(&mut self, piece: usize, inner: &str, glued_left: bool, glued_right: bool, at: usize) -> Option<usize> {
        let note = |kind| Note::Bracket { kind, text: inner.to_owned() };
        let kept = self.notes.len();
        // The letters are the source's own: `[t]he`, `lease[s]`.
        if (glued_left || glued_right) && is_letters(inner) {
            let from = if glued_left || self.text.text.as_bytes().get(at) != Some(&b' ') { at } else { at + 1 };
            if self.text.text[from..].starts_with(inner) {
                self.notes.push(note(Bracket::Letters));
                let end = from + inner.len();
                let next = match self.pieces.get(piece + 1) {
                    Some(Piece::Words(words)) if glued_right => self.words(piece + 1, &words.clone(), end, true),
                    _ => self.after(piece + 1, end),
                };
                if next.is_some() {
                    return next;
                }
                self.notes.truncate(kept);
            }
        }
        if glued_right && is_letters(inner) && self.pieces.get(piece + 1).is_some_and(starts_with_letter) {
            return None;
        }
        if !edge::right(self.text, self.original, at) || !self.may_insert(inner, at) {
            return None;
        }
        // The word of the source was completed, or something was inserted.
        let kind = if glued_left && is_letters(inner) && self.ends_with_letter(at) {
            Bracket::Completed
        } else {
            note_kind(inner)
        };
        self.notes.push(note(kind));
        if let Some(end) = self.after(piece + 1, at) {
            return Some(end);
        }
        self.notes.truncate(kept);
        if kind != Bracket::Gloss {
            return None;
        }
        // It stands for a few words of the source.
        let mut to = at;
        for _ in 0..MOST_REPLACED {
            to = gap::reach(&self.text.text, to, 1);
            let replaced = &self.text.text[at..to];
            if replaced.chars().any(|c| Class::of(c) == Class::Digit)
                || replaced.contains(['.', '!', '?', '。'])
                || self.negates(replaced, at)
                || !edge::right(self.text, self.original, to)
            {
                break;
            }
            self.notes.push(note(Bracket::Replaced));
            if let Some(end) = self.after(piece + 1, to) {
                return Some(end);
            }
            self.notes.truncate(kept);
        }
        None
    }

    /// Whether an editor may put this between the source's words.
    fn may_insert(&mut self, inner: &str, at: usize) -> bool {
        is_note(inner)
            || find::words(inner) <= LONGEST_GLOSS
                && !inner.chars().any(|c| {
                    Class::of(c) == Class::Digit || Class::of(c) == Class::Operator || Class::of(c) == Class::Percent
                })
                && !self.negates(inner, at)
    }

    /// Whether a negation or condition stands in this, in the languages that the passage at `at` may be in.
    fn negates(&mut self, folded: &str, at: usize) -> bool {
        let known = self.languages(at..at);
        let languages = if known.is_empty() { Languages::all() } else { known };
        languages.iter().any(|language| negation::hidden_word(folded, language).is_some())
    }

    fn ends_with_letter(&self, at: usize) -> bool {
        self.text.text[..at].chars().next_back().is_some_and(char::is_alphabetic)
    }

    /// Every short fragment stands near a neighbour, in the same sentence.
    fn fragments_near(&self) -> bool {
        let near =
            |at: usize| self.gaps.iter().any(|(piece, gap)| *piece == at && gap.words < NEAR && !gap.ends_sentence());
        let mut words = 0;
        let mut before = None;
        for (at, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Words(piece) => words += find::words(piece),
                Piece::Bracket { .. } => {}
                Piece::Elision => {
                    if words < SHORT_FRAGMENT && !(before.is_some_and(near) || near(at)) {
                        return false;
                    }
                    before = Some(at);
                    words = 0;
                }
            }
        }
        self.partial || before.is_none() || words >= SHORT_FRAGMENT || before.is_some_and(near)
    }
}

fn starts_with_letter(piece: &Piece) -> bool {
    matches!(piece, Piece::Words(words) if words.starts_with(char::is_alphabetic))
}

fn is_letters(inner: &str) -> bool {
    !inner.is_empty() && inner.chars().all(|c| c.is_alphabetic() || unicode_normalization::char::is_combining_mark(c))
}

fn note_kind(inner: &str) -> Bracket {
    if is_note(inner) { Bracket::Note } else { Bracket::Gloss }
}

/// What editors say about the quote rather than in it.
fn is_note(inner: &str) -> bool {
    const NOTES: &[&str] = &[
        "sic",
        "sic!",
        "!",
        "?",
        "emphasis added",
        "emphasis mine",
        "emphasis in original",
        "emphasis ours",
        "our emphasis",
        "my emphasis",
        "italics added",
        "italics mine",
        "original emphasis",
        "citation omitted",
        "citations omitted",
        "footnote omitted",
        "footnotes omitted",
        "internal quotation marks omitted",
        "internal citations omitted",
        "translation mine",
        "my translation",
        "our translation",
        "hervorhebung hinzugefügt",
        "hervorhebung im original",
        "souligné par nous",
        "nous soulignons",
        "énfasis añadido",
        "corsivo mio",
        "grifo nosso",
        "cursivering toegevoegd",
        "原文ママ",
        "ママ",
        "原文如此",
        "强调为笔者所加",
        "так в тексте",
        "sic passim",
        "recte",
    ];
    NOTES.contains(&inner)
}
