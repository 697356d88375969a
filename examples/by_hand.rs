//! Wraps a stream by hand: deltas in, text out as it is decided, a verdict at the end.
//!
//! The README shows everything below the next line; a test keeps the two the same.
// README: from here
use std::sync::Arc;

use citesieve::{Policy, Source, SourceError, Sources, TextSieve};

fn main() -> Result<(), SourceError> {
    // Once per request: the passages that went into the prompt.
    let sources = Arc::new(Sources::new(vec![
        Source::new("1").title("Lease, clause 3").text("Late rent bears interest at four per cent a year."),
        Source::new("2").title("Lease, clause 7").text("The roof shall be kept in good repair."),
    ])?);
    let mut sieve = TextSieve::new(Arc::new(Policy::default()), sources);

    // As the model writes: show what comes back. Here its deltas stand in a list.
    let deltas = ["Interest runs", " at four per cent [1", ", 7], and the", " tenant pays for", " the roof [", "9]."];
    let mut shown = String::new();
    for delta in deltas {
        shown += sieve.push(delta);
    }
    let (rest, verdict) = sieve.finish();
    shown += &rest;

    assert_eq!(shown, "Interest runs at four per cent [1], and the tenant pays for the roof.");
    assert_eq!((verdict.markers.total, verdict.markers.fabricated), (2, 1));
    println!("{shown}\n{:?}, {} edits", verdict.status, verdict.edit_count);
    Ok(())
}
