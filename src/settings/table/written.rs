//! A `[[table]]` as a configuration file has it.

mod forms;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::settings::config::{DurationSetting, RetryChoice, StuckAge};
pub use forms::{As, MarkColumn, Marks, NameList, Scalar};

/// One `[[table]]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableConfig {
    /// The table, quoted exactly as written; a schema before a dot.
    pub name: String,
    /// The columns that make up the key.
    pub key: NameList,
    /// The columns that make up the scope.
    #[serde(default)]
    pub scope: NameList,
    /// Columns that name a single row.
    #[serde(default)]
    pub locator: NameList,
    /// Columns that hold a fixed value in every row that is ours.
    #[serde(default)]
    pub guard: BTreeMap<String, Scalar>,
    /// How the states are written.
    #[serde(default)]
    pub state: StateConfig,
    /// Which columns are clocks.
    #[serde(default)]
    pub clock: ClockConfig,
    /// Whether the application claims rows again in place.
    #[serde(default)]
    pub reopens: Option<bool>,
    /// What a row becomes whose claim is taken away.
    #[serde(default)]
    pub fail: Option<RuleConfig>,
    /// What a row becomes whose retry is allowed.
    #[serde(default)]
    pub release: Option<RuleConfig>,
    /// How the application's own claim behaves.
    #[serde(default)]
    pub claim: ClaimConfig,
    /// Columns that are shown.
    #[serde(default)]
    pub show: ShowConfig,
    /// What differs from `[purge]`.
    #[serde(default)]
    pub purge: TablePurgeConfig,
    /// What differs from `[reap]`.
    #[serde(default)]
    pub reap: TableReapConfig,
}

/// `[table.state]`: at most one of `column`, `null_means_in_progress` and `always`, and `set_means_in_progress`
/// beside it or alone.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StateConfig {
    /// The column whose values are states.
    pub column: Option<String>,
    /// Its values that mean in progress.
    pub in_progress: Vec<Scalar>,
    /// Its values that mean completed.
    pub completed: Vec<Scalar>,
    /// Its values that mean failed.
    pub failed: Vec<Scalar>,
    /// Its values of rows that stay on purpose.
    pub keep: Vec<Scalar>,
    /// What NULL in it means.
    pub null: Option<NullName>,
    /// NULL in all of these columns means in progress.
    pub null_means_in_progress: NameList,
    /// While one of these columns is set, a row is in progress whatever else it says.
    pub set_means_in_progress: Marks,
    /// Every row is in this state.
    pub always: Option<StateName>,
}

/// What NULL in a state's column means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NullName {
    /// In progress.
    InProgress,
    /// Completed.
    Completed,
    /// Failed.
    Failed,
    /// The row stays on purpose.
    Keep,
}

/// A state by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateName {
    /// In progress.
    InProgress,
    /// Completed.
    Completed,
    /// Failed.
    Failed,
}

/// `[table.clock]`
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClockConfig {
    /// When the row was made.
    pub created: Option<ClockColumn>,
    /// When the key was acquired last.
    pub claimed: Option<ClockColumn>,
    /// The last heartbeat.
    pub alive: Option<ClockColumn>,
    /// The lease's end.
    pub lease: Option<ClockColumn>,
    /// When the key was settled.
    pub finished: Option<ClockColumn>,
    /// The expiry.
    pub expires: Option<ClockColumn>,
    /// How long after its creation a row expires.
    pub ttl: Option<DurationSetting>,
    /// What NULL in the expiry means.
    pub null_expires: Option<NullExpires>,
    /// The same as beside the name: it is easily written below a heading.
    pub reopens: Option<bool>,
}

/// What NULL in the expiry means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NullExpires {
    /// The row never expires.
    Never,
    /// It expires `ttl` after its creation.
    Ttl,
}

/// A column that holds points in time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockColumn {
    /// The column.
    pub column: String,
    /// How it is written.
    #[serde(rename = "as")]
    pub encoding: As,
}

/// `[table.fail]`, `[table.release]`
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleConfig {
    /// Columns and the values that they get.
    pub set: BTreeMap<String, Scalar>,
    /// Columns that become NULL.
    pub set_null: NameList,
    /// Columns that get the moment of the change.
    pub set_now: NameList,
    /// The row is deleted.
    pub delete: bool,
}

/// `[table.claim]`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClaimConfig {
    /// How the application treats an expired row.
    pub expired: Option<ExpiredConfig>,
    /// How it treats a failed one.
    pub failed: Option<FailedConfig>,
}

/// How the application treats an expired row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExpiredConfig {
    /// As if it were not expired.
    Blocks,
    /// As if it were not there.
    Absent,
}

/// How the application treats a failed row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailedConfig {
    /// A retry executes.
    Retry,
    /// A retry gets the failure.
    Final,
}

/// `[table.show]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ShowConfig {
    /// The request's fingerprint.
    pub request_hash: Option<String>,
    /// The answer's status.
    pub response_status: Option<String>,
    /// The answer's headers.
    pub response_headers: Option<String>,
    /// The answer's body.
    pub response_body: Option<String>,
    /// The whole answer as one JSON document.
    pub response: Option<SnapshotConfig>,
    /// A reference to what was created.
    pub response_ref: Option<String>,
    /// Which try it is.
    pub attempt: Option<String>,
    /// The worker.
    pub owner: Option<String>,
    /// Why it failed.
    pub failure: Option<String>,
}

/// An answer stored as one JSON document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnapshotConfig {
    /// The column.
    pub column: String,
    /// The member that holds the status.
    #[serde(default)]
    pub status: Option<String>,
    /// The member that holds the body.
    #[serde(default)]
    pub body: Option<String>,
}

/// `[table.purge]`: what is not set is as in `[purge]`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TablePurgeConfig {
    /// When the daemon purges.
    pub schedule: Option<String>,
    /// How long past its expiry a row stays.
    pub grace: Option<DurationSetting>,
    /// The smallest batch.
    pub min_batch: Option<u32>,
    /// The largest batch.
    pub max_batch: Option<u32>,
    /// How long a batch should take.
    pub batch_target: Option<DurationSetting>,
    /// The share of the time that is work.
    pub duty: Option<f64>,
    /// Never faster than this.
    pub max_rows_per_second: Option<u32>,
    /// For at most this long.
    pub max_duration: Option<DurationSetting>,
    /// Not while a standby lags further behind.
    pub max_lag: Option<DurationSetting>,
    /// Even where foreign keys cascade.
    pub allow_cascade: Option<bool>,
}

/// `[table.reap]`: what is not set is as in `[reap]`, but for `older_than`, which is then off.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TableReapConfig {
    /// When the daemon reaps.
    pub schedule: Option<String>,
    /// No heartbeat for at least this long; `off` is never.
    pub older_than: Option<StuckAge>,
    /// Whether the keys may be tried again.
    pub retry: Option<RetryChoice>,
}
