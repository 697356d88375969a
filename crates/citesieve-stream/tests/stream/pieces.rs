//! Pieces alone, and whom the report goes to.

use std::cell::RefCell;

use citesieve::Policy;
use citesieve_stream::SieveExt;
use citesieve_wire::Config;
use futures::stream::FusedStream;

use crate::support::{Act, Failure, Script, drain, poll, sources};

const DELTAS: [&str; 4] = ["Due [", "1] in", " gold [", "9"];

#[test]
fn at_the_end_the_verdict_is_handed_over_once() {
    let verdicts = RefCell::new(Vec::new());
    let mut stream = Script::items(DELTAS).sieve(Policy::default(), sources()).text_only(|verdict| {
        verdicts.borrow_mut().push(verdict);
    });
    let (pieces, _) = drain(&mut stream);
    assert_eq!(pieces.into_iter().collect::<Result<String, _>>(), Ok("Due [1] in gold [9".to_owned()));
    assert!(stream.is_terminated());
    drop(stream);
    let verdicts = verdicts.into_inner();
    assert_eq!(verdicts.len(), 1);
    assert!(verdicts[0].unchecked.iter().all(|note| note.what != "stream"));
    assert_eq!(verdicts[0].markers.total, 1);
}

#[test]
fn an_error_is_the_last_item_and_the_report_is_there_before_it() {
    let reports = RefCell::new(Vec::new());
    let frame = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Due [\"}}]}\n\n";
    let acts = [Act::Item(frame), Act::Pending, Act::Fail];
    let mut stream = Script::new(acts).sieve_wire(Config::new(Policy::default(), sources())).bytes_only(|report| {
        reports.borrow_mut().push(report);
    });
    let (items, pending) = drain(&mut stream);
    assert_eq!((items.last(), pending), (Some(&Err(Failure)), 1));
    let sent: Vec<u8> = items.into_iter().filter_map(Result::ok).flatten().collect();
    assert_eq!(String::from_utf8(sent).unwrap(), frame);
    drop(stream);
    let reports = reports.into_inner();
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].notes.last().unwrap().what, "stream");
}

#[test]
fn a_reader_who_goes_away_leaves_a_verdict() {
    for polls in 0..4 {
        let mut verdict = None;
        let mut stream =
            Script::items(DELTAS).sieve(Policy::default(), sources()).text_only(|last| verdict = Some(last));
        for _ in 0..polls {
            assert!(poll(&mut stream).is_ready());
        }
        drop(stream);
        let verdict = verdict.expect("it is called when the stream is dropped");
        assert_eq!(verdict.unchecked.last().unwrap().what, "stream", "after {polls} polls");
    }
}

#[test]
fn while_a_panic_unwinds_nobody_is_called() {
    let called = RefCell::new(false);
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _stream =
            Script::items(DELTAS).sieve(Policy::default(), sources()).text_only(|_| *called.borrow_mut() = true);
        std::panic::resume_unwind(Box::new(()));
    }));
    assert!(unwound.is_err());
    assert!(!called.into_inner());
}
