//! The judge beside a stream of response bytes.

use std::sync::Arc;

use bytes::BytesMut;
use citesieve::{Policy, Ruling, Source, Sources, Support};
use citesieve_judge::{Judge, Options};
use citesieve_wire::{Config, LaneClaim, Session};
use serde_json::json;

use crate::support::*;

fn lease() -> Arc<Sources> {
    let list = vec![
        Source::new("1").text("Late rent bears interest at four per cent a year."),
        Source::new("2").text("The tenant keeps the roof in good repair."),
    ];
    Arc::new(Sources::new(list).unwrap())
}

/// The frames of a chat completion, one per word, of two choices that say the same.
fn body(text: &str) -> Vec<u8> {
    let mut body = Vec::new();
    for word in text.split_inclusive(' ') {
        for index in 0..2 {
            let event = json!({"choices": [{"index": index, "delta": {"content": word}}]});
            body.extend(format!("data: {event}\n\n").bytes());
        }
    }
    body.extend(b"data: [DONE]\n\n");
    body
}

#[tokio::test(start_paused = true)]
async fn claims_come_lane_by_lane_while_the_body_streams() {
    let sources = lease();
    let text = "Who pays late owes 4% [1]. Nothing else is said. The roof is the tenant's business alone [2, 9].";
    let config = Config::new(Policy::default(), Arc::clone(&sources)).claims(true);
    let mut session = Session::new(config);
    let (mut out, mut claims, mut early) = (BytesMut::new(), Vec::new(), 0);
    for chunk in body(text).chunks(7) {
        session.push(chunk, &mut out);
        claims.extend(session.closed_claims());
        early = early.max(claims.len());
    }
    let (mut report, last) = session.finish_with_claims(&mut out);
    assert!(early >= 2, "the first claims were there while the body streamed");
    assert_eq!(last.len(), 2, "what ends with the body comes at its end");
    claims.extend(last);
    assert_eq!(claims.len(), 4);

    let model = Scripted::saying("contradicts");
    let judge = Judge::new(model.clone(), Options::default());
    for (lane, verdict) in &mut report.lanes {
        let own = |claim: &LaneClaim| (claim.lane == *lane).then(|| claim.claim.clone());
        let judged = judge.judge(claims.iter().filter_map(own), Arc::clone(&sources)).await;
        judged.apply(verdict, Default::default());
        assert_eq!(verdict.claims.len(), 2);
        for claim in &verdict.claims {
            assert_eq!(claim.support, Support::Unsupported);
            assert_eq!(claim.judgement.as_ref().unwrap().ruling, Ruling::Contradicts);
        }
    }
    assert_eq!(model.seen().len(), 2, "the second choice says the same");
}

#[test]
fn a_session_gathers_nothing_unless_it_is_asked_to() {
    let mut session = Session::new(Config::new(Policy::default(), lease()));
    let mut out = BytesMut::new();
    session.push(&body("Who pays late owes 4% [1]. The roof too [2]."), &mut out);
    assert!(session.closed_claims().is_empty());
    assert!(session.finish_with_claims(&mut out).1.is_empty());
}
