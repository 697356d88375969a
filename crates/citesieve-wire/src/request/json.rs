//! A JSON value of a request, looked at where it stands.
//!
//! Nothing is built from what is not asked for, so a body of any shape costs its own length and no more; depth costs
//! nothing (see [`crate::json`]).

use crate::json::Cursor;
use crate::splice::decode;

/// A value, as it stands in the body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Json<'a>(pub(crate) &'a [u8]);

impl<'a> Json<'a> {
    /// The values of these fields; of a field that stands more than once the last, as parsers do. None of anything but
    /// an object.
    pub(crate) fn fields<const N: usize>(self, names: [&str; N]) -> [Option<Json<'a>>; N] {
        let mut found = [None; N];
        let read = Cursor::new(self.0).object(|cursor, key| {
            let index = names.iter().position(|name| name.as_bytes() == key);
            let at = cursor.skip()?;
            if let Some(index) = index {
                found[index] = Some(Json(&self.0[at]));
            }
            Ok(())
        });
        if read.is_ok() { found } else { [None; N] }
    }

    /// The value of one field.
    pub(crate) fn field(self, name: &str) -> Option<Json<'a>> {
        let [found] = self.fields([name]);
        found
    }

    /// Every field in order: its name and its value. None of anything but an object.
    pub(crate) fn each_field(self, mut field: impl FnMut(&str, Json<'a>)) {
        // What is read of an object that goes wrong later on does no harm: the body is no JSON, nobody will answer it.
        let _ = Cursor::new(self.0).object(|cursor, key| {
            let at = cursor.skip()?;
            field(&String::from_utf8_lossy(key), Json(&self.0[at]));
            Ok(())
        });
    }

    /// Every item in order. None of anything but an array.
    pub(crate) fn each(self, mut item: impl FnMut(Json<'a>)) {
        let _ = Cursor::new(self.0).array(|cursor, _| {
            let at = cursor.skip()?;
            item(Json(&self.0[at]));
            Ok(())
        });
    }

    /// Whether it is an object.
    pub(crate) fn is_object(self) -> bool {
        self.0.first() == Some(&b'{')
    }

    /// Whether it is an array.
    pub(crate) fn is_array(self) -> bool {
        self.0.first() == Some(&b'[')
    }

    /// The text of a string.
    pub(crate) fn text(self) -> Option<String> {
        let body = self.0.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        let mut text = String::new();
        decode(body, &mut text).ok()?;
        Some(text)
    }

    /// A string, or a number as it is written.
    pub(crate) fn text_or_number(self) -> Option<String> {
        match self.0.first()? {
            b'"' => self.text(),
            b'0'..=b'9' | b'-' => std::str::from_utf8(self.0).ok().map(str::to_owned),
            _ => None,
        }
    }

    /// `true` or `false`.
    pub(crate) fn truth(self) -> Option<bool> {
        match self.0 {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }

    /// Every string in it that is not a key, at any depth, in order.
    pub(crate) fn each_text(self, mut each: impl FnMut(String)) {
        let mut at = 0;
        while let Some(found) = memchr::memchr(b'"', &self.0[at..]) {
            let start = at + found;
            let mut cursor = Cursor::new(&self.0[start..]);
            let Ok(literal) = cursor.string() else { return };
            at = start + literal.end;
            if cursor.peek() != Some(b':')
                && let Some(text) = Json(&self.0[start..at]).text()
            {
                each(text);
            }
        }
    }
}
