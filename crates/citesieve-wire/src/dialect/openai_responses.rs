//! OpenAI Responses. Text is `response.output_text.delta`; the same text stands again in `output_text.done`,
//! `content_part.done`, `output_item.done` and the response that ends the run, and clients read it there. A lane is
//! (`output_index`, `content_index`); servers that send neither are known by `item_id`, which elsewhere may change with
//! every event and means nothing. A body that is not streamed is the response itself.

use std::collections::HashMap;
use std::ops::Range;

use super::{Description, Input, Order, Reader, Slot, Unit, View, What};
use crate::json::{Cursor, Malformed, Tail};

pub(super) static DESCRIPTION: Description = Description {
    name: "openai-responses",
    paths: &["/v1/responses", "/responses"],
    sniff: |head| head.kind.starts_with("response.") || head.object == "response",
    reader: || Box::new(Responses::default()),
    comments: true,
    error: |message| {
        ("error", format!("{{\"type\":\"error\",\"code\":\"citesieve_error\",\"message\":{message},\"param\":null}}"))
    },
};

#[derive(Debug, Default)]
struct Responses {
    /// Items of servers that send no indexes, in order of appearance.
    items: Vec<Vec<u8>>,
    by_id: HashMap<Vec<u8>, u64>,
}

/// Lanes known by an item's id.
const BY_ID: u64 = 1 << 63;

/// What an event says about where it belongs.
#[derive(Debug, Default)]
struct Address {
    output: Option<u64>,
    content: Option<u64>,
    item: Vec<u8>,
}

/// A content part, or the fields of an event that look like one.
#[derive(Debug, Default)]
struct Part {
    kind: Vec<u8>,
    text: Option<Range<usize>>,
    logprobs: Option<Range<usize>>,
    offsets: Vec<(u64, Range<usize>)>,
}

#[derive(Debug, Default)]
struct Item {
    id: Vec<u8>,
    kind: Vec<u8>,
    parts: Vec<Part>,
}

/// A whole response.
#[derive(Debug, Default)]
struct Whole {
    items: Vec<Item>,
    joined: Option<Range<usize>>,
    tail: Tail,
}

