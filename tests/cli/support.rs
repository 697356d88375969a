//! Running the program, and finding test data.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    /// The program did what it was asked and had nothing to say.
    #[track_caller]
    pub(crate) fn fine(self) -> Self {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""));
        self
    }
}

/// The program, in an environment that asks for no colours.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_citesieve"));
    command.env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR").stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program on this input.
pub(crate) fn run(args: impl IntoIterator<Item = impl AsRef<OsStr>>, input: impl AsRef<[u8]>) -> Run {
    let mut child = command().args(args).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.as_ref().to_owned();
    // A program that refuses its arguments never reads: a broken pipe here is no failure.
    let feeding = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    feeding.join().unwrap();
    Run { code: output.status.code(), stdout: output.stdout, stderr: String::from_utf8(output.stderr).unwrap() }
}

/// A file under `tests/`.
pub(crate) fn tests(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(path)
}

/// Third-party data that lives outside of this repository; `None`, said aloud, where it is missing.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("CITESIEVE_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(root).join(path);
    if file.exists() {
        return Some(file);
    }
    eprintln!("skipped: no shared data ({path})");
    None
}

/// A folder that is gone after the test.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// A path as an argument.
pub(crate) fn arg(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// The files in a folder, hidden ones too.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
