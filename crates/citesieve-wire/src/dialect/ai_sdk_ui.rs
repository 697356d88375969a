//! The UI message stream of Vercel's AI SDK (version 1 of the protocol, AI SDK 5 and later): `text-delta`. An answer
//! may run over many text parts, one after the other, borders in the middle of sentences; one lane holds them all, and
//! what is held is decided at each part's end. Parts that are open at the same time have lanes of their own; ids may
//! return in a later step. The client's schema refuses
//! unknown events; `finish.messageMetadata` is free and reaches the user's code, so the verdict goes there.

use std::collections::HashMap;
use std::ops::Range;

use super::{Description, Input, Order, Reader, Slot, Unit, View};
use crate::dialect::{Ends, What};
use crate::json::{Cursor, Malformed, Tail};

pub(super) static DESCRIPTION: Description = Description {
    name: "ai-sdk-ui",
    paths: &[],
    sniff: |head| {
        matches!(head.kind.as_str(), "start" | "start-step" | "text-start" | "text-delta" | "finish-step")
            || (head.kind == "error" && head.has("errorText"))
    },
    reader: || Box::new(AiSdkUi::default()),
    comments: true,
    error: |message| ("", format!("{{\"type\":\"error\",\"errorText\":{message}}}")),
};

#[derive(Debug, Default)]
struct AiSdkUi {
    /// The lane of each part that is open.
    open: HashMap<Vec<u8>, u64>,
    /// The lane of the part that was open last.
    last: u64,
    /// For each lane the id of its first part.
    names: Vec<String>,
}

impl Reader for AiSdkUi {
    fn view(&mut self, input: &Input<'_>, view: &mut View) -> Result<(), Malformed> {
        let mut kind = Vec::new();
        let mut id = Vec::new();
        let mut delta = None;
        let mut offsets = Vec::new();
        let mut metadata = None;
        let mut cursor = Cursor::new(input.data);
        let tail = cursor.object(|c, key| {
            match key {
                b"type" => kind = c.word()?.unwrap_or_default().into_owned(),
                b"id" => id = c.word()?.unwrap_or_default().into_owned(),
                b"delta" => delta = c.string_or_skip()?,
                b"providerMetadata" => c.object_or_skip(|c, _| provider(c, &mut offsets))?,
                b"messageMetadata" if c.peek() == Some(b'{') => {
                    metadata = Some(c.object(|c, _| c.ignore())?);
                }
                _ => c.ignore()?,
            }
            Ok(())
        })?;
        cursor.end()?;
        match kind.as_slice() {
            b"text-start" => {
                let lane = self.lane(&id);
                view.lanes.push(lane);
                view.place(lane, 0..0, What::Block);
            }
            b"text-delta" => {
                let lane = self.lane(&id);
                view.lanes.push(lane);
                if let Some(at) = delta {
                    view.place(lane, at, What::Text);
                }
                view.splittable = offsets.is_empty();
                note_offsets(lane, offsets, view);
            }
            b"text-end" => {
                let lane = self.lane(&id);
                self.open.remove(&id);
                view.lanes.push(lane);
                view.borders.push(lane);
                note_offsets(lane, offsets, view);
            }
            b"finish" => finish(tail, metadata, view),
            b"start-step" => view.interrupt_all = true,
            b"finish-step" => view.passive = true,
            b"abort" | b"error" => view.settle_all = true,
            b"start" | b"source-url" | b"source-document" | b"file" | b"message-metadata" => {}
            kind => other(kind, view),
        }
        if view.lanes.is_empty() {
            view.order = Order::All;
        }
        Ok(())
    }

    fn lane_name(&self, key: u64) -> String {
        self.names.get(key as usize).cloned().unwrap_or_default()
    }
}

impl AiSdkUi {
    /// The lane of a part: the one that it has, else that of the part before it, or a new one beside open ones.
    fn lane(&mut self, id: &[u8]) -> u64 {
        if let Some(&lane) = self.open.get(id) {
            return lane;
        }
        if self.names.is_empty() || !self.open.is_empty() {
            self.last = self.names.len() as u64;
            self.names.push(String::from_utf8_lossy(id).into_owned());
        }
        self.open.insert(id.to_vec(), self.last);
        self.last
    }
}

/// The annotations that a provider gave, passed on as they were.
fn provider(c: &mut Cursor<'_>, offsets: &mut Vec<(u64, Range<usize>)>) -> Result<(), Malformed> {
    c.object_or_skip(|c, key| {
        if key != b"annotations" {
            return c.ignore();
        }
        c.array_or_skip(|c, _| {
            c.object_or_skip(|c, key| {
                match key {
                    b"start_index" | b"end_index" | b"index" => offsets.extend(c.number()?),
                    _ => c.ignore()?,
                }
                Ok(())
            })
        })
    })
}

fn note_offsets(lane: u64, offsets: Vec<(u64, Range<usize>)>, view: &mut View) {
    for number in offsets {
        view.offset(lane, Some(number), Unit::Chars);
    }
}

fn finish(tail: Tail, metadata: Option<Tail>, view: &mut View) {
    view.ends = Ends::Run;
    view.slot = Some(match metadata {
        Some(tail) => Slot { tail, around: ("", "") },
        None => Slot { tail, around: ("\"messageMetadata\":{", "}") },
    });
}

/// Events without text of the answer.
fn other(kind: &[u8], view: &mut View) {
    match kind {
        b"reasoning-delta" => view.channel(b"reasoning"),
        b"reasoning-start" | b"reasoning-end" => view.interrupt_all = true,
        _ if kind.starts_with(b"tool-") => {
            view.interrupt_all = true;
            if kind == b"tool-input-delta" || kind == b"tool-input-available" {
                view.channel(b"tool input");
            }
        }
        _ if kind.starts_with(b"data-") => view.channel(kind),
        _ => view.unknown = true,
    }
}
