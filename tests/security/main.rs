//! What a proxy must refuse or bound: the real program, between raw sockets. No limit is trusted to a library: what comes
//! out at the upstream is looked at, byte for byte.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on is to fail")]

mod headers;
mod paths;
mod sizes;
mod slow;
mod smuggling;
mod support;
