//! What a reader notes about a frame.

use std::borrow::Cow;
use std::ops::Range;

use citesieve::Source;

use crate::json::Tail;

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
    /// A string literal that repeats text of several lanes, put together.
    Joined,
    /// A number that points into the lane's text.
    Offset(Offset),
    /// A value that goes with this frame's text in the lane and is replaced by this if that is edited.
    Aligned(&'static [u8]),
    /// Not a place: the lane's text so far is to be decided before what the next place holds.
    Border,
    /// Not a place: something that is not text stands here. A border, and what follows it begins a paragraph.
    Interruption,
    /// Not a place: offsets into the lane's text count from here.
    Block,
}

/// A number that points into a lane's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offset {
    pub(crate) at: u64,
    pub(crate) unit: Unit,
    /// What the number is at the start of the lane.
    pub(crate) base: u64,
    /// Where the block that it counts from starts in the lane; the session knows.
    pub(crate) block: u64,
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
    /// Lanes whose text is complete: what is held of it goes before this frame.
    pub(crate) complete: Vec<u64>,
    /// Lanes of which a block ends here, while the answer may go on in another: what is held goes before this frame.
    pub(crate) borders: Vec<u64>,
    /// It says nothing about whether the answer goes on.
    pub(crate) passive: bool,
    /// The stream breaks off: what is held of any lane goes before this frame.
    pub(crate) settle_all: bool,
    /// All lanes are interrupted.
    pub(crate) interrupt_all: bool,
    pub(crate) ends: Ends,
    /// Lanes that end here.
    pub(crate) finished: Vec<u64>,
    pub(crate) slot: Option<Slot>,
    /// Text channels that pass unfiltered.
    pub(crate) unfiltered: Vec<Cow<'static, str>>,
    /// The frame may be sent twice, each time with a part of its text: it holds nothing else that counts.
    pub(crate) splittable: bool,
    /// Sources that it sends along, if they are wanted.
    pub(crate) sources: Vec<Source>,
    /// The JSON is fine, but the dialect knows nothing like it.
    pub(crate) unknown: bool,
}

impl View {
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.lanes.clear();
        self.order = Order::Lanes;
        self.complete.clear();
        self.borders.clear();
        self.passive = false;
        self.settle_all = false;
        self.interrupt_all = false;
        self.ends = Ends::Nothing;
        self.finished.clear();
        self.slot = None;
        self.unfiltered.clear();
        self.splittable = false;
        self.sources.clear();
        self.unknown = false;
    }

    pub(crate) fn place(&mut self, lane: u64, at: Range<usize>, what: What) {
        self.places.push(Place { lane, at, what });
    }

    /// Something that is not text stands here, between what was noted of this lane and what will be.
    pub(crate) fn interrupt(&mut self, lane: u64) {
        self.place(lane, 0..0, What::Interruption);
    }

    /// Notes a number that points into a lane's text, if there is one.
    pub(crate) fn offset(&mut self, lane: u64, number: Option<(u64, Range<usize>)>, unit: Unit) {
        if let Some((value, at)) = number {
            self.place(lane, at, What::Offset(Offset { at: value, unit, base: 0, block: 0 }));
        }
    }

    /// Notes a channel that passes unfiltered.
    pub(crate) fn channel(&mut self, name: &[u8]) {
        self.unfiltered.push(String::from_utf8_lossy(&name[..name.len().min(64)]).into_owned().into());
    }

    /// The frame ends this lane: its held text goes first.
    pub(crate) fn finish(&mut self, lane: u64) {
        self.complete.push(lane);
        self.finished.push(lane);
        self.ends = Ends::Lanes;
    }

    /// The frame ends the run; the verdict goes to the object that ends there.
    pub(crate) fn end_run(&mut self, tail: Tail) {
        self.ends = Ends::Run;
        self.slot = Some(Slot { tail, around: ("", "") });
    }
}
