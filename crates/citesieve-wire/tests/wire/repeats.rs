//! What repeats the answer or points into it, on random answers.

use citesieve::{Edit, Sieve};
use citesieve_wire::Dialect;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::{ids, quiet, run};
use crate::random::piece;

/// The answer after its edits, and where each of its characters stands then; inside a removed stretch: at its start.
fn edited(text: &str, edits: &[Edit]) -> (String, Vec<u64>, Vec<u64>) {
    let (mut out, mut chars, mut bytes) = (String::new(), Vec::new(), vec![0; text.len() + 1]);
    let mut next = 0;
    let mut inside: Option<(u64, usize, usize)> = None;
    for (at, char) in text.char_indices().map(|(at, char)| (at, Some(char))).chain([(text.len(), None)]) {
        if inside.is_some_and(|(end, ..)| end <= at as u64) {
            inside = None;
            out.push_str(&edits[next - 1].with);
        }
        if inside.is_none() && edits.get(next).is_some_and(|edit| edit.at.start == at as u64) {
            inside = Some((edits[next].at.end, out.chars().count(), out.len()));
            next += 1;
        }
        let (chars_here, bytes_here) =
            inside.map_or((out.chars().count(), out.len()), |(_, chars, bytes)| (chars, bytes));
        chars.push(chars_here as u64);
        bytes[at] = bytes_here as u64;
        if inside.is_none() {
            out.extend(char);
        }
    }
    (out, chars, bytes)
}

fn edits(text: &str, config: &citesieve_wire::Config) -> Vec<Edit> {
    let mut sieve = Sieve::new(config.policy.clone(), config.sources.clone());
    let mut edits = sieve.push(text).edits.to_vec();
    edits.extend(sieve.finish().0);
    edits
}

