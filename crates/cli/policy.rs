//! `--policy FILE.toml` and `--set key=value`: a [`Policy`] from defaults, a file and single settings, in this order.

use std::path::{Path, PathBuf};

use citesieve::Policy;
use toml::{Table, Value};

use crate::error::{Error, Name};
use crate::text;

/// The arguments that choose a policy, the same for every command.
#[derive(Debug, clap::Args)]
pub(crate) struct PolicyArgs {
    /// Reads the policy from a TOML file
    #[arg(long, value_name = "FILE.toml")]
    policy: Option<PathBuf>,
    /// Sets one field of the policy, as `--set max_hold=4096`; may be given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl PolicyArgs {
    /// The policy, or what is wrong with it.
    pub(crate) fn read(&self) -> Result<Policy, Error> {
        from_table(self.table(Table::new())?, &Name::argument("policy"))
    }

    /// What the arguments say, over what `table` says.
    pub(crate) fn table(&self, mut table: Table) -> Result<Table, Error> {
        if let Some(path) = &self.policy {
            let file = parse_file(path)?;
            from_table(file.clone(), &Name::path(path))?;
            table.extend(file);
        }
        for setting in &self.set {
            let (key, value) = setting
                .split_once('=')
                .ok_or_else(|| Error::Usage(format!("--set {setting}: KEY=VALUE expected, as in max_hold=4096")))?;
            set(&mut table, key.trim(), value.trim());
            from_table(table.clone(), &Name::argument(&format!("--set {setting}")))?;
        }
        Ok(table)
    }
}

fn parse_file(path: &Path) -> Result<Table, Error> {
    let content = text::read(path)?;
    content.parse().map_err(|error: toml::de::Error| {
        let before = &content[..error.span().map_or(0, |span| span.start.min(content.len()))];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Error::Syntax {
            name: Name::path(path),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: error.message().replace('\n', ", "),
        }
    })
}

/// Puts a value at a dotted key, over whatever stands there.
fn set(table: &mut Table, key: &str, value: &str) {
    let value = parse_value(value);
    let mut place = table;
    let mut parts = key.split('.').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            place.insert(part.to_owned(), value);
            return;
        }
        let inner = place.entry(part).or_insert_with(|| Value::Table(Table::new()));
        if !inner.is_table() {
            *inner = Value::Table(Table::new());
        }
        let Value::Table(next) = inner else { return };
        place = next;
    }
}

/// TOML, but for bare words, alone or in a list: they are strings, so that nobody has to quote for the shell and for TOML.
fn parse_value(text: &str) -> Value {
    let parsed = format!("v = {text}").parse::<Table>().ok().and_then(|mut parsed| parsed.remove("v"));
    parsed.unwrap_or_else(|| match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        Some(items) => Value::Array(items.split(',').map(|item| parse_value(item.trim())).collect()),
        None => Value::String(text.to_owned()),
    })
}

fn from_table(table: Table, name: &Name) -> Result<Policy, Error> {
    let unknown = unknown_key(&table);
    table.try_into().map_err(|error: toml::de::Error| {
        let message = match unknown {
            Some((key, Some(near))) => format!("unknown key \"{key}\"; the nearest known one is \"{near}\""),
            Some((key, None)) => format!("unknown key \"{key}\""),
            None => error.message().replace('\n', ", "),
        };
        Error::Input { name: name.clone(), message }
    })
}

/// The first key that the policy does not have, with the known one that is most like it.
fn unknown_key(table: &Table) -> Option<(String, Option<String>)> {
    // The defaults name every key: serde writes fields that are not set as null.
    let known = keys(&serde_json::to_value(Policy::default()).ok()?);
    let given = keys(&serde_json::to_value(table).ok()?);
    let key = given.into_iter().find(|key| {
        let below = format!("{key}.");
        !known.iter().any(|known| known == key || known.starts_with(&below) || key.starts_with(&format!("{known}.")))
    })?;
    let near = known.into_iter().min_by_key(|known| strsim::damerau_levenshtein(known, &key));
    Some((key, near))
}

/// Every key in dotted form, leaves only.
fn keys(value: &serde_json::Value) -> Vec<String> {
    let serde_json::Value::Object(map) = value else { return Vec::new() };
    let mut list = Vec::new();
    for (key, inner) in map {
        let deeper = keys(inner);
        if deeper.is_empty() {
            list.push(key.clone());
        }
        list.extend(deeper.into_iter().map(|rest| format!("{key}.{rest}")));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(settings: &[&str]) -> Result<Policy, String> {
        let set = settings.iter().map(|setting| (*setting).to_owned()).collect();
        PolicyArgs { policy: None, set }.read().map_err(|error| error.to_string())
    }

    #[test]
    fn settings_override_in_order() {
        assert_eq!(read(&[]).unwrap(), Policy::default());
        assert_eq!(read(&["max_hold=5", "max_hold = 7"]).unwrap().max_hold, 7);
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(
            read(&["max_hod=5"]).unwrap_err(),
            "--set max_hod=5: unknown key \"max_hod\"; the nearest known one is \"max_hold\""
        );
        assert!(
            read(&["max_hold=wide"]).unwrap_err().starts_with("--set max_hold=wide: invalid type: string \"wide\"")
        );
        assert!(read(&["max_hold"]).unwrap_err().contains("KEY=VALUE expected"));
    }

    #[test]
    fn dotted_keys_reach_inside() {
        let mut table = Table::new();
        set(&mut table, "a.b", "claim");
        set(&mut table, "a.c", "[1, 2]");
        set(&mut table, "a.d", "[x, 2]");
        assert_eq!(Value::Table(table).to_string(), r#"{ a = { b = "claim", c = [1, 2], d = ["x", 2] } }"#);
    }
}
