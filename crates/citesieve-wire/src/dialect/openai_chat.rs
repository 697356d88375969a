//! OpenAI chat completions and those that speak like it: Azure, Mistral (content as an array of parts), DeepSeek,
//! Groq, OpenRouter, Perplexity (`message.content` repeats all text so far in every chunk), vLLM, llama.cpp, Ollama's
//! `/v1`. Text is `choices[].delta.content`, one lane per `choices[].index`. Bodies that are not streamed have
//! `choices[].message.content` instead, which reads like a repeat of text that never came.

use std::borrow::Cow;
use std::ops::Range;

use citesieve::Source;

use super::{Description, Input, Order, Reader, Slot, Unit, View, What};
use crate::json::{Cursor, Malformed};

pub(super) static DESCRIPTION: Description = Description {
    name: "openai-chat",
    paths: &["/chat/completions"],
    sniff: |head| head.has("choices") && head.kind.is_empty() && head.object != "text_completion",
    reader: || Box::new(OpenAiChat),
    comments: true,
    error: |message| {
        ("", format!("{{\"error\":{{\"message\":{message},\"type\":\"citesieve_error\",\"code\":null}}}}"))
    },
};

#[derive(Debug)]
struct OpenAiChat;

/// What one choice holds. Collected first: the index may stand behind the text, and of repeated keys the last counts.
#[derive(Default)]
struct Choice {
    index: u64,
    delta: Content,
    message: Content,
    offsets: Vec<(u64, Range<usize>)>,
    logprobs: Option<Range<usize>>,
    finished: bool,
    /// A tool call, which text must not overtake.
    interrupts: bool,
    /// Something beside text that must not be sent twice.
    busy: bool,
    /// The sources that it sends are wanted.
    sources: bool,
}

impl Reader for OpenAiChat {
    fn view(&mut self, input: &Input<'_>, view: &mut View) -> Result<(), Malformed> {
        let mut cursor = Cursor::new(input.data);
        let mut known = false;
        let mut busy = false;
        let mut choices = 0;
        let tail = cursor.object(|c, key| match key {
            b"choices" => {
                known = true;
                c.array_or_skip(|c, _| {
                    choices += 1;
                    let mut choice = Choice { sources: input.sources, ..Choice::default() };
                    choice.read(c, view)?;
                    busy |= choice.busy;
                    choice.note(view);
                    Ok(())
                })
            }
            b"error" => {
                if c.truthy()? {
                    known = true;
                    view.settle_all = true;
                }
                Ok(())
            }
            b"usage" => {
                busy |= c.truthy()?;
                Ok(())
            }
            // Perplexity sends both, xAI the addresses only: the sources that `[1]`, `[2]` … mean. Snippets are not
            // their text.
            b"citations" if input.sources => c.array_or_skip(|c, index| {
                let url = c.word()?.map(|url| String::from_utf8_lossy(&url).into_owned());
                let id = (index + 1).to_string();
                if let Some(url) = url
                    && !view.sources.iter().any(|source| source.id == id)
                {
                    view.sources.push(Source::new(id).url(url));
                }
                Ok(())
            }),
            b"search_results" if input.sources => c.array_or_skip(|c, index| {
                let id = (index + 1).to_string();
                view.sources.retain(|source| source.id != id);
                view.sources.push(super::read_source(c, || id, &[])?);
                Ok(())
            }),
            _ => c.ignore(),
        })?;
        cursor.end()?;
        if !view.finished.is_empty() {
            view.slot = Some(Slot { tail, around: ("", "") });
        }
        if view.settle_all || choices == 0 {
            view.order = Order::All;
        }
        view.splittable = choices == 1 && view.places.len() == 1 && !busy && !view.settle_all;
        view.unknown = !known;
        Ok(())
    }
}

impl Choice {
    fn read(&mut self, c: &mut Cursor<'_>, view: &mut View) -> Result<(), Malformed> {
        c.object_or_skip(|c, key| match key {
            b"index" => {
                self.index = c.number()?.map_or(0, |(index, _)| index);
                Ok(())
            }
            b"delta" => {
                self.delta = Content::default();
                c.object_or_skip(|c, key| self.read_message(c, key, true, view))
            }
            b"message" => {
                self.message = Content::default();
                self.busy = true;
                c.object_or_skip(|c, key| self.read_message(c, key, false, view))
            }
            b"finish_reason" => {
                self.finished = c.truthy()?;
                Ok(())
            }
            b"logprobs" => c.object_or_skip(|c, key| {
                let array = c.peek() == Some(b'[');
                let at = c.skip()?;
                self.busy = true;
                if key == b"content" && array && at.len() > 2 {
                    self.logprobs = Some(at);
                }
                Ok(())
            }),
            _ => c.ignore(),
        })
    }

