//! Wraps the body of a `reqwest` response: the bytes that it yields are the stream as a client should get it.
//!
//! This is what a proxy or an `axum` handler (`Body::from_stream`) needs: bytes out, the report to a function.

mod support;

use std::error::Error;

use citesieve::{Policy, Source, Sources};
use citesieve_stream::SieveExt;
use citesieve_wire::{Config, lane_texts};
use futures::TryStreamExt;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Stands for the API.
    let server = support::serve_chat(&["Rent is due", " monthly [1", "], in gold [", "4", "]."]).await?;
    let response =
        reqwest::Client::new().post(format!("http://{server}/v1/chat/completions")).body("{}").send().await?;

    let sources = Sources::new(vec![Source::new("1").text("Rent is due monthly.")])?;
    let body = response.bytes_stream().sieve_wire(Config::new(Policy::default(), sources));
    let body = body.bytes_only(|report| {
        for (lane, verdict) in &report.lanes {
            println!(
                "lane {lane}: {:?}, {} of {} made up",
                verdict.status, verdict.markers.fabricated, verdict.markers.total
            );
        }
    });

    // Sent on as it comes, in a server; here it is collected.
    let pieces: Vec<_> = body.try_collect().await?;
    let sent = pieces.concat();
    print!("{}", String::from_utf8_lossy(&sent));
    assert_eq!(lane_texts(&sent, None), [("0".to_owned(), "Rent is due monthly [1], in gold.".to_owned())]);
    Ok(())
}
