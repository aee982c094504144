//! The configuration file's shape, and its defaults.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::table::TableConfig;
use super::usage;
use crate::exit::Failure;
use crate::janitor::{MIN_STUCK_AGE, PaceOptions, PurgeOptions, RetryPolicy, ScopePattern};
use crate::protocol::{self, Claim, Retry};
use crate::store::Timeouts;

/// After how long without a heartbeat a key of our own table is stuck. Side effects of a lost worker may still be on their
/// way.
pub(super) const DEFAULT_STUCK_AGE: Duration = Duration::from_secs(15 * 60);

/// A duration as people write it: `5m`, `1h 30m`, `7days`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DurationSetting(pub Duration);

impl fmt::Display for DurationSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::words::duration(self.0))
    }
}

impl Serialize for DurationSetting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DurationSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl de::Visitor<'_> for Written {
            type Value = DurationSetting;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration such as \"5m\", \"1h 30m\" or \"7days\"")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<DurationSetting, E> {
                humantime::parse_duration(text)
                    .map(DurationSetting)
                    .map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(Written)
    }
}

/// After how long without a heartbeat a key in progress is stuck; `off` is never. Below a second it would be every key that
/// is at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StuckAge(pub Option<Duration>);

impl fmt::Display for StuckAge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(age) => DurationSetting(age).fmt(f),
            None => f.write_str("off"),
        }
    }
}

impl Serialize for StuckAge {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for StuckAge {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "off" {
            return Ok(Self(None));
        }
        humantime::parse_duration(&text).ok().filter(|age| *age >= MIN_STUCK_AGE).map(|age| Self(Some(age))).ok_or_else(
            || {
                de::Error::custom(format!(
                    "{text:?} is no age of stuck keys: write a duration of at least one second such as \"15m\", or \
                     \"off\""
                ))
            },
        )
    }
}

/// The configuration file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// `[database]`
    pub database: DatabaseConfig,
    /// `[display]`
    pub display: DisplayConfig,
    /// `[run]`
    pub run: RunConfig,
    /// `[reap]`
    pub reap: ReapConfig,
    /// `[purge]`
    pub purge: PurgeConfig,
    /// `[janitor]`
    pub janitor: JanitorConfig,
    /// `[audit]`
    pub audit: AuditConfig,
    /// `[migrate]`
    pub migrate: MigrateConfig,
    /// `[[table]]`: tables that a team already has.
    pub table: Vec<TableConfig>,
}

/// `[database]`: where it is and how long to wait for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DatabaseConfig {
    /// The URL.
    pub url: Option<String>,
    /// A file whose first line is the URL.
    pub url_file: Option<PathBuf>,
    /// Use the SQLite file in the user's data folder.
    pub local: bool,
    /// For a connection.
    pub connect_timeout: DurationSetting,
    /// For a lock.
    pub lock_timeout: DurationSetting,
    /// For one statement.
    pub statement_timeout: DurationSetting,
}

impl Default for DatabaseConfig {
    fn default() -> Self {
        let timeouts = Timeouts::default();
        Self {
            url: None,
            url_file: None,
            local: false,
            connect_timeout: DurationSetting(timeouts.connect),
            lock_timeout: DurationSetting(timeouts.lock),
            statement_timeout: DurationSetting(timeouts.statement),
        }
    }
}

/// `[display]`: how reports look.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DisplayConfig {
    /// `table`, `json` or `jsonl`.
    pub output: String,
    /// The time zone of the times in tables; `local` or a name.
    pub time_zone: String,
    /// Headers whose values are shown nowhere but in `replay`; upper and lower case are the same.
    pub masked_headers: Vec<String>,
    /// Whether `inspect --body` may show stored bodies.
    pub bodies: bool,
}

impl Default for DisplayConfig {
    fn default() -> Self {
        let masked = ["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"];
        Self {
            output: "table".to_owned(),
            time_zone: "local".to_owned(),
            masked_headers: masked.map(str::to_owned).to_vec(),
            bodies: true,
        }
    }
}

/// `[run]`: claims made by `idemctl run`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunConfig {
    /// How long a key is remembered.
    pub ttl: DurationSetting,
    /// How long a claim holds without a renewal.
    pub lease: DurationSetting,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self { ttl: DurationSetting(Claim::DEFAULT_TTL), lease: DurationSetting(Claim::DEFAULT_LEASE) }
    }
}

