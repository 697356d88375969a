//! One request, to its upstream and back.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use citesieve::Release;
use citesieve_tower::{BodyReport, Reading, SieveBody, read};
use citesieve_wire::{Config as WireConfig, Dialect};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode, Version, header};
use http_body::Body;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};

use crate::admin::{self, Scope};
use crate::app::App;
use crate::body::{
    Again, Attempts, Beat, Coming, Course, Decoded, Limits, Outgoing, Reported, RequestBody, ResponseBody, TOO_LONG,
    TOO_SLOW, Timed, Upload, decode, read_whole,
};
use crate::config::Route;
use crate::error::Refusal;
use crate::judging::Judging;
use crate::limits::Permit;
use crate::record::{Asked, Id};
use crate::upstream::Client;
use crate::{headers, litellm, sources, target, workers};

/// Answers one request.
pub(crate) async fn answer(app: Arc<App>, request: Request<Incoming>) -> Result<Response<ResponseBody>, Infallible> {
    let head = request.method() == Method::HEAD;
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let mut response = match forward(&app, request).await {
        Ok(response) => response,
        Err(refusal) => {
            app.metrics.answered(refusal.status.as_u16(), true);
            tracing::info!(%method, path = target::masked(&uri), status = refusal.status.as_u16(), reason = refusal.message, "refused");
            refusal.response()
        }
    };
    if head {
        *response.body_mut() = ResponseBody::default();
    }
    Ok(response)
}

async fn forward(app: &Arc<App>, request: Request<Incoming>) -> Result<Response<ResponseBody>, Refusal> {
    let config = &app.config;
    target::check(&request, config.limits.header)?;
    let scope = if config.admin.is_some() { Scope::Verdicts } else { Scope::All };
    if let Some(response) = admin::answer(app, scope, request.method(), request.uri().path()) {
        return Ok(response);
    }
    if let Some(guardrail) = &app.guardrail
        && request.uri().path() == litellm::PATH
    {
        let _permit = app.running.enter(config.limits.streams, config.limits.held)?;
        return litellm::serve(app, guardrail, request).await;
    }
    let route = target::route(&config.routes, request.uri().path())
        .ok_or_else(|| Refusal::new(StatusCode::NOT_FOUND, "no route leads to this path"))?;
    let client =
        workers::client(route).ok_or_else(|| Refusal::new(StatusCode::BAD_GATEWAY, "the route has no client"))?;
    let permit = app.running.enter(config.limits.streams, config.limits.held)?;
    let started = SystemTime::now();
    let deadline = Instant::now() + config.limits.total.0;

    let (mut parts, body) = request.into_parts();
    let dialect = route.dialect.or_else(|| Dialect::by_path(parts.uri.path()));
    let path = target::masked(&parts.uri);
    let idle = config.limits.request_idle.0;
    let (asks, unread) = match may_ask(&parts, &body, dialect) {
        Ok(asks) => (asks, None),
        Err(why) => (false, Some(why)),
    };
    let (whole, upload) = match asks {
        true => {
            // One that keeps coming, a byte at a time, is bounded by the time of the whole.
            let whole = timeout_at(deadline, read_whole(body, config.limits.request_body, idle)).await;
            (Some(whole.unwrap_or_else(|_| Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, TOO_SLOW)))?), None)
        }
        false if body.size_hint().lower() > config.limits.upload => {
            return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, TOO_LONG));
        }
        false => (None, Some(body)),
    };
    let asking = sources::find(config, route, dialect, &parts.headers, whole).await?;
    let sieved = asking.wire.sources.known() || asking.wire.response_sources;
    // What is neither sieved nor likely to be an answer passes without a word.
    let watched = sieved || (dialect.is_some() && parts.method == Method::POST);

    let trailers = headers::request(&mut parts.headers, sieved);
    parts.uri = target::address(route, &parts.uri)?;
    parts.version = Version::HTTP_11;
    parts.extensions = http::Extensions::new();
    let call = Call { app: Arc::clone(app), route: Arc::clone(route), client, parts, deadline, trailers };
    let body = match (&asking.body, upload) {
        (Some(body), _) => RequestBody::Whole(Full::new(body.clone())),
        (None, Some(upload)) => RequestBody::Upload(Box::pin(Upload::new(upload, config.limits.upload, idle))),
        (None, None) => RequestBody::Whole(Full::new(Bytes::new())),
    };
    let course = Course::default();
    let mut response = call.send(body, course.clone()).await?;
    app.metrics.answered(response.status().as_u16(), false);

    headers::redirect(response.headers_mut(), route);
    let nothing = call.parts.method == Method::HEAD || response.body().is_end_stream();
    if nothing || !watched || read(response.status(), response.headers()) == Reading::NoAnswer {
        return Ok(call.pass(response, course, permit));
    }
    let kind = headers::media_type(response.headers());
    let streamed = matches!(kind.as_str(), "text/event-stream" | "application/x-ndjson" | "application/stream+json");
    if sieved || streamed {
        headers::unbuffered(response.headers_mut());
    }
    let Some(id) = Id::new() else {
        return Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the system has no random numbers"));
    };
    let asked = Asked {
        id,
        route: route.path.clone(),
        method: call.parts.method.to_string(),
        path,
        status: response.status().as_u16(),
        unread,
        sources_from: asking.wire.origin.clone(),
        sources: asking.wire.sources.known().then(|| asking.wire.sources.list().len()),
        started,
    };
    let beat = match kind.as_str() {
        "text/event-stream" => route.heartbeat.map(|every| Beat::new(every, dialect)),
        _ => None,
    };
    let answer = Answer { wire: asking.wire, asked, course, beat, permit, body: asking.body };
    let mut response = call.sieve(response, answer).await?;
    // It ends with the report, which every answer makes from here on.
    app.verdicts.begin(id);
    if let Ok(value) = id.to_string().parse() {
        response.headers_mut().insert(headers::ID, value);
    }
    Ok(response)
}

