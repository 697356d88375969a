//! For tests on recordings of your own: what a stream carries, however it is cut.
//!
//! ```
//! use citesieve::{Policy, Source, Sources};
//! use citesieve_wire::{Config, testing::Recording};
//!
//! let body = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Due [1], paid [7].\"}}]}\n\ndata: [DONE]\n\n";
//! let sources = Sources::new(vec![Source::new("1")])?;
//! Recording::new(body, Config::new(Policy::default(), sources)).assert_carries("Due [1], paid.");
//! # Ok::<(), citesieve::SourceError>(())
//! ```

use bytes::BytesMut;

use crate::{Config, Report, Session, lane_texts};

/// Lengths of the pieces that a body is cut into, over and over: single bytes, small ones, mixed ones, everything at
/// once.
pub const CUTS: &[&[usize]] = &[&[1], &[7], &[3, 11, 1, 1, 64, 2, 5, 400, 13, 1], &[usize::MAX]];

/// A recorded response body, and how it is to be checked.
#[derive(Debug, Clone)]
pub struct Recording {
    body: Vec<u8>,
    config: Config,
}

impl Recording {
    /// A body as it came from the server (decompressed), to be run with this configuration.
    pub fn new(body: impl AsRef<[u8]>, config: Config) -> Self {
        Recording { body: body.as_ref().to_vec(), config }
    }

    /// Runs the body through a session, cut into pieces of these lengths, over and over (0 counts as 1).
    pub fn run(&self, lengths: &[usize]) -> (Vec<u8>, Report) {
        let mut session = Session::new(self.config.clone());
        let mut out = BytesMut::new();
        let mut rest = &self.body[..];
        let lengths = if lengths.is_empty() { &[usize::MAX] } else { lengths };
        for length in lengths.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (now, later) = rest.split_at((*length).clamp(1, rest.len()));
            session.push(now, &mut out);
            rest = later;
        }
        let report = session.finish(&mut out);
        (out.to_vec(), report)
    }

    /// However it is cut, what comes out carries this text in its one lane, or, of several, all together.
    ///
    /// # Panics
    /// If it does not.
    #[track_caller]
    pub fn assert_carries(&self, text: &str) {
        for lengths in CUTS {
            let (out, _) = self.run(lengths);
            let lanes = lane_texts(&out, self.config.dialect);
            let carried: String = lanes.into_iter().map(|(_, text)| text).collect();
            assert_eq!(carried, text, "cut into pieces of {lengths:?} bytes");
        }
    }

    /// However it is cut, what comes out is what went in, byte for byte.
    ///
    /// # Panics
    /// If it is not.
    #[track_caller]
    pub fn assert_untouched(&self) {
        for lengths in CUTS {
            let (out, _) = self.run(lengths);
            let same = out.iter().zip(&self.body).take_while(|(a, b)| a == b).count();
            let excerpt = |bytes: &[u8]| {
                let from = same.min(bytes.len());
                String::from_utf8_lossy(&bytes[from..bytes.len().min(from + 200)]).into_owned()
            };
            assert!(
                out == self.body,
                "cut into pieces of {lengths:?} bytes, it differs from byte {same} on\n  in:  {}\n  out: {}",
                excerpt(&self.body),
                excerpt(&out)
            );
        }
    }
}
