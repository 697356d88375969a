//! Frames as they leave: as they came, or with single tokens replaced.

use std::ops::Range;

use bytes::BytesMut;
use citesieve::Edit;

use crate::dialect::Offset;
use crate::lane::Lane;
use crate::splice::{Part, escape, splice};

/// A place in a frame, read: what it says about which lane.
#[derive(Debug)]
pub(crate) struct Placed {
    pub(crate) lane: usize,
    /// Bytes of the frame.
    pub(crate) at: Range<usize>,
    /// Bytes of the lane.
    pub(crate) text: Range<u64>,
    pub(crate) ready: Ready,
}

/// What is to be done at a place.
#[derive(Debug)]
pub(crate) enum Ready {
    /// A literal that brings this stretch of the lane.
    Text,
    /// A literal that repeats the lane from its start to here.
    Whole,
    /// A literal that quotes this stretch of the lane.
    Excerpt,
    /// A literal with edits of its own.
    Own(Vec<Edit>),
    /// A number that points into the lane.
    Offset(Offset),
    /// A value that is replaced by this if the stretch is edited.
    Aligned(&'static [u8]),
}

/// A frame that brought text, to be sent again with other text.
#[derive(Debug)]
pub(crate) struct Template {
    raw: Vec<u8>,
    /// Its places, in order.
    places: Vec<(Range<usize>, Becomes)>,
}

impl Template {
    /// Of a frame that leaves: with the text of this lane replaceable, all other text gone. `None` if it holds more
    /// than text.
    pub(crate) fn new(raw: &[u8], placed: &[Placed], lane: usize) -> Option<Self> {
        let mut places = Vec::with_capacity(placed.len());
        for placed in placed {
            let becomes = match placed.ready {
                Ready::Text if placed.lane == lane && !placed.text.is_empty() => Becomes::New,
                Ready::Text => Becomes::Fixed(b"\"\""),
                Ready::Aligned(with) => Becomes::Fixed(with),
                Ready::Whole => Becomes::Whole(placed.lane, placed.text.end),
                _ => return None,
            };
            places.push((placed.at.clone(), becomes));
        }
        places.sort_by_key(|(at, _)| at.start);
        Some(Template { raw: raw.to_vec(), places })
    }

    /// Writes it with this text.
    pub(crate) fn write(&self, text: &str, ascii: bool, lanes: &[Lane], out: &mut BytesMut) {
        let mut copied = 0;
        for (at, becomes) in &self.places {
            if at.start < copied {
                continue;
            }
            out.extend_from_slice(&self.raw[copied..at.start]);
            let mut literal = vec![b'"'];
            match becomes {
                Becomes::New => escape(text, ascii, &mut literal),
                Becomes::Fixed(with) => {
                    literal.clear();
                    literal.extend_from_slice(with);
                }
                Becomes::Whole(lane, end) => {
                    let lane = &lanes[*lane];
                    let part = Part { start: 0, wanted: 0..*end, closing: true, excerpt: false };
                    let body = &self.raw[at.start + 1..at.end - 1];
                    let edits = lane.edits(&(0..*end), *end == lane.pushed);
                    if splice(body, &part, edits.iter(), ascii, &mut literal).is_err() {
                        // Cannot be: the literal was decoded before.
                        literal.truncate(1);
                    }
                }
            }
            if !matches!(becomes, Becomes::Fixed(_)) {
                literal.push(b'"');
            }
            out.extend_from_slice(&literal);
            copied = at.end;
        }
        out.extend_from_slice(&self.raw[copied..]);
    }
}

/// What a place of a frame becomes when the frame is sent again.
#[derive(Debug)]
enum Becomes {
    /// The new text.
    New,
    /// This, whatever it was.
    Fixed(&'static [u8]),
    /// The text of this lane up to here, as it is after the edits.
    Whole(usize, u64),
}

/// That a frame ends something.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ending {
    /// The whole run, not just lanes.
    pub(crate) run: bool,
    /// Where the verdict can be added: position in the frame, whether the object is empty there, what to write around.
    pub(crate) slot: Option<(usize, bool, (&'static str, &'static str))>,
}

/// Writes a frame; of its only text just the `wanted` part, if that is given.
#[inline]
pub(crate) fn render(
    raw: &[u8],
    placed: &mut [Placed],
    wanted: Option<Range<u64>>,
    lanes: &[Lane],
    ascii: bool,
    out: &mut BytesMut,
) {
    if wanted.is_none() && placed.iter().all(|placed| placed.unchanged(lanes)) {
        out.extend_from_slice(raw);
    } else {
        out.extend_from_slice(&edited(raw, placed, wanted, lanes, ascii, 0).0);
    }
}

impl Placed {
    #[inline]
    fn edits<'l>(&'l self, lane: &'l Lane) -> &'l [Edit] {
        match &self.ready {
            Ready::Own(edits) => edits,
            _ => lane.edits(&self.text, self.text.end == lane.pushed && !self.text.is_empty()),
        }
    }

