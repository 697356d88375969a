//! Finds the sources of a request, and the configuration of its answer.

use std::sync::Arc;

use bytes::Bytes;
use citesieve::{Policy, Source, Sources, Unchecked};
use citesieve_wire::{Config as WireConfig, Dialect};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::config::{Config, PolicyChange, Route};
use crate::error::Refusal;
use crate::headers;

/// What a request says about its answer.
#[derive(Debug)]
pub(crate) struct Asking {
    /// How the answer is sieved.
    pub(crate) wire: WireConfig,
    /// Where the sources came from, and how many there are; `None`: none are known.
    pub(crate) from: Option<(String, usize)>,
    /// What there is to say about how they were found.
    pub(crate) notes: Vec<Unchecked>,
    /// The body to pass on.
    pub(crate) body: Option<Bytes>,
}

/// Finds out what a request says about its answer: what its body names, else the set that a header names, else the set
/// of the route.
pub(crate) fn find(
    config: &Config,
    route: &Route,
    dialect: Option<Dialect>,
    headers: &HeaderMap,
    body: Option<Bytes>,
) -> Result<Asking, Refusal> {
    let bad = |message: String| Refusal::new(StatusCode::BAD_REQUEST, message);
    let named = set(config, headers)?;
    let found = match body {
        Some(body) => field(body).map_err(bad)?,
        None => Found::default(),
    };
    let mut policy = Arc::clone(&route.sieving.policy);
    if let Some(wanted) = found.policy {
        policy = match config.requests.policy {
            PolicyChange::No => return Err(bad("a request may not change the policy here".into())),
            PolicyChange::Any => Arc::new(wanted),
            PolicyChange::Stricter => return Err(bad("a request may not change the policy here".into())),
        };
    }
    let (sources, from) = match (found.sources, named) {
        (Some(_), _) if !config.requests.sources => {
            return Err(bad("a request may not bring sources here".into()));
        }
        (Some(list), _) => {
            let sources = Sources::new(list).map_err(|error| bad(format!("citesieve.sources: {error}")))?;
            let sources = match &config.folded {
                Some(cache) => sources.with_cache(Arc::clone(cache)),
                None => sources,
            };
            let count = sources.list().len();
            (Arc::new(sources), Some(("citesieve".to_owned(), count)))
        }
        (None, Some((name, sources))) => {
            let count = sources.list().len();
            (sources, Some((format!("set {name}"), count)))
        }
        (None, None) => match &route.sources {
            // Other paths of the route answer with JSON too, but not with answers.
            Some((name, sources)) if dialect.is_some() => {
                (Arc::clone(sources), Some((format!("route, set {name}"), sources.list().len())))
            }
            _ => (Arc::new(Sources::unknown()), None),
        },
    };
    let sieving = &route.sieving;
    let response_sources = sieving.response_sources && (from.is_some() || dialect.is_some());
    let wire = WireConfig::new(policy, sources)
        .verdict(sieving.verdict)
        .dialect(route.dialect)
        .split_frames_over(sieving.split_frames_over)
        .max_frame(config.limits.frame)
        .failure(sieving.failure)
        .response_sources(response_sources);
    Ok(Asking { wire, from, notes: Vec::new(), body: found.body })
}

/// The set of sources that a request names in its head.
fn set(config: &Config, headers: &HeaderMap) -> Result<Option<(String, Arc<Sources>)>, Refusal> {
    let mut values = headers.get_all(headers::SOURCES).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if !config.requests.sets {
        return Err(Refusal::new(StatusCode::BAD_REQUEST, "a request may not name a set of sources here"));
    }
    let name = value.to_str().unwrap_or_default().trim();
    match config.sets.get(name) {
        Some(sources) if values.next().is_none() => Ok(Some((name.to_owned(), Arc::clone(sources)))),
        _ => Err(Refusal::new(StatusCode::BAD_REQUEST, format!("{}: no such set of sources", headers::SOURCES))),
    }
}

/// What the body of a request says.
#[derive(Debug, Default)]
struct Found {
    sources: Option<Vec<Source>>,
    policy: Option<Policy>,
    body: Option<Bytes>,
}

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    citesieve: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Field {
    sources: Option<Vec<Source>>,
    policy: Option<Policy>,
}

/// Reads the field `citesieve` of a body and takes it out.
fn field(body: Bytes) -> Result<Found, String> {
    let Ok(Body { citesieve: Some(raw) }) = serde_json::from_slice(&body) else {
        return Ok(Found { body: Some(body), ..Found::default() });
    };
    let Field { sources, policy } = serde_json::from_str(raw.get()).map_err(|error| format!("citesieve: {error}"))?;
    let value = raw.get().as_ptr() as usize - body.as_ptr() as usize;
    let end = value + raw.get().len();
    let key = body[..value].iter().rposition(|&byte| byte == b':').unwrap_or(value);
    let key = key - body[..key].iter().rev().skip_while(|byte| **byte != b'"').skip(1).take_while(|byte| **byte != b'"').count();
    let start = body[..key].iter().rposition(|&byte| byte == b'"').unwrap_or(key);
    let start = body[..start].iter().rposition(|&byte| byte == b'"').unwrap_or(start);
    let rest = &body[end..];
    let before = body[..start].trim_ascii_end();
    let joined = if let Some(before) = before.strip_suffix(b",") {
        [before, rest].concat()
    } else {
        let rest = rest.trim_ascii_start();
        [before, rest.strip_prefix(b",").unwrap_or(rest)].concat()
    };
    Ok(Found { sources, policy, body: Some(joined.into()) })
}
