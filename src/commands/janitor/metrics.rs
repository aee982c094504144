//! Metrics by the conventions of Prometheus: counters and histograms as things happen, gauges from the
//! status at the moment they are asked for.

use std::sync::Arc;
use std::time::Duration;

use prometheus::{
    Encoder as _, Gauge, GaugeVec, HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry, TextEncoder,
};

use super::systemd::Systemd;
use crate::janitor::{HeldReason, Observer, PassEnd, Status};
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

/// Everything that `/metrics` shows.
pub(super) struct Metrics {
    registry: Registry,
    systemd: Arc<Systemd>,
    purged: IntCounterVec,
    reaped: IntCounterVec,
    pass_seconds: HistogramVec,
    batch_seconds: HistogramVec,
    batch_rows: HistogramVec,
    errors: IntCounterVec,
    database_up: Gauge,
    leader: GaugeVec,
    paused: GaugeVec,
    last_success: GaugeVec,
    interval: GaugeVec,
    backlog: GaugeVec,
    stuck: GaugeVec,
    oldest_stuck: GaugeVec,
    rows: GaugeVec,
}

impl Metrics {
    pub(super) fn new(systemd: Arc<Systemd>) -> prometheus::Result<Self> {
        let registry = Registry::new();
        let counter = |name: &str, help: &str, labels: &[&str]| {
            let vec = IntCounterVec::new(Opts::new(name, help), labels)?;
            registry.register(Box::new(vec.clone()))?;
            Ok::<_, prometheus::Error>(vec)
        };
        let gauge = |name: &str, help: &str, labels: &[&str]| {
            let vec = GaugeVec::new(Opts::new(name, help), labels)?;
            registry.register(Box::new(vec.clone()))?;
            Ok::<_, prometheus::Error>(vec)
        };
        let histogram = |name: &str, help: &str, buckets: &[f64]| {
            let opts = HistogramOpts::new(name, help).buckets(buckets.to_vec());
            let vec = HistogramVec::new(opts, &["table", "pass"])?;
            registry.register(Box::new(vec.clone()))?;
            Ok::<_, prometheus::Error>(vec)
        };
        gauge("idemctl_build_info", "The version that runs; always 1.", &["version"])?
            .with_label_values(&[env!("CARGO_PKG_VERSION")])
            .set(1.0);
        #[cfg(target_os = "linux")]
        registry.register(Box::new(prometheus::process_collector::ProcessCollector::for_self()))?;
        let database_up = Gauge::new(
            "idemctl_database_up",
            "Whether the database is connected, takes writes and has what the configuration names.",
        )?;
        registry.register(Box::new(database_up.clone()))?;
        Ok(Self {
            purged: counter("idemctl_rows_purged_total", "Expired rows that were deleted.", &["table"])?,
            reaped: counter("idemctl_rows_reaped_total", "Stuck rows that were failed.", &["table"])?,
            errors: counter("idemctl_errors_total", "Failed passes and connections.", &["kind"])?,
            pass_seconds: histogram("idemctl_pass_duration_seconds", "How long a pass took.", PASS_BUCKETS)?,
            batch_seconds: histogram(
                "idemctl_batch_duration_seconds",
                "How long a batch took.",
                BATCH_BUCKETS,
            )?,
            batch_rows: histogram("idemctl_batch_rows", "Rows that a batch changed.", ROWS_BUCKETS)?,
            leader: gauge("idemctl_leader", "Whether this janitor leads the pass.", &["table", "pass"])?,
            paused: gauge(
                "idemctl_paused",
                "Whether the pass is held back, by reason.",
                &["table", "pass", "reason"],
            )?,
            last_success: gauge(
                "idemctl_last_success_timestamp_seconds",
                "When a pass of any janitor last came to its end; 0 when none ever did.",
                &["table", "pass"],
            )?,
            interval: gauge(
                "idemctl_schedule_interval_seconds",
                "The time between two starts of the pass.",
                &["table", "pass"],
            )?,
            backlog: gauge("idemctl_expired_backlog_rows", "Expired rows to be deleted.", &["table"])?,
            stuck: gauge("idemctl_stuck_rows", "Rows in progress without a sign of life.", &["table"])?,
            oldest_stuck: gauge(
                "idemctl_oldest_stuck_age_seconds",
                "For how long the worst stuck row has had no sign of life; 0 when none is stuck.",
                &["table"],
            )?,
            rows: gauge("idemctl_table_rows", "Rows by state, an estimate.", &["table", "state"])?,
            database_up,
            registry,
            systemd,
        })
    }

    /// The text of `/metrics`.
    pub(super) fn render(&self, status: &Status) -> prometheus::Result<String> {
        let seconds = |at: Timestamp| at.as_micros() as f64 / 1e6;
        let flag = |on: bool| f64::from(u8::from(on));
        self.database_up.set(flag(status.database.up));
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
                    self.rows.with_label_values(&[name, state]).set(rows.value as f64);
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
    }

    fn failed(&self, kind: ErrorKind) {
        self.errors.with_label_values(&[kind.as_str()]).inc();
    }
}
