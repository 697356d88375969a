//! `citesieve eval quotes`: bad quotes caught, honest quotes rejected.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use citesieve::Sources;
use citesieve::quote::{self, Class};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::{Deserialize, Serialize};

use super::{cases, table::table};
use crate::error::Error;
use crate::outcome::Outcome;
use crate::output::OutFile;
use crate::sources;

/// Judges quotes whose right class is known, and counts by mode what was caught and what was rejected
///
/// A case is a line {id, mode, expect, source, quote}; expect is found, not_found, misattributed or too_short, source
/// the id that the quote cites. found is met by verified, not_found by not_found and by altered.
#[derive(Debug, clap::Args)]
pub(crate) struct QuotesArgs {
    /// JSON Lines files of cases
    #[arg(required = true, value_name = "CASES")]
    files: Vec<PathBuf>,
    #[arg(long, short, required = true, value_name = "S", help = sources::HELP)]
    sources: OsString,
    /// Writes a line {id, got, source, span} for each case; `-` is standard output, in place of the table
    #[arg(long, value_name = "FILE.jsonl|-")]
    results: Option<PathBuf>,
    /// Prints JSON instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    mode: String,
    expect: Expect,
    source: Option<String>,
    quote: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Expect {
    Found,
    NotFound,
    Misattributed,
    TooShort,
}

impl Expect {
    fn met_by(self, class: Class) -> bool {
        match self {
            Expect::Found => class == Class::Verified,
            Expect::NotFound => matches!(class, Class::NotFound | Class::Altered),
            Expect::Misattributed => class == Class::Misattributed,
            Expect::TooShort => class == Class::TooShort,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Expect::Found => "found",
            Expect::NotFound => "not_found",
            Expect::Misattributed => "misattributed",
            Expect::TooShort => "too_short",
        }
    }
}

/// How many of so many.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct Share {
    cases: usize,
    count: usize,
    /// `count / cases`; `null` when there are none.
    share: Option<f64>,
}

impl Share {
    fn new(count: usize, cases: usize) -> Self {
        Share { cases, count, share: (cases > 0).then(|| count as f64 / cases as f64) }
    }

    fn text(self) -> String {
        let Share { cases, count, share } = self;
        share.map_or_else(|| "none to judge".into(), |share| format!("{count} of {cases} ({share:.4})"))
    }
}

/// The cases of one mode with one expectation.
#[derive(Debug, Serialize)]
struct Mode {
    mode: String,
    expect: Expect,
    cases: usize,
    met: usize,
}

#[derive(Debug, Serialize)]
struct Summary {
    cases: usize,
    met: usize,
    /// Quotes that no source has, or not the cited one, and that were judged so.
    bad_caught: Share,
    /// Quotes that the cited source has, and that were not verified.
    honest_rejected: Share,
    /// Quotes too short to judge, and judged so.
    too_short: Share,
    modes: Vec<Mode>,
}

/// One line of `--results`.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    got: Class,
    source: Option<&'a str>,
    /// Bytes `[start, end)` of the source's text.
    span: Option<[usize; 2]>,
}

/// Runs the command.
pub(crate) fn run(args: &QuotesArgs) -> Result<Outcome, Error> {
    let sources = sources::read(Some(&args.sources))?;
    let cases: Vec<Case> = cases::read(&args.files)?;
    let to_stdout = args.results.as_ref().is_some_and(|path| path.as_os_str() == "-");
    let mut file = match &args.results {
        Some(path) if !to_stdout => Some(OutFile::create(path)?),
        _ => None,
    };
    let (summary, lines) = judge(&sources, &cases, args.results.is_some());
    if let Some(file) = &mut file {
        file.write(lines.as_bytes())?;
    }
    if let Some(file) = file {
        file.commit()?;
    }
    let shown = match (to_stdout, args.json) {
        (true, _) => lines,
        (false, true) => serde_json::to_string_pretty(&summary).unwrap_or_default() + "\n",
        (false, false) => people(&summary),
    };
    io::stdout().lock().write_all(shown.as_bytes()).map_err(Error::stdout)?;
    Ok(Outcome::Fine)
}

fn judge(sources: &Sources, cases: &[Case], listed: bool) -> (Summary, String) {
    let mut progress = Progress::new(cases.len());
    let mut lines = String::new();
    let mut modes: Vec<Mode> = Vec::new();
    for case in cases {
        let cited: Vec<&str> = case.source.as_deref().into_iter().collect();
        let finding = quote::check(sources, &cited, &case.quote);
        let met = usize::from(case.expect.met_by(finding.class));
        match modes.iter_mut().find(|mode| mode.expect == case.expect && mode.mode == case.mode) {
            Some(mode) => {
                mode.cases += 1;
                mode.met += met;
            }
            None => modes.push(Mode { mode: case.mode.clone(), expect: case.expect, cases: 1, met }),
        }
        if listed {
            let place = finding.matches.first();
            let line = Line {
                id: &case.id,
                got: finding.class,
                source: place.map(|place| place.id.as_str()),
                span: place.map(|place| [place.span.start, place.span.end]),
            };
            lines += &serde_json::to_string(&line).unwrap_or_default();
            lines.push('\n');
        }
        progress.tick();
    }
    progress.finish();
    modes.sort_by(|a, b| (a.expect, &a.mode).cmp(&(b.expect, &b.mode)));
    (summarise(modes), lines)
}

fn summarise(modes: Vec<Mode>) -> Summary {
    let count = |expects: &[Expect]| {
        let of = modes.iter().filter(|mode| expects.contains(&mode.expect));
        of.fold((0, 0), |(cases, met), mode| (cases + mode.cases, met + mode.met))
    };
    let (bad, caught) = count(&[Expect::NotFound, Expect::Misattributed]);
    let (honest, verified) = count(&[Expect::Found]);
    let (short, short_met) = count(&[Expect::TooShort]);
    Summary {
        cases: bad + honest + short,
        met: caught + verified + short_met,
        bad_caught: Share::new(caught, bad),
        honest_rejected: Share::new(honest - verified, honest),
        too_short: Share::new(short_met, short),
        modes,
    }
}

fn people(summary: &Summary) -> String {
    let row = |mode: &Mode| {
        let Mode { mode, expect, cases, met } = mode;
        vec![mode.clone(), expect.name().into(), cases.to_string(), met.to_string(), (cases - met).to_string()]
    };
    let rows: Vec<_> = summary.modes.iter().map(row).collect();
    let mut out = table(&["mode", "expect", "cases", "met", "missed"], &rows);
    out += &format!("\nbad quotes caught       {}\n", summary.bad_caught.text());
    out += &format!("honest quotes rejected  {}\n", summary.honest_rejected.text());
    if summary.too_short.cases > 0 {
        out += &format!("too short, and said so  {}\n", summary.too_short.text());
    }
    out
}

/// A bar on standard error, if that is a terminal and the work takes longer than a second.
struct Progress {
    started: Instant,
    done: usize,
    all: usize,
    bar: Option<ProgressBar>,
}

impl Progress {
    fn new(all: usize) -> Self {
        Progress { started: Instant::now(), done: 0, all, bar: None }
    }

    fn tick(&mut self) {
        self.done += 1;
        if let Some(bar) = &self.bar {
            bar.set_position(self.done as u64);
        } else if self.done.is_multiple_of(16)
            && self.started.elapsed() > Duration::from_secs(1)
            && io::stderr().is_terminal()
        {
            let bar = ProgressBar::with_draw_target(Some(self.all as u64), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{wide_bar} {pos} of {len}, {eta} left");
            self.bar = Some(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())));
        }
    }

    fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
