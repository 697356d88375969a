//! What Prometheus scrapes at `/metrics`.

use std::time::Duration;

use citesieve::{Ruling, Status, Verdict};
use citesieve_judge::Judged;
use metrics::{
    Counter, Histogram, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
    with_local_recorder,
};
use metrics_exporter_prometheus::{BuildError, PrometheusBuilder, PrometheusHandle, PrometheusRecorder};

use crate::limits::Running;
use crate::record::Record;

/// Counts since the start. They have a recorder of their own, so that a program may run several proxies.
pub(crate) struct Metrics {
    recorder: PrometheusRecorder,
    handle: PrometheusHandle,
    known: Known,
}

/// What every answer counts, looked up once: a name and its labels are a key that is built, hashed and locked for.
struct Known {
    ok: Counter,
    events: Counter,
    bytes_in: Counter,
    bytes_out: Counter,
    statuses: [Counter; 4],
    real: Counter,
    fabricated: Counter,
    edits: Counter,
    overflows: Counter,
    quotes: [Counter; 6],
    blocks: [Counter; 5],
    time_added: Histogram,
    held: Histogram,
}

impl Known {
    /// To be called with the recorder that they count for.
    fn new() -> Self {
        let status = |status: &'static str| counter!("citesieve_verdicts_total", "status" => status);
        let marker = |kind: &'static str| counter!("citesieve_markers_total", "kind" => kind);
        let bytes = |direction: &'static str| counter!("citesieve_bytes_total", "direction" => direction);
        Known {
            ok: counter!("citesieve_requests_total", "status" => "200", "by" => "upstream"),
            events: counter!("citesieve_events_total"),
            bytes_in: bytes("in"),
            bytes_out: bytes("out"),
            statuses: ["answered", "downgraded", "not_found", "unchecked"].map(status),
            real: marker("real"),
            fabricated: marker("fabricated"),
            edits: counter!("citesieve_edits_total"),
            overflows: counter!("citesieve_hold_overflows_total"),
            quotes: ["verified", "altered", "misattributed", "not_found", "too_short", "unchecked"]
                .map(|class| counter!("citesieve_quotes_total", "class" => class)),
            blocks: ["verified", "misattributed", "not_found", "too_short", "unchecked"]
                .map(|class| counter!("citesieve_block_quotes_total", "class" => class)),
            time_added: histogram!("citesieve_time_added_seconds"),
            held: histogram!("citesieve_held_seconds"),
        }
    }

    fn verdict(&self, verdict: &Verdict) {
        let [answered, downgraded, not_found, unchecked] = &self.statuses;
        match verdict.status {
            Status::Answered => answered,
            Status::Downgraded => downgraded,
            Status::NotFound => not_found,
            Status::Unchecked => unchecked,
        }
        .increment(1);
        self.real.increment(verdict.markers.real);
        self.fabricated.increment(verdict.markers.fabricated);
        self.edits.increment(verdict.edit_count);
        self.overflows.increment(verdict.hold.overflows);
        let counts = &verdict.quote_counts;
        let quotes = [
            counts.verified,
            counts.altered,
            counts.misattributed,
            counts.not_found,
            counts.too_short,
            counts.unchecked,
        ];
        self.quotes.iter().zip(quotes).for_each(|(counter, count)| counter.increment(count));
        let counts = &verdict.block_counts;
        let blocks = [counts.verified, counts.misattributed, counts.not_found, counts.too_short, counts.unchecked];
        self.blocks.iter().zip(blocks).for_each(|(counter, count)| counter.increment(count));
    }
}

impl Metrics {
    pub(crate) fn new() -> Result<Self, BuildError> {
        let seconds =
            [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];
        let recorder = PrometheusBuilder::new().set_buckets(&seconds)?.build_recorder();
        let handle = recorder.handle();
        let known = with_local_recorder(&recorder, || {
            describe();
            Known::new()
        });
        Ok(Metrics { recorder, handle, known })
    }

    /// A request was answered with this status, by the upstream or (`ours`) by the proxy.
    pub(crate) fn answered(&self, status: u16, ours: bool) {
        if (status, ours) == (200, false) {
            return self.known.ok.increment(1);
        }
        let by = if ours { "citesieve" } else { "upstream" };
        self.with(|| counter!("citesieve_requests_total", "status" => status.to_string(), "by" => by).increment(1));
    }

    /// An answer is over.
    pub(crate) fn over(&self, record: &Record) {
        let known = &self.known;
        known.events.increment(record.events);
        known.bytes_in.increment(record.bytes_in);
        known.bytes_out.increment(record.bytes_out);
        record.choices.iter().for_each(|choice| known.verdict(&choice.verdict));
        let dialect = record.dialect.clone().unwrap_or_else(|| "unknown".into());
        self.with(|| {
            counter!("citesieve_streams_total", "dialect" => dialect, "ended" => record.ended).increment(1);
            if record.attempts > 1 {
                counter!("citesieve_regenerated_total").increment(u64::from(record.attempts - 1));
            }
            for unchecked in &record.unchecked {
                counter!("citesieve_unchecked_total", "what" => unchecked.what.clone()).increment(unchecked.count);
            }
        });
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
        self.known.time_added.record(time.as_secs_f64());
    }

    /// An answer held text for so long in all.
    pub(crate) fn held_for(&self, time: Duration) {
        self.known.held.record(time.as_secs_f64());
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
