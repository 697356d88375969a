//! What waits for what, what is split, where the verdict goes.

use bytes::BytesMut;
use citesieve::{Policy, Source, Sources};
use citesieve_wire::{Config, Dialect, Failure, Session, lane_texts};
use serde_json::{Value, json};

use crate::common::{CUTS, ids, quiet, run};

fn chunk(index: u32, text: &str) -> String {
    format!("data: {}\n\n", json!({"choices":[{"index":index,"delta":{"content":text}}]}))
}

fn finish(index: u32) -> String {
    format!("data: {}\n\n", json!({"choices":[{"index":index,"delta":{},"finish_reason":"stop"}]}))
}

const DONE: &str = "data: [DONE]\n\n";

/// What leaves with each of these frames, and at the end.
fn steps(config: Config, frames: &[String]) -> Vec<String> {
    let mut session = Session::new(config);
    let mut steps = Vec::new();
    for frame in frames {
        let mut out = BytesMut::new();
        session.push(frame.as_bytes(), &mut out);
        steps.push(String::from_utf8(out.to_vec()).unwrap());
    }
    let mut out = BytesMut::new();
    session.finish(&mut out);
    steps.push(String::from_utf8(out.to_vec()).unwrap());
    steps
}

#[test]
fn prose_leaves_in_the_call_it_came_in() {
    let frames = [chunk(0, "The rent"), chunk(0, " is due"), chunk(0, ".")];
    assert_eq!(
        steps(quiet(ids(1..3)), &frames),
        [frames[0].clone(), frames[1].clone(), frames[2].clone(), String::new()]
    );
}

#[test]
fn a_frame_waits_whole_until_its_marker_is_decided() {
    let frames = [chunk(0, "Due [1"), chunk(0, "]"), chunk(0, ". Paid [9"), chunk(0, "]"), chunk(0, " then")];
    let out = steps(quiet(ids(1..3)), &frames);
    assert_eq!(out[0], "");
    assert_eq!(out[1..3].concat(), [frames[0].clone(), frames[1].clone()].concat());
    assert_eq!(out[2..].concat(), [chunk(0, ". Paid"), chunk(0, ""), frames[4].clone()].concat());
}

#[test]
fn other_lanes_comments_and_pings_do_not_wait() {
    let frames = [
        chunk(0, "Due [9"),
        ": OPENROUTER PROCESSING\n\n".to_owned(),
        chunk(1, "Paid"),
        chunk(0, "]."),
        "event: ping\n\n".to_owned(),
    ];
    let out = steps(quiet(ids(1..3)), &frames);
    assert_eq!(out[..3], [String::new(), frames[1].clone(), frames[2].clone()]);
    assert_eq!(out[3], [chunk(0, "Due"), chunk(0, ".")].concat());
    assert_eq!(out[4], frames[4]);
}

#[test]
fn a_marker_over_deltas_and_choices_leaves_the_right_choice() {
    let frames = [
        chunk(0, "a ["),
        chunk(1, "b ["),
        chunk(0, "9"),
        chunk(1, "1"),
        chunk(1, "]."),
        chunk(0, "]."),
        finish(1),
        finish(0),
    ];
    let body = [frames.concat(), DONE.to_owned()].concat();
    for cuts in CUTS {
        let (out, _) = run(quiet(ids(1..3)), body.as_bytes(), cuts);
        let mut texts = lane_texts(&out, None);
        texts.sort();
        assert_eq!(texts, [("0".to_owned(), "a.".to_owned()), ("1".to_owned(), "b [1].".to_owned())]);
    }
}

#[test]
fn held_text_goes_before_what_ends_it() {
    let tool =
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\"}]}}]}\n\n".to_owned();
    let error = "event: error\ndata: {\"error\":{\"message\":\"no\"}}\n\n".to_owned();
    let usage = "data: {\"choices\":[],\"usage\":{\"total_tokens\":3}}\n\n".to_owned();
    for last in [finish(0), tool, error, DONE.to_owned()] {
        let frames = [chunk(0, "Due ["), last.clone(), usage.clone()];
        let out = steps(quiet(ids(1..3)), &frames);
        assert_eq!(out[0], "", "{last}");
        assert_eq!(out[1], [frames[0].clone(), last.clone()].concat(), "{last}");
        assert_eq!(out[2], usage);
    }
    // A usage chunk alone keeps its place behind held text; the end lets both go.
    let frames = [chunk(0, "Due ["), usage.clone()];
    assert_eq!(steps(quiet(ids(1..3)), &frames), [String::new(), String::new(), frames.concat()]);
    // Text and its end in one frame: text first.
    let both = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" [9]\"},\"finish_reason\":\"stop\"}]}\n\n";
    let out = steps(quiet(ids(1..3)), &[chunk(0, "Due"), both.to_owned()]);
    assert_eq!(out[1], both.replace(" [9]", ""));
}

