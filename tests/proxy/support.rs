//! A proxy and an upstream, started for one test; a client that shows everything.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use bytes::Bytes;
use citesieve::{Policy, Sources};
use citesieve_upstream::{Script, Settings, Upstream};
use citesieve_wire::Config;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

/// Long enough for anything that is to happen at all.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A running proxy. Killed when it is dropped.
pub(crate) struct Proxy {
    child: Child,
    pub(crate) address: SocketAddr,
    /// The address for health and metrics, if it has one.
    pub(crate) admin: Option<SocketAddr>,
    log: Arc<Mutex<String>>,
    /// Its configuration, and what it writes.
    pub(crate) folder: tempfile::TempDir,
}

impl Proxy {
    /// Starts one with this configuration.
    #[track_caller]
    pub(crate) fn start(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Proxy::start_in(folder, config)
    }

    #[track_caller]
    pub(crate) fn start_in(folder: tempfile::TempDir, config: &str) -> Self {
        let file = folder.path().join("proxy.toml");
        std::fs::write(&file, config).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_citesieve"))
            .args(["serve", "--listen", "127.0.0.1:0", "--config"])
            .arg(&file)
            .stderr(Stdio::piped())
            .stdout(std::fs::File::create(folder.path().join("stdout")).unwrap())
            .spawn()
            .unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let (sender, lines) = mpsc::channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let written = Arc::clone(&log);
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let mut log = written.lock().unwrap();
                log.push_str(&line);
                log.push('\n');
                drop(log);
                let _ = sender.send(line);
            }
        });
        let (address, admin) = loop {
            let Ok(line) = lines.recv_timeout(PATIENCE) else { panic!("it does not start: {}", log.lock().unwrap()) };
            let value = |key: &str| {
                // Of both forms of log lines.
                let plain = line.split_once(&format!(" {key}=")).and_then(|(_, rest)| rest.split(' ').next());
                let json = line.split_once(&format!("\"{key}\":\"")).and_then(|(_, rest)| rest.split('"').next());
                plain.or(json)?.parse::<SocketAddr>().ok()
            };
            if let Some(address) = value("address").filter(|_| line.contains("listening")) {
                break (address, value("admin"));
            }
        };
        Proxy { child, address, admin, log, folder }
    }

    /// Everything that it has logged.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Its resident memory in bytes, where the system tells.
    pub(crate) fn memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
    }

    /// Asks it to stop, as a service manager does.
    #[cfg(unix)]
    pub(crate) fn terminate(&self) {
        assert!(Command::new("kill").arg(self.child.id().to_string()).status().unwrap().success());
    }

    /// Waits until it has stopped.
    #[cfg(unix)]
    pub(crate) async fn stopped(&mut self) -> std::process::ExitStatus {
        until("the program stops", || self.child.try_wait().unwrap()).await
    }

    /// What one of its pages says.
    pub(crate) async fn page(&self, path: &str) -> (StatusCode, String) {
        page(self.address, path).await
    }

    /// The value of a metric, by its name and labels.
    pub(crate) async fn metric(&self, name: &str) -> f64 {
        let (_, page) = page(self.admin.unwrap_or(self.address), "/metrics").await;
        let line = page.lines().find(|line| line.split_once(' ').is_some_and(|(key, _)| key == name));
        line.map_or(0.0, |line| line.split_once(' ').unwrap().1.parse().unwrap())
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            let _ = writeln!(std::io::stderr(), "the proxy's log:\n{}", self.log());
        }
    }
}

pub(crate) async fn page(address: SocketAddr, path: &str) -> (StatusCode, String) {
    let request = Request::get(format!("http://{address}{path}")).body(Full::default()).unwrap();
    let shown = Shown::of(client().request(request).await.unwrap()).await;
    (shown.status, shown.text())
}

/// An upstream that plays the recordings of this repository, and those of this folder.
pub(crate) async fn upstream(more: impl IntoIterator<Item = PathBuf>) -> Upstream {
    scripted(Script::default(), more).await
}

