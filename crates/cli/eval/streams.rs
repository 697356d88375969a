//! `citesieve eval streams`: each case whole, character by character and in random pieces.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use citesieve::{Policy, Source, Sources, TextSieve, Verdict};
use serde::{Deserialize, Serialize};

use super::{cases, table::table};
use crate::chunk::{Chunk, TextCutter};
use crate::error::Error;
use crate::outcome::Outcome;
use crate::policy::PolicyArgs;

/// Runs stream cases: input in, is the output the expected one, however the input is cut?
///
/// A case is a line {id, kind, sources, input, output}; sources are null for "nothing known", or a list of
/// {id, title?, url?, text?, format?}. Exit code 1 when a case fails.
#[derive(Debug, clap::Args)]
pub(crate) struct StreamsArgs {
    /// JSON Lines files of cases
    #[arg(required = true, value_name = "CASES")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Prints JSON instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    kind: String,
    sources: Option<Vec<Source>>,
    input: String,
    output: String,
}

/// How often a case is cut anew.
const CUTS: [(&str, Option<Chunk>); 4] = [
    ("whole", None),
    ("characters", Some(Chunk::Size(std::num::NonZeroUsize::MIN))),
    ("random:1", Some(Chunk::Random(1))),
    ("random:7", Some(Chunk::Random(7))),
];

#[derive(Serialize)]
struct Results {
    cases: usize,
    passed: usize,
    kinds: Vec<Kind>,
    failures: Vec<Failure>,
}

#[derive(Serialize)]
struct Kind {
    kind: String,
    cases: usize,
    passed: usize,
}

#[derive(Serialize)]
struct Failure {
    id: String,
    /// How the input was cut.
    cut: &'static str,
    expected: String,
    got: String,
    /// The text is right, but the verdict is not the one of the whole input.
    verdict_differs: bool,
}

/// Runs the command.
pub(crate) fn run(args: &StreamsArgs) -> Result<Outcome, Error> {
    let policy = Arc::new(args.policy.read()?);
    let cases: Vec<Case> = cases::read(&args.files)?;
    let mut results = Results { cases: cases.len(), passed: 0, kinds: Vec::new(), failures: Vec::new() };
    for case in cases {
        let failure = run_case(&case, &policy)?;
        let passed = usize::from(failure.is_none());
        results.failures.extend(failure);
        results.passed += passed;
        match results.kinds.iter_mut().find(|kind| kind.kind == case.kind) {
            Some(kind) => {
                kind.cases += 1;
                kind.passed += passed;
            }
            None => results.kinds.push(Kind { kind: case.kind, cases: 1, passed }),
        }
    }
    let shown = if args.json { json(&results) } else { people(&results) };
    io::stdout().lock().write_all(shown.as_bytes()).map_err(Error::stdout)?;
    Ok(if results.failures.is_empty() { Outcome::Fine } else { Outcome::No })
}

/// The first cut that gives something else than expected.
fn run_case(case: &Case, policy: &Arc<Policy>) -> Result<Option<Failure>, Error> {
    let sources = match &case.sources {
        None => Sources::unknown(),
        Some(list) => Sources::new(list.clone()).map_err(|error| Error::Usage(format!("case {}: {error}", case.id)))?,
    };
    let sources = Arc::new(sources);
    let mut whole: Option<Verdict> = None;
    for (cut, chunk) in CUTS {
        let (got, verdict) = sieve(&case.input, chunk.unwrap_or_default(), policy, &sources);
        let verdict_differs = whole.as_ref().is_some_and(|whole| *whole != verdict);
        if got != case.output || verdict_differs {
            let (id, expected) = (case.id.clone(), case.output.clone());
            return Ok(Some(Failure { id, cut, expected, got, verdict_differs }));
        }
        whole.get_or_insert(verdict);
    }
    Ok(None)
}

fn sieve(input: &str, chunk: Chunk, policy: &Arc<Policy>, sources: &Arc<Sources>) -> (String, Verdict) {
    let mut sieve = TextSieve::new(Arc::clone(policy), Arc::clone(sources));
    let mut cutter = TextCutter::new(chunk);
    let mut out = String::new();
    cutter.push(input, |piece| out.push_str(sieve.push(piece)));
    out.push_str(sieve.push(&cutter.rest()));
    let (rest, verdict) = sieve.finish();
    (out + &rest, verdict)
}

fn json(results: &Results) -> String {
    serde_json::to_string_pretty(results).unwrap_or_default() + "\n"
}

fn people(results: &Results) -> String {
    let row = |name: &str, cases: usize, passed: usize| {
        vec![name.to_owned(), cases.to_string(), passed.to_string(), (cases - passed).to_string()]
    };
    let mut rows: Vec<_> = results.kinds.iter().map(|kind| row(&kind.kind, kind.cases, kind.passed)).collect();
    rows.push(row("all", results.cases, results.passed));
    let mut out = table(&["kind", "cases", "passed", "failed"], &rows);
    for failure in &results.failures {
        let Failure { id, cut, expected, got, .. } = failure;
        out += &match failure.verdict_differs {
            true => format!("\n{id} ({cut}): the verdict is not the one of the whole input\n"),
            false => format!("\n{id} ({cut})\n  expected {expected:?}\n  got      {got:?}\n"),
        };
    }
    out
}
