//! A reverse proxy that checks the cited answers of LLM APIs while they stream. `citesieve serve` runs it;
//! `docs/proxy.md` describes its configuration.
//!
//! ```no_run
//! use citesieve_proxy::{Config, Server, Settings};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let settings = Settings::parse("upstream = \"https://api.openai.com\"")?;
//! let config = Config::new(settings, ".".as_ref(), |path| Err(format!("{}: unread", path.display())))?;
//! let server = Server::bind(config).await?;
//! println!("{}", server.address()?);
//! server.run(std::future::pending()).await;
//! # Ok(())
//! # }
//! ```
//!
//! A request goes through `target` (refused? which route?), `sources` (what is its answer checked against?) and
//! `forward`; the answer comes back through `body`, from the upstream outwards; `app` counts it, keeps its record and
//! hands it on. All I/O, clocks and tasks of the project are here.

mod admin;
mod alarm;
mod app;
mod body;
pub mod config;
mod connection;
mod error;
mod forward;
mod headers;
mod judging;
mod limits;
mod litellm;
mod metrics;
mod record;
mod server;
mod shelf;
mod sinks;
mod sources;
mod stall;
mod target;
mod tls;
mod upstream;
mod verdicts;
mod workers;

pub use config::{Config, ConfigError, Settings};
pub use server::{Server, StartError};
