//! Block quotations: demotion (rules, section 4).
//!
//! A block quotation promises the exact words of a source. While it streams, a cursor per paragraph follows the words
//! through the sources; the block is held as long as it can still turn out real, and loses its `>` at the first
//! character after which it can't.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use crate::ledger::{Ledger, Place};
use crate::quote::{Class, Cursor, Elisions, Match, State as Words};
use crate::scan::buffer::Buffer;
use crate::scan::is_space;
use crate::{BlockClass, Sources};

/// A line that opens with a dash and is longer than this is no attribution (bytes).
const MAX_ATTRIBUTION: u64 = 400;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It may still turn out real.
    Open,
    /// It lost its marks.
    Demoted,
    /// It stays as it is, for this reason.
    Settled(BlockClass),
}

/// A paragraph with more brackets than this is no quotation: each could be a gloss, and all would have to be tried.
const MAX_BRACKETS: u32 = 64;
/// A block that is longer than this is not judged (bytes), also where it need not be held.
const MAX_BLOCK: u64 = 64 * 1024;

/// Text that is not part of the words.
#[derive(Debug)]
struct Skip {
    at: Range<u64>,
    /// Whether a paragraph ends here.
    ends_paragraph: bool,
}

/// What is known at the end of a block.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) class: BlockClass,
    pub(crate) sources: Vec<String>,
    pub(crate) cited: Vec<String>,
    pub(crate) matches: Vec<Match>,
}

/// One block quotation.
#[derive(Debug)]
pub(crate) struct BlockQuote {
    pub(crate) start: u64,
    /// Where it starts and where its last line ended.
    pub(crate) places: (Place, Place),
    sources: Arc<Sources>,
    elisions: Elisions,
    state: State,
    /// Its `>`, each with the space after it, that have not become edits.
    marks: Vec<Range<u64>>,
    paragraphs: Vec<Cursor>,
    current: Option<Cursor>,
    /// Everything before this was given to a cursor or skipped.
    fed: u64,
    skips: VecDeque<Skip>,
    /// From here on the text may be the attribution, which is not part of the words.
    attribution: Option<u64>,
    /// Whether the paragraph opens with a quotation mark, and whether one was closed just now.
    quoted: bool,
    closed: bool,
    /// Whether any words were read, and whether the line before opened with a dash.
    has_words: bool,
    /// Opening brackets in the paragraph that are no marker's.
    brackets: u32,
    was_dash: bool,
    /// Whether the first line is still to be looked at: it may be a callout.
    first: bool,
    has_code: bool,
    cited: Vec<String>,
    cites_nobody: bool,
    /// Whether some source has no text, so that the words could be its: which it cites decides, at its end.
    some_without_text: bool,
    /// Whether no text has its words.
    lost: bool,
    /// Whether it cites a source that has no text.
    cites_without_text: bool,
    /// Whether the claims were told that it opens.
    pub(crate) announced: bool,
    /// The most that was held for it, in bytes.
    pub(crate) largest: u64,
}

impl BlockQuote {
    pub(crate) fn new(start: u64, sources: &Arc<Sources>, elisions: Elisions, ledger: &mut Ledger) -> Self {
        let state = if sources.has_text() { State::Open } else { State::Settled(BlockClass::Unchecked) };
        BlockQuote {
            start,
            places: (ledger.place(start), ledger.place(start)),
            sources: Arc::clone(sources),
            elisions,
            state,
            marks: Vec::new(),
            paragraphs: Vec::new(),
            current: None,
            fed: start,
            skips: VecDeque::new(),
            attribution: None,
            quoted: false,
            closed: false,
            has_words: false,
            brackets: 0,
            was_dash: false,
            first: true,
            has_code: false,
            cited: Vec::new(),
            cites_nobody: false,
            some_without_text: sources.list().iter().any(|source| source.text.is_none()),
            lost: false,
            cites_without_text: false,
            announced: false,
            largest: 0,
        }
    }

    /// Where text must be held for this block.
    pub(crate) fn hold(&self) -> Option<u64> {
        match self.state {
            State::Open if self.cites_without_text => None,
            State::Open => Some(self.start),
            State::Demoted => self.marks.first().map(|mark| mark.start),
            State::Settled(_) => None,
        }
    }

    /// A `>` at `at`.
    pub(crate) fn mark(&mut self, at: u64) {
        if !matches!(self.state, State::Settled(_)) {
            self.marks.push(at..at + 1);
        }
    }

    /// The space after the last `>`.
    pub(crate) fn mark_space(&mut self) {
        if let Some(mark) = self.marks.last_mut() {
            mark.end += 1;
        }
    }

    /// The marks that are to be removed now.
    pub(crate) fn take_marks(&mut self) -> Vec<Range<u64>> {
        if self.state == State::Demoted { std::mem::take(&mut self.marks) } else { Vec::new() }
    }

