//! What is edited, and that nothing else is.

use std::sync::Arc;

use citesieve::{Policy, Source, Sources};
use citesieve_wire::{Config, lane_texts};

use crate::common::{CUTS, ids, quiet, recordings, run, shared};

fn lease() -> Option<(Arc<Sources>, String)> {
    let cases = shared()?.join("cases");
    let sources: Vec<Source> =
        serde_json::from_str(&std::fs::read_to_string(cases.join("lease.sources.json")).unwrap()).unwrap();
    let expected = std::fs::read_to_string(cases.join("lease.expected.txt")).unwrap();
    Some((Arc::new(Sources::new(sources).unwrap()), expected))
}

#[test]
fn a_real_servers_stream_carries_the_checked_answer() {
    let Some((sources, expected)) = lease() else { return };
    for dialect in ["openai-chat", "openai-responses", "anthropic"] {
        let (_, body) = recordings(dialect).into_iter().find(|(name, _)| name == "llama-server-lease.sse").unwrap();
        for cuts in CUTS {
            for config in [
                quiet(Arc::clone(&sources)),
                Config::new(Policy::default(), Arc::clone(&sources)),
                Config::new(Policy::default(), Arc::clone(&sources)).split_frames_over(1),
            ] {
                let (out, report) = run(config, &body, cuts);
                let texts = lane_texts(&out, None);
                assert_eq!(texts.len(), 1, "{dialect}");
                assert_eq!(texts[0].1, expected, "{dialect} {cuts:?}");
                assert_eq!(report.lanes[0].1.markers.fabricated, 3, "{dialect}");
                // Wherever the answer is repeated it is the checked one.
                assert!(report.notes.is_empty(), "{dialect} {:?}", report.notes);
                assert!(!String::from_utf8(out).unwrap().contains("[9]."), "{dialect}");
            }
        }
    }
}

/// Puts marks into a recording so that taking them out again gives the recording. A `^` before what is to be found:
/// the first time it stands there only.
fn inject(body: &[u8], replacements: &[(&str, &str)]) -> Vec<u8> {
    let mut body = String::from_utf8(body.to_vec()).unwrap();
    for (find, replace) in replacements {
        let (find, count) = find.strip_prefix('^').map_or((*find, usize::MAX), |find| (find, 1));
        assert!(body.contains(find), "{find}");
        body = body.replacen(find, replace, count);
    }
    body.into_bytes()
}

/// A fabricated marker, cut over two deltas, is taken out of every place where the text stands; offsets point at the
/// same words as before; all other bytes are the same.
fn gives_the_recording_again(dialect: &str, name: &str, replacements: &[(&str, &str)]) {
    let Some((_, body)) = recordings(dialect).into_iter().find(|(other, _)| other == name) else { return };
    let injected = inject(&body, replacements);
    for cuts in CUTS {
        let (out, report) = run(quiet(ids(0..3000)), &injected, cuts);
        let (out, body) = (String::from_utf8_lossy(&out), String::from_utf8_lossy(&body));
        for (got, expected) in out.lines().zip(body.lines()) {
            assert_eq!(got, expected, "{dialect}/{name}");
        }
        assert_eq!(out, body, "{dialect}/{name}");
        let fabricated: u64 = report.lanes.iter().map(|(_, verdict)| verdict.markers.fabricated).sum();
        assert!(fabricated > 0, "{dialect}/{name}");
        assert!(!report.notes.iter().any(|note| note.what == "repeat"), "{dialect}/{name} {:?}", report.notes);
    }
}

