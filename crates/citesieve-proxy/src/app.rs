//! [`App`]: what all requests share.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use citesieve_tower::BodyReport;

use crate::config::{Config, ConfigError, Protocol, Route};
use crate::limits::Running;
use crate::litellm::Guardrail;
use crate::metrics::Metrics;
use crate::record::{Asked, Record};
use crate::sinks::Sinks;
use crate::tls::Trust;
use crate::upstream::{Client, Clients};
use crate::verdicts::Verdicts;

/// What all requests share.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) config: Config,
    pub(crate) running: Arc<Running>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) verdicts: Verdicts,
    /// LiteLLM's guardrail.
    pub(crate) guardrail: Option<Arc<Guardrail>>,
    sinks: Sinks,
    /// By the path of the route.
    clients: HashMap<String, Client>,
    draining: AtomicBool,
}

impl App {
    /// Makes it, and starts what writes records; the handles end when it is dropped.
    pub(crate) async fn new(config: Config) -> Result<(Self, Vec<tokio::task::JoinHandle<()>>), ConfigError> {
        let metrics = Metrics::new().map_err(|error| ConfigError::new(format!("metrics: {error}")))?;
        let metrics = Arc::new(metrics);
        let mut clients = Clients::default();
        let mut by_path = HashMap::new();
        for route in &config.routes {
            let client = clients.get(route.protocol, &route.trust, config.limits.connect.0)?;
            by_path.insert(route.path.clone(), client);
        }
        let settings = &config.verdicts.settings;
        let verdicts = Verdicts::new(settings.keep.0, settings.count, settings.bytes);
        let mut sinks = Sinks::default();
        let mut tasks = Vec::new();
        if let Some(path) = &config.verdicts.file {
            let added = sinks.add_file(path, settings.queue, Arc::clone(&metrics)).await;
            let wrong = |error| ConfigError::new(format!("verdicts.file: {}: {error}", path.display()));
            tasks.push(added.map_err(wrong)?);
        }
        if let Some(url) = &config.verdicts.webhook {
            let client = clients.get(Protocol::Auto, &Trust::public(), config.limits.connect.0)?;
            let patience = settings.webhook_timeout.0;
            tasks.push(sinks.add_webhook(client, url.clone(), settings.queue, patience, Arc::clone(&metrics)));
        }
        let guardrail = config.litellm.as_ref().map(|(settings, policy)| {
            Arc::new(Guardrail::new(Arc::clone(policy), config.requests.clone(), settings, config.folded.clone()))
        });
        let app = App {
            config,
            running: Arc::new(Running::default()),
            metrics,
            verdicts,
            guardrail,
            sinks,
            clients: by_path,
            draining: AtomicBool::new(false),
        };
        Ok((app, tasks))
    }

    /// The client of a route.
    pub(crate) fn client(&self, route: &Route) -> Option<&Client> {
        self.clients.get(&route.path)
    }

    /// The proxy is about to stop.
    pub(crate) fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Whether the proxy is about to stop.
    pub(crate) fn draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// An answer is over: counts it, keeps its record, hands it on and logs it.
    pub(crate) fn over(&self, asked: Asked, body: BodyReport, attempts: u32, cause: &'static str) {
        let id = asked.id;
        let record = Record::new(asked, body, attempts, cause);
        self.metrics.over(&record);
        let fabricated: u64 = record.choices.iter().map(|choice| choice.verdict.markers.fabricated).sum();
        tracing::info!(
            id = %record.id,
            route = %record.route,
            path = %record.path,
            status = record.status,
            ended = record.ended,
            dialect = record.dialect.as_deref().unwrap_or_default(),
            sources = record.sources,
            sources_from = record.sources_from.as_deref().unwrap_or_default(),
            verdict = record.choices.first().map(|choice| tracing::field::debug(choice.verdict.status)),
            fabricated,
            events = record.events,
            bytes = record.bytes_out,
            ms = record.duration_ms,
            "answer"
        );
        match serde_json::to_vec(&record) {
            Ok(json) => {
                let json = Bytes::from(json);
                self.sinks.offer(&json, &self.metrics);
                self.verdicts.end(id, json);
            }
            Err(error) => tracing::error!(%error, "a record could not be written"),
        }
    }
}
