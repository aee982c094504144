//! Metrics by the conventions of Prometheus: counters and histograms as things happen, gauges from the
//! status at the moment they are asked for.

use std::sync::Arc;
use std::time::Duration;

use prometheus::{
    Encoder as _, GaugeVec, HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry, TextEncoder,
};

use super::systemd::Systemd;
use crate::janitor::{HeldReason, JanitorStatus, Observer, PassEnd};
use crate::protocol::Timestamp;
use crate::store::{ErrorKind, Pass};

/// Seconds from a millisecond to ten minutes.
const PASS_BUCKETS: &[f64] = &[0.001, 0.005, 0.025, 0.1, 0.5, 2.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0];
/// Seconds around the target of a batch.
const BATCH_BUCKETS: &[f64] =
    &[0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.0, 5.0, 30.0];
/// Rows.
const ROWS_BUCKETS: &[f64] =
    &[0.0, 1.0, 10.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0, 5_000.0, 10_000.0, 100_000.0];

/// One metric, as idemctl-janitor(8) explains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricReference {
    /// Its name.
    pub name: &'static str,
    /// `counter`, `gauge` or `histogram`.
    pub kind: &'static str,
    /// Its labels.
    pub labels: &'static [&'static str],
    /// What it says.
    pub meaning: &'static str,
}

const TABLE: &[&str] = &["table"];
const PASS: &[&str] = &["table", "pass"];

/// Every metric of the janitor's own; those of the process (process_cpu_seconds_total and its kin) come
/// beside them.
pub const METRICS: &[MetricReference] = &[
    metric("idemctl_build_info", "gauge", &["version"], "The version that runs; always 1."),
    metric(
        "idemctl_database_up",
        "gauge",
        &[],
        "Whether the database is connected, takes writes and has what the configuration names.",
    ),
    metric("idemctl_leader", "gauge", PASS, "Whether this janitor leads the pass."),
    metric("idemctl_rows_purged_total", "counter", TABLE, "Expired rows that were deleted."),
    metric("idemctl_rows_reaped_total", "counter", TABLE, "Stuck rows that were failed."),
    metric("idemctl_rows_refused_total", "counter", PASS, "Rows that the database refused to a pass."),
    metric("idemctl_pass_duration_seconds", "histogram", PASS, "How long a pass took."),
    metric("idemctl_batch_duration_seconds", "histogram", PASS, "How long a batch took."),
    metric("idemctl_batch_rows", "histogram", PASS, "Rows that a batch changed."),
    metric(
        "idemctl_last_success_timestamp_seconds",
        "gauge",
        PASS,
        "When a pass of any janitor last completed; 0 when none ever did.",
    ),
    metric("idemctl_schedule_interval_seconds", "gauge", PASS, "The time between two starts of the pass."),
    metric(
        "idemctl_paused",
        "gauge",
        &["table", "pass", "reason"],
        "Whether the pass is held back; the reason is operator, lag or lag_unreadable.",
    ),
    metric("idemctl_expired_backlog_rows", "gauge", TABLE, "Expired rows to be deleted."),
    metric("idemctl_stuck_rows", "gauge", TABLE, "Rows in progress without a heartbeat."),
    metric(
        "idemctl_oldest_stuck_age_seconds",
        "gauge",
        TABLE,
        "For how long the row that was claimed first of the stuck ones had no heartbeat; 0 when none is.",
    ),
    metric(
        "idemctl_table_rows",
        "gauge",
        &["table", "state"],
        "Rows by state, an estimate; absent where nothing tells.",
    ),
    metric(
        "idemctl_row_security",
        "gauge",
        TABLE,
        "Whether row level security hides rows from the role: no pass meets those, and no number counts them.",
    ),
    metric("idemctl_errors_total", "counter", &["kind"], "Failed passes and connections."),
];

const fn metric(
    name: &'static str,
    kind: &'static str,
    labels: &'static [&'static str],
    meaning: &'static str,
) -> MetricReference {
    MetricReference { name, kind, labels, meaning }
}

/// The registry while the metrics are put into it.
struct Builder(Registry);

impl Builder {
    fn opts(name: &str) -> prometheus::Result<(Opts, &'static [&'static str])> {
        let known = METRICS.iter().find(|known| known.name == name);
        let known = known.ok_or_else(|| prometheus::Error::Msg(format!("{name} is not documented")))?;
        Ok((Opts::new(known.name, known.meaning), known.labels))
    }

    fn counter(&self, name: &str) -> prometheus::Result<IntCounterVec> {
        let (opts, labels) = Self::opts(name)?;
        let vec = IntCounterVec::new(opts, labels)?;
        self.0.register(Box::new(vec.clone()))?;
        Ok(vec)
    }

    fn gauge(&self, name: &str) -> prometheus::Result<GaugeVec> {
        let (opts, labels) = Self::opts(name)?;
        let vec = GaugeVec::new(opts, labels)?;
        self.0.register(Box::new(vec.clone()))?;
        Ok(vec)
    }

    fn histogram(&self, name: &str, buckets: &[f64]) -> prometheus::Result<HistogramVec> {
        let (opts, labels) = Self::opts(name)?;
        let vec = HistogramVec::new(HistogramOpts::from(opts).buckets(buckets.to_vec()), labels)?;
        self.0.register(Box::new(vec.clone()))?;
        Ok(vec)
    }
}

