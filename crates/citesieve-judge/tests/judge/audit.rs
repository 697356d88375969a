//! One citation from end to end.

use citesieve::quote::Class;
use citesieve::{Source, Sources};
use citesieve_judge::budget::Limits;
use citesieve_judge::{Citation, Judge, Options, Outcome, audit};

use crate::support::*;

const LEASE: &str = "Late rent bears interest at four per cent a year. No animal, large or small, may be kept.";

fn sources() -> Sources {
    let annex =
        format!("{} The roof is red and the door is green.", "The annex speaks of many other things. ".repeat(2000));
    let list = vec![
        Source::new("lease").text(LEASE),
        Source::new("annex").text(annex),
        Source::new("bare"),
        Source::new("lease").text("The garden is kept by the tenant."),
    ];
    Sources::new(list).unwrap()
}

fn citation<'a>(source: &'a str, quote: &'a str) -> Citation<'a> {
    Citation { claim: "Paying late costs the tenant something.", source, quote }
}

#[tokio::test(start_paused = true)]
async fn the_model_is_asked_only_when_the_quote_is_there() {
    for (source, quote, outcome, asked) in [
        ("lease", "late rent bears interest", None, true),
        ("lease", "No animal … may be kept", None, true),
        ("lease", "The garden is kept by the tenant", None, true),
        ("lease", "per cent", None, true),
        ("lease", "gold coins", Some(Outcome::NotFound), false),
        ("lease", "late rent bears no interest", Some(Outcome::NotFound), false),
        ("lease", "late rent is free of all interest for ever", Some(Outcome::NotFound), false),
        ("annex", "late rent bears interest", Some(Outcome::Misattributed), false),
        ("nobody", "late rent bears interest", Some(Outcome::Misattributed), false),
        ("nobody", "late rent is free of charge", Some(Outcome::NotFound), false),
        ("bare", "some words that it may have", Some(Outcome::NotFound), false),
        ("lease", "", Some(Outcome::NotFound), false),
    ] {
        let model = Scripted::saying("partial");
        let audit = audit(citation(source, quote), &sources(), &model).await;
        assert_eq!(audit.outcome, outcome.unwrap_or(Outcome::Partial), "{source}: {quote}");
        assert_eq!(model.seen().len(), usize::from(asked), "{source}: {quote}");
        assert_eq!(audit.call.is_some(), asked);
    }
}

#[tokio::test(start_paused = true)]
async fn every_outcome() {
    let quoted = citation("lease", "late rent bears interest at four per cent");
    for (said, outcome) in [
        ("supports", Outcome::Supports),
        ("partial", Outcome::Partial),
        ("unrelated", Outcome::Unrelated),
        ("contradicts", Outcome::Contradicts),
        ("maybe", Outcome::Unrelated),
    ] {
        let found = audit(quoted, &sources(), &Scripted::saying(said)).await;
        assert_eq!((found.outcome, found.quote.class), (outcome, Class::Verified), "{said}");
        assert_eq!(found.confidence, if said == "maybe" { 0.0 } else { 0.8 });
    }
    let down = audit(quoted, &sources(), &Scripted::new(|_| Err("down".into()))).await;
    assert_eq!((down.outcome, down.confidence), (Outcome::Unrelated, 0.0));
    assert_eq!(serde_json::to_value(down.outcome).unwrap(), "unrelated");
}

#[tokio::test(start_paused = true)]
async fn the_passage_of_the_quote_is_in_a_long_source() {
    let model = Scripted::saying("supports");
    audit(citation("annex", "the roof is red and the door is green"), &sources(), &model).await;
    let prompt = &model.seen()[0];
    assert!(prompt.contains("The roof is red") && prompt.contains("\"excerpt\": true"));
    assert!(prompt.len() < 30_000, "{}", prompt.len());
}

#[tokio::test(start_paused = true)]
async fn a_judge_audits_within_its_budget() {
    let model = Scripted::saying("supports");
    let mut options = Options::default();
    options.per_process = Limits { calls: Some(1), ..Limits::default() };
    let judge = Judge::new(model.clone(), options);
    let quoted = citation("lease", "late rent bears interest at four per cent");
    assert_eq!(judge.audit(quoted, &sources()).await.outcome, Outcome::Supports);
    let refused = judge.audit(quoted, &sources()).await;
    assert_eq!((refused.outcome, refused.confidence), (Outcome::Unrelated, 0.0));
    assert!(refused.reason.contains("budget"));
    assert_eq!(model.seen().len(), 1);
}
