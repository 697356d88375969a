//! [`SieveBody`]: a body, sieved.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use citesieve::{Sources, Unchecked};
use citesieve_wire::{Config, Dialect, Failure, LaneClaim, LaneRuling, Session};
use http::header::{self, HeaderValue};
use http::{HeaderMap, Response, StatusCode};
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use crate::headers::{Reading, read, remove_untrue};
use crate::sieving::{Sieving, Tell};
use crate::{BodyReport, Ended};

pin_project! {
    /// A body, sieved.
    ///
    /// Trailers pass after everything else. When the inner body fails, what is held leaves first, as the policy wants
    /// it, and then the error, so that clients see that the answer was cut. Dropped before its end, it reports what it
    /// has seen.
    pub struct SieveBody<B>
    where
        B: Body,
    {
        #[pin]
        inner: B,
        stage: Stage<B::Error>,
        sieve: Option<Box<Sieving>>,
    }
}

/// What comes next.
enum Stage<E> {
    /// Frames of the inner body.
    Inner,
    /// Rulings on the last claims, then the end of the inner body, which came so, and this.
    Rulings(Ended, Box<Stage<E>>),
    /// The trailers of the inner body, then nothing.
    Trailers(HeaderMap),
    /// The error of the inner body, then nothing.
    Error(E),
    /// These bytes instead of the inner body, then nothing.
    Instead(Bytes),
    /// Nothing.
    Over,
}

impl<B: Body> SieveBody<B> {
    /// Sieves a body that is known to be readable: not compressed, and of a type that [`Dialect::reads`].
    ///
    /// `tell` gets the report, where the body is polled or dropped; it must not block.
    pub fn new(inner: B, config: Config, tell: impl FnOnce(BodyReport) + Send + Sync + 'static) -> Self {
        let pass = passes(&config);
        SieveBody::with(inner, Some(Session::new(config)), Vec::new(), pass, Box::new(tell))
    }

    /// Passes a body as it is, without a report.
    pub fn passing(inner: B) -> Self {
        SieveBody { inner, stage: Stage::Inner, sieve: None }
    }

    /// Passes a body as it is, and reports that nobody looked at it, and why.
    pub fn unread(inner: B, why: impl Into<String>, tell: impl FnOnce(BodyReport) + Send + Sync + 'static) -> Self {
        SieveBody::with(inner, None, vec![note(why.into())], true, Box::new(tell))
    }

    /// Sieves a response if it can be read; see the [crate's documentation](crate) for what becomes of it.
    pub fn around(
        response: Response<B>,
        config: Config,
        tell: impl FnOnce(BodyReport) + Send + Sync + 'static,
    ) -> Response<Self> {
        let (mut parts, inner) = response.into_parts();
        if inner.is_end_stream() {
            return Response::from_parts(parts, SieveBody::passing(inner));
        }
        let body = match read(parts.status, &parts.headers) {
            Reading::NoAnswer => SieveBody::passing(inner),
            Reading::Sieved => {
                if !passes(&config) {
                    remove_untrue(&mut parts.headers);
                }
                SieveBody::new(inner, config, tell)
            }
            Reading::Unread(why) if passes(&config) || config.failure == Failure::Open => {
                SieveBody::unread(inner, why, tell)
            }
            Reading::Unread(why) => {
                let message = format!("citesieve: the response could not be checked ({why})");
                parts.status = StatusCode::BAD_GATEWAY;
                parts.headers = HeaderMap::new();
                parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
                let mut body = SieveBody::unread(inner, why, tell);
                body.stage = Stage::Instead(error(&message).into());
                body
            }
        };
        Response::from_parts(parts, body)
    }

    fn with(inner: B, session: Option<Session>, notes: Vec<Unchecked>, pass: bool, tell: Tell) -> Self {
        let (out, bytes_in, bytes_out) = (BytesMut::new(), 0, 0);
        let (tell, take_claims, poll_ruling) = (Some(tell), None, None);
        let held = 0;
        let sieving = Sieving { session, notes, pass, out, bytes_in, bytes_out, held, tell, take_claims, poll_ruling };
        SieveBody { inner, stage: Stage::Inner, sieve: Some(Box::new(sieving)) }
    }

    /// Hands over claims as they become complete, with the sources that the answer is checked against: where the body is
    /// polled or dropped, so it must not block. Nothing comes unless [`Config::claims`] asks for it. All come before the
    /// report does.
    #[must_use]
    pub fn on_claims(mut self, take: impl FnMut(Arc<Sources>, Vec<LaneClaim>) + Send + Sync + 'static) -> Self {
        if let Some(sieve) = &mut self.sieve {
            sieve.take_claims = Some(Box::new(take));
        }
        self
    }