fn data(out: &[u8]) -> Vec<Value> {
    let text = String::from_utf8(out.to_vec()).unwrap();
    text.lines()
        .map(|line| line.strip_prefix("data: ").unwrap_or(line))
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn responses(
        pieces in prop::collection::vec(piece(), 1..14),
        offsets in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        by_id: bool, early: bool,
        lengths in prop::collection::vec(1usize..300, 1..4),
    ) {
        let text = pieces.concat();
        let config = quiet(ids(1..=3));
        let edits = edits(&text, &config);
        let (expected, chars, _) = edited(&text, &edits);
        let points: Vec<usize> = offsets.iter().map(|index| index.index(chars.len())).collect();
        let annotations: Vec<Value> = points.iter().map(|point| json!({"type":"url_citation","start_index":point,"end_index":point})).collect();
        let part = json!({"type":"output_text","text":text,"annotations":annotations,"logprobs":[{"token":"x"}]});
        let item = json!({"id":"m","type":"message","content":[part]});
        let mut events: Vec<Value> = pieces.iter().map(|piece| json!({"type":"response.output_text.delta","delta":piece})).collect();
        if early {
            events.extend(annotations.iter().map(|annotation| json!({"type":"response.output_text.annotation.added","annotation":annotation})));
        }
        events.push(json!({"type":"response.output_text.done","text":text}));
        events.push(json!({"type":"response.content_part.done","part":part}));
        events.push(json!({"type":"response.output_item.done","item":item}));
        for event in &mut events {
            if by_id { event["item_id"] = json!("m"); } else { event["output_index"] = json!(0); event["content_index"] = json!(0); }
            if by_id && event.get("item").is_some() { event.as_object_mut().unwrap().remove("item_id"); }
        }
        events.push(json!({"type":"response.completed","response":{"id":"r","output":[item],"output_text":text}}));
        let body: String = events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())).collect();
        let (out, report) = run(config, body.as_bytes(), &lengths);
        prop_assert_eq!(report.lanes.len(), 1);
        prop_assert!(report.notes.is_empty(), "{:?}", report.notes);
        let out = data(&out);
        let deltas: String = out.iter().filter_map(|event| event["delta"].as_str()).collect();
        prop_assert_eq!(&deltas, &expected);
        let mut parts = 0;
        let mut check = |part: &Value| {
            parts += 1;
            prop_assert_eq!(part["text"].as_str(), Some(expected.as_str()));
            for (point, annotation) in points.iter().zip(part["annotations"].as_array().unwrap()) {
                prop_assert_eq!(annotation["start_index"].as_u64(), Some(chars[*point]), "{:?} {}", text, point);
            }
            prop_assert_eq!(part["logprobs"].as_array().unwrap().is_empty(), !edits.is_empty());
            Ok(())
        };
        for event in &out {
            if event["type"] == "response.output_text.done" {
                prop_assert_eq!(event["text"].as_str(), Some(expected.as_str()));
            }
            if event["part"].is_object() { check(&event["part"])?; }
            if event["item"].is_object() { check(&event["item"]["content"][0])?; }
            if event["response"].is_object() {
                check(&event["response"]["output"][0]["content"][0])?;
                prop_assert_eq!(event["response"]["output_text"].as_str(), Some(expected.as_str()));
            }
        }
        prop_assert_eq!(parts, 3);
    }

    #[test]
    fn perplexity(pieces in prop::collection::vec(piece(), 1..14), lengths in prop::collection::vec(1usize..300, 1..4)) {
        let text = pieces.concat();
        let config = quiet(ids(1..=3));
        let (expected, ..) = edited(&text, &edits(&text, &config));
        let mut so_far = String::new();
        let mut body = String::new();
        for piece in pieces.iter().map(String::as_str).chain([""]) {
            so_far += piece;
            body += &format!("data: {}\r\n\r\n", json!({"choices":[{"index":0,"message":{"content":so_far},"delta":{"content":piece}}]}));
        }
        let (out, report) = run(config, body.as_bytes(), &lengths);
        prop_assert!(report.notes.is_empty(), "{:?}", report.notes);
        let mut shown = String::new();
        for event in data(&out) {
            shown += event["choices"][0]["delta"]["content"].as_str().unwrap();
            prop_assert_eq!(event["choices"][0]["message"]["content"].as_str(), Some(shown.as_str()));
        }
        prop_assert_eq!(shown, expected);
    }

    #[test]
    fn gemini_and_cohere(
        pieces in prop::collection::vec(piece(), 1..14),
        spans in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
        lengths in prop::collection::vec(1usize..300, 1..4),
        cohere: bool,
    ) {
        let text = pieces.concat();
        let config = quiet(ids(1..=3)).dialect(Dialect::by_name(if cohere { "cohere-v2" } else { "gemini" }));
        let (expected, chars, bytes) = edited(&text, &edits(&text, &config));
        let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let spans: Vec<(usize, usize)> = spans.iter().map(|(a, b)| {
            let (a, b) = (a.index(borders.len()), b.index(borders.len()));
            (a.min(b), a.max(b))
        }).collect();
        let mut body = String::new();
        for piece in &pieces {
            body += &if cohere {
                format!("data: {}\n\n", json!({"type":"content-delta","index":0,"delta":{"message":{"content":{"text":piece}}}}))
            } else {
                format!("data: {}\r\n\r\n", json!({"candidates":[{"content":{"parts":[{"text":"hm [9]","thought":true},{"text":piece}]}}]}))
            };
        }
        let stretch = |&(a, b): &(usize, usize)| &text[borders[a]..borders[b]];
        if cohere {
            for span in &spans {
                let citation = json!({"start":span.0,"end":span.1,"text":stretch(span),"type":"TEXT_CONTENT","content_index":0});
                body += &format!("data: {}\n\n", json!({"type":"citation-start","index":0,"delta":{"message":{"citations":citation}}}));
            }
        } else {
            let supports: Vec<Value> = spans.iter().map(|span| {
                let mut segment = json!({"endIndex":borders[span.1],"text":stretch(span)});
                if span.0 > 0 { segment["startIndex"] = json!(borders[span.0]); }
                json!({"segment":segment,"groundingChunkIndices":[0]})
            }).collect();
            body += &format!("data: {}\r\n\r\n", json!({"candidates":[{"finishReason":"STOP","groundingMetadata":{"groundingSupports":supports}}]}));
        }
        let (out, report) = run(config, body.as_bytes(), &lengths);
        prop_assert!(!report.notes.iter().any(|note| note.what == "repeat"), "{:?}", report.notes);
        let out = data(&out);
        let found: Vec<(u64, u64, String)> = if cohere {
            out.iter().filter(|event| event["type"] == "citation-start").map(|event| &event["delta"]["message"]["citations"])
                .map(|c| (c["start"].as_u64().unwrap(), c["end"].as_u64().unwrap(), c["text"].as_str().unwrap().to_owned())).collect()
        } else {
            out.last().unwrap()["candidates"][0]["groundingMetadata"]["groundingSupports"].as_array().unwrap().iter().map(|s| &s["segment"])
                .map(|s| (s["startIndex"].as_u64().unwrap_or(0), s["endIndex"].as_u64().unwrap(), s["text"].as_str().unwrap().to_owned())).collect()
        };
        prop_assert_eq!(found.len(), spans.len());
        for ((start, end, words), span) in found.iter().zip(&spans) {
            let moved = |point: usize| if cohere { chars[point] } else { bytes[borders[point]] };
            prop_assert_eq!((*start, *end), (moved(span.0), moved(span.1)), "{:?} {:?}", text, span);
            let shown: String = if cohere {
                expected.chars().skip(*start as usize).take((*end - *start) as usize).collect()
            } else {
                expected[*start as usize..*end as usize].to_owned()
            };
            prop_assert_eq!(words, &shown, "{:?} {:?}", text, span);
        }
    }
}
