//! The first look at a body: what its frames are called and which fields they have.

use crate::json::Cursor;

/// What tells a dialect.
#[derive(Debug, Default)]
pub(crate) struct Head {
    /// The field `type`.
    pub(crate) kind: String,
    /// The field `object`.
    pub(crate) object: String,
    keys: Vec<String>,
}

impl Head {
    /// `None`: no JSON object.
    pub(crate) fn read(data: &[u8]) -> Option<Self> {
        let mut head = Head::default();
        let text = |word: Option<std::borrow::Cow<'_, [u8]>>| {
            word.map(|word| String::from_utf8_lossy(&word).into_owned()).unwrap_or_default()
        };
        Cursor::new(data)
            .object(|c, key| {
                match key {
                    b"type" => head.kind = text(c.word()?),
                    b"object" => head.object = text(c.word()?),
                    _ => c.ignore()?,
                }
                if head.keys.len() < 64 {
                    head.keys.push(String::from_utf8_lossy(key).into_owned());
                }
                Ok(())
            })
            .ok()?;
        Some(head)
    }

    /// Whether it has this field.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|other| other == key)
    }
}