/// Whether a request is read for its sources: what is sent with a JSON body. Everything else passes as it comes; an
/// error says why, if it might have had some.
fn may_ask(parts: &Parts, body: &Incoming, dialect: Option<Dialect>) -> Result<bool, String> {
    let kind = headers::media_type(&parts.headers);
    // Simple clients name no type, or the one of forms.
    let json = kind == "application/json"
        || kind.ends_with("+json")
        || (dialect.is_some() && parts.method == Method::POST && !kind.starts_with("multipart/"));
    if body.is_end_stream() || !json {
        return Ok(false);
    }
    match parts.headers.get(header::CONTENT_ENCODING) {
        Some(encoding) => Err(format!("content encoding {}", String::from_utf8_lossy(encoding.as_bytes()))),
        None => Ok(true),
    }
}

/// What is known about an answer that is to be sieved.
struct Answer {
    wire: WireConfig,
    asked: Asked,
    course: Course,
    beat: Option<Beat>,
    permit: Permit,
    /// The body of the request, if it was kept and can be sent again.
    body: Option<Bytes>,
}

/// A request that can be sent, and sent again.
#[derive(Clone)]
struct Call {
    app: Arc<App>,
    route: Arc<Route>,
    client: Client,
    parts: Parts,
    deadline: Instant,
    /// The client takes trailers.
    trailers: bool,
}

impl Call {
    /// Sends it; the response with headers as the client gets them, and with its body still compressed.
    async fn send(&self, body: RequestBody, course: Course) -> Result<Response<Timed>, Refusal> {
        let idle = self.app.config.limits.idle.0;
        let request = Request::from_parts(self.parts.clone(), body);
        let patience = self.deadline.min(Instant::now() + idle);
        let response = match timeout_at(patience, self.client.request(request)).await {
            Err(_) => return Err(Refusal::new(StatusCode::GATEWAY_TIMEOUT, "the upstream did not answer in time")),
            Ok(Err(error)) => return Err(self.failed(&error)),
            Ok(Ok(response)) => response,
        };
        let (mut parts, body) = response.into_parts();
        headers::response(&mut parts.headers, self.trailers);
        parts.extensions = http::Extensions::new();
        // The server writes it as its client speaks.
        parts.version = Version::HTTP_11;
        let limits = Limits { idle, deadline: self.deadline };
        Ok(Response::from_parts(parts, Timed::new(body, limits, course)))
    }

