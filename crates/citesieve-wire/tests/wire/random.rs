//! Any frames, any escapes, any cuts: the stream carries what the sieve makes of its text, and nothing else changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use citesieve::{
    FailedCitations, FailedClaims, InlineQuotes, Misattributed, Policy, Release, Rendering, Source, Sources, TextSieve,
};
use citesieve_wire::{Dialect, lane_texts};
use proptest::prelude::*;

use crate::common::{forward, frames as frame_lengths, ids, quiet, run};

/// Spells text as a JSON string; `style` picks among the spellings.
fn spell(text: &str, style: u8) -> String {
    let mut out = String::from("\"");
    for (at, char) in text.chars().enumerate() {
        let escape = match style % 4 {
            0 => false,
            1 => !char.is_ascii(),
            2 => true,
            _ => at % 3 == 0,
        };
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' if !escape => out.push_str("\\n"),
            '/' if style >= 128 => out.push_str("\\/"),
            _ if escape || char < ' ' => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    out += &if style >= 64 { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
                }
            }
            _ => out.push(char),
        }
    }
    out.push('"');
    out
}

pub(crate) fn piece() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "The rent",
        " is due",
        " ",
        "[",
        "]",
        " [",
        "9",
        "1",
        " [1]",
        "[9]",
        "[2, 7]",
        " [1-4]",
        ", ",
        ".",
        "\n",
        "\n\n",
        "> ",
        "> So it is written.",
        "`",
        "``",
        "$",
        "\"",
        "\\",
        "é",
        "🙂",
        "漢",
        "",
        "[[",
        "]]",
        "(",
        ")",
        "**",
        "| [8] |",
        "/",
        "[Source 9]",
        "![a](b)",
        "<b>",
        "world[9]",
        "\"So it is written\" ",
        "\"Nothing else is said\"",
        " \u{201c}so many words that nobody wrote\u{201d}",
        "- [ ] ",
    ])
    .prop_map(str::to_owned)
}

/// What a policy may do to a text, and when it lets it go.
fn policy() -> impl Strategy<Value = Policy> {
    use prop::sample::select;
    let answer = (
        select(vec![Release::Eager, Release::Eager, Release::Claim, Release::Answer]),
        select(vec![FailedClaims::Keep, FailedClaims::Mark, FailedClaims::Drop]),
        any::<bool>(),
    );
    let parts = (
        select(vec![InlineQuotes::Report, InlineQuotes::Demote]),
        select(vec![FailedCitations::Keep, FailedCitations::Drop]),
        select(vec![Misattributed::Report, Misattributed::Move, Misattributed::Drop]),
        select(vec![Rendering::Keep, Rendering::Keep, Rendering::Link, Rendering::Remove, Rendering::Renumber]),
    );
    (answer, parts).prop_map(|((release, failed, notice), (quotes, citations, misattributed, markers))| {
        let mut policy = Policy::default();
        policy.release = release;
        policy.failed_claims = failed;
        policy.notice = notice.then(|| "\n\n\u{26a0} \"{reasons}\"".to_owned());
        policy.inline_quotes = quotes;
        policy.failed_citations = citations;
        policy.misattributed = misattributed;
        policy.markers = markers;
        policy
    })
}

/// So many sources with a text and an address.
fn worded_sources(count: u32) -> Arc<Sources> {
    let text = ["So it is written. The rent is due.", "Nothing else is said, in so many words, at all."];
    let source = |id: u32| {
        Source::new(id.to_string()).text(text[id as usize % 2]).url(format!("https://example.org/{id}?a=(b)"))
    };
    Arc::new(Sources::new((1..=count).map(source).collect()).unwrap())
}

