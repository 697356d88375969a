//! What the start of a line could become: a heading, a fence, a list item, a thematic break, display math.

use super::{Blocks, Container, Leaf, Maybe, Step};

impl Blocks {
    /// The next character of something that the start of the line could become.
    pub(super) fn resolve(&mut self, maybe: Maybe, c: char, at: u64) -> Step {
        let blank = matches!(c, ' ' | '\t');
        let end = matches!(c, '\n' | '\r');
        match maybe {
            Maybe::Heading { start, count } => match c {
                '#' if count < 6 => self.set(Maybe::Heading { start, count: count + 1 }),
                _ if blank || end => {
                    self.close_unmatched();
                    self.close_leaf();
                    self.leaf = Leaf::Heading;
                    if end { self.content(at) } else { self.set(Maybe::HeadingSpace) }
                }
                _ => self.text_from(start),
            },
            Maybe::HeadingSpace if blank => Step::Taken,
            Maybe::HeadingSpace => self.content(at),
            Maybe::Fence { start, mark, count } => {
                if c == mark {
                    self.set(Maybe::Fence { start, mark, count: count.saturating_add(1) })
                } else if count >= 3 {
                    self.maybe = Maybe::Nothing;
                    self.verbatim(Leaf::Fence { mark, len: count }, at)
                } else {
                    self.text_from(start)
                }
            }
            Maybe::Closing { start, count, spaced } => {
                let Leaf::Fence { mark, len } = self.leaf else { return self.content(start) };
                match c {
                    _ if c == mark && !spaced => {
                        self.set(Maybe::Closing { start, count: count.saturating_add(1), spaced })
                    }
                    _ if blank && count >= len => self.set(Maybe::Closing { start, count, spaced: true }),
                    '\r' if count >= len => self.set(Maybe::Closing { start, count, spaced: true }),
                    '\n' if count >= len => {
                        self.close_leaf();
                        self.start_line();
                        Step::LineEnd
                    }
                    _ => self.content(start),
                }
            }
            Maybe::Math { start, count, spaced } => match c {
                '$' if count < 2 => self.set(Maybe::Math { start, count: 2, spaced }),
                ' ' | '\t' | '\r' if count == 2 => self.set(Maybe::Math { start, count, spaced: true }),
                '\n' if count == 2 => {
                    if self.leaf == Leaf::Math {
                        self.close_leaf();
                    } else {
                        self.close_unmatched();
                        self.close_leaf();
                        self.leaf = Leaf::Math;
                    }
                    self.start_line();
                    Step::LineEnd
                }
                _ if self.leaf == Leaf::Math => self.content(start),
                _ => self.text_from(start),
            },
            Maybe::Bullet { start, mark, count, spaced } => self.bullet(start, mark, count, spaced, c),
            Maybe::Number { start, digits, value, closed } => match c {
                '0'..='9' if !closed && digits < 9 => {
                    let value = value * 10 + (c as u32 - '0' as u32);
                    self.set(Maybe::Number { start, digits: digits + 1, value, closed })
                }
                '.' | ')' if !closed => self.set(Maybe::Number { start, digits, value, closed: true }),
                _ if closed && (blank || end) && (value == 1 && !end || !self.interrupts()) => {
                    self.bullets.1 = 0;
                    self.item(start, ' ', digits + 1, c)
                }
                _ => self.text_from(start),
            },
            Maybe::Nothing | Maybe::AfterMarker { .. } => Step::Taken,
        }
    }

    pub(super) fn bullet(&mut self, start: u64, mark: char, count: u32, spaced: bool, c: char) -> Step {
        let may_be_item = matches!(mark, '-' | '+' | '*') && count == 1 && !spaced;
        match c {
            ' ' | '\t' if may_be_item => {
                if self.bullets.0 == mark || self.bullets.1 == 0 {
                    self.bullets = (mark, self.bullets.1 + 1);
                }
                self.item(start, mark, 1, c)
            }
            ' ' | '\t' | '\r' if count >= 2 || mark == '_' || mark == '=' || c == '\r' => {
                self.set(Maybe::Bullet { start, mark, count, spaced: true })
            }
            '\n' => {
                let underline = matches!(mark, '=' | '-') && self.leaf.is_paragraph() && self.all_matched();
                let bullets = if self.bullets.0 == mark { self.bullets.1 } else { 0 };
                if underline {
                    self.close_leaf();
                } else if mark != '=' && mark != '+' && count + bullets >= 3 {
                    self.thematic_break();
                } else if may_be_item && !self.interrupts() {
                    return self.empty_item(self.indent + 1);
                } else {
                    return self.text_from(start);
                }
                self.start_line();
                Step::LineEnd
            }
            _ if c == mark => self.set(Maybe::Bullet { start, mark, count: count.saturating_add(1), spaced }),
            _ => self.text_from(start),
        }
    }

    /// What may be a list item, whose marker is `width` columns wide; `c` is the space or line end after it.
    pub(super) fn item(&mut self, start: u64, mark: char, width: u32, c: char) -> Step {
        let width = self.indent + width;
        let spaces = match c {
            '\n' => return self.empty_item(width),
            '\r' => 0,
            _ => self.width,
        };
        self.indent = 0;
        self.set(Maybe::AfterMarker { start, mark, width, spaces })
    }

    /// The line ended right after a list marker.
    pub(super) fn empty_item(&mut self, width: u32) -> Step {
        self.close_unmatched();
        self.close_leaf();
        self.open(Container::Item(width + 1));
        self.empty_item = Some(self.containers.len());
        if self.bullets.1 >= 3 && self.bullets.0 != '+' {
            // Three bullets and nothing else: `- - -`.
            self.thematic_break();
        }
        self.start_line();
        Step::LineEnd
    }

    pub(super) fn thematic_break(&mut self) {
        self.close_unmatched();
        self.close_leaf();
        // `- - -`: the items that its first bullets opened were none.
        let items = self.bullets.1 as usize;
        let keep = self.containers.len() - items.min(self.containers.len());
        if self.containers[keep..].iter().all(|c| matches!(c, Container::Item(_))) {
            self.close_to(keep);
        }
    }
}
