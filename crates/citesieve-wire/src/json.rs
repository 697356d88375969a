//! A cursor over JSON that knows where everything stands.
//!
//! What the dialects need of an event is the place of a few tokens in its bytes. `serde_json::value::RawValue` gives
//! slices, but a derived struct refuses repeated keys (clients take the last one) and stops at the first field of
//! another type; one pass by hand is faster and forgives both. The cursor is lenient: whatever a JSON parser accepts,
//! it accepts and finds at the same place. No recursion, so depth costs nothing.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

/// The bytes are not JSON, or not of the shape that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed;

/// A position in JSON text.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the start of `bytes`.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes, at: 0 }
    }

    /// The first byte of the next token, which is not consumed.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            if byte > b' ' || !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(Malformed)
        }
    }

    /// Where it stands.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Nothing but white space is left.
    pub(crate) fn end(&mut self) -> Result<(), Malformed> {
        if self.peek().is_none() { Ok(()) } else { Err(Malformed) }
    }

    /// Reads an object. `field` is called for each field with the key (escapes undone) and must consume its value.
    /// Returns the end of the last value (of the opening brace if there is none): where a field can be added.
    #[inline]
    pub(crate) fn object(
        &mut self,
        mut field: impl FnMut(&mut Self, &[u8]) -> Result<(), Malformed>,
    ) -> Result<Tail, Malformed> {
        self.expect(b'{')?;
        let mut tail = Tail { at: self.at, first: true };
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(tail);
        }
        loop {
            let (key, escaped) = self.literal()?;
            let key = &self.bytes[key.start + 1..key.end - 1];
            self.expect(b':')?;
            if escaped {
                field(self, &unescape(key))?;
            } else {
                field(self, key)?;
            }
            tail = Tail { at: self.at, first: false };
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(tail);
                }
                _ => return Err(Malformed),
            }
        }
    }

    /// Reads an array. `item` is called for each item with its index and must consume it.
    #[inline]
    pub(crate) fn array(
        &mut self,
        mut item: impl FnMut(&mut Self, usize) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        self.expect(b'[')?;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        for index in 0.. {
            item(self, index)?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => break,
            }
        }
        Err(Malformed)
    }

    /// Reads an object if one stands here, skips anything else.
    #[inline]
    pub(crate) fn object_or_skip(
        &mut self,
        field: impl FnMut(&mut Self, &[u8]) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        if self.peek() == Some(b'{') { self.object(field).map(drop) } else { self.ignore() }
    }

    /// Reads an array if one stands here, skips anything else.
    #[inline]
    pub(crate) fn array_or_skip(
        &mut self,
        item: impl FnMut(&mut Self, usize) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        if self.peek() == Some(b'[') { self.array(item) } else { self.ignore() }
    }

    /// Reads a string literal and returns its place, quotes included.
    #[inline]
    pub(crate) fn string(&mut self) -> Result<Range<usize>, Malformed> {
        self.literal().map(|(at, _)| at)
    }

    /// Reads a string literal and returns its place, quotes included, and whether it holds escapes.
    #[inline]
    fn literal(&mut self) -> Result<(Range<usize>, bool), Malformed> {
        if self.peek() != Some(b'"') {
            return Err(Malformed);
        }
        let start = self.at;
        let rest = &self.bytes[start + 1..];
        let found = quote_or_backslash(rest).ok_or(Malformed)?;
        self.at = start + found + 2;
        if rest[found] == b'"' {
            return Ok((start..self.at, false));
        }
        self.behind_escape()?;
        Ok((start..self.at, true))
    }

    /// Goes on behind the backslash of an escape to the end of the literal.
    fn behind_escape(&mut self) -> Result<(), Malformed> {
        loop {
            if self.at >= self.bytes.len() {
                return Err(Malformed);
            }
            self.at += 1;
            let found = memchr2(b'"', b'\\', &self.bytes[self.at..]).ok_or(Malformed)?;
            self.at += found + 1;
            if self.bytes[self.at - 1] == b'"' {
                return Ok(());
            }
        }
    }

    /// Reads a string if one stands here, skips anything else.
    #[inline]
    pub(crate) fn string_or_skip(&mut self) -> Result<Option<Range<usize>>, Malformed> {
        if self.peek() == Some(b'"') {
            self.string().map(Some)
        } else {
            self.skip()?;
            Ok(None)
        }
    }

    /// Reads a short string (a type, an id) and returns its text, escapes undone; `None` and skipped if something else
    /// stands here.
    pub(crate) fn word(&mut self) -> Result<Option<Cow<'a, [u8]>>, Malformed> {
        if self.peek() != Some(b'"') {
            self.skip()?;
            return Ok(None);
        }
        let (at, escaped) = self.literal()?;
        let body = &self.bytes[at.start + 1..at.end - 1];
        Ok(Some(if escaped { unescape(body) } else { Cow::Borrowed(body) }))
    }

    /// Reads a whole number and returns it with its place; `None` and skipped if something else stands here.
    pub(crate) fn number(&mut self) -> Result<Option<(u64, Range<usize>)>, Malformed> {
        let at = self.skip()?;
        let digits = &self.bytes[at.clone()];
        if digits.is_empty() || digits.len() > 19 || !digits.iter().all(u8::is_ascii_digit) {
            return Ok(None);
        }
        Ok(Some((digits.iter().fold(0, |n, d| n * 10 + u64::from(d - b'0')), at)))
    }

    /// Skips a value and returns whether it is neither `null`, `false`, `0`, nor empty.
    pub(crate) fn truthy(&mut self) -> Result<bool, Malformed> {
        let at = self.skip()?;
        let value = &self.bytes[at];
        let inside = |value: &[u8]| value[1..value.len() - 1].iter().any(|b| !b.is_ascii_whitespace());
        Ok(match value {
            b"null" | b"false" | b"0" | b"\"\"" => false,
            [b'{' | b'[', ..] => inside(value),
            _ => true,
        })
    }

    /// Skips the next value.
    #[inline]
    pub(crate) fn ignore(&mut self) -> Result<(), Malformed> {
        self.skip().map(drop)
    }

    /// Skips the next value and returns its place.
    #[inline]
    pub(crate) fn skip(&mut self) -> Result<Range<usize>, Malformed> {
        match self.peek().ok_or(Malformed)? {
            b'"' => self.string(),
            b'{' | b'[' => {
                let start = self.at;
                let mut depth = 0usize;
                while let Some(&byte) = self.bytes.get(self.at) {
                    match byte {
                        b'"' => {
                            self.string()?;
                            continue;
                        }
                        b'{' | b'[' => depth += 1,
                        b'}' | b']' => {
                            depth -= 1;
                            if depth == 0 {
                                self.at += 1;
                                return Ok(start..self.at);
                            }
                        }
                        _ => {}
                    }
                    self.at += 1;
                }
                Err(Malformed)
            }
            _ => {
                let start = self.at;
                let rest = &self.bytes[start..];
                let len = rest.iter().position(|&byte| ENDS_SCALAR[byte as usize]).unwrap_or(rest.len());
                self.at += len;
                if len == 0 { Err(Malformed) } else { Ok(start..self.at) }
            }
        }
    }
}

