//! The engine of a session: frames in, frames out, text through the sieves in between.

mod frame_in;
mod pause;
mod place;
mod route;
mod shape;

use std::collections::HashMap;
use std::sync::Arc;

use bytes::BytesMut;
use citesieve::{Release, Sieve, Source, Sources};

use crate::dialect::{Order, Reader, View};
use crate::emit::{Held, Placed};
use crate::frame::Framing;
use crate::lane::Lane;
use crate::queue::Queue;
use crate::report::Notes;
use crate::{Config, Dialect, Failure, LaneClaim, Report};
use pause::Pause;
pub(crate) use shape::Alike;
use shape::Shape;

#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) config: Config,
    pub(crate) framing: Framing,
    dialect: Option<Dialect>,
    reader: Option<Box<dyn Reader>>,
    lanes: Vec<Lane>,
    by_key: HashMap<u64, usize>,
    queue: Queue,
    /// A frame that ends a lane, until the next one shows whether it is the last of its kind.
    held: Option<Held>,
    verdict_sent: bool,
    notes: Notes,
    /// The body spells characters outside ASCII as they are.
    raw_text: bool,
    view: View,
    placed: Vec<Placed>,
    /// Lanes of the current frame, and up to where their text must be decided before it leaves.
    needs: Vec<(usize, u64)>,
    /// Of the last frame that was parsed, if it only brought text.
    shape: Shape,
    /// The number of the current frame.
    number: u64,
    /// The current frame may be sent again with other text.
    copyable: bool,
    /// There is a lane whose text is not known to be complete.
    incomplete: bool,
    /// When text leaves.
    release: Release,
    /// How often something that is not text came between the texts of all lanes.
    interruptions: u64,
    text: String,
    /// Claims wait until somebody has ruled on them, if the policy holds claims.
    awaits: bool,
    /// Where it stopped because of such claims.
    pause: Option<Pause>,
    /// Lanes that have got text since their claims were taken.
    fresh: Vec<usize>,
    /// The sources to check against: those of the configuration, with those of the response if they are wanted.
    sources: Arc<Sources>,
    /// The sources that the response sent.
    found: Vec<Source>,
    /// Something was not understood and the configuration wants nothing more to pass.
    failed: bool,
}

impl Engine {
    pub(crate) fn new(config: Config) -> Self {
        Engine {
            dialect: config.dialect,
            reader: config.dialect.map(Dialect::reader),
            sources: Arc::clone(&config.sources),
            release: config.policy.release,
            awaits: config.rulings,
            pause: None,
            config,
            framing: Framing::Sse,
            lanes: Vec::new(),
            by_key: HashMap::new(),
            queue: Queue::default(),
            held: None,
            verdict_sent: false,
            notes: Notes::default(),
            raw_text: false,
            view: View::default(),
            placed: Vec::new(),
            needs: Vec::new(),
            shape: Shape::default(),
            number: 0,
            copyable: false,
            incomplete: false,
            interruptions: 0,
            text: String::new(),
            fresh: Vec::new(),
            found: Vec::new(),
            failed: false,
        }
    }

    /// Takes a whole frame.
    pub(crate) fn frame(&mut self, raw: &[u8], out: &mut BytesMut) {
        if self.failed {
            return;
        }
        match self.take_alike(raw, out) {
            Alike::No => self.take(raw, None, out),
            Alike::Leaves => out.extend_from_slice(raw),
            Alike::Taken => {}
        }
    }

    /// Takes a part of a frame that is too long to be looked at; `first` of its parts.
    pub(crate) fn oversize(&mut self, part: &[u8], first: bool, out: &mut BytesMut) {
        if first && !self.failed && !self.bad_frame("too long", out) {
            self.settle_all(out);
            self.resolve_held(false, out);
        }
        if !self.failed {
            out.extend_from_slice(part);
        }
    }

    /// Notes a frame that nobody looked at. Returns whether it must not pass, nor anything after it.
    fn bad_frame(&mut self, why: &'static str, out: &mut BytesMut) -> bool {
        self.notes.add("frame", why.into());
        if self.config.failure == Failure::Open || !self.sources.known() {
            return false;
        }
        self.settle_all(out);
        self.resolve_held(false, out);
        self.failed = true;
        let message = format!("citesieve: a frame of the response could not be checked ({why})");
        out.extend_from_slice(crate::dialect::error_frame(self.dialect, self.framing, &message).as_bytes());
        true
    }

    /// The body is complete.
    pub(crate) fn end(&mut self, out: &mut BytesMut) {
        if self.all_hold_up(true) {
            self.pause = Some(Pause::End);
            return;
        }
        self.complete_all(out);
        self.resolve_held(true, out);
    }

    pub(crate) fn report(mut self) -> Report {
        self.conclude();
        let lanes = self.lanes.into_iter().flat_map(|lane| {
            let name = lane.name;
            lane.verdicts.into_iter().map(move |verdict| (name.clone(), verdict))
        });
        Report {
            lanes: lanes.collect(),
            dialect: self.dialect.map(|dialect| dialect.name().to_owned()),
            notes: self.notes.list(),
            sources: self.found,
            sources_from: self.config.origin,
        }
    }

