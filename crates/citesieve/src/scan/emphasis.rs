//! Emphasis that is open: `*`, `_` and `~`, near enough to CommonMark to tell an opener from a closer.

use super::is_space;

/// More open emphasis characters than this are not followed.
const MAX_EMPHASIS: usize = 32;

/// The emphasis of one paragraph.
#[derive(Debug, Default)]
pub(crate) struct Emphasis {
    /// Characters that are open and where, in order.
    open: Vec<(char, u64)>,
    /// Where a character closed another one last.
    closed: Option<u64>,
    /// The character read last, where its run starts, and what stood before it.
    run: Option<(char, u64, Option<char>)>,
}

impl Emphasis {
    /// A new paragraph starts.
    pub(crate) fn clear(&mut self) {
        self.open.clear();
        self.run = None;
    }

    /// The characters that are open, by position.
    pub(crate) fn open(&self) -> &[(char, u64)] {
        &self.open
    }

    /// Whether the character at `at` closes emphasis.
    pub(crate) fn closed_at(&self, at: u64) -> bool {
        self.closed == Some(at)
    }

    /// Whether the character read last belongs to a run that may go on.
    pub(crate) fn in_run(&self) -> bool {
        self.run.is_some()
    }

    /// Reads the character `c` at `at`; `before` stands before it on the same line.
    pub(crate) fn step(&mut self, c: char, at: u64, escaped: bool, before: Option<char>) {
        let run = self.run.take();
        if escaped || !matches!(c, '*' | '_' | '~') {
            // `5 * 3`: what is followed by a space opens nothing.
            if let Some((mark, start, _)) = run
                && (is_space(c) || c == '\n')
            {
                while self.open.last().is_some_and(|open| open.0 == mark && open.1 >= start) {
                    self.open.pop();
                }
            }
            return;
        }
        let (start, before) = match run {
            Some((mark, start, before)) if mark == c => (start, before),
            _ => (at, before),
        };
        self.run = Some((c, start, before));
        let opening = before.is_none_or(|b| is_space(b) || matches!(b, '\n' | '(' | '[' | '{' | '“' | '‘' | '«' | '|'));
        let same = self.open.iter().rposition(|open| open.0 == c);
        match same {
            Some(index) if !opening => {
                self.open.remove(index);
                self.closed = Some(at);
            }
            _ if c == '_' && before.is_some_and(char::is_alphanumeric) => {}
            _ if self.open.len() < MAX_EMPHASIS => self.open.push((c, at)),
            _ => {}
        }
    }
}
