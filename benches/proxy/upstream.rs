//! The upstream: streams an answer with markers and a quote, one event at a time, as the request asks.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep_until};

/// The pieces of the answer, over and over.
const PIECES: [&str; 16] = [
    "The", " rent", " is", " due", " on", " the", " first", " day", " [1", "].", " No", " pets", " are", " kept",
    " [7", "].",
];

/// An event as OpenAI's API sends it.
fn event(piece: &str) -> Vec<u8> {
    let json = format!(
        "{{\"id\":\"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT\",\"object\":\"chat.completion.chunk\",\"created\":1741569952,\
         \"model\":\"gpt-4.1-2025-04-14\",\"service_tier\":\"default\",\"system_fingerprint\":\"fp_b376dfbbd5\",\
         \"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{piece}\"}},\"logprobs\":null,\"finish_reason\":null}}],\"usage\":null}}"
    );
    chunk(&format!("data: {json}\n\n"))
}

fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

/// Serves until the process is ended.
pub(crate) async fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap());
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(answer(stream));
    }
}

async fn answer(mut stream: TcpStream) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    loop {
        let body = request(&mut stream).await?;
        let asked: serde_json::Value = serde_json::from_slice(&body).ok()?;
        let events = asked["max_tokens"].as_u64()?;
        let pace = Duration::from_millis(asked["seed"].as_u64()?);
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        let mut due = Instant::now();
        let mut out = head.as_bytes().to_vec();
        for index in 0..events {
            out.extend_from_slice(&event(PIECES[index as usize % PIECES.len()]));
            stream.write_all(&out).await.ok()?;
            out.clear();
            due += pace;
            sleep_until(due).await;
        }
        let stop = "data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
        out.extend_from_slice(&chunk(stop));
        out.extend_from_slice(b"0\r\n\r\n");
        stream.write_all(&out).await.ok()?;
    }
}

/// Reads a request; its body, which has a length.
async fn request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        (stream.read_buf(&mut bytes).await.ok()? > 0).then_some(())?;
    };
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let length: usize = head.lines().find_map(|line| line.strip_prefix("content-length:"))?.trim().parse().ok()?;
    while bytes.len() < end + length {
        (stream.read_buf(&mut bytes).await.ok()? > 0).then_some(())?;
    }
    Some(bytes[end..end + length].to_vec())
}