/// A frame of the dialect with this text in this lane.
fn frame(dialect: &str, lane: u32, literal: &str) -> String {
    match dialect {
        "openai-chat" => {
            format!("data: {{\"id\":\"x\",\"choices\":[{{\"delta\":{{\"content\":{literal}}},\"index\":{lane}}}]}}\n\n")
        }
        "openai-completions" => {
            format!(
                "data: {{\"object\":\"text_completion\",\"choices\":[{{\"text\":{literal},\"index\":{lane}}}]}}\r\n\r\n"
            )
        }
        "openai-responses" => format!(
            "event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\"output_index\":{lane},\
             \"content_index\":0,\"delta\":{literal}}}\n\n"
        ),
        "gemini" => format!(
            "data: {{\"candidates\": [{{\"content\": {{\"parts\": [{{\"text\": {literal}}}]}},\"index\": {lane}}}]}}\r\n\r\n"
        ),
        "cohere-v2" => format!(
            "event: content-delta\ndata: {{\"type\":\"content-delta\",\"index\":{lane},\"delta\":{{\"message\":{{\"content\":\
             {{\"text\":{literal}}}}}}}}}\n\n"
        ),
        "ai-sdk-ui" => format!("data: {{\"type\":\"text-delta\",\"id\":\"{lane}\",\"delta\":{literal}}}\n\n"),
        "anthropic" => format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":\
             {{\"type\":\"text_delta\",\"text\":{literal}}}}}\n\n"
        ),
        "ollama" => format!("{{\"model\":\"m\",\"message\":{{\"content\":{literal}}},\"done\":false}}\n"),
        _ => format!("{{\"event_type\":\"text-generation\",\"text\":{literal}}}\n"),
    }
}

fn name(dialect: &str, lane: u32) -> String {
    match dialect {
        "openai-responses" => format!("{lane}/0"),
        "anthropic" | "ollama" | "cohere-v1" => "answer".to_owned(),
        _ => lane.to_string(),
    }
}

/// The frames that end the run, or each of its lanes.
fn last(dialect: &str, lanes: &BTreeMap<String, String>) -> String {
    let data = |data: String| format!("data: {data}\n\n");
    let each = |frame: &dyn Fn(&str) -> String| lanes.keys().map(|lane| data(frame(lane))).collect::<String>();
    match dialect {
        "openai-chat" => {
            each(&|lane| format!("{{\"choices\":[{{\"index\":{lane},\"delta\":{{}},\"finish_reason\":\"stop\"}}]}}"))
        }
        "openai-completions" => each(&|lane| {
            format!(
                "{{\"object\":\"text_completion\",\"choices\":[{{\"index\":{lane},\"text\":\"\",\"finish_reason\":\"stop\"}}]}}"
            )
        }),
        "gemini" => each(&|lane| format!("{{\"candidates\":[{{\"index\":{lane},\"finishReason\":\"STOP\"}}]}}")),
        "openai-responses" => data("{\"type\":\"response.completed\",\"response\":{}}".to_owned()),
        "cohere-v2" => data("{\"type\":\"message-end\"}".to_owned()),
        "ai-sdk-ui" => data("{\"type\":\"finish\"}".to_owned()),
        "anthropic" => data("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}".to_owned()),
        "ollama" => "{\"message\":{\"content\":\"\"},\"done\":true}\n".to_owned(),
        _ => "{\"event_type\":\"stream-end\",\"response\":{}}\n".to_owned(),
    }
}

/// One frame ends the run, whatever lanes there are.
fn single_lane(dialect: &str) -> bool {
    !matches!(dialect, "openai-chat" | "openai-completions" | "gemini")
}

/// Two tabs before the JSON of every other frame, which are no part of it.
fn spaced(body: &str) -> String {
    let mut out = String::new();
    for (index, line) in body.split_inclusive('\n').enumerate() {
        let json = line.find('{').filter(|at| index / 2 % 2 == 0 && matches!(&line[..*at], "" | "data: "));
        match json {
            Some(at) => out.extend([&line[..at], SPACES, &line[at..]]),
            None => out.push_str(line),
        }
    }
    out
}

const SPACES: &str = "\t\t";

