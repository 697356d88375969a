//! What people see of a recording: its answers with their edits, then the findings.

use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use citesieve::Sources;
use citesieve_wire::Report as WireReport;

use crate::explain;
use crate::pace;
use crate::paint::{self, Mark, Paint, Run};
use crate::recording::Lane;

/// Shows the answers of one recording, `each` character for so long, then the findings.
pub(super) fn show(
    file: Option<&Path>,
    lanes: &[Lane],
    report: &WireReport,
    sources: &Sources,
    each: Duration,
) -> io::Result<()> {
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
            speak(&run, paint, each, &mut out)?;
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
fn speak(run: &Run, paint: Paint, each: Duration, out: &mut impl Write) -> io::Result<()> {
    if each.is_zero() {
        return write!(out, "{}", paint.run(run));
    }
    // What was removed or added stays in one piece, for its marks.
    let whole = matches!(run.mark, Mark::Removed | Mark::Added);
    let words: Vec<&str> = if whole { vec![&run.text] } else { run.text.split_inclusive(' ').collect() };
    for word in words {
        write!(out, "{}", paint.run(&Run::new(word, run.mark)))?;
        out.flush()?;
        thread::sleep(pace::divide(each, 1.0 / word.chars().count() as f64));
    }
    Ok(())
}
