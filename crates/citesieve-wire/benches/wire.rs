//! What one event of a chat stream costs, frame to bytes, beside what a stack of the usual crates needs for the same.

use std::hint::black_box;
use std::sync::Arc;

use bytes::BytesMut;
use citesieve::{Policy, Source, Sources};
use citesieve_wire::{Config, Session};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use eventsource_stream::Eventsource;
use futures::StreamExt;

/// Events in one measured body.
const EVENTS: u64 = 1000;

/// An event of 318 bytes, as OpenAI sends them.
fn event(text: &str) -> String {
    let start = format!(
        "data: {{\"id\":\"chatcmpl-ABfw2KKFuVXmEJgVwYfBvejMAdWtq\",\"object\":\"chat.completion.chunk\",\
         \"created\":1727346170,\"model\":\"gpt-4o-2024-08-06\",\"service_tier\":\"default\",\
         \"system_fingerprint\":\"fp_b40fb1c6fb\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}},\
         \"logprobs\":null,\"finish_reason\":null}}],\"obfuscation\":\""
    );
    let pad = 318usize.saturating_sub(start.len() + 4);
    format!("{start}{}\"}}\n\n", "x".repeat(pad))
}

fn body(text: impl Fn(u64) -> &'static str) -> Vec<u8> {
    (0..EVENTS).map(|index| event(text(index))).collect::<String>().into_bytes()
}

fn sieved(body: &[u8], sources: &Arc<Sources>) -> BytesMut {
    let mut session = Session::new(Config::new(Policy::default(), Arc::clone(sources)));
    let mut out = BytesMut::with_capacity(body.len());
    // As a socket hands them out: one event at a time.
    for event in body.chunks(318) {
        session.push(event, &mut out);
    }
    session.finish(&mut out);
    out
}

fn usual_crates(body: &[u8]) -> Vec<u8> {
    let chunks = body.chunks(318).map(|chunk| Ok::<_, std::convert::Infallible>(chunk.to_vec()));
    let mut events = futures::stream::iter(chunks).eventsource();
    let mut out = Vec::with_capacity(body.len());
    futures::executor::block_on(async {
        while let Some(Ok(event)) = events.next().await {
            let mut value: serde_json::Value = serde_json::from_str(&event.data).unwrap_or_default();
            if let Some(text) = value.pointer_mut("/choices/0/delta/content") {
                black_box(&*text);
            }
            out.extend_from_slice(b"data: ");
            let _ = serde_json::to_writer(&mut out, &value);
            out.extend_from_slice(b"\n\n");
        }
    });
    out
}

fn wire(c: &mut Criterion) {
    let sources = Arc::new(Sources::new((1..=5).map(|id| Source::new(id.to_string())).collect()).unwrap_or_default());
    let prose = body(|index| if index % 12 == 11 { "." } else { " rent is" });
    assert_eq!(prose.len(), 318 * EVENTS as usize);
    let marked = body(|index| ["The rent", " is due", " [", "9", "]", " monthly [1", "]", "."][index as usize % 8]);
    let mut group = c.benchmark_group("wire");
    group.throughput(Throughput::Elements(EVENTS));
    group.bench_function("event without an edit", |b| b.iter(|| sieved(black_box(&prose), &sources)));
    group.bench_function("markers in every eighth event", |b| b.iter(|| sieved(black_box(&marked), &sources)));
    group.bench_function("eventsource-stream and serde_json::Value", |b| b.iter(|| usual_crates(black_box(&prose))));
    group.finish();
}

criterion_group!(benches, wire);
criterion_main!(benches);
