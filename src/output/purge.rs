//! `purge`

use std::time::Duration;

use serde::Serialize;

use super::printer::{Report, View};
use super::text::{span, visible};
use crate::janitor::{PurgeReport, RefusedRow};
use crate::protocol::Timestamp;
use crate::words::{are, count, number_of};

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
    /// Due rows that the database refused to delete.
    pub refused: u64,
    /// The first 20 of them.
    pub refused_keys: Vec<RefusedKeyJson>,
    /// Due rows that rows of other tables point at; null where they were not counted.
    pub referenced: Option<u64>,
    /// Due rows that are left; null where they were not counted.
    pub backlog: Option<u64>,
    /// False when the backlog is larger than it was counted, or was not counted at all.
    pub backlog_exact: bool,
    /// Rows that were not touched because their state or clock is not written as the mapping says. As the next
    /// two, counted up to 10,000; null where they were not counted.
    pub unrecognized: Option<u64>,
    /// Rows past their expiry that are in progress, and are reaped first.
    pub in_progress: Option<u64>,
    /// Rows past their expiry whose lease still runs.
    pub held_by_lease: Option<u64>,
    /// What was to be counted and could not be, and why.
    pub not_counted: Vec<String>,
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
    pub blocking_triggers: Vec<String>,
    /// Foreign keys that point at the table; the rows they reference were left.
    pub references: Vec<String>,
    /// Nothing was changed.
    pub dry_run: bool,
    /// `done`, `max_rows`, `max_duration`, `stopped`, `paused`, `locked` or `failed`.
    pub end: &'static str,
}

/// A row that the database refused.
#[derive(Debug, Serialize)]
pub struct RefusedKeyJson {
    /// The key.
    pub key: String,
    /// The scope.
    pub scope: String,
    /// What the database said.
    pub reason: String,
}

impl From<&RefusedRow> for RefusedKeyJson {
    fn from(row: &RefusedRow) -> Self {
        Self { key: row.key.clone(), scope: row.scope.clone(), reason: row.reason.clone() }
    }
}

impl PurgeJson {
    /// Of a dry run; `hidden` where row level security applies to the role.
    pub fn dry_run(matched: u64, cutoff: Timestamp, hidden: bool) -> Self {
        Self {
            matched: Some(matched),
            deleted: 0,
            batches: 0,
            unknown_batches: 0,
            skipped: 0,
            refused: 0,
            refused_keys: Vec::new(),
            referenced: None,
            backlog: Some(matched).filter(|rows| *rows > 0 || !hidden),
            backlog_exact: !hidden,
            unrecognized: None,
            in_progress: None,
            held_by_lease: None,
            not_counted: Vec::new(),
            duration_ms: 0,
            rows_per_second: 0,
            cutoff,
            full_scan: false,
            row_security: hidden,
            blocking_triggers: Vec::new(),
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
            refused: report.refused.rows,
            refused_keys: report.refused.named.iter().map(RefusedKeyJson::from).collect(),
            referenced: report.referenced,
            backlog: report.backlog,
            backlog_exact: report.backlog_exact,
            unrecognized: report.unrecognized,
            in_progress: report.in_progress,
            held_by_lease: report.held_by_lease,
            not_counted: report.not_counted.clone(),
            duration_ms: u64::try_from(report.duration.as_millis()).unwrap_or(u64::MAX),
            rows_per_second: report.rows_per_second().round() as u64,
            cutoff: report.cutoff,
            full_scan: report.full_scan,
            row_security: report.row_security,
            blocking_triggers: report.blocking_triggers.clone(),
            references: report.references.clone(),
            dry_run: false,
            end: report.end.as_str(),
        }
    }
}

