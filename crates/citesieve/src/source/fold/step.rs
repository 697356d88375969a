//! One character of the original, with what it needs to see ahead.

use super::class::{self, Class, DashKind, QuoteKind};
use super::markup::{self, Found, Tag};
use super::{Folder, Reading};

/// The longest run of one markup character that is looked at as a whole.
const LONGEST_RUN: usize = 16;

/// What comes next in the original.
enum Ahead {
    Char(char),
    End,
    Unknown,
}

/// Whether a character is a sign, or the start of one.
enum Sign {
    /// It is, and was read up to here.
    Read(usize),
    /// It is not.
    Other,
    /// More text tells.
    Undecided,
}

fn ahead(raw: &str, at: usize, last: bool) -> Ahead {
    match raw[at..].chars().next() {
        Some(c) => Ahead::Char(c),
        None if last => Ahead::End,
        None => Ahead::Unknown,
    }
}

impl Folder {
    /// Folds the character at `at` and returns where the next one is; `None` when that needs more text.
    pub(super) fn step(&mut self, raw: &str, at: usize, last: bool) -> Option<usize> {
        let c = raw[at..].chars().next()?;
        let end = at + c.len_utf8();
        if !c.is_ascii()
            && let Some(class) = super::table::plain(c)
        {
            self.solid(c, class, at, end);
            return Some(end);
        }
        match c {
            '&' => match markup::numeric(&raw[at..], last) {
                Found::Yes(c, length) => {
                    return self.character(raw, c, at, at + length, last);
                }
                Found::More => return None,
                Found::No => match markup::entity(&raw[at..], last) {
                    Found::Yes(value, length) => {
                        for c in value.chars() {
                            self.character(raw, c, at, at + length, last)?;
                        }
                        return Some(at + length);
                    }
                    Found::More => return None,
                    Found::No => {}
                },
            },
            '<' => match self.markup_tag(raw, at, last) {
                Found::Yes((), length) => return Some(at + length),
                Found::More => return None,
                Found::No => {}
            },
            '\\' => match ahead(raw, end, last) {
                Ahead::Char(next) if next.is_ascii_punctuation() || next == '\n' => return Some(end),
                Ahead::Unknown => return None,
                _ => {}
            },
            '[' => match markup::link(&raw[at..], last) {
                Found::Yes(label, length) => {
                    // The label is text like any other; what encloses it is not there.
                    self.push(&raw[..end + label], end, true);
                    return Some(at + length);
                }
                Found::More => return None,
                Found::No => {}
            },
            '*' | '_' | '`' | '~' => return self.emphasis(raw, c, at, last),
            '#' | '>' | '|' if self.reading != Reading::Plain && self.reading != Reading::Html => {
                match self.line_start(raw, c, at, last) {
                    Found::Yes((), length) => return Some(at + length),
                    Found::More => return None,
                    Found::No => {}
                }
            }
            _ => {}
        }
        self.character(raw, c, at, end, last)
    }

    fn markup_tag(&mut self, raw: &str, at: usize, last: bool) -> Found<()> {
        let source = self.reading != Reading::Quote;
        if source && raw[at..].starts_with("<!--") {
            if self.unclosed {
                return Found::No;
            }
            return match memchr::memmem::find(&raw.as_bytes()[at..], b"-->") {
                Some(length) => Found::Yes((), length + 3),
                None => {
                    self.unclosed = true;
                    Found::No
                }
            };
        }
        let (tag, length) = match markup::tag(&raw[at..], last) {
            Found::Yes(tag, length) => (tag, length),
            Found::No => return Found::No,
            Found::More => return Found::More,
        };
        match tag {
            Tag::Inline => {}
            Tag::Block => self.space(at, true),
            Tag::Raised if self.glued() => self.shift = Some('^'),
            Tag::Lowered if self.glued() => self.shift = Some('_'),
            Tag::Raised | Tag::Lowered => {}
            Tag::Hidden(name) => {
                self.space(at, true);
                if self.reading == Reading::Html && !self.unclosed {
                    let closing = format!("</{name}");
                    match raw.as_bytes()[at..]
                        .windows(closing.len())
                        .position(|window| window.eq_ignore_ascii_case(closing.as_bytes()))
                    {
                        Some(hidden) => return Found::Yes((), hidden),
                        None => self.unclosed = true,
                    }
                }
            }
        }
        Found::Yes((), length)
    }

