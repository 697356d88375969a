//! The configuration: as it is written ([`Settings`]), and validated ([`Config`]).

mod judge;
mod policy;
mod route;
mod settings;
mod values;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use citesieve::{FoldCache, Policy, Sources};
use citesieve_judge::Judge;
use citesieve_judge::client::Client;
use citesieve_wire::Failure;
use rustls::ServerConfig;

pub use judge::{JudgeApi, JudgeSettings};
pub use route::{Protocol, Route};
pub use settings::{
    LimitSettings, LiteLlmSettings, LogFormat, LogSettings, PolicyChange, RequestSettings, RouteSettings, Settings,
    SieveSettings, TlsSettings, VerdictSettings,
};
pub use values::{Address, Span};

use crate::tls;

/// What is wrong with a configuration, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub(crate) String);

impl ConfigError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        ConfigError(message.into())
    }
}

/// More threads than any machine has cores.
const MOST_WORKERS: usize = 1024;

/// A validated configuration. Made by [`Config::new`].
#[derive(Debug)]
pub struct Config {
    pub(crate) listen: SocketAddr,
    pub(crate) admin: Option<SocketAddr>,
    /// Threads that carry connections.
    pub(crate) workers: NonZeroUsize,
    pub(crate) tls: Option<Arc<ServerConfig>>,
    /// Longest path first.
    pub(crate) routes: Vec<Arc<Route>>,
    /// The sets of sources that a request may name.
    pub(crate) sets: HashMap<String, Arc<Sources>>,
    pub(crate) folded: Option<Arc<FoldCache>>,
    pub(crate) requests: RequestSettings,
    pub(crate) limits: LimitSettings,
    pub(crate) verdicts: Verdicts,
    pub(crate) judge: Option<Judge<Client>>,
    /// How long sentences wait for it, where the policy holds them; zero: not at all.
    pub(crate) judge_wait: Duration,
    /// LiteLLM's guardrail, and its policy.
    pub(crate) litellm: Option<(LiteLlmSettings, Arc<Policy>)>,
}

/// What becomes of verdicts.
#[derive(Debug)]
pub(crate) struct Verdicts {
    pub(crate) settings: VerdictSettings,
    /// Where the lines go, relative paths resolved.
    pub(crate) file: Option<PathBuf>,
    pub(crate) webhook: Option<http::Uri>,
}

/// How one answer is sieved; the same for every answer of a route, but for what a request may change.
#[derive(Debug, Clone)]
pub(crate) struct Sieving {
    pub(crate) policy: Arc<Policy>,
    pub(crate) verdict: bool,
    pub(crate) split_frames_over: usize,
    pub(crate) failure: Failure,
    pub(crate) response_sources: bool,
    pub(crate) regenerate: u32,
}

impl Config {
    /// Validates settings. Relative paths in them are relative to `folder`; `read_sources` reads what a set of sources
    /// names.
    ///
    /// # Errors
    /// [`ConfigError`] says what is wrong, and where.
    pub fn new(
        settings: Settings,
        folder: &Path,
        mut read_sources: impl FnMut(&Path) -> Result<Sources, String>,
    ) -> Result<Self, ConfigError> {
        settings.limits.check()?;
        settings.verdicts.check()?;
        settings.litellm.check()?;
        let folded = match settings.limits.folded_texts {
            0 => None,
            bytes => Some(Arc::new(FoldCache::new(bytes))),
        };
        let mut sets = HashMap::new();
        for (name, path) in &settings.sources {
            if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')) {
                return Err(ConfigError::new(format!(
                    "sources.{name}: a name of letters, digits, '-', '_' and '.' expected"
                )));
            }
            let read = read_sources(&folder.join(path));
            let sources = read.map_err(|error| ConfigError::new(format!("sources.{name}: {error}")))?;
            let sources = match &folded {
                Some(cache) => sources.with_cache(Arc::clone(cache)),
                None => sources,
            };
            sources.fold();
            sets.insert(name.clone(), Arc::new(sources));
        }
        let routes = route::all(&settings, folder, &sets)?;
        let litellm = match settings.litellm.enabled {
            true => Some((settings.litellm.clone(), Arc::new(policy::read("policy", settings.policy.clone())?))),
            false => None,
        };
        let tls = match &settings.tls {
            Some(tls) => Some(tls::server(&folder.join(&tls.cert), &folder.join(&tls.key))?),
            None => None,
        };
        let webhook = match &settings.verdicts.webhook {
            Some(url) => Some(values::url("verdicts.webhook", url)?),
            None => None,
        };
        let file = settings.verdicts.file.as_ref();
        let file = file.map(|path| if path.as_os_str() == "-" { path.clone() } else { folder.join(path) });
        let listen = settings.listen.0;
        let admin = settings.admin.map(|address| address.0);
        if admin.is_some_and(|admin| admin == listen && admin.port() != 0) {
            return Err(ConfigError::new(format!("admin: {listen} is the address of the proxy itself")));
        }
        if settings.workers.is_some_and(|workers| workers.get() > MOST_WORKERS) {
            return Err(ConfigError::new(format!("workers: more than {MOST_WORKERS}")));
        }
        // A system that does not tell has one core for all that is known.
        let workers = settings.workers.or_else(|| available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
        Ok(Config {
            listen,
            admin,
            workers,
            tls,
            routes,
            sets,
            folded,
            requests: settings.requests,
            limits: settings.limits,
            verdicts: Verdicts { settings: settings.verdicts, file, webhook },
            judge: settings.judge.as_ref().map(judge::judge).transpose()?,
            judge_wait: settings.judge.as_ref().map_or(Duration::ZERO, |judge| judge.wait.0),
            litellm,
        })
    }

    /// The address to listen on.
    pub fn listen(&self) -> SocketAddr {
        self.listen
    }

    /// The routes as `path → upstream`, longest path first, without anything secret.
    pub fn routes(&self) -> impl Iterator<Item = String> + '_ {
        self.routes.iter().map(|route| format!("{} → {}://{}{}", route.path, route.scheme, route.authority, route.base))
    }
}
