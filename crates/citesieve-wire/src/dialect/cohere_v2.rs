//! Cohere v2 chat: `content-delta`, one lane per content block. Citations count characters of the block's text and
//! repeat a stretch of it; they come when that text is out, so they wait for what is held of it.

use std::ops::Range;

use citesieve::Source;

use super::{Description, Input, Order, Reader, Unit, View, What};
use crate::json::{Cursor, Malformed};

pub(super) static DESCRIPTION: Description = Description {
    name: "cohere-v2",
    paths: &["/v2/chat"],
    sniff: |head| {
        matches!(
            head.kind.as_str(),
            "message-start" | "content-start" | "content-delta" | "content-end" | "tool-plan-delta" | "message-end"
        ) || (head.has("message") && head.has("finish_reason") && head.kind.is_empty())
    },
    reader: || Box::new(CohereV2),
    comments: true,
    error: |message| {
        let delta = format!("{{\"finish_reason\":\"ERROR\",\"error\":{message}}}");
        ("message-end", format!("{{\"type\":\"message-end\",\"delta\":{delta}}}"))
    },
};

#[derive(Debug)]
struct CohereV2;

/// What stands in `delta.message`, or in the `message` of a body that is not streamed.
#[derive(Debug, Default)]
struct Message {
    /// The sources that it sends are wanted.
    wanted: bool,
    sources: Vec<Source>,
    blocks: Vec<Block>,
    citations: Vec<Citation>,
    tools: bool,
    plan: bool,
    logprobs: Option<Range<usize>>,
}

#[derive(Debug, Default)]
struct Block {
    text: Option<Range<usize>>,
    other: Option<Vec<u8>>,
}

#[derive(Debug, Default)]
struct Citation {
    numbers: Vec<(u64, Range<usize>)>,
    start: u64,
    text: Option<Range<usize>>,
    block: u64,
    /// It is about thinking or a plan, not the answer.
    elsewhere: bool,
}

impl Reader for CohereV2 {
    fn view(&mut self, input: &Input<'_>, view: &mut View) -> Result<(), Malformed> {
        let mut kind = Vec::new();
        let mut index = 0;
        let mut message = Message { wanted: input.sources, ..Message::default() };
        let mut finished = false;
        let mut cursor = Cursor::new(input.data);
        let tail = cursor.object(|c, key| {
            match key {
                b"type" => kind = c.word()?.unwrap_or_default().into_owned(),
                b"index" => index = c.number()?.map_or(0, |(index, _)| index),
                b"finish_reason" => finished = c.truthy()?,
                b"message" => message.read(c)?,
                b"delta" => c.object_or_skip(|c, key| match key {
                    b"message" => message.read(c),
                    _ => c.ignore(),
                })?,
                b"logprobs" => {
                    let object = c.peek() == Some(b'{');
                    let at = c.skip()?;
                    message.logprobs = object.then_some(at);
                }
                _ => c.ignore()?,
            }
            Ok(())
        })?;
        cursor.end()?;
        match kind.as_slice() {
            b"content-start" | b"content-delta" => {
                view.lanes.push(index);
                view.splittable = message.blocks.len() == 1 && message.logprobs.is_none();
                message.note(Some(index), view);
            }
            b"content-end" => {
                view.lanes.push(index);
                view.complete.push(index);
            }
            b"citation-start" | b"citation-end" => message.note(None, view),
            b"message-end" => view.end_run(tail),
            b"tool-plan-delta" | b"tool-call-start" | b"tool-call-delta" | b"tool-call-end" => {
                view.interrupt_all = true;
                message.note(None, view);
            }
            b"message-start" => message.note(None, view),
            b"" if finished => {
                message.note(None, view);
                view.end_run(tail);
            }
            b"error" => view.settle_all = true,
            _ => view.unknown = true,
        }
        if view.lanes.is_empty() && view.places.is_empty() {
            view.order = Order::All;
        }
        Ok(())
    }
}

impl Message {
    fn read(&mut self, c: &mut Cursor<'_>) -> Result<(), Malformed> {
        c.object_or_skip(|c, key| {
            match key {
                b"content" if c.peek() == Some(b'[') => c.array(|c, _| self.block(c))?,
                b"content" => self.block(c)?,
                b"citations" if c.peek() == Some(b'[') => c.array(|c, _| self.citation(c))?,
                b"citations" => self.citation(c)?,
                b"tool_calls" => self.tools |= c.truthy()?,
                b"tool_plan" => self.plan |= c.truthy()?,
                _ => c.ignore()?,
            }
            Ok(())
        })
    }

    fn block(&mut self, c: &mut Cursor<'_>) -> Result<(), Malformed> {
        let mut block = Block::default();
        c.object_or_skip(|c, key| {
            match key {
                b"text" => block.text = c.string_or_skip()?,
                b"type" => c.ignore()?,
                _ => {
                    if c.truthy()? {
                        block.other = Some(key.to_vec());
                    }
                }
            }
            Ok(())
        })?;
        self.blocks.push(block);
        Ok(())
    }

    fn citation(&mut self, c: &mut Cursor<'_>) -> Result<(), Malformed> {
        let mut citation = Citation::default();
        let found = c.peek() == Some(b'{');
        c.object_or_skip(|c, key| {
            match key {
                b"start" | b"end" => {
                    let number = c.number()?;
                    if key == b"start" {
                        citation.start = number.as_ref().map_or(0, |(start, _)| *start);
                    }
                    citation.numbers.extend(number);
                }
                b"text" => citation.text = c.string_or_skip()?,
                b"content_index" => citation.block = c.number()?.map_or(0, |(index, _)| index),
                b"sources" if self.wanted => c.array_or_skip(|c, _| {
                    c.object_or_skip(|c, key| match key {
                        b"document" => {
                            self.sources.push(super::read_source(c, String::new, &[b"text", b"snippet"])?);
                            Ok(())
                        }
                        _ => c.ignore(),
                    })
                })?,
                b"type" => citation.elsewhere = c.word()?.is_some_and(|kind| &*kind != b"TEXT_CONTENT"),
                _ => c.ignore()?,
            }
            Ok(())
        })?;
        if found && !citation.elsewhere {
            self.citations.push(citation);
        }
        Ok(())
    }

    /// Writes down what was found; without an `index`, a block's place in the list is its lane.
    fn note(self, index: Option<u64>, view: &mut View) {
        view.sources.extend(self.sources.into_iter().filter(|source| !source.id.is_empty()));
        for (place, block) in self.blocks.into_iter().enumerate() {
            let lane = index.unwrap_or(place as u64);
            if let Some(at) = block.text {
                view.place(lane, at, What::Text);
                if let Some(at) = self.logprobs.clone() {
                    view.place(lane, at, What::Aligned(b"null"));
                }
            }
            if let Some(kind) = block.other {
                view.channel(&kind);
            }
        }
        for citation in self.citations {
            view.lanes.push(citation.block);
            if let Some(at) = citation.text {
                view.place(citation.block, at, What::Excerpt(citation.start, Unit::Chars));
            }
            for number in citation.numbers {
                view.offset(citation.block, Some(number), Unit::Chars);
            }
        }
        if self.tools {
            view.channel(b"tool_calls");
        }
        if self.plan {
            view.channel(b"tool_plan");
        }
    }
}
