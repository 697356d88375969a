//! The bodies that a response goes through, from the upstream outwards: [`Timed`], decoded, sieved, asked again
//! ([`Attempts`]), kept alive and accounted for ([`Outgoing`]).

mod attempts;
mod decode;
mod outgoing;
mod timed;
mod upload;

use std::error::Error;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;

pub(crate) use attempts::{Again, Attempts, Coming, Reported};
pub(crate) use decode::{Decoded, decode};
pub(crate) use outgoing::{Beat, Outgoing};
pub(crate) use timed::{Course, Limits, Timed};
pub(crate) use upload::{RequestBody, TOO_LONG, TOO_SLOW, Upload, read_whole};

/// Any error of a body.
pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// What goes to the client.
pub(crate) type ResponseBody = UnsyncBoxBody<Bytes, BoxError>;