#[test]
fn a_long_frame_is_split_where_its_text_is_decided() {
    let role = |text: &str| {
        let chunk = json!({"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":text}}],"usage":null});
        format!("data: {chunk}\n\n")
    };
    let long = "é\n word".repeat(60);
    let frames = [role(&format!("{long} [9")), chunk(0, "] and")];
    let out = steps(quiet(ids(1..3)).split_frames_over(256), &frames);
    assert_eq!(out[0], role(&long));
    assert_eq!(out[1], [role(""), chunk(0, " and")].concat());
    // Not worth it, not wanted, or not to be sent twice.
    assert_eq!(steps(quiet(ids(1..3)).split_frames_over(1000), &frames)[0], "");
    assert_eq!(steps(quiet(ids(1..3)), &frames)[0], "");
    for other in [
        json!({"choices":[{"index":0,"delta":{"content":format!("{long} [9"),"reasoning":"x"}}]}),
        json!({"choices":[{"index":0,"delta":{"content":format!("{long} [9")}}],"usage":{"total_tokens":1}}),
        json!({"choices":[{"index":0,"delta":{"content":format!("{long} [9")},"logprobs":{"content":[{"token":"x"}]}}]}),
    ] {
        assert_eq!(steps(quiet(ids(1..3)).split_frames_over(256), &[format!("data: {other}\n\n")])[0], "");
    }
}

#[test]
fn replacements_are_spelled_like_the_stream() {
    let ascii =
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"caf\\u00E9 \\/ [1, 9]\\ud83d\\ude42\"}}]}\n\n";
    let out = steps(quiet(ids(1..3)), &[ascii.to_owned()]).concat();
    assert_eq!(out, ascii.replace("[1, 9]", "[1]"));
}

#[test]
fn log_probabilities_of_an_edited_chunk_are_blanked() {
    let frame = |text: &str, logprobs: &str| {
        format!(
            "data: {{\"choices\":[{{\"logprobs\":{{\"content\":{logprobs},\"refusal\":null}},\
             \"delta\":{{\"content\":\"{text}\"}},\"index\":0}}]}}\n\n"
        )
    };
    let some = "[{\"token\":\"x\",\"logprob\":-0.1}]";
    let out = steps(quiet(ids(1..3)), &[frame("Due", some), frame(" [9]", some), frame(" now", some)]).concat();
    assert_eq!(out, [frame("Due", some), frame("", "[]"), frame(" now", some)].concat());
}

fn verdict_in(frame: &str) -> Value {
    let data: Value = serde_json::from_str(frame.trim().strip_prefix("data: ").unwrap_or(frame)).unwrap();
    data["citesieve"].clone()
}

