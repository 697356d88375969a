//! `citesieve filter`: text in, checked text out, as it is decided.

use std::ffi::OsString;
use std::io::{self, BufWriter, Read, StdoutLock, Write};
use std::path::PathBuf;
use std::sync::Arc;

use citesieve::{Policy, Sources, TextSieve, Verdict};

use crate::chunk::{Chunk, TextCutter};
use crate::error::{Error, Name};
use crate::output::Report;
use crate::policy::PolicyArgs;
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
}

struct Config {
    sources: Arc<Sources>,
    policy: Arc<Policy>,
    chunk: Chunk,
    report: Report,
}

impl FilterArgs {
    fn validate(&self) -> Result<Config, Error> {
        Ok(Config {
            policy: Arc::new(self.policy.read()?),
            sources: Arc::new(sources::read(self.sources.as_deref())?),
            chunk: self.chunk.unwrap_or_default(),
            report: Report::open(self.report.as_deref())?,
        })
    }
}

/// Runs the command.
pub(crate) fn run(args: &FilterArgs) -> Result<(), Error> {
    let config = args.validate()?;
    let sieve = TextSieve::new(config.policy, config.sources);
    let mut filter = Filter { sieve, cutter: TextCutter::new(config.chunk), out: BufWriter::new(io::stdout().lock()) };
    let read = filter.copy(io::stdin().lock());
    if matches!(read, Err(Error::BrokenPipe)) {
        return read;
    }
    // What was held leaves also when the input turned out bad: nothing that was read is lost.
    let verdict = filter.finish()?;
    read?;
    config.report.write(&verdict)
}

struct Filter {
    sieve: TextSieve,
    cutter: TextCutter,
    out: BufWriter<StdoutLock<'static>>,
}

impl Filter {
    /// Reads whatever is there, and writes what is decided before it reads again.
    fn copy(&mut self, mut input: impl Read) -> Result<(), Error> {
        let mut decoder = Utf8Decoder::default();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let length = match input.read(&mut buffer) {
                Ok(0) => return Ok(decoder.finish()?),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Error::io(Name::stdin())(error)),
            };
            let (sieve, out) = (&mut self.sieve, &mut self.out);
            let cutter = &mut self.cutter;
            decoder.push(&buffer[..length], |text| {
                cutter.push(text, |piece| out.write_all(sieve.push(piece).as_bytes())).map_err(Error::stdout)
            })?;
            self.out.flush().map_err(Error::stdout)?;
        }
    }

    fn finish(mut self) -> Result<Verdict, Error> {
        let rest = self.cutter.rest();
        let text = self.sieve.push(&rest);
        self.out.write_all(text.as_bytes()).map_err(Error::stdout)?;
        let (rest, verdict) = self.sieve.finish();
        self.out.write_all(rest.as_bytes()).map_err(Error::stdout)?;
        self.out.flush().map_err(Error::stdout)?;
        Ok(verdict)
    }
}

impl From<InvalidAt> for Error {
    fn from(InvalidAt(offset): InvalidAt) -> Self {
        Error::NotUtf8 { name: Name::stdin(), offset }
    }
}
