//! OpenAI's legacy completions: `choices[].text`, one lane per `choices[].index`; the last chunk with text is the one
//! that ends the choice. `logprobs.text_offset` counts characters, from the start of the prompt or of the completion:
//! the first one of a lane tells.

use std::collections::HashMap;
use std::ops::Range;

use super::{Description, Input, Offset, Order, Reader, Slot, Unit, View, What};
use crate::json::{Cursor, Malformed};

pub(super) static DESCRIPTION: Description = Description {
    name: "openai-completions",
    paths: &["/v1/completions", "/completions"],
    sniff: |head| head.has("choices") && head.object == "text_completion",
    reader: || Box::new(Completions::default()),
    comments: true,
    error: |message| {
        ("", format!("{{\"error\":{{\"message\":{message},\"type\":\"citesieve_error\",\"code\":null}}}}"))
    },
};

#[derive(Debug, Default)]
struct Completions {
    /// What `text_offset` is at the start of a lane.
    bases: HashMap<u64, u64>,
}

impl Reader for Completions {
    fn view(&mut self, input: &Input<'_>, view: &mut View) -> Result<(), Malformed> {
        let mut cursor = Cursor::new(input.data);
        let (mut known, mut choices, mut busy) = (false, 0, false);
        let tail = cursor.object(|c, key| match key {
            b"choices" => {
                known = true;
                c.array_or_skip(|c, _| {
                    choices += 1;
                    busy |= self.choice(c, view)?;
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

impl Completions {
    /// Returns whether it holds something that must not be sent twice.
    fn choice(&mut self, c: &mut Cursor<'_>, view: &mut View) -> Result<bool, Malformed> {
        let mut lane = 0;
        let mut text = None;
        let mut finished = false;
        let mut arrays: Vec<Range<usize>> = Vec::new();
        let mut offsets = Vec::new();
        c.object_or_skip(|c, key| match key {
            b"index" => {
                lane = c.number()?.map_or(0, |(index, _)| index);
                Ok(())
            }
            b"text" => {
                text = c.string_or_skip()?;
                Ok(())
            }
            b"finish_reason" => {
                finished = c.truthy()?;
                Ok(())
            }
            b"logprobs" => c.object_or_skip(|c, key| {
                if c.peek() != Some(b'[') {
                    return c.ignore();
                }
                let start = c.position();
                c.array(|c, _| {
                    if key == b"text_offset" {
                        offsets.extend(c.number()?);
                        Ok(())
                    } else {
                        c.ignore()
                    }
                })?;
                arrays.push(start..c.position());
                Ok(())
            }),
            _ => c.ignore(),
        })?;
        let busy = !arrays.is_empty();
        view.lanes.push(lane);
        if let Some(at) = text {
            view.place(lane, at, What::Text);
        }
        for at in arrays {
            view.place(lane, at, What::Aligned(b"[]"));
        }
        for (value, at) in offsets {
            let base = *self.bases.entry(lane).or_insert(value);
            view.place(lane, at, What::Offset(Offset { at: value, unit: Unit::Chars, base, block: 0 }));
        }
        if finished {
            view.finish(lane);
        }
        Ok(busy)
    }
}
