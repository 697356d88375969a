//! Bodies: a recording, played as the script says.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use citesieve_wire::Session;
use futures::stream::{self, Stream};
use http::HeaderMap;
use http_body::Frame;

use crate::Script;
use crate::encoding::Encoder;
use crate::recording::{Recording, events};
use crate::server::Shared;

/// A recording that is being played.
pub(crate) struct Playing {
    /// What is left of the recording.
    rest: Bytes,
    lines: bool,
    script: Script,
    sieve: Option<(u64, Session)>,
    encoder: Option<Encoder>,
    trailers: Option<HeaderMap>,
    sent: usize,
    state: State,
    counted: Counted,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Playing,
    /// The recording is over; the trailers are not.
    Trailers,
    /// The bytes up to the cut are out.
    Cut,
    /// The bytes up to the stall are out.
    Stalled,
    Over,
}

/// Counts a body as open, then as complete or abandoned.
pub(crate) struct Counted {
    shared: Arc<Shared>,
    complete: bool,
}

impl Counted {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        shared.counters.open_bodies.fetch_add(1, Relaxed);
        Counted { shared, complete: false }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let counters = &self.shared.counters;
        counters.open_bodies.fetch_sub(1, Relaxed);
        let outcome = if self.complete { &counters.complete_bodies } else { &counters.abandoned };
        outcome.fetch_add(1, Relaxed);
    }
}

impl Playing {
    pub(crate) fn new(
        recording: &Recording,
        script: Script,
        sieve: Option<(u64, Session)>,
        trailers: Option<HeaderMap>,
        counted: Counted,
    ) -> io::Result<Self> {
        let kind = recording.headers.get(http::header::CONTENT_TYPE);
        Ok(Playing {
            rest: recording.body.clone(),
            lines: kind.is_none_or(|kind| !kind.as_bytes().starts_with(b"text/event-stream")),
            encoder: script.encoding.map(Encoder::new).transpose()?,
            script,
            sieve,
            trailers,
            sent: 0,
            state: State::Playing,
            counted,
        })
    }

    /// Its frames. Dropped before the end, the body counts as abandoned.
    pub(crate) fn frames(self) -> impl Stream<Item = io::Result<Frame<Bytes>>> {
        stream::unfold(self, |mut playing| async move { playing.next().await.map(|frame| (frame, playing)) })
    }

    async fn next(&mut self) -> Option<io::Result<Frame<Bytes>>> {
        loop {
            match self.state {
                State::Playing => match self.piece().await {
                    Ok(piece) if piece.is_empty() => {}
                    Ok(piece) => return Some(Ok(Frame::data(piece))),
                    Err(error) => return Some(Err(error)),
                },
                State::Trailers => {
                    self.over();
                    return self.trailers.take().map(|trailers| Ok(Frame::trailers(trailers)));
                }
                State::Cut => {
                    // What was written last has to reach the socket before the connection is broken off.
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    self.over();
                    return Some(Err(io::Error::other("cut by the script")));
                }
                State::Stalled => std::future::pending().await,
                State::Over => return None,
            }
        }
    }

    fn over(&mut self) {
        self.state = State::Over;
        self.counted.complete = true;
    }

    /// The next bytes to send; empty if what was read of the recording sends none yet.
    async fn piece(&mut self) -> io::Result<Bytes> {
        if self.script.delay_ms > 0 {
            tokio::time::sleep(Duration::from_millis(self.script.delay_ms)).await;
        }
        let length = match self.script.chunk {
            None => events(&self.rest, self.lines).next().map_or(0, <[u8]>::len),
            Some(0) => self.rest.len(),
            Some(length) => length.min(self.rest.len()),
        };
        let mut piece = self.rest.split_to(length);
        let last = self.rest.is_empty();
        if let Some((_, session)) = &mut self.sieve {
            let mut out = BytesMut::new();
            session.push(&piece, &mut out);
            piece = out.freeze();
        }
        if last && let Some((id, session)) = self.sieve.take() {
            let mut out = BytesMut::from(&piece[..]);
            let report = session.finish(&mut out);
            self.counted.shared.keep(id, report);
            piece = out.freeze();
        }
        if let Some(encoder) = &mut self.encoder
            && !piece.is_empty()
        {
            piece = encoder.piece(&piece)?.into();
        }
        if last && let Some(encoder) = self.encoder.take() {
            piece = [piece, encoder.end()?.into()].concat().into();
        }
        if last {
            self.state = State::Trailers;
        }
        for (limit, state) in [(self.script.cut, State::Cut), (self.script.stall, State::Stalled)] {
            if let Some(limit) = limit
                && self.sent + piece.len() >= limit
            {
                piece.truncate(limit - self.sent);
                self.state = state;
            }
        }
        self.sent += piece.len();
        Ok(piece)
    }
}
