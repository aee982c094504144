//! What a purge pass did, and what is said of it.

use std::time::Duration;

use crate::janitor::Refused;
use crate::protocol::Timestamp;
use crate::store::{LEFT_COUNTED, PassRecord, StoreError};
use crate::words::{are, number_of};

/// Why a pass ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PurgeEnd {
    /// Nothing is left.
    Done,
    /// The row limit.
    MaxRows,
    /// The time limit.
    MaxDuration,
    /// It was told to stop.
    Stopped,
    /// An operator paused the janitor.
    Paused,
    /// Somebody holds a lock on everything.
    Locked,
    /// It failed; see [`PurgeOutcome::error`](crate::janitor::PurgeOutcome::error).
    Failed,
}

impl PurgeEnd {
    /// Its name in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::MaxRows => "max_rows",
            Self::MaxDuration => "max_duration",
            Self::Stopped => "stopped",
            Self::Paused => "paused",
            Self::Locked => "locked",
            Self::Failed => "failed",
        }
    }
}

/// What one purge pass did.
#[derive(Debug, Clone, PartialEq)]
pub struct PurgeReport {
    /// Rows at or before this expiry were due.
    pub cutoff: Timestamp,
    /// Rows that are gone. One that came back when a server was lost, and was deleted again, counts once.
    pub deleted: u64,
    /// Transactions.
    pub batches: u64,
    /// Batches whose answer was lost: nobody knows how many rows they deleted, and none of them is counted. What
    /// they left was deleted by the batch after.
    pub unknown_batches: u64,
    /// Due rows that others held a lock on.
    pub skipped: u64,
    /// Due rows that the database refused to delete.
    pub refused: Refused,
    /// Due rows that rows of other tables point at, where they were counted; refused ones not among them.
    pub referenced: Option<u64>,
    /// Due rows that are left, as far as they were counted. `None` where they were not, and where none was seen
    /// and row level security hides rows.
    pub backlog: Option<u64>,
    /// Whether the backlog was counted to its end, with nothing hidden.
    pub backlog_exact: bool,
    /// Rows within reach that were not touched because their state or their clock is not written as the
    /// mapping says. As the next two, counted up to [`LEFT_COUNTED`]; `None` where they were not counted.
    pub unrecognized: Option<u64>,
    /// Rows past their expiry that are in progress: they are reaped first.
    pub in_progress: Option<u64>,
    /// Rows past their expiry that a lease which still runs protects.
    pub held_by_lease: Option<u64>,
    /// What was to be counted and could not be, and why.
    pub not_counted: Vec<String>,
    /// How long it took.
    pub duration: Duration,
    /// No index has the expiry's order: the whole table was read.
    pub full_scan: bool,
    /// Row level security applies to the role: rows that it hides were neither deleted nor counted.
    pub row_security: bool,
    /// Triggers and rules that can keep a row that was to be deleted.
    pub blocking_triggers: Vec<String>,
    /// Foreign keys that point at the table: rows they reference were left.
    pub references: Vec<String>,
    /// Why it ended.
    pub end: PurgeEnd,
}

impl PurgeReport {
    /// Rows deleted in a second of this pass, its rests included.
    pub fn rows_per_second(&self) -> f64 {
        self.deleted as f64 / self.duration.as_secs_f64().max(1e-6)
    }

    /// Whether nothing is left that it should have deleted. That is only what is known: a locked table hides
    /// its backlog, row level security its rows.
    pub fn leaves_nothing(&self) -> bool {
        self.backlog == Some(0) && self.backlog_exact && self.unrecognized == Some(0)
    }

    /// The word of the pass for whoever watches, when it began at `started`.
    pub fn note(&self, started: Timestamp) -> PassRecord {
        let succeeded = (self.end == PurgeEnd::Done).then(|| started.plus(self.duration));
        PassRecord { started: Some(started), succeeded, rate: self.rate() }
    }

    /// What keeps rows from a pass, each by a name that stays and in words; nothing of it is an error.
    pub fn warnings(&self) -> Vec<(&'static str, String)> {
        let mut said = Vec::new();
        if self.unknown_batches > 0 {
            let text =
                "the answers to some batches were lost: the rows that they deleted are gone and not counted";
            said.push(("unknown_batches", text.to_owned()));
        }
        if self.row_security {
            let text = "row level security applies to this role: rows that it can't see were neither deleted \
                        nor counted";
            said.push(("row_security", text.to_owned()));
        }
        if self.full_scan {
            let text = "no index leads to the expired rows: the whole table was read, and will be by every \
                        purge; `idemctl doctor` has the statement that fixes it";
            said.push(("full_scan", text.to_owned()));
        }
        if self.backlog.is_some_and(|rows| rows > 0) && !self.blocking_triggers.is_empty() {
            let blocking_triggers = self.blocking_triggers.join(", ");
            said.push((
                "blocking_triggers",
                format!("rows stayed although they were to be deleted: {blocking_triggers}"),
            ));
        }
        if let Some(rows) = self.in_progress.filter(|rows| *rows > 0) {
            let text = format!(
                "{}{} {} in progress: no purge takes what is; `idemctl reap-stuck --older-than AGE` fails those whose \
                 worker is gone",
                at_least(rows),
                number_of(rows, "expired row"),
                are(rows)
            );
            said.push(("expired_in_progress", text));
        }
        if let Some(rows) = self.held_by_lease.filter(|rows| *rows > 0) {
            let text =
                format!("{}{} left: a lease runs on each", at_least(rows), number_of(rows, "expired row"));
            said.push(("held_by_lease", text));
        }
        if let Some(rows) = self.unrecognized.filter(|rows| *rows > 0) {
            said.push(("unrecognized", unrecognized_left(rows)));
        }
        // Of a table that somebody locks the end says it all.
        if self.end != PurgeEnd::Locked {
            said.extend(self.not_counted.iter().map(|what| ("not_counted", what.clone())));
        }
        said.extend(self.refused.warning("deleted"));
        said
    }

    /// The pace to note for later; a handful of rows says nothing about one.
    fn rate(&self) -> Option<i64> {
        (self.deleted >= 1_000).then(|| self.rows_per_second() as i64)
    }
}

/// What is said of rows that a pass leaves for what is in them.
pub fn unrecognized_left(rows: u64) -> String {
    format!(
        "{}{} left: the state or a clock is not written as the mapping says; `idemctl list --status unknown` shows \
         the former",
        at_least(rows),
        number_of(rows, "row")
    )
}

/// Before a number of rows that a pass leaves: they are counted so far and no further.
pub(in crate::janitor) fn at_least(rows: u64) -> &'static str {
    if rows >= LEFT_COUNTED as u64 { "at least " } else { "" }
}

/// The number, or why it is not known.
pub(in crate::janitor) fn counted<T>(
    what: &str,
    count: Result<T, StoreError>,
    not_counted: &mut Vec<String>,
) -> Option<T> {
    let failed =
        count.map_err(|error| not_counted.push(format!("{what} could not be counted: {}", error.chain())));
    failed.ok()
}
