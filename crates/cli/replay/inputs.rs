//! What is to be replayed: files, folders of them, and what is only now arriving.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, Name};

/// How recordings in a folder are called; `.headers`, `.times` and the like go with them.
const ENDINGS: &[&str] = &["sse", "ndjson", "jsonl", "json", "txt"];
/// Lists of recordings, found beside them.
const LISTS: &[&str] = &["manifest.json"];

/// One response body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    /// A file that is there.
    Recording(PathBuf),
    /// Standard input (`-`), a pipe or a device: read as it arrives.
    Live(PathBuf),
}

impl Input {
    /// As it was named.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Input::Recording(path) | Input::Live(path) => path,
        }
    }

    /// For messages.
    pub(crate) fn name(&self) -> Name {
        if self.is_stdin() { Name::stdin() } else { Name::path(self.path()) }
    }

    /// What reads it.
    pub(crate) fn open(&self) -> Result<Box<dyn Read>, Error> {
        if self.is_stdin() {
            return Ok(Box::new(io::stdin().lock()));
        }
        let file = File::open(self.path()).map_err(Error::io(self.name()))?;
        Ok(Box::new(file))
    }

    fn is_stdin(&self) -> bool {
        self.path().as_os_str() == "-"
    }
}

/// The response bodies that these arguments name, and whether they may be several: a folder is a list even of one.
pub(crate) fn find(arguments: &[PathBuf]) -> Result<(Vec<Input>, bool), Error> {
    let mut inputs = Vec::new();
    let mut several = arguments.len() > 1;
    for argument in arguments {
        if argument.as_os_str() == "-" {
            inputs.push(Input::Live(argument.clone()));
            continue;
        }
        let metadata = fs::metadata(argument).map_err(Error::io(Name::path(argument)))?;
        if metadata.is_dir() {
            several = true;
            let before = inputs.len();
            search(argument, &mut inputs)?;
            if inputs.len() == before {
                let message = format!("no recordings are in it (files that end in .{})", ENDINGS.join(", ."));
                return Err(Error::Input { name: Name::path(argument), message });
            }
        } else if metadata.is_file() {
            inputs.push(Input::Recording(argument.clone()));
        } else {
            inputs.push(Input::Live(argument.clone()));
        }
    }
    Ok((inputs, several))
}

/// The recordings in a folder and those inside it, in the order of their names. Links to folders are not followed, as
/// they may lead back.
fn search(folder: &Path, inputs: &mut Vec<Input>) -> Result<(), Error> {
    let failed = |error| Error::io(Name::path(folder))(error);
    let entries: io::Result<Vec<_>> = fs::read_dir(folder).map_err(failed)?.collect();
    let mut entries = entries.map_err(failed)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy().to_lowercase();
        if name.starts_with('.') || LISTS.contains(&name.as_str()) {
            continue;
        }
        if entry.file_type().map_err(failed)?.is_dir() {
            search(&path, inputs)?;
        } else if name.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending)) && path.is_file() {
            inputs.push(Input::Recording(path));
        }
    }
    Ok(())
}

/// Reads whatever arrives, piece by piece, until it ends.
pub(crate) fn arrive(
    name: Name,
    mut input: impl Read,
    mut take: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => take(&buffer[..length])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io(name)(error)),
        }
    }
}
