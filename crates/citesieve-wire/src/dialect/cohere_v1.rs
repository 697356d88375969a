//! Cohere v1 chat, one JSON object per line: `text-generation`. The last line repeats the answer twice, in
//! `response.text` and as the last message of `response.chat_history`. A body that is not streamed is that response.

use std::ops::Range;

use citesieve::Source;

use super::{Description, Input, Reader, Unit, View, What};
use crate::json::{Cursor, Malformed};

pub(super) static DESCRIPTION: Description = Description {
    name: "cohere-v1",
    paths: &["/v1/chat"],
    sniff: |head| head.has("event_type") || (head.has("generation_id") && head.has("text")),
    reader: || Box::new(CohereV1),
    comments: false,
    error: |message| {
        let end = "\"is_finished\":true,\"event_type\":\"stream-end\",\"finish_reason\":\"ERROR\"";
        ("", format!("{{{end},\"error\":{message}}}"))
    },
};

#[derive(Debug)]
struct CohereV1;

/// The one lane.
const ANSWER: u64 = 0;

/// Fields of an event, of `response`, or of a body that is not streamed.
#[derive(Debug, Default)]
struct Fields {
    text: Option<Range<usize>>,
    /// The last message of the model in `chat_history`.
    history: Option<Range<usize>>,
    citations: Vec<Citation>,
    tools: bool,
    generation: bool,
    /// The sources that it sends are wanted.
    wanted: bool,
    sources: Vec<Source>,
}

#[derive(Debug, Default)]
struct Citation {
    numbers: Vec<(u64, Range<usize>)>,
    start: u64,
    text: Option<Range<usize>>,
}

impl Reader for CohereV1 {
    fn view(&mut self, input: &Input<'_>, view: &mut View) -> Result<(), Malformed> {
        let mut kind = Vec::new();
        let wanted = input.sources;
        let mut own = Fields { wanted, ..Fields::default() };
        let mut response = Fields { wanted, ..Fields::default() };
        let mut cursor = Cursor::new(input.data);
        let tail = cursor.object(|c, key| match key {
            b"event_type" => {
                kind = c.word()?.unwrap_or_default().into_owned();
                Ok(())
            }
            b"response" => c.object_or_skip(|c, key| response.field(c, key)),
            _ => own.field(c, key),
        })?;
        cursor.end()?;
        view.lanes.push(ANSWER);
        let sources = own.sources.drain(..).chain(response.sources.drain(..));
        view.sources.extend(sources.filter(|source| !source.id.is_empty()));
        match kind.as_slice() {
            b"text-generation" => {
                view.splittable = true;
                own.note(What::Text, view);
            }
            b"citation-generation" => own.note(What::Text, view),
            b"stream-end" => {
                response.note(What::Whole, view);
                own.note(What::Whole, view);
                view.end_run(tail);
            }
            b"" if own.generation => {
                own.note(What::Whole, view);
                view.end_run(tail);
            }
            b"tool-calls-generation" | b"tool-calls-chunk" => {
                own.note(What::Text, view);
                view.interrupt_all = true;
                view.splittable = false;
            }
            b"stream-start" | b"search-queries-generation" | b"search-results" | b"debug" => {}
            _ => view.unknown = true,
        }
        Ok(())
    }

    fn lane_name(&self, _key: u64) -> String {
        "answer".to_owned()
    }
}

impl Fields {
    fn field(&mut self, c: &mut Cursor<'_>, key: &[u8]) -> Result<(), Malformed> {
        match key {
            b"text" => self.text = c.string_or_skip()?,
            b"citations" => c.array_or_skip(|c, _| self.citation(c))?,
            b"documents" if self.wanted => c.array_or_skip(|c, _| {
                self.sources.push(super::read_source(c, String::new, &[b"text", b"snippet"])?);
                Ok(())
            })?,
            b"tool_calls" | b"tool_call_delta" => self.tools |= c.truthy()?,
            b"generation_id" => {
                self.generation = true;
                c.skip()?;
            }
            b"chat_history" => c.array_or_skip(|c, _| {
                let (mut role, mut message) = (false, None);
                c.object_or_skip(|c, key| {
                    match key {
                        b"role" => role = c.word()?.is_some_and(|role| role.eq_ignore_ascii_case(b"CHATBOT")),
                        b"message" => message = c.string_or_skip()?,
                        _ => c.ignore()?,
                    }
                    Ok(())
                })?;
                // What the user said last stands behind earlier answers: only the very last message repeats this one.
                self.history = message.filter(|_| role);
                Ok(())
            })?,
            _ => c.ignore()?,
        }
        Ok(())
    }

    fn citation(&mut self, c: &mut Cursor<'_>) -> Result<(), Malformed> {
        let mut citation = Citation::default();
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
                _ => c.ignore()?,
            }
            Ok(())
        })?;
        self.citations.push(citation);
        Ok(())
    }

    fn note(self, what: What, view: &mut View) {
        if let Some(at) = self.text {
            view.place(ANSWER, at, what);
        }
        if let Some(at) = self.history {
            view.place(ANSWER, at, What::Whole);
        }
        for citation in self.citations {
            view.splittable = false;
            if let Some(at) = citation.text {
                view.place(ANSWER, at, What::Excerpt(citation.start, Unit::Chars));
            }
            for number in citation.numbers {
                view.offset(ANSWER, Some(number), Unit::Chars);
            }
        }
        if self.tools {
            view.channel(b"tool_calls");
        }
    }
}
