//! Constructs that are perhaps open inside a paragraph.
//!
//! A backtick, a `$`, a `[` or a `<` may open something whose inside is not prose, and only its closer tells. Until
//! then everything after it is read as prose *and* kept in doubt: what was found inside is dropped when the construct
//! closes, and stands when it can't close any more.

use super::buffer::Buffer;
use super::emphasis::Emphasis;
use super::html::{Progress, Tag};
use super::is_space;
use super::link::Destination;
use super::url::Url;

/// More constructs than this are not followed at once.
const MAX_OPEN: usize = 32;
/// Nor more of those that must see every character.
const MAX_AUTOMATA: usize = 8;
/// A construct that is longer than this is none (bytes).
const MAX_CONSTRUCT: u64 = 64 * 1024;
/// A run of backticks or dollars that is longer than this is text, as far as it matters to others (bytes).
const MAX_TOKEN: u64 = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A code span opened by so many backticks.
    Code(u32),
    /// `$…$`
    Dollar(Amount),
    /// `$$…$$`
    Dollars,
    /// `\(…\)`
    Paren,
    /// `\[…\]`
    Bracket,
    /// `[…`, which may become the text of a link.
    Label,
    /// A label that was closed by the character before: `(` must follow.
    Labelled,
    /// `[…](…`
    Destination(Destination, u64),
    /// `<…`
    Tag(Tag),
}

/// Whether a `$` is followed by an amount of money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Amount {
    /// Directly after the `$`, or in its number.
    Number,
    /// After the number and a space.
    Space,
    /// No amount.
    No,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Construct {
    start: u64,
    kind: Kind,
}

/// A token of several characters that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    None,
    /// A backslash at this position was read.
    Escape(u64),
    Ticks {
        start: u64,
        count: u32,
        escaped: bool,
    },
    Dollars {
        start: u64,
        count: u32,
    },
}

/// A construct that is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Closed {
    /// Where it starts.
    pub(crate) start: u64,
    /// From where on it is no prose: for a link, from its destination.
    pub(crate) opaque: u64,
    /// Where it ends.
    pub(crate) end: u64,
}

/// What a character changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Nothing,
    /// A construct is closed: what was found inside it is not prose.
    Closed(Closed),
    /// A construct can't close any more: what was found inside may stand now.
    Died,
}

/// The state inside one paragraph.
#[derive(Debug)]
pub(crate) struct Inline {
    open: Vec<Construct>,
    token: Token,
    /// Whether the character read last is escaped by a backslash.
    escaped: bool,
    url: Url,
    emphasis: Emphasis,
    /// Where brackets that are no marker were closed: the position after them.
    label_end: Option<u64>,
    /// Where the content of the line starts: what stands before it is structure.
    line: u64,
    /// Tags and destinations among `open`, which need to see every character.
    automata: usize,
}

impl Inline {
    pub(crate) fn new() -> Self {
        Inline {
            open: Vec::new(),
            token: Token::None,
            escaped: false,
            url: Url::default(),
            emphasis: Emphasis::default(),
            label_end: None,
            line: 0,
            automata: 0,
        }
    }

    /// A new paragraph starts: nothing is open.
    pub(crate) fn reset(&mut self) {
        self.open.clear();
        self.token = Token::None;
        self.escaped = false;
        self.url = Url::default();
        self.emphasis.clear();
        self.label_end = None;
        self.automata = 0;
    }

    /// The content of a line starts at this position.
    pub(crate) fn start_line(&mut self, at: u64) {
        self.line = at;
    }

    /// The character before `at` on the same line.
    fn char_before(&self, at: u64, text: &Buffer) -> Option<char> {
        text.char_before(at).filter(|_| at > self.line)
    }

    /// Where the first construct starts that is perhaps open.
    pub(crate) fn first_open(&self) -> Option<u64> {
        self.open.first().map(|construct| construct.start)
    }