/// A retry policy in the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RetryChoice {
    /// The next claim may execute again.
    Allow,
    /// Nobody executes again until the key is released or expires.
    Block,
}

impl From<RetryChoice> for Retry {
    fn from(policy: RetryChoice) -> Self {
        match policy {
            RetryChoice::Allow => Self::Allow,
            RetryChoice::Block => Self::Block,
        }
    }
}

/// `[reap]`: when a key in progress is stuck, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReapConfig {
    /// No heartbeat for at least this long. Side effects of a lost worker may still be on their
    /// way. `off` is never.
    pub older_than: StuckAge,
    /// Whether the keys may be tried again.
    pub retry: RetryChoice,
    /// Scopes with a policy of their own.
    pub policy: Vec<PolicyConfig>,
    /// When the janitor reaps.
    pub schedule: String,
}

/// `[[reap.policy]]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyConfig {
    /// Which scopes.
    pub scope: String,
    /// Whether their keys may be tried again.
    pub retry: RetryChoice,
}

impl Default for ReapConfig {
    fn default() -> Self {
        Self {
            older_than: StuckAge(Some(DEFAULT_STUCK_AGE)),
            retry: RetryChoice::Allow,
            policy: Vec::new(),
            schedule: "* * * * *".to_owned(),
        }
    }
}

impl ReapConfig {
    /// Whether reaped keys may be tried again, by scope.
    pub(super) fn retry_policy(&self) -> Result<RetryPolicy, Failure> {
        let mut by_scope = Vec::new();
        for PolicyConfig { scope, retry } in &self.policy {
            let pattern = ScopePattern::new(scope).map_err(|error| {
                usage(format!("reap.policy has the scope {scope:?}, which is no pattern")).because(error)
            })?;
            by_scope.push((pattern, (*retry).into()));
        }
        Ok(RetryPolicy { default: self.retry.into(), by_scope })
    }
}

/// `[purge]`: which expired keys go, and how fast.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PurgeConfig {
    /// How long past its expiry a row stays.
    pub grace: DurationSetting,
    /// The smallest batch, in rows.
    pub min_batch: u32,
    /// The largest batch, in rows.
    pub max_batch: u32,
    /// How long a batch should take; unset is what suits the database.
    pub batch_target: Option<DurationSetting>,
    /// The share of the time that is work; unset is what suits the database.
    pub duty: Option<f64>,
    /// Never faster than this.
    pub max_rows_per_second: Option<u32>,
    /// For at most this long.
    pub max_duration: Option<DurationSetting>,
    /// Delete even where foreign keys that cascade point at the table.
    pub allow_cascade: bool,
    /// When the janitor purges.
    pub schedule: String,
    /// The janitor's purge waits while a standby is further behind than this.
    pub max_lag: Option<DurationSetting>,
}

impl Default for PurgeConfig {
    fn default() -> Self {
        let options = PurgeOptions::default();
        let pace = PaceOptions::default();
        Self {
            grace: DurationSetting(options.grace),
            min_batch: pace.min_batch,
            max_batch: pace.max_batch,
            batch_target: pace.target.map(DurationSetting),
            duty: pace.duty,
            max_rows_per_second: pace.max_rows_per_second,
            max_duration: None,
            allow_cascade: false,
            schedule: "*/5 * * * *".to_owned(),
            max_lag: None,
        }
    }
}

/// `[janitor]`: the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JanitorConfig {
    /// Where it answers `/metrics` and its kin; nowhere unless set.
    pub listen: Option<String>,
    /// The time zone of the schedules.
    pub time_zone: String,
    /// How long a leader may be without a heartbeat before another one takes over.
    pub lease: DurationSetting,
    /// How long the batch at hand may take when the daemon is told to end.
    pub shutdown_timeout: DurationSetting,
    /// The first wait before the database is tried again.
    pub reconnect_min: DurationSetting,
    /// The longest.
    pub reconnect_max: DurationSetting,
}

