//! The HTTP around the guardrail.

use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;

use super::guardrail::{Guardrail, Verdicts};
use crate::app::App;
use crate::body::{ResponseBody, read_whole};
use crate::error::{Refusal, json};
use crate::record::{Choice, Id, Record};

/// Longer rounds (bytes) are answered on a thread that may take its time: the whole answer so far is read in each.
const LONG: usize = 256 << 10;

/// Answers one request of LiteLLM, and keeps the verdicts under the call's id if that is a UUID.
pub(crate) async fn serve(
    app: &Arc<App>,
    guardrail: &Arc<Guardrail>,
    request: Request<Incoming>,
) -> Result<Response<ResponseBody>, Refusal> {
    if request.method() != Method::POST {
        let refusal = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, format!("{} takes a POST", super::PATH));
        return Err(refusal.with(header::ALLOW, "POST"));
    }
    let limits = &app.config.limits;
    let body = read_whole(request.into_body(), limits.request_body, limits.request_idle.0).await?;
    let answered = match body.len() {
        0..=LONG => guardrail.answer(&body, Instant::now()),
        _ => {
            let guardrail = Arc::clone(guardrail);
            let answer = move || guardrail.answer(&body, Instant::now());
            let failed = |_| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the request could not be read");
            tokio::task::spawn_blocking(answer).await.map_err(failed)?
        }
    }?;
    app.metrics.answered(StatusCode::OK.as_u16(), false);
    if let Some(verdicts) = answered.verdicts
        && let Some(id) = Id::parse(&verdicts.call)
    {
        app.verdicts.end(id, Bytes::from(to_json(&record(id, verdicts))?));
    }
    Ok(json(StatusCode::OK, to_json(&answered.reply)?))
}

fn to_json(value: &impl serde::Serialize) -> Result<Vec<u8>, Refusal> {
    serde_json::to_vec(value).map_err(|error| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
}

/// What is told about the answer so far: LiteLLM does not say when it is complete.
fn record(id: Id, found: Verdicts) -> Record {
    let choices = (0..).zip(found.verdicts).map(|(index, verdict)| Choice { index: index.to_string(), verdict });
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
    Record {
        id: id.to_string(),
        time: now,
        route: "litellm".to_owned(),
        method: Method::POST.to_string(),
        path: super::PATH.to_owned(),
        status: StatusCode::OK.as_u16(),
        ended: "unknown",
        dialect: None,
        sources_from: Some(found.from.to_owned()),
        sources: Some(found.sources),
        attempts: 1,
        duration_ms: 0,
        bytes_in: 0,
        bytes_out: 0,
        events: 0,
        choices: choices.collect(),
        unchecked: Vec::new(),
    }
}