    /// The claims that have become complete and that nobody has taken: in the lanes that have got text since then, or, when
    /// the body is over, in all.
    pub(crate) fn take_claims(&mut self, over: bool) -> Vec<LaneClaim> {
        let mut list = Vec::new();
        let fresh = std::mem::take(&mut self.fresh);
        for index in if over { (0..self.lanes.len()).collect() } else { fresh } {
            let lane = &mut self.lanes[index];
            let claims = lane.take_claims();
            let of = |(verdict, claim)| LaneClaim { lane: lane.name.clone(), verdict, claim };
            list.extend(claims.into_iter().map(of));
        }
        list
    }

    /// The sources to check against.
    pub(crate) fn sources(&self) -> Arc<Sources> {
        Arc::clone(&self.sources)
    }

    /// Takes the verdicts.
    pub(crate) fn conclude(&mut self) {
        let (config, sources) = (&self.config, &self.sources);
        self.lanes.iter_mut().for_each(|lane| lane.conclude(Some(|| new_sieve(config, sources))));
    }

    /// Whether any text has come.
    pub(crate) fn has_text(&self) -> bool {
        self.lanes.iter().any(|lane| lane.pushed > 0)
    }

    pub(crate) fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    /// Bytes of the frames that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.queue.bytes() + self.held.as_ref().map_or(0, Held::len)
    }

    pub(crate) fn texts(&self) -> Vec<(String, String)> {
        self.lanes.iter().map(|lane| (lane.name.clone(), lane.history.text().to_owned())).collect()
    }

    /// `[DONE]`: nothing comes after it.
    fn done(&mut self, raw: &[u8], out: &mut BytesMut) {
        if self.all_hold_up(true) {
            self.pause = Some(Pause::Done(raw.to_vec()));
            return;
        }
        self.complete_all(out);
        self.resolve_held(true, out);
        out.extend_from_slice(raw);
    }

    /// A frame of no lane, which keeps its place among all.
    fn other(&mut self, raw: &[u8], out: &mut BytesMut) {
        self.view.clear();
        self.view.order = Order::All;
        self.start_frame();
        self.route(raw, None, out);
    }

    /// The lane with this key, made if it is new.
    #[inline]
    fn lane(&mut self, key: u64) -> usize {
        // Nearly always the only one.
        if let Some(lane) = self.lanes.first()
            && lane.key == key
        {
            return 0;
        }
        if let Some(&lane) = self.by_key.get(&key) {
            return lane;
        }
        let name = self.reader.as_ref().map_or_else(|| key.to_string(), |reader| reader.lane_name(key));
        let reads = self.sources.known() || self.config.response_sources;
        let release = if reads { self.release } else { Release::Eager };
        let mut lane = Lane::new(key, name, release);
        lane.interruptions = self.interruptions;
        self.incomplete = true;
        self.by_key.insert(key, self.lanes.len());
        self.lanes.push(lane);
        self.lanes.len() - 1
    }

    fn start_frame(&mut self) {
        self.number += 1;
        self.needs.clear();
        self.placed.clear();
    }

    /// The current frame belongs to this lane and must wait until its text is decided up to `to`.
    #[inline]
    fn need(&mut self, index: usize, to: u64) {
        let lane = &mut self.lanes[index];
        if lane.in_frame.0 == self.number {
            let need = &mut self.needs[lane.in_frame.1].1;
            *need = (*need).max(to);
        } else {
            lane.in_frame = (self.number, self.needs.len());
            self.needs.push((index, to));
        }
    }

    /// Takes over the sources that a frame sends along. They count for the text of this frame and what comes after it.
    fn take_sources(&mut self) {
        let known = self.found.len();
        for source in self.view.sources.drain(..) {
            let same = |other: &Source| other.id == source.id;
            if !self.found.iter().any(same) && self.found.len() < MAX_FOUND {
                self.found.push(source);
            }
        }
        if self.found.len() == known {
            return;
        }
        let given = self.config.sources.list();
        let new = self.found.iter().filter(|source| !given.iter().any(|other| other.id == source.id));
        match Sources::new(given.iter().chain(new).cloned().collect()) {
            Ok(sources) => {
                self.sources = Arc::new(sources);
                self.lanes.iter_mut().for_each(|lane| lane.set_sources(&self.sources));
            }
            Err(error) => self.notes.add("sources", error.to_string().into()),
        }
    }
}

/// The most sources that are taken from a response.
const MAX_FOUND: usize = 1000;

fn new_sieve(config: &Config, sources: &Arc<Sources>) -> Sieve {
    let sieve = if !sources.known() && config.response_sources {
        Sieve::awaiting_sources(Arc::clone(&config.policy))
    } else {
        Sieve::new(Arc::clone(&config.policy), Arc::clone(sources))
    };
    match (config.rulings, config.claims) {
        (true, _) => sieve.awaiting_rulings(),
        (false, true) => sieve.gathering_claims(),
        (false, false) => sieve,
    }
}
