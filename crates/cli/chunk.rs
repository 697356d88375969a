//! `--chunk`: cuts the input anew before the sieve sees it, so that anyone can see that the cuts change nothing.

use std::num::NonZeroUsize;
use std::str::FromStr;

/// How the input is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Chunk {
    /// As it arrives.
    #[default]
    AsRead,
    /// Pieces of this many units (characters of text, bytes of a recording).
    Size(NonZeroUsize),
    /// Pieces of 1 to 16 units, drawn from a generator with this seed.
    Random(u64),
}

impl FromStr for Chunk {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refusal = || format!("\"{text}\" is neither a number from 1 nor random:SEED");
        match text.strip_prefix("random:") {
            Some(seed) => seed.parse().map(Chunk::Random).map_err(|_| refusal()),
            None => text.parse().map(Chunk::Size).map_err(|_| refusal()),
        }
    }
}

/// The lengths of the pieces, one after the other.
#[derive(Debug)]
struct Lengths {
    chunk: Chunk,
    state: u64,
}

impl Lengths {
    fn new(chunk: Chunk) -> Self {
        let state = if let Chunk::Random(seed) = chunk { seed } else { 0 };
        Lengths { chunk, state }
    }

    /// The length of the next piece, `None` for whatever there is.
    fn next(&mut self) -> Option<usize> {
        match self.chunk {
            Chunk::AsRead => None,
            Chunk::Size(size) => Some(size.get()),
            Chunk::Random(_) => Some((self.random() % 16) as usize + 1),
        }
    }

    /// SplitMix64: small, and the same on every machine.
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Cuts text that arrives anyhow into pieces of so many characters. A piece that is not full yet waits for more.
#[derive(Debug)]
pub(crate) struct TextCutter {
    lengths: Lengths,
    /// Characters that the piece under way still lacks; `None` when nothing is re-cut.
    missing: Option<usize>,
    piece: String,
}

impl TextCutter {
    pub(crate) fn new(chunk: Chunk) -> Self {
        let mut lengths = Lengths::new(chunk);
        let missing = lengths.next();
        TextCutter { lengths, missing, piece: String::new() }
    }

    /// Takes text, hands on every piece that is full now.
    pub(crate) fn push(&mut self, text: &str, mut take: impl FnMut(&str)) {
        let Some(mut missing) = self.missing else { return take(text) };
        for character in text.chars() {
            self.piece.push(character);
            missing -= 1;
            if missing == 0 {
                take(&self.piece);
                self.piece.clear();
                missing = self.lengths.next().unwrap_or(1);
            }
        }
        self.missing = Some(missing);
    }

    /// The last piece, full or not.
    pub(crate) fn rest(&mut self) -> String {
        std::mem::take(&mut self.piece)
    }
}

/// Cuts bytes that arrive anyhow into pieces of so many. A piece that is not full yet waits for more.
#[derive(Debug)]
pub(crate) struct ByteCutter {
    lengths: Lengths,
    /// Length of the piece under way; `None` when nothing is re-cut.
    length: Option<usize>,
    piece: Vec<u8>,
}

impl ByteCutter {
    pub(crate) fn new(chunk: Chunk) -> Self {
        let mut lengths = Lengths::new(chunk);
        let length = lengths.next();
        ByteCutter { lengths, length, piece: Vec::new() }
    }

    /// Takes bytes, hands on every piece that is full now.
    pub(crate) fn push(&mut self, mut bytes: &[u8], mut take: impl FnMut(&[u8])) {
        let Some(mut length) = self.length else { return take(bytes) };
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(length - self.piece.len()));
            self.piece.extend_from_slice(now);
            bytes = later;
            if self.piece.len() == length {
                take(&self.piece);
                self.piece.clear();
                length = self.lengths.next().unwrap_or(1);
            }
        }
        self.length = Some(length);
    }

    /// The last piece, full or not.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_do_not_depend_on_how_the_text_arrived() {
        let text = "Rent is due [1]; 家賃は毎月払う。".repeat(5);
        for chunk in ["1", "3", "16", "random:7"] {
            let chunk: Chunk = chunk.parse().unwrap();
            let cut = |step: usize| {
                let mut pieces = Vec::new();
                let mut cutter = TextCutter::new(chunk);
                let characters: Vec<char> = text.chars().collect();
                for part in characters.chunks(step) {
                    let part: String = part.iter().collect();
                    cutter.push(&part, |piece| pieces.push(piece.to_owned()));
                }
                pieces.push(cutter.rest());
                pieces
            };
            assert_eq!(cut(1), cut(1000));
            assert_eq!(cut(7).concat(), text);
        }
    }

    #[test]
    fn byte_pieces_lose_nothing_however_they_arrived() {
        let bytes: Vec<u8> = (0..=255).collect();
        let cut = |chunk: &str, step: usize| {
            let mut pieces = Vec::new();
            let mut cutter = ByteCutter::new(chunk.parse().unwrap());
            for part in bytes.chunks(step) {
                cutter.push(part, |piece| pieces.push(piece.to_owned()));
            }
            pieces.push(cutter.rest());
            pieces
        };
        for chunk in ["1", "7", "300", "18446744073709551615", "random:1"] {
            assert_eq!(cut(chunk, 1).concat(), bytes);
            assert_eq!(cut(chunk, 1), cut(chunk, 50));
            assert_eq!(cut(chunk, 1), cut(chunk, 256));
        }
        assert_eq!(cut("7", 256).iter().map(Vec::len).max(), Some(7));
        assert!(cut("random:1", 256).iter().map(Vec::len).max() <= Some(16));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["0", "-1", "x", "random", "random:", "random:x", ""] {
            assert!(text.parse::<Chunk>().is_err(), "{text}");
        }
    }
}
