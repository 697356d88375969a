//! The stream adapters.

mod pieces;
mod support;
mod text;
mod traits;
mod wire;
