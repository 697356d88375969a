//! One JSON request, repeated while that makes sense. Keys are in no message.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use rustls_platform_verifier::BuilderVerifierExt;
use serde_json::Value;

/// An API key. It is shown nowhere: `Debug` says `Key(…)`.
#[derive(Clone)]
pub struct Key(String);

impl Key {
    /// Takes a key; spaces around it, which a file or a variable may have, are dropped.
    pub fn new(key: impl Into<String>) -> Self {
        Key(key.into().trim().to_owned())
    }

    /// A header that carries it, with `before` in front of it.
    pub(super) fn header(&self, before: &str) -> Result<HeaderValue, ClientError> {
        let mut value = HeaderValue::try_from(format!("{before}{}", self.0))
            .map_err(|_| ClientError::Setup("the API key has characters that no header may have".into()))?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// A text of the server without the key in it.
    fn redact(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "…") }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// How often a call is repeated, and how long to wait before that. Doubles each time, with a random part of up to a half.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// How often at most; 0: never. Default: 2.
    pub most: u32,
    /// The wait before the first repetition. Default: half a second.
    pub first: Duration,
    /// The longest wait; where the server asks for a longer one (`Retry-After`), the call fails at once. Default: 20
    /// seconds.
    pub longest: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Retries { most: 2, first: Duration::from_millis(500), longest: Duration::from_secs(20) }
    }
}

/// Why a model was not heard. No message holds the key, nor the URL, which may have one in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The client cannot be made: a URL or a key that makes no sense, no certificates.
    #[error("{0}")]
    Setup(String),
    /// The server was not reached, or the connection broke.
    #[error("the server was not reached: {0}")]
    Connection(String),
    /// The server refused.
    #[error("status {status}: {message}")]
    Status {
        /// The HTTP status.
        status: u16,
        /// What it says, shortened.
        message: String,
    },
    /// The server answered something else than its API promises.
    #[error("{0}")]
    Answer(String),
}

/// An endpoint that takes JSON by POST.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    client: reqwest::Client,
    url: reqwest::Url,
    headers: HeaderMap,
    key: Key,
    pub(super) retries: Retries,
}

/// The most bytes of a response that are read.
const MAX_BODY: usize = 1 << 20;

impl Endpoint {
    pub(super) fn new(
        url: &str,
        path: &str,
        key: Key,
        headers: impl IntoIterator<Item = (HeaderName, HeaderValue)>,
    ) -> Result<Self, ClientError> {
        let setup = |what: String| ClientError::Setup(what);
        let parse =
            |url: &str| reqwest::Url::parse(url).map_err(|error| setup(format!("the URL of the model: {error}")));
        let base = parse(url)?;
        if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
            return Err(setup("the URL of the model: http:// or https:// and a host expected".into()));
        }
        let url = parse(&format!("{}/{path}", url.trim_end_matches('/')))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_platform_verifier())
            .map_err(|error| setup(format!("TLS: {error}")))?
            .with_no_client_auth();
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(concat!("citesieve/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(Duration::from_secs(10))
            // A redirect would take the prompt, if not the key, to somebody else.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| setup(format!("HTTP: {error}")))?;
        Ok(Endpoint { client, url, headers: headers.into_iter().collect(), key, retries: Retries::default() })
    }

    /// Sends a request, which is JSON, until it is answered, or no repetition is left.
    pub(super) async fn post(&self, body: &str) -> Result<Value, ClientError> {
        let mut attempt = 0;
        loop {
            let (error, wanted) = match self.once(body).await {
                Ok(value) => return Ok(value),
                Err(failure) => failure,
            };
            let Some(wanted) = wanted.filter(|_| attempt < self.retries.most) else { return Err(error) };
            if wanted > self.retries.longest {
                return Err(error);
            }
            tokio::time::sleep(wanted.max(self.pause(attempt))).await;
            attempt += 1;
        }
    }

    /// One request. On failure: the error, and if it makes sense to try again, how long the server asks to wait.
    async fn once(&self, body: &str) -> Result<Value, (ClientError, Option<Duration>)> {
        let lost = |error: reqwest::Error| {
            let error = error.without_url();
            (ClientError::Connection(self.key.redact(&causes(&error))), Some(Duration::ZERO))
        };
        let request = self.client.post(self.url.clone()).headers(self.headers.clone());
        let request = request.header(CONTENT_TYPE, "application/json").body(body.to_owned());
        let mut response = request.send().await.map_err(lost)?;
        let status = response.status();
        let wait = retry_after(response.headers());
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(lost)? {
            if bytes.len() + chunk.len() > MAX_BODY {
                return Err((ClientError::Answer("the response is too long".into()), None));
            }
            bytes.extend_from_slice(&chunk);
        }
        let json = serde_json::from_slice::<Value>(&bytes);
        if status.is_success() {
            return json.map_err(|_| (ClientError::Answer("the response is no JSON".into()), None));
        }
        let said = json.ok().and_then(|json| {
            let places = ["/error/message", "/error", "/message", "/detail"];
            places.iter().find_map(|place| json.pointer(place)?.as_str().map(str::to_owned))
        });
        let said = said.unwrap_or_else(|| status.canonical_reason().unwrap_or("refused").to_owned());
        let message: String = self.key.redact(&said).chars().take(300).collect();
        // 529 is Anthropic's word for overloaded.
        let passing = matches!(status.as_u16(), 408 | 409 | 425 | 429 | 500 | 502 | 503 | 504 | 529);
        let wait = passing.then(|| wait.unwrap_or_default());
        Err((ClientError::Status { status: status.as_u16(), message }, wait))
    }

    /// How long to wait before repetition `attempt` (from 0).
    fn pause(&self, attempt: u32) -> Duration {
        let whole = self.retries.first.saturating_mul(1 << attempt.min(16)).min(self.retries.longest);
        // Each `RandomState` has keys of its own, which is all the chance that this needs.
        let chance = RandomState::new().hash_one(attempt) as f64 / u64::MAX as f64;
        whole.mul_f64(1.0 - chance / 2.0)
    }
}

