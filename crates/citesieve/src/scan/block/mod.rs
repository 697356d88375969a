//! Block structure of Markdown, one character at a time.
//!
//! Follows CommonMark for containers (block quotations, list items), lazy continuation, fenced and indented code,
//! headings and thematic breaks, plus `$$` fences. What starts a line is read here; the rest of the line belongs to the
//! leaf.

mod start;

/// What kind of block a claim stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Kind {
    /// A sentence of a paragraph.
    #[default]
    Sentence,
    Heading,
    ListItem,
    TableCell,
    BlockQuote,
}

/// A container that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    Quote,
    /// A list item; its lines are indented by at least this many columns.
    Item(u32),
}

/// The leaf block that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaf {
    None,
    Paragraph,
    Heading,
    /// A line that opens with `|`: a row of a table, as far as inline constructs are concerned.
    Row,
    Fence {
        mark: char,
        len: u32,
    },
    Indented,
    /// Between two lines `$$`.
    Math,
}

impl Leaf {
    /// Whether the text of this leaf is code or math as a whole.
    pub(crate) fn is_verbatim(self) -> bool {
        matches!(self, Leaf::Fence { .. } | Leaf::Indented | Leaf::Math)
    }

    fn is_paragraph(self) -> bool {
        matches!(self, Leaf::Paragraph | Leaf::Row)
    }
}

/// What a character at the start of a line meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// It belongs to the start of the line; nothing to do.
    Taken,
    /// It is a `>` that opens or continues a block quotation.
    QuoteMark,
    /// It is the one space after a `>`.
    QuoteSpace,
    /// The line is over: it was blank, or structure only.
    LineEnd,
    /// The content of the line starts at this position, which may lie before the character.
    Content(u64),
}

/// What the start of a line could still become.
#[derive(Debug, Clone, Copy)]
enum Maybe {
    Nothing,
    Heading {
        start: u64,
        count: u32,
    },
    /// After the hashes of a heading.
    HeadingSpace,
    Fence {
        start: u64,
        mark: char,
        count: u32,
    },
    /// A list bullet, a thematic break or a setext underline.
    Bullet {
        start: u64,
        mark: char,
        count: u32,
        spaced: bool,
    },
    Number {
        start: u64,
        digits: u32,
        value: u32,
        closed: bool,
    },
    Math {
        start: u64,
        count: u32,
        spaced: bool,
    },
    /// After a closing fence: only spaces may follow.
    Closing {
        start: u64,
        count: u32,
        spaced: bool,
    },
    /// After a list marker: counting the spaces that set the indentation.
    AfterMarker {
        start: u64,
        mark: char,
        width: u32,
        spaces: u32,
    },
}

/// A rule, a fence, an underline … that is longer than this is text (bytes).
const MAX_START: u64 = 1000;
/// Containers deeper than this are text.
const MAX_DEPTH: usize = 48;

/// The state of the block structure.
#[derive(Debug)]
pub(crate) struct Blocks {
    containers: Vec<Container>,
    leaf: Leaf,
    /// Containers that this line has continued so far.
    matched: usize,
    /// Columns of this line that were read, and columns of indentation since its last container.
    column: u32,
    indent: u32,
    /// Columns of the character read last.
    width: u32,
    /// Whether the next space belongs to the `>` before it.
    after_quote: bool,
    maybe: Maybe,
    /// Bullets met on this line, all of one kind: three of them alone are a thematic break.
    bullets: (char, u32),
    /// How deep the list item is whose marker was followed by nothing: one more blank line ends it.
    empty_item: Option<usize>,
    /// Set when a paragraph, row, heading … ended since the last call of [`Blocks::take_border`].
    border: bool,
    /// Set when the outermost quotation ended since the last call of [`Blocks::take_quote_end`].
    quote_ended: bool,
}

impl Blocks {
    pub(crate) fn new() -> Self {
        Blocks {
            containers: Vec::new(),
            leaf: Leaf::None,
            matched: 0,
            column: 0,
            indent: 0,
            width: 0,
            after_quote: false,
            maybe: Maybe::Nothing,
            bullets: (' ', 0),
            empty_item: None,
            border: false,
            quote_ended: false,
        }
    }

    /// The open leaf.
    pub(crate) fn leaf(&self) -> Leaf {
        self.leaf
    }

    /// What kind of claim stands in the open leaf.
    pub(crate) fn kind(&self) -> Kind {
        match (self.leaf, self.containers.last()) {
            (Leaf::Heading, _) => Kind::Heading,
            (Leaf::Row, _) => Kind::TableCell,
            (_, Some(Container::Item(_))) => Kind::ListItem,
            _ => Kind::Sentence,
        }
    }

    /// Whether a block quotation is open.
    pub(crate) fn in_quote(&self) -> bool {
        self.containers.contains(&Container::Quote)
    }

