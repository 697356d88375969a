//! Quotation marks: which one opens a quote and which one closes it.
//!
//! Only the outermost quote counts; marks of another kind inside it belong to its words. A quote ends at its own closer.

/// A quote longer than this is none (bytes): its closer was forgotten.
const MAX_QUOTE: u64 = 4096;

/// What a character was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    Nothing,
    Opened,
    /// It closes the quote that opened at this position.
    Closed(u64),
}

#[derive(Debug, Clone, Copy)]
struct Open {
    at: u64,
    mark: char,
    /// Quotes of the same kind that are open inside it.
    depth: u32,
}

/// The quote that is open, if any.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    open: Option<Open>,
}

impl Marks {
    /// Whether a quote is open.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Reads the character `c` at `at` and what stands beside it.
    pub(crate) fn step(&mut self, c: char, at: u64, before: Option<char>, next: Option<char>) -> Seen {
        let Some(open) = &mut self.open else {
            if opens(c, before, next) {
                self.open = Some(Open { at, mark: c, depth: 0 });
                return Seen::Opened;
            }
            return Seen::Nothing;
        };
        if at - open.at > MAX_QUOTE {
            self.open = None;
            return Seen::Nothing;
        }
        if closes(open.mark, c) && !is_apostrophe(c, before, next) {
            // `“a “b” c”`, but `„a“` and `"a"`: a mark that can do both closes.
            if open.depth > 0 {
                open.depth -= 1;
                return Seen::Nothing;
            }
            let at = open.at;
            self.open = None;
            return Seen::Closed(at);
        }
        if c == open.mark && opens(c, before, next) {
            open.depth += 1;
        }
        Seen::Nothing
    }
}

/// Whether `c` is a quotation mark of any kind.
pub(crate) fn is_mark(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '＂' | '＇' | '‘'..='‟' | '‹' | '›' | '«' | '»' | '「'..='』' | '〝'..='〟' | '❝' | '❞'
    )
}

/// Whether `c` opens a quote here.
fn opens(c: char, before: Option<char>, next: Option<char>) -> bool {
    let free = before.is_none_or(|b| !b.is_alphanumeric() && !matches!(b, '.' | ',' | '!' | '?' | ';' | ')' | '%'));
    let followed = next.is_some_and(|n| !n.is_whitespace());
    match c {
        '“' | '„' | '«' | '‹' | '「' | '『' | '〝' | '❝' | '‟' => true,
        '‘' | '‚' => followed,
        '"' | '＂' => free && followed,
        '\'' | '＇' => free && next.is_some_and(char::is_alphabetic),
        // ”Swedish”, »Finnish», »German«
        '”' | '»' | '›' => free && followed,
        _ => false,
    }
}

/// Whether `c` closes what `open` opened.
fn closes(open: char, c: char) -> bool {
    match open {
        '“' => matches!(c, '”' | '"'),
        '„' | '‟' => matches!(c, '“' | '”' | '"'),
        '‚' => matches!(c, '‘' | '’'),
        '‘' => c == '’',
        '«' => c == '»',
        '»' => matches!(c, '«' | '»'),
        '‹' => c == '›',
        '›' => matches!(c, '‹' | '›'),
        '「' => c == '」',
        '『' => c == '』',
        '〝' => matches!(c, '〞' | '〟'),
        '❝' => c == '❞',
        '"' | '＂' | '\'' | '＇' | '”' => c == open,
        _ => false,
    }
}

/// Whether a single mark is an apostrophe: between letters, or followed by one.
fn is_apostrophe(c: char, before: Option<char>, next: Option<char>) -> bool {
    match c {
        '\'' | '’' | '‘' | '＇' => {
            next.is_some_and(char::is_alphanumeric) || before.is_none_or(|b| b.is_whitespace())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quotes(text: &str) -> Vec<&str> {
        let chars: Vec<(usize, char)> = text.char_indices().collect();
        let mut marks = Marks::default();
        let mut found = Vec::new();
        for (index, &(at, c)) in chars.iter().enumerate() {
            let before = index.checked_sub(1).map(|i| chars[i].1);
            let next = chars.get(index + 1).map(|next| next.1);
            if let Seen::Closed(start) = marks.step(c, at as u64, before, next) {
                found.push(&text[start as usize..at + c.len_utf8()]);
            }
        }
        found
    }

    #[test]
    fn quotes_of_every_language() {
        for (text, want) in [
            ("He said \"the rent is due\" twice.", "\"the rent is due\""),
            ("“a “b” c” d", "“a “b” c”"),
            ("„die Miete ist fällig“ sagt", "„die Miete ist fällig“"),
            ("»die Miete« sagt", "»die Miete«"),
            ("»hyra förfaller» säger", "»hyra förfaller»"),
            ("”hyran förfaller” säger", "”hyran förfaller”"),
            ("« le loyer est dû » dit", "« le loyer est dû »"),
            ("彼は「家賃」と", "「家賃」"),
            ("‘the tenant’s rent’ is", "‘the tenant’s rent’"),
            ("'the tenant's rent' is", "'the tenant's rent'"),
            ("the \"net 'x' rent\" is", "\"net 'x' rent\""),
        ] {
            assert_eq!(quotes(text), [want], "{text}");
        }
    }

    #[test]
    fn apostrophes_and_inches_are_no_quotes() {
        for text in [
            "the tenant's and landlord's",
            "rock ’n’ roll",
            "a 5\" pipe and a 6\" one",
            "the '90s and '80s",
            "never \"closed",
        ] {
            assert!(quotes(text).is_empty(), "{text}: {:?}", quotes(text));
        }
    }
}
