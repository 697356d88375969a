//! Text for people: runs of text with a meaning, in colour on a terminal and in plain marks elsewhere.

use std::io;
use std::ops::Range;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Effects, Style};
use citesieve::quote::Class;
use citesieve::{BlockClass, EditRecord, Span, Verdict};

/// What a run of text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Nothing in particular.
    Plain,
    /// The model wrote it, the reader does not see it.
    Removed,
    /// The reader sees it in place of what was removed.
    Added,
    /// A quotation that its source has.
    Verified,
    /// A quotation that is nearly what a source has.
    Altered,
    /// A quotation that another source has than the one it cites.
    Misattributed,
    /// A quotation that no source has.
    NotFound,
    /// A citation marker.
    Marker,
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
                let paint =
                    |line: &str| if line.is_empty() { String::new() } else { format!("{style}{line}{style:#}") };
                let lines: Vec<String> = text.split('\n').map(paint).collect();
                lines.join("\n")
            }
            Paint::Plain => match run.mark {
                Mark::Removed => format!("[-{text}-]"),
                Mark::Added => format!("{{+{text}+}}"),
                _ => text.clone(),
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
        Mark::Added | Mark::Verified => colour(AnsiColor::Green),
        Mark::Altered => colour(AnsiColor::Yellow),
        Mark::Marker => colour(AnsiColor::Cyan),
        Mark::Misattributed => colour(AnsiColor::Magenta),
        Mark::NotFound => colour(AnsiColor::Red),
        Mark::Strong => Style::new().effects(Effects::BOLD),
        Mark::Faint => Style::new().effects(Effects::DIMMED),
    }
}

/// A stretch of a text, in bytes, that means something.
pub(crate) type Layer = (Range<usize>, Mark);

/// What the verdict says about stretches of the answer as the model wrote it.
pub(crate) fn layers(verdict: &Verdict) -> Vec<Layer> {
    let blocks = verdict.blocks.iter().filter_map(|block| {
        let mark = match block.class {
            BlockClass::Verified => Mark::Verified,
            BlockClass::Misattributed => Mark::Misattributed,
            BlockClass::NotFound => Mark::NotFound,
            BlockClass::TooShort | BlockClass::Unchecked | BlockClass::Context => return None,
        };
        Some((bytes(block.before), mark))
    });
    let quotes = verdict.quotes.iter().filter_map(|quote| {
        let mark = match quote.class {
            Class::Verified => Mark::Verified,
            Class::Altered => Mark::Altered,
            Class::Misattributed => Mark::Misattributed,
            Class::NotFound => Mark::NotFound,
            Class::TooShort | Class::Unchecked => return None,
        };
        Some((bytes(quote.before), mark))
    });
    blocks.chain(quotes).collect()
}

/// A span in bytes.
pub(crate) fn bytes(span: Span) -> Range<usize> {
    span.start.bytes as usize..span.end.bytes as usize
}

/// A text with its layers, later ones over earlier ones.
pub(crate) fn layered(text: &str, layers: &[Layer]) -> Vec<Run> {
    edited(text, layers, &[], false)
}

/// The answer as the model wrote it, with its layers, with what was removed, and with what was put there instead if
/// `added` says so.
pub(crate) fn edited(text: &str, layers: &[Layer], edits: &[EditRecord], added: bool) -> Vec<Run> {
    let mut marks = vec![Mark::Plain; text.len()];
    let removed = edits.iter().map(|edit| (bytes(edit.before), Mark::Removed));
    for (range, mark) in layers.iter().cloned().chain(removed) {
        if text.get(range.clone()).is_some() {
            marks[range].fill(mark);
        }
    }
    let mut additions = edits.iter().filter(|edit| added && !edit.with.is_empty()).peekable();
    let mut runs: Vec<Run> = Vec::new();
    for (at, character) in text.char_indices().map(|(at, character)| (at, Some(character))).chain([(text.len(), None)])
    {
        while let Some(edit) = additions.next_if(|edit| edit.before.end.bytes as usize <= at) {
            runs.push(Run::new(edit.with.as_str(), Mark::Added));
        }
        let Some(character) = character else { break };
        match runs.last_mut() {
            Some(run) if run.mark == marks[at] => run.text.push(character),
            _ => runs.push(Run::new(character, marks[at])),
        }
    }
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
        let runs = edited("Due [7] in [4-9].", &[], &[edit(3..7, ""), edit(13..15, "5")], true);
        assert_eq!(Paint::Plain.runs(&runs), "Due[- [7]-] in [4[--9-]{+5+}].");
        assert!(Paint::Colour.runs(&runs).contains("\u{1b}[31m"));
    }

    #[test]
    fn layers_lie_over_each_other() {
        let layers = [(0..7, Mark::NotFound), (2..4, Mark::Faint)];
        let runs = layered("> é [7].", &layers);
        let expected = [("> ", Mark::NotFound), ("é", Mark::Faint), (" [7", Mark::NotFound), ("].", Mark::Plain)];
        assert_eq!(runs, expected.map(|(text, mark)| Run::new(text, mark)));
    }

    #[test]
    fn a_range_outside_the_text_ends_the_marks_not_the_text() {
        assert_eq!(Paint::Plain.runs(&edited("é", &[], &[edit(1..9, "")], true)), "é");
    }
}