/// Everything that `/metrics` shows.
pub(super) struct Metrics {
    registry: Registry,
    systemd: Arc<Systemd>,
    purged: IntCounterVec,
    reaped: IntCounterVec,
    refused: IntCounterVec,
    pass_seconds: HistogramVec,
    batch_seconds: HistogramVec,
    batch_rows: HistogramVec,
    errors: IntCounterVec,
    database_up: GaugeVec,
    leader: GaugeVec,
    paused: GaugeVec,
    last_success: GaugeVec,
    interval: GaugeVec,
    backlog: GaugeVec,
    stuck: GaugeVec,
    oldest_stuck: GaugeVec,
    rows: GaugeVec,
    row_security: GaugeVec,
}

impl Metrics {
    pub(super) fn new(systemd: Arc<Systemd>) -> prometheus::Result<Self> {
        let of = Builder(Registry::new());
        of.gauge("idemctl_build_info")?.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1.0);
        #[cfg(target_os = "linux")]
        of.0.register(Box::new(prometheus::process_collector::ProcessCollector::for_self()))?;
        Ok(Self {
            purged: of.counter("idemctl_rows_purged_total")?,
            reaped: of.counter("idemctl_rows_reaped_total")?,
            refused: of.counter("idemctl_rows_refused_total")?,
            errors: of.counter("idemctl_errors_total")?,
            pass_seconds: of.histogram("idemctl_pass_duration_seconds", PASS_BUCKETS)?,
            batch_seconds: of.histogram("idemctl_batch_duration_seconds", BATCH_BUCKETS)?,
            batch_rows: of.histogram("idemctl_batch_rows", ROWS_BUCKETS)?,
            database_up: of.gauge("idemctl_database_up")?,
            leader: of.gauge("idemctl_leader")?,
            paused: of.gauge("idemctl_paused")?,
            last_success: of.gauge("idemctl_last_success_timestamp_seconds")?,
            interval: of.gauge("idemctl_schedule_interval_seconds")?,
            backlog: of.gauge("idemctl_expired_backlog_rows")?,
            stuck: of.gauge("idemctl_stuck_rows")?,
            oldest_stuck: of.gauge("idemctl_oldest_stuck_age_seconds")?,
            rows: of.gauge("idemctl_table_rows")?,
            row_security: of.gauge("idemctl_row_security")?,
            registry: of.0,
            systemd,
        })
    }

    /// The text of `/metrics`.
    pub(super) fn render(&self, status: &JanitorStatus) -> prometheus::Result<String> {
        let seconds = |at: Timestamp| at.as_micros() as f64 / 1e6;
        let flag = |on: bool| f64::from(u8::from(on));
        self.database_up.with_label_values(&[] as &[&str]).set(flag(status.database.up));
        // What a table or a state no longer has must not stay as it was.
        for gauge in [
            &self.leader,
            &self.paused,
            &self.last_success,
            &self.interval,
            &self.backlog,
            &self.stuck,
            &self.oldest_stuck,
            &self.rows,
            &self.row_security,
        ] {
            gauge.reset();
        }
        for table in &status.tables {
            let name = table.table.as_str();
            // A counter that is not there yet can't show its first increase.
            self.purged.with_label_values(&[name]);
            self.reaped.with_label_values(&[name]);
            for pass in &table.passes {
                let labels = [name, pass.pass.as_str()];
                self.refused.with_label_values(&labels);
                self.leader.with_label_values(&labels).set(flag(pass.leads));
                self.interval.with_label_values(&labels).set(pass.interval_seconds);
                let last = pass.last_success_at.map_or(0.0, seconds);
                self.last_success.with_label_values(&labels).set(last);
                for reason in HeldReason::ALL {
                    let held = pass.held.as_ref().is_some_and(|held| held.reason == reason);
                    let labels = [labels[0], labels[1], reason.as_str()];
                    self.paused.with_label_values(&labels).set(flag(held));
                }
            }
            if let Some(hides) = table.row_security {
                self.row_security.with_label_values(&[name]).set(flag(hides));
            }
            if let Some(sample) = &table.sample {
                self.backlog.with_label_values(&[name]).set(sample.backlog.value as f64);
                self.stuck.with_label_values(&[name]).set(sample.stuck.value as f64);
                let age = sample.oldest_stuck.map_or(0.0, |at| sample.at.since(at).as_secs_f64());
                self.oldest_stuck.with_label_values(&[name]).set(age);
                for (state, rows) in [
                    ("in_progress", sample.in_progress),
                    ("completed", sample.completed),
                    ("failed", sample.failed),
                ] {
                    if let Some(rows) = rows.known() {
                        self.rows.with_label_values(&[name, state]).set(rows as f64);
                    }
                }
            }
        }
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

impl Observer for Metrics {
    fn turned(&self) {
        self.systemd.turned();
    }

    fn batch(&self, table: &str, pass: Pass, rows: u64, took: Duration) {
        let labels = [table, pass.as_str()];
        self.batch_seconds.with_label_values(&labels).observe(took.as_secs_f64());
        self.batch_rows.with_label_values(&labels).observe(rows as f64);
        match pass {
            Pass::Purge => self.purged.with_label_values(&[table]).inc_by(rows),
            Pass::Reap => self.reaped.with_label_values(&[table]).inc_by(rows),
        }
    }

    fn ended(&self, end: &PassEnd) {
        let labels = [end.table.as_str(), end.pass.as_str()];
        self.pass_seconds.with_label_values(&labels).observe(end.took.as_secs_f64());
        self.refused.with_label_values(&labels).inc_by(end.refused());
    }

    fn failed(&self, kind: ErrorKind) {
        self.errors.with_label_values(&[kind.as_str()]).inc();
    }
}
