//! Finds the sources of a request, and the configuration of its answer.

use std::sync::Arc;

use bytes::Bytes;
use citesieve::{FoldCache, Policy, Sources};
use citesieve_wire::request::{self, EXPLICIT, Found, PolicyError};
use citesieve_wire::{Config as WireConfig, Dialect};
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::config::{Config, PolicyChange, RequestSettings, Route};
use crate::error::Refusal;
use crate::headers;

/// What a request says about its answer.
#[derive(Debug)]
pub(crate) struct Asking {
    /// How the answer is sieved.
    pub(crate) wire: WireConfig,
    /// The body to pass on; `None`: it was not read.
    pub(crate) body: Option<Bytes>,
}

/// Finds out what a request says about its answer. What it says itself goes before what is guessed: sources in the body's
/// field, the set that a header names, sources that were found by their form, the set of the route.
pub(crate) async fn find(
    config: &Config,
    route: &Route,
    dialect: Option<Dialect>,
    headers: &HeaderMap,
    body: Option<Bytes>,
) -> Result<Asking, Refusal> {
    let named = set(config, headers)?;
    let mut found = match &body {
        Some(body) => read(body).await?,
        None => Found::default(),
    };
    let body = match found.body.take() {
        Some(changed) => Some(Bytes::from(changed)),
        None => body,
    };
    // A named set goes before a guess.
    if named.is_some() && found.convention != Some(EXPLICIT) {
        (found.sources, found.syntaxes) = (None, &[]);
    }
    let folded = config.folded.as_ref();
    let Own { policy, sources } = own(found, &route.sieving.policy, &config.requests, folded)?;
    let (sources, origin) = match (sources, named) {
        (Some((sources, how)), _) => (sources, Some(how.to_owned())),
        (None, Some((name, sources))) => (sources, Some(format!("set {name}"))),
        (None, None) => match &route.sources {
            // Other paths of the route answer with JSON too, but not with answers.
            Some((name, sources)) if dialect.is_some() => (Arc::clone(sources), Some(format!("route, set {name}"))),
            _ => (Arc::new(Sources::unknown()), None),
        },
    };
    let sieving = &route.sieving;
    let response_sources = sieving.response_sources && (origin.is_some() || dialect.is_some());
    fold_ahead(&sources);
    let wire = WireConfig::new(policy, sources)
        .verdict(sieving.verdict)
        .dialect(route.dialect)
        .split_frames_over(sieving.split_frames_over)
        .max_frame(config.limits.frame)
        .failure(sieving.failure)
        .response_sources(response_sources)
        .origin(origin);
    Ok(Asking { wire, body })
}

/// Bodies and texts longer than this many bytes are read on a thread that may take its time.
const LONG: usize = 256 << 10;

/// Reads a body.
async fn read(body: &Bytes) -> Result<Found, Refusal> {
    let found = match body.len() {
        0..=LONG => request::find(body),
        _ => {
            let body = body.clone();
            let read = tokio::task::spawn_blocking(move || request::find(&body)).await;
            read.map_err(|_| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the request could not be read"))?
        }
    };
    found.map_err(|error| bad(error.to_string()))
}

/// Folds texts while the upstream is still thinking, if that takes long.
fn fold_ahead(sources: &Arc<Sources>) {
    let texts = sources.list().iter().filter_map(|source| source.text.as_ref());
    if texts.map(String::len).sum::<usize>() > LONG {
        let sources = Arc::clone(sources);
        tokio::task::spawn_blocking(move || sources.fold());
    }
}

/// What a request says itself about its answer, as far as it may.
pub(crate) struct Own {
    pub(crate) policy: Arc<Policy>,
    /// The sources, and how they were found.
    pub(crate) sources: Option<(Arc<Sources>, &'static str)>,
}

/// What a request says itself, of what was found in its body.
pub(crate) fn own(
    found: Found,
    base: &Arc<Policy>,
    may: &RequestSettings,
    folded: Option<&Arc<FoldCache>>,
) -> Result<Own, Refusal> {
    if found.convention == Some(EXPLICIT) && !may.sources {
        return Err(forbidden("a request may not bring sources here"));
    }
    let mut policy = Arc::clone(base);
    if let Some(wanted) = &found.policy {
        policy = Arc::new(changed(&policy, wanted, may.policy)?);
    }
    let (Some(list), Some(how), true) = (found.sources, found.convention, may.sources) else {
        return Ok(Own { policy, sources: None });
    };
    if may.syntaxes {
        for syntax in found.syntaxes {
            if !policy.syntaxes.contains(syntax) {
                Arc::make_mut(&mut policy).syntaxes.push(*syntax);
            }
        }
    }
    let sources = Sources::new(list).map_err(|error| bad(format!("sources: {error}")))?;
    let sources = match folded {
        Some(cache) => sources.with_cache(Arc::clone(cache)),
        None => sources,
    };
    Ok(Own { policy, sources: Some((Arc::new(sources), how)) })
}

pub(crate) fn bad(message: impl Into<String>) -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, message)
}

fn forbidden(message: impl Into<String>) -> Refusal {
    Refusal::new(StatusCode::FORBIDDEN, message)
}

/// The policy as a request wants it, as far as it may.
fn changed(base: &Policy, wanted: &Value, may: PolicyChange) -> Result<Policy, Refusal> {
    let changed = match may {
        PolicyChange::No => return Err(forbidden("a request may not change the policy here")),
        PolicyChange::Stricter => request::stricter(base, wanted),
        PolicyChange::Any => {
            let fields = serde_json::to_value(base).unwrap_or_default();
            let fields: Vec<&str> =
                fields.as_object().into_iter().flat_map(|map| map.keys()).map(String::as_str).collect();
            request::changed(base, wanted, &fields)
        }
    };
    changed.map_err(|error| match error {
        PolicyError::Looser { .. } | PolicyError::NotStrictness { .. } => forbidden(error.to_string()),
        error => bad(error.to_string()),
    })
}

/// The set of sources that a request names in its head.
fn set(config: &Config, headers: &HeaderMap) -> Result<Option<(String, Arc<Sources>)>, Refusal> {
    let mut values = headers.get_all(headers::SOURCES).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if !config.requests.sets {
        return Err(forbidden("a request may not name a set of sources here"));
    }
    let name = value.to_str().unwrap_or_default().trim();
    match config.sets.get(name) {
        Some(sources) if values.next().is_none() => Ok(Some((name.to_owned(), Arc::clone(sources)))),
        _ => Err(bad(format!("{}: no such set of sources", headers::SOURCES))),
    }
}