    /// Whether what is inserted at the end of the lane is written here.
    #[inline]
    pub(crate) fn closes(&self, lane: &Lane) -> bool {
        matches!(self.ready, Ready::Text)
            && self.text.end == lane.pushed
            && self.edits(lane).last().is_some_and(|edit| edit.at.is_empty() && edit.at.start == lane.pushed)
    }

    #[inline]
    fn unchanged(&self, lanes: &[Lane]) -> bool {
        let lane = &lanes[self.lane];
        match self.ready {
            Ready::Offset(offset) => lane.history.moved(offset) == offset.at,
            _ => self.edits(lane).is_empty(),
        }
    }
}

/// The edited frame, and where `watch` (a position in `raw`) stands in it.
fn edited(
    raw: &[u8],
    placed: &mut [Placed],
    wanted: Option<Range<u64>>,
    lanes: &[Lane],
    ascii: bool,
    watch: usize,
) -> (Vec<u8>, usize) {
    placed.sort_by_key(|placed| placed.at.start);
    let mut out = Vec::with_capacity(raw.len() + 64);
    let mut copied = 0;
    let mut watched = watch;
    for placed in placed.iter() {
        if placed.at.start < copied || (wanted.is_none() && placed.unchanged(lanes)) {
            continue;
        }
        out.extend_from_slice(&raw[copied..placed.at.start]);
        let lane = &lanes[placed.lane];
        match &placed.ready {
            Ready::Text | Ready::Whole | Ready::Excerpt | Ready::Own(_) => {
                let edits = placed.edits(lane);
                let wanted = wanted.clone().unwrap_or(placed.text.clone());
                let closing = wanted.end == placed.text.end;
                let excerpt = matches!(placed.ready, Ready::Excerpt);
                let part = Part { start: placed.text.start, wanted, closing, excerpt };
                let body = &raw[placed.at.start + 1..placed.at.end - 1];
                out.push(b'"');
                let start = out.len();
                if splice(body, &part, edits.iter(), ascii, &mut out).is_err() {
                    // Cannot be: the literal was decoded before.
                    out.truncate(start);
                    out.extend_from_slice(body);
                }
                out.push(b'"');
            }
            Ready::Offset(offset) => {
                out.extend_from_slice(lane.history.moved(*offset).to_string().as_bytes());
            }
            Ready::Aligned(with) => out.extend_from_slice(with),
        }
        copied = placed.at.end;
        if copied <= watch {
            watched = out.len() + (watch - copied);
        }
    }
    out.extend_from_slice(&raw[copied..]);
    (out, watched)
}

/// A frame that is held because the verdict may belong on it.
#[derive(Debug)]
pub(crate) struct Held {
    bytes: Vec<u8>,
    slot: usize,
    first: bool,
    around: (&'static str, &'static str),
    pub(crate) run: bool,
}

impl Held {
    pub(crate) fn new(raw: &[u8], placed: &mut [Placed], ending: Ending, lanes: &[Lane], ascii: bool) -> Self {
        let (at, first, around) = ending.slot.unwrap_or_default();
        let (bytes, slot) = edited(raw, placed, None, lanes, ascii, at);
        Held { bytes, slot, first, around, run: ending.run }
    }

    /// Its length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn plain(self, out: &mut BytesMut) {
        out.extend_from_slice(&self.bytes);
    }

    pub(crate) fn with_verdict(self, verdict: &[u8], out: &mut BytesMut) {
        out.extend_from_slice(&self.bytes[..self.slot]);
        if !self.first {
            out.extend_from_slice(b",");
        }
        out.extend_from_slice(self.around.0.as_bytes());
        out.extend_from_slice(b"\"citesieve\":");
        out.extend_from_slice(verdict);
        out.extend_from_slice(self.around.1.as_bytes());
        out.extend_from_slice(&self.bytes[self.slot..]);
    }
}
