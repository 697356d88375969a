//! What must hold for any input. The fuzz targets call these, and so does a test on the inputs in `corpus/`.

use std::sync::Arc;

use citesieve::{Policy, Sources, TextSieve};
use citesieve_wire::testing::Recording;
use citesieve_wire::{Config, Dialect, lane_texts};

/// Known to be none: every marker is fabricated.
fn none() -> Arc<Sources> {
    Arc::new(Sources::new(Vec::new()).unwrap_or_default())
}

fn quiet() -> Config {
    Config::new(Policy::default(), none()).verdict(false).split_frames_over(0)
}

/// Cut anywhere, the same comes out; what holds nothing to edit comes out whole. The first byte of the input is the
/// length of the pieces, the rest the body.
pub fn framer(input: &[u8]) {
    let [length, body @ ..] = input else { return };
    let whole = Recording::new(body, quiet()).run(&[usize::MAX]);
    let cut = Recording::new(body, quiet()).run(&[*length as usize]);
    assert_eq!(whole.0, cut.0);
    assert_eq!(whole.1, cut.1);
    if !body.iter().any(|byte| matches!(byte, b'[' | b'>' | b'\\' | 0x80..)) {
        let sorted = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            bytes.sort_unstable();
            bytes
        };
        assert_eq!(sorted(&whole.0), sorted(body));
    }
}

/// A string literal is edited as its text is. The input is what stands between the quotes.
pub fn splicer(input: &[u8]) {
    let literal = [b"\"", input, b"\""].concat();
    let Ok(text) = serde_json::from_slice::<String>(&literal) else { return };
    let body = [b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":", &literal[..], b"}}]}\n\n"].concat();
    let (out, _) = Recording::new(&body, quiet().dialect(Dialect::by_name("openai-chat"))).run(&[usize::MAX]);
    let mut sieve = TextSieve::new(Arc::new(Policy::default()), none());
    let mut expected = sieve.push(&text).to_owned();
    expected += &sieve.finish().0;
    assert_eq!(lane_texts(&out, Dialect::by_name("openai-chat"))[0].1, expected);
    if expected == text {
        assert_eq!(out, body);
    }
}

/// Nothing panics; with no sources known the body passes as it is; cut anywhere, the same comes out, split frames and
/// verdict included. The first byte chooses the dialect, the second the length of the pieces.
pub fn session(input: &[u8]) {
    let [dialect, length, body @ ..] = input else { return };
    let dialect = Dialect::all().nth(usize::from(*dialect));
    let config = Config::new(Policy::default(), none()).dialect(dialect).split_frames_over(8).max_frame(4096);
    let cut = Recording::new(body, config.clone()).run(&[usize::from(*length)]);
    let whole = Recording::new(body, config).run(&[usize::MAX]);
    assert_eq!(cut.1, whole.1);
    assert_eq!(cut.0, whole.0);
    let unknown = Config::new(Policy::default(), Sources::unknown()).dialect(dialect);
    assert_eq!(Recording::new(body, unknown).run(&[usize::from(*length)]).0, body);
}

/// What is found in a request makes a set, and a body without the field `citesieve` means what it did, without it.
pub fn requests(input: &[u8]) {
    let Ok(found) = citesieve_wire::request::find(input) else { return };
    if let Some(sources) = found.sources {
        assert!(Sources::new(sources).is_ok());
        assert!(found.convention.is_some());
    }
    if let (Some(body), Ok(mut before)) = (found.body, serde_json::from_slice::<serde_json::Value>(input)) {
        let after: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        before.as_object_mut().map(|before| before.remove("citesieve"));
        assert_eq!(after, before);
    }
}