#[test]
fn the_verdict_is_on_the_last_frame_that_finishes() {
    let config = || Config::new(Policy::default(), ids(1..3));
    let usage = "data: {\"choices\":[],\"usage\":{\"total_tokens\":3}}\n\n".to_owned();
    // One choice: with whatever comes next.
    for next in [Some(DONE.to_owned()), Some(usage.clone()), None] {
        let frames: Vec<_> =
            [Some(chunk(0, "Due [9].")), Some(finish(0)), next.clone()].into_iter().flatten().collect();
        let out = steps(config(), &frames);
        assert_eq!(out[0], chunk(0, "Due."));
        assert_eq!(out[1], "");
        let last = next.clone().unwrap_or_default();
        let finish = out[2].strip_suffix(last.as_str()).unwrap();
        assert_eq!(verdict_in(finish)["markers"]["fabricated"], 1, "{finish}");
    }
    // Repeated by the server: the last one.
    let out = steps(config(), &[chunk(0, "Due."), finish(0), finish(0), DONE.to_owned()]);
    assert_eq!(out[2], finish(0));
    assert!(out[3].contains("citesieve") && out[3].ends_with(DONE));
    // Several choices: the last of all, with all verdicts.
    let out = steps(
        config(),
        &[chunk(0, "a [9]."), chunk(1, "b."), finish(1), chunk(0, "c."), finish(0), usage.clone(), DONE.to_owned()],
    );
    assert_eq!(out[3], [finish(1), chunk(0, "c.")].concat());
    let verdict = verdict_in(out[5].strip_suffix(usage.as_str()).unwrap());
    assert_eq!(verdict["choices"][0]["index"], 0);
    assert_eq!(verdict["choices"][0]["verdict"]["markers"]["fabricated"], 1);
    assert_eq!(verdict["choices"][1]["index"], 1);
    assert_eq!(verdict["choices"][1]["verdict"]["markers"]["fabricated"], 0);
    // Not without sources, nor when it is not wanted.
    let frames = [chunk(0, "Due [9]."), finish(0), DONE.to_owned()];
    assert_eq!(steps(Config::new(Policy::default(), Sources::unknown()), &frames)[..3], frames);
    assert_eq!(steps(quiet(ids(1..20)), &frames).concat(), frames.concat());
}

/// Found by the fuzzer: an event whose type is the prefix of all others and the suffix of the text events, nothing between.
#[test]
fn a_delta_of_responses_without_a_name_is_said_too() {
    let body = format!(
        "data: {}\n\ndata: {}\n\n",
        json!({"type": "response.delta", "item_id": "m", "delta": "Due [9]."}),
        json!({"type": "response.output_text.delta", "item_id": "m", "delta": "Due [9]."}),
    );
    let dialect = Dialect::by_name("openai-responses");
    let (out, report) = run(quiet(ids(1..3)).dialect(dialect), body.as_bytes(), &[5]);
    assert_eq!(lane_texts(&out, dialect)[0].1, "Due.");
    assert_eq!(report.notes[0].why, "delta");
}

#[test]
fn what_passes_unfiltered_is_said() {
    let body = [
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm [9]\"}}]}\n\n".to_owned(),
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"refusal\":\"no [9]\",\"tool_calls\":[],\"audio\":null}}]}\n\n"
            .to_owned(),
        "data: {\"choices\":[{\"index\":0,\"delta\":\n\n".to_owned(),
        "data: {\"hello\":1}\n\n".to_owned(),
        chunk(0, "Due [9]."),
        finish(0),
        DONE.to_owned(),
    ];
    let (out, report) = run(Config::new(Policy::default(), ids(1..3)), body.concat().as_bytes(), &[5]);
    let notes: Vec<_> = report.notes.iter().map(|note| (note.what.as_str(), note.why.as_str(), note.count)).collect();
    assert_eq!(
        notes,
        [
            ("channel", "reasoning_content", 1),
            ("channel", "refusal", 1),
            ("frame", "malformed JSON", 1),
            ("frame", "of an unknown shape", 1)
        ]
    );
    let out = String::from_utf8(out).unwrap();
    assert!(out.starts_with(&body[..4].concat()), "{out}");
    let finish = out.rsplit("data: ").nth(1).unwrap();
    assert_eq!(verdict_in(finish)["unchecked"].as_array().unwrap().len(), 4, "{finish}");
}

#[test]
fn of_a_repeated_key_the_last_counts() {
    let frame = r#"data: {"choices":[{"index":1,"index":0,"delta":{"content":"[9]","c\u006fntent":"Due [9]."}}]}"#
        .to_owned()
        + "\n\n";
    let out = steps(quiet(ids(1..3)), std::slice::from_ref(&frame)).concat();
    assert_eq!(out, frame.replace("Due [9].", "Due."));
}