    /// Whether the open leaf ended since the last call.
    pub(crate) fn take_border(&mut self) -> bool {
        std::mem::take(&mut self.border)
    }

    /// Whether the outermost block quotation ended since the last call.
    pub(crate) fn take_quote_end(&mut self) -> bool {
        std::mem::take(&mut self.quote_ended)
    }

    /// Where text must be held because the start of this line may become something to edit.
    pub(crate) fn hold(&self) -> Option<u64> {
        match self.maybe {
            // `**[9]**` at the start of a line: the emphasis may go with the marker.
            Maybe::Bullet { start, mark: '*' | '_', .. } | Maybe::Fence { start, mark: '~', .. } => Some(start),
            // `=== [9]` and `$$ [9]` are text: the space may go with the marker.
            Maybe::Bullet { start, spaced: true, .. } | Maybe::Math { start, spaced: true, .. } => Some(start),
            _ => None,
        }
    }

    /// The line is over; its leaf has read it. The next character starts a line.
    pub(crate) fn line_end(&mut self) {
        if matches!(self.leaf, Leaf::Heading | Leaf::Row) {
            self.border = true;
        }
        if self.leaf == Leaf::Heading {
            self.leaf = Leaf::None;
        }
        self.start_line();
    }

    fn start_line(&mut self) {
        self.matched = 0;
        self.column = 0;
        self.indent = 0;
        self.after_quote = false;
        self.maybe = Maybe::Nothing;
        self.bullets = (' ', 0);
    }

    /// Everything ends: the answer is complete.
    pub(crate) fn finish(&mut self) {
        self.close_leaf();
        self.close_to(0);
    }

    /// A fence whose first line turns out to hold another backtick is inline code after all.
    pub(crate) fn fence_is_inline(&mut self) {
        self.leaf = Leaf::Paragraph;
    }

    /// The open leaf was taken out: the next character starts a line.
    pub(crate) fn leaf_is_gone(&mut self) {
        self.close_leaf();
        self.start_line();
    }

    /// The line ends with `$$`: so does the display math.
    pub(crate) fn close_math(&mut self) {
        self.close_leaf();
    }

    /// Reads the character `c` at position `at`, at the start of a line.
    pub(crate) fn step(&mut self, c: char, at: u64) -> Step {
        let space_of_quote = std::mem::take(&mut self.after_quote);
        let columns = if c == '\t' { 4 - self.column % 4 } else { 1 };
        self.column = self.column.saturating_add(columns);
        self.width = columns;
        match self.maybe {
            Maybe::Nothing => {}
            Maybe::AfterMarker { start, mark, width, spaces } => match c {
                ' ' | '\t' => return self.set(Maybe::AfterMarker { start, mark, width, spaces: spaces + columns }),
                '\r' => return Step::Taken,
                // An item without content can't interrupt a paragraph.
                '\n' if self.interrupts() && mark != '-' => return self.text_from(start),
                '\n' if self.interrupts() => {
                    self.close_leaf();
                    self.start_line();
                    return Step::LineEnd;
                }
                '\n' => return self.empty_item(width),
                _ => {
                    self.close_unmatched();
                    self.close_leaf();
                    let (columns, indent) = match spaces {
                        1..=4 => (width + spaces, 0),
                        _ => (width + 1, spaces.saturating_sub(1)),
                    };
                    self.maybe = Maybe::Nothing;
                    self.open(Container::Item(columns));
                    self.indent = indent;
                }
            },
            maybe if self.start_of(maybe).is_some_and(|start| at - start > MAX_START) => {
                let Some(start) = self.start_of(maybe) else { return Step::Taken };
                return if self.leaf.is_verbatim() { self.content(start) } else { self.text_from(start) };
            }
            maybe => return self.resolve(maybe, c, at),
        }
        match c {
            ' ' if space_of_quote => Step::QuoteSpace,
            ' ' => {
                self.indent = self.indent.saturating_add(1);
                Step::Taken
            }
            '\t' => {
                // The first column after a `>` belongs to it.
                self.indent = self.indent.saturating_add(columns - u32::from(space_of_quote));
                Step::Taken
            }
            '\r' => Step::Taken,
            '\n' => self.blank_line(),
            _ => self.first_char(c, at),
        }
    }

    /// Where reading goes on if this turns out to be text.
    fn start_of(&self, maybe: Maybe) -> Option<u64> {
        match maybe {
            Maybe::Heading { start, .. }
            | Maybe::Fence { start, .. }
            | Maybe::Bullet { start, .. }
            | Maybe::Number { start, .. }
            | Maybe::Math { start, .. }
            | Maybe::Closing { start, .. } => Some(start),
            Maybe::Nothing | Maybe::HeadingSpace | Maybe::AfterMarker { .. } => None,
        }
    }

