//! What the statistics of a table hold.

use super::counted::Counted;
use std::time::Duration;

use crate::protocol::Timestamp;
use crate::store::{LeaseRow, PauseRow};

/// What is asked of [`Store::stats`](crate::store::Store::stats).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatsOptions {
    /// A row in progress is stuck after this long without a heartbeat.
    pub stuck_after: Duration,
    /// How long past its expiry a row stays.
    pub grace: Duration,
    /// Count everything, however long it takes.
    pub exact: bool,
}

/// A summary of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableStats {
    /// The database's clock.
    pub now: Timestamp,
    /// All rows.
    pub rows: Counted,
    /// Rows in progress.
    pub in_progress: Counted,
    /// Completed rows.
    pub completed: Counted,
    /// Failed rows.
    pub failed: Counted,
    /// Rows in a state that the mapping does not list.
    pub unknown: Counted,
    /// Rows in a state that the mapping keeps.
    pub kept: Counted,
    /// Stuck rows.
    pub stuck: Counted,
    /// The oldest claim in progress.
    pub oldest_claim: Option<Timestamp>,
    /// Rows that a purge would delete now.
    pub backlog: Counted,
    /// The oldest expiry that was not purged.
    pub oldest_expiry: Option<Timestamp>,
    /// Rows in progress that no reaper takes.
    pub unreaped: Unreaped,
    /// Bytes of the table; of the whole file on SQLite.
    pub table_bytes: u64,
    /// Bytes of its indexes; on SQLite, of the file's free pages.
    pub other_bytes: u64,
    /// The largest scopes.
    pub scopes: Vec<(String, Counted)>,
    /// Claims in each of the last hours, the oldest first; empty where only a full scan could tell.
    pub claims: Vec<(Timestamp, Counted)>,
    /// Settled rows that expire in each of the coming hours.
    pub expiries: Vec<(Timestamp, Counted)>,
    /// Who leads the janitor's passes, and what the last ones did; or why that is not seen, and no pause either.
    pub leases: Result<Vec<LeaseRow>, String>,
    /// The pause that is on.
    pub pause: Option<PauseRow>,
    /// Rows that no purge takes.
    pub stays: Stays,
    /// What keeps due rows from going: foreign keys that reference them, triggers and rules.
    pub kept_by: Vec<String>,
}

/// Rows that no purge takes, however old they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Stays {
    /// Expired, and in progress: they have to be reaped or failed first.
    pub in_progress: Counted,
    /// NULL in every clock that could make them due.
    pub without_clock: Counted,
    /// Due, were their state or their clock written as the mapping says.
    pub unreadable: Counted,
}

/// Rows in progress that no reaper takes, however long they have had no heartbeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Unreaped {
    /// NULL in every clock that could make them stuck.
    pub without_clock: Counted,
    /// They would be stuck, were their state or their clock written as the mapping says.
    pub unreadable: Counted,
}

/// The few numbers that whoever watches wants every minute, cheap whatever the table's size.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Sample {
    /// When, by the database's clock.
    pub at: Timestamp,
    /// Rows in progress.
    pub in_progress: Counted,
    /// Completed rows.
    pub completed: Counted,
    /// Failed rows.
    pub failed: Counted,
    /// Stuck rows.
    pub stuck: Counted,
    /// Rows that a purge would delete now.
    pub backlog: Counted,
    /// The last heartbeat of the row that is stuck for longest.
    pub oldest_stuck: Option<Timestamp>,
    /// How long it took to find out.
    #[serde(skip)]
    pub took: Duration,
}
