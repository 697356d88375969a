//! The scripted upstream as a program: `citesieve-upstream --recordings DIR… [--sieve SOURCES.json] [--script JSON]
//! [--listen ADDRESS]`. Says where it listens on standard output, in one line, and serves until it is ended.

use std::error::Error;
use std::sync::Arc;

use citesieve::{Source, Sources};
use citesieve_upstream::{Settings, Upstream};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut settings = Settings::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or(format!("{option} needs a value"))?;
        match option.as_str() {
            "--recordings" => settings.recordings.push(value.into()),
            "--sieve" => {
                let list: Vec<Source> = serde_json::from_slice(&std::fs::read(value)?)?;
                settings.sources = Some(Arc::new(Sources::new(list)?));
            }
            "--script" => settings.script = serde_json::from_str(&value)?,
            "--listen" => settings.listen = Some(value.parse()?),
            _ => return Err(format!("there is no option {option}").into()),
        }
    }
    let upstream = Upstream::start(settings).await?;
    println!("{}", upstream.url());
    std::future::pending().await
}
