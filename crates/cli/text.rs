//! Bytes to text: whole files, and standard input as it arrives.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use crate::error::{Error, Name};

/// Reads a whole file as text; `-` is standard input.
pub(crate) fn read(path: &Path) -> Result<String, Error> {
    let (name, bytes) = read_bytes(path)?;
    String::from_utf8(bytes).map_err(|error| Error::NotUtf8 { name, offset: error.utf8_error().valid_up_to() as u64 })
}

/// Reads a whole file; `-` is standard input.
pub(crate) fn read_bytes(path: &Path) -> Result<(Name, Vec<u8>), Error> {
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map_err(Error::io(Name::stdin()))?;
        return Ok((Name::stdin(), bytes));
    }
    let name = Name::path(path);
    let bytes = fs::read(path).map_err(Error::io(name.clone()))?;
    Ok((name, bytes))
}

/// A decoder for bytes that arrive cut anywhere: a sequence cut by the end of a read waits for its rest.
#[derive(Debug, Default)]
pub(crate) struct Utf8Decoder {
    /// Bytes decoded before `pending`.
    offset: u64,
    /// The beginning of a sequence, at most three bytes, behind what the last call decoded.
    pending: Vec<u8>,
    decoded: usize,
}

/// The byte of the whole input at which it stops being UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InvalidAt(pub(crate) u64);

impl Utf8Decoder {
    /// What is complete now, up to an invalid byte if there is one.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> (&str, Result<(), InvalidAt>) {
        self.pending.drain(..self.decoded);
        self.offset += self.decoded as u64;
        self.pending.extend_from_slice(bytes);
        let (text, broken) = match std::str::from_utf8(&self.pending) {
            Ok(text) => (text, false),
            Err(error) => {
                let text = std::str::from_utf8(&self.pending[..error.valid_up_to()]).unwrap_or_default();
                (text, error.error_len().is_some())
            }
        };
        self.decoded = text.len();
        let valid = if broken { Err(InvalidAt(self.offset + text.len() as u64)) } else { Ok(()) };
        (text, valid)
    }

    /// The input is complete.
    pub(crate) fn finish(&self) -> Result<(), InvalidAt> {
        let complete = self.decoded == self.pending.len();
        if complete { Ok(()) } else { Err(InvalidAt(self.offset + self.decoded as u64)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(pieces: &[&[u8]]) -> (String, Option<u64>) {
        let mut decoder = Utf8Decoder::default();
        let mut text = String::new();
        for piece in pieces {
            let (valid, pushed) = decoder.push(piece);
            text.push_str(valid);
            if let Err(InvalidAt(at)) = pushed {
                return (text, Some(at));
            }
        }
        (text, decoder.finish().err().map(|InvalidAt(at)| at))
    }

    #[test]
    fn a_cut_sequence_waits_for_its_rest() {
        let bytes = "aé→😀z".as_bytes();
        for first in 0..=bytes.len() {
            for second in first..=bytes.len() {
                let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                assert_eq!(decode(&pieces), ("aé→😀z".to_owned(), None));
            }
        }
    }

    #[test]
    fn the_offset_counts_from_the_start_of_the_input() {
        assert_eq!(decode(&["aé".as_bytes(), b"b\xffc"]), ("aéb".to_owned(), Some(4)));
        assert_eq!(decode(&[b"ab\xe2", b"\x28"]), ("ab".to_owned(), Some(2)));
        assert_eq!(decode(&[b"ab\xe2\x86"]), ("ab".to_owned(), Some(2)));
    }
}