impl Report for PurgeJson {
    fn table(&self, _view: &View) -> String {
        if let Some(matched) = self.matched {
            return format!(
                "{} would be deleted, nothing changed (dry run)\n",
                number_of(matched, "expired row")
            );
        }
        let mut out = if self.deleted == 0 && self.unknown_batches > 0 {
            String::new()
        } else if self.deleted == 0 {
            "no expired rows deleted\n".to_owned()
        } else {
            format!(
                "{} deleted in {} ({}, {} rows/s)\n",
                number_of(self.deleted, "expired row"),
                span(Duration::from_millis(self.duration_ms)),
                number_of(self.batches, "batch"),
                count(self.rows_per_second),
            )
        };
        if self.unknown_batches > 0 {
            out.push_str(&format!(
                "unknown how many rows were deleted in {} more: the answers of the database were lost\n",
                number_of(self.unknown_batches, "batch"),
            ));
        }
        if self.skipped > 0 {
            let kept = if self.blocking_triggers.is_empty() { "" } else { ", or a trigger kept them" };
            out.push_str(&format!("{} left because others held a lock on them{kept}\n", count(self.skipped)));
        }
        if self.refused > 0 {
            out.push_str(&format!(
                "{} left because the database refused to delete them:\n",
                count(self.refused)
            ));
            for row in &self.refused_keys {
                let scope = match row.scope.as_str() {
                    "" => String::new(),
                    scope => format!(" (scope {})", visible(scope)),
                };
                out.push_str(&format!("  {}{scope}: {}\n", visible(&row.key), visible(&row.reason)));
            }
            let unnamed = self.refused - self.refused_keys.len() as u64;
            if unnamed > 0 {
                out.push_str(&format!("  and {} more\n", count(unnamed)));
            }
        }
        let referenced = self.referenced.unwrap_or(0);
        if referenced > 0 {
            out.push_str(&format!("{} left because rows of other tables point at them\n", count(referenced)));
        }
        if self.end == "failed" {
            out.push_str("the pass ended because it failed; the backlog was not counted\n");
            return out;
        }
        if self.backlog.is_none() {
            out.push_str(match self.end {
                "done" => "the backlog could not be counted\n",
                "locked" => "somebody holds a lock on the table; the backlog could not be counted\n",
                _ => "the pass ended before its end; the backlog could not be counted\n",
            });
            return out;
        }
        if let Some(backlog) = self.backlog.filter(|rows| *rows > 0) {
            out.push_str(&self.rest(backlog));
        }
        out
    }
}

impl PurgeJson {
    /// What is said of the rows that are left.
    fn rest(&self, backlog: u64) -> String {
        let at_least = if self.backlog_exact { "" } else { "at least " };
        let kept = format!("kept by {}", visible(&self.blocking_triggers.join(", ")));
        let referenced = self.referenced.unwrap_or(0);
        let why = match self.end {
            "max_rows" => "the row limit was reached",
            "max_duration" => "the time limit was reached",
            "stopped" => "it was interrupted",
            "paused" => "the janitor is paused",
            "locked" => "somebody holds a lock on the table",
            _ if backlog == self.refused + referenced => "this pass could not delete them",
            _ if !self.blocking_triggers.is_empty() => kept.as_str(),
            _ if self.referenced.is_none() => "rows of other tables point at them",
            _ => "locked rows were left",
        };
        let mut out = format!("{at_least}{} {} left: {why}", number_of(backlog, "expired row"), are(backlog));
        // What a pass to its end leaves does not go at any pace.
        let goes = match self.end {
            "done" | "locked" => 0,
            _ => backlog.saturating_sub(self.refused + referenced),
        };
        if goes > 0
            && let Some(rest) = goes.checked_div(self.rows_per_second)
        {
            let rest = Duration::from_secs(rest).max(Duration::from_secs(1));
            let which = match goes == backlog {
                true => "they take".to_owned(),
                false => format!("{} of them take", count(goes)),
            };
            out.push_str(&format!("; at this pace {which} {at_least}{}", span(rest)));
        }
        out.push('\n');
        out
    }
}
