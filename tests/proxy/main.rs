//! The program as a proxy, end to end: the real binary before a scripted upstream, both on loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on is to fail")]

mod answers;
mod config;
mod dialects;
mod faults;
mod headers;
mod many;
mod refused;
mod requests;
mod stops;
mod support;
mod tls;
mod verdicts;
