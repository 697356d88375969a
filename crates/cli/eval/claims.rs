//! `citesieve eval claims`: how well a model judges claims, what that costs, and where the two thresholds should be.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use citesieve::{ClaimKind, ClosedClaim, Ruling, Source, SourceJudgement, Sources, Support, quote};
use citesieve_judge::budget::Spent;
use citesieve_judge::{Judged, Selection, Skip, select};
use serde::{Deserialize, Serialize};

use super::sweep::{self, Measured, Point};
use super::{cases, table::table};
use crate::error::Error;
use crate::judge::{JudgeArgs, block_on};
use crate::outcome::Outcome;
use crate::output::OutFile;
use crate::sources;

/// Measures a model on claims whose right label is known: precision and recall by class, cost and time
///
/// A case is a line {claim, source, label}; label is supports, partial, unrelated or contradicts, source the text of the
/// source, or its id where --sources is given. Without --judge no model is asked: the table says which claims would be,
/// and the plot what the thresholds do.
#[derive(Debug, clap::Args)]
pub(crate) struct ClaimsArgs {
    /// JSON Lines files of cases
    #[arg(required = true, value_name = "CASES")]
    files: Vec<PathBuf>,
    #[arg(long, short, value_name = "S", help = sources::HELP)]
    sources: Option<OsString>,
    #[command(flatten)]
    judge: JudgeArgs,
    /// Writes a plot of the sweep over both thresholds
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Writes a line {claim, label, judgement, skipped} for each case
    #[arg(long, value_name = "FILE.jsonl")]
    results: Option<PathBuf>,
    /// Prints JSON instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Deserialize)]
struct Case {
    claim: String,
    source: String,
    label: Label,
}

/// What a case is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Label {
    Supports,
    Partial,
    Unrelated,
    Contradicts,
}

impl Label {
    const ALL: [Label; 4] = [Label::Supports, Label::Partial, Label::Unrelated, Label::Contradicts];

    fn name(self) -> &'static str {
        match self {
            Label::Supports => "supports",
            Label::Partial => "partial",
            Label::Unrelated => "unrelated",
            Label::Contradicts => "contradicts",
        }
    }

    fn of(ruling: Ruling) -> Option<Self> {
        match ruling {
            Ruling::Supports => Some(Label::Supports),
            Ruling::Partial => Some(Label::Partial),
            Ruling::Unrelated => Some(Label::Unrelated),
            Ruling::Contradicts => Some(Label::Contradicts),
            Ruling::Unjudged => None,
        }
    }
}

/// How well one class was told, over the cases that were judged.
#[derive(Debug, Serialize)]
struct Class {
    class: Label,
    cases: usize,
    /// Judged to be of this class, rightly or not.
    judged: usize,
    right: usize,
    precision: Option<f64>,
    recall: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Summary {
    cases: usize,
    /// Claims that go to a model.
    asked: usize,
    /// Claims that have the words of their source, or nearly.
    by_words: usize,
    /// Claims of which nothing is to be judged.
    skipped: usize,
    /// What the model said; absent where none was asked for.
    model: Option<Model>,
    sweep: Vec<Point>,
}

#[derive(Debug, Serialize)]
struct Model {
    classes: Vec<Class>,
    /// Judged rightly, of all that were judged.
    right: usize,
    judged: usize,
    /// Asked about, and not heard: the budget did not allow it.
    unjudged: usize,
    /// Not heard, or not understood: they count as unrelated, with confidence 0.
    failed: usize,
    spent: Spent,
    seconds: f64,
    /// How long calls took, in milliseconds.
    median_ms: Option<u64>,
    slowest_ms: Option<u64>,
}

/// One line of `--results`.
#[derive(Serialize)]
struct Line<'a> {
    claim: &'a str,
    label: Label,
    judgement: Option<&'a SourceJudgement>,
    skipped: Option<Skip>,
}

