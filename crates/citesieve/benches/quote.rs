//! What the quote matcher costs: folding, finding, a miss, and a whole public bench in one process.
//!
//! Third-party data is read in place, from the directory that `CITESIEVE_SHARED` names; without it, only folding is
//! measured.
#![allow(clippy::unwrap_used, reason = "a bench may panic")]
// Helpers of tests fail as tests do.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;

use citesieve::quote::{Class, Cursor, check, folded};
use citesieve::{Source, Sources};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const ENGLISH: &str = "The tenant shall pay the rent on the first day of each month, and late rent bears interest at four per \
                       cent. The deposit (one month's rent) is held in escrow; it is returned when the lease ends in 2024. ";
const RUSSIAN: &str = "Арендатор обязан вносить арендную плату в первый день каждого месяца, а при просрочке начисляются \
                       проценты. Залог хранится у арендодателя и возвращается после окончания договора аренды. ";
const CHINESE: &str = "承租人应当按照合同约定的时间和方式向出租人支付租金，逾期支付的，应当承担违约责任。\
                       押金由出租人保管，合同终止后予以退还。";

fn shared() -> Option<PathBuf> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let named = std::env::var("CITESIEVE_SHARED").unwrap_or_else(|_| format!("{root}/../shared"));
    Some(PathBuf::from(named).join("bench")).filter(|path| path.is_dir())
}

fn docs(bench: &std::path::Path) -> Vec<Source> {
    let text = std::fs::read_to_string(bench.join("arxiv295/docs.json")).unwrap();
    let docs: BTreeMap<String, String> = serde_json::from_str(&text).unwrap();
    docs.into_iter().map(|(id, text)| Source::new(id).text(text)).collect()
}

fn folding(c: &mut Criterion) {
    let mut group = c.benchmark_group("fold");
    for (name, line) in [("english", ENGLISH), ("russian", RUSSIAN), ("chinese", CHINESE)] {
        let text = line.repeat(100_000 / line.len());
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |b| b.iter(|| folded(black_box(&text))));
    }
    group.finish();
}

fn finding(c: &mut Criterion) {
    let Some(bench) = shared() else { return };
    let list = docs(&bench);
    let quotes: Vec<String> = list
        .iter()
        .step_by(list.len() / 10)
        .take(10)
        .filter_map(|source| source.text.as_ref())
        .map(|text| text.split_inclusive(' ').skip(40).take(18).collect::<String>())
        .collect();
    let mut group = c.benchmark_group("find");
    let joined: String = list.iter().filter_map(|source| source.text.as_deref()).collect::<Vec<_>>().join("\n\n");
    for (name, sources) in [
        ("295 texts", Sources::new(list.clone()).unwrap()),
        ("one text", Sources::new(vec![Source::new("1").text(joined)]).unwrap()),
    ] {
        for quote in &quotes {
            assert_eq!(check(&sources, &[], quote).class, Class::Verified);
        }
        group.bench_function(format!("10 quotes in {name}"), |b| {
            b.iter(|| quotes.iter().filter(|quote| check(&sources, &[], quote).class == Class::Verified).count())
        });
        let miss = "The committee found that all seven of the regional offices had been closed before the audit began.";
        let near = quotes[4].replacen("the", "a", 1).replacen("of", "for", 1);
        group.bench_function(format!("a miss in {name}"), |b| b.iter(|| check(&sources, &[], black_box(miss))));
        group.bench_function(format!("a near miss in {name}"), |b| b.iter(|| check(&sources, &[], black_box(&near))));
        let sources = Arc::new(sources);
        group.bench_function(format!("a cursor over {name}, per quote"), |b| {
            b.iter(|| {
                let mut cursor = Cursor::new(Arc::clone(&sources));
                for c in quotes[7].chars() {
                    cursor.push(c.encode_utf8(&mut [0; 4]));
                }
                cursor.state()
            })
        });
    }
    group.finish();
}

fn whole_bench(c: &mut Criterion) {
    let Some(bench) = shared() else { return };
    let list = docs(&bench);
    let cases: Vec<(String, String)> = std::fs::read_to_string(bench.join("arxiv295/cases.jsonl"))
        .unwrap()
        .lines()
        .map(|line| {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            (case["source"].as_str().unwrap().to_owned(), case["quote"].as_str().unwrap().to_owned())
        })
        .collect();
    let mut group = c.benchmark_group("arxiv295");
    group.sample_size(10);
    group.bench_function("4,592 cases, folding included", |b| {
        b.iter(|| {
            let sources = Sources::new(list.clone()).unwrap();
            cases.iter().filter(|(source, quote)| check(&sources, &[source], quote).class == Class::Verified).count()
        })
    });
    group.finish();
}

criterion_group!(benches, folding, finding, whole_bench);
criterion_main!(benches);
