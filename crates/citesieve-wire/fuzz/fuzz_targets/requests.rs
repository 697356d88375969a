//! See `requests` in `checks.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| checks::requests(input));
