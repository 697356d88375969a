//! Structured answers: the schema for the model, and what becomes of the JSON that it sends back.

use std::error::Error;
use std::sync::Arc;

use citesieve::answer::{self, Outcome};
use citesieve::{Source, Sources, schema};

/// As a model might fill in a form of three fields: one right, one with words of its own, one honest.
const REPLY: &str = r#"{
  "rent":    {"status": "extracted", "answer": "1,200 euros a month", "citations": [{"ref": 1, "quote": "The rent is 1,200 euros a month"}]},
  "notice":  {"status": "extracted", "answer": "two months", "citations": [{"ref": 1, "quote": "on two months' written notice"}]},
  "deposit": {"status": "not_found", "answer": null, "citations": []}
}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let lease = "The rent is 1,200 euros a month. Either party may terminate on three months' written notice.";
    let sources = Arc::new(Sources::new(vec![Source::new("1").text(lease)])?);

    // Goes into the request as the response format.
    println!("{} bytes of JSON Schema\n", schema::answer(&["rent", "notice", "deposit"]).len());

    let checked = answer::check(REPLY, &sources)?;
    for finding in &checked.answers {
        println!("{}: {:?} -> {:?} {:?}", finding.path, finding.given, finding.status, finding.reasons);
    }
    println!("\n{}", checked.json);

    // Only the notice was touched; the rest are the bytes that the model sent.
    let outcomes: Vec<Outcome> = checked.answers.iter().map(|finding| finding.status).collect();
    assert_eq!(outcomes, [Outcome::Extracted, Outcome::NotFound, Outcome::NotFound]);
    assert!(checked.json.contains(r#""notice":  {"status": "not_found", "answer": null, "citations": []}"#));

    // What cannot be read says where.
    let broken = REPLY.replacen("\"ref\": 1", "\"ref\": null", 1);
    if let Err(error) = answer::check(&broken, &sources) {
        println!("\n{error}");
    }
    Ok(())
}