    /// A field of `delta`, or of the `message` that stands for or beside it.
    fn read_message(&mut self, c: &mut Cursor<'_>, key: &[u8], delta: bool, view: &mut View) -> Result<(), Malformed> {
        match key {
            b"content" => {
                let mut found = Content::default();
                match c.peek() {
                    Some(b'"') => found.first = Some(c.string()?),
                    Some(b'[') => {
                        self.busy = true;
                        c.array(|c, _| read_part(c, &mut found, view))?;
                    }
                    _ => {
                        if c.truthy()? {
                            view.unfiltered.push("content of an unknown kind".into());
                        }
                    }
                }
                if delta {
                    self.delta = found;
                } else {
                    self.message = found;
                }
            }
            b"role" | b"name" | b"id" => c.ignore()?,
            b"annotations" => {
                self.busy = true;
                c.array_or_skip(|c, _| self.read_annotation(c))?;
            }
            // Azure: the passages that `[doc1]`, `[doc2]` … mean.
            b"context" => {
                self.busy = true;
                c.object_or_skip(|c, key| match key {
                    b"citations" if self.sources => c.array_or_skip(|c, index| {
                        let mut source = super::read_source(c, String::new, &[b"content"])?;
                        source.id = (index + 1).to_string();
                        view.sources.push(source);
                        Ok(())
                    }),
                    _ => c.ignore(),
                })?;
            }
            b"tool_calls" | b"function_call" => {
                if c.truthy()? {
                    self.busy = true;
                    self.interrupts = true;
                    view.unfiltered.push("tool calls".into());
                }
            }
            _ => {
                if c.truthy()? {
                    self.busy = true;
                    view.unfiltered.push(channel(key));
                }
            }
        }
        Ok(())
    }

    /// `{"type":"url_citation","url_citation":{"start_index":…,"end_index":…}}`, or the offsets one level up.
    fn read_annotation(&mut self, c: &mut Cursor<'_>) -> Result<(), Malformed> {
        c.object_or_skip(|c, key| match key {
            b"start_index" | b"end_index" => {
                self.offsets.extend(c.number()?);
                Ok(())
            }
            _ => c.object_or_skip(|c, key| {
                if matches!(key, b"start_index" | b"end_index") {
                    self.offsets.extend(c.number()?);
                    Ok(())
                } else {
                    c.ignore()
                }
            }),
        })
    }

    /// Writes down what was collected: text before what repeats or points to it.
    fn note(self, view: &mut View) {
        let lane = self.index;
        view.lanes.push(lane);
        let streamed = self.delta.first.is_some();
        for at in self.delta.first.into_iter().chain(self.delta.more) {
            view.place(lane, at, What::Text);
        }
        if let Some(at) = self.message.first {
            view.place(lane, at, What::Whole);
        }
        // Further parts of a message that is not streamed.
        for at in self.message.more {
            if !streamed {
                view.place(lane, at, What::Text);
            }
        }
        for number in self.offsets {
            view.offset(lane, Some(number), Unit::Chars);
        }
        if let Some(at) = self.logprobs {
            view.place(lane, at, What::Aligned(b"[]"));
        }
        if self.finished {
            view.finish(lane);
        }
        if self.interrupts {
            view.interrupt(lane);
        }
    }
}

/// The texts of a field `content`: nearly always one.
#[derive(Default)]
struct Content {
    first: Option<Range<usize>>,
    more: Vec<Range<usize>>,
}

impl Content {
    fn push(&mut self, at: Range<usize>) {
        match self.first {
            None => self.first = Some(at),
            Some(_) => self.more.push(at),
        }
    }
}

/// One part of an array of content: `{"type":"text","text":…}` is text, `thinking` and whatever else is not.
fn read_part(c: &mut Cursor<'_>, found: &mut Content, view: &mut View) -> Result<(), Malformed> {
    let mut text = None;
    let mut kind: Option<Vec<u8>> = None;
    c.object_or_skip(|c, key| match key {
        b"type" => {
            kind = c.word()?.map(Cow::into_owned);
            Ok(())
        }
        b"text" => {
            text = c.string_or_skip()?;
            Ok(())
        }
        _ => c.ignore(),
    })?;
    match (text, kind) {
        (Some(text), None) => found.push(text),
        (Some(text), Some(kind)) if kind == b"text" || kind == b"output_text" => found.push(text),
        (_, kind) => view.unfiltered.push(channel(kind.as_deref().unwrap_or(b"content part"))),
    }
    Ok(())
}

/// How a channel is called in the report.
fn channel(key: &[u8]) -> Cow<'static, str> {
    match key {
        b"refusal" => "refusal".into(),
        b"reasoning" => "reasoning".into(),
        b"reasoning_content" => "reasoning_content".into(),
        b"reasoning_details" => "reasoning_details".into(),
        b"audio" => "audio".into(),
        b"thinking" => "thinking".into(),
        _ => String::from_utf8_lossy(&key[..key.len().min(64)]).into_owned().into(),
    }
}
