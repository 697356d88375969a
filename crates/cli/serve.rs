//! `citesieve serve`: the reverse proxy.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use citesieve_proxy::config::{Address, LogFormat, LogSettings, Settings};
use citesieve_proxy::{Config, Server};
use tracing_subscriber::EnvFilter;

use crate::error::{Error, Name};
use crate::outcome::Outcome;
use crate::policy::PolicyArgs;
use crate::{sources, text};

/// Runs a reverse proxy that checks the answers of an LLM API while they stream
///
/// Change the base URL of your client to the address it prints, and keep everything else. Answers are checked against
/// the sources that come with the request, or that it names; see docs/proxy.md.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// The API to forward to, as https://api.openai.com
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// The address to listen on [default: 127.0.0.1:8787]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<Address>,
    /// An address of their own for /healthz, /readyz and /metrics
    #[arg(long, value_name = "ADDRESS")]
    admin: Option<Address>,
    /// Reads the configuration from a TOML file; arguments win over it
    #[arg(long, value_name = "FILE.toml")]
    config: Option<PathBuf>,
    #[arg(long, short, value_name = "S", help = SOURCES_HELP)]
    sources: Option<OsString>,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Answers LiteLLM's generic guardrail too; without --upstream nothing else. See docs/litellm.md
    #[arg(long)]
    litellm: bool,
    /// Says whether the configuration is fine, and does nothing else
    #[arg(long)]
    check_config: bool,
}

/// What `--help` says about `--sources` here.
const SOURCES_HELP: &str = "\
The sources of requests that bring none: a file or a folder, as for the other commands";

/// The set of sources that `--sources` makes.
const SET: &str = "arguments";

impl ServeArgs {
    fn validate(&self) -> Result<(Config, LogSettings), Error> {
        let (mut settings, folder, name) = match &self.config {
            Some(path) => {
                let name = Name::path(path);
                let parsed = Settings::parse(&text::read(path)?);
                let settings =
                    parsed.map_err(|error| Error::Input { name: name.clone(), message: error.to_string() })?;
                (settings, path.parent().unwrap_or(Path::new("")).to_owned(), name)
            }
            None => (Settings::default(), PathBuf::new(), Name::argument("serve")),
        };
        settings.upstream = self.upstream.clone().or(settings.upstream);
        settings.listen = self.listen.unwrap_or(settings.listen);
        settings.admin = self.admin.or(settings.admin);
        settings.litellm.enabled |= self.litellm;
        settings.policy = self.policy.table(settings.policy)?;
        if let Some(path) = &self.sources {
            // Relative to where the program was started, not to the file.
            let path = std::path::absolute(path).map_err(Error::io(Name::argument("--sources")))?;
            settings.sources.insert(SET.into(), path);
            settings.default_set = Some(SET.into());
        }
        let log = settings.log.clone();
        let read = |path: &Path| sources::read(Some(path.as_os_str())).map_err(|error| error.to_string());
        match Config::new(settings, &folder, read) {
            Ok(config) => Ok((config, log)),
            Err(error) => Err(Error::Input { name, message: error.to_string() }),
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &ServeArgs) -> Result<Outcome, Error> {
    let (config, log) = args.validate()?;
    let filter = EnvFilter::try_new(&log.filter)
        .map_err(|error| Error::Input { name: Name::argument("log.filter"), message: error.to_string() })?;
    if args.check_config {
        anstream::println!("the configuration is fine");
        config.routes().for_each(|route| anstream::println!("{route}"));
        return Ok(Outcome::Fine);
    }
    start_log(&log, filter);
    // It listens and writes records; connections have threads of their own.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Error::io(Name::argument("serve")))?;
    runtime.block_on(serve(config))
}

fn start_log(log: &LogSettings, filter: EnvFilter) {
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    match log.format {
        LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
}

async fn serve(config: Config) -> Result<Outcome, Error> {
    let routes: Vec<String> = config.routes().collect();
    let failed = |message: String| Error::Input { name: Name::argument("serve"), message };
    let server = Server::bind(config).await.map_err(|error| failed(error.to_string()))?;
    let address = server.address().map_err(|error| failed(error.to_string()))?;
    let admin = server.admin_address().map_err(|error| failed(error.to_string()))?;
    tracing::info!(%address, admin = admin.map(tracing::field::display), "listening");
    routes.iter().for_each(|route| tracing::info!("{route}"));
    if !server.run(stop()).await {
        tracing::warn!("streams were cut, as they took longer than limits.drain");
    }
    Ok(Outcome::Fine)
}

/// Ready when the process is asked to stop: by ctrl-c, or by a service manager.
async fn stop() {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        () = interrupted => {}
        () = terminated => {}
    }
}
