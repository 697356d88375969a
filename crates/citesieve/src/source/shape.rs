//! What ids look like, so that a word that no source has can be told from a fabricated id.

use std::collections::{HashMap, HashSet};

/// Parts of an id beyond this many are not looked at.
const MAX_PARTS: usize = 16;
/// Directories of an id beyond this many are not looked at.
const MAX_SEGMENTS: usize = 8;

/// The shapes of a set of ids, and the files that they name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shapes {
    shapes: HashSet<String>,
    /// File name extensions, in lower case.
    extensions: HashSet<String>,
    /// File names, with as much of the path as one likes, and the id they belong to.
    files: HashMap<String, File>,
}

#[derive(Debug, Clone)]
struct File {
    id: String,
    /// Whether the id names a part of the file (`a.pdf#page=1`).
    part: bool,
}

impl Shapes {
    pub(crate) fn new<'a>(ids: impl Iterator<Item = &'a str>) -> Self {
        let mut all = Shapes::default();
        for id in ids {
            all.shapes.extend(shapes(id));
            let (path, part) = split_part(id);
            let Some(extension) = extension(path) else { continue };
            all.extensions.insert(extension);
            let starts = path.rmatch_indices('/').map(|(at, _)| at + 1).take(MAX_SEGMENTS).chain([0]);
            for start in starts {
                let file = File { id: id.to_owned(), part: part.is_some() };
                if part.is_some() {
                    all.files.entry(id[start..].to_owned()).or_insert_with(|| file.clone());
                }
                all.files.entry(path[start..].to_owned()).or_insert(file);
            }
        }
        all
    }

    /// The id of the file that `word` names: its name, with some of its path, and with a part of the file
    /// (`#page=3`) unless the ids themselves name parts of it.
    pub(crate) fn file(&self, word: &str) -> Option<&str> {
        let whole = self.files.get(word);
        let file = whole.or_else(|| match split_part(word) {
            (path, Some(_)) => self.files.get(path).filter(|file| !file.part),
            _ => None,
        });
        file.map(|file| file.id.as_str())
    }

    /// Whether `word` looks like one of the ids: built like one out of the same letters and other numbers
    /// (`doc-12`, `doc-7`), but for one of its words (`lease-a`, `lease-z`), or a file name of the same kind.
    pub(crate) fn has_like(&self, word: &str) -> bool {
        if !word.chars().any(char::is_alphabetic) {
            return false;
        }
        extension(split_part(word).0).is_some_and(|extension| self.extensions.contains(&extension))
            || shapes(word).iter().any(|shape| self.shapes.contains(shape))
    }
}

/// A file name and what follows it: `a.pdf`, `page=3`.
fn split_part(word: &str) -> (&str, Option<&str>) {
    match word.find(['#', '?']) {
        Some(at) => (&word[..at], Some(&word[at..])),
        None => (word, None),
    }
}

/// The file name extension, in lower case.
fn extension(path: &str) -> Option<String> {
    let (stem, extension) = path.rsplit_once('.')?;
    let fits = (2..=5).contains(&extension.len())
        && extension.chars().all(|c| c.is_ascii_alphanumeric())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic());
    let name = stem.rsplit('/').next().unwrap_or(stem);
    (fits && name.chars().any(char::is_alphanumeric)).then(|| extension.to_lowercase())
}

#[derive(Debug, PartialEq, Eq)]
enum Part {
    Letters(String),
    /// A number, or eight or more hexadecimal digits.
    Number(String),
    Mark(char),
}

fn parts(id: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = id;
    while let Some(c) = rest.chars().next() {
        if parts.len() == MAX_PARTS {
            return None;
        }
        let run = |is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
        let word = &rest[..run(char::is_alphanumeric)];
        let hex =
            word.len() >= 8 && word.bytes().all(|b| b.is_ascii_hexdigit()) && word.bytes().any(|b| b.is_ascii_digit());
        let length = if hex {
            parts.push(Part::Number(format!("\u{1}{}", word.len())));
            word.len()
        } else if c.is_numeric() {
            parts.push(Part::Number("\u{1}".to_owned()));
            run(char::is_numeric)
        } else if c.is_alphabetic() {
            let length = run(|c| c.is_alphanumeric() && !c.is_numeric());
            parts.push(Part::Letters(rest[..length].to_lowercase()));
            length
        } else {
            parts.push(Part::Mark(c));
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    Some(parts)
}

/// The shapes of an id: its numbers left open; and one of its words, if another of at least two letters stays.
fn shapes(id: &str) -> Vec<String> {
    let Some(parts) = parts(id) else { return Vec::new() };
    let spell = |open: Option<usize>| {
        let mut shape = String::new();
        for (index, part) in parts.iter().enumerate() {
            match part {
                _ if open == Some(index) => shape.push('\u{2}'),
                Part::Letters(word) | Part::Number(word) => shape.push_str(word),
                Part::Mark(mark) => shape.push(*mark),
            }
        }
        shape
    };
    let anchor = |open: usize| {
        parts
            .iter()
            .enumerate()
            .any(|(index, part)| index != open && matches!(part, Part::Letters(word) if word.chars().nth(1).is_some()))
    };
    let mut shapes = Vec::new();
    if parts.iter().any(|part| matches!(part, Part::Number(_))) {
        shapes.push(spell(None));
    }
    let words = parts.iter().enumerate().filter(|(_, part)| matches!(part, Part::Letters(_)));
    shapes.extend(words.filter(|(index, _)| anchor(*index)).map(|(index, _)| spell(Some(index))));
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_told_from_words() {
        let ids = ["lease-a", "doc-12", "docs/info.pdf", "plan.pdf#page=1", "3f2a9c1e77", "alpha", "note_x_1"];
        let shapes = Shapes::new(ids.into_iter());
        for word in ["lease-z", "Doc-7", "speed.pdf", "other.PDF#page=2", "99ab12cd34", "note_y_7", "lease-zz"] {
            assert!(shapes.has_like(word), "{word}");
        }
        for word in ["Menu", "km/h", "follow-up", "note1", "beta", "12", "0.5", "sic", "a-b", "x", "v1.2", ".pdf"] {
            assert!(!shapes.has_like(word), "{word}");
        }
    }

    #[test]
    fn files_are_known_by_name_path_and_part() {
        let shapes = Shapes::new(["docs/info.pdf", "plan.pdf#page=1"].into_iter());
        for (word, id) in [
            ("info.pdf", Some("docs/info.pdf")),
            ("info.pdf#page=3", Some("docs/info.pdf")),
            ("plan.pdf", Some("plan.pdf#page=1")),
            ("plan.pdf#page=1", Some("plan.pdf#page=1")),
            ("plan.pdf#page=2", None),
            ("nfo.pdf", None),
            ("old/info.pdf", None),
        ] {
            assert_eq!(shapes.file(word), id, "{word}");
        }
    }
}