#[test]
fn chat() {
    gives_the_recording_again(
        "openai-chat",
        "openai-text-obfuscation.sse",
        &[(r#"content":"Why""#, r#"content":"Why [77""#), (r#"content":" did""#, r#"content":"77] did""#)],
    );
    // Beside the other channels of a reasoning model, and after another choice of words for null.
    gives_the_recording_again(
        "openai-chat",
        "deepseek-reasoning.sse",
        &[
            (r#"{"content":"Hello""#, r#"{"content":"Hello [77""#),
            (r#"{"content":" there""#, r#"{"content":"77] there""#),
            (r#"{"content":"?""#, r#"{"content":" [8888][9999]?""#),
        ],
    );
    // A character outside ASCII behind the marker, raw.
    gives_the_recording_again(
        "openai-chat",
        "azure-content-filter-emoji.sse",
        &[(r#"content":"!""#, r#"content":"! [7""#), (r#"content":" 😄""#, r#"content":"777] 😄""#)],
    );
    // The frame with the last text is the one that finishes.
    gives_the_recording_again(
        "openai-chat",
        "vllm-opt125m.sse",
        &[(
            r#"content":"<"},"logprobs":null,"finish_reason":"length""#,
            r#"content":"< [7777]"},"logprobs":null,"finish_reason":"length""#,
        )],
    );
    // Spaces after colons; nothing but ASCII.
    gives_the_recording_again(
        "openai-chat",
        "llamacpp-recital-chat.sse",
        &[(r#""content": "s.""#, r#""content": "s. [7777]""#)],
    );
    // Content as an array of parts, beside thinking.
    gives_the_recording_again(
        "openai-chat",
        "mistral-hybrid-content-array.sse",
        &[
            (r#"{"type":"text","text":"1"}"#, r#"{"type":"text","text":"\u005b7777] 1"}"#),
            (r#"content":"44"}"#, r#"content":"44 [8888]"}"#),
        ],
    );
    // CRLF, and every chunk repeats all text so far.
    gives_the_recording_again(
        "openai-chat",
        "perplexity-sonar-crlf.sse",
        &[
            (r#""content":"2""#, r#""content":"2 [77""#),
            (r#""content":"1 2""#, r#""content":"1 2 [77""#),
            (
                r#""content":"1 2 "},"delta":{"role":"assistant","content":" "}"#,
                r#""content":"1 2 [7777] "},"delta":{"role":"assistant","content":"77] "}"#,
            ),
            (r#""content":"1 2 3""#, r#""content":"1 2 [7777] 3""#),
        ],
    );
}

#[test]
fn completions() {
    gives_the_recording_again(
        "openai-completions",
        "legacy-text.sse",
        &[
            (r#""text":" that""#, r#""text":" that [""#),
            (r#""text":" isn""#, r#""text":"7777] isn""#),
            (
                r#""text":" the","index":0,"logprobs":null,"finish_reason":"length""#,
                r#""text":" the [8888]","index":0,"logprobs":null,"finish_reason":"length""#,
            ),
        ],
    );
}

#[test]
fn responses() {
    gives_the_recording_again(
        "openai-responses",
        "openai-file-citation.sse",
        &[
            (r#""delta":" capital""#, r#""delta":" capital [77""#),
            (r#""delta":" of""#, r#""delta":"77] of""#),
            (r#""text":"The capital of France is Paris.""#, r#""text":"The capital [7777] of France is Paris.""#),
            (r#""index":30}"#, r#""index":37}"#),
        ],
    );
    // Two markers: one before what the annotation points to, one behind it.
    gives_the_recording_again(
        "openai-responses",
        "openai-url-citation.sse",
        &[
            (
                r#""delta":"The tallest mountain in Alberta is **""#,
                r#""delta":"The tallest mountain in Alberta [7777] is **""#,
            ),
            (
                r#""text":"The tallest mountain in Alberta is **"#,
                r#""text":"The tallest mountain in Alberta [7777] is **"#,
            ),
            (r#"utm_source=openai))","#, r#"utm_source=openai)) [8888]","#),
            (r#""start_index":77,"#, r#""start_index":84,"#),
            (r#""end_index":162,"#, r#""end_index":169,"#),
        ],
    );
    // `item_id` is another one in every event.
    gives_the_recording_again(
        "openai-responses",
        "copilot-item-id-rotation.sse",
        &[
            (r#""delta":"There""#, r#""delta":"There [7777""#),
            (r#""delta":" are""#, r#""delta":"] are""#),
            ("There are **3**", "There [7777] are **3**"),
        ],
    );
    // `item_id` is all there is.
    gives_the_recording_again(
        "openai-responses",
        "llama-server-study.sse",
        &[(r#""delta":"Da""#, r#""delta":"[7777] Da""#), (r#""text":"Das "#, r#""text":"[7777] Das "#)],
    );
    // `data:` before `event:`.
    gives_the_recording_again(
        "openai-responses",
        "bedrock-mantle-text.sse",
        &[
            (r#"^"delta":"First""#, r#""delta":"First [7777""#),
            (r#"^"delta":" tool""#, r#""delta":"] tool""#),
            ("\"First tool result", "\"First [7777] tool result"),
        ],
    );
}

#[test]
fn anthropic() {
    gives_the_recording_again(
        "anthropic",
        "text-emoji.sse",
        &[
            (r#""text":"Here""#, r#""text":"Here [7777""#),
            (r#""text":"'s a joke about Open""#, r#""text":"]'s a joke about Open""#),
        ],
    );
    // At the end of a block, right before a tool call.
    gives_the_recording_again(
        "anthropic",
        "citations-char-location.sse",
        &[("by Yukihiro Matsumoto in 1993.\"}", "by Yukihiro Matsumoto in 1993 [7777].\"}")],
    );
}

#[test]
fn gemini() {
    gives_the_recording_again(
        "gemini",
        "file-search-grounding.sse",
        &[
            (r#"{"text": "The capital of France is"#, r#"{"text": "The capital [7777] of France is"#),
            (
                r#""text": "The capital of France is **Paris**."}"#,
                r#""text": "The capital [7777] of France is **Paris**."}"#,
            ),
            (r#""endIndex": 35"#, r#""endIndex": 42"#),
        ],
    );
}

#[test]
fn cohere() {
    gives_the_recording_again(
        "cohere-v2",
        "citations-thinking.sse",
        &[
            (r#"^{"text":" document"}"#, r#"{"text":" document [77"}"#),
            (r#"^{"text":","}"#, r#"{"text":"77],"}"#),
            (r#""start":49,"end":67"#, r#""start":56,"end":74"#),
            (r#""start":73,"end":78"#, r#""start":80,"end":85"#),
        ],
    );
    gives_the_recording_again(
        "cohere-v1",
        "text-stream-json.ndjson",
        &[
            (r#""text":" comedy""#, r#""text":" comedy [7777]""#),
            (r#"pirate-y comedy!""#, r#"pirate-y comedy [7777]!""#),
        ],
    );
}

#[test]
fn ollama() {
    gives_the_recording_again(
        "ollama",
        "chat-llama3.ndjson",
        &[(r#""content":"Why""#, r#""content":"Why [7777""#), (r#""content":" did""#, r#""content":"] did""#)],
    );
    gives_the_recording_again(
        "ollama",
        "generate-emoji.ndjson",
        &[
            (r#""response":"Okay""#, r#""response":"Okay [7777""#),
            (r#"^"response":",""#, r#""response":"],""#),
            (r#""response":" 😊""#, r#""response":" 😊 [8888]""#),
        ],
    );
}

#[test]
fn ai_sdk_ui() {
    gives_the_recording_again(
        "ai-sdk-ui",
        "openai-responses-url-citation.sse",
        &[
            (
                r#""delta":"The tallest mountain in Alberta is **""#,
                r#""delta":"The tallest mountain in Alberta [7777] is **""#,
            ),
            (r#"utm_source=openai))""#, r#"utm_source=openai)) [8888]""#),
            (r#""start_index":77,"end_index":162"#, r#""start_index":84,"end_index":169"#),
        ],
    );
}
