//! `citesieve demo`: a built-in recorded stream plays, raw beside sieved.

mod screen;
mod wrap;

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bytes::BytesMut;
use citesieve::{EditRecord, Policy, Sources, Verdict};
use citesieve_wire::{Config as WireConfig, Dialect, Session};
use terminal_size::{Height, Width, terminal_size};

use crate::error::{Error, Name};
use crate::outcome::Outcome;
use crate::paint::{self, Layer, Mark, Paint, Run, bytes};
use crate::{explain, recording, sources};
use screen::{Canvas, Layout};
use wrap::{Quotation, wrap};

/// An answer as OpenAI's chat API streams it, written for this demo; no model was asked.
const ANSWER: &[u8] = include_bytes!("answer.sse");
/// The three sources that the answer was given.
const SOURCES: &str = include_str!("sources.json");

/// Plays a built-in stream, raw beside sieved: no network, no key
#[derive(Debug, clap::Args)]
pub(crate) struct DemoArgs {
    /// Shows the end at once
    #[arg(long)]
    fast: bool,
}

/// Runs the command.
pub(crate) fn run(args: &DemoArgs) -> Result<Outcome, Error> {
    let sources = Arc::new(sources::from_json(&Name::argument("demo"), SOURCES)?);
    let take = Take::record(&sources);
    let screen = terminal_size().map_or((80, 24), |(Width(width), Height(height))| (width.into(), height.into()));
    let stage = Stage {
        take: &take,
        layout: Layout::for_width(screen.0),
        height: screen.1,
        paint: Paint::for_stdout(),
        paced: io::stdout().is_terminal() && !args.fast,
    };
    let mut out = io::stdout().lock();
    stage.show(&sources, &mut out).map_err(Error::stdout)?;
    Ok(Outcome::Fine)
}

/// The built-in stream, run once through the wire layer: both texts, and how far each had come after every frame.
struct Take {
    raw: String,
    sieved: String,
    /// Bytes of `raw` and of `sieved` after each frame.
    steps: Vec<(usize, usize)>,
    verdict: Verdict,
}

impl Take {
    fn record(sources: &Arc<Sources>) -> Self {
        let mut session = Session::new(WireConfig::new(Policy::default(), Arc::clone(sources)));
        let dialect = Dialect::by_name("openai-chat");
        let (mut raw, mut sieved, mut steps) = (String::new(), String::new(), Vec::new());
        let mut out = BytesMut::new();
        let text = |body: &[u8]| recording::lanes(body, dialect).into_iter().map(|lane| lane.text).collect::<String>();
        for frame in recording::frames(ANSWER) {
            session.push(frame, &mut out);
            raw += &text(frame);
            sieved += &text(&out);
            out.clear();
            steps.push((raw.len(), sieved.len()));
        }
        let report = session.finish(&mut out);
        sieved += &text(&out);
        steps.push((raw.len(), sieved.len()));
        let verdict = report.lanes.into_iter().next().map(|(_, verdict)| verdict).unwrap_or_default();
        Take { raw, sieved, steps, verdict }
    }

    /// The edits that were decided when this much had been shown.
    fn decided(&self, (raw, sieved): (usize, usize)) -> &[EditRecord] {
        let edits = &self.verdict.edits;
        let all = raw == self.raw.len() && sieved == self.sieved.len();
        let open = edits.iter().position(|edit| !all && edit.after.end.bytes as usize >= sieved);
        &edits[..open.unwrap_or(edits.len())]
    }

    /// The quotations that were decided by then.
    fn judged(&self, step: (usize, usize)) -> Vec<Layer> {
        let layers = paint::layers(&self.verdict).into_iter();
        layers.filter(|(range, _)| step.0 == self.raw.len() || self.after(range.end) <= step.1).collect()
    }

    /// Where a byte of the raw text stands in the sieved one.
    fn after(&self, at: usize) -> usize {
        let before = |edit: &&EditRecord| edit.before.end.bytes as usize <= at;
        at - self.verdict.edits.iter().take_while(before).map(shrunk).sum::<usize>()
    }

    /// What the model had written by then, with what was removed from it.
    fn left(&self, step: (usize, usize)) -> Vec<Run> {
        paint::edited(&self.raw[..step.0], &self.judged(step), self.decided(step), false)
    }

    /// What the reader saw by then, and whether anything is held.
    fn right(&self, step: (usize, usize)) -> Vec<Run> {
        let verified = self.judged(step).into_iter().filter(|(_, mark)| *mark == Mark::Verified);
        let mut layers: Vec<Layer> =
            verified.map(|(range, mark)| (self.after(range.start)..self.after(range.end), mark)).collect();
        layers.extend(self.decided(step).iter().map(|edit| (bytes(edit.after), Mark::Added)));
        let mut runs = paint::layered(&self.sieved[..step.1], &layers);
        let removed: usize = self.decided(step).iter().map(shrunk).sum();
        if step.0 > step.1 + removed {
            runs.push(Run::new("…", Mark::Faint));
        }
        runs
    }
}

