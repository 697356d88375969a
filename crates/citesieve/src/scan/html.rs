//! An automaton for one HTML tag or comment, as CommonMark defines them inside a paragraph.

/// What a character did to the tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It may still become one.
    Open,
    /// It is complete.
    Closed,
    /// It can't become one any more.
    Dead,
}

/// Where in the tag we are; starts after the `<`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    Start,
    Name,
    CloseStart,
    CloseName,
    CloseSpace,
    /// Space after the name or after a value: an attribute may follow.
    Space,
    Attribute,
    AfterAttribute,
    BeforeValue,
    Unquoted,
    Quoted(char),
    AfterQuoted,
    SelfClose,
    /// `<!`
    Bang,
    /// `<!-`
    BangDash,
    /// In a comment, after this many dashes.
    Comment(u8),
    /// `<!DOCTYPE …`
    Declaration,
    /// `<? …`, and whether the last character was `?`.
    Instruction(bool),
}

impl Tag {
    /// Reads one character.
    pub(crate) fn step(&mut self, c: char) -> Progress {
        let space = matches!(c, ' ' | '\t' | '\n' | '\r');
        let next = match *self {
            Tag::Start => match c {
                'a'..='z' | 'A'..='Z' => Tag::Name,
                '/' => Tag::CloseStart,
                '!' => Tag::Bang,
                '?' => Tag::Instruction(false),
                _ => return Progress::Dead,
            },
            Tag::Name if c.is_ascii_alphanumeric() || c == '-' => Tag::Name,
            Tag::Name | Tag::Space | Tag::AfterQuoted if c == '>' => return Progress::Closed,
            Tag::Name | Tag::Space | Tag::AfterQuoted if c == '/' => Tag::SelfClose,
            Tag::Name | Tag::Space | Tag::AfterQuoted if space => Tag::Space,
            Tag::Space | Tag::AfterAttribute if c.is_ascii_alphabetic() || c == '_' || c == ':' => Tag::Attribute,
            Tag::Name | Tag::Space | Tag::AfterQuoted => return Progress::Dead,
            Tag::CloseStart if c.is_ascii_alphabetic() => Tag::CloseName,
            Tag::CloseName if c.is_ascii_alphanumeric() || c == '-' => Tag::CloseName,
            Tag::CloseName | Tag::CloseSpace if c == '>' => return Progress::Closed,
            Tag::CloseName | Tag::CloseSpace if space => Tag::CloseSpace,
            Tag::CloseStart | Tag::CloseName | Tag::CloseSpace => return Progress::Dead,
            Tag::Attribute if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '-') => Tag::Attribute,
            Tag::Attribute | Tag::AfterAttribute if c == '=' => Tag::BeforeValue,
            Tag::Attribute | Tag::AfterAttribute if c == '>' => return Progress::Closed,
            Tag::Attribute | Tag::AfterAttribute if c == '/' => Tag::SelfClose,
            Tag::Attribute | Tag::AfterAttribute if space => Tag::AfterAttribute,
            Tag::Attribute | Tag::AfterAttribute => return Progress::Dead,
            Tag::BeforeValue => match c {
                _ if space => Tag::BeforeValue,
                '"' | '\'' => Tag::Quoted(c),
                '<' | '>' | '=' | '`' => return Progress::Dead,
                _ => Tag::Unquoted,
            },
            Tag::Unquoted => match c {
                _ if space => Tag::Space,
                '>' => return Progress::Closed,
                '"' | '\'' | '<' | '=' | '`' => return Progress::Dead,
                _ => Tag::Unquoted,
            },
            Tag::Quoted(mark) if c == mark => Tag::AfterQuoted,
            Tag::Quoted(mark) => Tag::Quoted(mark),
            Tag::SelfClose if c == '>' => return Progress::Closed,
            Tag::SelfClose => return Progress::Dead,
            Tag::Bang => match c {
                '-' => Tag::BangDash,
                'a'..='z' | 'A'..='Z' => Tag::Declaration,
                _ => return Progress::Dead,
            },
            Tag::BangDash if c == '-' => Tag::Comment(0),
            Tag::BangDash => return Progress::Dead,
            Tag::Comment(dashes) => match c {
                '-' => Tag::Comment((dashes + 1).min(2)),
                '>' if dashes == 2 => return Progress::Closed,
                _ => Tag::Comment(0),
            },
            Tag::Declaration if c == '>' => return Progress::Closed,
            Tag::Declaration => Tag::Declaration,
            Tag::Instruction(true) if c == '>' => return Progress::Closed,
            Tag::Instruction(_) => Tag::Instruction(c == '?'),
        };
        *self = next;
        Progress::Open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Progress {
        let mut tag = Tag::Start;
        let mut last = Progress::Open;
        for c in text.chars() {
            assert_eq!(last, Progress::Open, "{text}");
            last = tag.step(c);
        }
        last
    }

    #[test]
    fn tags_close_where_commonmark_says() {
        for text in ["a>", "a href=\"x[9]\">", "br/>", "b c d='>' e=f>", "/p >", "!-- [9] - -->", "?x ?>", "!X y>"] {
            assert_eq!(run(text), Progress::Closed, "{text}");
        }
        for text in [" ", "5", "b [", "a href==", "/p x", "a href=\"x\"y", "!1"] {
            assert_eq!(run(text), Progress::Dead, "{text}");
        }
        assert_eq!(run("a title=\"never closed"), Progress::Open);
    }
}
