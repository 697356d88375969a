//! Gemini `streamGenerateContent`, as server-sent events or as one JSON array: text is
//! `candidates[].content.parts[].text` of parts that are not thoughts, one lane per candidate. Grounding segments count
//! UTF-8 bytes over the candidate's whole text and repeat a stretch of it.

use std::ops::Range;

use super::{Description, Input, Order, Reader, Slot, Unit, View, What};
use crate::json::{Cursor, Malformed};

pub(super) static DESCRIPTION: Description = Description {
    name: "gemini",
    paths: &[":streamGenerateContent", ":generateContent"],
    sniff: |head| head.has("candidates") || head.has("promptFeedback") || head.has("usageMetadata"),
    reader: || Box::new(Gemini),
    comments: false,
    error: |message| {
        ("", format!("{{\"error\": {{\"code\": 502,\"message\": {message},\"status\": \"UNAVAILABLE\"}}}}"))
    },
};

#[derive(Debug)]
struct Gemini;

#[derive(Debug, Default)]
struct Candidate {
    index: u64,
    parts: usize,
    /// Texts; `None`: a part of another kind stands between them.
    texts: Vec<Option<Range<usize>>>,
    segments: Vec<Segment>,
    aligned: Vec<Range<usize>>,
    finished: bool,
    busy: bool,
}

/// A stretch of the answer that something is said about.
#[derive(Debug, Default)]
struct Segment {
    start: Option<(u64, Range<usize>)>,
    end: Option<(u64, Range<usize>)>,
    text: Option<Range<usize>>,
}

impl Reader for Gemini {
    fn view(&mut self, input: &Input<'_>, view: &mut View) -> Result<(), Malformed> {
        let mut cursor = Cursor::new(input.data);
        let (mut known, mut candidates, mut busy) = (false, 0, false);
        let tail = cursor.object(|c, key| match key {
            b"candidates" => {
                known = true;
                c.array_or_skip(|c, _| {
                    candidates += 1;
                    let mut candidate = Candidate::default();
                    c.object_or_skip(|c, key| candidate.field(c, key, view))?;
                    busy |= candidate.busy || candidate.parts != 1;
                    candidate.note(view);
                    Ok(())
                })
            }
            b"error" | b"promptFeedback" => {
                known = true;
                view.settle_all |= c.truthy()?;
                Ok(())
            }
            b"usageMetadata" => {
                known = true;
                c.ignore()
            }
            _ => c.ignore(),
        })?;
        cursor.end()?;
        if !view.finished.is_empty() {
            view.slot = Some(Slot { tail, around: ("", "") });
        }
        if view.settle_all || candidates == 0 {
            view.order = Order::All;
        }
        view.splittable = candidates == 1 && view.places.len() == 1 && !busy && !view.settle_all;
        view.unknown = !known;
        Ok(())
    }
}

impl Candidate {
    fn field(&mut self, c: &mut Cursor<'_>, key: &[u8], view: &mut View) -> Result<(), Malformed> {
        match key {
            b"index" => self.index = c.number()?.map_or(0, |(index, _)| index),
            b"finishReason" => self.finished = c.truthy()?,
            b"content" => c.object_or_skip(|c, key| match key {
                b"parts" => c.array_or_skip(|c, _| self.part(c, view)),
                _ => c.ignore(),
            })?,
            b"groundingMetadata" => {
                c.object_or_skip(|c, key| {
                    self.busy = true;
                    match key {
                        b"groundingSupports" => c.array_or_skip(|c, _| {
                            c.object_or_skip(|c, key| match key {
                                b"segment" => self.segment(c),
                                _ => c.ignore(),
                            })
                        }),
                        _ => c.ignore(),
                    }
                })?;
            }
            b"citationMetadata" => c.object_or_skip(|c, key| {
                self.busy = true;
                match key {
                    b"citationSources" | b"citations" => c.array_or_skip(|c, _| self.segment(c)),
                    _ => c.ignore(),
                }
            })?,
            b"logprobsResult" => c.object_or_skip(|c, _| {
                self.busy = true;
                let array = c.peek() == Some(b'[');
                let at = c.skip()?;
                if array {
                    self.aligned.push(at);
                }
                Ok(())
            })?,
            _ => c.ignore()?,
        }
        Ok(())
    }

    fn part(&mut self, c: &mut Cursor<'_>, view: &mut View) -> Result<(), Malformed> {
        let (mut text, mut thought, mut other) = (None, false, None);
        self.parts += 1;
        c.object_or_skip(|c, key| match key {
            b"text" => {
                text = c.string_or_skip()?;
                Ok(())
            }
            b"thought" => {
                thought = c.truthy()?;
                Ok(())
            }
            b"thoughtSignature" => {
                self.busy = true;
                c.ignore()
            }
            _ => {
                other = Some(key.to_vec());
                c.ignore()
            }
        })?;
        if thought {
            self.busy = true;
            view.channel(b"thought");
        } else if let Some(at) = text {
            self.texts.push(Some(at));
        }
        if let Some(kind) = other {
            self.busy = true;
            self.texts.push(None);
            view.channel(&kind);
        }
        Ok(())
    }

    fn segment(&mut self, c: &mut Cursor<'_>) -> Result<(), Malformed> {
        let mut segment = Segment::default();
        c.object_or_skip(|c, key| {
            match key {
                b"startIndex" => segment.start = c.number()?,
                b"endIndex" => segment.end = c.number()?,
                b"text" => segment.text = c.string_or_skip()?,
                _ => c.ignore()?,
            }
            Ok(())
        })?;
        self.segments.push(segment);
        Ok(())
    }

    fn note(self, view: &mut View) {
        let lane = self.index;
        view.lanes.push(lane);
        for text in self.texts {
            match text {
                Some(at) => view.place(lane, at, What::Text),
                None => view.interrupt(lane),
            }
        }
        for at in self.aligned {
            view.place(lane, at, What::Aligned(b"[]"));
        }
        for segment in self.segments {
            if let Some(at) = segment.text {
                let start = segment.start.as_ref().map_or(0, |(start, _)| *start);
                view.place(lane, at, What::Excerpt(start, Unit::Bytes));
            }
            view.offset(lane, segment.start, Unit::Bytes);
            view.offset(lane, segment.end, Unit::Bytes);
        }
        if self.finished {
            view.finish(lane);
        }
    }
}
