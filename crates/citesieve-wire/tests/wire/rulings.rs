//! Claims that wait until somebody has ruled on them: what waits behind them, and that nothing is lost.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::BytesMut;
use citesieve::{
    Decision, FailedClaims, Judgement, Policy, Release, Ruling, Source, SourceJudgement, Sources, Support,
    UnsupportedClaims,
};
use citesieve_wire::{Config, LaneRuling, Report, Session, lane_texts};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::{ids, quiet, recordings, run};
use crate::modes::bodies;
use crate::random::piece;

fn config(failed: FailedClaims) -> Config {
    let mut policy = Policy::default();
    policy.release = Release::Claim;
    policy.failed_claims = failed;
    let list = vec![Source::new("1").text("Rent is payable on the first day of each month."), Source::new("2")];
    Config::new(policy, Sources::new(list).unwrap()).split_frames_over(0).rulings(true)
}

fn judgement(ruling: Ruling) -> Option<Judgement> {
    Some(Judgement::new(vec![SourceJudgement {
        source: "1".into(),
        decision: Decision::Between,
        similarity: 0.4,
        ruling,
        confidence: 0.9,
        reason: "so it is".into(),
        model: "m".into(),
        prompt_version: "1".into(),
        cached: false,
        call: None,
    }]))
}

/// Runs a body in pieces of this size; each claim is ruled on after `delay` more pieces, as `rule` says by the words of the
/// claim, and at the end all that are left.
fn ruled(
    config: Config,
    body: &[u8],
    size: usize,
    delay: usize,
    rule: impl Fn(&str) -> Option<Judgement>,
) -> (Vec<u8>, Report) {
    let mut session = Session::new(config);
    let mut out = BytesMut::new();
    let mut open: VecDeque<(usize, LaneRuling)> = VecDeque::new();
    let mut now = 0;
    let take = |session: &mut Session, open: &mut VecDeque<(usize, LaneRuling)>, now: usize| {
        for claim in session.closed_claims() {
            // Those that strings have decided do not wait: a ruling on them may come too late for the verdict.
            let waits = !claim.claim.cited.is_empty() && claim.claim.support != Support::Failed;
            let judgement = if waits { rule(&claim.claim.text) } else { None };
            let ruling =
                LaneRuling { lane: claim.lane, verdict: claim.verdict, position: claim.claim.position, judgement };
            open.push_back((now, ruling));
        }
    };
    for piece in body.chunks(size.max(1)) {
        session.push(piece, &mut out);
        take(&mut session, &mut open, now);
        while open.front().is_some_and(|(since, _)| since + delay <= now) {
            session.rule(open.pop_front().unwrap().1, &mut out);
            take(&mut session, &mut open, now);
        }
        now += 1;
    }
    session.close(&mut out);
    take(&mut session, &mut open, now);
    while let Some((_, ruling)) = open.pop_front() {
        session.rule(ruling, &mut out);
        take(&mut session, &mut open, now);
    }
    assert_eq!((session.waiting(), session.is_paused()), (0, false));
    let report = session.finish(&mut out);
    (out.to_vec(), report)
}

/// The lines of a body, in any order.
fn lines(body: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = body.split(|byte| *byte == b'\n').collect();
    lines.sort_unstable();
    lines
}

/// The text of all lanes that a client shows.
fn shown(out: &[u8]) -> String {
    lane_texts(out, None).into_iter().map(|(_, text)| text).collect()
}

#[test]
fn in_every_dialect_the_end_waits_for_the_last_claim() {
    let (one, two) = ("Interest is due [1]. Rent is", " due on the first [1].");
    for (dialect, frames) in bodies(one, two) {
        let body: String = frames.concat();
        let contradicts =
            |text: &str| judgement(if text.contains("Rent") { Ruling::Contradicts } else { Ruling::Supports });
        for (failed, want) in [
            (FailedClaims::Keep, format!("{one}{two}")),
            (FailedClaims::Mark, format!("{one}{two} [unverified]")),
            (FailedClaims::Drop, "Interest is due [1].".to_owned()),
        ] {
            for (size, delay) in [(1, 0), (7, 3), (1 << 20, 0), (40, 1000)] {
                let (out, report) = ruled(config(failed), body.as_bytes(), size, delay, contradicts);
                assert_eq!(shown(&out), want, "{dialect} {failed:?} {size} {delay}\n{}", String::from_utf8_lossy(&out));
                let rulings: Vec<_> = report.lanes[0].1.claims.iter().map(|claim| claim.judgement.clone()).collect();
                assert_eq!(rulings, [judgement(Ruling::Supports), judgement(Ruling::Contradicts)], "{dialect}");
            }
        }
    }
}

