//! The layer around services that answer in every way.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on is to fail")]

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use citesieve::{FailedClaims, Judgement, Policy, Release, Ruling, Source, Sources, Status};
use citesieve_tower::{BodyReport, Config, Ended, Failure, SieveBody, SieveLayer, Sieved};
use citesieve_wire::{LaneClaim, LaneRuling};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, Empty, Full};
use proptest::prelude::*;
use tower::{Layer, ServiceExt};

/// What a scripted body does next.
#[derive(Debug, Clone)]
enum Step {
    Data(Bytes),
    Trailers(HeaderMap),
    Error,
    Wait,
}

/// A body that follows a script.
#[derive(Debug, Clone, Default)]
struct Scripted(VecDeque<Step>);

impl Scripted {
    fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Scripted(steps.into_iter().collect())
    }

    fn cut(body: &[u8], lengths: &[usize]) -> Self {
        let mut steps = VecDeque::new();
        let mut rest = body;
        for length in lengths.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (now, later) = rest.split_at((*length).clamp(1, rest.len()));
            steps.push_back(Step::Data(Bytes::copy_from_slice(now)));
            if length % 3 == 0 {
                steps.push_back(Step::Wait);
            }
            rest = later;
        }
        Scripted(steps)
    }
}

impl Body for Scripted {
    type Data = Bytes;
    type Error = &'static str;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, &'static str>>> {
        Poll::Ready(match self.0.pop_front() {
            None => None,
            Some(Step::Data(data)) => Some(Ok(Frame::data(data))),
            Some(Step::Trailers(trailers)) => Some(Ok(Frame::trailers(trailers))),
            Some(Step::Error) => Some(Err("cut")),
            Some(Step::Wait) => {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        })
    }
}

fn event(text: &str) -> String {
    format!("data: {}\n\n", serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]}))
}

const END: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

fn stream() -> String {
    ["Due [1", "], in", " gold [7", "]."].map(event).concat() + END
}

fn config() -> Config {
    let sources = Sources::new(vec![Source::new("1").text("Rent is due monthly.")]).unwrap();
    Config::new(Policy::default(), sources)
}

fn whole() -> Full<Bytes> {
    Full::from(stream())
}

fn text(body: &[u8]) -> String {
    citesieve_wire::lane_texts(body, None).into_iter().map(|(_, text)| text).collect()
}

type Reports = Arc<Mutex<Vec<Sieved>>>;