/// Runs the command.
pub(crate) fn run(args: &ClaimsArgs) -> Result<Outcome, Error> {
    let (judge, options) = (args.judge.read()?, args.judge.options()?);
    let cases: Vec<Case> = cases::read(&args.files)?;
    let (sources, claims) = claims(args, &cases)?;
    let plot = args.plot.as_deref().map(OutFile::create).transpose()?;
    let results = args.results.as_deref().map(OutFile::create).transpose()?;

    let selections: Vec<Selection> =
        claims.iter().map(|claim| select(claim, &claim.cited[0], &sources, &options.select)).collect();
    let measured: Vec<Measured<'_>> = claims
        .iter()
        .zip(&cases)
        .filter_map(|(claim, case)| {
            let found = quote::similarity(&sources, &claim.cited[0], &claim.text)?;
            Some(Measured { claim, supported: matches!(case.label, Label::Supports | Label::Partial), found })
        })
        .collect();
    let points = sweep::sweep(&measured, &sources, &options.select);
    let svg = sweep::plot(&points, &options.select)?;
    let started = Instant::now();
    let judged = match &judge {
        Some(judge) => Some(block_on(judge.judge(claims.iter().cloned(), Arc::clone(&sources)))?),
        None => None,
    };
    let seconds = started.elapsed().as_secs_f64();

    let count = |wanted: fn(&Selection) -> bool| selections.iter().filter(|selection| wanted(selection)).count();
    let summary = Summary {
        cases: cases.len(),
        asked: count(|selection| matches!(selection, Selection::Ask { .. })),
        by_words: count(|selection| matches!(selection, Selection::Words { .. })),
        skipped: count(|selection| matches!(selection, Selection::Skip(_))),
        model: judged.as_ref().map(|judged| model(&cases, judged, seconds)),
        sweep: points,
    };
    if let Some(mut file) = plot {
        file.write(svg.as_bytes())?;
        file.commit()?;
    }
    if let Some(mut file) = results {
        file.write(lines(&cases, &selections, judged.as_ref()).as_bytes())?;
        file.commit()?;
    }
    let shown =
        if args.json { serde_json::to_string_pretty(&summary).unwrap_or_default() + "\n" } else { people(&summary) };
    io::stdout().lock().write_all(shown.as_bytes()).map_err(Error::stdout)?;
    Ok(Outcome::Fine)
}

/// The sources of the cases, and a claim for each.
fn claims(args: &ClaimsArgs, cases: &[Case]) -> Result<(Arc<Sources>, Vec<ClosedClaim>), Error> {
    let given = args.sources.as_deref().map(|argument| sources::read(Some(argument))).transpose()?;
    let mut numbers: HashMap<&str, String> = HashMap::new();
    let mut list = Vec::new();
    let mut claims = Vec::new();
    for (position, case) in cases.iter().enumerate() {
        let id = match &given {
            Some(sources) if sources.with_id(&case.source).is_empty() => {
                return Err(Error::Usage(format!("case {}: no source has the id \"{}\"", position + 1, case.source)));
            }
            Some(_) => case.source.clone(),
            None => {
                let next = (numbers.len() + 1).to_string();
                let id = numbers.entry(&case.source).or_insert_with(|| {
                    list.push(Source::new(next.clone()).text(case.source.as_str()));
                    next
                });
                id.clone()
            }
        };
        let (kind, support) = (ClaimKind::Sentence, Support::Cited);
        let text = case.claim.split_whitespace().collect::<Vec<_>>().join(" ");
        claims.push(ClosedClaim { position, kind, text, cited: vec![id], support, demoted: false });
    }
    let sources = match given {
        Some(sources) => sources,
        None => Sources::new(list).map_err(|error| Error::Usage(error.to_string()))?,
    };
    Ok((Arc::new(sources), claims))
}

/// What is known of a case after all.
fn judgement(judged: Option<&Judged>, position: usize) -> Option<&SourceJudgement> {
    let list = &judged?.judgements;
    let index = list.binary_search_by_key(&position, |(position, _)| *position).ok()?;
    list[index].1.sources.first()
}