#[test]
fn bodies_that_are_not_streamed() {
    let sources = || ids(1..3);
    let cases = [
        (
            "openai-chat",
            json!({"object":"chat.completion","choices":[{"index":0,"message":{"content":"Due [9]."},"finish_reason":"stop"}]}),
        ),
        (
            "openai-completions",
            json!({"object":"text_completion","choices":[{"index":0,"text":"Due [9].","finish_reason":"stop"}]}),
        ),
        (
            "openai-responses",
            json!({"object":"response","output":[{"type":"message","content":[{"type":"output_text","text":"Due [9].",
            "annotations":[{"type":"url_citation","start_index":7,"end_index":8}]}]}],"output_text":"Due [9]."}),
        ),
        (
            "anthropic",
            json!({"type":"message","content":[{"type":"text","text":"Due"},{"type":"text","text":" [9]."}],"stop_reason":"end_turn"}),
        ),
        ("gemini", json!({"candidates":[{"content":{"parts":[{"text":"Due [9]."}]},"finishReason":"STOP"}]})),
        (
            "cohere-v2",
            json!({"message":{"role":"assistant","content":[{"type":"text","text":"Due [9]."}],
            "citations":[{"start":7,"end":8,"text":"."}]},"finish_reason":"COMPLETE"}),
        ),
        (
            "cohere-v1",
            json!({"generation_id":"x","text":"Due [9].","chat_history":[{"role":"USER","message":"Due [9]?"},{"role":"CHATBOT","message":"Due [9]."}]}),
        ),
        ("ollama", json!({"model":"m","message":{"content":"Due [9]."},"done":true})),
    ];
    for (dialect, body) in cases {
        for text in [body.to_string(), serde_json::to_string_pretty(&body).unwrap()] {
            for cuts in CUTS {
                let (out, report) = run(Config::new(Policy::default(), sources()), text.as_bytes(), cuts);
                assert_eq!(report.dialect.as_deref(), Some(dialect), "{text}");
                let mut out: Value = serde_json::from_slice(&out).unwrap();
                let verdict = out.as_object_mut().unwrap().remove("citesieve").unwrap();
                assert_eq!(verdict["markers"]["fabricated"], 1, "{dialect}");
                let shifted = text.replace(" [9]", "").replace("Due?", "Due [9]?");
                let shifted: Value = serde_json::from_str(&shifted).unwrap();
                let expected = shifted
                    .to_string()
                    .replace("\"start_index\":7", "\"start_index\":3")
                    .replace("\"end_index\":8", "\"end_index\":4")
                    .replace("\"start\":7", "\"start\":3")
                    .replace("\"end\":8", "\"end\":4");
                assert_eq!(out.to_string(), expected, "{dialect}");
            }
        }
    }
}

#[test]
fn geminis_array_form() {
    let items = [
        json!({"candidates":[{"content":{"parts":[{"text":"Due [7"}]}}]}),
        json!({"candidates":[{"content":{"parts":[{"text":"7]."}]},"finishReason":"STOP"}]}),
    ];
    let body = format!("[{}\n,\r\n{}\n]\n", items[0], serde_json::to_string_pretty(&items[1]).unwrap());
    for cuts in CUTS {
        let (out, report) = run(quiet(ids(1..3)), body.as_bytes(), cuts);
        assert_eq!(String::from_utf8(out).unwrap(), body.replace("Due [7", "Due").replace("7].", "."));
        assert_eq!(report.dialect.as_deref(), Some("gemini"));
        assert!(report.notes.is_empty(), "{:?}", report.notes);
    }
}

#[test]
fn dialects_by_name_and_path() {
    for dialect in Dialect::all() {
        assert_eq!(Dialect::by_name(dialect.name()), Some(dialect));
    }
    let by_path = |path| Dialect::by_path(path).map(Dialect::name);
    assert_eq!(by_path("/v1/chat/completions"), Some("openai-chat"));
    assert_eq!(by_path("/openai/deployments/x/chat/completions?api-version=1"), Some("openai-chat"));
    assert_eq!(by_path("/v1/completions"), Some("openai-completions"));
    assert_eq!(by_path("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse"), Some("gemini"));
    assert_eq!(by_path("/v1/messages/"), Some("anthropic"));
    assert_eq!(by_path("/v1/models"), None);
    for kind in
        ["text/event-stream; charset=utf-8", "application/json", "Application/X-NDJSON", "application/stream+json"]
    {
        assert!(Dialect::reads(kind), "{kind}");
    }
    for kind in ["application/vnd.amazon.eventstream", "audio/mpeg", "text/html", ""] {
        assert!(!Dialect::reads(kind), "{kind}");
    }
    assert!(!Dialect::by_name("gemini").unwrap().allows_comments());
}

