//! [`SourceList`]: sources as they stand in JSON.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{Format, Source};

/// Sources as they stand in JSON: an array of `{id, title?, url?, text?, format?}`, or an object `{id: text}`.
///
/// An object that has an `id` and no key that a source cannot have is one source by itself. An id is a string or a whole
/// number. In an object of texts an id may stand twice, and `null` for a text means: known by its id only.
///
/// ```
/// use citesieve::source::SourceList;
///
/// let list: SourceList = serde_json::from_str(r#"[{"id": 1, "text": "Rent is due monthly."}]"#)?;
/// assert_eq!(list.0[0].id, "1");
/// let list: SourceList = serde_json::from_str(r#"{"1": "Rent is due monthly.", "2": null}"#)?;
/// assert_eq!(list.0[1].text, None);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceList(pub Vec<Source>);

impl<'de> Deserialize<'de> for SourceList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = SourceList;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of sources or an object {id: text}")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<SourceList, A::Error> {
                let mut list = Vec::new();
                while let Some(source) = items.next_element()? {
                    list.push(source);
                }
                Ok(SourceList(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SourceList, A::Error> {
                let mut fields = Vec::new();
                while let Some(key) = map.next_key::<String>()? {
                    let value = if key == "id" { map.next_value::<Field>()? } else { map.next_value::<Text>()?.0 };
                    fields.push((key, value));
                }
                of_object(fields).map(SourceList)
            }
        }
        deserializer.deserialize_any(List)
    }
}

/// The keys that a source may have.
const KEYS: [&str; 5] = ["id", "title", "url", "text", "format"];

/// One object: a source, or texts by id.
fn of_object<E: de::Error>(fields: Vec<(String, Field)>) -> Result<Vec<Source>, E> {
    let has_id = fields.iter().any(|(key, _)| key == "id");
    if has_id && fields.iter().all(|(key, _)| KEYS.contains(&key.as_str())) {
        return of_source(fields).map(|source| vec![source]);
    }
    let text = |(id, value)| match value {
        Field::Number(number) => Err(E::invalid_type(de::Unexpected::Other(&format!("number `{number}`")), &"a text")),
        Field::Text(text) => Ok(Source { id, text: Some(text), ..Source::default() }),
        Field::Null => Ok(Source { id, ..Source::default() }),
    };
    fields.into_iter().map(text).collect()
}

fn of_source<E: de::Error>(fields: Vec<(String, Field)>) -> Result<Source, E> {
    let mut source = Source::default();
    for (index, key) in KEYS.iter().enumerate() {
        let mut found = fields.iter().filter(|(name, _)| name == key);
        let Some((_, value)) = found.next() else { continue };
        if found.next().is_some() {
            return Err(E::duplicate_field(KEYS[index]));
        }
        let text = match value {
            Field::Text(text) => Some(text.clone()),
            Field::Number(number) => Some(number.clone()),
            Field::Null => None,
        };
        match *key {
            "id" => source.id = text.ok_or_else(|| E::invalid_type(de::Unexpected::Unit, &AN_ID))?,
            "title" => source.title = text,
            "url" => source.url = text,
            "text" => source.text = text,
            _ => {
                let Some(name) = text else { return Err(E::invalid_type(de::Unexpected::Unit, &"a format")) };
                source.format = Format::deserialize(de::value::StringDeserializer::new(name))?;
            }
        }
    }
    Ok(source)
}

const AN_ID: &str = "a string or a whole number";

/// A value of an object.
enum Field {
    Text(String),
    /// A whole number, in decimal. Only an id may be one.
    Number(String),
    Null,
}

/// A value that may not be a number.
struct Text(Field);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Text(Option::<String>::deserialize(deserializer)?.map_or(Field::Null, Field::Text)))
    }
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Field;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(AN_ID)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Field, E> {
                Ok(Field::Text(text.to_owned()))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Field, E> {
                Ok(Field::Number(number.to_string()))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Field, E> {
                Ok(Field::Number(number.to_string()))
            }

            fn visit_unit<E: de::Error>(self) -> Result<Field, E> {
                Ok(Field::Null)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// Reads an id: a string or a whole number.
pub(super) fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match Field::deserialize(deserializer)? {
        Field::Text(text) | Field::Number(text) => Ok(text),
        Field::Null => Err(de::Error::invalid_type(de::Unexpected::Unit, &AN_ID)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_a_source_or_texts() {
        let ids = |json: &str| -> Vec<String> {
            let SourceList(list) = serde_json::from_str(json).unwrap();
            list.into_iter().map(|source| source.id).collect()
        };
        assert_eq!(ids(r#"{"id": 7, "text": "a", "format": "html", "url": null}"#), ["7"]);
        assert_eq!(ids(r#"{"id": "a", "9": "b"}"#), ["id", "9"], "a text whose id is \"id\"");
        assert_eq!(ids(r#"{"1": "a", "1": "b", "2": null}"#), ["1", "1", "2"]);
        assert_eq!(ids("{}").len(), 0);
    }

    #[test]
    fn errors_say_what_was_expected() {
        let refusal = |json: &str| serde_json::from_str::<SourceList>(json).unwrap_err().to_string();
        for (json, says) in [
            ("7", "invalid type: integer `7`, expected an array of sources or an object {id: text}"),
            (r#"{"1": 7}"#, "invalid type: integer `7`, expected a string at line 1 column 7"),
            (r#"{"id": 7, "9": "b"}"#, "invalid type: number `7`, expected a text"),
            (r#"{"id": null}"#, "invalid type: null, expected a string or a whole number"),
            (r#"{"id": "1", "id": "2"}"#, "duplicate field `id`"),
            (r#"{"id": "1", "format": "pdf"}"#, "unknown variant `pdf`, expected one of `auto`"),
            (r#"[{"id": true}]"#, "invalid type: boolean `true`, expected a string or a whole number"),
            (r#"[{"id": null}]"#, "invalid type: null, expected a string or a whole number"),
        ] {
            assert!(refusal(json).starts_with(says), "{json}: {}", refusal(json));
        }
    }
}