fn model(cases: &[Case], judged: &Judged, seconds: f64) -> Model {
    let (mut unjudged, mut failed) = (0, 0);
    let mut pairs: Vec<(Label, Label)> = Vec::new();
    let mut calls: HashSet<(u64, Option<u64>, Option<u64>)> = HashSet::new();
    for (position, case) in cases.iter().enumerate() {
        let Some(one) = judgement(Some(judged), position) else { continue };
        match Label::of(one.ruling) {
            Some(ruling) => pairs.push((case.label, ruling)),
            None => unjudged += 1,
        }
        failed += usize::from(one.decision.is_asked() && one.ruling == Ruling::Unrelated && one.confidence == 0.0);
        // Claims of one call share its cost; that two calls are alike in everything does not change the picture.
        calls.extend(one.call.map(|call| (call.latency_ms, call.input_tokens, call.output_tokens)));
    }
    let class = |class: Label| {
        let cases = pairs.iter().filter(|(label, _)| *label == class).count();
        let judged = pairs.iter().filter(|(_, ruling)| *ruling == class).count();
        let right = pairs.iter().filter(|pair| **pair == (class, class)).count();
        let share = |of: usize| (of > 0).then(|| right as f64 / of as f64);
        Class { class, cases, judged, right, precision: share(judged), recall: share(cases) }
    };
    let mut latencies: Vec<u64> = calls.into_iter().map(|(latency, ..)| latency).collect();
    latencies.sort_unstable();
    Model {
        classes: Label::ALL.map(class).into(),
        right: pairs.iter().filter(|(label, ruling)| label == ruling).count(),
        judged: pairs.len(),
        unjudged,
        failed,
        spent: judged.spent,
        seconds,
        median_ms: latencies.get(latencies.len() / 2).copied(),
        slowest_ms: latencies.last().copied(),
    }
}

fn lines(cases: &[Case], selections: &[Selection], judged: Option<&Judged>) -> String {
    let mut out = String::new();
    for (position, (case, selection)) in cases.iter().zip(selections).enumerate() {
        let skipped = if let Selection::Skip(skip) = selection { Some(*skip) } else { None };
        let judgement = judgement(judged, position);
        let line = Line { claim: &case.claim, label: case.label, judgement, skipped };
        out += &serde_json::to_string(&line).unwrap_or_default();
        out.push('\n');
    }
    out
}

fn people(summary: &Summary) -> String {
    let Summary { cases, asked, by_words, skipped, model, sweep: _ } = summary;
    let mut out = String::new();
    if let Some(model) = model {
        let share = |share: Option<f64>| share.map_or_else(|| "-".into(), |share| format!("{share:.3}"));
        let row = |class: &Class| {
            let Class { class, cases, judged, right, precision, recall } = class;
            let numbers = [cases, judged, right].map(ToString::to_string);
            [class.name().into()].into_iter().chain(numbers).chain([share(*precision), share(*recall)]).collect()
        };
        let rows: Vec<Vec<String>> = model.classes.iter().map(row).collect();
        out += &table(&["class", "cases", "judged", "right", "precision", "recall"], &rows);
        out += &format!("\nright                {} of {}\n", model.right, model.judged);
    }
    out += &format!(
        "cases                {cases}: {asked} asked, {by_words} by their words, {skipped} not to be judged\n"
    );
    if let Some(model) = model {
        let Spent { calls, input_tokens, output_tokens, cost } = model.spent;
        out += &format!("not understood       {}\n", model.failed);
        if model.unjudged > 0 {
            out += &format!("not asked: budget    {}\n", model.unjudged);
        }
        out += &format!("calls                {calls}, {input_tokens} tokens in, {output_tokens} out\n");
        out += &format!("cost                 {cost:.4}, by the prices given\n");
        let ms = |ms: Option<u64>| ms.map_or_else(|| "-".into(), |ms| format!("{:.1} s", ms as f64 / 1000.0));
        out += &format!(
            "time                 {:.1} s; a call {} (median), {} (slowest)\n",
            model.seconds,
            ms(model.median_ms),
            ms(model.slowest_ms)
        );
    }
    out
}
