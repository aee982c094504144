//! `reap-stuck`

use serde::Serialize;

use super::printer::{Report, View, render};
use super::purge::RefusedKeyJson;
use super::text::visible;
use crate::janitor::{ReapReport, ReapedKey};
use crate::protocol::Timestamp;
use crate::store::Visibility;
use crate::words::count;

/// What a reap pass did, as JSON has it.
#[derive(Debug, Serialize)]
pub struct ReapJson {
    /// Stuck rows that were found.
    pub matched: u64,
    /// Rows whose claim was taken away.
    pub reaped: u64,
    /// Rows that were left: their worker settled or renewed them in between, or they are locked.
    pub skipped: u64,
    /// Those of the skipped ones that others hold a lock on. They are still stuck.
    pub locked: u64,
    /// Stuck rows that were left because a clock that their expiry is counted from can't be read.
    pub unreadable: u64,
    /// Rows of which nobody knows whether they were reaped: the database's answer was lost.
    pub unknown: u64,
    /// Stuck rows that the database refused to change.
    pub refused: u64,
    /// The first 20 of them.
    pub refused_keys: Vec<RefusedKeyJson>,
    /// Silent rows that only a running lease protects.
    pub held_by_lease: u64,
    /// Silent rows of an adopted table that were left because their state or their clock is not written as
    /// its mapping says, counted up to 10,000; null where they were not counted.
    pub unrecognized: Option<u64>,
    /// Rows in progress that hold NULL in every clock that could make them stuck; null where they were not counted.
    pub without_clock: Option<u64>,
    /// What was to be counted and could not be, and why.
    pub not_counted: Vec<String>,
    /// Row level security hides rows from the role: those were neither found nor reaped.
    pub row_security: bool,
    /// Nothing was changed.
    pub dry_run: bool,
    /// Every stuck row.
    pub keys: Vec<ReapedKeyJson>,
    #[serde(skip)]
    now: Timestamp,
}

/// One stuck row.
#[derive(Debug, Serialize)]
pub struct ReapedKeyJson {
    /// The key.
    pub key: String,
    /// The scope.
    pub scope: String,
    /// Which try it was.
    pub attempt: Option<i64>,
    /// Its worker.
    pub owner: Option<String>,
    /// When it was claimed.
    pub claimed_at: Option<Timestamp>,
    /// Its last heartbeat.
    pub last_heartbeat: Option<Timestamp>,
    /// Its claim was taken away.
    pub reaped: bool,
    /// Whether it may be tried again now; null where it was not reaped.
    pub retry_allowed: Option<bool>,
    /// It was left because somebody holds a lock on it.
    pub locked: bool,
    /// It is left because a clock that its expiry is counted from can't be read: which one, and what is in it.
    pub unreadable: Option<String>,
    /// Nobody knows whether it was reaped: the database's answer was lost.
    pub unknown: bool,
    /// It was left because the database refused it: what it said.
    pub refused: Option<String>,
}

impl ReapJson {
    /// The report of a pass and the keys that it met.
    pub fn new(report: &ReapReport, keys: &[ReapedKey]) -> Self {
        let keys = keys.iter().map(|key| ReapedKeyJson {
            key: key.row.key_text(),
            scope: key.row.scope_text(),
            attempt: key.row.attempt,
            owner: key.row.owner.clone(),
            claimed_at: key.row.claimed_at,
            last_heartbeat: key.row.renewed_at,
            reaped: key.retry_allowed.is_some(),
            retry_allowed: key.retry_allowed,
            locked: key.locked,
            unreadable: key.unreadable.clone(),
            unknown: key.unknown,
            refused: key.refused.clone(),
        });
        Self {
            matched: report.matched,
            reaped: report.reaped,
            skipped: report.skipped,
            locked: report.locked,
            unreadable: report.unreadable,
            unknown: report.unknown,
            refused: report.refused.rows,
            refused_keys: report.refused.named.iter().map(RefusedKeyJson::from).collect(),
            held_by_lease: report.held_by_lease,
            unrecognized: report.unrecognized,
            without_clock: report.without_clock.map(|rows| rows.value),
            not_counted: report.not_counted.clone(),
            row_security: report.row_security,
            dry_run: report.dry_run,
            keys: keys.collect(),
            now: report.started_at,
        }
    }

    /// Says what part of the table was seen.
    #[must_use]
    pub fn seen_as(self, visibility: &Visibility) -> Self {
        Self { row_security: self.row_security || visibility.row_security, ..self }
    }
}

impl Report for ReapJson {
    fn table(&self, view: &View) -> String {
        let mut out = String::new();
        if !self.keys.is_empty() {
            let mut table = view.table(&["key", "scope", "attempt", "heartbeat", "owner", "now"]);
            for key in &self.keys {
                let left;
                let outcome = match (self.dry_run, key.retry_allowed) {
                    (_, None) if key.unreadable.is_some() => {
                        left = format!("left: {}", key.unreadable.as_deref().map_or(String::new(), visible));
                        left.as_str()
                    }
                    (_, None) if key.refused.is_some() => {
                        let said = key.refused.as_deref().map_or(String::new(), visible);
                        left = format!("still stuck: the database refused it: {said}");
                        left.as_str()
                    }
                    (true, _) => "would be reaped",
                    (false, Some(true)) => "failed, a retry is allowed",
                    (false, Some(false)) => "failed, blocked until released",
                    (false, None) if key.unknown => "unknown: the answer was lost, look with `inspect`",
                    (false, None) if key.locked => "still stuck: somebody holds a lock on it",
                    (false, None) => "left: its worker was faster",
                };
                table.add_row([
                    visible(&key.key),
                    visible(&key.scope),
                    key.attempt.map_or("-".to_owned(), |attempt| attempt.to_string()),
                    key.last_heartbeat.map_or("-".to_owned(), |at| view.age(at, self.now)),
                    key.owner.as_deref().map_or("-".to_owned(), visible),
                    outcome.to_owned(),
                ]);
            }
            out.push_str(&render(&table));
        }
        let mut parts = vec![if self.dry_run {
            format!("{} stuck, nothing changed (dry run)", count(self.matched))
        } else {
            format!("{} stuck, {} reaped", count(self.matched), count(self.reaped))
        }];
        if self.skipped > self.locked {
            parts.push(format!("{} settled by their workers meanwhile", count(self.skipped - self.locked)));
        }
        if self.unknown > 0 {
            parts.push(format!("{} of unknown outcome", count(self.unknown)));
        }
        if self.locked > 0 {
            parts.push(format!("{} left because others hold a lock on them", count(self.locked)));
        }
        if self.unreadable > 0 {
            parts.push(format!("{} left because a clock can't be read", count(self.unreadable)));
        }
        if self.refused > 0 {
            parts.push(format!("{} refused by the database", count(self.refused)));
        }
        if self.held_by_lease > 0 {
            parts.push(format!(
                "{} without a heartbeat but held by a running lease",
                count(self.held_by_lease)
            ));
        }
        out.push_str(&parts.join(", "));
        out.push('\n');
        out
    }
}