    fn set(&mut self, maybe: Maybe) -> Step {
        self.maybe = maybe;
        Step::Taken
    }

    /// The first character of the line that is not a space, after the containers read so far.
    fn first_char(&mut self, c: char, at: u64) -> Step {
        while let Some(container) = self.containers.get(self.matched) {
            match container {
                Container::Item(columns) if self.indent >= *columns => {
                    self.indent -= columns;
                    self.matched += 1;
                }
                Container::Quote if self.indent <= 3 && c == '>' => {
                    self.matched += 1;
                    self.indent = 0;
                    self.after_quote = true;
                    return Step::QuoteMark;
                }
                _ => break,
            }
        }
        self.empty_item = None;
        let all = self.matched == self.containers.len();
        match self.leaf {
            Leaf::Fence { mark, .. } if all => {
                return if c == mark && self.indent <= 3 {
                    self.set(Maybe::Closing { start: at, count: 1, spaced: false })
                } else {
                    Step::Content(at)
                };
            }
            Leaf::Math if all => {
                return if c == '$' {
                    self.set(Maybe::Math { start: at, count: 1, spaced: false })
                } else {
                    Step::Content(at)
                };
            }
            Leaf::Indented if all && self.indent >= 4 => return Step::Content(at),
            _ => {}
        }
        if self.indent >= 4 {
            return if self.leaf.is_paragraph() { self.text(c, at) } else { self.verbatim(Leaf::Indented, at) };
        }
        match c {
            '>' if self.containers.len() < MAX_DEPTH => {
                self.close_unmatched();
                self.close_leaf();
                self.open(Container::Quote);
                self.indent = 0;
                self.after_quote = true;
                Step::QuoteMark
            }
            '#' => self.set(Maybe::Heading { start: at, count: 1 }),
            '`' | '~' => self.set(Maybe::Fence { start: at, mark: c, count: 1 }),
            '-' | '+' | '*' | '_' | '=' => self.set(Maybe::Bullet { start: at, mark: c, count: 1, spaced: false }),
            '0'..='9' => self.set(Maybe::Number { start: at, digits: 1, value: c as u32 - '0' as u32, closed: false }),
            '$' => self.set(Maybe::Math { start: at, count: 1, spaced: false }),
            _ => self.text(c, at),
        }
    }

    /// Whether a list item here would have to interrupt a paragraph of its own container.
    fn interrupts(&self) -> bool {
        self.leaf.is_paragraph() && self.all_matched()
    }

    fn all_matched(&self) -> bool {
        self.matched == self.containers.len()
    }

    fn blank_line(&mut self) -> Step {
        if let Some(quote) = self.containers[self.matched..].iter().position(|c| *c == Container::Quote) {
            self.close_to(self.matched + quote);
        }
        if self.leaf.is_paragraph() {
            self.close_leaf();
        }
        if let Some(depth) = self.empty_item.take()
            && depth == self.containers.len()
        {
            self.close_to(depth - 1);
        }
        self.start_line();
        Step::LineEnd
    }

    /// The line is text whose first characters were read as something else.
    fn text_from(&mut self, start: u64) -> Step {
        self.maybe = Maybe::Nothing;
        self.text(' ', start)
    }

    fn content(&mut self, at: u64) -> Step {
        self.maybe = Maybe::Nothing;
        Step::Content(at)
    }

    fn text(&mut self, c: char, at: u64) -> Step {
        let lazy = self.leaf.is_paragraph() && !self.all_matched();
        if !lazy {
            self.close_unmatched();
        }
        let leaf = if c == '|' { Leaf::Row } else { Leaf::Paragraph };
        if !self.leaf.is_paragraph() {
            self.close_leaf();
        }
        if self.leaf != leaf && self.leaf.is_paragraph() {
            self.border = true;
        }
        self.leaf = leaf;
        Step::Content(at)
    }

    fn verbatim(&mut self, leaf: Leaf, at: u64) -> Step {
        self.close_unmatched();
        self.close_leaf();
        self.leaf = leaf;
        Step::Content(at)
    }

    fn open(&mut self, container: Container) {
        if self.containers.len() < MAX_DEPTH {
            self.containers.push(container);
        }
        self.matched = self.containers.len();
    }

    fn close_unmatched(&mut self) {
        if self.matched < self.containers.len() {
            self.close_leaf();
            self.close_to(self.matched);
        }
    }

    fn close_to(&mut self, len: usize) {
        if self.containers.len() <= len {
            return;
        }
        let had = self.in_quote();
        self.containers.truncate(len);
        self.matched = self.matched.min(len);
        self.close_leaf();
        if had && !self.in_quote() {
            self.quote_ended = true;
        }
    }

    fn close_leaf(&mut self) {
        if self.leaf != Leaf::None {
            self.border = true;
        }
        self.leaf = Leaf::None;
    }
}
