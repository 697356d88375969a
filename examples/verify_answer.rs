//! Verifies a finished answer: which quotes hold, which do not, and whether the answer may be shown.

use std::sync::Arc;

use citesieve::quote::{Change, Class};
use citesieve::{Policy, Source, SourceError, Sources, Status, TextSieve};

const ANSWER: &str = "The tenant \"shall keep the garden in good order\" [2]. \
                      Late rent \"bears interest at five per cent a year\" [1], and pets are welcome [6].";

fn main() -> Result<(), SourceError> {
    // Folded once; share the set between all answers to the same passages.
    let sources = Arc::new(Sources::new(vec![
        Source::new("1").title("Lease, clause 3").text("Late rent bears interest at four per cent a year."),
        Source::new("2").title("Lease, clause 9").text("The tenant shall keep the garden in good order."),
    ])?);

    let mut sieve = TextSieve::new(Arc::new(Policy::default()), Arc::clone(&sources));
    let mut shown = sieve.push(ANSWER).to_owned();
    let (rest, verdict) = sieve.finish();
    shown += &rest;

    println!("{shown}\n");
    for quote in &verdict.quotes {
        // Positions come in bytes, characters and UTF-16 code units; these are of the text that was shown.
        let at = quote.after.start.chars;
        match (quote.class, quote.matches.first(), &quote.nearest) {
            (Class::Verified, Some(found), _) => {
                println!("at {at}: \"{}\" stands in source {}, bytes {:?}", quote.text, found.id, found.span);
            }
            (class, _, Some(near)) => {
                let changed = near.changes.iter().filter(|change| !matches!(change, Change::Same(_)));
                println!("at {at}: \"{}\" is {class:?}: {:?}", quote.text, changed.collect::<Vec<_>>());
            }
            (class, ..) => println!("at {at}: \"{}\" is {class:?}", quote.text),
        }
    }
    println!("\n{} of {} quotes verified", verdict.score.verified, verdict.score.checkable);
    match verdict.status {
        Status::Answered => println!("show it"),
        status => println!("do not show it as it is: {status:?}, {:?}", verdict.reasons),
    }
    assert_eq!((verdict.status, verdict.markers.fabricated), (Status::Downgraded, 1));
    Ok(())
}