#[test]
fn sources_that_the_response_sends() {
    let config = || Config::new(Policy::default(), Sources::unknown()).verdict(false).response_sources(true);
    // Perplexity: known by number.
    let chunk = json!({
        "citations": ["https://a.example", "https://b.example"],
        "search_results": [{"title": "A", "url": "https://a.example"}, {"title": "B", "url": "https://b.example"}],
        "choices": [{"index": 0, "delta": {"content": "Due [2], paid [3]."}}],
    });
    let (out, report) = run(config(), format!("data: {chunk}\n\n").as_bytes(), &[9]);
    assert_eq!(lane_texts(&out, None)[0].1, "Due [2], paid.");
    assert_eq!(report.sources.len(), 2);
    assert_eq!((report.sources[1].id.as_str(), report.sources[1].title.as_deref()), ("2", Some("B")));
    // Azure: with their words, which block quotations are checked against.
    let context =
        json!({"citations": [{"content": "Rent is payable on the first day of each month.", "title": "Lease"}]});
    let frames = [
        format!("data: {}\n\n", json!({"choices":[{"index":0,"delta":{"role":"assistant","context":context}}]})),
        self::chunk(0, "It says [doc1]:\n\n> Rent is payable on the first day of each month.\n\n"),
        self::chunk(0, "> Rent is payable in gold on the second day.\n\nSo [doc2]."),
    ];
    let (out, report) = run(config(), frames.concat().as_bytes(), &[9]);
    assert_eq!(
        lane_texts(&out, None)[0].1,
        "It says [doc1]:\n\n> Rent is payable on the first day of each month.\n\nRent is payable in gold on the second day.\n\nSo."
    );
    assert_eq!(report.sources[0].text.as_deref(), Some("Rent is payable on the first day of each month."));
    // Not asked for: nothing is known.
    let (out, report) = run(config().response_sources(false), frames.concat().as_bytes(), &[9]);
    assert_eq!(out, frames.concat().as_bytes());
    assert!(report.sources.is_empty());
}

/// Anthropic's web search: the answer has begun when its results come.
#[test]
fn sources_that_come_in_the_middle_of_an_answer() {
    let event = |data: Value| format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap());
    let start = |index: u32, block: Value| {
        event(json!({"type": "content_block_start", "index": index, "content_block": block}))
    };
    let text = |index: u32, text: &str| {
        let delta = json!({"type": "text_delta", "text": text});
        event(json!({"type": "content_block_delta", "index": index, "delta": delta}))
    };
    let stop = |index: u32| event(json!({"type": "content_block_stop", "index": index}));
    let results = json!({"type": "web_search_tool_result", "tool_use_id": "t", "content": [
        {"type": "web_search_result", "title": "A", "url": "https://a.example", "encrypted_content": "x"},
        {"type": "web_search_result", "title": "B", "url": "https://b.example", "encrypted_content": "y"},
    ]});
    let body = [
        event(json!({"type": "message_start", "message": {"id": "m", "content": []}})),
        start(0, json!({"type": "text", "text": ""})),
        text(0, "Let me look [9]."),
        stop(0),
        start(1, results),
        stop(1),
        start(2, json!({"type": "text", "text": ""})),
        text(2, "Due [2], paid [3"),
        text(2, "]."),
        stop(2),
        event(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})),
        event(json!({"type": "message_stop"})),
    ]
    .concat();
    let config = Config::new(Policy::default(), Sources::unknown()).verdict(false).response_sources(true);
    let whole = run(config.clone(), body.as_bytes(), &[usize::MAX]);
    for cuts in CUTS {
        assert_eq!(run(config.clone(), body.as_bytes(), cuts), whole);
    }
    assert_eq!(lane_texts(&whole.0, None)[0].1, "Let me look [9].Due [2], paid.");
    let markers = whole.1.lanes[0].1.markers;
    assert_eq!((markers.real, markers.fabricated), (1, 1));
}

