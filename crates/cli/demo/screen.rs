//! How the demo looks: two columns redrawn in place, or one text above the other.

use std::io::{self, Write};
use std::iter;

use super::wrap::{Line, Quotation, wrap};
use crate::paint::{Mark, Paint, Run};

/// Titles of the two texts.
const TITLES: [&str; 2] = ["WHAT THE MODEL WRITES", "WHAT THE READER SEES"];
/// Between the columns.
const RULE: &str = " │ ";
/// Wider lines are hard to read.
const WIDEST: usize = 66;
/// A block quotation as the model writes it.
pub(super) const AS_WRITTEN: Quotation = ["> ", "  "];
/// A block quotation as a reader's program shows it.
const AS_RENDERED: Quotation = ["▎ ", "▎ "];
/// Below this, columns are too narrow to read.
const NARROWEST: usize = 32;

/// Where things go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Side by side, each this wide.
    Columns(usize),
    /// One above the other, this wide.
    Stacked(usize),
}

impl Layout {
    /// Columns when two readable ones fit beside each other.
    pub(super) fn for_width(width: usize) -> Self {
        let column = width.saturating_sub(RULE.chars().count() + 2) / 2;
        if column >= NARROWEST {
            Layout::Columns(column.min(WIDEST))
        } else {
            Layout::Stacked(width.saturating_sub(1).clamp(20, WIDEST + 14))
        }
    }

    /// The width of one text.
    pub(super) fn text_width(self) -> usize {
        match self {
            Layout::Columns(width) | Layout::Stacked(width) => width,
        }
    }
}

/// The two texts beside each other, title first.
pub(super) fn columns(left: &[Run], right: &[Run], width: usize, paint: Paint) -> Vec<String> {
    let (left, right) = (titled(0, left, width, paint), titled(1, right, width, paint));
    let rows = left.len().max(right.len());
    let empty = Line::default();
    let cell = |lines: &[Line], row: usize| lines.get(row).unwrap_or(&empty).clone();
    (0..rows)
        .map(|row| {
            let (left, right) = (cell(&left, row), cell(&right, row));
            let gap = " ".repeat(width - left.width);
            format!(" {}{gap}{}{}", paint.runs(&left.runs), paint.faint(RULE), paint.runs(&right.runs))
        })
        .collect()
}

/// One of the two texts on its own, title first.
pub(super) fn stacked(which: usize, runs: &[Run], width: usize, paint: Paint) -> Vec<String> {
    titled(which, runs, width, paint).iter().map(|line| format!(" {}", paint.runs(&line.runs))).collect()
}

fn titled(which: usize, runs: &[Run], width: usize, paint: Paint) -> Vec<Line> {
    let title = wrap(&[Run::new(TITLES[which], Mark::Strong)], width, AS_WRITTEN);
    // Marks take room too.
    let plain = [Run::new(paint.runs(runs), Mark::Plain)];
    let runs = if paint == Paint::Plain { &plain } else { runs };
    let quotation = if which == 0 || paint == Paint::Plain { AS_WRITTEN } else { AS_RENDERED };
    title.into_iter().chain(iter::once(Line::default())).chain(wrap(runs, width, quotation)).collect()
}

/// Rows that are drawn again in place, never fewer than before.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    drawn: usize,
}

impl Canvas {
    /// Draws rows over the ones drawn before, in one write, so that nothing flickers.
    pub(super) fn draw(&mut self, rows: &[String], out: &mut impl Write) -> io::Result<()> {
        let mut frame = String::new();
        if self.drawn > 0 {
            frame += &format!("\u{1b}[{}A\r", self.drawn);
        }
        for row in rows {
            frame += &format!("{row}\u{1b}[K\n");
        }
        self.drawn = self.drawn.max(rows.len());
        for _ in rows.len()..self.drawn {
            frame += "\u{1b}[K\n";
        }
        out.write_all(frame.as_bytes())?;
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fit_the_width() {
        for width in [70, 80, 100, 140, 300] {
            let Layout::Columns(column) = Layout::for_width(width) else { panic!("{width}") };
            let text = [Run::new("Rent is due on the first day of each month. ".repeat(6), Mark::Plain)];
            for row in columns(&text, &text, column, Paint::Plain) {
                assert!(row.chars().count() < width, "{width}: {row}");
            }
        }
        for width in [0, 20, 60] {
            assert!(matches!(Layout::for_width(width), Layout::Stacked(_)), "{width}");
        }
    }

    #[test]
    fn drawing_again_covers_what_was_there() {
        let mut canvas = Canvas::default();
        let mut out = Vec::new();
        canvas.draw(&["a".into(), "b".into()], &mut out).unwrap();
        canvas.draw(&["c".into()], &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a\u{1b}[K\nb\u{1b}[K\n\u{1b}[2A\rc\u{1b}[K\n\u{1b}[K\n");
    }
}
