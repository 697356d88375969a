//! `citesieve check`: a finished answer, its quotes and markers judged one by one.

mod html;
mod json;
mod structured;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use citesieve::{Policy, Sources, Status, TextSieve, Verdict};
use citesieve_judge::client::Client;
use citesieve_judge::{Judge, Judged};

use crate::error::Error;
use crate::judge::{self, JudgeArgs};
use crate::outcome::Outcome;
use crate::output::Report;
use crate::paint::{self, Layer, Mark, Paint};
use crate::policy::PolicyArgs;
use crate::{explain, markers, sources, text};

/// Checks a finished answer: shows its quotes and markers by class, then what was found
///
/// Exit code 1 when the answer does not hold: its status is downgraded or not found.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// The answer, a file with Markdown; `-` is standard input
    answer: PathBuf,
    #[arg(long, short, required = true, value_name = "S", help = sources::HELP)]
    sources: OsString,
    /// How the result is shown
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The answer is JSON, `{status, answer, citations: [{ref, quote}]}` or a record of such; it is corrected, and
    /// `--format json` shows it as it may be passed on
    #[arg(long)]
    structured: bool,
    /// Writes the verdict as JSON; `-` is standard error
    #[arg(long, value_name = "FILE|-")]
    report: Option<PathBuf>,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    policy: PolicyArgs,
}

#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// The verdict, the answer as a reader would see it, and where each verified quote stands
    Json,
    /// A page for the browser: the answer and its sources side by side
    Html,
}

/// An answer that went through the sieve.
struct Checked {
    before: String,
    after: String,
    verdict: Verdict,
    sources: Arc<Sources>,
    policy: Arc<Policy>,
    /// What the judge was asked, if there was one.
    judged: Option<Judged>,
}

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Result<Outcome, Error> {
    let policy = Arc::new(args.policy.read()?);
    let judge = args.judge.read()?;
    let sources = Arc::new(sources::read(Some(&args.sources))?);
    let report = Report::open(args.report.as_deref())?;
    let answer = text::read(&args.answer)?;
    if args.structured {
        if judge.is_some() {
            return Err(Error::Usage("--judge is about claims in running text, not about --structured answers".into()));
        }
        let (shown, checked) = structured::run(args, &answer, &sources)?;
        io::stdout().lock().write_all(shown.as_bytes()).map_err(Error::stdout)?;
        report.write(&checked)?;
        return Ok(outcome(checked.verdict.status));
    }
    let checked = Checked::new(answer, policy, sources, judge.as_ref())?;
    let shown = match args.format {
        Format::Text => checked.people(Paint::for_stdout()),
        Format::Json => json::json(&checked),
        Format::Html => html::html(&checked),
    };
    io::stdout().lock().write_all(shown.as_bytes()).map_err(Error::stdout)?;
    report.write(&checked.verdict)?;
    Ok(outcome(checked.verdict.status))
}

fn outcome(status: Status) -> Outcome {
    match status {
        Status::Answered | Status::Unchecked => Outcome::Fine,
        Status::Downgraded | Status::NotFound => Outcome::No,
    }
}

impl Checked {
    fn new(
        before: String,
        policy: Arc<Policy>,
        sources: Arc<Sources>,
        judge: Option<&Judge<Client>>,
    ) -> Result<Self, Error> {
        let mut sieve = TextSieve::new(Arc::clone(&policy), Arc::clone(&sources));
        if judge.is_some() {
            sieve = sieve.gathering_claims();
        }
        let mut after = sieve.push(&before).to_owned();
        let (rest, mut verdict, claims) = sieve.finish_with_claims();
        after += &rest;
        let mut judged = None;
        if let Some(judge) = judge {
            let answer = judge::block_on(judge.judge(claims, Arc::clone(&sources)))?;
            answer.apply(&mut verdict, policy.unsupported_claims);
            judged = Some(answer);
        }
        Ok(Checked { before, after, verdict, sources, policy, judged })
    }

    fn people(&self, paint: Paint) -> String {
        let markers = markers::find(&self.before, &self.policy).into_iter().map(|range| (range, Mark::Marker));
        let layers: Vec<Layer> = paint::layers(&self.verdict).into_iter().chain(markers).collect();
        let mut out = paint.runs(&paint::edited(&self.before, &layers, &self.verdict.edits, true));
        if !out.ends_with('\n') {
            out.push('\n');
        }
        out += &format!("\n{}\n", paint.strong(&explain::headline(&self.verdict)));
        let mut findings = explain::findings(&self.before, &self.verdict, &self.sources);
        findings.extend(self.judged.as_ref().map(|judged| explain::spent(&judged.spent).into()));
        for finding in findings {
            out += &format!("- {}\n", finding.sentence);
            for more in finding.more {
                out += &format!("  {}\n", paint.faint(&more));
            }
        }
        out
    }
}
