//! [`Settings`]: the configuration file, as it is written.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use citesieve_wire::Failure;
use serde::Deserialize;

use super::{Address, ConfigError, JudgeSettings, Span};

/// The configuration file, as it is written. Every field has a default, and unknown keys are refused. `docs/proxy.md`
/// describes each.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// The address to listen on. Default: `127.0.0.1:8787`.
    pub listen: Address,
    /// Another address for health, metrics and verdicts, which are then no longer served on the first one, but for
    /// verdicts.
    pub admin: Option<Address>,
    /// Threads that carry connections. Default: one per core.
    pub workers: Option<NonZeroUsize>,
    /// The upstream of all paths that no route has.
    pub upstream: Option<String>,
    /// TLS on the listening side.
    pub tls: Option<TlsSettings>,
    /// Upstreams by path.
    pub route: Vec<RouteSettings>,
    /// The set of sources of requests that bring none, on routes that name no other.
    pub default_set: Option<String>,
    /// Files with sets of sources, by name.
    pub sources: BTreeMap<String, PathBuf>,
    /// The policy, as `citesieve::Policy` reads it.
    pub policy: toml::Table,
    /// What a request may set.
    pub requests: RequestSettings,
    /// How answers are sieved.
    pub sieve: SieveSettings,
    /// What is refused or ended.
    pub limits: LimitSettings,
    /// What becomes of verdicts.
    pub verdicts: VerdictSettings,
    /// The model that is asked about claims which strings cannot decide. None: no model is asked.
    pub judge: Option<JudgeSettings>,
    /// LiteLLM's guardrail.
    pub litellm: LiteLlmSettings,
    /// What is logged.
    pub log: LogSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            listen: Address(([127, 0, 0, 1], 8787).into()),
            admin: None,
            workers: None,
            upstream: None,
            tls: None,
            route: Vec::new(),
            default_set: None,
            sources: BTreeMap::new(),
            policy: toml::Table::new(),
            requests: RequestSettings::default(),
            sieve: SieveSettings::default(),
            limits: LimitSettings::default(),
            verdicts: VerdictSettings::default(),
            judge: None,
            litellm: LiteLlmSettings::default(),
            log: LogSettings::default(),
        }
    }
}

impl Settings {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// [`ConfigError`] with line, column and what is wrong there.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|error: toml::de::Error| {
            let before = &text[..error.span().map_or(0, |span| span.start.min(text.len()))];
            let line_start = before.rfind('\n').map_or(0, |at| at + 1);
            let (line, column) = (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1);
            ConfigError::new(format!("line {line}, column {column}: {}", error.message().replace('\n', ", ")))
        })
    }
}

/// A certificate and its key, for the listening side.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsSettings {
    /// A PEM file with the certificate, and those of its issuers after it.
    pub cert: PathBuf,
    /// A PEM file with the private key.
    pub key: PathBuf,
}

/// One upstream, for the paths that begin with `path`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouteSettings {
    /// The paths: `/openai` stands for itself and everything below.
    pub path: String,
    /// Where they lead.
    pub upstream: String,
    /// Whether `path` is taken off before the rest is put behind the upstream's own path. Default: yes.
    #[serde(default = "yes")]
    pub strip: bool,
    /// The dialect of answers, if their first frames do not tell.
    pub dialect: Option<String>,
    /// The set of sources of requests that bring none.
    pub sources: Option<String>,
    /// What differs from the policy of the file.
    #[serde(default)]
    pub policy: toml::Table,
    /// The HTTP versions to talk to the upstream.
    #[serde(default)]
    pub protocol: super::Protocol,
    /// A PEM file with the certificates to trust, instead of the public ones.
    pub ca: Option<PathBuf>,
}

fn yes() -> bool {
    true
}

/// What a request may set.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RequestSettings {
    /// Whether sources are looked for in requests. Default: yes.
    pub sources: bool,
    /// Whether a request may name a set of sources in `x-citesieve-sources`. Default: yes.
    pub sets: bool,
    /// Whether markers are also read in the syntaxes that the prompt of a request, as far as it is recognised, asks the
    /// model to cite in. Default: yes.
    pub syntaxes: bool,
    /// What a request may change of the policy. Default: only what makes the sieve stricter.
    pub policy: PolicyChange,
}