    /// Takes rulings on the claims that [`SieveBody::on_claims`] hands over, for text that waits for them
    /// ([`Config::rulings`]).
    ///
    /// `poll` is called when the body is polled and claims wait. It returns the next ruling, or `Pending` and wakes whoever
    /// polls the body when there is one. Every claim that waits is to be ruled on in the end, if only with `None`: the
    /// text behind it does not leave before, and where it ends the body does not either. The inner body is not polled
    /// while that is so.
    #[must_use]
    pub fn on_rulings(
        mut self,
        poll: impl FnMut(&mut Context<'_>) -> Poll<LaneRuling> + Send + Sync + 'static,
    ) -> Self {
        if let Some(sieve) = &mut self.sieve {
            sieve.poll_ruling = Some(Box::new(poll));
        }
        self
    }

    /// The body inside.
    pub fn get_ref(&self) -> &B {
        &self.inner
    }

    /// Bytes of the inner body that wait for a decision; see [`Session::held`].
    pub fn held(&self) -> usize {
        self.sieve.as_ref().map_or(0, |sieve| sieve.held)
    }

    /// The dialect of the body, as soon as it is known.
    pub fn dialect(&self) -> Option<Dialect> {
        self.sieve.as_ref().and_then(|sieve| sieve.session.as_ref()).and_then(Session::dialect)
    }
}

/// Whether a session with this configuration changes nothing.
fn passes(config: &Config) -> bool {
    !config.sources.known() && !config.response_sources
}

fn note(why: String) -> Unchecked {
    Unchecked { what: "body".into(), why, count: 1 }
}

/// An error as OpenAI's clients and most others read it.
fn error(message: &str) -> String {
    serde_json::json!({ "error": { "message": message, "type": "citesieve" } }).to_string()
}

fn join(first: Option<Bytes>, second: Option<Bytes>) -> Option<Bytes> {
    match (first, second) {
        (Some(first), Some(second)) => Some([first, second].concat().into()),
        (first, second) => first.or(second),
    }
}

impl<B> Body for SieveBody<B>
where
    B: Body,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let mut this = self.project();
        loop {
            if let Some(sieve) = this.sieve.as_mut().filter(|sieve| sieve.poll_ruling.is_some())
                && let Some(bytes) = sieve.rulings(cx)
            {
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
            let (bytes, over) = match this.stage {
                Stage::Rulings(..) => {
                    if this.sieve.as_ref().is_some_and(|sieve| sieve.waits()) {
                        return Poll::Pending;
                    }
                    let Stage::Rulings(ended, next) = std::mem::replace(this.stage, Stage::Over) else { continue };
                    *this.stage = *next;
                    (this.sieve.as_mut().and_then(|sieve| sieve.finish(ended)), None)
                }
                Stage::Inner if this.sieve.as_ref().is_some_and(|sieve| sieve.is_paused()) => return Poll::Pending,
                Stage::Inner => match ready!(this.inner.as_mut().poll_frame(cx)) {
                    Some(Ok(frame)) => match frame.into_data() {
                        Ok(mut data) => match this.sieve {
                            // Who knows the length of a body does not ask for more than that.
                            Some(sieve) if this.inner.is_end_stream() => {
                                (sieve.push(data), Some((Ended::Complete, Stage::Over)))
                            }
                            Some(sieve) => (sieve.push(data), None),
                            None => (Some(data.copy_to_bytes(data.remaining())), None),
                        },
                        Err(frame) => {
                            (None, Some((Ended::Complete, frame.into_trailers().map_or(Stage::Over, Stage::Trailers))))
                        }
                    },
                    Some(Err(error)) => (None, Some((Ended::Failed, Stage::Error(error)))),
                    None => (None, Some((Ended::Complete, Stage::Over))),
                },
                _ => break,
            };
            let bytes = match (over, this.sieve.as_mut()) {
                (None, _) => bytes,
                (Some((_, next)), None) => {
                    *this.stage = next;
                    bytes
                }
                (Some((ended, next)), Some(sieve)) => {
                    let bytes = join(bytes, sieve.close());
                    if sieve.waits() {
                        *this.stage = Stage::Rulings(ended, Box::new(next));
                        bytes
                    } else {
                        *this.stage = next;
                        join(bytes, sieve.finish(ended))
                    }
                }
            };
            // Otherwise everything is held: what comes next?
            if let Some(bytes) = bytes {
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
        }
        Poll::Ready(match std::mem::replace(this.stage, Stage::Over) {
            Stage::Trailers(trailers) => Some(Ok(Frame::trailers(trailers))),
            Stage::Error(error) => Some(Err(error)),
            Stage::Instead(bytes) => {
                if let Some(sieve) = this.sieve {
                    sieve.bytes_out += bytes.len() as u64;
                    sieve.finish(Ended::Complete);
                }
                Some(Ok(Frame::data(bytes)))
            }
            Stage::Inner | Stage::Rulings(..) | Stage::Over => None,
        })
    }

    fn is_end_stream(&self) -> bool {
        match &self.stage {
            Stage::Over => true,
            // A sieve may still hold something when the inner body is over.
            Stage::Inner => self.sieve.as_ref().is_none_or(|sieve| sieve.pass) && self.inner.is_end_stream(),
            Stage::Rulings(..) | Stage::Trailers(_) | Stage::Error(_) | Stage::Instead(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match (&self.stage, &self.sieve) {
            (Stage::Rulings(..), _) => SizeHint::default(),
            (Stage::Inner, Some(sieve)) if !sieve.pass => SizeHint::default(),
            (Stage::Inner, _) => self.inner.size_hint(),
            (Stage::Instead(bytes), _) => SizeHint::with_exact(bytes.len() as u64),
            (Stage::Trailers(_) | Stage::Error(_) | Stage::Over, _) => SizeHint::with_exact(0),
        }
    }
}

impl<B> std::fmt::Debug for SieveBody<B>
where
    B: Body,
{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SieveBody")
            .field("held", &self.held())
            .field("dialect", &self.dialect())
            .finish_non_exhaustive()
    }
}