    /// The content of a line starts at `content`; `structure` is where the marks of the line ended.
    pub(crate) fn line(&mut self, line: u64, structure: u64, content: u64, verbatim: bool, text: &Buffer) {
        if self.state != State::Open {
            return;
        }
        self.skips.push_back(Skip { at: line..content, ends_paragraph: false });
        if verbatim {
            self.has_code = true;
            self.first = false;
            return;
        }
        let first = text.from(structure).trim_start_matches(is_space).chars().next();
        let dash = matches!(first, Some('-' | '‐' | '‑' | '‒' | '–' | '—' | '―' | '⸺'));
        self.attribution = None;
        if dash && self.has_words && !self.was_dash {
            self.attribution = Some(line);
        }
        self.was_dash = dash;
    }

    /// A line that holds nothing but structure ended before `end`.
    pub(crate) fn blank_line(&mut self, line: u64, end: u64) {
        if self.state == State::Open {
            self.skips.push_back(Skip { at: line..end, ends_paragraph: false });
        }
    }

    /// The line up to `end` is over; `verbatim` if it was code.
    pub(crate) fn line_end(&mut self, line: u64, end: u64, verbatim: bool, ledger: &mut Ledger) {
        ledger.move_place(self.places.1, end);
        if verbatim && self.state == State::Open {
            self.skips.push_back(Skip { at: line..end, ends_paragraph: true });
        }
    }

    /// A paragraph of the block ended before `at`.
    pub(crate) fn paragraph_end(&mut self, at: u64, text: &Buffer) {
        if self.state == State::Open {
            self.skips.push_back(Skip { at: at..at, ends_paragraph: true });
            self.feed(at, text);
        }
    }

    /// A marker, which is not part of the words.
    pub(crate) fn marker(&mut self, at: Range<u64>, real: bool, cited: &[String]) {
        if !real {
            self.cites_nobody = true;
        }
        let cited = if real { cited } else { &[] };
        for id in cited {
            if !self.cited.contains(id) {
                self.cites_without_text |= is_without_text(&self.sources, id);
                self.cited.push(id.clone());
            }
        }
        if self.state == State::Open {
            let index = self.skips.partition_point(|skip| skip.at.start <= at.start);
            self.skips.insert(index, Skip { at, ends_paragraph: false });
        }
    }

    /// Reads the words up to `to`.
    pub(crate) fn feed(&mut self, to: u64, text: &Buffer) {
        while self.state == State::Open && self.fed < to {
            if let Some(from) = self.attribution {
                if to - from > MAX_ATTRIBUTION {
                    self.attribution = None;
                } else if self.fed >= from {
                    break;
                }
            }
            if self.skip(to) {
                continue;
            }
            let Some(c) = text.char_at(self.fed) else { break };
            if self.first && !self.look_for_callout(c, to, text) {
                break;
            }
            self.read(c, text);
        }
        if self.state == State::Open {
            self.skip(to);
        }
    }

    /// Passes what is not part of the words; says whether there was any.
    fn skip(&mut self, to: u64) -> bool {
        let Some(skip) = self.skips.front() else { return false };
        let held_back = self.attribution.is_some_and(|from| skip.at.start >= from);
        if held_back || skip.at.start > self.fed || skip.at.start > to {
            return false;
        }
        self.fed = self.fed.max(skip.at.end);
        let ends = skip.ends_paragraph;
        self.skips.pop_front();
        if ends {
            self.end_paragraph();
        }
        true
    }

    /// `> [!NOTE]` is a callout. Says whether the first character is decided.
    fn look_for_callout(&mut self, c: char, to: u64, text: &Buffer) -> bool {
        if c == '[' {
            if self.fed + 1 >= to {
                return false;
            }
            if text.char_at(self.fed + 1) == Some('!') {
                self.settle(BlockClass::Context);
                return false;
            }
        }
        self.first = false;
        true
    }

    fn read(&mut self, c: char, text: &Buffer) {
        let at = self.fed;
        self.fed += c.len_utf8() as u64;
        if self.current.is_none() {
            if c.is_whitespace() {
                return;
            }
            self.quoted = is_quote_mark(c);
            self.closed = false;
            self.brackets = 0;
            self.current = Some(Cursor::new(Arc::clone(&self.sources)).with_elisions(self.elisions));
        }
        if self.quoted && self.closed && matches!(c, '—' | '–' | '―' | '-') {
            // `“…” — Lease, clause 9`
            self.attribution = Some(at);
            self.fed = at;
            return;
        }
        if is_quote_mark(c) {
            self.closed = self.has_words;
        } else if c.is_alphanumeric() {
            self.closed = false;
            self.has_words = true;
        }
        let Some(cursor) = &mut self.current else { return };
        let mut state = cursor.push(text.slice(at..self.fed));
        self.brackets += u32::from(c == '[');
        if self.brackets > MAX_BRACKETS {
            state = Words::Dead;
        }
        if state == Words::Dead {
            self.lose();
        }
    }

    fn end_paragraph(&mut self) {
        let Some(cursor) = self.current.take() else { return };
        let class = cursor.finish(&[]).class;
        if matches!(class, Class::NotFound | Class::Altered) {
            self.lose();
        }
        self.paragraphs.push(cursor);
    }