impl Reader for Responses {
    fn view(&mut self, input: &Input<'_>, view: &mut View) -> Result<(), Malformed> {
        let mut kind = Vec::new();
        let mut address = Address::default();
        let mut delta = None;
        let mut own = Part::default();
        let mut part = None;
        let mut item = None;
        let mut response = None;
        let mut bare = Whole::default();
        let mut is_response = false;
        let mut error = false;
        let mut cursor = Cursor::new(input.data);
        bare.tail = cursor.object(|c, key| {
            match key {
                b"type" => kind = c.word()?.unwrap_or_default().into_owned(),
                b"object" => is_response = c.word()?.as_deref() == Some(b"response"),
                b"output_index" => address.output = c.number()?.map(|(index, _)| index),
                b"content_index" => address.content = c.number()?.map(|(index, _)| index),
                b"item_id" => address.item = c.word()?.unwrap_or_default().into_owned(),
                b"delta" => delta = c.string_or_skip()?,
                b"text" | b"logprobs" => own.field(c, key)?,
                b"annotation" => own.annotation(c)?,
                b"part" => part = Some(Part::read(c)?),
                b"item" => item = Some(Item::read(c)?),
                b"response" => response = Some(Whole::read(c)?),
                b"output" | b"output_text" => bare.field(c, key)?,
                b"error" => error = c.truthy()?,
                _ => c.ignore()?,
            }
            Ok(())
        })?;
        cursor.end()?;
        view.settle_all |= error;
        match kind.as_slice() {
            b"response.output_text.delta" => {
                let lane = self.lane(&address);
                view.splittable = own.logprobs.is_none();
                view.lanes.push(lane);
                own.text = delta;
                own.note(lane, What::Text, view);
            }
            b"response.output_text.done" => {
                let lane = self.lane(&address);
                view.complete.push(lane);
                view.lanes.push(lane);
                own.note(lane, What::Whole, view);
            }
            b"response.output_text.annotation.added" => {
                let lane = self.lane(&address);
                view.lanes.push(lane);
                own.note(lane, What::Whole, view);
            }
            b"response.content_part.added" | b"response.content_part.done" => {
                if let Some(part) = part
                    && part.is_text(view)
                {
                    let lane = self.lane(&address);
                    if kind.ends_with(b"done") {
                        view.complete.push(lane);
                    }
                    view.lanes.push(lane);
                    part.note(lane, What::Whole, view);
                }
            }
            b"response.output_item.added" | b"response.output_item.done" => {
                if let Some(item) = item {
                    self.note_item(item, address.output, view);
                    if kind.ends_with(b"done") {
                        view.complete.extend_from_slice(&view.lanes);
                    }
                }
            }
            b"response.completed" | b"response.incomplete" | b"response.failed" => {
                if let Some(whole) = response {
                    view.end_run(whole.tail);
                    self.note_whole(whole, view);
                }
            }
            // Created, in progress, queued: of a run that is picked up later it may hold text already.
            kind if kind.starts_with(b"response.") => {
                if let Some(whole) = response {
                    self.note_whole(whole, view);
                }
                let name = kind.strip_prefix(b"response.").unwrap_or(kind);
                if delta.is_some() && kind.ends_with(b".delta") {
                    view.channel(name.strip_suffix(b".delta").unwrap_or(name));
                }
            }
            b"error" => view.settle_all = true,
            b"ping" | b"keepalive" => view.order = Order::Free,
            _ if is_response => {
                let slot = Slot { tail: bare.tail, around: ("", "") };
                self.note_whole(bare, view);
                view.end_run(slot.tail);
            }
            _ => view.unknown = !error,
        }
        if view.lanes.is_empty() && view.places.is_empty() && view.order == Order::Lanes {
            view.order = Order::All;
        }
        Ok(())
    }

    fn lane_name(&self, key: u64) -> String {
        if key & BY_ID != 0 {
            let id = self.items.get((key & !BY_ID) as usize).map(Vec::as_slice).unwrap_or_default();
            return String::from_utf8_lossy(id).into_owned();
        }
        format!("{}/{}", key >> 32, key & 0xffff_ffff)
    }
}

impl Responses {
    fn lane(&mut self, address: &Address) -> u64 {
        if address.output.is_none() && address.content.is_none() && !address.item.is_empty() {
            if let Some(&key) = self.by_id.get(&address.item) {
                return key;
            }
            let key = BY_ID | self.items.len() as u64;
            self.items.push(address.item.clone());
            self.by_id.insert(address.item.clone(), key);
            return key;
        }
        (address.output.unwrap_or(0) << 32 | address.content.unwrap_or(0) & 0xffff_ffff) & !BY_ID
    }

    fn note_item(&mut self, item: Item, output: Option<u64>, view: &mut View) {
        let by_id = self.by_id.get(&item.id).copied();
        for (index, part) in item.parts.into_iter().enumerate() {
            if !part.is_text(view) {
                continue;
            }
            let lane = match by_id {
                Some(key) if index == 0 => key,
                _ => {
                    let id = if output.is_none() { item.id.clone() } else { Vec::new() };
                    let content = if output.is_some() || index > 0 { Some(index as u64) } else { None };
                    self.lane(&Address { output, content, item: id })
                }
            };
            view.lanes.push(lane);
            part.note(lane, What::Whole, view);
        }
        if !matches!(item.kind.as_slice(), b"message" | b"") {
            view.channel(&item.kind);
        }
    }

