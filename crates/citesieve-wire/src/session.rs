//! [`Session`]: one response body through the sieve.

use std::sync::Arc;

use bytes::BytesMut;
use citesieve::Sources;

use crate::engine::{Alike, Engine};
use crate::frame::{Framer, Framing, Piece};
use crate::{Config, Dialect, LaneClaim, LaneRuling, Report};

/// One response body through the sieve.
///
/// Whatever comes in, nothing is lost: frames without edits leave as the very bytes that came in, in order within
/// their lane, and what cannot be understood passes and is reported. Memory is bounded by [`Config::max_frame`] and
/// the policy's hold; cost is linear in the body.
///
/// When nothing is known about the sources, nothing is checked, and the body is read only as far as it takes to know its
/// dialect and its texts: the report has these, and what the first 16 frames held.
///
/// ```
/// use bytes::BytesMut;
/// use citesieve::{Policy, Sources};
/// use citesieve_wire::{Config, Session};
///
/// let mut session = Session::new(Config::new(Policy::default(), Sources::unknown()));
/// let mut out = BytesMut::new();
/// let body = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: [DONE]\n\n";
/// session.push(body, &mut out);
/// let report = session.finish(&mut out);
/// assert_eq!(out, &body[..]);
/// assert_eq!(report.lanes[0].0, "0");
/// ```
#[derive(Debug)]
pub struct Session {
    framer: Option<Framer>,
    /// The start of the body, until it tells how it is framed.
    start: Vec<u8>,
    engine: Engine,
    /// Nothing is known about the sources: the bytes pass at once, what the engine writes is dropped.
    pass: bool,
    /// After so many frames, as soon as there is text, the rest is only counted.
    read: u64,
    dropped: BytesMut,
    frames: u64,
    /// What came after the frame before which the engine has paused.
    backlog: Vec<u8>,
    /// The body is known to be complete.
    closed: bool,
}

/// A body that has not told its framing after so many bytes is taken for one JSON value.
const MAX_START: usize = 64 * 1024;
/// Where nothing is checked so many frames are read, for the report: enough to meet every choice.
const GLANCE: u64 = 16;

impl Session {
    /// A session at the start of a body.
    pub fn new(config: Config) -> Self {
        let pass = !config.sources.known() && !config.response_sources;
        Session {
            framer: None,
            start: Vec::new(),
            pass,
            read: if pass { GLANCE } else { u64::MAX },
            engine: Engine::new(config),
            dropped: BytesMut::new(),
            frames: 0,
            backlog: Vec::new(),
            closed: false,
        }
    }

    /// The dialect of the body, as soon as it is known.
    pub fn dialect(&self) -> Option<Dialect> {
        self.engine.dialect()
    }

    /// Frames that were complete so far: events, lines, items.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Bytes of the body that came in and wait: frames whose text is undecided, and the one that is not complete yet.
    /// Zero when no sources are known, as then nothing waits.
    pub fn held(&self) -> usize {
        if self.pass {
            return 0;
        }
        self.start.len() + self.framer.as_ref().map_or(0, Framer::waiting) + self.engine.waiting() + self.backlog.len()
    }

    /// Takes the next bytes of the body, cut anywhere, and appends to `out` what may be sent on now.
    pub fn push(&mut self, bytes: &[u8], out: &mut BytesMut) {
        if self.pass {
            out.extend_from_slice(bytes);
            self.watch(bytes);
        } else {
            self.take(bytes, out);
        }
    }

    /// As [`Session::push`], for those who have the bytes in a buffer that they can send on: says whether they may leave just
    /// as they are, and then appends nothing.
    pub fn forward(&mut self, bytes: &[u8], out: &mut BytesMut) -> bool {
        if self.pass {
            self.watch(bytes);
            return true;
        }
        // Nearly always a piece is a frame, and most of them leave as they come.
        if out.is_empty() && !self.engine.is_paused() && self.framer.as_ref().is_some_and(Framer::is_between) {
            let alike = self.engine.offer(bytes, out);
            if alike != Alike::No {
                self.frames += 1;
                return alike == Alike::Leaves;
            }
        }
        self.take(bytes, out);
        false
    }

    /// As [`Session::push`] where nothing is known about the sources.
    fn watch(&mut self, bytes: &[u8]) {
        let mut dropped = std::mem::take(&mut self.dropped);
        self.take(bytes, &mut dropped);
        dropped.clear();
        self.dropped = dropped;
    }

    /// The body is complete (or was cut): appends what was held to `out` and reports.
    pub fn finish(self, out: &mut BytesMut) -> Report {
        self.finish_with_claims(out).0
    }

    /// As [`Session::finish`]; also returns the claims that nobody has taken.
    pub fn finish_with_claims(mut self, out: &mut BytesMut) -> (Report, Vec<LaneClaim>) {
        let mut dropped = BytesMut::new();
        let out = if self.pass { &mut dropped } else { out };
        self.give_up(out);
        self.end(out);
        self.engine.conclude();
        let claims = self.engine.take_claims(true);
        (self.engine.report(), claims)
    }