impl Default for RequestSettings {
    fn default() -> Self {
        RequestSettings { sources: true, sets: true, syntaxes: true, policy: PolicyChange::Stricter }
    }
}

/// What a request may change of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyChange {
    /// Nothing.
    No,
    /// What makes the sieve stricter.
    #[default]
    Stricter,
    /// Everything.
    Any,
}

/// How answers are sieved.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SieveSettings {
    /// Whether the verdict is put on the event that ends the answer. Default: yes.
    pub verdict: bool,
    /// A frame with more decided bytes of text than this is sent in two parts. 0: never. Default: 256.
    pub split_frames_over: usize,
    /// What becomes of what cannot be read: `open` passes it, `closed` does not. Default: `open`.
    #[serde(deserialize_with = "failure")]
    pub failure: Failure,
    /// Whether sources that a response sends along count. Default: no.
    pub response_sources: bool,
    /// How often the upstream is asked again for an answer whose markers are all fabricated; only with the policy's
    /// `release = "answer"`. Default: 0.
    pub regenerate: u32,
    /// How long nothing may be sent while text is held, before a comment line is, where the dialect allows them.
    /// `"0s"`: no comments. Default: 15 s.
    pub heartbeat: Span,
}

impl Default for SieveSettings {
    fn default() -> Self {
        SieveSettings {
            verdict: true,
            split_frames_over: 256,
            failure: Failure::Open,
            response_sources: false,
            regenerate: 0,
            heartbeat: Span::seconds(15),
        }
    }
}

fn failure<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Failure, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Written {
        Open,
        Closed,
    }
    Ok(match Written::deserialize(deserializer)? {
        Written::Open => Failure::Open,
        Written::Closed => Failure::Closed,
    })
}

/// What is refused or ended. Sizes are in bytes.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct LimitSettings {
    /// The longest request body that is read for its sources; longer ones get 413. Default: 32 MiB.
    pub request_body: u64,
    /// The longest request body of any other kind, which is passed on as it comes. Default: 1 GiB.
    pub upload: u64,
    /// The longest head of a request, names and values; longer ones get 431. Default: 64 KiB.
    pub header: usize,
    /// The longest frame that is looked at, and the most that one stream may hold. Default: 10 MB.
    pub frame: usize,
    /// The most that all streams together hold before new ones get 503. Default: 1 GiB.
    pub held: usize,
    /// Requests at the same time; further ones get 503. Default: 10,000.
    pub streams: usize,
    /// Connections at the same time; further ones wait. Default: 20,000.
    pub connections: usize,
    /// How long it may take to connect to the upstream. Default: 10 s.
    pub connect: Span,
    /// How long the upstream may send nothing. Default: 10 min.
    pub idle: Span,
    /// How long one request may take in all. Default: 1 h.
    pub total: Span,
    /// How long a client may take for the head of a request, or for a TLS handshake. Default: 30 s.
    pub request_head: Span,
    /// How long a client may send nothing while its request body is awaited; then it gets 408. Default: 30 s.
    pub request_idle: Span,
    /// How long a client may take nothing of what is sent to it before its connection is closed. Default: 5 min.
    pub client_stall: Span,
    /// How long streams may go on after the signal to stop. Default: 30 s.
    pub drain: Span,
    /// Folded texts of sources kept for further requests, in bytes. 0: none. Default: 256 MiB.
    pub folded_texts: usize,
}

impl Default for LimitSettings {
    fn default() -> Self {
        LimitSettings {
            request_body: 32 << 20,
            upload: 1 << 30,
            header: 64 << 10,
            frame: 10_000_000,
            held: 1 << 30,
            streams: 10_000,
            connections: 20_000,
            connect: Span::seconds(10),
            idle: Span::seconds(600),
            total: Span::seconds(3600),
            request_head: Span::seconds(30),
            request_idle: Span::seconds(30),
            client_stall: Span::seconds(300),
            drain: Span::seconds(30),
            folded_texts: 256 << 20,
        }
    }
}

