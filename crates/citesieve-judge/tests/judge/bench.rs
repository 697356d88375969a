//! On public quotes nothing that strings decide ever reaches the model: a judge that counts proves it.

use std::collections::HashMap;
use std::sync::Arc;

use citesieve::quote::{self, Class};
use citesieve::{ClosedClaim, Source, Sources};
use citesieve_judge::{Judge, Options};
use serde::Deserialize;

use crate::support::*;

#[derive(Deserialize)]
struct Case {
    id: String,
    mode: String,
    expect: String,
    source: String,
    quote: String,
}

fn cases() -> Option<(Vec<Case>, Arc<Sources>)> {
    let read =
        |name: &str| shared(&format!("bench/arxiv295/{name}")).map(|path| std::fs::read_to_string(path).unwrap());
    let (cases, docs) = (read("cases.jsonl")?, read("docs.json")?);
    let docs: HashMap<String, String> = serde_json::from_str(&docs).unwrap();
    let list = docs.into_iter().map(|(id, text)| Source::new(id).text(text)).collect();
    let cases: Vec<Case> = cases.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(cases.len() > 4000);
    Some((cases, Arc::new(Sources::new(list).unwrap())))
}

/// The claims of a text that cites one source by the number 1.
fn claims(text: &str, case: &Case, sources: &Sources) -> (Vec<ClosedClaim>, Arc<Sources>) {
    let own = &sources.list()[sources.with_id(&case.source)[0]];
    let other = sources.list().iter().find(|source| source.id != own.id).unwrap();
    // The source under the number that it would have in an answer, and another one.
    let list = [(1, own), (2, other)].map(|(id, source)| Source { id: id.to_string(), ..source.clone() });
    let sources = Arc::new(Sources::new(list.to_vec()).unwrap());
    (sieve(text, &sources).1, sources)
}

/// Asks a judge about claims and gives what the model was asked.
async fn asked_about(claims: Vec<ClosedClaim>, sources: Arc<Sources>) -> Vec<String> {
    let model = Scripted::saying("supports");
    Judge::new(model.clone(), Options::default()).judge(claims, sources).await;
    model.seen()
}

#[tokio::test(start_paused = true)]
async fn no_verbatim_quote_and_no_fabricated_one_reaches_the_model() {
    let Some((cases, sources)) = cases() else { return };
    let (mut quotes, mut blocks) = (0, 0);
    for case in cases.iter().filter(|case| case.expect != "too_short") {
        // Quotation marks that are in the quote itself would end it.
        let flat = case.quote.split_whitespace().collect::<Vec<_>>().join(" ");
        if !flat.contains(['"', '“', '”']) {
            let (claims, sources) = claims(&format!("The authors write \"{flat}\" [1]."), case, &sources);
            quotes += usize::from(!claims.is_empty());
            let seen = asked_about(claims, sources).await;
            assert!(seen.is_empty(), "{} ({}): {}", case.id, case.mode, case.quote);
        }
        let (claims, sources) = claims(&format!("They write:\n\n> {flat} [1]\n\nThat is all."), case, &sources);
        blocks += usize::from(!claims.is_empty());
        let seen = asked_about(claims, sources).await;
        assert!(seen.is_empty(), "{} ({}), as a block: {}", case.id, case.mode, case.quote);
    }
    println!("{quotes} quotes and {blocks} block quotations, no call");
    assert!(quotes > 3000 && blocks > 3000, "{quotes} {blocks}");
}

/// Without quotation marks a quote is a claim: the very words of the source are still not asked about.
#[tokio::test(start_paused = true)]
async fn the_very_words_of_a_source_are_not_asked_about() {
    let Some((cases, sources)) = cases() else { return };
    let mut verbatim = 0;
    for case in cases.iter().filter(|case| case.expect == "found") {
        let flat = case.quote.split_whitespace().collect::<Vec<_>>().join(" ");
        let (claims, sources) = claims(&format!("{flat} [1]"), case, &sources);
        // A quote of several sentences is several claims, of which only the last one has the marker.
        for claim in
            claims.into_iter().filter(|claim| quote::check(&sources, &["1"], &claim.text).class == Class::Verified)
        {
            verbatim += 1;
            assert!(asked_about(vec![claim], Arc::clone(&sources)).await.is_empty(), "{}: {}", case.id, case.quote);
        }
    }
    println!("{verbatim} claims in the words of their source, no call");
    assert!(verbatim > 500, "{verbatim}");
}

/// What the documentation says about the calls of an answer: twelve claims, three for each of four sources; two with a
/// quote, two in the words of the source, eight in mutilated ones, which stand for words of the model's own.
#[tokio::test(start_paused = true)]
async fn calls_of_a_typical_answer() {
    let Some((_, all)) = cases() else { return };
    const SOURCES: usize = 4;
    let (mut calls, mut asked_about, mut bytes, mut answers) = (0, 0, 0, 0);
    for docs in all.list().chunks_exact(SOURCES) {
        let numbered = docs.iter().enumerate().map(|(n, doc)| Source { id: (n + 1).to_string(), ..doc.clone() });
        let sources = Arc::new(Sources::new(numbered.collect()).unwrap());
        let mut text = String::new();
        for n in 0..12 {
            let doc = sources.list()[n / 3].text.as_deref().unwrap();
            let sentences: Vec<&str> = doc.split(". ").filter(|one| one.len() > 60 && !one.contains('"')).collect();
            let Some(sentence) = sentences.get(n % 3 % sentences.len().max(1)) else { continue };
            let words: Vec<&str> = sentence.split_whitespace().collect();
            let claim = match n % 6 {
                0 => format!("The authors write \"{}\"", words[..words.len().min(12)].join(" ")),
                4 => words.join(" "),
                // Three of four words, the last third first.
                _ => {
                    let mut words: Vec<&str> =
                        words.iter().enumerate().filter(|(index, _)| index % 4 != 3).map(|(_, word)| *word).collect();
                    let third = words.len() / 3;
                    words.rotate_right(third);
                    words.join(" ")
                }
            };
            // A sentence begins with a capital.
            let (first, rest) = claim.split_at(claim.chars().next().map_or(0, char::len_utf8));
            let claim = first.to_uppercase() + rest.trim_end_matches('.');
            text += &format!("{claim} [{}]. ", n / 3 + 1);
        }
        let (_, claims) = sieve(&text, &sources);
        let model = Scripted::saying("supports");
        let judged = Judge::new(model.clone(), Options::default()).judge(claims, Arc::clone(&sources)).await;
        let seen = model.seen();
        answers += 1;
        calls += seen.len();
        bytes += seen.iter().map(|user| user.len() + citesieve_judge::prompt::SYSTEM.len()).sum::<usize>();
        let asked = |one: &citesieve::SourceJudgement| one.decision.is_asked();
        asked_about += judged.judgements.iter().filter(|(_, judgement)| judgement.sources.iter().any(asked)).count();
    }
    let mean = |sum: usize| sum as f64 / answers as f64;
    println!(
        "{answers} answers: {:.1} of 12 claims asked about, {:.1} calls, {:.0} bytes of prompt each",
        mean(asked_about),
        mean(calls),
        bytes as f64 / calls as f64
    );
    assert!(answers > 50 && calls > 0 && calls < asked_about, "claims share calls");
}
