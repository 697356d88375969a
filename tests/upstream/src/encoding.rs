//! Compressing a body piece by piece.

use std::io::{self, Write};

use brotli::CompressorWriter;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

use crate::Encoding;

/// Compresses what is written to it, flushed after every piece, so that the reader can go on at once.
pub(crate) enum Encoder {
    Gzip(GzEncoder<Vec<u8>>),
    Deflate(ZlibEncoder<Vec<u8>>),
    Br(Box<CompressorWriter<Vec<u8>>>),
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
}

impl Encoder {
    pub(crate) fn new(encoding: Encoding) -> io::Result<Self> {
        Ok(match encoding {
            Encoding::Gzip => Encoder::Gzip(GzEncoder::new(Vec::new(), Compression::fast())),
            Encoding::Deflate => Encoder::Deflate(ZlibEncoder::new(Vec::new(), Compression::fast())),
            Encoding::Br => Encoder::Br(Box::new(CompressorWriter::new(Vec::new(), 4096, 1, 18))),
            Encoding::Zstd => Encoder::Zstd(zstd::stream::write::Encoder::new(Vec::new(), 1)?),
        })
    }

    /// The compressed form of a piece.
    pub(crate) fn piece(&mut self, piece: &[u8]) -> io::Result<Vec<u8>> {
        let writer: &mut dyn Write = match self {
            Encoder::Gzip(encoder) => encoder,
            Encoder::Deflate(encoder) => encoder,
            Encoder::Br(encoder) => encoder,
            Encoder::Zstd(encoder) => encoder,
        };
        writer.write_all(piece)?;
        writer.flush()?;
        Ok(std::mem::take(match self {
            Encoder::Gzip(encoder) => encoder.get_mut(),
            Encoder::Deflate(encoder) => encoder.get_mut(),
            Encoder::Br(encoder) => encoder.get_mut(),
            Encoder::Zstd(encoder) => encoder.get_mut(),
        }))
    }

    /// What ends the compressed body.
    pub(crate) fn end(self) -> io::Result<Vec<u8>> {
        match self {
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Deflate(encoder) => encoder.finish(),
            Encoder::Br(encoder) => Ok(encoder.into_inner()),
            Encoder::Zstd(encoder) => encoder.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn every_piece_can_be_read_at_once() {
        for encoding in [Encoding::Gzip, Encoding::Deflate, Encoding::Br, Encoding::Zstd] {
            let mut encoder = Encoder::new(encoding).unwrap();
            let mut sent = encoder.piece(b"first, ").unwrap();
            let mut read = vec![0; 7];
            decoder(encoding, &sent).read_exact(&mut read).unwrap();
            assert_eq!(read, b"first, ", "{encoding:?}");
            sent.extend(encoder.piece(b"second").unwrap());
            sent.extend(encoder.end().unwrap());
            let mut whole = Vec::new();
            decoder(encoding, &sent).read_to_end(&mut whole).unwrap();
            assert_eq!(whole, b"first, second", "{encoding:?}");
        }
    }

    fn decoder<'a>(encoding: Encoding, bytes: &'a [u8]) -> Box<dyn Read + 'a> {
        match encoding {
            Encoding::Gzip => Box::new(flate2::read::GzDecoder::new(bytes)),
            Encoding::Deflate => Box::new(flate2::read::ZlibDecoder::new(bytes)),
            Encoding::Br => Box::new(brotli::Decompressor::new(bytes, 4096)),
            Encoding::Zstd => Box::new(zstd::stream::read::Decoder::new(bytes).unwrap()),
        }
    }
}
