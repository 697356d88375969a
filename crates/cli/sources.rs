//! `--sources S`: a JSON array, a JSON object, JSON Lines or a folder of texts becomes a [`Sources`].

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use citesieve::source::SourceList;
use citesieve::{Format, Source, Sources};
use serde::de::IgnoredAny;

use crate::error::{Error, Name};
use crate::text;

/// What `--help` says about `S`, once for every command.
pub(crate) const HELP: &str = "\
The sources: a JSON array of {id, title?, url?, text?, format?}, a JSON object {id: text}, JSON Lines of either, \
a folder of .txt, .md or .html files (ids 1, 2, 3 … in name order), or the JSON itself. \
Without it nothing is known; [] says that there are none";

/// Reads what `--sources` names; nothing given: nothing known.
pub(crate) fn read(argument: Option<&OsStr>) -> Result<Sources, Error> {
    let Some(argument) = argument else { return Ok(Sources::unknown()) };
    let path = Path::new(argument);
    let (name, list) = match argument.to_str() {
        Some(json) if json.starts_with(['[', '{']) && !path.exists() => {
            let name = Name::argument("--sources");
            (name.clone(), parse(&name, json)?)
        }
        _ if path.is_dir() => (Name::path(path), folder(path)?),
        _ => (Name::path(path), parse(&Name::path(path), &text::read(path)?)?),
    };
    Sources::new(list).map_err(|source| Error::Sources { name, source })
}

/// Reads sources that stand in the program itself.
pub(crate) fn from_json(name: &Name, json: &str) -> Result<Sources, Error> {
    let list = parse(name, json)?;
    Sources::new(list).map_err(|source| Error::Sources { name: name.clone(), source })
}

/// The texts of a folder, in name order. Hidden files, other kinds of files and folders inside are passed over.
fn folder(path: &Path) -> Result<Vec<Source>, Error> {
    let name = Name::path(path);
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(Error::io(name.clone()))? {
        let file = entry.map_err(Error::io(name.clone()))?.path();
        let hidden = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if let Some(format) = format_of(&file)
            && !hidden
            && file.is_file()
        {
            files.push((file, format));
        }
    }
    if files.is_empty() {
        return Err(Error::Input { name, message: "a folder without .txt, .md or .html files".into() });
    }
    files.sort_by(|(a, _), (b, _)| a.file_name().cmp(&b.file_name()));
    let read = |(index, (file, format)): (usize, &(std::path::PathBuf, Format))| {
        let title = file.file_name().unwrap_or_default().to_string_lossy();
        let mut source = Source::new((index + 1).to_string()).title(title).text(text::read(file)?);
        source.format = *format;
        Ok(source)
    };
    files.iter().enumerate().map(read).collect()
}

/// The format that a file's name promises.
fn format_of(file: &Path) -> Option<Format> {
    match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "txt" => Some(Format::Plain),
        "md" | "markdown" => Some(Format::Markdown),
        "html" | "htm" => Some(Format::Html),
        _ => None,
    }
}

/// Parses one of the three JSON forms.
fn parse(name: &Name, json: &str) -> Result<Vec<Source>, Error> {
    let json = json.strip_prefix('\u{feff}').unwrap_or(json);
    let failed = |error: serde_json::Error, line| Error::json(name.clone(), &error, line);
    match json.trim_start().chars().next() {
        Some('[') => Ok(list(json).map_err(|error| failed(error, 1))?),
        Some('{') => match list(json) {
            Ok(list) => Ok(list),
            Err(_) if is_lines(json) => {
                let mut all = Vec::new();
                for (index, line) in json.lines().enumerate() {
                    if !line.trim().is_empty() {
                        all.extend(list(line).map_err(|error| failed(error, index + 1))?);
                    }
                }
                Ok(all)
            }
            Err(error) => Err(failed(error, 1)),
        },
        Some(_) => Err(Error::Syntax {
            name: name.clone(),
            line: 1,
            column: 1,
            message: "neither a JSON array nor an object".into(),
        }),
        None => Err(Error::Input { name: name.clone(), message: "empty; [] says that there are no sources".into() }),
    }
}

fn list(json: &str) -> Result<Vec<Source>, serde_json::Error> {
    Ok(serde_json::from_str::<SourceList>(json)?.0)
}

/// Whether the first line that is not blank is a JSON value of its own, and not the last one.
fn is_lines(json: &str) -> bool {
    let mut lines = json.lines().filter(|line| !line.trim().is_empty());
    lines.next().is_some_and(|line| serde_json::from_str::<IgnoredAny>(line).is_ok()) && lines.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(json: &str) -> Vec<(String, Option<String>)> {
        let list = parse(&Name::argument("S"), json).unwrap();
        list.into_iter().map(|source| (source.id, source.text)).collect()
    }

    fn refusal(json: &str) -> String {
        parse(&Name::argument("S"), json).unwrap_err().to_string()
    }

    #[test]
    fn every_form_is_read() {
        let expected = vec![("1".to_owned(), Some("a".to_owned())), ("x".to_owned(), None)];
        for json in [
            r#"[{"id": 1, "text": "a"}, {"id": "x"}]"#,
            "\u{feff} [{\"id\": \"1\", \"text\": \"a\", \"title\": null}, {\"id\": \"x\", \"url\": \"https://x.example\"}]",
            r#"{"1": "a", "x": null}"#,
            "{\"id\": 1, \"text\": \"a\"}\n\n{\"id\": \"x\"}\n",
            "{\"1\": \"a\"}\r\n{\"id\": \"x\"}",
        ] {
            assert_eq!(ids(json), expected, "{json}");
        }
        assert_eq!(ids("[]"), vec![]);
        assert_eq!(ids("{}"), vec![]);
        assert_eq!(ids(r#"{"id": -7}"#), vec![("-7".to_owned(), None)]);
        assert_eq!(ids(r#"{"id": "a", "9": "b"}"#).len(), 2, "a text whose id is \"id\"");
        assert_eq!(ids(r#"{"1": "a", "1": "b"}"#).len(), 2, "several texts may share an id");
    }

    #[test]
    fn errors_say_where() {
        assert_eq!(refusal("[\n {\"id\": 1},\n {\"id\" 2}]"), "S: line 3, column 8: expected `:`");
        assert!(refusal("{\"id\": 1}\n{\"id\": 2,}\n").starts_with("S: line 2, column 10: "));
        assert!(
            refusal(r#"[{"id": 1, "titel": "x"}]"#).contains("unknown field `titel`, expected one of `id`, `title`")
        );
        assert!(refusal(r#"[{"title": "x"}]"#).contains("missing field `id`"));
        assert!(refusal(r#"[{"id": 1.5}]"#).contains("expected a string or a whole number"));
        assert!(refusal(r#"{"1": 7}"#).starts_with("S: line 1, column 7: "));
        assert!(refusal(r#"[{"id": 1, "format": "pdf"}]"#).contains("unknown variant `pdf`, expected one of `auto`"));
        assert_eq!(refusal("7"), "S: line 1, column 1: neither a JSON array nor an object");
        assert_eq!(refusal(" \n"), "S: empty; [] says that there are no sources");
    }
}
