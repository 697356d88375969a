//! The `citesieve` program.

fn main() {}
