//! [`App`]: what all requests share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use citesieve_tower::BodyReport;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::config::{Config, ConfigError};
use crate::judging::Judging;
use crate::limits::Running;
use crate::litellm::Guardrail;
use crate::metrics::Metrics;
use crate::record::{Asked, Id, Record};
use crate::sinks::Sinks;
use crate::upstream;
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
    draining: AtomicBool,
    /// Answers that are over, and whose claims are still judged.
    judged: Mutex<JoinSet<()>>,
}

impl App {
    /// Makes it, and starts what writes records; the handles end when it is dropped.
    pub(crate) async fn new(config: Config) -> Result<(Self, Vec<tokio::task::JoinHandle<()>>), ConfigError> {
        let metrics = Metrics::new().map_err(|error| ConfigError::new(format!("metrics: {error}")))?;
        let metrics = Arc::new(metrics);
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
            let client = upstream::public(config.limits.connect.0)?;
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
            draining: AtomicBool::new(false),
            judged: Mutex::default(),
        };
        Ok((app, tasks))
    }

    /// The proxy is about to stop.
    pub(crate) fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Whether the proxy is about to stop.
    pub(crate) fn draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// An answer is over: counts it, keeps its record, hands it on and logs it; if claims of it are being judged, as soon
    /// as that is done or the judge's deadline is over.
    pub(crate) fn over(
        self: &Arc<Self>,
        asked: Asked,
        body: BodyReport,
        attempts: u32,
        cause: &'static str,
        judging: Option<Judging>,
    ) {
        let id = asked.id;
        // Clients that stop reading at `[DONE]` have seen all of the answer, so it is judged whoever ended it.
        let waits = tokio::runtime::Handle::try_current().is_ok();
        let mut record = Record::new(asked, body, attempts, cause);
        let Some(judging) = judging.filter(|judging| waits && !judging.is_empty()) else {
            return self.publish(id, &record);
        };
        let app = Arc::clone(self);
        let mut tasks = self.judged.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            judging.finish(&mut record.choices, &app.metrics).await;
            app.publish(id, &record);
        });
    }

    /// Waits until no claims are judged any more, but not longer than the judge's deadline.
    pub(crate) async fn judged(&self) {
        let mut tasks = std::mem::take(&mut *self.judged.lock().unwrap_or_else(PoisonError::into_inner));
        let patience = self.config.judge.as_ref().map_or(0, |judge| judge.options().deadline_ms);
        let patience = Duration::from_millis(patience).min(self.config.limits.drain.0) + Duration::from_secs(1);
        if timeout(patience, async { while tasks.join_next().await.is_some() {} }).await.is_err() {
            tracing::warn!("claims were left unjudged");
        }
        tasks.shutdown().await;
    }

    fn publish(&self, id: Id, record: &Record) {
        self.metrics.over(record);
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
        match serde_json::to_vec(record) {
            Ok(json) => {
                let json = Bytes::from(json);
                self.sinks.offer(&json, &self.metrics);
                self.verdicts.end(id, json);
            }
            Err(error) => tracing::error!(%error, "a record could not be written"),
        }
    }
}