    /// The claims that have become complete since the last call, lane by lane: empty unless [`Config::claims`] or
    /// [`Config::rulings`] asks for them. All calls together are linear in the body.
    pub fn closed_claims(&mut self) -> Vec<LaneClaim> {
        self.engine.take_claims(false)
    }

    /// The sources that the answer is checked against: those of the configuration, and those that the response has sent
    /// so far, if they are wanted.
    pub fn sources(&self) -> Arc<Sources> {
        self.engine.sources()
    }

    /// How many claims wait for a ruling: see [`Session::rule`].
    pub fn waiting(&self) -> usize {
        self.engine.waiting_claims()
    }

    /// Whether the session has come to the end of a text, or to something that interrupts it, and takes nothing more
    /// before the claims in it have been ruled on. What is pushed all the same is kept, up to [`Config::max_frame`].
    pub fn is_paused(&self) -> bool {
        self.engine.is_paused()
    }

    /// Somebody has ruled on a claim that [`Session::closed_claims`] handed over: appends to `out` what may be sent on now.
    ///
    /// With [`Config::rulings`], and where the policy holds claims, each claim that cites a source waits for this; see
    /// [`citesieve::Sieve::rule`] for what a ruling does. Whoever asks for the wait rules on every claim, if only with
    /// `None`; what is still unruled when the session finishes leaves as it is. A text that the response repeats put
    /// together from several lanes is read by itself, without rulings.
    pub fn rule(&mut self, ruling: LaneRuling, out: &mut BytesMut) {
        let LaneRuling { lane, verdict, position, judgement } = ruling;
        self.engine.rule(&lane, verdict, position, judgement, out);
        self.resume(out);
    }

    /// The body is complete: its last claims become complete too, and wait like the others. To be called before
    /// [`Session::finish`] by those who rule on claims; appends to `out` what may be sent on now.
    pub fn close(&mut self, out: &mut BytesMut) {
        self.closed = true;
        if self.pass {
            self.end(&mut BytesMut::new());
        } else if !self.engine.is_paused() {
            self.end(out);
        }
    }

    /// Goes on where the engine has paused, as far as it does.
    fn resume(&mut self, out: &mut BytesMut) {
        if !self.engine.is_paused() {
            return;
        }
        self.engine.resume(out);
        if !self.engine.is_paused() {
            let backlog = std::mem::take(&mut self.backlog);
            self.take(&backlog, out);
            if self.closed && !self.engine.is_paused() {
                self.end(out);
            }
        }
    }

    /// Waits for no ruling any more.
    fn give_up(&mut self, out: &mut BytesMut) {
        self.engine.give_up();
        self.resume(out);
    }

    pub(crate) fn end(&mut self, out: &mut BytesMut) {
        if self.framer.is_none() {
            self.choose(true, out);
        }
        if let Some(framer) = &mut self.framer {
            let rest = framer.rest();
            if !rest.is_empty() {
                self.engine.frame(&rest, out);
            }
        }
        if !self.engine.is_paused() {
            self.engine.end(out);
        }
    }

    /// The text of each lane so far, as it came in.
    pub(crate) fn texts(&self) -> Vec<(String, String)> {
        self.engine.texts()
    }

    pub(crate) fn take(&mut self, mut bytes: &[u8], out: &mut BytesMut) {
        if self.engine.is_paused() {
            self.backlog.extend_from_slice(bytes);
            if self.backlog.len() > self.engine.config.max_frame {
                self.engine.too_much_waits();
                self.resume(out);
            }
            return;
        }
        if self.framer.is_none() {
            self.start.extend_from_slice(bytes);
            self.choose(self.start.len() > MAX_START, out);
            return;
        }
        let Some(framer) = &mut self.framer else { return };
        while let (taken, Some(piece)) = framer.next(bytes) {
            self.frames += 1;
            match piece {
                _ if self.frames > self.read && self.engine.has_text() => {}
                Piece::Frame(frame) => self.engine.frame(frame, out),
                Piece::Oversize(part, first) => {
                    self.frames -= u64::from(!first);
                    self.engine.oversize(part, first, out);
                }
            }
            bytes = &bytes[taken..];
            if self.engine.is_paused() {
                self.backlog.extend_from_slice(bytes);
                return;
            }
        }
    }

    /// Chooses the framing from the start of the body, if it tells, and goes on with it.
    fn choose(&mut self, complete: bool, out: &mut BytesMut) {
        if let Some(framing) = Framing::sniff(&self.start, complete) {
            self.engine.framing = framing;
            self.framer = Some(Framer::new(framing, self.engine.config.max_frame));
            let start = std::mem::take(&mut self.start);
            self.take(&start, out);
        }
    }
}

/// The text of each lane of a body, as it stands there: a recorded answer, or what a session made of it. In order of
/// first appearance; `None` finds the dialect out. Frames that are not understood carry no text.
pub fn lane_texts(bytes: &[u8], dialect: Option<Dialect>) -> Vec<(String, String)> {
    let config = Config::new(citesieve::Policy::default(), citesieve::Sources::unknown()).dialect(dialect);
    let mut session = Session::new(config);
    session.read = u64::MAX;
    let mut out = BytesMut::new();
    session.take(bytes, &mut out);
    session.end(&mut out);
    session.texts()
}