#[test]
fn a_frame_that_cannot_be_looked_at_ends_the_body_if_that_is_wanted() {
    let closed = || quiet(ids(1..3)).failure(Failure::Closed);
    let body = [chunk(0, "Due ["), "data: {\"choices\":[\n\n".to_owned(), chunk(0, "9]."), DONE.to_owned()].concat();
    for cuts in CUTS {
        let (out, report) = run(closed(), body.as_bytes(), cuts);
        let out = String::from_utf8(out).unwrap();
        let error = out.strip_prefix(chunk(0, "Due [").as_str()).unwrap();
        let error: Value = serde_json::from_str(error.strip_prefix("data: ").unwrap().trim_end()).unwrap();
        assert!(error["error"]["message"].as_str().unwrap().contains("malformed JSON"));
        assert_eq!(report.notes[0].what, "frame");
    }
    for (dialect, start, key) in [
        ("anthropic", "event: message_start\ndata: {\"type\":\"message_start\"}\n\n", "error"),
        ("ollama", "{\"message\":{},\"done\":false}\n", "error"),
        ("gemini", "data: {\"candidates\": []}\r\n\r\n", "error"),
        ("ai-sdk-ui", "data: {\"type\":\"start\"}\n\n", "errorText"),
    ] {
        let bad = if start.starts_with('{') { "{\"message\n" } else { "data: {]\n\n" };
        let (out, report) = run(closed(), [start, bad, start].concat().as_bytes(), &[4]);
        assert_eq!(report.dialect.as_deref(), Some(dialect));
        let out = String::from_utf8(out).unwrap();
        let error = out.strip_prefix(start).unwrap();
        let error: Value = serde_json::from_str(&error[error.find('{').unwrap()..]).unwrap();
        assert!(error.get(key).is_some(), "{dialect} {error}");
    }
    // With no sources known nothing is checked, so nothing fails.
    let config = Config::new(Policy::default(), Sources::unknown()).failure(Failure::Closed);
    assert_eq!(run(config, body.as_bytes(), &[7]).0, body.as_bytes());
}

#[test]
fn a_surrogate_pair_cut_over_two_deltas_stays_as_it_is() {
    let half = |half: &str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{half}\"}}}}]}}\n\n");
    let frames = [half("a \\uD83d"), half("\\ude42 [9]."), half(" b")];
    let out = steps(quiet(ids(1..3)), &frames);
    assert_eq!(out.concat(), frames.concat().replace(" [9]", ""));
}

