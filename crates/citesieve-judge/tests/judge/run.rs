//! Grouping, fan-out, deadlines, budgets, the cache. Time is paused: what waits, waits at once.

use std::sync::Arc;
use std::time::Duration;

use citesieve::{Decision, Ruling, Status, Support, UnsupportedClaims};
use citesieve_judge::budget::{Limits, Prices, Spent};
use citesieve_judge::{Form, Judge, Judged, Options, Skip};
use serde_json::json;

use crate::support::*;

fn rulings(judged: &Judged) -> Vec<(usize, Ruling)> {
    judged.judgements.iter().map(|(position, judgement)| (*position, judgement.ruling)).collect()
}

fn options(change: impl FnOnce(&mut Options)) -> Options {
    let mut options = Options::default();
    change(&mut options);
    options
}

/// Fifteen claims, three for each of five sources, one after the other.
fn fifteen() -> Vec<citesieve::ClosedClaim> {
    (0..15).map(|position| claim(position, &[["1", "2", "3", "4", "5"][position % 5]])).collect()
}

#[tokio::test(start_paused = true)]
async fn fifteen_claims_over_five_sources_take_as_long_as_one_call() {
    let model = Scripted::saying("supports").takes(Duration::from_secs(3));
    let judge = Judge::new(model.clone(), Options::default());
    let judged = judge.judge(fifteen(), sources(5)).await;
    assert_eq!((model.seen().len(), model.most()), (5, 5), "one call for each source, all at once");
    assert_eq!(rulings(&judged), (0..15).map(|position| (position, Ruling::Supports)).collect::<Vec<_>>());
    for user in model.seen() {
        assert_eq!(asked(&user).len(), 3);
    }
    let one = &judged.judgements[7].1.sources[0];
    assert_eq!((one.source.as_str(), one.model.as_str(), one.prompt_version.as_str()), ("3", "scripted", "1"));
    assert_eq!((one.decision, one.reason.as_str(), one.confidence), (Decision::Between, "As told.", 0.8));
    let call = one.call.unwrap();
    assert_eq!((call.claims, call.input_tokens, call.output_tokens), (3, Some(100), Some(10)));
    assert_eq!(judged.spent, Spent { calls: 5, input_tokens: 500, output_tokens: 50, cost: 0.0 });
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_at_once_than_allowed_over_all_answers() {
    let model = Scripted::saying("supports").takes(Duration::from_secs(1));
    let judge = Judge::new(model.clone(), options(|options| options.max_concurrent = 2));
    let other = judge.clone();
    let (a, b) = tokio::join!(judge.judge(fifteen(), sources(5)), other.judge(fifteen(), sources(6)));
    assert_eq!((model.most(), a.judgements.len(), b.judgements.len()), (2, 15, 15));
    assert!(a.judgements.iter().chain(&b.judgements).all(|(_, judgement)| judgement.ruling == Ruling::Supports));
}

#[tokio::test(start_paused = true)]
async fn calls_start_while_the_answer_streams() {
    let model = Scripted::saying("supports");
    let judge = Judge::new(model.clone(), options(|options| (options.patience, options.max_claims) = (2, 3)));
    let mut answer = judge.answer(sources(9));
    answer.claims([claim(0, &["1"])]);
    tokio::task::yield_now().await;
    assert_eq!(model.seen().len(), 0, "more claims may cite the same source");
    answer.claims((1..4).map(|position| claim(position, &[["2", "3", "4"][position - 1]])));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(model.seen().iter().map(|user| source_of(user)).collect::<Vec<_>>(), ["1"], "the answer has moved on");
    answer.claims((4..7).map(|position| claim(position, &["9"])));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(model.seen().iter().any(|user| source_of(user) == "9"), "a group is full");
    let judged = answer.finish().await;
    assert_eq!((model.seen().len(), judged.judgements.len()), (5, 7));
}

#[tokio::test(start_paused = true)]
async fn a_long_group_is_split() {
    let model = Scripted::saying("supports");
    let judge = Judge::new(model.clone(), options(|options| options.max_claims = 4));
    let judged = judge.judge((0..10).map(|position| claim(position, &["1"])), sources(1)).await;
    assert_eq!(judged.judgements.len(), 10);
    let mut sizes: Vec<usize> = model.seen().iter().map(|user| asked(user).len()).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [2, 4, 4]);
    // The bound on a prompt splits too, and holds.
    let model = Scripted::saying("supports");
    let judge = Judge::new(model.clone(), options(|options| (options.max_claims, options.max_prompt) = (100, 6000)));
    judge.judge((0..100).map(|position| claim(position, &["1"])), sources(1)).await;
    assert!(model.seen().len() >= 2 && model.seen().iter().all(|user| user.len() < 7000));
}

