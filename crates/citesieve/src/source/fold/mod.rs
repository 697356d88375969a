//! The normaliser: one for quotes, block quotations and sources.
//!
//! It folds what a typesetter changed and never what an author wrote (rules, section 5). Characters come in, folded
//! characters go out, and a [`Map`] leads back from each folded byte to the bytes it came from.
//!
//! What stands between two characters of words (spaces, line breaks, hyphens, dashes) is gathered in a [`Gap`] and
//! written when the next character shows what it was; see `gap.rs`. Everything else is decided at most a few
//! characters ahead, so the same code reads whole sources and quotes that are still being written.

mod ascii;
mod class;
mod compat;
mod entity;
mod gap;
mod lookalike;
mod map;
mod markup;
mod native;
mod step;
mod table;
mod word;

pub(crate) use class::Class;
pub(crate) use map::Map;

use gap::Gap;

use super::Format;

/// A folded text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Folded {
    /// The folded characters.
    pub(crate) text: String,
    /// Where each came from.
    pub(crate) map: Map,
}

impl Folded {
    /// Bytes of memory.
    pub(crate) fn size(&self) -> usize {
        size_of::<Self>() + self.text.len() + self.map.size()
    }
}

/// Folds a whole source.
pub(crate) fn fold_source(text: &str, format: Format) -> Folded {
    fold(text, Reading::of(text, format))
}

/// Folds a whole quote.
pub(crate) fn fold_quote(text: &str) -> Folded {
    fold(text, Reading::Quote)
}

fn fold(text: &str, reading: Reading) -> Folded {
    let mut folder = Folder::new(reading);
    folder.out.reserve(text.len());
    folder.push(text, 0, true);
    folder.out.shrink_to_fit();
    Folded { text: folder.out, map: folder.map }
}

/// How markup is read. Inline markup (emphasis, links, tags, entities) is the same for all, so that a quote and its
/// source fold alike; they differ in what starts a line and in what is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// A quote, written in Markdown.
    Quote,
    /// Plain text: nothing at the start of a line is markup.
    Plain,
    /// Markdown.
    Markdown,
    /// An HTML document.
    Html,
}

impl Reading {
    fn of(text: &str, format: Format) -> Reading {
        match format {
            Format::Plain => Reading::Plain,
            Format::Markdown => Reading::Markdown,
            Format::Html => Reading::Html,
            Format::Auto if looks_like_html(text) => Reading::Html,
            Format::Auto => Reading::Quote,
        }
    }
}

/// Whether a text is an HTML document or a piece of one: it begins with a tag and closes one.
fn looks_like_html(text: &str) -> bool {
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    start.starts_with('<')
        && matches!(markup::tag(start, true), markup::Found::Yes(..))
        && memchr::memmem::find(text.as_bytes(), b"</").is_some()
}

/// The state of folding between two characters.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    reading: Reading,
    /// What was folded so far. Its last word may still be rewritten (a combining mark, a look-alike letter).
    pub(crate) out: String,
    map: Map,
    /// What the last folded character is.
    prev: Class,
    /// What was read since.
    gap: Gap,
    /// Start of the word being written, in `out`.
    word: usize,
    /// Alphabets seen in it, as a set of bits.
    alphabets: u8,
    /// Whether the last folded character is a digit in another guise (`²`, `½`).
    disguised: bool,
    /// Sign to write before a digit that follows a digit directly: after `<sup>`, `<sub>`.
    shift: Option<char>,
    /// Whether the line is a row of a Markdown table.
    row: bool,
    /// A straight quotation mark, single or double, was opened and not closed.
    open: [bool; 2],
    /// The first byte of `out` that was changed after it was written, since somebody last asked.
    rewritten: Option<usize>,
    /// No comment or hidden element ends after this; saves looking again.
    unclosed: bool,
}

impl Folder {
    pub(crate) fn new(reading: Reading) -> Self {
        Folder {
            reading,
            out: String::new(),
            map: Map::default(),
            prev: Class::Start,
            gap: Gap::default(),
            word: 0,
            alphabets: 0,
            disguised: false,
            shift: None,
            row: false,
            open: [false; 2],
            rewritten: None,
            unclosed: false,
        }
    }

    /// Folds `raw[from..]` as far as it can be decided (`last`: to its end) and returns how far that was. `raw` must
    /// always begin at the start of the text.
    pub(crate) fn push(&mut self, raw: &str, from: usize, last: bool) -> usize {
        let mut at = from;
        while at < raw.len() {
            let fast = self.ascii(raw, at);
            let fast = if fast > at { fast } else { self.native(raw, at) };
            if fast > at {
                at = fast;
                continue;
            }
            match self.step(raw, at, last) {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }

    /// Start of the word being written: what stands before it is final.
    pub(crate) fn word_start(&self) -> usize {
        self.word.min(self.out.len())
    }

    /// The first byte of `out` that was changed after it was written, since this was last asked.
    pub(crate) fn take_rewritten(&mut self) -> Option<usize> {
        self.rewritten.take()
    }

    /// Takes back what was written from `from` on.
    fn take_back(&mut self, from: usize) {
        self.out.truncate(from);
        self.map.truncate(from);
        self.rewritten = Some(self.rewritten.map_or(from, |earlier| earlier.min(from)));
    }

    /// Writes a folded character after settling the gap before it.
    fn solid(&mut self, c: char, class: Class, start: usize, end: usize) {
        self.settle(class, start);
        self.begin_word_before(class);
        let at = self.out.len();
        if c.len_utf8() == end - start {
            self.map.run(at, start);
        } else {
            self.map.whole(at, start..end);
        }
        self.out.push(c);
        self.prev = class;
        self.disguised = false;
    }

    /// Begins a word if a character of this class, written next, does.
    fn begin_word_before(&mut self, class: Class) {
        let inside = |class| matches!(class, Class::Letter | Class::Digit);
        if inside(class) && !inside(self.prev) {
            self.begin_word();
        }
    }

    fn begin_word(&mut self) {
        self.word = self.out.len();
        self.alphabets = 0;
    }
}

#[cfg(test)]
mod tests;