impl LimitSettings {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let counts = [
            ("header", self.header, 1024),
            ("frame", self.frame, 1024),
            ("held", self.held, 1),
            ("streams", self.streams, 1),
            ("connections", self.connections, 1),
        ];
        for (name, value, least) in counts {
            if value < least {
                return Err(ConfigError::new(format!("limits.{name}: {value} is less than {least}")));
            }
        }
        if self.connections > 1 << 24 {
            return Err(ConfigError::new("limits.connections: more than 16,777,216"));
        }
        let spans = [
            ("connect", self.connect),
            ("idle", self.idle),
            ("total", self.total),
            ("request_head", self.request_head),
            ("request_idle", self.request_idle),
            ("client_stall", self.client_stall),
        ];
        match spans.iter().find(|(_, span)| span.0.is_zero()) {
            Some((name, _)) => Err(ConfigError::new(format!("limits.{name}: it must be longer than nothing"))),
            None => Ok(()),
        }
    }
}

/// What becomes of verdicts.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct VerdictSettings {
    /// How long `/_citesieve/verdicts/{id}` has one. `"0s"`: never. Default: 15 min.
    pub keep: Span,
    /// The most that are kept; the oldest go first. Default: 10,000.
    pub count: usize,
    /// The most bytes that are kept. Default: 64 MiB.
    pub bytes: usize,
    /// A file to which each is appended as one line of JSON; `-` is standard output.
    pub file: Option<PathBuf>,
    /// A URL to which each is posted.
    pub webhook: Option<String>,
    /// The most that wait for the file or for the webhook; further ones are dropped and counted. Default: 1,000.
    pub queue: usize,
    /// How long the webhook may take for one. Default: 10 s.
    pub webhook_timeout: Span,
}

impl Default for VerdictSettings {
    fn default() -> Self {
        VerdictSettings {
            keep: Span::seconds(900),
            count: 10_000,
            bytes: 64 << 20,
            file: None,
            webhook: None,
            queue: 1000,
            webhook_timeout: Span::seconds(10),
        }
    }
}

impl VerdictSettings {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if self.queue == 0 || self.queue > 1 << 20 {
            return Err(ConfigError::new(format!("verdicts.queue: {} is not from 1 to 1,048,576", self.queue)));
        }
        if self.webhook_timeout.0.is_zero() {
            return Err(ConfigError::new("verdicts.webhook_timeout: it must be longer than nothing"));
        }
        Ok(())
    }
}

/// The endpoint that LiteLLM's generic guardrail asks; `docs/litellm.md`.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct LiteLlmSettings {
    /// Whether it is there. Default: no.
    pub enabled: bool,
    /// How long the sources of a call are kept. Default: 15 min.
    pub keep: Span,
    /// The most calls whose sources are kept; the oldest go first. Default: 10,000.
    pub count: usize,
    /// The most bytes of sources that are kept. Default: 256 MiB.
    pub bytes: usize,
}

impl Default for LiteLlmSettings {
    fn default() -> Self {
        LiteLlmSettings { enabled: false, keep: Span::seconds(900), count: 10_000, bytes: 256 << 20 }
    }
}

impl LiteLlmSettings {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if self.enabled && (self.keep.0.is_zero() || self.count == 0 || self.bytes == 0) {
            return Err(ConfigError::new("litellm: keep, count and bytes must be more than nothing"));
        }
        Ok(())
    }
}

/// What is logged. Never bodies or credentials.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct LogSettings {
    /// How lines look. Default: text.
    pub format: LogFormat,
    /// Which are written, as `tracing` filters are: `info`, `warn,citesieve_proxy=debug`. Default: `info`.
    pub filter: String,
}

impl Default for LogSettings {
    fn default() -> Self {
        LogSettings { format: LogFormat::Text, filter: "info".into() }
    }
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}
