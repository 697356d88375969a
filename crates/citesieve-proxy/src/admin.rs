//! What the proxy itself answers: health, metrics, verdicts.

use http::{Method, Response, StatusCode, header};

use crate::app::App;
use crate::body::ResponseBody;
use crate::error::{Refusal, json, text};
use crate::record::Id;
use crate::verdicts::Found;

/// Where verdicts are.
const VERDICTS: &str = "/_citesieve/verdicts/";

/// Which of these are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All.
    All,
    /// Verdicts only: everything else is on an address of its own.
    Verdicts,
}

/// Answers a request if it is for the proxy itself.
pub(crate) fn answer(app: &App, scope: Scope, method: &Method, path: &str) -> Option<Response<ResponseBody>> {
    let page: fn(&App, &str) -> Response<ResponseBody> = match path {
        "/healthz" if scope == Scope::All => |_, _| text(StatusCode::OK, "text/plain", "ok\n"),
        "/readyz" if scope == Scope::All => ready,
        "/metrics" if scope == Scope::All => metrics,
        path if path.starts_with("/_citesieve/") => verdict,
        _ => return None,
    };
    if !matches!(*method, Method::GET | Method::HEAD) {
        let refusal = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, format!("{path} can only be read"));
        return Some(refusal.with(header::ALLOW, "GET, HEAD").response());
    }
    Some(page(app, path))
}

fn ready(app: &App, _: &str) -> Response<ResponseBody> {
    match app.draining() {
        true => text(StatusCode::SERVICE_UNAVAILABLE, "text/plain", "stopping\n"),
        false => text(StatusCode::OK, "text/plain", "ready\n"),
    }
}

fn metrics(app: &App, _: &str) -> Response<ResponseBody> {
    text(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", app.metrics.render(&app.running))
}

fn verdict(app: &App, path: &str) -> Response<ResponseBody> {
    let id = path.strip_prefix(VERDICTS).and_then(Id::parse);
    match id.map(|id| app.verdicts.get(id)) {
        Some(Found::Record(record)) => json(StatusCode::OK, record),
        Some(Found::Running) => {
            let mut response = json(StatusCode::ACCEPTED, r#"{"state":"running"}"#);
            response.headers_mut().insert(header::RETRY_AFTER, http::HeaderValue::from_static("1"));
            response
        }
        Some(Found::Nothing) | None => {
            Refusal::new(StatusCode::NOT_FOUND, "no such verdict, or none any more").response()
        }
    }
}