    /// No text has these words.
    fn lose(&mut self) {
        self.lost = true;
        if !self.some_without_text {
            self.demote();
        }
    }

    fn demote(&mut self) {
        self.largest = self.largest.max(self.fed - self.start);
        self.state = State::Demoted;
        self.paragraphs.clear();
        self.current = None;
        self.skips.clear();
    }

    fn settle(&mut self, class: BlockClass) {
        self.state = State::Settled(class);
        self.marks.clear();
        self.paragraphs.clear();
        self.current = None;
        self.skips.clear();
    }

    /// Whether its text is read as prose: it was demoted, or is a callout.
    pub(crate) fn is_prose(&self) -> bool {
        matches!(self.state, State::Demoted | State::Settled(BlockClass::Context))
    }

    /// How many more bytes it may have at `at`, while it is open.
    pub(crate) fn room(&self, at: u64) -> Option<u64> {
        self.is_open().then(|| MAX_BLOCK.saturating_sub(at - self.start))
    }

    /// Whether it is still open.
    pub(crate) fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// It was held as long as the policy allows: it stays as it is.
    pub(crate) fn release(&mut self) {
        if self.state == State::Open {
            self.settle(BlockClass::Unchecked);
        } else {
            self.marks.clear();
        }
    }

    /// The block is complete.
    pub(crate) fn finish(&mut self, at: u64, text: &Buffer) -> Outcome {
        if self.state == State::Open {
            self.unless_attribution(at, text);
            self.feed(at, text);
        }
        if self.state == State::Open {
            self.end_paragraph();
        }
        let cited = std::mem::take(&mut self.cited);
        let (class, matches) = match self.state {
            State::Settled(class) => (class, Vec::new()),
            State::Demoted => (BlockClass::NotFound, Vec::new()),
            State::Open => self.judge(&cited),
        };
        let mut sources: Vec<String> = Vec::new();
        for found in &matches {
            if !sources.contains(&found.id) {
                sources.push(found.id.clone());
            }
        }
        if self.state == State::Open {
            if class == BlockClass::NotFound { self.demote() } else { self.settle(class) }
        }
        Outcome { class, sources, cited, matches }
    }

    /// What looked like an attribution is words after all if it opens with a number or if nothing else was said.
    fn unless_attribution(&mut self, at: u64, text: &Buffer) {
        let Some(from) = self.attribution else { return };
        let line = text.slice(from..at);
        let words = line.trim_start_matches(|c: char| is_space(c) || c == '>').chars().nth(1);
        if words.is_some_and(|c| c.is_ascii_digit()) {
            self.attribution = None;
        }
    }

    fn judge(&self, cited: &[String]) -> (BlockClass, Vec<Match>) {
        if self.lost {
            // Without a marker any source will do (rules, section 5), one without a text too.
            let open = self.cites_without_text || cited.is_empty() && !self.cites_nobody;
            return (if open { BlockClass::Unchecked } else { BlockClass::NotFound }, Vec::new());
        }
        let cites: Vec<&str> = cited.iter().map(String::as_str).collect();
        let mut matches: Vec<Match> = Vec::new();
        let mut class =
            if self.paragraphs.is_empty() && self.has_code { BlockClass::Context } else { BlockClass::TooShort };
        for paragraph in &self.paragraphs {
            let finding = paragraph.finish(&cites);
            matches.extend(finding.matches);
            let this = match finding.class {
                Class::Verified if cited.is_empty() && self.cites_nobody => BlockClass::Misattributed,
                Class::Verified => BlockClass::Verified,
                Class::Misattributed => BlockClass::Misattributed,
                Class::Unchecked => BlockClass::Unchecked,
                Class::TooShort => continue,
                Class::NotFound | Class::Altered => return (BlockClass::NotFound, Vec::new()),
            };
            class = worse(class, this);
        }
        (class, matches)
    }
}

/// Whether nothing can be checked against the source with this id.
fn is_without_text(sources: &Sources, id: &str) -> bool {
    let texts = sources.with_id(id);
    !texts.is_empty() && texts.iter().all(|&index| sources.list()[index].text.is_none())
}

/// The class of a block of which two paragraphs have these classes.
fn worse(a: BlockClass, b: BlockClass) -> BlockClass {
    let rank = |class: BlockClass| match class {
        BlockClass::TooShort | BlockClass::Context => 0,
        BlockClass::Verified => 1,
        BlockClass::Unchecked => 2,
        BlockClass::Misattributed => 3,
        BlockClass::NotFound => 4,
    };
    if rank(b) > rank(a) { b } else { a }
}

fn is_quote_mark(c: char) -> bool {
    matches!(
        c,
        '"' | '“'
            | '”'
            | '„'
            | '‟'
            | '«'
            | '»'
            | '‹'
            | '›'
            | '‘'
            | '‚'
            | '「'
            | '」'
            | '『'
            | '』'
            | '《'
            | '》'
            | '＂'
    )
}