/// Asks a service that answers so, through the layer.
async fn ask<B: Body + Send + 'static>(
    method: Method,
    config: Option<Config>,
    response: Response<B>,
) -> (Response<SieveBody<B>>, Reports)
where
    B::Error: std::fmt::Debug,
{
    let reports = Reports::default();
    let told = Arc::clone(&reports);
    let layer = SieveLayer::new(move |_: &Request<()>| config.clone())
        .on_report(move |sieved: Sieved| told.lock().unwrap().push(sieved));
    let given = Mutex::new(Some(response));
    let service = tower::service_fn(move |_: Request<()>| {
        std::future::ready(Ok::<_, &'static str>(given.lock().unwrap().take().unwrap()))
    });
    let mut request = Request::new(());
    *request.method_mut() = method;
    *request.uri_mut() = "/v1/chat/completions".parse().unwrap();
    (layer.layer(service).oneshot(request).await.unwrap(), reports)
}

fn response<B>(kind: &'static str, body: B) -> Response<B> {
    let headers = [
        ("content-type", kind),
        ("content-length", "1000"),
        ("etag", "\"e\""),
        ("content-md5", "x"),
        ("digest", "x"),
        ("content-digest", "x"),
        ("repr-digest", "x"),
        ("accept-ranges", "bytes"),
        ("cache-control", "no-transform"),
        ("x-request-id", "7"),
    ];
    let mut response = Response::new(body);
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn names(response: &Response<impl Sized>) -> Vec<&str> {
    let mut names: Vec<&str> = response.headers().keys().map(|name| name.as_str()).collect();
    names.sort_unstable();
    names
}

const ALL: [&str; 10] = [
    "accept-ranges",
    "cache-control",
    "content-digest",
    "content-length",
    "content-md5",
    "content-type",
    "digest",
    "etag",
    "repr-digest",
    "x-request-id",
];

#[tokio::test]
async fn an_answer_is_sieved_and_told_about() {
    let (shown, reports) = ask(Method::POST, Some(config()), response("text/event-stream", whole())).await;
    assert_eq!(names(&shown), ["cache-control", "content-type", "x-request-id"]);
    assert_eq!((shown.body().size_hint().lower(), shown.body().size_hint().upper()), (0, None));
    let body = shown.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(text(&body), "Due [1], in gold.");
    let reports = reports.lock().unwrap();
    let [sieved] = &reports[..] else { panic!("one report expected") };
    assert_eq!((sieved.ended, sieved.frames, sieved.status), (Ended::Complete, 6, StatusCode::OK));
    assert_eq!((sieved.bytes_in, sieved.bytes_out), (stream().len() as u64, body.len() as u64));
    assert_eq!(sieved.report.lanes[0].1.markers.fabricated, 1);
    assert_eq!((sieved.method.as_str(), sieved.uri.path()), ("POST", "/v1/chat/completions"));
}

#[tokio::test]
async fn who_answers_knows_best() {
    let mut given = response("text/event-stream", whole());
    let sources = Sources::new(vec![Source::new("1"), Source::new("7")]).unwrap();
    given.extensions_mut().insert(Config::new(Policy::default(), sources));
    given.extensions_mut().insert("request 12");
    let (shown, reports) = ask(Method::POST, Some(config()), given).await;
    assert_eq!(text(&shown.into_body().collect().await.unwrap().to_bytes()), "Due [1], in gold [7].");
    let reports = reports.lock().unwrap();
    assert_eq!(reports[0].extensions.get::<&str>(), Some(&"request 12"), "the handler's own words about it");
}

#[tokio::test]
async fn without_sources_not_a_byte_changes() {
    let unknown = Config::new(Policy::default(), Sources::unknown());
    for (config, told) in [(None, 0), (Some(unknown), 1)] {
        let (shown, reports) = ask(Method::POST, config, response("text/event-stream", whole())).await;
        assert_eq!(names(&shown), ALL);
        let body = shown.into_body();
        assert_eq!(body.size_hint().exact(), Some(stream().len() as u64));
        // Servers that know the length of a body do not ask for its end.
        let mut body = std::pin::pin!(body);
        let frame = body.frame().await.unwrap().unwrap();
        assert_eq!(frame.into_data().unwrap(), stream());
        assert!(body.is_end_stream());
        let reports = reports.lock().unwrap();
        assert_eq!(reports.len(), told);
        if told == 1 {
            assert_eq!(reports[0].ended, Ended::Complete);
            assert_eq!(reports[0].report.lanes[0].1.status, Status::Unchecked);
        }
    }
}

#[tokio::test]
async fn what_holds_no_answer_is_left_alone() {
    for (method, status, kind) in [
        (Method::POST, 429, "application/json"),
        (Method::POST, 500, "text/event-stream"),
        (Method::POST, 302, "text/event-stream"),
        (Method::POST, 204, "application/json"),
        (Method::HEAD, 200, "application/json"),
    ] {
        let mut given = response(kind, whole());
        *given.status_mut() = StatusCode::from_u16(status).unwrap();
        let (shown, reports) = ask(method, Some(config()), given).await;
        assert_eq!(names(&shown), ALL);
        assert_eq!(shown.into_body().collect().await.unwrap().to_bytes(), stream());
        assert!(reports.lock().unwrap().is_empty());
    }
    let (shown, reports) = ask(Method::POST, Some(config()), response("application/json", Empty::<Bytes>::new())).await;
    assert_eq!(names(&shown), ALL);
    assert!(shown.body().is_end_stream() && reports.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_cannot_be_read_is_told() {
    for (kind, encoding, status, why) in [
        ("application/vnd.amazon.eventstream", None, 200, "content type application/vnd.amazon.eventstream"),
        ("audio/mpeg", None, 200, "content type audio/mpeg"),
        ("text/event-stream", Some("gzip"), 200, "content encoding gzip"),
        ("application/json", None, 206, "a part of a body"),
    ] {
        for failure in [Failure::Open, Failure::Closed] {
            let mut given = response(kind, whole());
            *given.status_mut() = StatusCode::from_u16(status).unwrap();
            if let Some(encoding) = encoding {
                given.headers_mut().insert("content-encoding", HeaderValue::from_static(encoding));
            }
            let (shown, reports) = ask(Method::POST, Some(config().failure(failure)), given).await;
            let passed = failure == Failure::Open;
            assert_eq!(shown.status(), if passed { status } else { 502 });
            let body = shown.into_body().collect().await.unwrap().to_bytes();
            assert_eq!(body == stream(), passed);
            assert_eq!(!passed, body.starts_with(b"{\"error\":{\"message\":\"citesieve: "));
            let reports = reports.lock().unwrap();
            let [sieved] = &reports[..] else { panic!("one report expected") };
            assert_eq!((sieved.report.notes[0].what.as_str(), sieved.report.notes[0].why.as_str()), ("body", why));
        }
    }
}

#[tokio::test]
async fn a_compression_of_none_is_none() {
    let mut given = response("text/event-stream", whole());
    given.headers_mut().insert("content-encoding", HeaderValue::from_static("identity"));
    let (shown, _) = ask(Method::POST, Some(config()), given).await;
    assert_eq!(text(&shown.into_body().collect().await.unwrap().to_bytes()), "Due [1], in gold.");
}

/// All of a body, and how it ended.
async fn drain<B>(body: B) -> (Vec<Bytes>, Option<HeaderMap>, Option<B::Error>)
where
    B: Body<Data = Bytes>,
{
    let mut body = std::pin::pin!(body);
    let (mut data, mut trailers) = (Vec::new(), None);
    loop {
        match body.frame().await {
            None => return (data, trailers, None),
            Some(Err(error)) => {
                assert!(body.frame().await.is_none(), "nothing comes after an error");
                return (data, trailers, Some(error));
            }
            Some(Ok(frame)) => match frame.into_data() {
                Ok(bytes) => {
                    assert!(!bytes.is_empty() && trailers.is_none());
                    data.push(bytes);
                }
                Err(frame) => trailers = Some(frame.into_trailers().unwrap()),
            },
        }
    }
}

fn sieve<B: Body>(body: B, config: Config) -> (SieveBody<B>, Arc<Mutex<Option<BodyReport>>>) {
    let report = Arc::new(Mutex::new(None));
    let told = Arc::clone(&report);
    (SieveBody::new(body, config, move |report| *told.lock().unwrap() = Some(report)), report)
}

fn data(text: impl Into<Bytes>) -> Step {
    Step::Data(text.into())
}

#[tokio::test]
async fn a_cut_is_passed_on_after_what_was_held() {
    let body = Scripted::new([data(event("Due [1], in gold")), data(event(" [7")), Step::Error]);
    let (body, report) = sieve(body, config());
    let (shown, _, error) = drain(body).await;
    assert_eq!(error, Some("cut"));
    // Undecided to the last, so it leaves as it came; and no end is invented.
    assert_eq!(shown.concat(), [event("Due [1], in gold"), event(" [7")].concat().into_bytes());
    assert_eq!(report.lock().unwrap().as_ref().unwrap().ended, Ended::Failed);
}

#[tokio::test]
async fn trailers_come_last() {
    let mut trailers = HeaderMap::new();
    trailers.insert("x-sum", HeaderValue::from_static("1"));
    let body = Scripted::new([data(stream()), data(": rest"), Step::Trailers(trailers.clone())]);
    let (body, report) = sieve(body, config());
    let (shown, passed, error) = drain(body).await;
    assert_eq!((passed, error), (Some(trailers), None));
    assert!(shown.concat().ends_with(b"data: [DONE]\n\n: rest"));
    assert_eq!(report.lock().unwrap().as_ref().unwrap().ended, Ended::Complete);
}

#[tokio::test]
async fn events_that_come_together_leave_together() {
    let (body, _) = sieve(Scripted::new([data(stream())]), config());
    assert_eq!(drain(body).await.0.len(), 1);
    // Text that is held makes no empty piece.
    let pieces = [data(event("in gold")), data(event(" [7")), data(event("]")), data(event(".")), data(END)];
    let (body, _) = sieve(Scripted::new(pieces), config());
    assert_eq!(drain(body).await.0.len(), 3);
}

#[tokio::test]
async fn who_goes_away_is_told_about() {
    let (mut body, report) = sieve(Scripted::new([data(event("Due [7]. ")), data(END)]), config());
    body.frame().await.unwrap().unwrap();
    assert!(report.lock().unwrap().is_none());
    drop(body);
    let report = report.lock().unwrap().take().unwrap();
    assert_eq!(report.ended, Ended::Dropped);
    assert_eq!(report.report.lanes[0].1.markers.fabricated, 1);
}

#[tokio::test]
async fn an_answer_that_is_held_whole_leaves_whole() {
    let mut policy = Policy::default();
    policy.release = Release::Answer;
    let sources = Sources::new(vec![Source::new("1")]).unwrap();
    let (body, report) = sieve(Scripted::cut(stream().as_bytes(), &[50]), Config::new(policy, sources));
    let (shown, _, _) = drain(body).await;
    assert_eq!(text(&shown.concat()), "Due [1], in gold.");
    assert_eq!(report.lock().unwrap().as_ref().unwrap().report.lanes[0].1.status, Status::Answered);
}

/// As a body is, so is the sieved one.
#[test]
fn markers_of_types() {
    fn check<T: Send + Sync + Unpin>() {}
    check::<SieveBody<Full<Bytes>>>();
    fn sendable<T: Send>() {}
    sendable::<SieveBody<http_body_util::combinators::UnsyncBoxBody<Bytes, Box<dyn std::error::Error + Send>>>>();
}

/// A body in pieces that are not in one piece themselves.
struct Chained(Option<bytes::buf::Chain<Bytes, Bytes>>);

impl Body for Chained {
    type Data = bytes::buf::Chain<Bytes, Bytes>;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Poll::Ready(self.0.take().map(|data| Ok(Frame::data(data))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

#[tokio::test]
async fn pieces_may_be_in_pieces() {
    let body = Bytes::from(stream());
    let chained = Chained(Some(bytes::Buf::chain(body.slice(..40), body.slice(40..))));
    let (body, _) = sieve(chained, config());
    assert_eq!(text(&drain(body).await.0.concat()), "Due [1], in gold.");
}

proptest! {
    /// However a body is cut, what leaves is what a session makes of it.
    #[test]
    fn cuts_change_nothing(lengths in prop::collection::vec(1usize..60, 1..12), known in any::<bool>()) {
        let config = if known { config() } else { Config::new(Policy::default(), Sources::unknown()) };
        let (expected, report) = citesieve_wire::testing::Recording::new(stream(), config.clone()).run(&lengths);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (body, told) = sieve(Scripted::cut(stream().as_bytes(), &lengths), config);
        let (shown, _, _) = runtime.block_on(drain(body));
        prop_assert_eq!(shown.concat(), expected);
        let told = told.lock().unwrap().take().unwrap();
        prop_assert_eq!(told.report, report);
    }
}

// ---- claims ----------------------------------------------------------------------------------------------------------

/// The claims of a body that ends like this, and whether its report came after the last of them.
async fn claims(wanted: bool, end: Option<Step>, whole: bool) -> (Vec<String>, bool) {
    let sources = Arc::new(Sources::new(vec![Source::new("1").text("Rent is due.")]).unwrap());
    let told = Arc::new(Mutex::new((Vec::new(), false)));
    let (taken, reported) = (Arc::clone(&told), Arc::clone(&told));
    let words = ["Rent is due soon [1]", ". Pets are forbidden [1]", ". That", " is all [1]."];
    let events = words.map(|words| {
        let event = serde_json::json!({"choices": [{"index": 0, "delta": {"content": words}}]});
        Step::Data(format!("data: {event}\n\n").into())
    });
    let config = Config::new(Policy::default(), sources).claims(wanted);
    let body = SieveBody::new(Scripted::new(events.into_iter().chain(end)), config, move |_| {
        reported.lock().unwrap().1 = true
    });
    let mut body = Box::pin(body.on_claims(move |sources, claims| {
        let mut told = taken.lock().unwrap();
        assert!(sources.known() && !told.1, "claims come before the report");
        told.0.extend(claims.into_iter().map(|claim| claim.claim.text));
    }));
    let mut frames = 0;
    while let Some(frame) = body.frame().await {
        frames += 1;
        if frame.is_err() || (!whole && frames == 3) {
            break;
        }
    }
    drop(body);
    let told = told.lock().unwrap();
    (told.0.clone(), told.1)
}

#[tokio::test]
async fn claims_are_handed_over_as_they_close() {
    let three = ["Rent is due soon.", "Pets are forbidden.", "That is all."].map(str::to_owned);
    assert_eq!(claims(true, None, true).await, (three.to_vec(), true));
    assert_eq!(claims(true, Some(Step::Error), true).await, (three.to_vec(), true), "cut");
    assert_eq!(claims(false, None, true).await, (vec![], true));
    // Nobody reads on: what was open stays open.
    assert_eq!(claims(true, None, false).await, (three[..2].to_vec(), true));
}

// ---- rulings ---------------------------------------------------------------------------------------------------------

/// Rulings that somebody hands in, for a body that polls for them.
#[derive(Default)]
struct Rulings {
    ready: VecDeque<LaneRuling>,
    waker: Option<std::task::Waker>,
    claims: Vec<LaneClaim>,
}

impl Rulings {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<LaneRuling> {
        self.waker = Some(cx.waker().clone());
        self.ready.pop_front().map_or(Poll::Pending, Poll::Ready)
    }

    /// Rules on the claim that came first.
    fn rule(&mut self, fails: bool) {
        let claim = self.claims.remove(0);
        let ruling = if fails { Ruling::Contradicts } else { Ruling::Supports };
        let judgement = Some(Judgement { ruling, sources: Vec::new() });
        let position = claim.claim.position;
        self.ready.push_back(LaneRuling { lane: claim.lane, verdict: claim.verdict, position, judgement });
        self.waker.take().unwrap().wake();
    }
}

#[tokio::test]
async fn text_and_the_end_of_the_body_wait_for_rulings() {
    for end in [None, Some(Step::Error), Some(Step::Trailers(HeaderMap::new()))] {
        let sources = Arc::new(Sources::new(vec![Source::new("1").text("Rent is due.")]).unwrap());
        let mut policy = Policy::default();
        policy.release = Release::Claim;
        policy.failed_claims = FailedClaims::Drop;
        let event = |words: &str| {
            let event = serde_json::json!({"choices": [{"index": 0, "delta": {"content": words}}]});
            Step::Data(format!("data: {event}\n\n").into())
        };
        let steps =
            [event("All is well. Rent is due [1]. "), event("Pets are forbidden [1].")].into_iter().chain(end.clone());
        let config = Config::new(policy, sources).rulings(true);
        let (body, told) = sieve(Scripted::new(steps), config);
        let rulings = Arc::new(Mutex::new(Rulings::default()));
        let (taken, polled) = (Arc::clone(&rulings), Arc::clone(&rulings));
        let body = body
            .on_claims(move |_, claims| taken.lock().unwrap().claims.extend(claims))
            .on_rulings(move |cx| polled.lock().unwrap().poll(cx));
        let mut body = by_hand(body);
        let mut shown = String::new();
        while let Poll::Ready(frame) = body.poll() {
            shown += std::str::from_utf8(&frame.unwrap().unwrap().into_data().unwrap()).unwrap();
        }
        assert!(shown.contains("All is well.") || shown.is_empty(), "{shown}");
        assert_eq!(rulings.lock().unwrap().claims.len(), 2, "both are to be ruled on, the inner body is over");
        assert!(!body.body.is_end_stream());
        rulings.lock().unwrap().rule(true);
        assert!(body.woken());
        while let Poll::Ready(frame) = body.poll() {
            shown += std::str::from_utf8(&frame.unwrap().unwrap().into_data().unwrap()).unwrap();
        }
        rulings.lock().unwrap().rule(false);
        let mut last = None;
        while let Poll::Ready(Some(frame)) = body.poll() {
            match frame {
                Ok(frame) if frame.is_data() => {
                    shown += std::str::from_utf8(&frame.into_data().unwrap()).unwrap();
                }
                Ok(_) => last = Some("trailers"),
                Err(_) => last = Some("error"),
            }
        }
        let text: String = citesieve_wire::lane_texts(shown.as_bytes(), None).remove(0).1;
        assert_eq!(text, "All is well. Pets are forbidden [1].");
        assert_eq!(last, end.map(|end| if matches!(end, Step::Error) { "error" } else { "trailers" }));
        let told = told.lock().unwrap().take().unwrap();
        assert_eq!(told.report.lanes[0].1.claims.len(), 2);
    }
}

/// What a body says when it is polled.
type Polled<B> = Poll<Option<Result<Frame<<B as Body>::Data>, <B as Body>::Error>>>;

/// A body that is polled by hand.
struct ByHand<B> {
    body: Pin<Box<B>>,
    woken: Arc<Woken>,
}

#[derive(Default)]
struct Woken(std::sync::atomic::AtomicBool);

impl std::task::Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, std::sync::atomic::Ordering::SeqCst);
    }
}

fn by_hand<B: Body>(body: B) -> ByHand<B> {
    ByHand { body: Box::pin(body), woken: Arc::default() }
}

impl<B: Body> ByHand<B> {
    fn poll(&mut self) -> Polled<B> {
        self.woken.0.store(false, std::sync::atomic::Ordering::SeqCst);
        let waker = Arc::clone(&self.woken).into();
        self.body.as_mut().poll_frame(&mut Context::from_waker(&waker))
    }

    fn woken(&self) -> bool {
        self.woken.0.load(std::sync::atomic::Ordering::SeqCst)
    }
}
