//! Response bodies.

use std::path::{Path, PathBuf};
use std::task::Poll;

use bytes::Bytes;
use citesieve::{Policy, Sources};
use citesieve_stream::{SieveExt, WireEvent};
use citesieve_wire::{Config, Failure as OnFailure, Report, Session};
use proptest::prelude::*;

use crate::support::{Act, Failure, Script, cut, drain, poll, sources};

const BODY: &[u8] = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Due\"}}]}\n\n\
    data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" monthly [1\"}}]}\n\n: ping\n\n\
    data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"], in gold [\"}}]}\n\n\
    data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"7].\"}}]}\n\n\
    data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// The bytes of all events, and the report, which must come last and once.
fn whole(events: Vec<WireEvent>) -> (Vec<u8>, Report) {
    let mut events = events;
    let Some(WireEvent::Report(report)) = events.pop() else { panic!("no report at the end") };
    let pieces: Vec<Bytes> = events
        .into_iter()
        .map(|event| match event {
            WireEvent::Bytes(bytes) if !bytes.is_empty() => bytes,
            other => panic!("{other:?} before the end"),
        })
        .collect();
    (pieces.concat(), report)
}

/// What a session itself makes of a whole body.
fn expected(body: &[u8], config: &Config) -> (Vec<u8>, Report) {
    let mut session = Session::new(config.clone());
    let mut out = bytes::BytesMut::new();
    session.push(body, &mut out);
    let report = session.finish(&mut out);
    (out.to_vec(), report)
}

fn run(body: &[u8], config: &Config, lengths: &[usize], wait: usize) -> (Vec<u8>, Report) {
    let (events, _) = drain(&mut Script::new(cut(body, lengths, wait)).sieve_wire(config.clone()));
    whole(events.into_iter().map(Result::unwrap).collect())
}

proptest! {
    #[test]
    fn the_cuts_and_the_waits_do_not_matter(
        lengths in prop::collection::vec(1usize..90, 1..5),
        wait in 1usize..4,
        split in prop::sample::select(vec![0usize, 1, 256]),
        upto in 0usize..=BODY.len(),
    ) {
        let config = Config::new(Policy::default(), sources()).split_frames_over(split);
        let body = &BODY[..upto];
        let (got, expected) = (run(body, &config, &lengths, wait), expected(body, &config));
        prop_assert_eq!(String::from_utf8_lossy(&got.0), String::from_utf8_lossy(&expected.0));
        prop_assert_eq!(got.1, expected.1);
    }

    #[test]
    fn whatever_is_read_before_an_error_leaves_before_it(
        lengths in prop::collection::vec(1usize..90, 1..5),
        upto in 0usize..=BODY.len(),
        closed: bool,
    ) {
        let failure = if closed { OnFailure::Closed } else { OnFailure::Open };
        let config = Config::new(Policy::default(), sources()).failure(failure);
        let mut acts = cut(&BODY[..upto], &lengths, 3);
        acts.extend([Act::Fail, Act::Item(b"lost?".to_vec())]);
        let (mut events, _) = drain(&mut Script::new(acts).sieve_wire(config.clone()));
        let last = events.pop();
        prop_assert_eq!(events.pop(), Some(Err(Failure)));
        let (bytes, mut report) = expected(&BODY[..upto], &config);
        let sent = events.iter().map(|event| event.as_ref().unwrap().bytes().unwrap().clone()).collect::<Vec<_>>().concat();
        prop_assert_eq!(String::from_utf8_lossy(&sent), String::from_utf8_lossy(&bytes));
        let Some(Ok(WireEvent::Report(last))) = last else { panic!("no report at the end") };
        prop_assert_eq!(last.notes.last().map(|note| note.what.as_str()), Some("stream"));
        report.notes.extend(last.notes.last().cloned());
        prop_assert_eq!(last, report);
    }
}

#[test]
fn the_made_up_marker_is_gone_and_the_verdict_is_on_the_wire() {
    let (out, report) = run(BODY, &Config::new(Policy::default(), sources()), &[7, 30], 2);
    let text: String = citesieve_wire::lane_texts(&out, None).into_iter().map(|(_, text)| text).collect();
    assert_eq!(text, "Due monthly [1], in gold.");
    assert_eq!(report.lanes[0].1.markers.fabricated, 1);
    assert!(String::from_utf8_lossy(&out).contains("\"citesieve\":{"));
}

#[test]
fn the_inner_stream_is_polled_only_when_nothing_can_be_yielded() {
    let body = std::str::from_utf8(BODY).unwrap();
    let script = Script::items(body.split_inclusive("\n\n"));
    let polls = script.polls.clone();
    let mut stream = script.sieve_wire(Config::new(Policy::default(), sources()));
    let mut at = Vec::new();
    while let Poll::Ready(Some(event)) = poll(&mut stream) {
        assert!(event.is_ok());
        at.push(polls.get());
    }
    // The second frame may end in a marker: it waits for the fourth, the ping passes it. The sixth ends a choice, so it
    // waits until no other one follows. The eighth poll finds the end, and the report.
    assert_eq!(at, [1, 3, 4, 5, 7, 8]);
    assert_eq!(polls.get(), 8);
}

/// Every recording, byte for byte, with nothing known about sources.
#[test]
fn recordings_pass_byte_for_byte() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("CITESIEVE_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    let folder = root.join(shared).join("recordings");
    if !folder.is_dir() {
        println!("skipped: no shared data");
        return;
    }
    let mut checked = 0;
    for dialect in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for file in std::fs::read_dir(dialect).unwrap().map(|entry| entry.unwrap().path()) {
            if !file.extension().is_some_and(|end| end == "sse" || end == "ndjson") {
                continue;
            }
            let body = std::fs::read(&file).unwrap();
            let config = Config::new(Policy::default(), Sources::unknown());
            for lengths in [&[1][..], &[7], &[3, 11, 1, 64, 2, 5, 400], &[usize::MAX]] {
                let (out, report) = run(&body, &config, lengths, 2);
                assert!(out == body, "{} cut {lengths:?}", file.display());
                assert!(report.dialect.is_some(), "{}", file.display());
            }
            checked += 1;
        }
    }
    assert!(checked > 0);
}
