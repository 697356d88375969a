//! An automaton for what follows `](`: the destination and title of an inline link.

use super::html::Progress;

/// Parentheses nested deeper than this in a destination end it, as in CommonMark's reference implementation.
const MAX_PARENS: u8 = 32;

/// Where in the destination we are; starts after the `(`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Destination {
    /// Only spaces so far.
    Start,
    /// In `<…>`, and whether the last character was a backslash.
    Angle(bool),
    /// In a bare destination with so many open parentheses.
    Bare { depth: u8, escaped: bool },
    /// After the destination.
    Space,
    /// After `<…>`: a space or `)` must follow.
    AfterAngle,
    /// In a title that ends with this character.
    Title { close: char, escaped: bool },
    /// After the title.
    End,
}

impl Destination {
    /// Reads one character.
    pub(crate) fn step(&mut self, c: char) -> Progress {
        let space = matches!(c, ' ' | '\t' | '\n' | '\r');
        let next = match *self {
            Destination::Start => match c {
                _ if space => Destination::Start,
                ')' => return Progress::Closed,
                '<' => Destination::Angle(false),
                '(' => Destination::Bare { depth: 1, escaped: false },
                _ if c.is_ascii_control() => return Progress::Dead,
                _ => Destination::Bare { depth: 0, escaped: c == '\\' },
            },
            Destination::Angle(true) => Destination::Angle(false),
            Destination::Angle(false) => match c {
                '>' => Destination::AfterAngle,
                '<' | '\n' => return Progress::Dead,
                _ => Destination::Angle(c == '\\'),
            },
            Destination::Bare { depth, escaped } => match c {
                _ if space && depth == 0 => Destination::Space,
                _ if space || c.is_ascii_control() => return Progress::Dead,
                _ if escaped => Destination::Bare { depth, escaped: false },
                '(' if depth == MAX_PARENS => return Progress::Dead,
                '(' => Destination::Bare { depth: depth + 1, escaped },
                ')' if depth == 0 => return Progress::Closed,
                ')' => Destination::Bare { depth: depth - 1, escaped },
                _ => Destination::Bare { depth, escaped: c == '\\' },
            },
            Destination::Space | Destination::AfterAngle => match c {
                ')' => return Progress::Closed,
                _ if space => Destination::Space,
                _ if *self == Destination::AfterAngle => return Progress::Dead,
                '"' | '\'' => Destination::Title { close: c, escaped: false },
                '(' => Destination::Title { close: ')', escaped: false },
                _ => return Progress::Dead,
            },
            Destination::Title { close, escaped: true } => Destination::Title { close, escaped: false },
            Destination::Title { close, .. } => match c {
                _ if c == close => Destination::End,
                '(' if close == ')' => return Progress::Dead,
                _ => Destination::Title { close, escaped: c == '\\' },
            },
            Destination::End => match c {
                ')' => return Progress::Closed,
                _ if space => Destination::End,
                _ => return Progress::Dead,
            },
        };
        *self = next;
        Progress::Open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Progress {
        let mut state = Destination::Start;
        let mut last = Progress::Open;
        for c in text.chars() {
            assert_eq!(last, Progress::Open, "{text}");
            last = state.step(c);
        }
        last
    }

    #[test]
    fn destinations_close_where_commonmark_says() {
        for text in [")", "a)", "a[7](b)c)", "<a b>)", "a \"t [9]\" )", "a (t))", "\\)a)"] {
            assert_eq!(run(text), Progress::Closed, "{text}");
        }
        for text in ["note x", "<a\n", "a \"t\" x", "<a>b"] {
            assert_eq!(run(text), Progress::Dead, "{text}");
        }
        assert_eq!(run("a"), Progress::Open);
    }
}
