//! Streams of text.

use std::pin::Pin;
use std::task::Poll;

use citesieve::{Policy, Release, Source, Sources, Status};
use citesieve_stream::{SieveExt, TextEvent};
use futures::stream::FusedStream;
use futures::{FutureExt, StreamExt};
use proptest::prelude::*;

use crate::support::{Act, Failure, Script, cut, drain, expected, poll, sources};

const ANSWER: &str =
    "Rent \"is due monthly\" [1], in gold [7], (see [2, 9]).\n\n> Rent is due monthly in\n> silver [1].\n\nSo [";

/// The text of all events, and the verdict, which must come last and once.
fn whole(events: Vec<TextEvent>) -> (String, citesieve::Verdict) {
    let mut events = events.into_iter().rev();
    let Some(TextEvent::Verdict(verdict)) = events.next() else { panic!("no verdict at the end") };
    let pieces: Vec<String> = events
        .map(|event| match event {
            TextEvent::Text(text) if !text.is_empty() => text,
            other => panic!("{other:?} before the end"),
        })
        .collect();
    (pieces.into_iter().rev().collect(), *verdict)
}

fn strings(acts: Vec<Act<Vec<char>>>) -> Vec<Act<String>> {
    acts.into_iter()
        .map(|act| match act {
            Act::Item(chars) => Act::Item(chars.into_iter().collect()),
            Act::Pending => Act::Pending,
            Act::Fail => Act::Fail,
        })
        .collect()
}

fn policy(release: Release) -> Policy {
    let mut policy = Policy::default();
    policy.release = release;
    policy
}

proptest! {
    #[test]
    fn the_cuts_and_the_waits_do_not_matter(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "Rent is due", " [1]", " [", "7", "]", "[2, 9]", "\"is due monthly\"", "\n", "\n\n> ", "é", "漢", "`", "$", ". ", " ",
        ]), 0..30),
        lengths in prop::collection::vec(1usize..9, 1..5),
        wait in 1usize..4,
        release in prop::sample::select(vec![Release::Eager, Release::Claim, Release::Answer]),
    ) {
        let text = pieces.concat();
        let policy = policy(release);
        let chars: Vec<char> = text.chars().collect();
        let acts = strings(cut(&chars, &lengths, wait));
        let waits = acts.iter().filter(|act| matches!(act, Act::Pending)).count();
        let script = Script::new(acts.clone());
        let polls = script.polls.clone();
        let mut stream = script.sieve(policy.clone(), sources());
        let (events, pending) = drain(&mut stream);
        prop_assert_eq!(whole(events.into_iter().map(Result::unwrap).collect()), expected(&text, &policy));
        // Each act of the script was asked for once, and its end.
        prop_assert_eq!((pending, polls.get()), (waits, acts.len() + 1));

        let items = acts.into_iter().filter_map(|act| if let Act::Item(item) = act { Some(item) } else { None });
        let (events, _) = drain(&mut futures::stream::iter(items).sieve_infallible(policy.clone(), sources()));
        prop_assert_eq!(whole(events), expected(&text, &policy));
    }

    #[test]
    fn whatever_is_read_before_an_error_leaves_before_it(
        at in 0usize..ANSWER.len(),
        lengths in prop::collection::vec(1usize..9, 1..5),
        release in prop::sample::select(vec![Release::Eager, Release::Claim, Release::Answer]),
    ) {
        let policy = policy(release);
        let chars: Vec<char> = ANSWER.chars().take(at).collect();
        let mut acts = strings(cut(&chars, &lengths, 3));
        acts.push(Act::Fail);
        // Not for this answer: an error ends it.
        acts.push(Act::Item("lost?".to_owned()));
        let (mut events, _) = drain(&mut Script::new(acts).sieve(policy.clone(), sources()));
        let last = events.pop();
        prop_assert_eq!(events.pop(), Some(Err(Failure)));
        let (text, mut verdict) = expected(&chars.iter().collect::<String>(), &policy);
        let shown: String = events.iter().map(|event| event.as_ref().unwrap().text().unwrap()).collect();
        prop_assert_eq!(shown, text);
        let Some(Ok(TextEvent::Verdict(last))) = last else { panic!("no verdict at the end") };
        prop_assert_eq!(last.unchecked.last().map(|note| note.what.as_str()), Some("stream"));
        verdict.unchecked.extend(last.unchecked.last().cloned());
        prop_assert_eq!(*last, verdict);
    }
}

