//! [`Upstream`]: the server.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use citesieve::{Policy, Sources};
use citesieve_wire::{Config, Report, Session};
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, TRAILER};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, Version};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use crate::body::{Counted, Playing};
use crate::recording::{self, Recording};
use crate::request::Asked;
use crate::stats::Counters;
use crate::{Received, Script, Stats};

/// What a server is started with.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Where to listen; default: a free port of 127.0.0.1.
    pub listen: Option<SocketAddr>,
    /// Folders with recordings, `DIALECT/NAME.sse` and so on; the first that has one is used.
    pub recordings: Vec<PathBuf>,
    /// How answers are sent, unless a request says otherwise.
    pub script: Script,
    /// Every answer is sieved against these, as behind the proxy.
    pub sources: Option<Arc<Sources>>,
}

/// A running server. Dropping it breaks off every connection.
#[derive(Debug)]
pub struct Upstream {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

/// What connections share.
#[derive(Debug)]
pub(crate) struct Shared {
    settings: Settings,
    pub(crate) counters: Counters,
    last: Mutex<Option<Received>>,
    next_id: AtomicU64,
    reports: Mutex<VecDeque<(u64, Report)>>,
}

/// Reports that are kept.
const MAX_REPORTS: usize = 1000;

type Body = UnsyncBoxBody<Bytes, io::Error>;

impl Upstream {
    /// Listens. Needs a tokio runtime.
    ///
    /// # Errors
    /// If the address cannot be listened on.
    pub async fn start(settings: Settings) -> io::Result<Self> {
        let listener = TcpListener::bind(settings.listen.unwrap_or(SocketAddr::from(([127, 0, 0, 1], 0)))).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            settings,
            counters: Counters::default(),
            last: Mutex::default(),
            next_id: AtomicU64::new(1),
            reports: Mutex::default(),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Upstream { address, shared, accepting })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its base URL, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it has seen so far.
    pub fn stats(&self) -> Stats {
        self.shared.counters.read()
    }

    /// The last request that it got.
    pub fn last(&self) -> Option<Received> {
        lock(&self.shared.last).clone()
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn keep(&self, id: u64, report: Report) {
        let mut reports = lock(&self.reports);
        if reports.len() == MAX_REPORTS {
            reports.pop_front();
        }
        reports.push_back((id, report));
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    // Its tasks end with it.
    let mut connections = JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        connections.spawn(serve(stream, Arc::clone(&shared)));
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    struct Open(Arc<Shared>);
    impl Drop for Open {
        fn drop(&mut self) {
            self.0.counters.open_connections.fetch_sub(1, Relaxed);
        }
    }

    shared.counters.connections.fetch_add(1, Relaxed);
    shared.counters.open_connections.fetch_add(1, Relaxed);
    let open = Open(shared);
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let shared = Arc::clone(&open.0);
        async move { Ok::<_, Infallible>(answer(request, shared).await) }
    });
    // A client that goes away is counted with its body.
    let _ = auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(request: Request<Incoming>, shared: Arc<Shared>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    if path == "/_upstream/stats" {
        return json(StatusCode::OK, &shared.counters.read());
    }
    if path == "/_upstream/last" {
        let last = lock(&shared.last).clone();
        return json(if last.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND }, &last);
    }
    if let Some(id) = path.strip_prefix("/_citesieve/verdicts/") {
        let reports = lock(&shared.reports);
        let found = id.parse().ok().and_then(|id: u64| reports.iter().find(|(kept, _)| *kept == id));
        let status = if found.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
        let choice = |(index, verdict)| serde_json::json!({"index": index, "verdict": verdict});
        let lanes = found.map(|(_, report)| report.lanes.iter().cloned().map(choice).collect::<Vec<_>>());
        return json(status, &serde_json::json!({"choices": lanes}));
    }
    let Ok(body) = body.collect().await else { return error(StatusCode::BAD_REQUEST, "the body was cut") };
    let body = body.to_bytes();
    shared.counters.requests.fetch_add(1, Relaxed);
    if parts.version == Version::HTTP_2 {
        shared.counters.http2_requests.fetch_add(1, Relaxed);
    }
    *lock(&shared.last) = Some(Received::new(&parts, &body));
    let script = match parts.headers.get("x-upstream").map(|script| serde_json::from_slice(script.as_bytes())) {
        None => shared.settings.script.clone(),
        Some(Ok(script)) => script,
        Some(Err(problem)) => return error(StatusCode::BAD_REQUEST, &format!("x-upstream: {problem}")),
    };
    let counted = Counted::new(Arc::clone(&shared));
    tokio::time::sleep(Duration::from_millis(script.wait_ms)).await;
    if script.silent {
        std::future::pending::<()>().await;
    }
    play(&Asked::new(&parts, &body), script, &shared, counted)
        .unwrap_or_else(|problem| error(StatusCode::NOT_FOUND, &problem))
}

/// The answer that the script makes of a recording.
fn play(asked: &Asked, script: Script, shared: &Shared, counted: Counted) -> Result<Response<Body>, String> {
    let status = StatusCode::from_u16(script.status.unwrap_or(200)).map_err(|error| error.to_string())?;
    let recording = match &script.body {
        Some(body) => body_of(body),
        None if status.as_u16() >= 400 => body_of(&error_of(status, "scripted")),
        None => recording::find(&shared.settings.recordings, asked, &script)?,
    };
    let mut headers = recording.headers.clone();
    let sources = shared.settings.sources.clone().filter(|_| status.is_success());
    let sieve = sources.map(|sources| {
        let id = shared.next_id.fetch_add(1, Relaxed);
        headers.insert("x-citesieve-id", HeaderValue::from(id));
        (id, Session::new(Config::new(Policy::default(), sources)))
    });
    if let Some(encoding) = script.encoding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding.name()));
    } else if sieve.is_none() && (script.length || !recording.stream) && script.trailers.is_empty() {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(recording.body.len()));
    }
    let trailers = fields(&script.trailers)?;
    for name in trailers.keys() {
        headers.append(TRAILER, HeaderValue::from(name.clone()));
    }
    headers.extend(fields(&script.headers)?);
    let trailers = (!trailers.is_empty()).then_some(trailers);
    let playing = Playing::new(&recording, script, sieve, trailers, counted).map_err(|error| error.to_string())?;
    let mut response = Response::new(StreamBody::new(playing.frames()).boxed_unsync());
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}

fn fields<'a>(from: impl IntoIterator<Item = (&'a String, &'a String)>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in from {
        let name: HeaderName = name.parse().map_err(|_| format!("{name:?} is no name of a field"))?;
        headers.insert(name, value.parse().map_err(|_| format!("{value:?} is no value of a field"))?);
    }
    Ok(headers)
}

/// An error that the clients of every API can read.
fn error_of(status: StatusCode, message: &str) -> serde_json::Value {
    serde_json::json!({
        "type": "error",
        "error": {"type": "scripted_error", "code": status.as_u16(), "status": "UNAVAILABLE", "message": message},
        "message": message,
    })
}

fn body_of(value: &serde_json::Value) -> Recording {
    let kind = HeaderValue::from_static("application/json");
    let headers = [(CONTENT_TYPE, kind)].into_iter().collect();
    Recording { body: value.to_string().into(), headers, stream: false }
}

fn error(status: StatusCode, message: &str) -> Response<Body> {
    json(status, &error_of(status, message))
}

fn json(status: StatusCode, value: &impl serde::Serialize) -> Response<Body> {
    let body = serde_json::to_vec(value).unwrap_or_default();
    let mut response = Response::new(Full::from(body).map_err(|never| match never {}).boxed_unsync());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