/// An error with what caused it.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}

/// What the server asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let seconds = |text: &str| {
        let seconds: f64 = text.parse().ok()?;
        Duration::try_from_secs_f64(seconds.max(0.0)).ok()
    };
    let ms = text("retry-after-ms").and_then(seconds).map(|thousandfold| thousandfold / 1000);
    ms.or_else(|| {
        let text = text("retry-after")?;
        seconds(text).or_else(|| {
            let date = httpdate::parse_http_date(text).ok()?;
            Some(date.duration_since(SystemTime::now()).unwrap_or_default())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: &'static str, value: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_str(value).unwrap());
        retry_after(&headers)
    }

    #[test]
    fn what_servers_ask_for() {
        assert_eq!(asked("retry-after", "3"), Some(Duration::from_secs(3)));
        assert_eq!(asked("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(asked("retry-after", "-1"), Some(Duration::ZERO));
        assert_eq!(asked("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        assert_eq!(asked("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        assert!(asked("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT").unwrap() > Duration::from_secs(1 << 30));
        assert_eq!(asked("retry-after", "soon"), None);
        assert_eq!(asked("retry-after", "inf"), None);
    }

    #[test]
    fn waits_grow_and_are_bounded() {
        let endpoint = Endpoint::new("http://localhost", "x", Key::new("k"), []).unwrap();
        for attempt in 0..40 {
            let whole = Duration::from_millis(500).saturating_mul(1 << attempt.min(16)).min(Duration::from_secs(20));
            let pause = endpoint.pause(attempt);
            assert!(pause <= whole && pause >= whole / 2, "{attempt}: {pause:?}");
        }
    }

    #[test]
    fn keys_are_never_shown() {
        let key = Key::new(" sk-secret\n");
        let header = key.header("Bearer ").unwrap();
        assert_eq!(header.to_str().unwrap(), "Bearer sk-secret");
        let name = HeaderName::from_static("authorization");
        let endpoint = Endpoint::new("https://api.example/v1", "x", key, [(name, header)]).unwrap();
        assert!(!format!("{endpoint:?}").contains("secret"), "{endpoint:?}");
        let error = Key::new("sk-\u{1}secret").header("").unwrap_err();
        assert!(!format!("{error:?} {error}").contains("secret"));
    }

    #[test]
    fn urls_are_checked() {
        for url in ["", "localhost:8080", "ftp://x", "http://", "file:///x"] {
            assert!(Endpoint::new(url, "x", Key::new(""), []).is_err(), "{url}");
        }
        assert_eq!(Endpoint::new("http://h/v1//", "x", Key::new(""), []).unwrap().url.as_str(), "http://h/v1/x");
    }
}
