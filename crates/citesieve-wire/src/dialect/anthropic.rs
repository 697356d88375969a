//! Anthropic messages. One answer runs over several text blocks when citations or search are on, with borders in the
//! middle of sentences; one lane holds them all, and what is held is decided at each border: text cannot move to
//! another block. The indexes of citations point into the sources, not the answer. Thinking is signed: never touched.

use citesieve::Source;

use super::{Description, Input, Order, Reader, View, What};
use crate::json::{Cursor, Malformed, Tail};

pub(super) static DESCRIPTION: Description = Description {
    name: "anthropic",
    paths: &["/v1/messages", "/messages"],
    sniff: |head| {
        matches!(
            head.kind.as_str(),
            "message_start" | "content_block_start" | "content_block_delta" | "content_block_stop" | "message_delta"
        ) || (head.kind == "message" && head.has("content"))
    },
    reader: || Box::new(Anthropic::default()),
    comments: true,
    error: |message| {
        ("error", format!("{{\"type\":\"error\",\"error\":{{\"type\":\"api_error\",\"message\":{message}}}}}"))
    },
};

#[derive(Debug, Default)]
struct Anthropic {
    /// Search results so far: they have no ids of their own and are known by their number.
    results: usize,
    /// The block that started last is text.
    in_text: bool,
}

/// The one lane.
const ANSWER: u64 = 0;

impl Reader for Anthropic {
    fn view(&mut self, input: &Input<'_>, view: &mut View) -> Result<(), Malformed> {
        let mut kind = Vec::new();
        let mut stopped = false;
        let mut blocks = Blocks::default();
        let mut cursor = Cursor::new(input.data);
        let tail = cursor.object(|c, key| match key {
            b"type" => {
                kind = c.word()?.unwrap_or_default().into_owned();
                Ok(())
            }
            b"delta" | b"content_block" => {
                let mut first = Block { wanted: input.sources, ..Block::default() };
                c.object_or_skip(|c, key| {
                    if key == b"stop_reason" {
                        stopped = c.truthy()?;
                        return Ok(());
                    }
                    first.field(c, key)
                })?;
                blocks.0.push(first);
                Ok(())
            }
            b"stop_reason" => {
                stopped = c.truthy()?;
                Ok(())
            }
            b"content" => blocks.read(c, input.sources),
            b"message" => c.object_or_skip(|c, key| match key {
                b"content" => blocks.read(c, input.sources),
                _ => c.ignore(),
            }),
            _ => c.ignore(),
        })?;
        cursor.end()?;
        view.lanes.push(ANSWER);
        for mut source in blocks.0.iter_mut().flat_map(|block| block.sources.drain(..)) {
            self.results += 1;
            source.id = self.results.to_string();
            view.sources.push(source);
        }
        if kind == b"content_block_start" {
            self.in_text = blocks.0.first().is_some_and(|block| block.kind == b"text");
        }
        note(&kind, blocks, stopped, self.in_text, tail, view);
        Ok(())
    }

    fn lane_name(&self, _key: u64) -> String {
        "answer".to_owned()
    }
}

/// Writes down what an event of this type means.
fn note(kind: &[u8], blocks: Blocks, stopped: bool, in_text: bool, tail: Tail, view: &mut View) {
    match kind {
        b"ping" => view.order = Order::Free,
        b"content_block_delta" => {
            for block in blocks.0 {
                match block.text {
                    Some(at) if block.kind == b"text_delta" => {
                        view.splittable = true;
                        view.place(ANSWER, at, What::Text);
                    }
                    _ if matches!(block.kind.as_slice(), b"citations_delta" | b"signature_delta") => {}
                    _ => view.channel(&block.kind),
                }
            }
        }
        b"content_block_start" => {
            blocks.note(view);
        }
        b"content_block_stop" if in_text => view.borders.push(ANSWER),
        b"message_delta" if stopped => view.end_run(tail),
        b"content_block_stop" | b"message_stop" | b"message_delta" => {}
        b"error" => view.settle_all = true,
        b"message_start" => blocks.note(view),
        // A body that is not streamed.
        b"message" => {
            blocks.note(view);
            view.end_run(tail);
        }
        _ => view.unknown = true,
    }
}

/// A content block, or a delta of one.
#[derive(Debug, Default)]
struct Block {
    /// The sources that it sends are wanted.
    wanted: bool,
    sources: Vec<Source>,
    kind: Vec<u8>,
    text: Option<std::ops::Range<usize>>,
}

#[derive(Debug, Default)]
struct Blocks(Vec<Block>);

impl Block {
    fn field(&mut self, c: &mut Cursor<'_>, key: &[u8]) -> Result<(), Malformed> {
        match key {
            b"type" => self.kind = c.word()?.unwrap_or_default().into_owned(),
            b"text" => self.text = c.string_or_skip()?,
            // Of a `web_search_tool_result`.
            b"content" if self.wanted => c.array_or_skip(|c, _| {
                let source = super::read_source(c, String::new, &[])?;
                self.sources.extend(Some(source).filter(|source| source.url.is_some()));
                Ok(())
            })?,
            _ => c.ignore()?,
        }
        Ok(())
    }
}

impl Blocks {
    fn read(&mut self, c: &mut Cursor<'_>, wanted: bool) -> Result<(), Malformed> {
        c.array_or_skip(|c, _| {
            let mut block = Block { wanted, ..Block::default() };
            c.object_or_skip(|c, key| block.field(c, key))?;
            self.0.push(block);
            Ok(())
        })
    }

    /// Notes the texts of whole blocks, or of the starts of blocks. Text in a block of another kind is none of the
    /// answer, and stands between what was said before and after.
    fn note(self, view: &mut View) {
        for block in self.0 {
            match block.text {
                Some(at) if block.kind == b"text" => {
                    view.place(ANSWER, 0..0, What::Border);
                    view.place(ANSWER, at, What::Text);
                }
                _ => {
                    view.interrupt(ANSWER);
                    view.channel(&block.kind);
                }
            }
        }
    }
}