    /// Where the first thing starts of which it is not known what it is.
    pub(crate) fn undecided(&self, at: u64) -> Option<u64> {
        let token = match self.token {
            Token::None => None,
            Token::Escape(start) | Token::Ticks { start, .. } | Token::Dollars { start, .. } => Some(start),
        };
        let token = token.filter(|start| at.saturating_sub(*start) <= MAX_TOKEN);
        self.first_open().into_iter().chain(token).min()
    }

    /// Gives up constructs that have been open for too long before `at`.
    pub(crate) fn expire(&mut self, at: u64) -> Change {
        if self.open.first().is_none_or(|construct| at.saturating_sub(construct.start) <= MAX_CONSTRUCT) {
            return Change::Nothing;
        }
        let count = self.open.len();
        self.open.retain(|construct| at.saturating_sub(construct.start) <= MAX_CONSTRUCT);
        if self.open.len() == count {
            return Change::Nothing;
        }
        self.count_automata();
        Change::Died
    }

    /// What is perhaps open, in a word for the verdict.
    pub(crate) fn first_open_name(&self) -> &'static str {
        match self.open.first().map(|construct| construct.kind) {
            Some(Kind::Code(_)) => "code",
            Some(Kind::Dollar(_) | Kind::Dollars | Kind::Paren | Kind::Bracket) => "math",
            Some(Kind::Label | Kind::Labelled | Kind::Destination(..)) => "link",
            Some(Kind::Tag(_)) => "html",
            None => "marker",
        }
    }

    /// Whether ordinary characters may be skipped: nothing needs to see each of them.
    pub(crate) fn is_calm(&self) -> bool {
        self.automata == 0
            && self.token == Token::None
            && !self.escaped
            && !self.url.is_open()
            && !self.emphasis.in_run()
            && !self
                .open
                .iter()
                .any(|c| matches!(c.kind, Kind::Labelled | Kind::Dollar(Amount::Number | Amount::Space)))
    }

    /// Whether a marker may start at the character read last.
    pub(crate) fn may_start(&self) -> bool {
        !self.escaped && !self.url.is_open()
    }

    /// Whether brackets that are no marker were closed directly before `at`.
    pub(crate) fn is_after_label(&self, at: u64) -> bool {
        self.label_end == Some(at)
    }

    /// Emphasis characters that are open, by position.
    pub(crate) fn emphasis(&self) -> &[(char, u64)] {
        self.emphasis.open()
    }

    /// Whether the character at `at` closes emphasis.
    pub(crate) fn closed_emphasis(&self, at: u64) -> bool {
        self.emphasis.closed_at(at)
    }

    /// Reads the character `c` at `at`. Every character is read here once, in order.
    pub(crate) fn step(&mut self, c: char, at: u64, text: &Buffer) -> Change {
        let escaped = matches!(self.token, Token::Escape(_)) && c.is_ascii_punctuation();
        self.escaped = escaped;
        let mut change = self.token_step(c, at, escaped, text);
        change = strongest(change, self.automata_step(c, at));
        let before = self.char_before(at, text);
        self.emphasis.step(c, at, escaped, before);
        self.url.step(c, at, text);
        match c {
            '(' if escaped => self.push(at - 1, Kind::Paren),
            '[' if escaped => self.push(at - 1, Kind::Bracket),
            ')' if escaped => change = strongest(change, self.close(at + 1, |kind| kind == Kind::Paren)),
            ']' if escaped => change = strongest(change, self.close(at + 1, |kind| kind == Kind::Bracket)),
            '<' if !escaped => self.push(at, Kind::Tag(Tag::Start)),
            _ => {}
        }
        change
    }

    /// The text ends: what the last characters are is decided.
    pub(crate) fn finish(&mut self, text: &Buffer) -> Change {
        match std::mem::replace(&mut self.token, Token::None) {
            Token::Ticks { start, count, escaped } => self.ticks(start, count, escaped),
            Token::Dollars { start, count } => self.dollars(start, count, None, text),
            Token::None | Token::Escape(_) => Change::Nothing,
        }
    }

    /// A run of `count` backticks stands at `start`.
    pub(crate) fn open_code(&mut self, start: u64, count: u32) {
        self.push(start, Kind::Code(count));
    }

    /// Brackets, for a character that belongs to no marker. Comes after [`Inline::step`] and may come twice.
    pub(crate) fn brackets(&mut self, c: char, at: u64) -> Change {
        let change = self.labelled(c, at);
        match c {
            '[' if !self.escaped => {
                let labels = self.open.iter().filter(|construct| construct.kind == Kind::Label).count();
                if labels < MAX_OPEN / 2 {
                    self.push(at, Kind::Label);
                }
            }
            ']' if !self.escaped => {
                if let Some(label) = self.open.iter_mut().rev().find(|construct| construct.kind == Kind::Label) {
                    label.kind = Kind::Labelled;
                    self.label_end = Some(at + 1);
                }
            }
            _ => {}
        }
        change
    }

    /// The character after a closed label decides whether a destination follows.
    pub(crate) fn labelled(&mut self, c: char, at: u64) -> Change {
        let Some(index) = self.open.iter().position(|construct| construct.kind == Kind::Labelled) else {
            return Change::Nothing;
        };
        if c == '(' && self.label_end == Some(at) {
            self.open[index].kind = Kind::Destination(Destination::Start, at);
            self.automata += 1;
            Change::Nothing
        } else {
            self.open.remove(index);
            Change::Died
        }
    }

    /// What follows the marker that starts at `start` is perhaps the destination of a link.
    pub(crate) fn open_destination(&mut self, start: u64, at: u64) {
        self.push(start, Kind::Destination(Destination::Start, at));
    }

    fn token_step(&mut self, c: char, at: u64, escaped: bool, text: &Buffer) -> Change {
        let mut change = Change::Nothing;
        self.token = match (self.token, c) {
            (Token::Ticks { start, count, escaped }, '`') => {
                Token::Ticks { start, count: count.saturating_add(1), escaped }
            }
            (Token::Dollars { start, count }, '$') => Token::Dollars { start, count: count.saturating_add(1) },
            (token, _) => {
                match token {
                    Token::Ticks { start, count, escaped } => change = self.ticks(start, count, escaped),
                    Token::Dollars { start, count } => change = self.dollars(start, count, Some(c), text),
                    Token::None | Token::Escape(_) => {}
                }
                match c {
                    '\\' if !escaped => Token::Escape(at),
                    '`' => Token::Ticks { start: at, count: 1, escaped },
                    '$' if !escaped => Token::Dollars { start: at, count: 1 },
                    _ => Token::None,
                }
            }
        };
        change
    }

    /// A run of backticks is over. Inside code a backslash escapes nothing, so an escaped run can close, not open.
    fn ticks(&mut self, start: u64, count: u32, escaped: bool) -> Change {
        let change = self.close(start + u64::from(count), |kind| kind == Kind::Code(count));
        let rest = count - u32::from(escaped);
        if change == Change::Nothing && rest > 0 {
            self.push(start + u64::from(escaped), Kind::Code(rest));
        }
        change
    }

    /// A run of `$` is over; `next` is the character after it.
    fn dollars(&mut self, start: u64, count: u32, next: Option<char>, text: &Buffer) -> Change {
        let space = |c: Option<char>| c.is_none_or(|c| is_space(c) || c == '\n' || c == '\r');
        if count == 2 {
            let change = self.close(start + 2, |kind| kind == Kind::Dollars);
            if change == Change::Nothing {
                self.push(start, Kind::Dollars);
            }
            return change;
        }
        if count != 1 {
            return Change::Nothing;
        }
        let digit = next.is_some_and(|c| c.is_ascii_digit());
        let open = self.open.iter().position(|construct| matches!(construct.kind, Kind::Dollar(_)));
        let mut change = Change::Nothing;
        if let Some(index) = open {
            if !space(self.char_before(start, text)) && !digit {
                return self.close(start + 1, |kind| matches!(kind, Kind::Dollar(_)));
            }
            // Math can't hold a `$`: the first one was a currency sign.
            self.open.remove(index);
            change = Change::Died;
        }
        if !space(next) {
            self.push(start, Kind::Dollar(if digit { Amount::Number } else { Amount::No }));
        }
        change
    }

    /// Tags, destinations and amounts see every character.
    fn automata_step(&mut self, c: char, at: u64) -> Change {
        let mut change = Change::Nothing;
        let mut index = 0;
        while index < self.open.len() {
            let progress = match &mut self.open[index].kind {
                Kind::Tag(tag) => tag.step(c),
                Kind::Destination(destination, _) => destination.step(c),
                Kind::Dollar(amount) => amount_step(amount, c),
                _ => Progress::Open,
            };
            match progress {
                Progress::Open => index += 1,
                Progress::Dead => {
                    self.open.remove(index);
                    self.count_automata();
                    change = strongest(change, Change::Died);
                }
                Progress::Closed => {
                    return self.closed(index, at + c.len_utf8() as u64);
                }
            }
        }
        change
    }

    fn push(&mut self, start: u64, kind: Kind) {
        let twice = !matches!(kind, Kind::Label | Kind::Tag(_) | Kind::Destination(..))
            && self.open.iter().any(|construct| construct.kind == kind);
        let sees_all = matches!(kind, Kind::Tag(_) | Kind::Destination(..));
        if twice || self.open.len() >= MAX_OPEN || (sees_all && self.automata >= MAX_AUTOMATA) {
            return;
        }
        let index = self.open.partition_point(|construct| construct.start <= start);
        self.open.insert(index, Construct { start, kind });
        self.count_automata();
    }

    fn close(&mut self, end: u64, is: impl Fn(Kind) -> bool) -> Change {
        let Some(index) = self.open.iter().position(|construct| is(construct.kind)) else { return Change::Nothing };
        self.closed(index, end)
    }

    fn closed(&mut self, index: usize, end: u64) -> Change {
        let construct = self.open[index];
        let opaque = match construct.kind {
            Kind::Destination(_, paren) => paren,
            _ => construct.start,
        };
        let link = matches!(construct.kind, Kind::Destination(..));
        // Code and tags bind tighter than a link: one that is perhaps open in its text may still close.
        let mut position = 0;
        self.open.retain(|open| {
            position += 1;
            position <= index || link && matches!(open.kind, Kind::Code(_) | Kind::Tag(_))
        });
        self.count_automata();
        Change::Closed(Closed { start: construct.start, opaque, end })
    }

    fn count_automata(&mut self) {
        self.automata = self.open.iter().filter(|c| matches!(c.kind, Kind::Tag(_) | Kind::Destination(..))).count();
    }
}

fn strongest(a: Change, b: Change) -> Change {
    match (a, b) {
        (Change::Closed(a), Change::Closed(b)) => Change::Closed(if a.start <= b.start { a } else { b }),
        (Change::Closed(a), _) | (_, Change::Closed(a)) => Change::Closed(a),
        (Change::Nothing, b) => b,
        (a, _) => a,
    }
}

/// Reads what follows a `$` and a digit: `$5 and` is money, `$5x + 1$` is math.
fn amount_step(amount: &mut Amount, c: char) -> Progress {
    *amount = match *amount {
        Amount::Number => match c {
            '0'..='9' | ',' | '.' | '-' | '–' | 'k' | 'K' | 'm' | 'M' | 'b' | 'B' | 'n' => Amount::Number,
            _ if is_space(c) || c == '\n' => Amount::Space,
            _ => Amount::No,
        },
        Amount::Space => match c {
            _ if c.is_alphabetic() || matches!(c, '[' | '(' | '"' | '“') => return Progress::Dead,
            _ if is_space(c) || c == '\n' => Amount::Space,
            _ => Amount::No,
        },
        Amount::No => Amount::No,
    };
    Progress::Open
}
