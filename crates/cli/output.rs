//! Writing results: `-` streams, a file appears whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use tempfile::NamedTempFile;

use crate::error::{Error, Name};

/// A file under way. It is written beside its place and takes it in [`OutFile::commit`]; dropped before that, it is gone.
#[derive(Debug)]
pub(crate) struct OutFile {
    name: Name,
    target: Target,
}

#[derive(Debug)]
enum Target {
    Beside {
        file: BufWriter<NamedTempFile>,
        path: PathBuf,
    },
    /// A pipe or a device: nothing can be put in its place.
    Straight(File),
}

impl OutFile {
    /// Opens a place to write to.
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        let name = Name::path(path);
        let target = Self::open(path).map_err(Error::io(name.clone()))?;
        Ok(OutFile { name, target })
    }

    fn open(path: &Path) -> io::Result<Target> {
        let existing = fs::metadata(path).ok();
        match &existing {
            Some(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Some(metadata) if !metadata.is_file() => {
                return fs::OpenOptions::new().write(true).open(path).map(Target::Straight);
            }
            _ => {}
        }
        // Through a symbolic link, so that the link stays.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".citesieve-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let permissions = existing.map_or_else(|| fs::Permissions::from_mode(0o666), |old| old.permissions());
            builder.permissions(permissions);
        }
        let file = BufWriter::new(builder.tempfile_in(folder)?);
        Ok(Target::Beside { file, path })
    }

    /// Writes to it.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match &mut self.target {
            Target::Beside { file, .. } => file.write_all(bytes),
            Target::Straight(file) => file.write_all(bytes),
        }
        .map_err(Error::io(self.name.clone()))
    }

    /// Puts it in its place.
    pub(crate) fn commit(self) -> Result<(), Error> {
        let OutFile { name, target } = self;
        let done = match target {
            Target::Beside { file, path } => file
                .into_inner()
                .map_err(io::IntoInnerError::into_error)
                .and_then(|file| file.persist(path).map_err(|error| error.error).map(drop)),
            Target::Straight(mut file) => file.flush(),
        };
        done.map_err(Error::io(name))
    }
}

/// `--report FILE|-`: where the verdict goes. `-` is standard error, because standard output carries the answer.
#[derive(Debug)]
pub(crate) enum Report {
    Nowhere,
    Stderr,
    File(OutFile),
}

impl Report {
    /// Opens it early, so that a place that cannot be written to is known before anything is done.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Error> {
        match path {
            None => Ok(Report::Nowhere),
            Some(path) if path.as_os_str() == "-" => Ok(Report::Stderr),
            Some(path) => OutFile::create(path).map(Report::File),
        }
    }

    /// Writes the report as JSON.
    pub(crate) fn write(self, report: &impl Serialize) -> Result<(), Error> {
        if matches!(self, Report::Nowhere) {
            return Ok(());
        }
        let failed = |error: serde_json::Error| Error::Usage(format!("the report cannot be written: {error}"));
        let mut json = serde_json::to_vec_pretty(report).map_err(failed)?;
        json.push(b'\n');
        match self {
            Report::Nowhere => Ok(()),
            Report::Stderr => io::stderr().lock().write_all(&json).map_err(Error::io(Name::argument("standard error"))),
            Report::File(mut file) => {
                file.write(&json)?;
                file.commit()
            }
        }
    }
}
