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
        let (_, body) =
            recordings(dialect).into_iter().find(|(name, _)| name == "llama-server-lease.sse").unwrap();
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

/// Puts marks into a recording so that taking them out again gives the recording.
fn inject(body: &[u8], replacements: &[(&str, &str)]) -> Vec<u8> {
    let mut body = String::from_utf8(body.to_vec()).unwrap();
    for (find, replace) in replacements {
        assert!(body.contains(find), "{find}");
        body = body.replace(find, replace);
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
        assert_eq!(String::from_utf8(out).unwrap(), String::from_utf8(body.clone()).unwrap(), "{dialect}/{name}");
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
}
