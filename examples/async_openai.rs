//! Wraps the chat stream of the `async-openai` client: its deltas become checked text.

mod support;

use std::error::Error;

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::types::chat::{ChatCompletionRequestUserMessageArgs, CreateChatCompletionRequestArgs};
use citesieve::{Policy, Source, Sources};
use citesieve_stream::{SieveExt, TextEvent};
use futures::TryStreamExt;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Stands for the API. With the real one, leave `with_api_base` out.
    let deltas = &["Rent is due", " monthly [1", "], in \"gold", " and silver\" [", "4", "]."];
    let server = support::serve_chat(deltas).await?;
    let config = OpenAIConfig::new().with_api_key("none").with_api_base(format!("http://{server}/v1"));
    let client = Client::with_config(config);

    let question = ChatCompletionRequestUserMessageArgs::default().content("When is rent due?").build()?;
    let request = CreateChatCompletionRequestArgs::default().model("m").messages([question.into()]).build()?;
    let chunks = client.chat().create_stream(request).await?;

    // The text of the first choice. Chunks without any (a role, the usage) become empty deltas, which do nothing.
    let deltas = chunks.map_ok(|chunk| {
        let first = chunk.choices.into_iter().find(|choice| choice.index == 0);
        first.and_then(|choice| choice.delta.content).unwrap_or_default()
    });

    let sources = Sources::new(vec![Source::new("1").text("Rent is due monthly.")])?;
    let mut answer = deltas.sieve(Policy::default(), sources);
    let mut shown = String::new();
    while let Some(event) = answer.try_next().await? {
        match event {
            TextEvent::Text(text) => {
                println!("text: {text:?}");
                shown += &text;
            }
            TextEvent::Verdict(verdict) => {
                println!("verdict: {:?} {:?}", verdict.status, verdict.reasons);
                assert_eq!((verdict.markers.fabricated, verdict.quotes.len()), (1, 1));
            }
        }
    }
    assert_eq!(shown, "Rent is due monthly [1], in \"gold and silver\".");
    Ok(())
}