/// The first quote or backslash. Keys and most values are short, which is not what `memchr2` is fastest at.
#[inline]
fn quote_or_backslash(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let mut from = 0;
    while let Some(word) = bytes[from..].first_chunk::<8>() {
        if from == 32 {
            break;
        }
        let word = u64::from_le_bytes(*word);
        // The lowest bit that is set belongs to the first such byte; only bits above it may be wrong.
        let found = zeros(word ^ (ONES * b'"' as u64)) | zeros(word ^ (ONES * b'\\' as u64));
        if found != 0 {
            return Some(from + found.trailing_zeros() as usize / 8);
        }
        from += 8;
    }
    memchr2(b'"', b'\\', &bytes[from..]).map(|at| from + at)
}

/// The end of an object's last value: where a field can be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tail {
    /// Byte position behind the last value, or behind the opening brace.
    pub(crate) at: usize,
    /// The object has no field yet, so no comma is needed.
    pub(crate) first: bool,
}

/// A key or another short string, escapes undone (a key may be spelled `"c\u006fntent"`).
#[cold]
fn unescape(body: &[u8]) -> Cow<'_, [u8]> {
    let mut text = String::new();
    match crate::splice::decode(body, &mut text) {
        Ok(_) => Cow::Owned(text.into_bytes()),
        Err(_) => Cow::Borrowed(body),
    }
}

/// Bytes that end a number, a `true`, a `null`.
static ENDS_SCALAR: [bool; 256] = {
    let mut table = [false; 256];
    let ends = b",}]:\" \n\r\t";
    let mut index = 0;
    while index < ends.len() {
        table[ends[index] as usize] = true;
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_places_and_the_end_of_the_last_value() {
        let text = br#" { "a" : [1, {"b":"x\"y"}] , "c\u006f":"z"  } "#;
        let mut seen = Vec::new();
        let mut cursor = Cursor::new(text);
        let tail = cursor
            .object(|c, key| {
                let at = c.skip()?;
                seen.push((String::from_utf8_lossy(key).into_owned(), &text[at]));
                Ok(())
            })
            .unwrap();
        cursor.end().unwrap();
        assert_eq!(seen, [("a".into(), &br#"[1, {"b":"x\"y"}]"#[..]), ("co".into(), &br#""z""#[..])]);
        assert!(text[..tail.at].ends_with(b"\"z\""));
    }

    proptest::proptest! {
        #[test]
        fn finds_the_first_quote_or_backslash(bytes in "[a!#\\[\\]\"\\\\\u{0}é]{0,80}") {
            let expected = bytes.bytes().position(|byte| byte == b'"' || byte == b'\\');
            proptest::prop_assert_eq!(quote_or_backslash(bytes.as_bytes()), expected);
        }

        /// Whatever serde_json reads, the cursor reads, and finds every string where it stands.
        #[test]
        fn accepts_what_a_parser_accepts(text in "[\\[\\]{}:, a1\"\\\\n]{0,24}") {
            if serde_json::from_str::<serde_json::Value>(&text).is_ok() {
                let mut cursor = Cursor::new(text.as_bytes());
                proptest::prop_assert!(cursor.skip().is_ok() && cursor.end().is_ok(), "{}", text);
            }
        }
    }

    #[test]
    fn refuses_what_is_cut_or_wrong() {
        for text in ["", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "[1", "\"a", "\"a\\", "{a:1}", "{\"a\" 1}"]
        {
            let mut cursor = Cursor::new(text.as_bytes());
            assert!(cursor.object(|c, _| c.skip().map(drop)).is_err(), "{text}");
        }
        let deep = vec![b'['; 1_000_000];
        assert!(Cursor::new(&deep).skip().is_err());
    }

    #[test]
    fn truthiness_is_that_of_the_clients() {
        for (text, expected) in [("null", false), ("{}", false), ("[ ]", false), ("\"\"", false), ("[0]", true)] {
            assert_eq!(Cursor::new(text.as_bytes()).truthy(), Ok(expected), "{text}");
        }
    }
}
