//! Real streams pass byte for byte when there is nothing to edit.

use citesieve::Sources;
use citesieve_wire::testing::Recording;

use crate::common::{CUTS, forward, frames, ids, quiet, recordings, run};

const DIALECTS: &[&str] = &[
    "openai-chat",
    "openai-completions",
    "openai-responses",
    "anthropic",
    "gemini",
    "cohere-v2",
    "cohere-v1",
    "ollama",
    "ai-sdk-ui",
];

#[test]
fn without_sources_a_recording_passes_byte_for_byte() {
    for dialect in DIALECTS {
        for (name, body) in recordings(dialect) {
            for cuts in CUTS {
                let (out, report) = run(quiet(Sources::unknown().into()), &body, cuts);
                assert_eq!(forward(quiet(Sources::unknown().into()), &body, cuts), (body.clone(), report.clone()));
                assert!(out == body, "{dialect}/{name} cut {cuts:?}");
                assert_eq!(report.dialect.as_deref(), Some(*dialect), "{name}");
            }
        }
    }
}

#[test]
fn with_every_id_real_a_recording_passes_byte_for_byte() {
    for dialect in DIALECTS {
        for (name, body) in recordings(dialect) {
            println!("{dialect}/{name}");
            Recording::new(&body, quiet(ids(0..3000))).assert_untouched();
            let config = quiet(ids(0..3));
            assert_eq!(forward(config.clone(), &body, &frames(&body)), run(config, &body, &[usize::MAX]), "{name}");
        }
    }
}
