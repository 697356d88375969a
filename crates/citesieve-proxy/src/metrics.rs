//! What Prometheus scrapes at `/metrics`.

use std::time::Duration;

use citesieve::Ruling;
use citesieve_judge::Judged;
use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram, with_local_recorder};
use metrics_exporter_prometheus::{BuildError, PrometheusBuilder, PrometheusHandle, PrometheusRecorder};

use crate::limits::Running;
use crate::record::Record;

/// Counts since the start. They have a recorder of their own, so that a program may run several proxies.
pub(crate) struct Metrics {
    recorder: PrometheusRecorder,
    handle: PrometheusHandle,
}

impl Metrics {
    pub(crate) fn new() -> Result<Self, BuildError> {
        let seconds =
            [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];
        let recorder = PrometheusBuilder::new().set_buckets(&seconds)?.build_recorder();
        let handle = recorder.handle();
        with_local_recorder(&recorder, describe);
        Ok(Metrics { recorder, handle })
    }

    /// A request was answered with this status, by the upstream or (`ours`) by the proxy.
    pub(crate) fn answered(&self, status: u16, ours: bool) {
        let by = if ours { "citesieve" } else { "upstream" };
        self.with(|| counter!("citesieve_requests_total", "status" => status.to_string(), "by" => by).increment(1));
    }

    /// An answer is over.
    pub(crate) fn over(&self, record: &Record) {
        let dialect = record.dialect.clone().unwrap_or_else(|| "unknown".into());
        self.with(|| {
            counter!("citesieve_streams_total", "dialect" => dialect, "ended" => record.ended).increment(1);
            counter!("citesieve_events_total").increment(record.events);
            counter!("citesieve_bytes_total", "direction" => "in").increment(record.bytes_in);
            counter!("citesieve_bytes_total", "direction" => "out").increment(record.bytes_out);
            if record.attempts > 1 {
                counter!("citesieve_regenerated_total").increment(u64::from(record.attempts - 1));
            }
            for unchecked in &record.unchecked {
                counter!("citesieve_unchecked_total", "what" => unchecked.what.clone()).increment(unchecked.count);
            }
            for choice in &record.choices {
                self.verdict(&choice.verdict);
            }
        });
    }

    fn verdict(&self, verdict: &citesieve::Verdict) {
        let status = match verdict.status {
            citesieve::Status::Answered => "answered",
            citesieve::Status::Downgraded => "downgraded",
            citesieve::Status::NotFound => "not_found",
            citesieve::Status::Unchecked => "unchecked",
        };
        counter!("citesieve_verdicts_total", "status" => status).increment(1);
        counter!("citesieve_markers_total", "kind" => "real").increment(verdict.markers.real);
        counter!("citesieve_markers_total", "kind" => "fabricated").increment(verdict.markers.fabricated);
        counter!("citesieve_edits_total").increment(verdict.edit_count);
        counter!("citesieve_hold_overflows_total").increment(verdict.hold.overflows);
        let quotes = &verdict.quote_counts;
        for (class, count) in [
            ("verified", quotes.verified),
            ("altered", quotes.altered),
            ("misattributed", quotes.misattributed),
            ("not_found", quotes.not_found),
            ("too_short", quotes.too_short),
            ("unchecked", quotes.unchecked),
        ] {
            counter!("citesieve_quotes_total", "class" => class).increment(count);
        }
        let blocks = &verdict.block_counts;
        for (class, count) in [
            ("verified", blocks.verified),
            ("misattributed", blocks.misattributed),
            ("not_found", blocks.not_found),
            ("too_short", blocks.too_short),
            ("unchecked", blocks.unchecked),
        ] {
            counter!("citesieve_block_quotes_total", "class" => class).increment(count);
        }
    }

    /// The claims of one text were judged.
    pub(crate) fn judged(&self, judged: &Judged) {
        self.with(|| {
            for one in judged.judgements.iter().flat_map(|(_, judgement)| &judgement.sources) {
                if one.decision.is_asked() {
                    let ruling = match one.ruling {
                        Ruling::Supports => "supports",
                        Ruling::Partial => "partial",
                        Ruling::Unrelated => "unrelated",
                        Ruling::Contradicts => "contradicts",
                        Ruling::Unjudged => "unjudged",
                    };
                    counter!("citesieve_judgements_total", "ruling" => ruling).increment(1);
                }
            }
            let spent = judged.spent;
            counter!("citesieve_judge_calls_total").increment(spent.calls);
            counter!("citesieve_judge_tokens_total", "kind" => "input").increment(spent.input_tokens);
            counter!("citesieve_judge_tokens_total", "kind" => "output").increment(spent.output_tokens);
        });
    }

    /// The first bytes of an answer left so long after the upstream's first had come.
    pub(crate) fn first_bytes_after(&self, time: Duration) {
        self.with(|| histogram!("citesieve_time_added_seconds").record(time.as_secs_f64()));
    }

    /// An answer held text for so long in all.
    pub(crate) fn held_for(&self, time: Duration) {
        self.with(|| histogram!("citesieve_held_seconds").record(time.as_secs_f64()));
    }

    /// What was meant for a sink was sent, failed or was dropped.
    pub(crate) fn sink(&self, sink: &'static str, what: &'static str) {
        self.with(|| counter!("citesieve_sink_records_total", "sink" => sink, "result" => what).increment(1));
    }

    /// All counts, as Prometheus reads them.
    pub(crate) fn render(&self, running: &Running) -> String {
        self.with(|| {
            gauge!("citesieve_streams").set(running.streams() as f64);
            gauge!("citesieve_held_bytes").set(running.held() as f64);
        });
        self.handle.render()
    }

    /// To be called now and then: without it, a proxy that nobody scrapes would keep every sample.
    pub(crate) fn upkeep(&self) {
        self.handle.run_upkeep();
    }

    fn with<T>(&self, f: impl FnOnce() -> T) -> T {
        with_local_recorder(&self.recorder, f)
    }
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

fn describe() {
    describe_gauge!("citesieve_streams", "Requests under way");
    describe_gauge!("citesieve_held_bytes", "Bytes of answers that wait for a decision");
    describe_counter!("citesieve_requests_total", "Requests by status, and by who answered");
    describe_counter!("citesieve_streams_total", "Answers that are over, by dialect and by how they ended");
    describe_counter!("citesieve_events_total", "Events, lines and items of answers");
    describe_counter!("citesieve_bytes_total", "Bytes of answers, as they came in and as they went out");
    describe_counter!("citesieve_regenerated_total", "Answers that were asked for again");
    describe_counter!("citesieve_unchecked_total", "What passed without being looked at");
    describe_counter!("citesieve_verdicts_total", "Verdicts by status");
    describe_counter!("citesieve_markers_total", "Citation markers, real and fabricated");
    describe_counter!("citesieve_edits_total", "Edits");
    describe_counter!("citesieve_hold_overflows_total", "Times that text left as it came because too much was held");
    describe_counter!("citesieve_quotes_total", "Quotes by class");
    describe_counter!("citesieve_block_quotes_total", "Block quotations by class");
    describe_counter!("citesieve_judgements_total", "Claims that a model was asked about, by what it said");
    describe_counter!("citesieve_judge_calls_total", "Calls of the model that judges claims");
    describe_counter!("citesieve_judge_tokens_total", "Tokens of these calls");
    describe_counter!("citesieve_sink_records_total", "Records for the file and the webhook: written, failed, dropped");
    describe_histogram!("citesieve_time_added_seconds", "From the first bytes of an answer to the first that left");
    describe_histogram!("citesieve_held_seconds", "For how long an answer held anything, in all");
}
