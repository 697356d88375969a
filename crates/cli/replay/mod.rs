//! `citesieve replay`: recorded streams through the wire layer, for programs (`--out`) or for people.

mod inputs;
mod show;

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use bytes::BytesMut;
use citesieve::Sources;
use citesieve_wire::{Config as WireConfig, Dialect, Report as WireReport, Session};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;

use crate::chunk::{ByteCutter, Chunk};
use crate::error::Error;
use crate::outcome::Outcome;
use crate::output::{OutFile, Report};
use crate::pace::{Pace, Plan};
use crate::policy::PolicyArgs;
use crate::record::{Recorder, Times};
use crate::recording;
use crate::sources;
use inputs::Input;

/// Plays recorded response streams through the sieve and shows what it changed
///
/// Without --out it shows each answer with its edits, then the findings. With --out it writes the stream as a client
/// would get it.
#[derive(Debug, clap::Args)]
pub(crate) struct ReplayArgs {
    /// Recorded response bodies, and folders of them (.sse, .ndjson, .jsonl, .json, .txt); `-` is standard input, read
    /// as it arrives
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[arg(long, short, value_name = "S", help = sources::HELP)]
    sources: Option<OsString>,
    /// Writes the sieved stream, one recording after the other; `-` is standard output
    #[arg(long, value_name = "FILE|-")]
    out: Option<PathBuf>,
    /// Takes the bodies for this API's; without it, their first events tell
    #[arg(long, value_name = "NAME", value_parser = dialect())]
    dialect: Option<Dialect>,
    /// Takes the sources that the response itself sends (Perplexity, Azure, Cohere, Anthropic's searches) for sources too
    #[arg(long)]
    response_sources: bool,
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
    /// Plays at the recorded pace (at reading pace where none was recorded), so many times as fast (2x), or at so many
    /// characters in a second (80)
    #[arg(long, value_name = "SPEED", num_args = 0..=1, require_equals = true, default_missing_value = "1x")]
    paced: Option<Pace>,
    /// Writes what arrives to FILE, and when it did to FILE.times
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

fn dialect() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::all().map(Dialect::name))
        .try_map(|name| Dialect::by_name(&name).ok_or("there is no such dialect"))
}

struct Config {
    inputs: Vec<Input>,
    several: bool,
    wire: WireConfig,
    out: Out,
    chunk: Chunk,
    pace: Option<Pace>,
    report: Report,
    recorder: Option<Recorder>,
}

/// Where the sieved stream goes.
enum Out {
    Stdout,
    File(OutFile),
    /// Nowhere: what is shown is for people.
    People,
}

impl Out {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match self {
            Out::People => Ok(()),
            Out::File(file) => file.write(bytes),
            Out::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush()).map_err(Error::stdout)
            }
        }
    }
}

impl ReplayArgs {
    fn validate(&self) -> Result<Config, Error> {
        let (inputs, several) = inputs::find(&self.files)?;
        let live = inputs.iter().filter(|input| matches!(input, Input::Live(_))).count();
        if self.record.is_some() && (live, inputs.len()) != (1, 1) {
            return Err(Error::Usage(
                "--record writes what arrives: it takes `-` (or a pipe), and nothing else".into(),
            ));
        }
        let wire = WireConfig::new(self.policy.read()?, sources::read(self.sources.as_deref())?);
        let out = match &self.out {
            None => Out::People,
            Some(path) if path.as_os_str() == "-" => Out::Stdout,
            Some(path) => Out::File(OutFile::create(path)?),
        };
        Ok(Config {
            inputs,
            several,
            wire: wire.verdict(!self.no_verdict).dialect(self.dialect).response_sources(self.response_sources),
            out,
            chunk: self.chunk.unwrap_or_default(),
            pace: self.paced,
            report: Report::open(self.report.as_deref())?,
            // Last, as it leaves nothing of what was there.
            recorder: self.record.as_deref().map(Recorder::create).transpose()?,
        })
    }
}

/// A report that says what it is about.
#[derive(Serialize)]
struct Named {
    file: String,
    #[serde(flatten)]
    report: WireReport,
}

/// Runs the command.
pub(crate) fn run(args: &ReplayArgs) -> Result<Outcome, Error> {
    let mut config = args.validate()?;
    let mut reports = Vec::new();
    for input in &std::mem::take(&mut config.inputs) {
        let report = match input {
            // A pace needs to know the whole.
            Input::Live(_) if config.pace.is_none() => config.pass(input)?,
            _ => config.play(input)?,
        };
        reports.push(Named { file: input.path().display().to_string(), report });
    }
    if let Out::File(file) = config.out {
        file.commit()?;
    }
    match (reports.as_slice(), config.several) {
        ([only], false) => config.report.write(&only.report),
        (reports, _) => config.report.write(&reports),
    }?;
    config.recorder.map_or(Ok(()), Recorder::finish)?;
    Ok(Outcome::Fine)
}

