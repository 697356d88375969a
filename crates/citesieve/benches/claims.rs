//! A long answer: 200 KB, 2,000 claims, 1,000 quotes, 50 sources of 4 KB. Bar: 50 ms in all, folding included.

use std::hint::black_box;
use std::sync::Arc;

use citesieve::{Policy, Source, Sources, TextSieve};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Words without end, always the same ones.
struct Words(u64);

impl Words {
    fn next(&mut self) -> String {
        const SYLLABLES: [&str; 16] =
            ["ra", "te", "lo", "mi", "sen", "dor", "va", "ki", "ne", "pu", "gra", "sto", "li", "fer", "un", "bo"];
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bits = (self.0 >> 33) as usize;
        (0..2 + bits % 3).map(|index| SYLLABLES[(bits >> (4 * index + 2)) % 16]).collect()
    }

    fn sentence(&mut self, length: usize) -> String {
        let words: Vec<String> = (0..length).map(|_| self.next()).collect();
        let mut text = words.join(" ");
        text[..1].make_ascii_uppercase();
        text
    }
}

fn sources() -> Vec<Source> {
    let mut words = Words(7);
    (1..=50)
        .map(|id| {
            let mut text = String::new();
            while text.len() < 4096 {
                text += &words.sentence(14);
                text += ". ";
            }
            Source::new(id.to_string()).text(text)
        })
        .collect()
}

/// Every second claim has a quote; every tenth of these is made up.
fn answer(sources: &[Source]) -> String {
    let mut words = Words(11);
    let mut text = String::new();
    for claim in 0..2000 {
        let source = &sources[claim % sources.len()];
        let id = &source.id;
        text += &words.sentence(8);
        if claim % 2 == 0 {
            let quote = if claim % 20 == 0 {
                words.sentence(7)
            } else {
                let all = source.text.as_deref().unwrap_or_default();
                let sentences: Vec<&str> = all.split(". ").collect();
                let one = sentences[claim / 2 % (sentences.len() - 1)];
                one.split(' ').take(8).collect::<Vec<_>>().join(" ")
            };
            text += &format!(" \"{quote}\"");
        }
        text += &format!(" [{id}]. ");
        if claim % 6 == 5 {
            text += "\n\n";
        }
    }
    text
}

fn claims(c: &mut Criterion) {
    let list = sources();
    let text = answer(&list);
    let policy = Arc::new(Policy::default());
    let mut group = c.benchmark_group("claims");
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(10);
    group.bench_function("2,000 claims, 1,000 quotes, sources folded anew", |b| {
        b.iter(|| {
            let sources = Arc::new(Sources::new(list.clone()).expect("ids that differ"));
            let mut sieve = TextSieve::new(Arc::clone(&policy), sources);
            for delta in text.as_bytes().chunks(12) {
                black_box(sieve.push(std::str::from_utf8(delta).expect("ASCII")));
            }
            let (_, verdict) = sieve.finish();
            assert_eq!((verdict.claims.len(), verdict.quotes.len()), (2000, 1000));
            verdict
        });
    });
    group.finish();
}

criterion_group!(benches, claims);
criterion_main!(benches);
