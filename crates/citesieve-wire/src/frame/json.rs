//! A body that is one JSON value, or one array whose items are the frames (Gemini without `alt=sse`).
//!
//! Brackets and commas between the items belong to the frame that follows them.

/// Finds the ends of values.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    depth: usize,
    /// The body is an array: its items are at depth 1.
    items_at: usize,
    started: bool,
    in_string: bool,
    escaped: bool,
}

impl Scanner {
    /// Where the frame ends in `bytes`, if it does.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            at += 1;
            if self.in_string {
                if std::mem::take(&mut self.escaped) {
                    continue;
                }
                match byte {
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => match memchr::memchr2(b'"', b'\\', &bytes[at..]) {
                        Some(found) => at += found,
                        None => return None,
                    },
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'[' if !self.started => {
                    self.items_at = 1;
                    self.depth = 1;
                }
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    let inside = self.depth > self.items_at;
                    self.depth = self.depth.saturating_sub(1);
                    if inside && self.depth == self.items_at {
                        return Some(at);
                    }
                }
                _ => {}
            }
            self.started |= !byte.is_ascii_whitespace() && byte < 0x80;
        }
        None
    }
}
