//! JSON Schemas: of a structured answer, to hand to a model as its response format; with the feature `schema` also of the
//! [`Verdict`](crate::Verdict) and the [`Policy`](crate::Policy), made from the types.

use serde_json::Value;

/// The two outcomes. Every property is required and no other is allowed, as strict modes ask; `status` comes first and
/// tells the outcomes apart, so that a model that writes one property after the other has decided before it goes on.
const OUTCOMES: &str = r#"{
  "anyOf": [
    {
      "type": "object",
      "description": "The sources have the answer.",
      "properties": {
        "status": {"type": "string", "enum": ["extracted"]},
        "answer": {"type": "string", "description": "The answer, as far as the quotes below support it."},
        "citations": {
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "ref": {"type": ["string", "integer"], "description": "The id of the source."},
              "quote": {"type": "string", "description": "The exact words of the source, copied without a change."}
            },
            "required": ["ref", "quote"],
            "additionalProperties": false
          }
        }
      },
      "required": ["status", "answer", "citations"],
      "additionalProperties": false
    },
    {
      "type": "object",
      "description": "The sources do not have the answer.",
      "properties": {
        "status": {"type": "string", "enum": ["not_found"]},
        "answer": {"type": "null"},
        "citations": {
          "type": "array",
          "maxItems": 0,
          "items": {
            "type": "object",
            "properties": {"ref": {"type": ["string", "integer"]}, "quote": {"type": "string"}},
            "required": ["ref", "quote"],
            "additionalProperties": false
          }
        }
      },
      "required": ["status", "answer", "citations"],
      "additionalProperties": false
    }
  ]
}"#;

/// The schema of a structured answer as JSON text (rules, section 6); with `fields`, of an object that has such an answer
/// in each of them.
///
/// It keeps to what OpenAI's strict mode accepts, with one exception that a schema of two outcomes can't avoid: strict mode
/// wants an object at the root. There, name a field (`&["result"]`); [`crate::answer::check`] reads both.
pub fn answer(fields: &[&str]) -> String {
    if fields.is_empty() {
        return OUTCOMES.to_owned();
    }
    let name = |field: &&str| Value::from(*field).to_string();
    let names: Vec<String> = fields.iter().map(name).collect();
    let properties: Vec<String> =
        names.iter().map(|name| format!("    {name}: {{\"$ref\": \"#/$defs/answer\"}}")).collect();
    format!(
        "{{\n  \"type\": \"object\",\n  \"properties\": {{\n{}\n  }},\n  \"required\": [{}],\n  \
         \"additionalProperties\": false,\n  \"$defs\": {{\n    \"answer\": {}\n  }}\n}}",
        properties.join(",\n"),
        names.join(", "),
        OUTCOMES.replace('\n', "\n    "),
    )
}

/// The schema of the [`Verdict`](crate::Verdict), version 1, as it is written: every field is required.
#[cfg(feature = "schema")]
pub fn verdict() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<crate::Verdict>().into()
}

/// The schema of the [`Policy`](crate::Policy) as it is read: every field has a default, and there are no others.
#[cfg(feature = "schema")]
pub fn policy() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_deserialize();
    settings.into_generator().into_root_schema_for::<crate::Policy>().into()
}

/// The schema of what [`crate::answer::check`] returns, as it is written.
#[cfg(feature = "schema")]
pub fn checked() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<crate::answer::Checked>().into()
}
