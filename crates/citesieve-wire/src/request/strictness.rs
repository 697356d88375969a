//! A policy that a request asks for: taken where it makes the sieve stricter.

use citesieve::Policy;
use serde_json::{Map, Value};

/// Why a policy that a request asks for is refused. A server answers with status 400, or 403 for [`Self::Looser`] and
/// [`Self::NotStrictness`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The policy has no such field.
    #[error("policy: unknown field `{field}`, expected one of {known}")]
    Unknown {
        /// The field.
        field: String,
        /// The fields that there are.
        known: String,
    },
    /// The value is not one that the field can have.
    #[error("policy.{field}: {message}")]
    Value {
        /// The field.
        field: String,
        /// What was expected and what came.
        message: String,
    },
    /// The value would make the sieve less strict than it is.
    #[error("policy.{field}: a request may make it stricter than {base}, not set it to {wanted}")]
    Looser {
        /// The field.
        field: String,
        /// The value that holds.
        base: String,
        /// The value that was asked for.
        wanted: String,
    },
    /// The field is not a matter of strictness.
    #[error("policy.{field}: a request may not set it; it is {base}")]
    NotStrictness {
        /// The field.
        field: String,
        /// The value that holds.
        base: String,
    },
    /// It is not an object.
    #[error("policy: expected an object with fields of the policy")]
    NotAnObject,
}

/// How much more than the base a request may have held back, for `max_hold` and `max_answer`: it costs memory.
const MAX_RAISE: u64 = 8;

/// The policy with the fields that a request asks for, as far as they make it stricter (or change nothing).
///
/// The order of strictness, per field: `release` eager, claim, answer; `inline_quotes` report, demote; `failed_claims`
/// keep, mark, drop; `failed_citations` keep, drop; `misattributed` report, then either of move and drop;
/// `elisions` any_language, known_languages; `unsupported_claims` report, none_left, downgrade; `syntaxes` any superset;
/// `max_hold` and `max_answer` from the base to eight times that. Every other field (`markers`, `notice`, `claim_mark`,
/// `not_found_message`) says how something is shown and is refused unless it is what it was.
///
/// # Errors
/// [`PolicyError`] names the first field that is refused.
pub fn stricter(base: &Policy, wanted: &Value) -> Result<Policy, PolicyError> {
    changed(base, wanted, &[])
}

/// Like [`stricter`], but the fields named in `free` may be set to anything.
///
/// # Errors
/// [`PolicyError`] names the first field that is refused.
pub fn changed(base: &Policy, wanted: &Value, free: &[&str]) -> Result<Policy, PolicyError> {
    let Value::Object(wanted) = wanted else { return Err(PolicyError::NotAnObject) };
    let Ok(Value::Object(mut fields)) = serde_json::to_value(base) else { return Err(PolicyError::NotAnObject) };
    for (field, value) in wanted {
        let Some(old) = fields.get(field).cloned() else {
            let known: Vec<String> = fields.keys().map(|known| format!("`{known}`")).collect();
            return Err(PolicyError::Unknown { field: cut(field), known: known.join(", ") });
        };
        // Read on its own first, so that an error names its field, and in the form in which it is written.
        let new = normal(field, value)?;
        if new != old && !free.contains(&field.as_str()) {
            refuse_looser(field, &old, &new)?;
        }
        fields.insert(field.clone(), new);
    }
    serde_json::from_value(Value::Object(fields))
        .map_err(|error| PolicyError::Value { field: String::new(), message: error.to_string() })
}

/// The value as a policy writes it.
fn normal(field: &str, value: &Value) -> Result<Value, PolicyError> {
    let failed = |error: serde_json::Error| PolicyError::Value { field: cut(field), message: cut(&error.to_string()) };
    let alone = Map::from_iter([(field.to_owned(), value.clone())]);
    let policy: Policy = serde_json::from_value(Value::Object(alone)).map_err(failed)?;
    Ok(serde_json::to_value(policy).map_err(failed)?.get(field).cloned().unwrap_or_default())
}