/// Takes the field `citesieve` out again.
fn without_verdict(body: &str) -> String {
    let Some(start) = body.find("\"citesieve\":") else { return body.to_owned() };
    let value = &body[start + "\"citesieve\":".len()..];
    let mut values = serde_json::Deserializer::from_str(value).into_iter::<serde_json::Value>();
    values.next().unwrap().unwrap();
    let end = body.len() - value.len() + values.byte_offset();
    let (before, after) = (&body[..start], &body[end..]);
    match before.strip_suffix("\"messageMetadata\":{") {
        Some(before) => format!("{}{}", before.strip_suffix(',').unwrap_or(before), &after[1..]),
        None => format!("{}{after}", before.strip_suffix(',').unwrap_or(before)),
    }
}

/// Bytes that look like frames, more or less.
pub(crate) fn scraps() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..30),
            prop::sample::select(vec![
                "data: ",
                "data:{\"choices\":[",
                "{\"index\":0,\"delta\":{\"content\":\"a [1",
                "\"}}]}",
                "\n\n",
                "\r\n\r\n",
                "\r",
                "event: x\n",
                "{\"type\":\"response.output_text.delta\",\"delta\":\"x\"}",
                "{\"candidates\":[]}",
                "[",
                "]",
                "{",
                "}",
                "\"",
                "\\",
                ":",
                ": c\n\n",
                "{\"type\":\"content_block_stop\"}",
                "data: [DONE]\n\n",
                "{\"event_type\":\"stream-end\",\"response\":{\"text\":\"zz\"}}\n",
                "\u{feff}",
            ])
            .prop_map(|text| text.as_bytes().to_vec()),
        ],
        0..30,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    // More of them with PROPTEST_CASES.
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(300)))]
    #[test]
    fn the_stream_carries_what_the_sieve_makes_of_its_text(
        pieces in prop::collection::vec((0u32..3, prop::collection::vec(piece(), 0..4), any::<u8>()), 0..24),
        lengths in prop::collection::vec(1usize..200, 1..6),
        dialect in prop::sample::select(Dialect::all().map(Dialect::name).collect::<Vec<_>>()),
        split in prop::sample::select(vec![0usize, 1, 5, 256]),
        real in 0u32..12,
        comments: bool,
        worded: bool,
        policy in policy(),
    ) {
        let mut body = String::new();
        let mut frames: Vec<(Option<String>, String)> = Vec::new();
        let mut sent = 0;
        let mut texts: BTreeMap<String, String> = BTreeMap::new();
        for (lane, pieces, style) in &pieces {
            let lane = if ["anthropic", "ollama", "cohere-v1"].contains(&dialect) { 0 } else { *lane };
            let text = pieces.concat();
            frames.push((Some(name(dialect, lane)), frame(dialect, lane, &spell(&text, *style))));
            if style % 7 == 0 {
                // Not understood: it keeps its place among all.
                let malformed = if ["ollama", "cohere-v1"].contains(&dialect) { "{\"a\n" } else { "data: {\"a\n\n" };
                frames.push((None, malformed.to_owned()));
            }
            body.extend(frames[sent..].iter().map(|(_, frame)| frame.as_str()));
            sent = frames.len();
            *texts.entry(name(dialect, lane)).or_default() += &text;
            if comments && style % 5 == 0 && !["ollama", "cohere-v1"].contains(&dialect) {
                body += ": ping\n\n";
            }
        }
        let sources = if worded { worded_sources(real) } else { ids(1..=real) };
        let mut config = quiet(sources).split_frames_over(split).dialect(Dialect::by_name(dialect));
        config.policy = policy.into();
        let (out, report) = run(config.clone(), body.as_bytes(), &lengths);
        let got: BTreeMap<_, _> = lane_texts(&out, Dialect::by_name(dialect)).into_iter().collect();
        let mut edits = 0;
        for (lane, text) in &texts {
            let mut sieve = TextSieve::new(config.policy.clone(), config.sources.clone());
            let mut expected = sieve.push(text).to_owned();
            let (rest, verdict) = sieve.finish();
            expected += &rest;
            if text.is_empty() {
                // No frame brought text, so nothing stands behind it: a tool call, say.
                expected.clear();
            }
            edits += verdict.edit_count;
            prop_assert_eq!(got.get(lane), Some(&expected), "{}", body);
            let reported = report.lanes.iter().find(|(name, _)| name == lane).map(|(_, verdict)| verdict.markers);
            prop_assert_eq!(reported, Some(verdict.markers));
        }
        // However it is cut, the same bytes.
        let (whole, _) = run(config.clone(), body.as_bytes(), &[usize::MAX]);
        prop_assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&whole));
        // Nor does it matter who writes what is not edited.
        for lengths in [&lengths, &frame_lengths(body.as_bytes())] {
            let (sent, same) = forward(config.clone(), body.as_bytes(), lengths);
            prop_assert_eq!(String::from_utf8_lossy(&sent), String::from_utf8_lossy(&out));
            prop_assert_eq!(&same, &report);
        }
        // Frames that differ in more than their text take the long way, and come to the same.
        let (long_way, same) = run(config.clone(), spaced(&body).as_bytes(), &lengths);
        prop_assert_eq!(String::from_utf8_lossy(&long_way).replace(SPACES, ""), String::from_utf8_lossy(&out));
        prop_assert_eq!(same, report);
        // With the verdict there is one field more, once, if anything ends at all.
        let ended = body.clone() + &last(dialect, &texts);
        let (plain, _) = run(config.clone(), ended.as_bytes(), &lengths);
        let (with, _) = run(config.clone().verdict(true), ended.as_bytes(), &lengths);
        let with = String::from_utf8_lossy(&with).into_owned();
        prop_assert_eq!(with.matches("\"citesieve\":{").count(), usize::from(!texts.is_empty() || single_lane(dialect)), "{}", with);
        prop_assert_eq!(without_verdict(&with), String::from_utf8_lossy(&plain));
        if edits == 0 && split == 0 {
            // The same frames; those of several lanes may have passed each other.
            let sorted = |text: &str| { let mut frames: Vec<_> = text.split_inclusive('\n').map(str::to_owned).collect(); frames.sort(); frames };
            prop_assert_eq!(sorted(&String::from_utf8_lossy(&out)), sorted(&body));
            // Within a lane, and with what concerns all, the order is kept.
            let end = if ["ollama", "cohere-v1"].contains(&dialect) { "\n" } else { "\n\n" };
            let plain = |text: &str| text.replace("\r\n", "\n");
            let got = plain(&String::from_utf8_lossy(&out));
            for lane in texts.keys() {
                let here: Vec<String> = frames.iter().filter(|(of, _)| of.is_none() || of.as_ref() == Some(lane)).map(|(_, frame)| plain(frame)).collect();
                let left: Vec<&str> = got.split_inclusive(end).filter(|frame| here.iter().any(|other| other == frame)).collect();
                prop_assert_eq!(left, here);
            }
            if texts.len() == 1 && !comments {
                prop_assert_eq!(String::from_utf8_lossy(&out), body);
            }
        }
    }

    /// No input is lost or panicked on, whatever it is.
    #[test]
    fn any_bytes_pass(
        body in scraps(),
        lengths in prop::collection::vec(1usize..40, 1..5),
        dialect in prop::option::of(prop::sample::select(Dialect::all().collect::<Vec<_>>())),
        max_frame in prop::sample::select(vec![20usize, 100, 10_000]),
    ) {
        // Every id is real, so nothing is to be edited but block quotations, which do not arise.
        let config = quiet(ids(0..3000)).dialect(dialect).max_frame(max_frame);
        let (out, _) = run(config, &body, &lengths);
        let sorted = |bytes: &[u8]| { let mut bytes = bytes.to_vec(); bytes.sort_unstable(); bytes };
        prop_assert_eq!(sorted(&out), sorted(&body), "{} {}", String::from_utf8_lossy(&body), String::from_utf8_lossy(&out));
    }
}