    fn failed(&self, error: &hyper_util::client::legacy::Error) -> Refusal {
        let mut reasons = vec![error.to_string()];
        let mut source = std::error::Error::source(error);
        let mut timed_out = false;
        while let Some(error) = source {
            reasons.push(error.to_string());
            timed_out |=
                error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::TimedOut);
            source = error.source();
        }
        tracing::warn!(route = %self.route.path, upstream = %self.route.authority, error = reasons.join(": "), "the upstream failed");
        if reasons.iter().any(|reason| reason == crate::body::TOO_LONG) {
            return Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, crate::body::TOO_LONG);
        }
        if reasons.iter().any(|reason| reason == crate::body::TOO_SLOW) {
            return Refusal::new(StatusCode::REQUEST_TIMEOUT, crate::body::TOO_SLOW);
        }
        match (error.is_connect(), timed_out) {
            (true, true) => Refusal::new(StatusCode::GATEWAY_TIMEOUT, "the upstream could not be reached in time"),
            (true, false) => Refusal::new(StatusCode::BAD_GATEWAY, "the upstream could not be reached"),
            _ => Refusal::new(StatusCode::BAD_GATEWAY, "the upstream gave no valid answer"),
        }
    }

    /// The response as it is.
    fn pass(&self, response: Response<Timed>, course: Course, permit: Permit) -> Response<ResponseBody> {
        response.map(|body| {
            let body = SieveBody::passing(Decoded::Plain { body });
            Outgoing::once(body, None, &self.app.metrics, course, permit).boxed_unsync()
        })
    }

    /// The response with its answer sieved.
    async fn sieve(self, response: Response<Timed>, answer: Answer) -> Result<Response<ResponseBody>, Refusal> {
        let Answer { wire, asked, course, beat, permit, body } = answer;
        let known = wire.sources.known() || wire.response_sources;
        // Nothing is known about the sources: it is not touched, compression included.
        let response = match known {
            true => decode(response).await.map_err(|error| {
                Refusal::new(StatusCode::BAD_GATEWAY, format!("the answer could not be decoded: {error}"))
            })?,
            false => response.map(|body| Decoded::Plain { body }),
        };
        let judge = self.app.config.judge.as_ref().filter(|_| known);
        let judging = judge.map(|judge| Judging::new(judge, &wire, self.app.config.judge_wait));
        let wire = wire.claims(judging.is_some()).rulings(judging.as_ref().is_some_and(Judging::waits));
        let judged = judging.clone();
        let left = self.route.sieving.regenerate;
        let readable = read(response.status(), response.headers()) == Reading::Sieved;
        let may_ask_again = left > 0 && wire.policy.release == Release::Answer && known && readable;
        let (app, metrics) = (Arc::clone(&self.app), Arc::clone(&self.app.metrics));
        let Some(body) = body.filter(|_| may_ask_again) else {
            let own = course.clone();
            let tell = move |report: BodyReport| app.over(asked, report, 1, own.cause(), judged);
            let response = SieveBody::around(response, wire, tell).map(|body| watched(body, judging.as_ref()));
            let out = |body| Outgoing::once(body, beat, &metrics, course, permit).boxed_unsync();
            return Ok(response.map(out));
        };
        let reported = Reported::default();
        let first = reported.clone();
        let response = SieveBody::around(response, wire.clone(), move |report| first.set(report));
        let response = response.map(|body| watched(body, judging.as_ref()));
        let most = self.app.config.limits.frame;
        let (own, tell_course) = (course.clone(), course.clone());
        let again = Again {
            ask: Box::new(move || self.clone().again(body.clone(), wire.clone(), course.clone(), judging.clone())),
            left,
            most,
            tell: Some(Box::new(move |report, attempts| {
                app.over(asked, report, attempts, tell_course.cause(), judged)
            })),
        };
        Ok(response.map(|body| {
            let attempts = Attempts::new(body, reported, again);
            Outgoing::attempts(attempts, beat, &metrics, own, permit).boxed_unsync()
        }))
    }

    /// Asks once more, for an answer of the same kind.
    fn again(self, body: Bytes, wire: WireConfig, course: Course, judging: Option<Judging>) -> Coming {
        Box::pin(async move {
            let response = self.send(RequestBody::Whole(Full::new(body)), course).await.ok()?;
            let response = decode(response).await.ok()?;
            if read(response.status(), response.headers()) != Reading::Sieved {
                return None;
            }
            let reported = Reported::default();
            let own = reported.clone();
            let body = SieveBody::new(response.into_body(), wire, move |report| own.set(report));
            let body = watched(body, judging.as_ref());
            Some((body, reported))
        })
    }
}

/// A body whose claims go to the judge, if there is one, and wait for it if they are to.
fn watched<B: Body>(body: SieveBody<B>, judging: Option<&Judging>) -> SieveBody<B> {
    match judging {
        Some(judging) if judging.waits() => body.on_claims(judging.take()).on_rulings(judging.rule()),
        Some(judging) => body.on_claims(judging.take()),
        None => body,
    }
}