    fn note_whole(&mut self, whole: Whole, view: &mut View) {
        let before = view.places.len();
        for (index, item) in whole.items.into_iter().enumerate() {
            let kind = item.kind.clone();
            let channels = view.unfiltered.len();
            self.note_item(item, Some(index as u64), view);
            if kind != b"message" {
                // It was counted when it came as an item of its own.
                view.unfiltered.truncate(channels);
            }
        }
        let mut lanes: Vec<_> = view.places[before..].iter().map(|place| place.lane).collect();
        lanes.dedup();
        if let Some(at) = whole.joined {
            match lanes[..] {
                [lane] => view.place(lane, at, What::Whole),
                _ => view.place(lanes.first().copied().unwrap_or(0), at, What::Joined),
            }
        }
    }
}

impl Part {
    fn read(c: &mut Cursor<'_>) -> Result<Self, Malformed> {
        let mut part = Part::default();
        c.object_or_skip(|c, key| part.field(c, key))?;
        Ok(part)
    }

    fn field(&mut self, c: &mut Cursor<'_>, key: &[u8]) -> Result<(), Malformed> {
        match key {
            b"type" => self.kind = c.word()?.unwrap_or_default().into_owned(),
            b"text" => self.text = c.string_or_skip()?,
            b"annotations" => c.array_or_skip(|c, _| self.annotation(c))?,
            b"logprobs" => {
                let array = c.peek() == Some(b'[');
                let at = c.skip()?;
                if array && at.len() > 2 {
                    self.logprobs = Some(at);
                }
            }
            _ => c.ignore()?,
        }
        Ok(())
    }

    /// Of `file_citation` and `file_path`, `index` is a position in the text too, whatever its description says.
    fn annotation(&mut self, c: &mut Cursor<'_>) -> Result<(), Malformed> {
        c.object_or_skip(|c, key| {
            match key {
                b"start_index" | b"end_index" | b"index" => self.offsets.extend(c.number()?),
                _ => c.ignore()?,
            }
            Ok(())
        })
    }

    /// Whether it is text of the answer; else it is noted as a channel, if it holds anything.
    fn is_text(&self, view: &mut View) -> bool {
        let text = matches!(self.kind.as_slice(), b"output_text" | b"text");
        if !text && self.text.as_ref().is_some_and(|at| at.len() > 2) {
            view.channel(&self.kind);
        }
        text
    }

    fn note(self, lane: u64, what: What, view: &mut View) {
        if let Some(at) = self.text {
            view.place(lane, at, what);
        }
        if let Some(at) = self.logprobs {
            view.place(lane, at, What::Aligned(b"[]"));
        }
        for number in self.offsets {
            view.offset(lane, Some(number), Unit::Chars);
        }
    }
}

impl Item {
    fn read(c: &mut Cursor<'_>) -> Result<Self, Malformed> {
        let mut item = Item::default();
        c.object_or_skip(|c, key| {
            match key {
                b"id" => item.id = c.word()?.unwrap_or_default().into_owned(),
                b"type" => item.kind = c.word()?.unwrap_or_default().into_owned(),
                b"content" => c.array_or_skip(|c, _| {
                    item.parts.push(Part::read(c)?);
                    Ok(())
                })?,
                _ => c.ignore()?,
            }
            Ok(())
        })?;
        Ok(item)
    }
}

impl Whole {
    fn read(c: &mut Cursor<'_>) -> Result<Self, Malformed> {
        let mut whole = Whole::default();
        if c.peek() == Some(b'{') {
            whole.tail = c.object(|c, key| whole.field(c, key))?;
        } else {
            c.skip()?;
        }
        Ok(whole)
    }

    fn field(&mut self, c: &mut Cursor<'_>, key: &[u8]) -> Result<(), Malformed> {
        match key {
            b"output" => c.array_or_skip(|c, _| {
                self.items.push(Item::read(c)?);
                Ok(())
            })?,
            b"output_text" => self.joined = c.string_or_skip()?,
            _ => c.ignore()?,
        }
        Ok(())
    }
}
