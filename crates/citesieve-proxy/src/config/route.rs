//! Routes: which paths lead to which upstream.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use citesieve::Sources;
use citesieve_wire::Dialect;
use http::uri::{Authority, PathAndQuery, Scheme};
use serde::Deserialize;

use super::{ConfigError, RouteSettings, Settings, Sieving, Span, policy, values};
use crate::tls::{self, Trust};

/// The HTTP versions to talk to an upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// HTTP/2 where TLS agrees on it (ALPN), else HTTP/1.1.
    #[default]
    Auto,
    /// HTTP/1.1.
    Http1,
    /// HTTP/2, without asking where there is no TLS.
    Http2,
}

/// One upstream, and how its answers are sieved.
#[derive(Debug)]
pub struct Route {
    /// What its paths begin with; `/` for all.
    pub(crate) path: String,
    /// What is taken off.
    pub(crate) strip: usize,
    pub(crate) scheme: Scheme,
    pub(crate) authority: Authority,
    /// What is put before the rest of the path, without a slash at its end.
    pub(crate) base: String,
    /// The dialect that was configured.
    pub(crate) dialect: Option<Dialect>,
    /// The sources of requests that bring none, and the name of the set.
    pub(crate) sources: Option<(String, Arc<Sources>)>,
    pub(crate) sieving: Sieving,
    /// `None`: no comments.
    pub(crate) heartbeat: Option<std::time::Duration>,
    pub(crate) protocol: Protocol,
    pub(crate) trust: Trust,
}

/// All routes, longest path first.
pub(super) fn all(
    settings: &Settings,
    folder: &Path,
    sets: &HashMap<String, Arc<Sources>>,
) -> Result<Vec<Arc<Route>>, ConfigError> {
    let fallback = settings.upstream.as_ref().map(|upstream| RouteSettings {
        path: "/".into(),
        upstream: upstream.clone(),
        strip: true,
        dialect: None,
        sources: None,
        policy: toml::Table::new(),
        protocol: Protocol::Auto,
        ca: None,
    });
    let mut routes: Vec<Arc<Route>> = Vec::new();
    for (index, written) in settings.route.iter().chain(&fallback).enumerate() {
        let name = if index < settings.route.len() {
            format!("route {} ({})", index + 1, written.path)
        } else {
            "upstream".into()
        };
        let route = one(&name, written, settings, folder, sets)?;
        if routes.iter().any(|other| other.path == route.path) {
            return Err(ConfigError::new(format!("{name}: another route has the path {}", route.path)));
        }
        routes.push(Arc::new(route));
    }
    if routes.is_empty() && !settings.litellm.enabled {
        return Err(ConfigError::new(
            "no upstream: give --upstream URL, or upstream or [[route]] in the file, or turn on [litellm]",
        ));
    }
    routes.sort_by_key(|route| std::cmp::Reverse(route.path.len()));
    Ok(routes)
}

fn one(
    name: &str,
    written: &RouteSettings,
    settings: &Settings,
    folder: &Path,
    sets: &HashMap<String, Arc<Sources>>,
) -> Result<Route, ConfigError> {
    let wrong = |what: String| ConfigError::new(format!("{name}: {what}"));
    let path = match written.path.trim_end_matches('/') {
        "" if written.path.starts_with('/') => "/",
        path => path,
    };
    if !path.starts_with('/') || path.parse::<PathAndQuery>().is_err() || path.contains(['?', '#']) {
        return Err(wrong(format!("the path \"{path}\" is none that begins with / and has no query")));
    }
    let upstream = values::url(name, &written.upstream)?;
    if upstream.query().is_some() {
        return Err(wrong("the upstream must not have a query".into()));
    }
    let dialect = match &written.dialect {
        Some(name) => Some(Dialect::by_name(name).ok_or_else(|| {
            let known: Vec<&str> = Dialect::all().map(Dialect::name).collect();
            wrong(format!("unknown dialect \"{name}\", expected one of {}", known.join(", ")))
        })?),
        None => None,
    };
    let sources = match written.sources.as_ref().or(settings.default_set.as_ref()) {
        Some(set) => {
            let sources = sets.get(set).ok_or_else(|| wrong(format!("no set of sources is named \"{set}\"")))?;
            Some((set.clone(), Arc::clone(sources)))
        }
        None => None,
    };
    let mut table = settings.policy.clone();
    policy::read("policy", table.clone())?;
    policy::lay_over(&mut table, &written.policy);
    let policy = policy::read(&format!("{name}: policy"), table)?;
    let sieve = &settings.sieve;
    let (Some(scheme), Some(authority)) = (upstream.scheme().cloned(), upstream.authority().cloned()) else {
        return Err(wrong("a URL with a host expected".into()));
    };
    let trust = match &written.ca {
        Some(ca) => tls::trust(&folder.join(ca))?,
        None => Trust::public(),
    };
    Ok(Route {
        strip: if written.strip && path != "/" { path.len() } else { 0 },
        path: path.to_owned(),
        scheme,
        authority,
        base: upstream.path().trim_end_matches('/').to_owned(),
        dialect,
        sources,
        sieving: Sieving {
            policy: Arc::new(policy),
            verdict: sieve.verdict,
            split_frames_over: sieve.split_frames_over,
            failure: sieve.failure,
            response_sources: sieve.response_sources,
            regenerate: sieve.regenerate,
        },
        heartbeat: (sieve.heartbeat > Span::seconds(0)).then_some(sieve.heartbeat.0),
        protocol: written.protocol,
        trust,
    })
}
