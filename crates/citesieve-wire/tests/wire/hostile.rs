//! Bad input: nothing lost, memory bounded.

use citesieve::Policy;
use citesieve_wire::{Config, lane_texts};

use crate::common::{CUTS, ids, quiet, run};

const CHUNK: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Due [\"}}]}\n\n";

#[test]
fn a_megabyte_of_brackets_passes() {
    let deep = format!("data: {}\n\n", "[".repeat(1 << 20));
    let deeper = format!("data: {{\"choices\":{}\n\n", "[{\"delta\":".repeat(100_000));
    let body = [CHUNK, &deep, CHUNK, &deeper, "data: [DONE]\n\n"].concat();
    for cuts in [&[4096][..], &[usize::MAX]] {
        let (out, report) = run(quiet(ids(1..3)), body.as_bytes(), cuts);
        assert!(out == body.as_bytes());
        assert_eq!(report.notes.iter().map(|note| note.count).sum::<u64>(), 2, "{:?}", report.notes);
    }
}

#[test]
fn a_frame_that_never_ends_passes_from_the_bound_on() {
    let endless = format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{}", "x [9] ".repeat(10_000));
    let body = [CHUNK, &endless].concat();
    for cuts in CUTS {
        let mut session = citesieve_wire::Session::new(quiet(ids(1..3)).max_frame(1000));
        let mut out = bytes::BytesMut::new();
        for piece in body.as_bytes().chunks(cuts[0].min(body.len())) {
            session.push(piece, &mut out);
        }
        assert!(out.len() + 1000 + CHUNK.len() >= body.len(), "passed while it comes");
        let report = session.finish(&mut out);
        assert!(out == body.as_bytes());
        assert_eq!(report.notes[0].why, "too long");
    }
    // Frames after it are looked at again.
    let body = [&endless, "\"}}]}\n\n", &CHUNK.replace(" [", " [9].")].concat();
    let (out, _) = run(quiet(ids(1..3)).max_frame(1000), body.as_bytes(), &[100]);
    assert_eq!(String::from_utf8(out).unwrap(), [&endless, "\"}}]}\n\n", &CHUNK.replace(" [", ".")].concat());
}

#[test]
fn frames_that_wait_are_bounded() {
    // A marker that may still go on, and then frames without an end that say nothing.
    let nothing = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"}}]}\n\n".repeat(2000);
    let body = [CHUNK, &nothing].concat();
    let mut session = citesieve_wire::Session::new(quiet(ids(1..3)).max_frame(10_000));
    let mut out = bytes::BytesMut::new();
    for piece in body.as_bytes().chunks(100) {
        session.push(piece, &mut out);
    }
    assert!(out.len() + 11_000 > body.len());
    let report = session.finish(&mut out);
    assert!(out == body.as_bytes());
    assert!(report.notes.iter().any(|note| note.what == "hold"), "{:?}", report.notes);
}

#[test]
fn any_number_of_choices_and_channels() {
    let mut body = String::new();
    for index in 0..5000 {
        body += &format!(
            "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"a [\",\"k{index}\":\"x\"}}}}]}}\n\n"
        );
    }
    let (out, report) = run(quiet(ids(1..3)), body.as_bytes(), &[1000]);
    assert!(out == body.as_bytes());
    assert_eq!(report.lanes.len(), 5000);
    assert!(report.notes.len() <= 65);
}

#[test]
fn many_lanes_and_frames_for_all_of_them() {
    // Each frame that concerns all lanes stands in the queue of each: what that takes is bounded too.
    let mut body = String::new();
    for index in 0..2000 {
        body += &format!("data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"a [\"}}}}]}}\n\n");
    }
    body += &"data: {\"choices\":[]}\n\n".repeat(3000);
    body += &"data: {\"error\":{\"message\":\"no\"}}\n\n".repeat(3000);
    let (out, _) = run(quiet(ids(1..3)).max_frame(1 << 20), body.as_bytes(), &[10_000]);
    assert!(out == body.as_bytes());
}

#[test]
fn a_body_that_is_cut_anywhere_loses_nothing() {
    let body = [
        CHUNK,
        ": ping\n\n",
        "event: x\nid: 7\r\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"1].\"}}]}\r\n\r\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
        "data: [DONE]\n\n",
    ]
    .concat();
    for end in 0..=body.len() {
        for cuts in CUTS {
            let (out, _) = run(quiet(ids(1..3)), &body.as_bytes()[..end], cuts);
            // The comment may overtake.
            let mut got = out.clone();
            let mut expected = body.as_bytes()[..end].to_vec();
            got.sort_unstable();
            expected.sort_unstable();
            assert_eq!(got, expected, "{end}");
        }
    }
}

#[test]
fn invalid_utf8_is_kept_and_read_around() {
    let body = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\xff\xc3 [9].\xe2\x82\"}}]}\n\n";
    let (out, report) = run(quiet(ids(1..3)), body, &[1]);
    let expected = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\xff\xc3.\xe2\x82\"}}]}\n\n";
    assert_eq!(out, expected);
    assert_eq!(report.notes[0].what, "text");
}

#[test]
fn text_after_the_end_is_sieved_too() {
    let finish = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let late = CHUNK.replace("Due [", " late [9].");
    let body = [CHUNK, finish, "data: [DONE]\n\n", &late, finish].concat();
    let (out, report) = run(Config::new(Policy::default(), ids(1..3)), body.as_bytes(), &[50]);
    assert_eq!(lane_texts(&out, None)[0].1, "Due [ late.");
    assert_eq!(report.lanes.len(), 2, "one verdict before, one behind");
}

#[test]
fn offsets_that_point_into_characters_or_nowhere() {
    let support =
        |start: u64, end: u64| format!("{{\"segment\":{{\"startIndex\":{start},\"endIndex\":{end},\"text\":\"x\"}}}}");
    let supports =
        [(1, 2), (3, 1), (0, u64::MAX / 2), (9_999_999_999_999_999_999, 5)].map(|(a, b)| support(a, b)).join(",");
    let body = format!(
        "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"é漢 [9].\"}}]}},\
         \"groundingMetadata\":{{\"groundingSupports\":[{supports}]}}}}]}}\n\n"
    );
    for cuts in CUTS {
        let (out, _) = run(quiet(ids(1..3)), body.as_bytes(), cuts);
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("é漢.") && out.contains("\"startIndex\":1,\"endIndex\":2"), "{out}");
    }
}
