//! Recordings of live runs: `--record FILE` writes them, `replay` plays them.
//!
//! FILE has the bytes as they came in and nothing else, so that any tool can read it. FILE.times beside it has a line
//! `MILLISECONDS BYTES` for each piece that came in: how long after the start of the run, and how many bytes. Both are
//! written as things come, so that a run that crashes leaves all that it had. A recording without times has no pace.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::{Error, Name};

/// A recording under way.
#[derive(Debug)]
pub(crate) struct Recorder {
    start: Instant,
    body: (Name, File),
    /// `None` beside a pipe or a device.
    times: Option<(Name, File)>,
    failed: Option<Error>,
}

impl Recorder {
    /// Starts a recording, and its clock. What was in the files is gone.
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        if path.as_os_str() == "-" {
            return Err(Error::Usage("--record needs a file; standard output carries the answer".into()));
        }
        let create = |path: &Path| {
            let name = Name::path(path);
            File::create(path).map(|file| (name.clone(), file)).map_err(Error::io(name))
        };
        let body = create(path)?;
        let file = body.1.metadata().is_ok_and(|metadata| metadata.is_file());
        let times = if file { Some(create(&times_path(path))?) } else { None };
        Ok(Recorder { start: Instant::now(), body, times, failed: None })
    }

    /// Takes down what came in just now. A failure ends the recording, not the run; [`Recorder::finish`] tells it.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        if self.failed.is_some() || bytes.is_empty() {
            return;
        }
        let at = self.start.elapsed().as_millis();
        let (name, file) = &mut self.body;
        let mut written = file.write_all(bytes).map_err(Error::io(name.clone()));
        if let (Ok(()), Some((name, file))) = (&written, &mut self.times) {
            // One write, so that a line is there or not.
            let line = format!("{at} {}\n", bytes.len());
            written = file.write_all(line.as_bytes()).map_err(Error::io(name.clone()));
        }
        self.failed = written.err();
    }

    /// The end: whether everything was taken down.
    pub(crate) fn finish(self) -> Result<(), Error> {
        self.failed.map_or(Ok(()), Err)
    }
}

/// When the pieces of a recording came in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Times {
    /// When a piece came, and the bytes of the body that were there then. Neither ever gets smaller.
    pieces: Vec<(Duration, usize)>,
}

impl Times {
    /// The times beside a recording, if there are any.
    pub(crate) fn beside(recording: &Path) -> Result<Option<Self>, Error> {
        let path = times_path(recording);
        let name = Name::path(&path);
        match fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text).map(Some).map_err(|line| Error::Syntax {
                name,
                line,
                column: 1,
                message: "expected milliseconds and bytes, two whole numbers".into(),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io(name)(error)),
        }
    }

    /// On an error, the line (from 1). A last line without its end was being written when the run ended: it is left out.
    fn parse(text: &str) -> Result<Self, usize> {
        let mut pieces = Vec::new();
        let (mut latest, mut bytes) = (0, 0_usize);
        for (line, number) in text.split_inclusive('\n').zip(1_usize..) {
            let Some(line) = line.strip_suffix('\n') else { break };
            let numbers = line.trim_end_matches('\r').split_once(' ');
            let (at, length) = numbers.ok_or(number)?;
            latest = at.parse::<u64>().map_err(|_| number)?.max(latest);
            bytes = bytes.saturating_add(length.parse().map_err(|_| number)?);
            pieces.push((Duration::from_millis(latest), bytes));
        }
        Ok(Times { pieces })
    }

    /// The body in the pieces in which it came. What the times do not tell of is a last piece.
    pub(crate) fn pieces<'a>(&'a self, body: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let mut from = 0;
        self.pieces.iter().map(|(_, until)| *until).chain([body.len()]).filter_map(move |until| {
            let until = until.min(body.len());
            let piece = &body[from..until];
            from = until;
            (!piece.is_empty()).then_some(piece)
        })
    }

    /// When the first so many bytes were there.
    pub(crate) fn at(&self, bytes: usize) -> Duration {
        let piece = self.pieces.partition_point(|(_, until)| *until < bytes);
        self.pieces.get(piece).map_or(self.whole(), |(at, _)| *at)
    }

    /// How long the whole took.
    pub(crate) fn whole(&self) -> Duration {
        self.pieces.last().map_or(Duration::ZERO, |(at, _)| *at)
    }
}

fn times_path(recording: &Path) -> PathBuf {
    let mut path = OsString::from(recording);
    path.push(".times");
    path.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(times: &Times, bytes: usize) -> u128 {
        times.at(bytes).as_millis()
    }

    #[test]
    fn what_is_recorded_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answer.sse");
        fs::write(&path, "an older, longer recording").unwrap();
        let mut recorder = Recorder::create(&path).unwrap();
        for piece in ["data: 1", "", "\n\n", "data: 2\n\n"] {
            recorder.write(piece.as_bytes());
        }
        // Before it ends, as it may crash.
        let body = fs::read(&path).unwrap();
        let times = Times::beside(&path).unwrap().unwrap();
        assert_eq!(body, b"data: 1\n\ndata: 2\n\n");
        assert_eq!(times.pieces(&body).collect::<Vec<_>>(), [&b"data: 1"[..], b"\n\n", b"data: 2\n\n"]);
        recorder.finish().unwrap();
        assert_eq!(Times::beside(&folder.path().join("other.sse")).unwrap(), None);
    }

    #[test]
    fn times_tell_when_a_byte_was_there() {
        let times = Times::parse("5 3\n20 1\r\n10 4\n").unwrap();
        assert_eq!([0, 1, 3, 4, 5, 8, 100].map(|bytes| millis(&times, bytes)), [5, 5, 5, 20, 20, 20, 20]);
        assert_eq!(times.whole().as_millis(), 20);
        assert_eq!(millis(&Times::default(), 7), 0);
    }

    #[test]
    fn times_and_body_need_not_agree() {
        let times = Times::parse("0 3\n1 3\n2 18446744073709551615\n").unwrap();
        for body in [&b""[..], b"ab", b"abcd", b"abcdefghi"] {
            assert_eq!(times.pieces(body).collect::<Vec<_>>().concat(), body);
        }
        let short = Times::parse("0 1\n").unwrap();
        assert_eq!(short.pieces(b"abc").collect::<Vec<_>>(), [&b"a"[..], b"bc"]);
    }

    #[test]
    fn a_line_that_was_being_written_is_left_out_and_nonsense_is_refused() {
        assert_eq!(Times::parse("0 3\n7 1"), Times::parse("0 3\n"));
        for (text, line) in [("x 3\n", 1), ("0 3\n\n", 2), ("0 3\n1 -1\n", 2), ("0\n", 1), ("0  3\n", 1)] {
            assert_eq!(Times::parse(text), Err(line), "{text:?}");
        }
    }
}
