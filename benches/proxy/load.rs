//! The clients.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Streams at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    pub(crate) streams: usize,
    pub(crate) events: usize,
    pub(crate) pace: Duration,
    /// Whether the requests bring sources.
    pub(crate) sources: bool,
}

impl Load {
    /// How many events come out: those that are asked for, one that ends the answer, and `[DONE]`.
    pub(crate) fn expected(&self) -> usize {
        self.streams * (self.events + 2)
    }

    /// Runs all streams to their end; how many events came. They start spread over one pace, as strangers do.
    pub(crate) async fn run(self, address: SocketAddr) -> usize {
        let mut tasks = JoinSet::new();
        for index in 0..self.streams {
            let delay = self.pace * index as u32 / self.streams as u32;
            tasks.spawn(async move {
                tokio::time::sleep(delay).await;
                let mut stream = ask(address, self.events, self.pace, self.sources).await;
                let mut tail = Vec::new();
                let mut events = 0;
                let mut buffer = vec![0; 16 << 10];
                loop {
                    let count = stream.read(&mut buffer).await.unwrap();
                    assert!(count > 0, "the stream was cut");
                    tail.extend_from_slice(&buffer[..count]);
                    events += tail.windows(6).filter(|window| window == b"data: ").count();
                    if tail.ends_with(b"0\r\n\r\n") {
                        return events;
                    }
                    tail.drain(..tail.len() - 5);
                }
            });
        }
        tasks.join_all().await.into_iter().sum()
    }
}

async fn ask(address: SocketAddr, events: usize, pace: Duration, sources: bool) -> TcpStream {
    let passage = "Rent is due on the first day of each month, in advance. ".repeat(20);
    let list: Vec<_> = (1..=5).map(|id| json!({"id": id, "title": format!("Lease {id}"), "text": passage})).collect();
    let mut body = json!({
        "model": "gpt-4.1", "stream": true, "max_tokens": events, "seed": pace.as_millis() as u64,
        "messages": [{"role": "system", "content": passage}, {"role": "user", "content": "When is rent due?"}],
    });
    if sources {
        body["citesieve"] = json!({ "sources": list });
    }
    let body = body.to_string();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    stream.write_all((head + &body).as_bytes()).await.unwrap();
    stream
}

/// The time from the request to the first event of its answer.
pub(crate) async fn first_event(address: SocketAddr) -> Duration {
    let start = Instant::now();
    let mut stream = ask(address, 1, Duration::ZERO, true).await;
    let mut bytes = Vec::new();
    while !bytes.windows(6).any(|window| window == b"data: ") {
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "no answer");
    }
    let taken = start.elapsed();
    while !bytes.ends_with(b"0\r\n\r\n") {
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "the stream was cut");
    }
    taken
}