#[test]
fn the_inner_stream_is_polled_only_when_nothing_can_be_yielded() {
    let script = Script::items(["Due [", "1", "] in", " gold [9", "]."]);
    let polls = script.polls.clone();
    let mut stream = script.sieve(Policy::default(), sources());
    assert_eq!(polls.get(), 0);
    let mut seen = Vec::new();
    loop {
        match poll(&mut stream) {
            Poll::Ready(Some(Ok(event))) => seen.push((event.text().map(str::to_owned), polls.get())),
            other => {
                assert_eq!(other, Poll::Ready(None));
                break;
            }
        }
    }
    let texts = |text: &str, polls| (Some(text.to_owned()), polls);
    // Six polls: five items and the end. What is owed after the end asks for nothing.
    assert_eq!(seen, [texts("Due", 1), texts(" [1] in", 3), texts(" gold", 4), texts(".", 5), (None, 6)]);
    assert_eq!(polls.get(), 6);
}

#[test]
fn a_wait_that_is_given_up_loses_nothing() {
    let acts = ["Due [", "7", "] in", " gold", " [9"].map(|item| [Act::Pending, Act::Item(item)]).concat();
    let mut stream = Script::new(acts).sieve(Policy::default(), sources());
    let mut shown = String::new();
    let (mut given_up, mut verdict) = (0, None);
    loop {
        // A new future for each attempt, dropped if it is not ready.
        match stream.next().now_or_never() {
            None => given_up += 1,
            Some(None) => break,
            Some(Some(Ok(TextEvent::Text(text)))) => shown += &text,
            Some(Some(Ok(TextEvent::Verdict(last)))) => verdict = Some(last),
            Some(Some(Err(Failure))) => panic!("no error was told"),
        }
    }
    assert_eq!((shown.as_str(), given_up), ("Due in gold [9", 5));
    assert_eq!(verdict.unwrap().markers.fabricated, 1);
}

#[test]
fn an_answer_that_is_withheld_comes_at_the_end_or_its_message_does() {
    let mut policy = policy(Release::Answer);
    policy.not_found_message = "Nothing was found.".to_owned();
    for (deltas, shown) in
        [(["Due ", "monthly [", "1]."], "Due monthly [1]."), (["Due ", "in gold [", "7]."], "Nothing was found.")]
    {
        let (events, _) = drain(&mut Script::items(deltas).sieve(policy.clone(), sources()));
        // One piece and the verdict.
        assert_eq!(events.len(), 2);
        assert_eq!(whole(events.into_iter().map(Result::unwrap).collect()).0, shown);
    }
}

#[test]
fn with_no_sources_known_everything_passes() {
    let chars: Vec<char> = ANSWER.chars().collect();
    let acts = strings(cut(&chars, &[1, 4], 2));
    let (events, _) = drain(&mut Script::new(acts).sieve(Policy::default(), Sources::unknown()));
    let (text, verdict) = whole(events.into_iter().map(Result::unwrap).collect());
    assert_eq!((text.as_str(), verdict.status), (ANSWER, Status::Unchecked));
}

#[test]
fn it_knows_when_it_is_over() {
    let mut stream = Script::items(["Due ["]).sieve(Policy::default(), sources());
    let mut left = 0;
    while !stream.is_terminated() {
        assert!(poll(&mut stream).is_ready());
        left += 1;
    }
    // "Due", " [", the verdict.
    assert_eq!(left, 3);
}

#[test]
fn sources_may_come_while_the_answer_streams() {
    let two = Script::items(["Due [2].", " Paid [2]", ", not [7]."]);
    let mut stream = two.sieve(Policy::default(), Sources::new(vec![Source::new("1")]).unwrap());
    assert_eq!(poll(&mut stream), Poll::Ready(Some(Ok(TextEvent::Text("Due.".to_owned())))));
    Pin::new(&mut stream).set_sources(sources());
    let (events, _) = drain(&mut stream);
    Pin::new(&mut stream).set_sources(Sources::unknown());
    let (text, verdict) = whole(events.into_iter().map(Result::unwrap).collect());
    assert_eq!((text.as_str(), verdict.markers.fabricated), (" Paid [2], not.", 2));
}
