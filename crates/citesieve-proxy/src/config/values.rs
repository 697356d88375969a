//! Values of settings: durations, addresses, URLs.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use http::Uri;
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::ConfigError;

/// A stretch of time, written as a number with `ms`, `s`, `m` or `h`: `"250ms"`, `"1.5s"`, `"10m"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub Duration);

impl Span {
    /// So many seconds.
    pub const fn seconds(seconds: u64) -> Self {
        Span(Duration::from_secs(seconds))
    }

    /// Reads one; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let unit = text.find(|c: char| c.is_ascii_alphabetic())?;
        let (number, unit) = text.split_at(unit);
        let seconds = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        let number: f64 = number.trim().parse().ok()?;
        // Rounded, so that "0.1s" is what "100ms" is.
        let micros = (number * seconds * 1e6).round();
        (0.0..=1e15).contains(&micros).then(|| Span(Duration::from_micros(micros as u64)))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s", self.0.as_secs_f64())
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SpanVisitor;
        impl Visitor<'_> for SpanVisitor {
            type Value = Span;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration such as \"250ms\", \"30s\", \"10m\" or \"1h\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Span, E> {
                Span::parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_str(SpanVisitor)
    }
}

/// An address to listen on: `127.0.0.1:8787`, `[::1]:0`, `localhost:8787`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address(pub SocketAddr);

impl std::str::FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut found =
            text.to_socket_addrs().map_err(|_| format!("\"{text}\" is no address such as 127.0.0.1:8787"))?;
        found.next().map(Address).ok_or_else(|| format!("\"{text}\" names no address"))
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A URL with `http` or `https` and a host, and without a query or credentials. Says which setting is wrong.
pub(crate) fn url(setting: &str, text: &str) -> Result<Uri, ConfigError> {
    let wrong = |what: &str| ConfigError::new(format!("{setting}: {what}"));
    let uri: Uri = text.parse().map_err(|_| wrong("not a URL such as https://api.example.com/v1"))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err(wrong("a URL that begins with http:// or https:// expected"));
    }
    match uri.authority() {
        Some(authority) if authority.host().is_empty() => return Err(wrong("a URL with a host expected")),
        Some(authority) if authority.as_str().contains('@') => {
            return Err(wrong("credentials in a URL are not supported; send them as headers"));
        }
        Some(_) => {}
        None => return Err(wrong("a URL with a host expected")),
    }
    Ok(uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        let millis = |text| Span::parse(text).map(|span| span.0.as_millis());
        assert_eq!(millis("250ms"), Some(250));
        assert_eq!(millis("1.5s"), Some(1500));
        assert_eq!(millis("10m"), Some(600_000));
        assert_eq!(millis(" 2 h"), Some(7_200_000));
        for wrong in ["", "5", "s", "-1s", "1d", "1e400s", "nans", "1 s s"] {
            assert_eq!(millis(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn urls() {
        assert!(url("x", "https://api.example.com/v1").is_ok());
        assert!(url("x", "http://[::1]:80").is_ok());
        for wrong in ["", "api.example.com", "ftp://a", "/v1", "https://user:secret@a/", "http://"] {
            let error = url("x", wrong).unwrap_err().to_string();
            assert!(error.starts_with("x: ") && !error.contains("secret"), "{wrong}: {error}");
        }
    }
}
