//! The stream adapters.
#![cfg(test)]

mod pieces;
mod support;
mod text;
mod traits;
mod wire;
