//! `citesieve filter`: text in, checked text out, as it is decided.

use std::ffi::OsString;
use std::io::{self, Read, StdoutLock, Write};
use std::path::PathBuf;
use std::sync::Arc;

use citesieve::{Policy, Sources, TextSieve, Verdict};

use crate::chunk::{Chunk, TextCutter};
use crate::error::{Error, Name};
use crate::outcome::Outcome;
use crate::output::Report;
use crate::policy::PolicyArgs;
use crate::record::Recorder;
use crate::sources;
use crate::text::{InvalidAt, Utf8Decoder};

/// Passes an answer through the sieve: standard input to standard output, written as it is decided
#[derive(Debug, clap::Args)]
pub(crate) struct FilterArgs {
    #[arg(long, short, value_name = "S", help = sources::HELP)]
    sources: Option<OsString>,
    /// Cuts the input anew, into pieces of N characters or of 1 to 16 (random:SEED), to show that cuts change nothing
    #[arg(long, value_name = "N|random:SEED")]
    chunk: Option<Chunk>,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Writes the verdict as JSON; `-` is standard error
    #[arg(long, value_name = "FILE|-")]
    report: Option<PathBuf>,
    /// Writes what arrives to FILE, and when it did to FILE.times
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

struct Config {
    sources: Arc<Sources>,
    policy: Arc<Policy>,
    chunk: Chunk,
    report: Report,
    recorder: Option<Recorder>,
}

impl FilterArgs {
    fn validate(&self) -> Result<Config, Error> {
        Ok(Config {
            policy: Arc::new(self.policy.read()?),
            sources: Arc::new(sources::read(self.sources.as_deref())?),
            chunk: self.chunk.unwrap_or_default(),
            report: Report::open(self.report.as_deref())?,
            // Last, as it leaves nothing of what was there.
            recorder: self.record.as_deref().map(Recorder::create).transpose()?,
        })
    }
}

/// Runs the command.
pub(crate) fn run(args: &FilterArgs) -> Result<Outcome, Error> {
    let mut config = args.validate()?;
    let sieve = TextSieve::new(config.policy, config.sources);
    let mut filter = Filter { sieve, cutter: TextCutter::new(config.chunk), out: io::stdout().lock() };
    let read = filter.copy(io::stdin().lock(), config.recorder.as_mut());
    if matches!(read, Err(Error::BrokenPipe)) {
        return read.map(|()| Outcome::Fine);
    }
    // What was held leaves also when the input turned out bad: nothing that was read is lost.
    let verdict = filter.finish()?;
    read?;
    config.report.write(&verdict)?;
    config.recorder.map_or(Ok(()), Recorder::finish)?;
    Ok(Outcome::Fine)
}

struct Filter {
    sieve: TextSieve,
    cutter: TextCutter,
    out: StdoutLock<'static>,
}

impl Filter {
    /// Reads whatever is there, and writes what is decided before it reads again.
    fn copy(&mut self, mut input: impl Read, mut recorder: Option<&mut Recorder>) -> Result<(), Error> {
        let mut decoder = Utf8Decoder::default();
        let mut buffer = vec![0; 64 * 1024];
        let mut decided = String::new();
        loop {
            let length = match input.read(&mut buffer) {
                Ok(0) => return Ok(decoder.finish()?),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Error::io(Name::stdin())(error)),
            };
            if let Some(recorder) = &mut recorder {
                recorder.write(&buffer[..length]);
            }
            let (text, valid) = decoder.push(&buffer[..length]);
            decided.clear();
            self.cutter.push(text, |piece| decided.push_str(self.sieve.push(piece)));
            write(&mut self.out, &decided)?;
            valid?;
        }
    }

    fn finish(mut self) -> Result<Verdict, Error> {
        let rest = self.cutter.rest();
        write(&mut self.out, self.sieve.push(&rest))?;
        let (rest, verdict) = self.sieve.finish();
        write(&mut self.out, &rest)?;
        Ok(verdict)
    }
}

fn write(out: &mut impl Write, text: &str) -> Result<(), Error> {
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::stdout)
}

impl From<InvalidAt> for Error {
    fn from(InvalidAt(offset): InvalidAt) -> Self {
        Error::NotUtf8 { name: Name::stdin(), offset }
    }
}
