//! Tests of the wire layer through its public surface.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on is to fail")]

mod common;
mod corpus;
mod edits;
mod hostile;
mod modes;
mod random;
mod recordings;
mod repeats;
mod requests;
mod rulings;
mod session;
