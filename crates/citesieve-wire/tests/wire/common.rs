//! What the tests share.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::BytesMut;
use citesieve::{Policy, Source, Sources};
pub(crate) use citesieve_wire::testing::CUTS;
use citesieve_wire::testing::Recording;
use citesieve_wire::{Config, Report, Session};

/// The folder of third-party data, or `None` with a word about it.
pub(crate) fn shared() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let place = std::env::var_os("CITESIEVE_SHARED").map_or_else(|| "../shared".into(), PathBuf::from);
    let folder = root.join(place);
    if folder.join("recordings").is_dir() {
        return Some(folder);
    }
    println!("skipped: no shared data");
    None
}

/// Recordings of one dialect, by name.
pub(crate) fn recordings(dialect: &str) -> Vec<(String, Vec<u8>)> {
    let Some(shared) = shared() else { return Vec::new() };
    let mut found: Vec<_> = std::fs::read_dir(shared.join("recordings").join(dialect))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sse" || extension == "ndjson"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{dialect}");
    found
}

/// Sources known by their ids only.
pub(crate) fn ids(ids: impl IntoIterator<Item = u32>) -> Arc<Sources> {
    Arc::new(Sources::new(ids.into_iter().map(|id| Source::new(id.to_string())).collect()).unwrap())
}

/// A configuration under which only edits change anything.
pub(crate) fn quiet(sources: Arc<Sources>) -> Config {
    Config::new(Policy::default(), sources).verdict(false).split_frames_over(0)
}

/// Cuts `body` into pieces of these lengths, over and over, and runs them through a session.
pub(crate) fn run(config: Config, body: &[u8], lengths: &[usize]) -> (Vec<u8>, Report) {
    Recording::new(body, config).run(lengths)
}

/// As [`run`], for those who send pieces on that may leave as they are.
pub(crate) fn forward(config: Config, body: &[u8], lengths: &[usize]) -> (Vec<u8>, Report) {
    let mut session = Session::new(config);
    let (mut out, mut written) = (Vec::new(), BytesMut::new());
    let mut rest = body;
    for length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (now, later) = rest.split_at((*length).clamp(1, rest.len()));
        if session.forward(now, &mut written) {
            out.extend_from_slice(now);
        }
        out.extend_from_slice(&written.split());
        rest = later;
    }
    let report = session.finish(&mut written);
    out.extend_from_slice(&written);
    (out, report)
}

/// The lengths of the frames of a body of server-sent events.
pub(crate) fn frames(body: &[u8]) -> Vec<usize> {
    let text = String::from_utf8_lossy(body);
    text.split_inclusive("\n\n").map(str::len).collect()
}
