//! Where records go beside the store: a file of JSON Lines, a webhook. Neither is ever waited for.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::{Method, Request, Uri};
use http_body_util::{BodyExt, Full};
use tokio::fs::{File, OpenOptions};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::body::RequestBody;
use crate::metrics::Metrics;
use crate::upstream::Client;

/// The queue to one sink.
#[derive(Debug)]
struct Sink {
    name: &'static str,
    queue: Sender<Bytes>,
}

/// All sinks.
#[derive(Debug, Default)]
pub(crate) struct Sinks(Vec<Sink>);

impl Sinks {
    /// Offers a record to every sink; one that is busy goes without, and that is counted.
    pub(crate) fn offer(&self, record: &Bytes, metrics: &Metrics) {
        for sink in &self.0 {
            if sink.queue.try_send(record.clone()).is_err() {
                metrics.sink(sink.name, "dropped");
            }
        }
    }

    /// Appends each record to a file as one line, or writes it to standard output (`-`).
    pub(crate) async fn add_file(
        &mut self,
        path: &Path,
        queue: usize,
        metrics: Arc<Metrics>,
    ) -> io::Result<JoinHandle<()>> {
        let (sender, receiver) = mpsc::channel(queue);
        self.0.push(Sink { name: "file", queue: sender });
        if path.as_os_str() == "-" {
            return Ok(tokio::spawn(write_lines(tokio::io::stdout(), receiver, metrics, "standard output".into())));
        }
        let file: File = OpenOptions::new().append(true).create(true).open(path).await?;
        Ok(tokio::spawn(write_lines(file, receiver, metrics, PathBuf::from(path))))
    }

    /// Posts each record to a URL.
    pub(crate) fn add_webhook(
        &mut self,
        client: Client,
        url: Uri,
        queue: usize,
        patience: Duration,
        metrics: Arc<Metrics>,
    ) -> JoinHandle<()> {
        let (sender, receiver) = mpsc::channel(queue);
        self.0.push(Sink { name: "webhook", queue: sender });
        tokio::spawn(post(client, url, receiver, patience, metrics))
    }
}

async fn write_lines<W: AsyncWrite + Unpin>(
    mut out: W,
    mut records: Receiver<Bytes>,
    metrics: Arc<Metrics>,
    name: PathBuf,
) {
    let mut lines = Vec::new();
    while let Some(record) = records.recv().await {
        let mut count = 1;
        lines.clear();
        lines.extend_from_slice(&record);
        lines.push(b'\n');
        // Whatever waits goes out in one piece.
        while lines.len() < 1 << 20
            && let Ok(record) = records.try_recv()
        {
            lines.extend_from_slice(&record);
            lines.push(b'\n');
            count += 1;
        }
        let written = match out.write_all(&lines).await {
            Ok(()) => out.flush().await,
            Err(error) => Err(error),
        };
        if let Err(error) = &written {
            tracing::warn!(file = %name.display(), %error, "verdicts could not be written");
        }
        for _ in 0..count {
            metrics.sink("file", if written.is_ok() { "written" } else { "failed" });
        }
    }
}

async fn post(client: Client, url: Uri, mut records: Receiver<Bytes>, patience: Duration, metrics: Arc<Metrics>) {
    while let Some(record) = records.recv().await {
        let mut request = Request::new(RequestBody::Whole(Full::new(record)));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = url.clone();
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let sent = timeout(patience, async {
            let response = client.request(request).await.map_err(|error| error.to_string())?;
            let status = response.status();
            // Read to its end, so that the connection can be used again; but not forever.
            let body = http_body_util::Limited::new(response.into_body(), 64 << 10);
            let _ = body.collect().await;
            if status.is_success() { Ok(()) } else { Err(format!("status {status}")) }
        });
        let sent = sent.await.unwrap_or_else(|_| Err("no answer in time".to_owned()));
        if let Err(error) = &sent {
            tracing::warn!(host = url.host().unwrap_or_default(), %error, "a verdict could not be posted");
        }
        metrics.sink("webhook", if sent.is_ok() { "written" } else { "failed" });
    }
}