impl Config {
    /// Plays a body that is there as a whole.
    fn play(&mut self, input: &Input) -> Result<WireReport, Error> {
        let mut body = Vec::new();
        let mut times = None;
        match input {
            Input::Recording(path) => {
                input.open()?.read_to_end(&mut body).map_err(Error::io(input.name()))?;
                times = Times::beside(path)?;
            }
            Input::Live(_) => inputs::arrive(input.name(), input.open()?, |bytes| {
                self.recorder.iter_mut().for_each(|recorder| recorder.write(bytes));
                body.extend_from_slice(bytes);
                Ok(())
            })?,
        }
        let people = matches!(self.out, Out::People);
        let lanes = if people || self.pace.is_some() { recording::lanes(&body, self.wire.dialect) } else { Vec::new() };
        let characters = lanes.iter().map(|lane| lane.text.chars().count()).sum();
        let plan = Plan::new(self.pace, body.len(), characters, times.as_ref());

        let mut player = Player::new(&self.wire, self.chunk, &mut self.out);
        let pieces: Box<dyn Iterator<Item = &[u8]>> = match &times {
            Some(times) => Box::new(times.pieces(&body)),
            None => Box::new(recording::frames(&body)),
        };
        let mut played = 0;
        for piece in pieces {
            played += piece.len();
            if !people {
                plan.wait(played);
            }
            player.push(piece)?;
        }
        let report = player.finish()?;
        if people {
            let each = pace_of_people(&plan, characters);
            self.show(input, &lanes, &report, each)?;
        }
        Ok(report)
    }

    /// Passes on a body as it arrives: what is decided is written before more is read.
    fn pass(&mut self, input: &Input) -> Result<WireReport, Error> {
        let people = matches!(self.out, Out::People);
        let mut body = Vec::new();
        let mut player = Player::new(&self.wire, self.chunk, &mut self.out);
        let read = inputs::arrive(input.name(), input.open()?, |bytes| {
            self.recorder.iter_mut().for_each(|recorder| recorder.write(bytes));
            if people {
                body.extend_from_slice(bytes);
            }
            player.push(bytes)
        });
        if matches!(read, Err(Error::BrokenPipe)) {
            return Err(Error::BrokenPipe);
        }
        // What was held leaves also when the input broke off: nothing that was read is lost.
        let report = player.finish()?;
        read?;
        if people {
            self.show(input, &recording::lanes(&body, self.wire.dialect), &report, Duration::ZERO)?;
        }
        Ok(report)
    }

    fn show(&self, input: &Input, lanes: &[recording::Lane], report: &WireReport, each: Duration) -> Result<(), Error> {
        let name = self.several.then(|| input.path());
        let given = self.wire.sources.list();
        let sent = report.sources.iter().filter(|source| !given.iter().any(|other| other.id == source.id));
        // As the answer was checked against them: those that were given, then those that it sent.
        let sources = match report.sources.is_empty() {
            true => None,
            false => Sources::new(given.iter().chain(sent).cloned().collect()).ok(),
        };
        show::show(name, lanes, report, sources.as_ref().unwrap_or(&self.wire.sources), each).map_err(Error::stdout)
    }
}

/// How long a character is shown before the next one.
fn pace_of_people(plan: &Plan<'_>, characters: usize) -> Duration {
    crate::pace::divide(plan.whole(), characters.max(1) as f64)
}

/// A body on its way through the sieve.
struct Player<'a> {
    session: Session,
    cutter: ByteCutter,
    bytes: BytesMut,
    out: &'a mut Out,
}

impl<'a> Player<'a> {
    fn new(config: &WireConfig, chunk: Chunk, out: &'a mut Out) -> Self {
        Player { session: Session::new(config.clone()), cutter: ByteCutter::new(chunk), bytes: BytesMut::new(), out }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.cutter.push(bytes, |piece| self.session.push(piece, &mut self.bytes));
        let written = self.out.write(&self.bytes);
        self.bytes.clear();
        written
    }

    fn finish(mut self) -> Result<WireReport, Error> {
        self.session.push(&self.cutter.rest(), &mut self.bytes);
        let report = self.session.finish(&mut self.bytes);
        self.out.write(&self.bytes)?;
        Ok(report)
    }
}