/// By how many bytes an edit of this demo makes the text shorter.
fn shrunk(edit: &EditRecord) -> usize {
    bytes(edit.before).len().saturating_sub(bytes(edit.after).len())
}

/// Where and how the take is shown.
struct Stage<'a> {
    take: &'a Take,
    layout: Layout,
    height: usize,
    paint: Paint,
    paced: bool,
}

impl Stage<'_> {
    fn show(&self, sources: &Sources, out: &mut impl Write) -> io::Result<()> {
        let paint = self.paint;
        let mut intro =
            vec![Run::new("A model answers a question from three sources, which it must cite and quote:", Mark::Plain)];
        for source in sources.list() {
            let title = source.title.as_deref().unwrap_or_default();
            intro.push(Run::new(format!("\n[{}] {title}: ", source.id), Mark::Strong));
            intro.push(Run::new(source.text.as_deref().unwrap_or_default(), Mark::Faint));
        }
        writeln!(out)?;
        self.paragraph(&intro, out)?;
        writeln!(out)?;
        self.play(out)?;
        writeln!(out)?;
        self.paragraph(&[Run::new("WHAT HAPPENED", Mark::Strong)], out)?;
        writeln!(out)?;
        for finding in explain::findings(&self.take.raw, &self.take.verdict, sources) {
            // Broken lines hang, like those of a block quotation.
            self.lines_of(&[Run::new(format!("> {}", finding.sentence), Mark::Plain)], ["• ", "  "], out)?;
        }
        writeln!(out)?;
        self.paragraph(&[Run::new(explain::headline(&self.take.verdict), Mark::Strong)], out)?;
        writeln!(out)?;
        let program = std::env::args().next().unwrap_or_else(|| "citesieve".into());
        writeln!(out, " {}\n", paint.strong("GO ON WITH"))?;
        for (command, what) in [
            (
                format!(
                    "echo 'Due monthly [1], in gold [7].' | {program} filter -s '{{\"1\": \"Rent is due monthly.\"}}'"
                ),
                "a text of your own",
            ),
            (format!("{program} replay STREAM.sse --sources SOURCES.json"), "a response that you recorded"),
            (format!("{program} check ANSWER.md --sources FOLDER"), "a finished answer, quote by quote"),
        ] {
            writeln!(out, " {}\n   {}", paint.faint(&format!("# {what}")), command)?;
        }
        out.flush()
    }

    fn play(&self, out: &mut impl Write) -> io::Result<()> {
        let take = self.take;
        let end = (take.raw.len(), take.sieved.len());
        let pause = recording::duration(take.raw.chars().count()) / take.steps.len().max(1) as u32;
        match self.layout {
            Layout::Columns(width) => {
                let rows = |step| screen::columns(&take.left(step), &take.right(step), width, self.paint);
                let mut canvas = Canvas::default();
                // What scrolled away cannot be drawn again.
                if self.paced && rows(end).len() < self.height {
                    for &step in &take.steps {
                        canvas.draw(&rows(step), out)?;
                        thread::sleep(pause);
                    }
                    return canvas.draw(&rows(end), out);
                }
                self.lines(&rows(end), out)
            }
            Layout::Stacked(width) => {
                self.lines(&screen::stacked(0, &take.left(end), width, self.paint), out)?;
                writeln!(out)?;
                self.lines(&screen::stacked(1, &take.right(end), width, self.paint), out)
            }
        }
    }

    /// Line by line, at the same pace.
    fn lines(&self, rows: &[String], out: &mut impl Write) -> io::Result<()> {
        for row in rows {
            writeln!(out, "{}", row.trim_end())?;
            out.flush()?;
            if self.paced {
                thread::sleep(recording::duration(self.layout.text_width()).min(Duration::from_millis(300)));
            }
        }
        Ok(())
    }

    /// A paragraph as wide as both columns.
    fn paragraph(&self, runs: &[Run], out: &mut impl Write) -> io::Result<()> {
        self.lines_of(runs, screen::AS_WRITTEN, out)
    }

    fn lines_of(&self, runs: &[Run], quotation: Quotation, out: &mut impl Write) -> io::Result<()> {
        let width = match self.layout {
            Layout::Columns(width) => 2 * width + 3,
            Layout::Stacked(width) => width,
        };
        for line in wrap(runs, width.min(100), quotation) {
            writeln!(out, " {}", self.paint.runs(&line.runs))?;
        }
        Ok(())
    }
}