#[test]
fn a_notice_goes_behind_the_last_claim() {
    let (one, two) = ("Interest is due [1]. Rent is", " due on the first [1].");
    for (dialect, frames) in bodies(one, two) {
        let mut config = config(FailedClaims::Mark);
        let policy = Arc::make_mut(&mut config.policy);
        policy.notice = Some(" ({reasons})".to_owned());
        policy.unsupported_claims = UnsupportedClaims::Downgrade;
        let contradicts =
            |text: &str| judgement(if text.contains("Rent") { Ruling::Contradicts } else { Ruling::Supports });
        for (size, delay) in [(1, 0), (1 << 20, 0), (40, 1000)] {
            let (out, _) = ruled(config.clone(), frames.concat().as_bytes(), size, delay, contradicts);
            let want = format!("{one}{two} [unverified] (a claim is not what its sources say)");
            assert_eq!(shown(&out), want, "{dialect} {size} {delay}\n{}", String::from_utf8_lossy(&out));
        }
    }
}

#[test]
fn nothing_of_the_end_leaves_before_the_rulings_do_and_the_verdict_has_them() {
    let chunk = |delta: Value, reason: Value| {
        format!("data: {}\n\n", json!({"choices":[{"index":0,"delta":delta,"finish_reason":reason}]}))
    };
    let mut session = Session::new(config(FailedClaims::Drop));
    let mut out = BytesMut::new();
    let text = chunk(json!({"content":"All is well. Interest is due [1]."}), Value::Null);
    let end = chunk(json!({}), json!("stop"));
    session.push(text.as_bytes(), &mut out);
    session.push(end.as_bytes(), &mut out);
    assert!(session.is_paused());
    session.push(b": ping\n\ndata: [DONE]\n\n", &mut out);
    assert!(out.is_empty(), "{out:?}");
    assert!(session.held() >= text.len() + end.len());
    let claims = session.closed_claims();
    assert_eq!((claims.len(), session.waiting()), (1, 1));
    let ruling = LaneRuling { lane: "0".into(), verdict: 0, position: 0, judgement: judgement(Ruling::Unrelated) };
    session.rule(LaneRuling { lane: "1".into(), ..ruling.clone() }, &mut out);
    session.rule(LaneRuling { verdict: 1, ..ruling.clone() }, &mut out);
    assert!(out.is_empty(), "no such lane, no such verdict");
    session.rule(ruling, &mut out);
    let sent = String::from_utf8(out.to_vec()).unwrap();
    assert!(sent.contains(": ping\n\n") && sent.ends_with("data: [DONE]\n\n"), "{sent}");
    assert_eq!(shown(sent.as_bytes()), "All is well.");
    let last = sent.lines().rfind(|line| line.contains("citesieve")).unwrap();
    let event: Value = serde_json::from_str(last.trim_start_matches("data: ")).unwrap();
    assert_eq!(event["citesieve"]["claims"][0]["judgement"]["ruling"], "unrelated");
    assert_eq!(event["citesieve"]["status"], "downgraded");
}

