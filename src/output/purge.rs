//! `purge`

use std::time::Duration;

use serde::Serialize;

use super::printer::{Report, View};
use super::text::{count, span, visible};
use crate::janitor::PurgeReport;
use crate::protocol::Timestamp;

/// What a purge pass did, as JSON has it.
#[derive(Debug, Serialize)]
pub struct PurgeJson {
    /// Rows that would be deleted; dry run only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched: Option<u64>,
    /// Rows that are gone.
    pub deleted: u64,
    /// Transactions.
    pub batches: u64,
    /// Batches whose answer was lost: the rows that they deleted are not counted.
    pub unknown_batches: u64,
    /// Due rows that others held a lock on.
    pub skipped: u64,
    /// Due rows that are left.
    pub backlog: u64,
    /// False when the backlog is larger than it was counted; with a backlog of 0, when it could not
    /// be counted at all.
    pub backlog_exact: bool,
    /// Rows that were not touched because their state or clock is not written as the mapping says.
    pub strangers: u64,
    /// How long it took.
    pub duration_ms: u64,
    /// Rows deleted in a second of the pass, rests included.
    pub rows_per_second: u64,
    /// Rows at or before this expiry were due.
    pub cutoff: Timestamp,
    /// No index has the expiry's order: the whole table was read.
    pub full_scan: bool,
    /// Row level security applies to the role: rows that it hides were neither deleted nor counted.
    pub row_security: bool,
    /// Triggers and rules that can keep a row that was to be deleted.
    pub keepers: Vec<String>,
    /// Foreign keys that point at the table; the rows they reference were left.
    pub references: Vec<String>,
    /// Nothing was changed.
    pub dry_run: bool,
    /// `done`, `max_rows`, `max_duration`, `stopped`, `paused`, `locked` or `failed`.
    pub end: &'static str,
}

impl PurgeJson {
    /// Of a dry run.
    pub fn dry_run(matched: u64, cutoff: Timestamp) -> Self {
        Self {
            matched: Some(matched),
            deleted: 0,
            batches: 0,
            unknown_batches: 0,
            skipped: 0,
            backlog: matched,
            backlog_exact: true,
            strangers: 0,
            duration_ms: 0,
            rows_per_second: 0,
            cutoff,
            full_scan: false,
            row_security: false,
            keepers: Vec::new(),
            references: Vec::new(),
            dry_run: true,
            end: "done",
        }
    }
}

impl From<&PurgeReport> for PurgeJson {
    fn from(report: &PurgeReport) -> Self {
        Self {
            matched: None,
            deleted: report.deleted,
            batches: report.batches,
            unknown_batches: report.unknown_batches,
            skipped: report.skipped,
            backlog: report.backlog,
            backlog_exact: report.backlog_exact,
            strangers: report.strangers,
            duration_ms: u64::try_from(report.duration.as_millis()).unwrap_or(u64::MAX),
            rows_per_second: report.rows_per_second().round() as u64,
            cutoff: report.cutoff,
            full_scan: report.full_scan,
            row_security: report.row_security,
            keepers: report.keepers.clone(),
            references: report.references.clone(),
            dry_run: false,
            end: report.end.as_str(),
        }
    }
}

impl Report for PurgeJson {
    fn table(&self, _view: &View) -> String {
        if let Some(matched) = self.matched {
            return format!("{} expired rows would be deleted, nothing changed (dry run)\n", count(matched));
        }
        let mut out = if self.deleted == 0 && self.unknown_batches > 0 {
            String::new()
        } else if self.deleted == 0 {
            "no expired rows deleted\n".to_owned()
        } else {
            format!(
                "{} expired rows deleted in {} ({} batches, {} rows/s)\n",
                count(self.deleted),
                span(Duration::from_millis(self.duration_ms)),
                count(self.batches),
                count(self.rows_per_second),
            )
        };
        if self.unknown_batches > 0 {
            out.push_str(&format!(
                "unknown how many rows were deleted in {} more: the answers of the database were lost\n",
                if self.unknown_batches == 1 {
                    "1 batch".to_owned()
                } else {
                    format!("{} batches", count(self.unknown_batches))
                }
            ));
        }
        if self.skipped > 0 {
            let kept = if self.keepers.is_empty() { "" } else { ", or a trigger kept them" };
            out.push_str(&format!("{} left because others held a lock on them{kept}\n", count(self.skipped)));
        }
        let kept = format!("kept by {}", visible(&self.keepers.join(", ")));
        let why = match self.end {
            "max_rows" => "the row limit was reached",
            "max_duration" => "the time limit was reached",
            "stopped" => "it was interrupted",
            "paused" => "the janitor is paused",
            "locked" => "somebody holds a lock on the table",
            "failed" => "it failed",
            _ if !self.keepers.is_empty() => kept.as_str(),
            _ if !self.references.is_empty() => "rows of other tables point at them",
            _ => "locked rows were left",
        };
        if self.end == "failed" {
            out.push_str("the pass ended because it failed; the backlog was not counted\n");
        } else if self.backlog == 0 && !self.backlog_exact {
            out.push_str(match self.end {
                "done" => "the backlog could not be counted\n",
                "locked" => "somebody holds a lock on the table; the backlog could not be counted\n",
                _ => "the pass ended before its end; the backlog could not be counted\n",
            });
        } else if self.backlog > 0 {
            let at_least = if self.backlog_exact { "" } else { "at least " };
            out.push_str(&format!("{at_least}{} expired rows are left: {why}", count(self.backlog)));
            // What a whole pass left does not go at any pace.
            let goes_on = !matches!(self.end, "done" | "locked");
            if let Some(rest) = self.backlog.checked_div(self.rows_per_second).filter(|_| goes_on) {
                let rest = Duration::from_secs(rest);
                out.push_str(&format!(
                    "; at this pace they take {at_least}{}",
                    span(rest.max(Duration::from_secs(1)))
                ));
            }
            out.push('\n');
        }
        out
    }
}
