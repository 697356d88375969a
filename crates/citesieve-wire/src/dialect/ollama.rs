//! Ollama: `/api/chat` (`message.content`) and `/api/generate` (`response`), one JSON object per line. The line with
//! `done: true` ends the run. Its `context` holds tokens of the text as the model wrote it.

use super::{Description, Input, Reader, View, What};
use crate::json::{Cursor, Malformed};

pub(super) static DESCRIPTION: Description = Description {
    name: "ollama",
    paths: &["/api/chat", "/api/generate"],
    sniff: |head| head.has("done") && (head.has("message") || head.has("response")),
    reader: || Box::new(Ollama),
    comments: false,
    error: |message| ("", format!("{{\"error\":{message}}}")),
};

#[derive(Debug)]
struct Ollama;

/// The one lane.
const ANSWER: u64 = 0;

impl Reader for Ollama {
    fn view(&mut self, input: &Input<'_>, view: &mut View) -> Result<(), Malformed> {
        let mut cursor = Cursor::new(input.data);
        let (mut text, mut logprobs, mut done, mut known, mut busy) = (None, None, false, false, false);
        let tail = cursor.object(|c, key| {
            match key {
                b"message" => {
                    known = true;
                    c.object_or_skip(|c, key| {
                        match key {
                            b"content" => text = c.string_or_skip()?,
                            b"role" => c.ignore()?,
                            _ => {
                                if c.truthy()? {
                                    busy = true;
                                    view.interrupt_all |= key == b"tool_calls";
                                    view.channel(key);
                                }
                            }
                        }
                        Ok(())
                    })?;
                }
                b"response" => {
                    known = true;
                    text = c.string_or_skip()?;
                }
                b"thinking" | b"context" => {
                    if c.truthy()? {
                        busy = true;
                        view.channel(key);
                    }
                }
                b"logprobs" => {
                    let array = c.peek() == Some(b'[');
                    let at = c.skip()?;
                    logprobs = array.then_some(at);
                }
                b"done" => done = c.truthy()?,
                b"error" => {
                    known = true;
                    view.settle_all |= c.truthy()?;
                }
                _ => c.ignore()?,
            }
            Ok(())
        })?;
        cursor.end()?;
        view.lanes.push(ANSWER);
        if let Some(at) = text {
            view.place(ANSWER, at, What::Text);
        }
        view.splittable = view.places.len() == 1 && logprobs.is_none() && !busy && !done;
        if let Some(at) = logprobs {
            view.place(ANSWER, at, What::Aligned(b"[]"));
        }
        if done {
            view.end_run(tail);
        }
        view.unknown = !known;
        Ok(())
    }

    fn lane_name(&self, _key: u64) -> String {
        "answer".to_owned()
    }
}
