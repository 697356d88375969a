//! The program, an upstream that writes down what it gets, and a client that sends what it is told.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Longer than anything here takes: who waits so long waits for nothing.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a request was at the upstream: its head as it came, its body without chunks.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    /// The first line.
    pub(crate) fn line(&self) -> &str {
        self.head.split("\r\n").next().unwrap_or_default()
    }

    /// The values of a header.
    pub(crate) fn values(&self, name: &str) -> Vec<&str> {
        let fields = self.head.split("\r\n").skip(1).filter_map(|line| line.split_once(':'));
        fields.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).collect()
    }
}

/// How the upstream answers.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// With these bytes, whole.
    Bytes(Vec<u8>),
    /// With these bytes, and then nothing more until the other side closes.
    Hang(Vec<u8>),
    /// With these bytes, and then the second ones for ever.
    Endless(Vec<u8>, Vec<u8>),
}

/// An answer that nothing is wrong with.
pub(crate) fn fine() -> Answer {
    Answer::Bytes(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}".to_vec())
}

/// An upstream on loopback.
#[derive(Debug, Clone)]
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    answers: Arc<Mutex<VecDeque<Answer>>>,
    /// Connections that were closed by the other side while an answer was under way.
    closed: Arc<Mutex<usize>>,
}

impl Upstream {
    /// Answers with these, one after the other, then finely.
    pub(crate) fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let upstream = Upstream {
            address: listener.local_addr().unwrap(),
            seen: Arc::default(),
            answers: Arc::new(Mutex::new(answers.into_iter().collect())),
            closed: Arc::default(),
        };
        let own = upstream.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let own = own.clone();
                thread::spawn(move || own.serve(stream));
            }
        });
        upstream
    }

    fn serve(&self, stream: TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let mut stream = stream;
        loop {
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                if reader.read_line(&mut head).ok()? == 0 {
                    return None;
                }
            }
            let mut seen = Seen { head, body: Vec::new() };
            if seen.values("transfer-encoding") == ["chunked"] {
                loop {
                    let mut line = String::new();
                    reader.read_line(&mut line).ok()?;
                    let length = usize::from_str_radix(line.trim(), 16).ok()?;
                    let mut chunk = vec![0; length + 2];
                    reader.read_exact(&mut chunk).ok()?;
                    seen.body.extend_from_slice(&chunk[..length]);
                    if length == 0 {
                        break;
                    }
                }
            } else if let Some(length) = seen.values("content-length").first() {
                seen.body = vec![0; length.parse().ok()?];
                reader.read_exact(&mut seen.body).ok()?;
            }
            self.seen.lock().unwrap().push(seen);
            let answer = self.answers.lock().unwrap().pop_front().unwrap_or_else(fine);
            match answer {
                Answer::Bytes(bytes) => stream.write_all(&bytes).ok()?,
                Answer::Hang(bytes) => {
                    stream.write_all(&bytes).ok()?;
                    let _ = reader.read(&mut [0; 1]);
                    *self.closed.lock().unwrap() += 1;
                    return None;
                }
                Answer::Endless(bytes, more) => {
                    let mut sent = stream.write_all(&bytes);
                    while sent.is_ok() {
                        sent = stream.write_all(&more);
                    }
                    *self.closed.lock().unwrap() += 1;
                    return None;
                }
            }
        }
    }

    /// What came so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Waits until so many connections were closed in the middle.
    pub(crate) fn await_closed(&self, count: usize) {
        let start = std::time::Instant::now();
        while *self.closed.lock().unwrap() < count {
            assert!(start.elapsed() < PATIENCE, "the upstream's connection stays open");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The program, serving.
#[derive(Debug)]
pub(crate) struct Proxy {
    child: Child,
    pub(crate) address: SocketAddr,
    log: Arc<Mutex<String>>,
    _folder: tempfile::TempDir,
}

impl Proxy {
    /// In front of this upstream, with these limits, and no patience for connections on which nothing is asked.
    pub(crate) fn new(upstream: &Upstream, limits: &str) -> Self {
        Proxy::with(upstream, limits, "")
    }

    /// The same with more of a configuration.
    pub(crate) fn with(upstream: &Upstream, limits: &str, more: &str) -> Self {
        let head = if limits.contains("request_head") { "" } else { "request_head = \"500ms\"" };
        let config = format!("{more}\n[limits]\n{head}\n{limits}");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("citesieve.toml");
        let start = format!("listen = \"127.0.0.1:0\"\nupstream = \"http://{}\"\n", upstream.address);
        std::fs::write(&path, format!("{start}{config}\n[log]\nformat = \"json\"\nfilter = \"debug\"\n")).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_citesieve"))
            .args(["serve", "--config"])
            .arg(&path)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut log = String::new();
        let address = loop {
            let mut line = String::new();
            assert!(lines.read_line(&mut line).unwrap() > 0, "it did not start: {log}");
            log.push_str(&line);
            let said: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
            if said["message"] == "listening" {
                break said["address"].as_str().unwrap().parse().unwrap();
            }
        };
        let log = Arc::new(Mutex::new(log));
        let own = Arc::clone(&log);
        thread::spawn(move || {
            let mut line = String::new();
            while lines.read_line(&mut line).is_ok_and(|count| count > 0) {
                own.lock().unwrap().push_str(&line);
                line.clear();
            }
        });
        Proxy { child, address, log, _folder: folder }
    }

    /// A connection to it.
    pub(crate) fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Client { stream }
    }

    /// What it answers to these bytes on a connection of their own, up to where it closes.
    pub(crate) fn send(&self, bytes: impl AsRef<[u8]>) -> String {
        let mut client = self.connect();
        client.send(bytes);
        client.rest()
    }

    /// The same where the client closes its side behind these bytes.
    pub(crate) fn send_cut(&self, bytes: impl AsRef<[u8]>) -> String {
        let mut client = self.connect();
        client.send(bytes);
        let _ = client.stream.shutdown(std::net::Shutdown::Write);
        client.rest()
    }

    /// It still works, and nothing of another request is in the answer.
    pub(crate) fn assert_fine(&self) {
        let answer = self.send("GET /fine HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        assert_eq!(status(&answer), 200, "{answer}");
        assert!(answer.ends_with("{}"), "{answer}");
    }

    /// What it logged so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Kilobytes of memory that it has resident; `None` where the system does not tell.
    pub(crate) fn resident(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix(" kB")?.parse().ok()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            println!("its log:\n{}", self.log());
        }
    }
}

/// A connection to the proxy.
#[derive(Debug)]
pub(crate) struct Client {
    stream: TcpStream,
}

impl Client {
    /// Sends bytes; whether the other side takes them is not asked.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).is_ok()
    }

    /// Whatever comes until the other side closes.
    pub(crate) fn rest(mut self) -> String {
        let mut answer = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => answer.extend_from_slice(&buffer[..count]),
                Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                    panic!("it neither answers nor closes: {:?}", String::from_utf8_lossy(&answer));
                }
                // Reset: closed while something was still coming.
                Err(_) => break,
            }
        }
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Takes so many bytes, or as many as come. Returns how many came.
    pub(crate) fn take(&mut self, most: usize) -> usize {
        let mut buffer = vec![0; 1 << 16];
        let mut taken = 0;
        while taken < most {
            match self.stream.read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(count) => taken += count,
            }
        }
        taken
    }

    /// Reads up to and with the first occurrence of these bytes.
    pub(crate) fn until(&mut self, end: &str) -> String {
        let mut answer = Vec::new();
        let mut byte = [0; 1];
        while !answer.ends_with(end.as_bytes()) {
            assert_eq!(self.stream.read(&mut byte).unwrap(), 1, "closed after {:?}", String::from_utf8_lossy(&answer));
            answer.push(byte[0]);
        }
        String::from_utf8_lossy(&answer).into_owned()
    }
}

/// The status of an answer; 0 if there is none.
pub(crate) fn status(answer: &str) -> u16 {
    answer
        .strip_prefix("HTTP/1.1 ")
        .or(answer.strip_prefix("HTTP/1.0 "))
        .and_then(|rest| rest.get(..3)?.parse().ok())
        .unwrap_or(0)
}