impl Default for JanitorConfig {
    fn default() -> Self {
        Self {
            listen: None,
            time_zone: "UTC".to_owned(),
            lease: DurationSetting(Duration::from_secs(30)),
            shutdown_timeout: DurationSetting(Duration::from_secs(20)),
            reconnect_min: DurationSetting(Duration::from_secs(1)),
            reconnect_max: DurationSetting(Duration::from_secs(60)),
        }
    }
}

/// `[audit]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuditConfig {
    /// How long the janitor keeps an entry.
    pub retention: DurationSetting,
}

impl Default for AuditConfig {
    fn default() -> Self {
        Self { retention: DurationSetting(Duration::from_secs(90 * 24 * 60 * 60)) }
    }
}

/// `[migrate]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MigrateConfig {
    /// How long to wait for another process that migrates.
    pub wait: DurationSetting,
}

impl Default for MigrateConfig {
    fn default() -> Self {
        Self { wait: DurationSetting(Duration::from_secs(60)) }
    }
}

impl Config {
    /// What no type can say.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let database = &self.database;
        if database.local && (database.url.is_some() || database.url_file.is_some()) {
            return Err(usage("database.local is true, and another database is named beside it")
                .hint("leave one of them out"));
        }
        let purge = &self.purge;
        if let Some(duty) = purge.duty.filter(|duty| !is_share(*duty)) {
            return Err(usage(format!("purge.duty is {duty}; it must be above 0 and at most 1")));
        }
        if let Some(target) = purge.batch_target.filter(|target| !is_batch_target(*target)) {
            return Err(usage(format!("purge.batch_target is {target}; it must be from 100us to 1m")));
        }
        if purge.min_batch == 0 || purge.min_batch > purge.max_batch {
            return Err(usage(format!(
                "purge.min_batch is {} and purge.max_batch {}; 1 ≤ min_batch ≤ max_batch must hold",
                purge.min_batch, purge.max_batch
            )));
        }
        if purge.max_rows_per_second == Some(0) {
            return Err(usage("purge.max_rows_per_second is 0; leave it unset for no limit"));
        }
        for (key, span) in [
            ("database.connect_timeout", self.database.connect_timeout),
            ("database.lock_timeout", self.database.lock_timeout),
            ("database.statement_timeout", self.database.statement_timeout),
            ("janitor.shutdown_timeout", self.janitor.shutdown_timeout),
            ("janitor.reconnect_min", self.janitor.reconnect_min),
            ("janitor.reconnect_max", self.janitor.reconnect_max),
        ] {
            if span.0 < Duration::from_millis(1) || span.0 > Duration::from_secs(24 * 60 * 60) {
                return Err(usage(format!("{key} is {span}; it must be from 1ms to 1day")));
            }
        }
        for (key, span) in [("run.ttl", self.run.ttl), ("run.lease", self.run.lease)] {
            protocol::Span::new(span.0).map_err(|error| usage(format!("{key} is {span}")).because(error))?;
        }
        // Of nothing at all a whole audit is too old, and a pass that may take no time never cleans.
        if self.audit.retention.0 < Duration::from_secs(1) {
            return Err(usage(format!(
                "audit.retention is {}; it must be at least 1s",
                self.audit.retention
            )));
        }
        if self.purge.max_duration.is_some_and(|span| span.0.is_zero()) {
            return Err(usage("purge.max_duration is 0s; leave it unset for no limit"));
        }
        if self.janitor.lease.0 < Duration::from_secs(1) || self.janitor.lease.0 > Duration::from_secs(3_600)
        {
            return Err(usage(format!("janitor.lease is {}; it must be from 1s to 1h", self.janitor.lease)));
        }
        if self.janitor.reconnect_min.0 > self.janitor.reconnect_max.0 {
            return Err(usage(format!(
                "janitor.reconnect_min is {} and janitor.reconnect_max {}; the first must not be longer",
                self.janitor.reconnect_min, self.janitor.reconnect_max
            )));
        }
        Ok(())
    }
}

/// Whether it is a share of the time that can be worked.
pub(super) fn is_share(duty: f64) -> bool {
    duty > 0.0 && duty <= 1.0
}

/// Whether a batch can aim at it.
pub(super) fn is_batch_target(span: DurationSetting) -> bool {
    (Duration::from_micros(100)..=Duration::from_secs(60)).contains(&span.0)
}
