//! Breaks runs of text into lines of a given width, in columns of the terminal.

use unicode_width::UnicodeWidthChar;

use crate::paint::{Mark, Run};

/// One line: its runs, and the columns they take.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Line {
    pub(crate) runs: Vec<Run>,
    pub(crate) width: usize,
}

/// What stands before the first line of a block quotation instead of its `> `, and before the lines it is broken into.
pub(crate) type Quotation = [&'static str; 2];

/// Breaks at spaces where it can, inside a word where it must.
pub(crate) fn wrap(runs: &[Run], width: usize, quotation: Quotation) -> Vec<Line> {
    let marked: Vec<(char, Mark)> =
        runs.iter().flat_map(|run| run.text.chars().map(|character| (character, run.mark))).collect();
    let mut lines = Vec::new();
    for paragraph in marked.split(|(character, _)| *character == '\n') {
        let (prefix, mut rest) = match paragraph {
            [('>', mark), (' ', _), quoted @ ..] => (Some((quotation, *mark)), quoted),
            _ => (None, paragraph),
        };
        let mut first = true;
        loop {
            let mut marked: Vec<(char, Mark)> = Vec::new();
            if let Some((prefix, mark)) = prefix {
                let prefix = prefix[usize::from(!first)];
                // Spaces are not struck out.
                let mark = if prefix.trim().is_empty() { Mark::Plain } else { mark };
                marked.extend(prefix.chars().map(|character| (character, mark)));
            }
            first = false;
            let left = width.max(2).saturating_sub(marked.iter().map(|(character, _)| columns(*character)).sum());
            let fits = fitting(rest, left);
            if fits == rest.len() {
                marked.extend_from_slice(rest);
                lines.push(line(&marked));
                break;
            }
            // A space that does not fit ends the line as well as one that does.
            match rest[..=fits].iter().rposition(|(character, _)| *character == ' ').filter(|&at| at > 0) {
                Some(space) => {
                    marked.extend_from_slice(&rest[..space]);
                    rest = &rest[space + 1..];
                }
                None => {
                    let (now, after) = rest.split_at(fits.max(1));
                    marked.extend_from_slice(now);
                    rest = after;
                }
            }
            lines.push(line(&marked));
        }
    }
    lines
}

/// How many characters fit into `width` columns.
fn fitting(characters: &[(char, Mark)], width: usize) -> usize {
    let mut used = 0;
    let too_far = characters.iter().position(|&(character, _)| {
        used += columns(character);
        used > width
    });
    too_far.unwrap_or(characters.len())
}

fn columns(character: char) -> usize {
    character.width().unwrap_or(0)
}

fn line(characters: &[(char, Mark)]) -> Line {
    let mut line = Line::default();
    for &(character, mark) in characters {
        line.width += columns(character);
        match line.runs.last_mut() {
            Some(run) if run.mark == mark => run.text.push(character),
            _ => line.runs.push(Run::new(character, mark)),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, width: usize) -> Vec<String> {
        let lines = wrap(&[Run::new(text, Mark::Plain)], width, ["> ", "  "]);
        lines.into_iter().map(|line| line.runs.into_iter().map(|run| run.text).collect()).collect()
    }

    #[test]
    fn breaks_at_spaces() {
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("one two three", 8), ["one two", "three"]);
        assert_eq!(lines("one\n\ntwo", 8), ["one", "", "two"]);
        assert_eq!(lines("", 8), [""]);
        assert_eq!(lines("> one two\nthree", 6), ["> one", "  two", "three"]);
    }

    #[test]
    fn breaks_long_words_and_wide_characters() {
        assert_eq!(lines("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(lines("家賃は毎月", 4), ["家賃", "は毎", "月"]);
        assert_eq!(lines("家", 1), ["家"]);
    }

    #[test]
    fn marks_stay_on_their_characters() {
        let runs = [Run::new("a b ", Mark::Plain), Run::new("c d", Mark::Removed)];
        let lines = wrap(&runs, 5, ["", ""]);
        assert_eq!(lines[0].runs, [Run::new("a b ", Mark::Plain), Run::new("c", Mark::Removed)]);
        assert_eq!(lines[1].runs, [Run::new("d", Mark::Removed)]);
        assert_eq!((lines[0].width, lines[1].width), (5, 1));
    }
}
