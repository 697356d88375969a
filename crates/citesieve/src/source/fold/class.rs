//! What kind of character is this?

/// What a folded character is to its neighbours: decides whether the spaces and dashes between two of them are the
/// typesetter's or the author's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Class {
    /// Nothing was written yet.
    #[default]
    Start,
    /// A letter of a script that puts spaces between words.
    Letter,
    /// A letter of a script that writes none.
    Spaceless,
    /// A digit of any script.
    Digit,
    /// A quotation mark.
    Quote,
    /// An opening bracket.
    Open,
    /// A closing bracket.
    Close,
    /// A comma, full stop and the like, which no typesetter moves away from its word.
    Stop,
    /// `% ‰ °`, primes.
    Percent,
    /// `$ € £ ¥`.
    Currency,
    /// A sign between two values or names, or before one.
    Operator,
    /// A dash.
    Dash,
    /// Anything else.
    Other,
}

impl Class {
    /// Of a folded character.
    pub(crate) fn of(c: char) -> Class {
        match c {
            'a'..='z' | 'A'..='Z' => Class::Letter,
            '0'..='9' => Class::Digit,
            '"' => Class::Quote,
            '(' | '[' | '{' | '（' | '【' => Class::Open,
            ')' | ']' | '}' | '）' | '】' => Class::Close,
            ',' | '.' | ';' | ':' | '!' | '?' | '、' | '。' | '।' | '،' | '؛' | '؟' | '։' => Class::Stop,
            '%' | '‰' | '‱' | '°' | '٪' | '′' | '″' => Class::Percent,
            '$' | '£' | '¥' | '€' | '¢' | '\u{20a0}'..='\u{20cf}' | '฿' => Class::Currency,
            '<'
            | '>'
            | '='
            | '+'
            | '/'
            | '^'
            | '~'
            | '±'
            | '×'
            | '÷'
            | '∼'
            | '≈'
            | '→'
            | '←'
            | '↔'
            | '⇒'
            | '∓'
            | '\u{2260}'..='\u{226b}'
            | '−' => Class::Operator,
            '-' | '—' => Class::Dash,
            _ if c.is_ascii() => Class::Other,
            _ if is_spaceless(c) => Class::Spaceless,
            _ if c.is_numeric() => Class::Digit,
            _ if c.is_alphabetic() || unicode_normalization::char::is_combining_mark(c) => Class::Letter,
            _ => Class::Other,
        }
    }

    /// Whether this is part of a word or number.
    pub(crate) fn is_word(self) -> bool {
        matches!(self, Class::Letter | Class::Spaceless | Class::Digit)
    }
}

/// Letters and punctuation of scripts that put no spaces between words: Han, kana, Thai, Lao, Tibetan, Burmese,
/// Khmer. Their digits are digits.
pub(crate) fn is_spaceless(c: char) -> bool {
    match c as u32 {
        0..=0x0e00 => false,
        0x0e50..=0x0e59 | 0x0ed0..=0x0ed9 | 0x0f20..=0x0f33 | 0x1040..=0x1049 | 0x1090..=0x1099 => false,
        0x0e3f | 0x17e0..=0x17e9 | 0x19d0..=0x19da | 0x1a80..=0x1a99 => false,
        0x0e01..=0x0fff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x1950..=0x19df | 0x1a20..=0x1aaf => true,
        0x3001..=0x3003 | 0x3005..=0x3007 | 0x3021..=0x3029 | 0x3031..=0x3035 | 0x3038..=0x303c => true,
        0x3041..=0x312f | 0x31a0..=0x31bf | 0x31f0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff => true,
        0xa9e0..=0xa9fe | 0xaa60..=0xaa7f | 0xf900..=0xfaff | 0x1b000..=0x1b16f | 0x20000..=0x3ffff => true,
        _ => false,
    }
}

/// Kinds of dash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DashKind {
    /// Joins: hyphens, minus, en dash.
    Hyphen,
    /// Separates: em dash, horizontal bar.
    Dash,
}

/// Whether this is a dash, and which kind.
pub(crate) fn dash(c: char) -> Option<DashKind> {
    match c {
        '-'
        | '\u{2010}'..='\u{2013}'
        | '\u{2212}'
        | '\u{2043}'
        | '\u{058a}'
        | '\u{05be}'
        | '\u{2796}'
        | '\u{fe32}'
        | '\u{fe63}'
        | '\u{ff0d}'
        | '\u{207b}'
        | '\u{208b}'
        | '\u{02d7}' => Some(DashKind::Hyphen),
        '\u{2014}' | '\u{2015}' | '\u{2e3a}' | '\u{2e3b}' | '\u{fe31}' | '\u{fe58}' | '\u{2500}' => {
            Some(DashKind::Dash)
        }
        _ => None,
    }
}

/// Kinds of quotation mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuoteKind {
    /// May be an apostrophe.
    Single,
    /// Is never one.
    Double,
}

/// Whether this is a quotation mark or an apostrophe, and which kind.
pub(crate) fn quote(c: char) -> Option<QuoteKind> {
    match c {
        '\''
        | '\u{2018}'..='\u{201b}'
        | '\u{02b9}'
        | '\u{02bb}'..='\u{02bd}'
        | '\u{02c8}'
        | '´'
        | '\u{ff07}'
        | '\u{2032}'
        | '\u{2035}'
        | '\u{055a}'
        | '\u{05f3}'
        | '\u{a78c}' => Some(QuoteKind::Single),
        '"'
        | '\u{201c}'..='\u{201f}'
        | '«'
        | '»'
        | '‹'
        | '›'
        | '\u{2033}'
        | '\u{2036}'
        | '\u{ff02}'
        | '\u{300c}'..='\u{300f}'
        | '\u{301d}'..='\u{301f}'
        | '\u{fe41}'..='\u{fe44}'
        | '\u{ff62}'
        | '\u{ff63}'
        | '\u{275b}'..='\u{275e}'
        | '\u{02ba}'
        | '\u{02ee}'
        | '\u{05f4}'
        | '\u{2e42}' => Some(QuoteKind::Double),
        _ => None,
    }
}

/// Characters that are never seen: soft hyphen, zero-width ones, direction marks, variation selectors, tatweel.
pub(crate) fn is_ignorable(c: char) -> bool {
    matches!(c as u32,
        0x00ad | 0x034f | 0x061c | 0x0640 | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f
        | 0x202a..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff9..=0xfffb
        | 0x1bca0..=0x1bca3 | 0xe0000..=0xe0fff | 0..=0x08 | 0x0e..=0x1b | 0x7f)
}

/// Every kind of white space, and the fillers that look like it.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c as u32, 0x1c..=0x1f | 0x2800 | 0x303f)
}

/// Whether it ends a line.
pub(crate) fn is_newline(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
