//! Dialects: what stands where in the events of a provider's API. One file each; [`LIST`] names them all.
//!
//! A dialect reads one frame's JSON and notes *places*: the string literals that carry or repeat text of a lane, the
//! numbers that point into it, what must go when that text is edited. It never copies or changes anything; the
//! session decides and `splice` edits. A new dialect is one file with a [`Description`] and one line in [`LIST`].

mod openai_chat;

use std::borrow::Cow;
use std::ops::Range;

use crate::frame::Framing;
use crate::json::{Malformed, Tail};

/// Every dialect, in the order in which they are tried on a first frame.
static LIST: &[&Description] = &[&openai_chat::DESCRIPTION];

/// The wire format of one provider's API.
#[derive(Clone, Copy)]
pub struct Dialect(&'static Description);

impl Dialect {
    /// The dialect with this name, as in [`Dialect::name`].
    pub fn by_name(name: &str) -> Option<Self> {
        Self::all().find(|dialect| dialect.name() == name)
    }

    /// Every dialect.
    pub fn all() -> impl Iterator<Item = Self> {
        LIST.iter().map(|description| Dialect(description))
    }

    /// The dialect of a request path such as `/v1/chat/completions`, query string or not, whatever stands before it.
    pub fn by_path(path: &str) -> Option<Self> {
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        Self::all().find(|dialect| dialect.0.paths.iter().any(|end| path.ends_with(end)))
    }

    /// Its name: `openai-chat` …
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The dialect that a frame is written in, if it tells.
    pub(crate) fn sniff(input: &Input<'_>) -> Option<Self> {
        Self::all().find(|dialect| (dialect.0.sniff)(input))
    }

    pub(crate) fn reader(self) -> Box<dyn Reader> {
        (self.0.reader)()
    }
}

impl PartialEq for Dialect {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Dialect {}

impl std::fmt::Debug for Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What the list knows about a dialect.
pub(crate) struct Description {
    pub(crate) name: &'static str,
    /// Ends of request paths that speak it.
    pub(crate) paths: &'static [&'static str],
    /// Whether a frame is of this dialect and no other.
    pub(crate) sniff: fn(&Input<'_>) -> bool,
    /// A reader at the start of a body.
    pub(crate) reader: fn() -> Box<dyn Reader>,
}

/// What a reader sees of a frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input<'a> {
    /// The `event:` of a server-sent event, else empty.
    pub(crate) name: &'a [u8],
    /// The JSON of the frame.
    pub(crate) data: &'a [u8],
    /// How the body is framed.
    pub(crate) framing: Framing,
}

/// Reads the frames of one body, in order.
pub(crate) trait Reader: std::fmt::Debug + Send {
    /// Notes in `view` what the frame holds. On an error the frame passes as it came.
    fn view(&mut self, input: &Input<'_>, view: &mut View) -> Result<(), Malformed>;

    /// How a lane is called in the report.
    fn lane_name(&self, key: u64) -> String {
        key.to_string()
    }
}

/// The unit of an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// UTF-8 bytes.
    Bytes,
    /// Unicode scalar values.
    Chars,
}

/// What stands at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    /// A string literal that is the lane's next text.
    Text,
    /// A string literal that repeats the lane's text from its start. What it has beyond the text so far is new text,
    /// so that a body that is not streamed needs no dialect of its own.
    Whole,
    /// A string literal that repeats a stretch of the lane's text beginning at this offset.
    Excerpt(u64, Unit),
    /// A number that points into the lane's text.
    Offset(u64, Unit),
    /// A value that goes with this frame's text in the lane and is replaced by this if that is edited.
    Aligned(&'static [u8]),
}

/// A place in a frame, in bytes of [`Input::data`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) lane: u64,
    pub(crate) at: Range<usize>,
    pub(crate) what: What,
}

/// Which frames must not overtake, or be overtaken by, this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Order {
    /// Those of the lanes that it names; all frames if it names none.
    #[default]
    Lanes,
    /// All frames.
    All,
    /// None: it never waits.
    Free,
}

/// What a frame ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Ends {
    /// Nothing.
    #[default]
    Nothing,
    /// The lanes listed in [`View::finished`]; the run ends with the last of them.
    Lanes,
    /// The run: the verdict goes here.
    Run,
}

/// Where the verdict can be added to a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slot {
    /// The end of the object's last value, in bytes of [`Input::data`].
    pub(crate) tail: Tail,
    /// What is written before and after the field.
    pub(crate) around: (&'static str, &'static str),
}

/// What a reader notes about a frame. Reused from frame to frame.
#[derive(Debug, Default)]
pub(crate) struct View {
    pub(crate) places: Vec<Place>,
    /// Lanes that the frame belongs to beside those of its places.
    pub(crate) lanes: Vec<u64>,
    pub(crate) order: Order,
    /// Lanes whose held text must be decided before this frame leaves.
    pub(crate) settle: Vec<u64>,
    /// All lanes are to be settled.
    pub(crate) settle_all: bool,
    pub(crate) ends: Ends,
    /// Lanes that end here.
    pub(crate) finished: Vec<u64>,
    pub(crate) slot: Option<Slot>,
    /// Text channels that pass unfiltered.
    pub(crate) unfiltered: Vec<Cow<'static, str>>,
    /// The frame may be sent twice, each time with a part of its text: it holds nothing else that counts.
    pub(crate) splittable: bool,
    /// The JSON is fine, but the dialect knows nothing like it.
    pub(crate) unknown: bool,
}

impl View {
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.lanes.clear();
        self.order = Order::Lanes;
        self.settle.clear();
        self.settle_all = false;
        self.ends = Ends::Nothing;
        self.finished.clear();
        self.slot = None;
        self.unfiltered.clear();
        self.splittable = false;
        self.unknown = false;
    }

    pub(crate) fn place(&mut self, lane: u64, at: Range<usize>, what: What) {
        self.places.push(Place { lane, at, what });
    }

    /// The frame ends this lane: its held text goes first.
    pub(crate) fn finish(&mut self, lane: u64, slot_tail: Option<Tail>) {
        self.settle.push(lane);
        self.finished.push(lane);
        self.ends = Ends::Lanes;
        if let Some(tail) = slot_tail {
            self.slot = Some(Slot { tail, around: ("", "") });
        }
    }
}
