//! Text for people: runs of text with a meaning, in colour on a terminal and in plain marks elsewhere.

use std::io;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Effects, Style};
use citesieve::EditRecord;

/// What a run of text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Nothing in particular.
    Plain,
    /// The model wrote it, the reader does not see it.
    Removed,
    /// The reader sees it in place of what was removed.
    Added,
    /// A heading.
    Strong,
    /// Of lesser interest.
    Faint,
}

/// A run of text with one meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) text: String,
    pub(crate) mark: Mark,
}

impl Run {
    pub(crate) fn new(text: impl Into<String>, mark: Mark) -> Self {
        Run { text: text.into(), mark }
    }
}

/// How runs are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    /// In colour.
    Colour,
    /// In plain marks, `[-…-]` for what was removed and `{+…+}` for what was added.
    Plain,
}

impl Paint {
    /// What standard output takes: colour on a terminal, unless the environment says otherwise (`NO_COLOR`,
    /// `CLICOLOR`, `CLICOLOR_FORCE`).
    pub(crate) fn for_stdout() -> Self {
        match AutoStream::choice(&io::stdout()) {
            ColorChoice::Never => Paint::Plain,
            _ => Paint::Colour,
        }
    }

    /// One run as it is printed.
    pub(crate) fn run(self, run: &Run) -> String {
        let text = &run.text;
        match self {
            Paint::Colour if run.mark == Mark::Plain => text.clone(),
            // Line by line, so that a background or a stroke does not run on to the edge of the screen.
            Paint::Colour => {
                let style = style(run.mark);
                let lines: Vec<String> = text.split('\n').map(|line| format!("{style}{line}{style:#}")).collect();
                lines.join("\n")
            }
            Paint::Plain => match run.mark {
                Mark::Removed => format!("[-{text}-]"),
                Mark::Added => format!("{{+{text}+}}"),
                Mark::Plain | Mark::Strong | Mark::Faint => text.clone(),
            },
        }
    }

    /// Runs as they are printed.
    pub(crate) fn runs<'a>(self, runs: impl IntoIterator<Item = &'a Run>) -> String {
        runs.into_iter().map(|run| self.run(run)).collect()
    }

    /// A heading as it is printed.
    pub(crate) fn strong(self, text: &str) -> String {
        self.run(&Run::new(text, Mark::Strong))
    }

    /// Something of lesser interest as it is printed.
    pub(crate) fn faint(self, text: &str) -> String {
        self.run(&Run::new(text, Mark::Faint))
    }
}

fn style(mark: Mark) -> Style {
    let colour = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
    match mark {
        Mark::Plain => Style::new(),
        Mark::Removed => colour(AnsiColor::Red).effects(Effects::STRIKETHROUGH),
        Mark::Added => colour(AnsiColor::Green),
        Mark::Strong => Style::new().effects(Effects::BOLD),
        Mark::Faint => Style::new().effects(Effects::DIMMED),
    }
}

/// The answer as the model wrote it, with what was removed, and what was put in its place if `added` says so.
pub(crate) fn edited(text: &str, edits: &[EditRecord], added: bool) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut from = 0;
    let mut push = |text: &str, mark| {
        if !text.is_empty() {
            runs.push(Run::new(text, mark));
        }
    };
    for edit in edits {
        let (start, end) = (edit.before.start.bytes as usize, edit.before.end.bytes as usize);
        let (Some(between), Some(removed)) = (text.get(from..start), text.get(start..end)) else { break };
        push(between, Mark::Plain);
        push(removed, Mark::Removed);
        if added {
            push(&edit.with, Mark::Added);
        }
        from = end;
    }
    push(text.get(from..).unwrap_or_default(), Mark::Plain);
    runs
}

#[cfg(test)]
mod tests {
    use citesieve::{Reason, Span, Units};

    use super::*;

    fn edit(bytes: std::ops::Range<u64>, with: &str) -> EditRecord {
        let units = |bytes| Units { bytes, ..Units::default() };
        EditRecord {
            before: Span { start: units(bytes.start), end: units(bytes.end) },
            after: Span::default(),
            text: String::new(),
            with: with.into(),
            why: Reason::FabricatedMarker,
        }
    }

    #[test]
    fn edits_stand_where_they_were_made() {
        let runs = edited("Due [7] in [4-9].", &[edit(3..7, ""), edit(13..15, "5")], true);
        assert_eq!(Paint::Plain.runs(&runs), "Due[- [7]-] in [4[--9-]{+5+}].");
        assert!(Paint::Colour.runs(&runs).contains("\u{1b}[31m"));
    }

    #[test]
    fn a_range_outside_the_text_ends_the_marks_not_the_text() {
        assert_eq!(Paint::Plain.runs(&edited("é", &[edit(1..9, "x")], true)), "é");
    }
}