/// The same, with a script for all requests that bring none.
pub(crate) async fn scripted(script: Script, more: impl IntoIterator<Item = PathBuf>) -> Upstream {
    let own = root().join("tests/recordings");
    let settings = Settings { recordings: [own].into_iter().chain(more).collect(), script, ..Settings::default() };
    Upstream::start(settings).await.unwrap()
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// An upstream and a proxy before it.
pub(crate) async fn both(config: &str) -> (Upstream, Proxy) {
    let upstream = upstream([]).await;
    let proxy = Proxy::start(&format!("upstream = \"{}\"\n{config}", upstream.url()));
    (upstream, proxy)
}

/// The sources of the recorded answers.
pub(crate) fn lease() -> Value {
    json!([
        {"id": "1", "text": "The rent is due on the first of each month."},
        {"id": "2", "text": "Late rent bears interest at four per cent a year. The roof shall be kept in good repair."},
        {"id": "3", "text": "The tenant may terminate on two months' written notice."},
        {"id": "4"},
        {"id": "5"},
    ])
}

/// How the proxy sieves an answer with these sources in the request.
pub(crate) fn sieving(sources: &Value) -> Config {
    let sources = serde_json::from_value(sources.clone()).unwrap();
    Config::new(Policy::default(), Sources::new(sources).unwrap()).origin(Some("citesieve field"))
}

pub(crate) type Plain = Client<hyper_util::client::legacy::connect::HttpConnector, Full<Bytes>>;

pub(crate) fn client() -> Plain {
    Client::builder(TokioExecutor::new()).build_http()
}

/// A client that speaks HTTP/2 from the first byte.
pub(crate) fn client2() -> Plain {
    Client::builder(TokioExecutor::new()).http2_only(true).build_http()
}

/// A request with JSON.
pub(crate) fn post(address: SocketAddr, path: &str, body: &Value) -> Request<Full<Bytes>> {
    Request::post(format!("http://{address}{path}"))
        .header("content-type", "application/json")
        .body(Full::from(body.to_string()))
        .unwrap()
}

/// The same, and how the upstream is to answer.
pub(crate) fn ask(address: SocketAddr, path: &str, body: &Value, script: &Value) -> Request<Full<Bytes>> {
    let mut request = post(address, path, body);
    request.headers_mut().insert("x-upstream", script.to_string().parse().unwrap());
    request
}

pub(crate) const CHAT: &str = "/v1/chat/completions";

/// A question with the sources of the recorded answers.
pub(crate) fn question(stream: bool) -> Value {
    json!({"model": "lease", "stream": stream, "messages": [{"role": "user", "content": "When is rent due?"}],
           "citesieve": {"sources": lease()}})
}

/// A response, read to its end.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) trailers: Option<HeaderMap>,
    /// It broke off.
    pub(crate) cut: bool,
}

impl Shown {
    pub(crate) async fn of(response: Response<Incoming>) -> Self {
        let (parts, mut body) = response.into_parts();
        let (status, headers) = (parts.status, parts.headers);
        let mut shown = Shown { status, headers, body: Vec::new(), trailers: None, cut: false };
        while let Some(frame) = body.frame().await {
            match frame {
                Err(_) => {
                    shown.cut = true;
                    break;
                }
                Ok(frame) => match frame.into_data() {
                    Ok(data) => shown.body.extend_from_slice(&data),
                    Err(frame) => shown.trailers = frame.into_trailers().ok(),
                },
            }
        }
        shown
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// The message of an error of the proxy itself.
    #[track_caller]
    pub(crate) fn refusal(&self) -> String {
        let error: Value = serde_json::from_slice(&self.body).unwrap();
        assert_eq!(error["error"]["type"], "citesieve", "{error}");
        error["error"]["message"].as_str().unwrap().to_owned()
    }

    /// The text of the answer.
    pub(crate) fn answer(&self) -> String {
        citesieve_wire::lane_texts(&self.body, None).into_iter().map(|(_, text)| text).collect()
    }
}

pub(crate) async fn send(request: Request<Full<Bytes>>) -> Shown {
    Shown::of(client().request(request).await.unwrap()).await
}

/// Waits until there is something.
pub(crate) async fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(tokio::time::Instant::now() < deadline, "it never happens that {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Sends bytes over a connection of their own and reads the answer until the other side closes it.
pub(crate) async fn raw(address: SocketAddr, bytes: &[u8]) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    // It may answer, and close, before it has everything.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("no end of the answer");
    String::from_utf8_lossy(&answer).into_owned()
}
