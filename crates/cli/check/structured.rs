//! `citesieve check --structured`: a structured answer, or a record of them, held to its contract.

use std::sync::Arc;

use citesieve::answer::{self, AnswerFinding, Checked, Outcome, PositionProblem};
use citesieve::quote::Class;
use citesieve::{Sources, Status};

use super::{CheckArgs, Format};
use crate::error::{Error, Name};
use crate::explain;
use crate::paint::{Mark, Paint, Run};

/// Checks it. Gives what is shown, and whether every answer that was given stays.
pub(super) fn run(args: &CheckArgs, json: &str, sources: &Arc<Sources>) -> Result<(String, Checked), Error> {
    let checked = answer::check(json, sources)
        .map_err(|error| Error::Input { name: Name::path(&args.answer), message: error.to_string() })?;
    let shown = match args.format {
        Format::Json => checked.json.clone() + if checked.json.ends_with('\n') { "" } else { "\n" },
        Format::Text => people(&checked, sources, Paint::for_stdout()),
        Format::Html => {
            return Err(Error::Usage("--format html shows answers in running text, not --structured ones".into()));
        }
    };
    Ok((shown, checked))
}

fn people(checked: &Checked, sources: &Sources, paint: Paint) -> String {
    let told = explain::quotes(&checked.verdict, sources);
    let mut out = format!("{}\n", paint.strong(&headline(checked)));
    for finding in &checked.answers {
        let place = if finding.path.is_empty() { "The answer" } else { &finding.path };
        let (mark, what) = outcome(finding);
        out += &format!("\n{place}: {}\n", paint.run(&Run::new(what, mark)));
        for (index, citation) in finding.citations.iter().enumerate() {
            let Some(quote) = checked.verdict.quotes.get(citation.quote) else { continue };
            let sign = if citation.kept {
                paint.run(&Run::new("kept", Mark::Verified))
            } else {
                paint.run(&Run::new("dropped", Mark::NotFound))
            };
            let cited = quote.cited.join(", ");
            let sentence = match citation.position {
                Some(PositionProblem::OutOfBounds) => {
                    format!("the position it names is outside of the text of source {cited}.")
                }
                Some(PositionProblem::OffCharacterBorder) => {
                    format!("the position it names cuts a character of source {cited} in two.")
                }
                Some(_) => format!("other words stand where it says in source {cited} than it quotes."),
                None if quote.class == Class::TooShort && quote.matches.is_empty() => {
                    format!("the quote \"{}\" is short, and source {cited} does not have it.", quote.text)
                }
                None if quote.class == Class::TooShort => {
                    format!("the quote \"{}\" is too short to prove anything, but source {cited} has it.", quote.text)
                }
                None => told.get(citation.quote).map(|finding| finding.sentence.clone()).unwrap_or_default(),
            };
            out += &format!("- Citation {}, {sign}: {sentence}\n", index + 1);
            for more in told
                .get(citation.quote)
                .filter(|_| citation.position.is_none())
                .iter()
                .flat_map(|finding| &finding.more)
            {
                out += &format!("  {}\n", paint.faint(more));
            }
        }
        for finding in finding.quotes.iter().filter_map(|&index| told.get(index)) {
            out += &format!("- In its text {}\n", finding.sentence);
        }
    }
    let score = checked.verdict.score;
    if score.checkable > 0 {
        out += &format!("\n{} of {} quotes that could be checked are verified.\n", score.verified, score.checkable);
    }
    out
}

fn headline(checked: &Checked) -> String {
    let was = |outcome: Outcome| checked.answers.iter().filter(|finding| finding.given == outcome).count();
    let given = was(Outcome::Extracted);
    let stay = checked.answers.iter().filter(|finding| finding.status == Outcome::Extracted).count();
    match checked.verdict.status {
        Status::Answered if given == 1 => "Answered: the answer stays.".into(),
        Status::Answered => format!("Answered: all {given} answers stay."),
        Status::Downgraded => format!("Downgraded: {stay} of {given} answers stay, the others became not_found."),
        Status::NotFound if given == 0 => "Not found: the model found nothing.".into(),
        Status::NotFound if given == 1 => "Not found: the answer does not hold, and became not_found.".into(),
        Status::NotFound => format!("Not found: none of {given} answers holds, they became not_found."),
        Status::Unchecked => "Unchecked: there was nothing to check the answer against.".into(),
    }
}

fn outcome(finding: &AnswerFinding) -> (Mark, String) {
    match (finding.given, finding.status) {
        (_, Outcome::Extracted) => (Mark::Verified, "extracted".into()),
        (Outcome::NotFound, _) => (Mark::Faint, "not found, says the model".into()),
        _ => {
            let reasons: Vec<&str> = finding.reasons.iter().map(|reason| explain::because(*reason)).collect();
            (Mark::NotFound, format!("became not_found: {}", reasons.join(", and ")))
        }
    }
}
