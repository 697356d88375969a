//! Policies that hold more than an edit needs, or put something behind the answer.

use std::sync::Arc;

use citesieve::{Policy, Release, Source, Sources};
use citesieve_wire::{Config, Dialect, lane_texts};
use serde_json::{Value, json};

use crate::common::{CUTS, run};

fn config(change: impl FnOnce(&mut Policy)) -> Config {
    let mut policy = Policy::default();
    change(&mut policy);
    let source = Source::new("1").text("Rent is payable on the first day of each month.");
    Config::new(policy, Sources::new(vec![source]).unwrap()).verdict(false)
}

fn sse(data: Value) -> String {
    match data["type"].as_str() {
        Some(kind) => format!("event: {kind}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    }
}

/// An answer in each dialect, in two pieces of text.
pub(crate) fn bodies(one: &str, two: &str) -> Vec<(&'static str, Vec<String>)> {
    let whole = format!("{one}{two}");
    let delta = |text: &str| json!({"type":"response.output_text.delta","item_id":"m","delta":text});
    let item = json!({"id":"m","type":"message","content":[{"type":"output_text","text":whole,"annotations":[]}]});
    let block = |text: &str| json!({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":text}});
    let part = |text: &str| json!({"type":"text-delta","id":"0","delta":text});
    let cohere = |text: &str| json!({"type":"content-delta","index":0,"delta":{"message":{"content":{"text":text}}}});
    let events = |events: Vec<Value>| events.into_iter().map(sse).collect::<Vec<_>>();
    vec![
        (
            "openai-chat",
            events(vec![
                json!({"choices":[{"index":0,"delta":{"content":one}}]}),
                json!({"choices":[{"index":0,"delta":{"content":two}}]}),
                json!({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}),
            ]),
        ),
        (
            "openai-responses",
            events(vec![
                delta(one),
                delta(two),
                json!({"type":"response.output_text.done","item_id":"m","text":whole}),
                json!({"type":"response.output_item.done","item":item}),
                json!({"type":"response.completed","response":{"output":[item],"output_text":whole}}),
            ]),
        ),
        (
            "anthropic",
            events(vec![
                json!({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}),
                block(one),
                block(two),
                json!({"type":"content_block_stop","index":0}),
                json!({"type":"message_delta","delta":{"stop_reason":"end_turn"}}),
                json!({"type":"message_stop"}),
            ]),
        ),
        (
            "gemini",
            events(vec![
                json!({"candidates":[{"content":{"parts":[{"text":one}]}}]}),
                json!({"candidates":[{"content":{"parts":[{"text":two}]},"finishReason":"STOP"}]}),
            ]),
        ),
        (
            "cohere-v2",
            events(vec![
                cohere(one),
                cohere(two),
                json!({"type":"content-end","index":0}),
                json!({"type":"message-end"}),
            ]),
        ),
        (
            "ai-sdk-ui",
            events(vec![
                json!({"type":"text-start","id":"0"}),
                part(one),
                part(two),
                json!({"type":"text-end","id":"0"}),
                json!({"type":"finish-step"}),
                json!({"type":"finish"}),
            ]),
        ),
        (
            "ollama",
            [one, two, ""]
                .map(|text| format!("{}\n", json!({"message":{"content":text},"done":text.is_empty()})))
                .to_vec(),
        ),
    ]
}

/// The types of the events, in order, where they have one.
fn kinds(body: &str) -> Vec<&str> {
    body.lines().filter_map(|line| line.strip_prefix("event: ")).collect()
}

#[test]
fn an_answer_that_fails_is_replaced_whole_and_everywhere() {
    let answer = |policy: &mut Policy| {
        policy.release = Release::Answer;
        policy.not_found_message = "Not in the \"sources\".".to_owned();
    };
    for (dialect, frames) in bodies("The rent is due in gold", " [7]. So there.") {
        let body = frames.concat();
        for cuts in CUTS {
            let (out, report) = run(config(answer), body.as_bytes(), cuts);
            let texts = lane_texts(&out, Dialect::by_name(dialect));
            assert_eq!(texts.len(), 1, "{dialect}");
            assert_eq!(texts[0].1, "Not in the \"sources\".", "{dialect}");
            assert_eq!(report.lanes.len(), 1, "{dialect}");
            let out = String::from_utf8(out).unwrap();
            assert!(!out.contains("gold") && !out.contains("So there"), "{dialect} {out}");
            assert_eq!(kinds(&out), kinds(&body), "{dialect}");
        }
    }
    // One that holds is the very bytes that came, all at the end.
    for (dialect, frames) in bodies("Rent is payable on the first day", " of each month [1].") {
        let (out, _) = run(config(answer), frames.concat().as_bytes(), &[11]);
        assert_eq!(String::from_utf8(out).unwrap(), frames.concat(), "{dialect}");
        // Cut off, it is judged as far as it came.
        let (out, _) = run(config(answer), frames[..1].concat().as_bytes(), &[11]);
        assert!(!String::from_utf8(out).unwrap().contains("payable"), "{dialect}");
    }
}

#[test]
fn what_comes_before_a_tool_call_is_not_judged_as_an_answer() {
    let body = [
        json!({"choices":[{"index":0,"delta":{"content":"Let me look it up."}}]}),
        json!({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c"}]}}]}),
        json!({"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}),
    ]
    .map(sse)
    .concat();
    let (out, _) = run(config(|policy| policy.release = Release::Answer), body.as_bytes(), &[9]);
    assert_eq!(String::from_utf8(out).unwrap(), body);
    // A tool call and nothing else: nothing is put in its place, nor behind it.
    let body = body.lines().skip(2).map(|line| format!("{line}\n")).collect::<String>();
    for release in [Release::Eager, Release::Answer] {
        let config = config(|policy| {
            policy.release = release;
            policy.notice = Some("gfm".to_owned());
        });
        assert_eq!(String::from_utf8(run(config, body.as_bytes(), &[9]).0).unwrap(), body);
    }
}

#[test]
fn a_notice_goes_behind_the_text_where_text_may_stand() {
    let noticed = || config(|policy| policy.notice = Some("\n\nUnsupported: {fabricated} \u{26a0}".to_owned()));
    let notice = "\n\nUnsupported: 1 \u{26a0}";
    for (dialect, frames) in bodies("The rent is due in gold", " [7]. So there.") {
        let body = frames.concat();
        let expected = format!("The rent is due in gold. So there.{notice}");
        for cuts in CUTS {
            let (out, report) = run(noticed(), body.as_bytes(), cuts);
            assert_eq!(lane_texts(&out, Dialect::by_name(dialect))[0].1, expected, "{dialect}");
            assert!(report.notes.is_empty(), "{dialect} {:?}", report.notes);
            let out = String::from_utf8(out).unwrap();
            // An event more, of the kind of those that bring text, before that text's end.
            let (was, is) = (kinds(&body), kinds(&out));
            if was.is_empty() {
                continue;
            }
            let delta = was.iter().position(|kind| kind.contains("delta")).unwrap();
            let mut with = was.clone();
            with.insert(delta, was[delta]);
            assert_eq!(is, with, "{dialect}");
            if dialect == "openai-responses" {
                let whole = serde_json::to_string(&expected).unwrap().replace('\u{26a0}', "\\u26a0");
                assert_eq!(out.matches(&whole).count(), 4, "{out}");
            }
        }
        // An answer that holds gets none, and passes as it came.
        let frames = bodies("Rent is payable on the first day", " of each month [1].");
        let frames = &frames.iter().find(|(name, _)| *name == dialect).unwrap().1;
        let (out, _) = run(noticed(), frames.concat().as_bytes(), &[13]);
        assert_eq!(String::from_utf8(out).unwrap(), frames.concat(), "{dialect}");
    }
}

#[test]
fn perplexitys_copies_have_the_notice_too() {
    let config = config(|policy| policy.notice = Some(" (unsupported)".to_owned()));
    let chunk = |whole: &str, delta: &str| {
        sse(json!({"choices":[{"index":0,"message":{"content":whole},"delta":{"content":delta}}]}))
    };
    let end = |whole: &str| {
        sse(json!({"choices":[{"index":0,"message":{"content":whole},"delta":{"content":""},"finish_reason":"stop"}]}))
    };
    let body = [chunk("Due [7]", "Due [7]"), chunk("Due [7] so.", " so."), end("Due [7] so.")].concat();
    let (out, _) = run(config, body.as_bytes(), &[8]);
    let expected = [
        chunk("Due", "Due"),
        chunk("Due so.", " so."),
        chunk("Due so. (unsupported)", " (unsupported)"),
        end("Due so. (unsupported)"),
    ];
    assert_eq!(String::from_utf8(out).unwrap(), expected.concat());
}

#[test]
fn nothing_is_put_anywhere_without_sources() {
    for release in [Release::Eager, Release::Claim, Release::Answer] {
        let mut policy = Policy::default();
        policy.release = release;
        policy.notice = Some("gfm".to_owned());
        let config = Config::new(policy, Arc::new(Sources::unknown()));
        for (dialect, frames) in bodies("The rent is due in gold", " [7]. So there.") {
            let (out, _) = run(config.clone(), frames.concat().as_bytes(), &[10]);
            assert_eq!(String::from_utf8(out).unwrap(), frames.concat(), "{dialect}");
        }
    }
}