#[test]
fn a_tool_call_waits_for_the_claims_before_it() {
    let delta =
        |delta: Value| format!("data: {}\n\n", json!({"choices":[{"index":0,"delta":delta,"finish_reason":null}]}));
    let text = delta(json!({"content":"Interest is due [1]."}));
    let call =
        delta(json!({"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}));
    let more = delta(json!({"content":"Rent is due [1]."}));
    let mut session = Session::new(config(FailedClaims::Mark));
    let mut out = BytesMut::new();
    session.push(text.as_bytes(), &mut out);
    session.push(call.as_bytes(), &mut out);
    assert!(out.is_empty() && session.is_paused());
    let claim = session.closed_claims().remove(0);
    assert_eq!(claim.claim.text, "Interest is due.");
    let ruling = |position, ruling| LaneRuling { lane: "0".into(), verdict: 0, position, judgement: judgement(ruling) };
    session.rule(ruling(0, Ruling::Contradicts), &mut out);
    assert_eq!(shown(&out), "Interest is due [1]. [unverified]");
    assert!(out.ends_with(call.as_bytes()));
    session.push(more.as_bytes(), &mut out);
    session.close(&mut out);
    let claim = session.closed_claims().remove(0);
    assert_eq!((claim.claim.text.as_str(), claim.claim.position), ("Rent is due.", 1));
    session.rule(ruling(1, Ruling::Supports), &mut out);
    let report = session.finish(&mut out);
    assert_eq!(shown(&out), "Interest is due [1]. [unverified]Rent is due [1].");
    assert_eq!(report.lanes[0].1.claims.len(), 2);
}

#[test]
fn a_body_that_is_not_streamed_waits_too() {
    let body = json!({"object":"chat.completion","choices":[
        {"index":0,"message":{"role":"assistant","content":"Interest is due [1]. Rent is due."},"finish_reason":"stop"},
        {"index":1,"message":{"role":"assistant","content":"Rent is due [1]."},"finish_reason":"stop"}]})
    .to_string();
    let (out, _) = ruled(config(FailedClaims::Drop), body.as_bytes(), 10, 0, |_| judgement(Ruling::Unrelated));
    let texts: Vec<String> = lane_texts(&out, None).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, [" Rent is due.".trim_start(), ""]);
}

#[test]
fn what_nobody_rules_on_leaves_when_the_session_ends_or_too_much_waits() {
    let body: String = bodies("Interest is due [1]. Rent is", " due on the first [1].")[0].1.concat();
    let mut session = Session::new(config(FailedClaims::Drop));
    let mut out = BytesMut::new();
    session.push(body.as_bytes(), &mut out);
    assert!(session.is_paused());
    session.finish(&mut out);
    assert_eq!(shown(&out), "Interest is due [1]. Rent is due on the first [1].");

    let mut session = Session::new(config(FailedClaims::Drop).max_frame(4000));
    let mut out = BytesMut::new();
    session.push(body.as_bytes(), &mut out);
    for _ in 0..100 {
        session.push(format!(": {}\n\n", "x".repeat(100)).as_bytes(), &mut out);
        assert!(session.held() < 9000);
    }
    assert!(!session.is_paused());
    let report = session.finish(&mut out);
    assert_eq!(shown(&out), "Interest is due [1]. Rent is due on the first [1].");
    assert!(report.notes.iter().any(|note| note.what == "hold"), "{:?}", report.notes);
}

#[test]
fn recordings_come_out_as_without_a_wait_when_nothing_fails() {
    for dialect in ["openai-chat", "openai-responses", "anthropic", "gemini", "cohere-v2", "ollama", "ai-sdk-ui"] {
        for (name, body) in recordings(dialect) {
            let mut policy = Policy::default();
            policy.release = Release::Claim;
            let mut config = quiet(ids(0..3000)).rulings(true);
            config.policy = Arc::new(policy);
            for (size, delay) in [(1000, 0), (100, 5), (4096, 1 << 20)] {
                let (out, report) = ruled(config.clone(), &body, size, delay, |_| None);
                // Lanes do not wait for each other.
                assert_eq!(lines(&out), lines(&body), "{dialect}/{name} in pieces of {size}, {delay} later");
                assert_eq!(lane_texts(&out, None), lane_texts(&body, None), "{dialect}/{name}");
                let (_, same) = run(config.clone().rulings(false), &body, &[size]);
                assert_eq!(report.lanes.len(), same.lanes.len());
                for ((_, a), (_, b)) in report.lanes.iter().zip(&same.lanes) {
                    assert_eq!(a.claims, b.claims, "{dialect}/{name}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn when_rulings_come_changes_nothing(
        texts in prop::collection::vec(piece(), 1..30),
        failed in prop::sample::select(vec![FailedClaims::Keep, FailedClaims::Mark, FailedClaims::Drop]),
        (tool, notice) in any::<(bool, bool)>(),
        size in 1_usize..200,
        delay in 0_usize..20,
    ) {
        let frame = |delta: Value| format!("data: {}\n\n", json!({"choices":[{"index":0,"delta":delta}]}));
        let mut frames: Vec<String> = texts.iter().map(|text| frame(json!({ "content": text }))).collect();
        if tool {
            let call = json!({"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]});
            frames.insert(frames.len() / 2, frame(call));
        }
        let body = frames.concat() + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
        let rule = |text: &str| match text.len() % 3 {
            0 => judgement(Ruling::Contradicts),
            1 => judgement(Ruling::Supports),
            _ => None,
        };
        let mut config = config(failed).verdict(false);
        Arc::make_mut(&mut config.policy).notice = notice.then(|| " (!)".to_owned());
        let (at_once, mut report) = ruled(config.clone(), body.as_bytes(), 1 << 20, 0, rule);
        let (later, mut same) = ruled(config, body.as_bytes(), size, delay, rule);
        prop_assert_eq!(shown(&later), shown(&at_once), "{:?}", texts);
        for (_, verdict) in report.lanes.iter_mut().chain(&mut same.lanes) {
            verdict.hold = Default::default();
        }
        let fields = |report: &Report| serde_json::to_value(&report.lanes[0].1).unwrap();
        let (one, other) = (fields(&report), fields(&same));
        for (name, value) in one.as_object().unwrap() {
            prop_assert_eq!(value, &other[name.as_str()], "{} of {:?}", name, texts);
        }
        prop_assert_eq!(report, same);
    }
}
