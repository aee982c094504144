//! What a janitor says of itself: the same for `/status`, the metrics, systemd and the log.

use serde::Serialize;

use crate::protocol::Timestamp;
use crate::store::{Pass, Sample};

/// A janitor at one moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JanitorStatus {
    /// Who it is, in the leases.
    pub holder: String,
    /// When it started, by this host's clock, as all times here but `last_success_at`.
    pub started_at: Timestamp,
    /// Whether it was told to end.
    pub stopping: bool,
    /// Its database.
    pub database: DatabaseStatus,
    /// Its tables.
    pub tables: Vec<TableStatus>,
}

/// The database, as the janitor sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DatabaseStatus {
    /// Where it is, without secrets.
    pub target: String,
    /// Whether it is connected, takes writes, and has what the configuration names.
    pub up: bool,
    /// Since when it has been so.
    pub since: Timestamp,
    /// Why it is not up.
    pub error: Option<String>,
}

/// One table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableStatus {
    /// Its name.
    pub table: String,
    /// Row level security hides rows from the role: no number here counts those. None where nobody has looked yet.
    pub row_security: Option<bool>,
    /// Its passes.
    pub passes: Vec<PassStatus>,
    /// What was counted last; only where somebody listens.
    pub sample: Option<Sample>,
}

/// One pass of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PassStatus {
    /// Which one.
    pub pass: Pass,
    /// Its schedule.
    pub schedule: String,
    /// The time between two starts.
    pub interval_seconds: f64,
    /// Whether this janitor leads it.
    pub leads: bool,
    /// Who leads it, as far as we know.
    pub leader: Option<String>,
    /// When it starts next, if it is up to this janitor.
    pub next_start_at: Option<Timestamp>,
    /// Since when it has been running.
    pub running_since: Option<Timestamp>,
    /// What holds it back.
    pub held: Option<Held>,
    /// What the table's mapping lacks for it; such a pass never runs.
    pub unable: Option<String>,
    /// The last pass of this janitor.
    pub last: Option<LastPass>,
    /// When a pass of any janitor last completed, by the database's clock.
    pub last_success_at: Option<Timestamp>,
}

/// What holds a pass back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Held {
    /// The kind.
    pub reason: HeldReason,
    /// In words.
    pub detail: String,
    /// Since when.
    pub since: Timestamp,
    /// Until when, where that is known.
    pub until: Option<Timestamp>,
}

/// Why a pass is held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldReason {
    /// `idemctl pause`.
    Operator,
    /// A standby is too far behind.
    Lag,
    /// How far the standbys are behind can't be read any more.
    LagUnreadable,
}

impl HeldReason {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Operator, Self::Lag, Self::LagUnreadable];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Lag => "lag",
            Self::LagUnreadable => "lag_unreadable",
        }
    }
}

/// How a pass ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LastPass {
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Timestamp,
    /// Rows that it deleted, or failed.
    pub rows: u64,
    /// In so many transactions; a reap pass does not count them.
    pub batches: u64,
    /// Rows that it left for others' locks.
    pub skipped: u64,
    /// Rows that it left because their state or clock is not written as the mapping says; none where they were not
    /// counted.
    pub unrecognized: Option<u64>,
    /// Rows in progress that hold NULL in every clock that could make them stuck; none for a purge, and where they
    /// were not counted.
    pub without_clock: Option<u64>,
    /// Rows that the database refused to delete or to fail.
    pub refused: u64,
    /// `done`, or what ended it before.
    pub end: &'static str,
    /// Expired rows that were left; none for a reap, and where they were not counted.
    pub backlog: Option<u64>,
    /// Row level security hides rows from the role: those were neither found nor changed nor counted.
    pub row_security: bool,
    /// What was to be counted and could not be, and why.
    pub not_counted: Vec<String>,
    /// Why it failed.
    pub error: Option<String>,
}
