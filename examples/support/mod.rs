//! A server on this machine that sends one recorded answer, so that the examples need no network.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Serves a streamed chat completion with these deltas to the first client, event by event, and says where.
pub(crate) async fn serve_chat(deltas: &'static [&'static str]) -> io::Result<SocketAddr> {
    // Another crate of this workspace has reqwest built without a choice of TLS; a program of its own needs no such line.
    rustls::crypto::ring::default_provider().install_default().ok();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await?;
        read_request(&mut socket).await?;
        socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n").await?;
        for delta in deltas {
            send(&mut socket, &format!("{{\"content\":{}}}", serde_json::Value::from(*delta)), "null").await?;
        }
        send(&mut socket, "{}", "\"stop\"").await?;
        socket.write_all(b"data: [DONE]\n\n").await?;
        socket.shutdown().await
    });
    Ok(address)
}

/// Reads a request to its end, as a client may not listen before it was heard.
async fn read_request(socket: &mut (impl AsyncReadExt + Unpin)) -> io::Result<()> {
    let mut request = Vec::new();
    loop {
        if socket.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&request).to_ascii_lowercase();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
            if body.len() >= length.and_then(|length| length.trim().parse().ok()).unwrap_or(0) {
                return Ok(());
            }
        }
    }
}

async fn send(socket: &mut (impl AsyncWriteExt + Unpin), delta: &str, finish: &str) -> io::Result<()> {
    let event = format!(
        "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"m\",\
         \"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
    );
    socket.write_all(event.as_bytes()).await
}
