//! What can go wrong, each with its one line for standard error and its exit code.

use std::fmt;
use std::io;
use std::path::Path;

use citesieve::SourceError;

/// Where bad input came from, as it is named in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name(String);

impl Name {
    /// Standard input.
    pub(crate) fn stdin() -> Self {
        Name("standard input".into())
    }

    /// A file or a folder.
    pub(crate) fn path(path: &Path) -> Self {
        Name(path.display().to_string())
    }

    /// A value that stands in the arguments themselves.
    pub(crate) fn argument(argument: &str) -> Self {
        Name(argument.into())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why the program gives up. All of these are bad input or usage (exit code 2), but for [`Error::BrokenPipe`].
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Reading or writing failed.
    #[error("{name}: {}", describe(.source))]
    Io { name: Name, source: io::Error },
    /// The reader of standard output went away, which is no error of ours.
    #[error("broken pipe")]
    BrokenPipe,
    /// The input is not UTF-8.
    #[error("{name}: not UTF-8 at byte {offset}")]
    NotUtf8 { name: Name, offset: u64 },
    /// JSON or TOML that cannot be read.
    #[error("{name}: line {line}, column {column}: {message}")]
    Syntax { name: Name, line: usize, column: usize, message: String },
    /// Sources that make no set.
    #[error("{name}: {source}")]
    Sources { name: Name, source: SourceError },
    /// Anything else that is wrong with one input.
    #[error("{name}: {message}")]
    Input { name: Name, message: String },
    /// The command line makes no sense.
    #[error("{0}")]
    Usage(String),
}

impl Error {
    /// An I/O error about `name`.
    pub(crate) fn io(name: Name) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::Io { name, source }
    }

    /// An error while writing to standard output.
    pub(crate) fn stdout(source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::BrokenPipe => Error::BrokenPipe,
            _ => Error::Io { name: Name("standard output".into()), source },
        }
    }

    /// An error in JSON that starts at line `first_line` (from 1) of its file.
    pub(crate) fn json(name: Name, error: &serde_json::Error, first_line: usize) -> Self {
        let whole = error.to_string();
        let message = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(message, _)| message).to_owned();
        // serde_json counts lines from 1, and from 0 where it met the end before any character.
        Error::Syntax { name, line: first_line + error.line().max(1) - 1, column: error.column(), message }
    }

    /// The exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Error::BrokenPipe => 0,
            _ => 2,
        }
    }
}

/// The operating system's words without the error number, which helps nobody.
fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "is a folder".into(),
        _ => error.to_string(),
    }
}
