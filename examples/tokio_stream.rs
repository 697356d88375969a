//! Wraps a stream of deltas: a tokio channel here, any `Stream` of text in a program of yours.
//!
//! The README shows everything below the next line; a test keeps the two the same.
// README: from here
use citesieve::{Policy, Source, Sources};
use citesieve_stream::{SieveExt, TextEvent};
use tokio_stream::{StreamExt, wrappers::ReceiverStream};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sources = Sources::new(vec![Source::new("1").title("Lease, clause 7").text("The roof shall be kept.")])?;

    // The model writes into a channel; what it wrote comes out checked.
    let (model, deltas) = tokio::sync::mpsc::channel(8);
    tokio::spawn(async move {
        for delta in ["The tenant pays", " for the roof [1", "] and the", " boiler [", "9]."] {
            model.send(Ok::<_, std::io::Error>(delta)).await.ok();
        }
    });
    let mut answer = ReceiverStream::new(deltas).sieve(Policy::default(), sources);

    let mut shown = String::new();
    while let Some(event) = answer.next().await {
        match event? {
            TextEvent::Text(text) => shown += &text,
            TextEvent::Verdict(verdict) => println!("{:?}, {} made up", verdict.status, verdict.markers.fabricated),
        }
    }
    assert_eq!(shown, "The tenant pays for the roof [1] and the boiler.");
    println!("{shown}");
    Ok(())
}
