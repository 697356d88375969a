//! The judge from end to end, with scripted models in the process and behind HTTP.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod audit;
mod bench;
mod client;
mod injection;
mod llama;
mod run;
mod stream;
mod support;
