//! Wraps a stream of one's own: an iterator of deltas, which may fail, becomes an iterator of checked text.
//!
//! Nothing is lost: when the stream fails, what was held leaves before the error does.

use std::io;
use std::sync::Arc;

use citesieve::{Policy, Source, SourceError, Sources, TextSieve, Verdict};

/// What the wrapped stream yields.
enum Event {
    /// Text to show now.
    Text(String),
    /// The stream is over, by itself or by the error that comes next.
    Done(Box<Verdict>),
}

/// A stream of deltas with a sieve in it.
struct Sieved<I> {
    deltas: I,
    /// None once the stream is over.
    sieve: Option<TextSieve>,
    /// What is still to be yielded, the next one last.
    queue: Vec<io::Result<Event>>,
}

impl<I: Iterator<Item = io::Result<String>>> Iterator for Sieved<I> {
    type Item = io::Result<Event>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(event) = self.queue.pop() {
                return Some(event);
            }
            let sieve = self.sieve.as_mut()?;
            let error = match self.deltas.next() {
                Some(Ok(delta)) => {
                    let text = sieve.push(&delta);
                    if !text.is_empty() {
                        return Some(Ok(Event::Text(text.to_owned())));
                    }
                    continue;
                }
                Some(Err(error)) => Some(error),
                None => None,
            };
            let (rest, verdict) = self.sieve.take()?.finish();
            self.queue.extend(error.map(Err));
            self.queue.push(Ok(Event::Done(Box::new(verdict))));
            if !rest.is_empty() {
                self.queue.push(Ok(Event::Text(rest)));
            }
        }
    }
}

fn main() -> Result<(), SourceError> {
    let sources = Arc::new(Sources::new(vec![Source::new("1").text("The roof shall be kept in good repair.")])?);
    let policy = Arc::new(Policy::default());
    // Stands for a model that is cut off in the middle of a marker.
    let deltas = ["The landlord ", "repairs the ", "roof [1", "] and the ", "boiler [", "4]", ". See", " also [1"];
    let failure = io::Error::new(io::ErrorKind::ConnectionReset, "the model went away");
    let deltas = deltas.into_iter().map(|delta| Ok(delta.to_owned())).chain([Err(failure)]);

    let sieved = Sieved { deltas, sieve: Some(TextSieve::new(policy, sources)), queue: Vec::new() };
    let mut shown = String::new();
    for event in sieved {
        match event {
            Ok(Event::Text(text)) => {
                println!("text: {text:?}");
                shown += &text;
            }
            Ok(Event::Done(verdict)) => {
                println!("verdict: {:?}, {} markers made up", verdict.status, verdict.markers.fabricated);
            }
            Err(error) => println!("error: {error}"),
        }
    }
    assert_eq!(shown, "The landlord repairs the roof [1] and the boiler. See also [1");
    Ok(())
}