    /// Emphasis, code and strike-through: marks that touch a word on one side only.
    fn emphasis(&mut self, raw: &str, c: char, at: usize, last: bool) -> Option<usize> {
        let run = raw.as_bytes()[at..].iter().take(LONGEST_RUN).take_while(|&&b| b == c as u8).count();
        let end = at + run;
        let next = match ahead(raw, end, last) {
            Ahead::Char(next) => Some(next),
            Ahead::End => None,
            Ahead::Unknown if run < LONGEST_RUN => return None,
            Ahead::Unknown => None,
        };
        let before = raw[..at].chars().next_back();
        let touches = |side: Option<char>| side.is_some_and(|c| !class::is_space(c));
        let word = |side: Option<char>| side.is_some_and(char::is_alphanumeric);
        let digit = |side: Option<char>| side.is_some_and(char::is_numeric);
        let between_spaces = !touches(before) && !touches(next);
        let literal = match c {
            '`' => {
                if run == 2 && !word(before) && word(next) {
                    return self.character(raw, '"', at, end, last);
                }
                false
            }
            '~' => run == 1 || between_spaces,
            '*' if run == 1 && next.is_some_and(class::is_space) && self.at_line_start() => {
                self.space(at, false);
                return Some(end);
            }
            '*' => between_spaces || digit(before) && digit(next) || run == 1 && word(before) && word(next),
            _ => between_spaces || word(before) && word(next),
        };
        if literal {
            for n in at..end {
                self.solid(c, Class::of(c), n, n + 1);
            }
        }
        Some(end)
    }

    /// Marks at the start of a Markdown line: headings, quotation marks, table rows.
    fn line_start(&mut self, raw: &str, c: char, at: usize, last: bool) -> Found<()> {
        if c == '|' && (self.row || self.at_line_start()) {
            self.row = true;
            self.space(at, false);
            return Found::Yes((), 1);
        }
        if c == '|' || !self.at_line_start() {
            return Found::No;
        }
        let rest = &raw[at..];
        let run = rest.bytes().take(LONGEST_RUN).take_while(|&b| b == c as u8 || b == b' ').count();
        match ahead(rest, run, last) {
            Ahead::Unknown => return Found::More,
            Ahead::End => return Found::No,
            // A comparator that was wrapped to the next line is not a quotation mark.
            Ahead::Char(next) if c == '>' && !(next.is_alphabetic() || self.reading == Reading::Markdown) => {
                return Found::No;
            }
            Ahead::Char(_) => {}
        }
        let marks = rest[..run].trim_end();
        if c == '#' && (marks.len() > 6 || marks.len() == run || marks.contains(' ')) {
            return Found::No;
        }
        self.space(at, false);
        Found::Yes((), run)
    }

    /// A character that is not markup; it came from `start..end`.
    fn character(&mut self, raw: &str, c: char, start: usize, end: usize, last: bool) -> Option<usize> {
        if c.is_ascii_alphabetic() && !matches!(c, 'x' | 'X') {
            self.letter(raw, c, start, end);
            return Some(end);
        }
        if class::is_space(c) {
            self.space(start, class::is_newline(c));
            return Some(end);
        }
        if class::is_ignorable(c) {
            if c == '\u{ad}' {
                match ahead(raw, end, last) {
                    Ahead::Char(next) if class::is_newline(next) => self.dash(start, DashKind::Hyphen, c),
                    Ahead::Unknown => return None,
                    _ => {}
                }
            }
            return Some(end);
        }
        if let Some(kind) = class::dash(c) {
            return self.any_dash(raw, c, kind, start, end, last);
        }
        // A stroke through nothing is what some fonts make of a dash.
        if matches!(c, '\u{335}' | '\u{336}') && !self.glued() {
            self.dash(start, DashKind::Dash, c);
            return Some(end);
        }
        if let Some(kind) = class::quote(c) {
            return self.quotation_mark(raw, c, kind, start, end, last);
        }
        match self.operator(raw, c, start, end, last) {
            Sign::Read(next) => return Some(next),
            Sign::Undecided => return None,
            Sign::Other => {}
        }
        if c.is_ascii() {
            let folded = c.to_ascii_lowercase();
            match Class::of(folded) {
                Class::Letter => self.letter(raw, c, start, end),
                class => self.solid(folded, class, start, end),
            }
            return Some(end);
        }
        self.wide(raw, c, start, end);
        Some(end)
    }

    fn any_dash(&mut self, raw: &str, c: char, kind: DashKind, start: usize, end: usize, last: bool) -> Option<usize> {
        if c == '-' {
            match ahead(raw, end, last) {
                Ahead::Char('>') => {
                    self.solid('→', Class::Operator, start, end + 1);
                    return Some(end + 1);
                }
                Ahead::Unknown => return None,
                _ => {}
            }
        }
        let raised = c == '\u{207b}' || self.shift == Some('^');
        if raised && self.prev == Class::Digit && self.glued() {
            self.shift = None;
            self.solid('^', Class::Operator, start, end);
            self.map.whole(self.out.len(), start..end);
            self.out.push('-');
            self.prev = Class::Dash;
            return Some(end);
        }
        self.dash(start, kind, c);
        Some(end)
    }