#[tokio::test(start_paused = true)]
async fn against_exactly_the_sources_it_cites() {
    let model = Scripted::new(|user| {
        let verdict = if source_of(user) == "2" { "supports" } else { "unrelated" };
        Ok(all(user, verdict))
    });
    let judge = Judge::new(model.clone(), Options::default());
    let judged = judge.judge([claim(0, &["1", "2", "2"]), claim(1, &["1"]), claim(2, &[])], sources(3)).await;
    assert_eq!(rulings(&judged), [(0, Ruling::Supports), (1, Ruling::Unrelated)]);
    let by: Vec<_> = judged.judgements[0].1.sources.iter().map(|one| (one.source.as_str(), one.ruling)).collect();
    assert_eq!(by, [("1", Ruling::Unrelated), ("2", Ruling::Supports)]);
    assert_eq!(model.seen().len(), 2, "source 3 is nobody's");
}

#[tokio::test(start_paused = true)]
async fn what_is_not_heard_by_the_deadline_is_unjudged() {
    let model = Scripted::saying("supports").takes(Duration::from_secs(60));
    let judge =
        Judge::new(model.clone(), options(|options| (options.deadline_ms, options.call_timeout_ms) = (2000, 600_000)));
    let judged = judge.judge([claim(0, &["1"])], sources(1)).await;
    assert_eq!(rulings(&judged), [(0, Ruling::Unjudged)]);
    assert!(judged.judgements[0].1.sources[0].reason.contains("deadline"));
    tokio::task::yield_now().await;
    assert_eq!(model.running(), 0, "the call was given up");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_answer_asks_no_more() {
    let model = Scripted::saying("supports").takes(Duration::from_secs(60));
    let judge = Judge::new(model.clone(), options(|options| options.max_claims = 1));
    let mut answer = judge.answer(sources(1));
    answer.claims([claim(0, &["1"])]);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(model.running(), 1);
    drop(answer);
    tokio::task::yield_now().await;
    assert_eq!(model.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn failures_count_as_unrelated_for_their_claims_only() {
    let bad = |what: &'static str| {
        Scripted::new(move |user: &str| match what {
            "error" => Err("503".to_owned()),
            "panic" => panic!("on purpose"),
            "garbage" => Ok("It all looks supported to me!".to_owned()),
            "half" => Ok(all(user, "supports")[..60].to_owned()),
            "empty" => Ok(String::new()),
            other => unreachable!("{other}"),
        })
    };
    for (what, reason) in [
        ("error", "503"),
        ("panic", "panicked"),
        ("garbage", "not the JSON"),
        ("half", "not the JSON"),
        ("empty", "not the JSON"),
    ] {
        let judge = Judge::new(bad(what), Options::default());
        let judged = judge.judge([claim(0, &["1"])], sources(1)).await;
        let one = &judged.judgements[0].1.sources[0];
        assert_eq!((one.ruling, one.confidence), (Ruling::Unrelated, 0.0), "{what}");
        assert!(one.reason.contains(reason), "{what}: {}", one.reason);
    }
    let slow = Scripted::saying("supports").takes(Duration::from_secs(31));
    let judge = Judge::new(slow, options(|options| options.deadline_ms = 60_000));
    let judged = judge.judge([claim(0, &["1"])], sources(1)).await;
    let one = &judged.judgements[0].1.sources[0];
    assert_eq!((one.ruling, one.confidence, one.reason.contains("in time")), (Ruling::Unrelated, 0.0, true));
    // One source fails, the other does not.
    let half = Scripted::new(|user| if source_of(user) == "1" { Err("no".into()) } else { Ok(all(user, "supports")) });
    let judged = Judge::new(half, Options::default()).judge([claim(0, &["1"]), claim(1, &["2"])], sources(2)).await;
    assert_eq!(rulings(&judged), [(0, Ruling::Unrelated), (1, Ruling::Supports)]);
}

#[tokio::test(start_paused = true)]
async fn ids_decide_and_wrong_ones_fail_for_their_claim_only() {
    type Change = fn(&mut Vec<serde_json::Value>);
    let changes: [(&str, Change, [Ruling; 3]); 7] = [
        ("in another order", |list| list.reverse(), [Ruling::Supports; 3]),
        ("one missing", |list| drop(list.remove(1)), [Ruling::Supports, Ruling::Unrelated, Ruling::Supports]),
        ("one too many", |list| list.push(entry("c99", "x", "contradicts")), [Ruling::Supports; 3]),
        ("one twice", |list| list.push(list[0].clone()), [Ruling::Unrelated, Ruling::Supports, Ruling::Supports]),
        (
            "two swapped",
            |list| {
                let (a, b) = (list[0]["id"].clone(), list[1]["id"].clone());
                (list[0]["id"], list[1]["id"]) = (b, a);
            },
            [Ruling::Unrelated, Ruling::Unrelated, Ruling::Supports],
        ),
        (
            "one malformed",
            |list| list[2] = json!({"id": "c3", "verdict": "supports"}),
            [Ruling::Supports, Ruling::Supports, Ruling::Unrelated],
        ),
        ("numbers for ids", |list| list[0]["id"] = json!(1), [Ruling::Unrelated, Ruling::Supports, Ruling::Supports]),
    ];
    for (what, change, expected) in changes {
        let model = Scripted::new(move |user| {
            let mut entries = asked(user).iter().map(|(id, claim)| entry(id, claim, "supports")).collect();
            change(&mut entries);
            Ok(json!({"judgements": entries}).to_string())
        });
        let judge = Judge::new(model, Options::default());
        let judged = judge.judge((0..3).map(|position| claim(position, &["1"])), sources(1)).await;
        let got: Vec<Ruling> = judged.judgements.iter().map(|(_, judgement)| judgement.ruling).collect();
        assert_eq!(got, expected, "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_same_question_is_asked_once() {
    let model = Scripted::saying("partial");
    let judge = Judge::new(model.clone(), Options::default());
    let first = judge.judge([claim(0, &["1"]), claim(1, &["1"])], sources(1)).await;
    let again = judge.judge([claim(1, &["1"]), claim(2, &["1"])], sources(1)).await;
    assert_eq!(model.seen().len(), 2);
    assert_eq!(asked(&model.seen()[1]).len(), 1, "only what is new");
    assert_eq!(rulings(&again), [(1, Ruling::Partial), (2, Ruling::Partial)]);
    let cached: Vec<bool> = again.judgements.iter().map(|(_, judgement)| judgement.sources[0].cached).collect();
    assert_eq!(cached, [true, false]);
    assert_eq!((first.spent.calls, again.spent.calls), (1, 1));
    // A failure is not remembered.
    let model = Scripted::new(|_| Err("down".into()));
    let judge = Judge::new(model.clone(), Options::default());
    for _ in 0..2 {
        judge.judge([claim(0, &["1"])], sources(1)).await;
    }
    assert_eq!(model.seen().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn budgets_of_an_answer_and_of_the_process() {
    let calls = |most| Limits { calls: Some(most), ..Limits::default() };
    let model = Scripted::saying("supports");
    let judge =
        Judge::new(model.clone(), options(|options| (options.per_answer, options.per_process) = (calls(2), calls(3))));
    let judged = judge.judge(fifteen(), sources(5)).await;
    let unjudged = |judged: &Judged| {
        judged.judgements.iter().filter(|(_, judgement)| judgement.ruling == Ruling::Unjudged).count()
    };
    assert_eq!((model.seen().len(), unjudged(&judged), judged.spent.calls), (2, 9, 2));
    let reasons = judged.judgements.iter().filter(|(_, one)| one.sources[0].reason.contains("budget")).count();
    assert_eq!(reasons, 9);
    // Other sources, so that nothing comes out of the cache.
    let more = (0..4).map(|position| claim(position, &[["5", "6", "7", "8"][position]]));
    judge.judge(more, sources(8)).await;
    assert_eq!((model.seen().len(), judge.spent().calls), (3, 3), "one was left");

    for limits in [Limits { tokens: Some(200), ..Limits::default() }, Limits { cost: Some(1e-6), ..Limits::default() }]
    {
        let model = Scripted::saying("supports");
        let options = options(|options| {
            options.per_answer = limits;
            options.prices = Prices { input: 1.0, output: 4.0 };
        });
        let judged = Judge::new(model.clone(), options).judge(fifteen(), sources(5)).await;
        assert_eq!((model.seen().len(), unjudged(&judged)), (0, 15), "{limits:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_verdict_has_it_all() {
    let sources = sources(5);
    let text = "Each bin is looked at in autumn by a keeper [1]. Warehouse 2 stores barley and oats in sealed bins [2]. \
        Gold lies under the floor of the hall [3]. Who inspects every bin before the first frost [4]? \
        It says \"stores barley and oats\" [5]. And \"stores gold and silver\" [5].";
    let (mut verdict, claims) = sieve(text, &sources);
    let model = Scripted::new(|user| {
        let verdict = if source_of(user) == "3" { "unrelated" } else { "supports" };
        Ok(all(user, verdict))
    });
    let judge = Judge::new(model.clone(), Options::default());
    let judged = judge.judge(claims, Arc::clone(&sources)).await;
    let skips: Vec<_> =
        judged.skipped.iter().map(|(position, source, skip)| (*position, source.as_str(), *skip)).collect();
    assert_eq!(skips, [(3, "4", Skip::Form(Form::Question)), (4, "5", Skip::Quoted), (5, "5", Skip::FailedQuote)]);
    assert_eq!(model.seen().iter().map(|user| source_of(user)).collect::<Vec<_>>(), ["1", "3"]);

    let before = verdict.status;
    judged.apply(&mut verdict, UnsupportedClaims::Report);
    let supports: Vec<Support> = verdict.claims.iter().map(|claim| claim.support).collect();
    use Support::{Cited, Failed, Judged as Heard, Quoted, Unsupported};
    assert_eq!(supports, [Heard, Heard, Unsupported, Cited, Quoted, Failed]);
    assert_eq!(verdict.claims[1].judgement.as_ref().unwrap().sources[0].decision, Decision::Verbatim);
    assert_eq!(verdict.status, before);
    let json = serde_json::to_string(&verdict).unwrap();
    assert_eq!(serde_json::from_str::<citesieve::Verdict>(&json).unwrap(), verdict);
    judged.apply(&mut verdict, UnsupportedClaims::Downgrade);
    assert_eq!(verdict.status, Status::Downgraded);
}

#[tokio::test(start_paused = true)]
async fn text_that_waits_is_asked_about_at_once_and_every_claim_is_ruled_on_once() {
    let model = Scripted::saying("contradicts").takes(Duration::from_secs(3));
    let judge = Judge::new(model.clone(), Options::default());
    let mut answer = judge.answer(sources(5)).ruling();
    answer.claims([claim(0, &["1"]), claim(1, &["1", "2", "1"])]);
    let nothing = citesieve::ClosedClaim { text: "Why is that?".into(), ..claim(2, &["3"]) };
    answer.claims([nothing]);
    // Nothing to judge: at once. Then those that wait for a model, one of them for two.
    assert_eq!(answer.ruled().await, (2, None));
    assert_eq!(model.seen().len(), 0);
    let mut ruled = Vec::new();
    for _ in 0..2 {
        let (position, judgement) = answer.ruled().await;
        ruled.push((position, judgement.unwrap().sources.iter().map(|one| one.ruling).collect::<Vec<_>>()));
    }
    ruled.sort_by_key(|(position, _)| *position);
    assert_eq!(ruled, [(0, vec![Ruling::Contradicts]), (1, vec![Ruling::Contradicts; 2])]);
    assert_eq!((model.seen().len(), model.most()), (2, 2), "claims that close together share a call for each source");
    // Others may come later; who waits in vain may give up and loses nothing.
    assert!(tokio::time::timeout(Duration::from_secs(60), answer.ruled()).await.is_err());
    answer.claims([claim(3, &["4"])]);
    assert!(tokio::time::timeout(Duration::from_secs(1), answer.ruled()).await.is_err());
    assert_eq!(answer.ruled().await.0, 3);
    // In the end it judges as any other.
    answer.claims([claim(4, &["5"])]);
    let judged = answer.finish().await;
    assert_eq!(rulings(&judged), [0, 1, 3, 4].map(|position| (position, Ruling::Contradicts)));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_the_budget_does_not_allow_is_ruled_on_too() {
    let model = Scripted::saying("supports");
    let limits = Limits { calls: Some(1), ..Limits::default() };
    let judge = Judge::new(model.clone(), options(|options| options.per_answer = limits));
    let mut answer = judge.answer(sources(5)).ruling();
    answer.claims([claim(0, &["1"]), claim(1, &["2"])]);
    let mut ruled = [answer.ruled().await, answer.ruled().await];
    ruled.sort_by_key(|(position, _)| *position);
    let of = |index: usize| ruled[index].1.as_ref().unwrap().ruling;
    assert_eq!((of(0), of(1)), (Ruling::Supports, Ruling::Unjudged));
}
