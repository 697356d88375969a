//! What the sieve allocates: nothing for plain prose once it is warm, and never much, whatever comes.
//!
//! Its own binary, because a global allocator counts.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::hint::black_box;
use std::sync::Arc;

use allocation_counter::measure;
use citesieve::{Policy, Sieve, Source, Sources, TextSieve};

fn sources() -> Arc<Sources> {
    let text = "The tenant shall pay the rent on the first day of each month.";
    Arc::new(Sources::new(vec![Source::new("1").text(text), Source::new("2")]).unwrap())
}

#[test]
fn plain_prose_allocates_nothing() {
    let policy = Arc::new(Policy::default());
    // Sentences that end, a sentence that doesn't, and what has no spaces.
    for deltas in [[" The", " rent", " is", " due."], [" and", " so", " on", " and"], ["租金", "每月", "支付", "一次"]]
    {
        let mut sieve = Sieve::new(Arc::clone(&policy), sources());
        let mut text = TextSieve::new(Arc::clone(&policy), sources());
        sieve.push("So");
        text.push("So");
        let mut round = || {
            for delta in deltas {
                black_box(sieve.push(delta));
                black_box(text.push(delta));
            }
        };
        (0..20_000).for_each(|_| round());
        let info = measure(|| (0..10_000).for_each(|_| round()));
        assert_eq!(info.count_total, 0, "40,000 deltas like {deltas:?}: {info:?}");
    }
}

#[test]
fn memory_is_bounded() {
    let patterns = [
        "[",
        "> ",
        ">\n",
        "`",
        "[9], ",
        "\"",
        "“a ",
        "$",
        "*",
        "<a ",
        "[x](",
        "(",
        " ",
        "\n",
        "1",
        "a",
        "结",
        "- ",
        "`[1] ",
        "[1",
        "([9",
        "> The tenant shall pay ",
        "a\n",
        "**a ",
        "[Source ",
        "\\(",
        "<!--",
        "[a][1]",
        "at [9], ",
        "a. ",
    ];
    let policy = Arc::new(Policy::default());
    for pattern in patterns {
        let sources = sources();
        // The verdict lists at most 10,000 edits and is part of it.
        let info = measure(|| {
            let mut sieve = Sieve::new(Arc::clone(&policy), Arc::clone(&sources));
            for _ in 0..1_600_000 / pattern.len() {
                black_box(sieve.push(pattern));
            }
        });
        println!("{pattern:?}: {}", info.bytes_max);
        assert!(info.bytes_max < 7_000_000, "{pattern:?}: {} bytes at once for 1.6 MB", info.bytes_max);
    }
}