/// An error unless the new value is at least as strict as the old one.
fn refuse_looser(field: &str, old: &Value, new: &Value) -> Result<(), PolicyError> {
    let ranks: &[(&str, u8)] = match field {
        "release" => &[("eager", 0), ("claim", 1), ("answer", 2)],
        "inline_quotes" => &[("report", 0), ("demote", 1)],
        "failed_claims" => &[("keep", 0), ("mark", 1), ("drop", 2)],
        "failed_citations" => &[("keep", 0), ("drop", 1)],
        // A marker that is moved and one that is dropped are two answers to the same failure.
        "misattributed" => &[("report", 0), ("move", 1), ("drop", 1)],
        "elisions" => &[("any_language", 0), ("known_languages", 1)],
        "unsupported_claims" => &[("report", 0), ("none_left", 1), ("downgrade", 2)],
        _ => &[],
    };
    let rank = |value: &Value| ranks.iter().find(|(name, _)| Some(*name) == value.as_str()).map(|(_, rank)| *rank);
    let stricter = match field {
        "syntaxes" => {
            let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
            let new = list(new);
            list(old).iter().all(|syntax| new.contains(syntax))
        }
        "max_hold" | "max_answer" => match (old.as_u64(), new.as_u64()) {
            (Some(old), Some(new)) => old <= new && new <= old.saturating_mul(MAX_RAISE),
            _ => false,
        },
        _ => match (rank(old), rank(new)) {
            (Some(old), Some(new)) => old < new,
            _ => {
                return Err(PolicyError::NotStrictness { field: cut(field), base: cut(&old.to_string()) });
            }
        },
    };
    if stricter {
        return Ok(());
    }
    Err(PolicyError::Looser { field: cut(field), base: cut(&old.to_string()), wanted: cut(&new.to_string()) })
}

/// The first characters: what a request says is repeated to it, but not at any length.
fn cut(text: &str) -> String {
    text.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use citesieve::{FailedClaims, InlineQuotes, Misattributed, Release};
    use serde_json::json;

    use super::*;

    fn base() -> Policy {
        let mut base = Policy::default();
        base.release = Release::Claim;
        base.failed_claims = FailedClaims::Mark;
        base.misattributed = Misattributed::Move;
        base.max_hold = 100;
        base
    }

    #[test]
    fn stricter_is_taken() {
        let wanted = json!({
            "release": "answer", "inline_quotes": "demote", "failed_claims": "drop", "failed_citations": "drop",
            "misattributed": "move", "max_hold": 800, "notice": null,
            "syntaxes": ["footnote", "tagged", "number", "double"],
        });
        let policy = stricter(&base(), &wanted).unwrap();
        assert_eq!(policy.release, Release::Answer);
        assert_eq!(policy.inline_quotes, InlineQuotes::Demote);
        assert_eq!((policy.max_hold, policy.syntaxes.len()), (800, 4));
        assert_eq!(stricter(&base(), &json!({})).unwrap(), base());
    }

    #[test]
    fn everything_else_is_refused_by_name() {
        for (wanted, says) in [
            (
                json!({"release": "eager"}),
                "policy.release: a request may make it stricter than \"claim\", not set it to \"eager\"",
            ),
            (json!({"failed_claims": "keep"}), "policy.failed_claims: a request may make it stricter"),
            (json!({"misattributed": "drop"}), "policy.misattributed: a request may make it stricter"),
            (json!({"syntaxes": ["number"]}), "policy.syntaxes: a request may make it stricter"),
            (json!({"max_hold": 99}), "policy.max_hold: a request may make it stricter"),
            (json!({"max_hold": 801}), "policy.max_hold: a request may make it stricter"),
            (json!({"max_answer": 1}), "policy.max_answer: "),
            (json!({"notice": "gfm"}), "policy.notice: a request may not set it; it is null"),
            (json!({"markers": "remove"}), "policy.markers: a request may not set it"),
            (json!({"claim_mark": ""}), "policy.claim_mark: a request may not set it"),
            (json!({"not_found_message": ""}), "policy.not_found_message: a request may not set it"),
            (json!({"releese": "answer"}), "policy: unknown field `releese`, expected one of `claim_mark`"),
            (json!({"release": "now"}), "policy.release: unknown variant `now`, expected one of `eager`"),
            (json!({"max_hold": "wide"}), "policy.max_hold: invalid type: string \"wide\""),
            (json!([]), "policy: expected an object"),
        ] {
            let error = stricter(&base(), &wanted).unwrap_err().to_string();
            assert!(error.starts_with(says), "{wanted}: {error}");
        }
    }

    #[test]
    fn what_is_free_may_be_anything() {
        let wanted = json!({"release": "eager", "notice": "gfm"});
        assert_eq!(changed(&base(), &wanted, &["release", "notice"]).unwrap().notice.as_deref(), Some("gfm"));
        assert!(changed(&base(), &wanted, &["release"]).is_err());
    }

    /// Every field of the policy has been thought of: a new one is refused until it has an order.
    #[test]
    fn every_field_is_known_here() {
        let Value::Object(fields) = serde_json::to_value(Policy::default()).unwrap() else { unreachable!() };
        let ordered = [
            "elisions",
            "failed_citations",
            "failed_claims",
            "inline_quotes",
            "max_answer",
            "max_hold",
            "misattributed",
            "release",
            "syntaxes",
            "unsupported_claims",
        ];
        let shown = ["claim_mark", "markers", "not_found_message", "notice"];
        let mut known: Vec<&str> = ordered.into_iter().chain(shown).collect();
        known.sort_unstable();
        let mut names: Vec<&str> = fields.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, known);
    }
}
