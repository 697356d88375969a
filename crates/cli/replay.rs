//! `citesieve replay`: recorded streams through the wire layer, for programs (`--out`) or for people.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use bytes::BytesMut;
use citesieve::Sources;
use citesieve_wire::{Config as WireConfig, Report as WireReport, Session};

use crate::chunk::{self, Chunk};
use crate::error::Error;
use crate::outcome::Outcome;
use crate::output::{OutFile, Report};
use crate::paint::{self, Mark, Paint, Run};
use crate::policy::PolicyArgs;
use crate::recording::{self, Lane};
use crate::{explain, sources, text};

/// Plays recorded response streams through the sieve and shows what it changed
///
/// Without --out it shows each answer with its edits, then the findings. With --out it writes the stream as a client
/// would get it.
#[derive(Debug, clap::Args)]
pub(crate) struct ReplayArgs {
    /// Recorded response bodies; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[arg(long, short, value_name = "S", help = sources::HELP)]
    sources: Option<OsString>,
    /// Writes the sieved stream, one recording after the other; `-` is standard output
    #[arg(long, value_name = "FILE|-")]
    out: Option<PathBuf>,
    /// Cuts the recording into pieces of N bytes or of 1 to 16 (random:SEED), to show that cuts change nothing
    #[arg(long, value_name = "N|random:SEED")]
    chunk: Option<Chunk>,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Writes the report as JSON (a list of reports for several recordings); `-` is standard error
    #[arg(long, value_name = "FILE|-")]
    report: Option<PathBuf>,
    /// Puts no verdict on the event that ends the stream
    #[arg(long)]
    no_verdict: bool,
    /// Plays at reading pace instead of at once
    #[arg(long)]
    paced: bool,
}

struct Config {
    recordings: Vec<Vec<u8>>,
    wire: WireConfig,
    out: Out,
    chunk: Chunk,
    paced: bool,
    report: Report,
}

/// Where the sieved stream goes.
enum Out {
    Stdout,
    File(OutFile),
    /// Nowhere: what is shown is for people.
    People,
}

impl ReplayArgs {
    fn validate(&self) -> Result<Config, Error> {
        let recordings: Result<Vec<_>, Error> =
            self.files.iter().map(|file| text::read_bytes(file).map(|(_, bytes)| bytes)).collect();
        let wire = WireConfig::new(self.policy.read()?, sources::read(self.sources.as_deref())?);
        let out = match &self.out {
            None => Out::People,
            Some(path) if path.as_os_str() == "-" => Out::Stdout,
            Some(path) => Out::File(OutFile::create(path)?),
        };
        Ok(Config {
            recordings: recordings?,
            wire: wire.verdict(!self.no_verdict),
            out,
            chunk: self.chunk.unwrap_or_default(),
            paced: self.paced,
            report: Report::open(self.report.as_deref())?,
        })
    }
}

/// Runs the command.
pub(crate) fn run(args: &ReplayArgs) -> Result<Outcome, Error> {
    let mut config = args.validate()?;
    let mut reports = Vec::new();
    for (file, body) in args.files.iter().zip(&config.recordings) {
        let lanes =
            if config.paced || matches!(config.out, Out::People) { recording::lanes(body, None) } else { Vec::new() };
        let pause = match (&config.out, config.paced) {
            (Out::People, _) | (_, false) => Duration::ZERO,
            _ => recording::duration(lanes.iter().map(|lane| lane.text.chars().count()).sum()),
        };
        let report = play(body, &config.wire, config.chunk, pause, |bytes| match &mut config.out {
            Out::People => Ok(()),
            Out::File(file) => file.write(bytes),
            Out::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush()).map_err(Error::stdout)
            }
        })?;
        if matches!(config.out, Out::People) {
            let name = (args.files.len() > 1).then_some(file.as_path());
            show(name, &lanes, &report, &config.wire.sources, config.paced).map_err(Error::stdout)?;
        }
        reports.push(report);
    }
    if let Out::File(file) = config.out {
        file.commit()?;
    }
    match reports.as_slice() {
        [report] => config.report.write(report),
        reports => config.report.write(&reports),
    }?;
    Ok(Outcome::Fine)
}

/// Plays one body in `whole` time.
fn play(
    body: &[u8],
    config: &WireConfig,
    chunk: Chunk,
    whole: Duration,
    mut write: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<WireReport, Error> {
    let mut session = Session::new(config.clone());
    let mut out = BytesMut::new();
    let pieces: Box<dyn Iterator<Item = &[u8]>> = match chunk {
        Chunk::AsRead => Box::new(recording::frames(body)),
        chunk => Box::new(chunk::pieces(body, chunk)),
    };
    for piece in pieces {
        session.push(piece, &mut out);
        write(&out)?;
        out.clear();
        if !whole.is_zero() {
            thread::sleep(whole.mul_f64(piece.len() as f64 / body.len() as f64));
        }
    }
    let report = session.finish(&mut out);
    write(&out)?;
    Ok(report)
}

/// Shows the answers of one recording with their edits, then the findings.
fn show(file: Option<&Path>, lanes: &[Lane], report: &WireReport, sources: &Sources, paced: bool) -> io::Result<()> {
    let paint = Paint::for_stdout();
    let mut out = io::stdout().lock();
    if let Some(file) = file {
        writeln!(out, "{}\n", paint.strong(&file.display().to_string()))?;
    }
    if report.lanes.is_empty() {
        writeln!(out, "No text was found in this recording; it passes as it came.")?;
    }
    for (name, verdict) in &report.lanes {
        if report.lanes.len() > 1 {
            writeln!(out, "{}", paint.faint(&format!("lane {name}")))?;
        }
        let text = lanes.iter().find(|lane| lane.name == *name).map_or("", |lane| lane.text.as_str());
        for run in paint::edited(text, &paint::layers(verdict), &verdict.edits, true) {
            speak(&run, paint, paced, &mut out)?;
        }
        writeln!(out, "\n\n{}", paint.strong(&explain::headline(verdict)))?;
        for finding in explain::findings(text, verdict, sources) {
            writeln!(out, "- {}", finding.sentence)?;
        }
        writeln!(out)?;
    }
    for note in &report.notes {
        writeln!(out, "- Passed without being looked at: {} ({}, {}×).", note.why, note.what, note.count)?;
    }
    out.flush()
}

/// Writes a run, word by word if it is to be read along.
fn speak(run: &Run, paint: Paint, paced: bool, out: &mut impl Write) -> io::Result<()> {
    if !paced {
        return write!(out, "{}", paint.run(run));
    }
    // What was removed or added stays in one piece, for its marks.
    let whole = matches!(run.mark, Mark::Removed | Mark::Added);
    let words: Vec<&str> = if whole { vec![&run.text] } else { run.text.split_inclusive(' ').collect() };
    for word in words {
        write!(out, "{}", paint.run(&Run::new(word, run.mark)))?;
        out.flush()?;
        thread::sleep(recording::duration(word.chars().count()));
    }
    Ok(())
}