    fn quotation_mark(
        &mut self,
        raw: &str,
        c: char,
        kind: QuoteKind,
        start: usize,
        end: usize,
        last: bool,
    ) -> Option<usize> {
        if kind == QuoteKind::Single && self.glued() && matches!(self.prev, Class::Letter | Class::Digit) {
            match ahead(raw, end, last) {
                Ahead::Char(next) if next.is_alphanumeric() && !class::is_spaceless(next) => {
                    self.solid('\'', Class::Letter, start, end);
                    return Some(end);
                }
                Ahead::Unknown => return None,
                _ => {}
            }
        }
        if self.prime(c, kind, start, end) {
            return Some(end);
        }
        if self.prev == Class::Quote && self.gap.dash.is_none() {
            self.gap = super::gap::Gap::default();
        } else {
            self.solid('"', Class::Quote, start, end);
        }
        Some(end)
    }

    /// Feet and inches, minutes and seconds: `5'` is not `5"`. A straight mark after a digit is one unless a quotation
    /// mark of its kind is open.
    fn prime(&mut self, c: char, kind: QuoteKind, start: usize, end: usize) -> bool {
        let after_digit = self.prev == Class::Digit && self.glued();
        let straight = matches!(c, '\'' | '"');
        let which = usize::from(kind == QuoteKind::Double);
        if after_digit && (matches!(c, '\u{2032}' | '\u{2033}') || straight && !self.open[which]) {
            let sign = if kind == QuoteKind::Double { '″' } else { '′' };
            self.solid(sign, Class::Percent, start, end);
            return true;
        }
        if straight {
            self.open[which] =
                !self.prev.is_word() && self.prev != Class::Start || self.prev.is_word() && !self.glued();
        }
        false
    }

    /// ASCII spellings of one sign, and signs that depend on what is around them.
    fn operator(&mut self, raw: &str, c: char, start: usize, end: usize, last: bool) -> Sign {
        let spellings: &[(&str, char)] = match c {
            '+' => &[("/-", '±'), ("/\u{2212}", '±'), ("/\u{2013}", '±'), ("-", '±')],
            '>' => &[("/=", '≥'), ("=", '≥')],
            '<' => &[("/=", '≤'), ("=", '≤')],
            '=' => &[("/=", '≠'), (">", '⇒')],
            '!' => &[("=", '≠')],
            _ => &[],
        };
        if !spellings.is_empty() {
            let rest = &raw[end..];
            for &(spelling, sign) in spellings {
                if rest.starts_with(spelling) {
                    let end = end + spelling.len();
                    self.solid(sign, Class::Operator, start, end);
                    return Sign::Read(end);
                }
            }
            if !last && spellings.iter().any(|(spelling, _)| spelling.starts_with(rest)) {
                return Sign::Undecided;
            }
            return Sign::Other;
        }
        let after_digit = self.prev == Class::Digit && self.gap.dash.is_none();
        match c {
            'x' | 'X' | '×' if after_digit => {
                let spaces = raw[end..].chars().take(LONGEST_RUN).take_while(|&c| class::is_space(c));
                let next = end + spaces.map(char::len_utf8).sum::<usize>();
                match ahead(raw, next, last) {
                    Ahead::Char(next) if next.is_numeric() => self.solid('×', Class::Operator, start, end),
                    Ahead::Unknown => return Sign::Undecided,
                    _ if c == '×' && self.glued() => self.solid('x', Class::Letter, start, end),
                    _ => return Sign::Other,
                }
                Sign::Read(end)
            }
            '·' if after_digit && self.glued() => match ahead(raw, end, last) {
                Ahead::Char(next) if next.is_numeric() => {
                    self.solid('.', Class::Stop, start, end);
                    Sign::Read(end)
                }
                Ahead::Unknown => Sign::Undecided,
                _ => Sign::Other,
            },
            'º' if after_digit => {
                self.solid('°', Class::Percent, start, end);
                Sign::Read(end)
            }
            '.' if !self.glued() && self.prev != Class::Stop => match ahead(raw, end, last) {
                // `.5` begins a number: the space before it stays.
                Ahead::Char(next) if next.is_ascii_digit() => {
                    self.solid('.', Class::Other, start, end);
                    Sign::Read(end)
                }
                Ahead::Unknown => Sign::Undecided,
                _ => Sign::Other,
            },
            '•' | '◦' | '▪' | '■' | '●' | '‣' | '·' | '\u{f0b7}' if self.at_line_start() => {
                self.space(start, false);
                Sign::Read(end)
            }
            _ => Sign::Other,
        }
    }
}