#[test]
fn anthropics_answer_runs_over_blocks() {
    let event = |data: Value| format!("event: {}\ndata: {data}  \n\n", data["type"].as_str().unwrap());
    let start = |index: u32| {
        event(json!({"type":"content_block_start","index":index,"content_block":{"type":"text","text":""}}))
    };
    let text = |index: u32, text: &str| {
        event(json!({"type":"content_block_delta","index":index,"delta":{"type":"text_delta","text":text}}))
    };
    let stop = |index: u32| event(json!({"type":"content_block_stop","index":index}));
    let citation = event(
        json!({"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{"cited_text":"x [9]"}}}),
    );
    let end = event(json!({"type":"message_delta","delta":{"stop_reason":"end_turn"}}));
    let ping = event(json!({"type":"ping"}));
    // Held text leaves before its block ends, undecided as it is; a marker inside one block goes.
    let frames = [
        start(0),
        text(0, "The rent ["),
        ping.clone(),
        stop(0),
        start(1),
        citation.clone(),
        text(1, "9] is due [9"),
        text(1, "]."),
        stop(1),
        end.clone(),
    ];
    let out = steps(quiet(ids(1..3)), &frames);
    assert_eq!(out[..4], [frames[0].clone(), String::new(), ping, [frames[1].clone(), frames[3].clone()].concat()]);
    assert_eq!(
        out.concat().replace("event: ping\ndata: {\"type\":\"ping\"}  \n\n", ""),
        [
            start(0),
            text(0, "The rent ["),
            stop(0),
            start(1),
            citation,
            text(1, "9] is due"),
            text(1, "."),
            stop(1),
            end.clone()
        ]
        .concat()
    );
    // Claims run on: one verdict, on the event with the reason why it stopped, before the padding.
    let out = steps(Config::new(Policy::default(), ids(1..3)), &frames);
    let last = out[9].lines().nth(1).unwrap();
    assert!(last.ends_with("}}  "), "{last}");
    assert_eq!(verdict_in(last)["markers"]["fabricated"], 1);
    // The body that is not streamed gives the same.
    let body = json!({"type":"message","content":[{"type":"text","text":"The rent ["},{"type":"text","text":"9] is due [9]."}],"stop_reason":"end_turn"});
    let (out, _) = run(quiet(ids(1..3)), body.to_string().as_bytes(), &[5]);
    assert_eq!(String::from_utf8(out).unwrap(), body.to_string().replace("due [9].", "due."));
}

#[test]
fn a_session_can_be_sent_to_another_thread() {
    fn sendable<T: Send + Sync>() {}
    sendable::<Session>();
}

/// What stands behind a tool call begins a paragraph, whatever the text before it ended in: a block quotation there is
/// one, and is demoted if no source has it.
#[test]
fn text_after_a_tool_call_begins_a_paragraph() {
    let sources =
        || Sources::new(vec![Source::new("1").text("Rent is payable on the first day of each month.")]).unwrap();
    fn sse(data: Value) -> String {
        format!("data: {data}\n\n")
    }
    let anthropic = |quote: &str| {
        [
            json!({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}),
            json!({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Let me look it up [1]"}}),
            json!({"type":"content_block_stop","index":0}),
            json!({"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","name":"web_search"}}),
            json!({"type":"content_block_stop","index":1}),
            json!({"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}),
            json!({"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":quote}}),
            json!({"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":" in gold.\n\nSo [7]."}}),
            json!({"type":"content_block_stop","index":2}),
        ]
        .map(sse)
        .concat()
    };
    let gemini = |quote: &str| {
        [
            json!({"candidates":[{"content":{"parts":[{"text":"Let me look it up [1]"},{"functionCall":{"name":"x"}},{"text":quote}]}}]}),
            json!({"candidates":[{"content":{"parts":[{"text":" in gold.\n\nSo [7]."}]},"finishReason":"STOP"}]}),
        ]
        .map(sse)
        .concat()
    };
    let ai_sdk = |quote: &str| {
        [
            json!({"type":"text-start","id":"0"}),
            json!({"type":"text-delta","id":"0","delta":"Let me look it up [1]"}),
            json!({"type":"text-end","id":"0"}),
            json!({"type":"tool-input-start","toolCallId":"t"}),
            json!({"type":"text-start","id":"0"}),
            json!({"type":"text-delta","id":"0","delta":quote}),
            json!({"type":"text-delta","id":"0","delta":" in gold.\n\nSo [7]."}),
            json!({"type":"text-end","id":"0"}),
        ]
        .map(sse)
        .concat()
    };
    let bodies: [fn(&str) -> String; 3] = [anthropic, gemini, ai_sdk];
    for body in bodies.map(|body| (body("> Rent is payable"), body("Rent is payable"))) {
        for cuts in CUTS {
            let (out, report) = run(quiet(sources().into()), body.0.as_bytes(), cuts);
            assert_eq!(String::from_utf8(out).unwrap(), body.1.replace(" [7]", ""));
            assert_eq!(report.lanes.len(), 1);
            assert_eq!(report.lanes[0].1.block_counts.not_found, 1);
        }
    }
}

#[test]
fn ai_sdk_answers_run_over_parts() {
    let event = |data: Value| format!("data: {data}\n\n");
    let end = |end: u32| json!({"type":"text-end","id":"b","providerMetadata":{"openai":{"annotations":[{"start_index":0,"end_index":end}]}}});
    let body = |one: &str, two: &str, end: Value| {
        [
            json!({"type":"start"}),
            json!({"type":"text-start","id":"a"}),
            json!({"type":"text-delta","id":"a","delta":one}),
            json!({"type":"text-end","id":"a"}),
            json!({"type":"text-start","id":"b"}),
            json!({"type":"text-delta","id":"b","delta":two}),
            end,
        ]
        .map(event)
        .concat()
    };
    // Offsets count from the start of their own part.
    let given = body("The rent [9]", " is due [8] monthly", end(19));
    let (out, report) = run(quiet(ids(1..3)), given.as_bytes(), &[6]);
    assert_eq!(String::from_utf8(out).unwrap(), body("The rent", " is due monthly", end(15)));
    assert_eq!(report.lanes.len(), 1);
    // Parts that are open at the same time are not mixed up.
    let both = ["a", "b"].map(|id| event(json!({"type":"text-start","id":id}))).concat()
        + &[("a", "x ["), ("b", "y ["), ("a", "9]"), ("b", "1].")]
            .map(|(id, text)| event(json!({"type":"text-delta","id":id,"delta":text})))
            .concat();
    let (out, _) = run(quiet(ids(1..3)), both.as_bytes(), &[6]);
    let mut texts = lane_texts(&out, None);
    texts.sort();
    assert_eq!(texts, [("a".to_owned(), "x".to_owned()), ("b".to_owned(), "y [1].".to_owned())]);
}
