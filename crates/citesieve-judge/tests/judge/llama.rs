//! A real server with a real, very small model. Optional: it runs where `CITESIEVE_LLAMA_URL` names a llama.cpp server, such
//! as `http://127.0.0.1:8080` (see `docs/judge.md`).

use citesieve::Ruling;
use citesieve_judge::client::OpenAi;
use citesieve_judge::{Judge, Model, Options, parse, prompt};

use crate::support::*;

#[tokio::test]
async fn a_real_model_is_plumbed_through() {
    let Ok(url) = std::env::var("CITESIEVE_LLAMA_URL") else {
        eprintln!("skipped: CITESIEVE_LLAMA_URL is not set");
        return;
    };
    let model = OpenAi::new(&format!("{}/v1", url.trim_end_matches('/')), "local", None).unwrap();
    // What it says is its own affair, but the schema is enforced, so it can be read.
    let claim_text = "Lot grain is kept in sealed bins.";
    let source = prompt::Source { id: "1", title: None, texts: &[] };
    let claims = [("c1".to_owned(), claim_text)];
    let user = prompt::user(&source, "Warehouse 1 stores barley and oats in sealed bins.", false, &claims);
    let reply = model.reply(prompt::SYSTEM, &user).await.unwrap();
    println!("{}", reply.text);
    let json: serde_json::Value = serde_json::from_str(&reply.text).expect("the schema makes it JSON");
    assert!(json["judgements"].is_array());
    println!("{:?}", parse::parse(&reply.text, &claims));

    let mut options = Options::default();
    (options.call_timeout_ms, options.deadline_ms) = (300_000, 300_000);
    let judged = Judge::new(model, options).judge([claim(0, &["1"]), claim(1, &["2"])], sources(2)).await;
    assert_eq!(judged.judgements.len(), 2);
    for (_, judgement) in &judged.judgements {
        let one = &judgement.sources[0];
        println!("{one:?}");
        assert_ne!(one.ruling, Ruling::Unjudged);
        let call = one.call.unwrap();
        assert!(call.input_tokens.unwrap_or_default() > 500 && call.output_tokens.unwrap_or_default() > 0);
    }
}
