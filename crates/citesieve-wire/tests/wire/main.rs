//! Tests of the wire layer through its public surface.

mod common;
mod edits;
mod recordings;
