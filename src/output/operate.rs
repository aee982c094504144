//! `release`, `fail`, `forget`

use serde::Serialize;

use super::printer::{Report, View, render};
use super::text::visible;
use crate::words::count;

/// What became of the keys.
#[derive(Debug, Serialize)]
pub struct OperateReport {
    /// Keys that were asked for.
    pub matched: u64,
    /// Rows that were changed.
    pub changed: u64,
    /// Rows that the state machine does not allow it for.
    pub refused: u64,
    /// Rows that are not as they were shown any more.
    pub moved: u64,
    /// Keys without a row.
    pub missing: u64,
    /// Rows that already were what was asked for.
    pub unchanged: u64,
    /// Rows of which nobody knows whether they were changed: the database's answer was lost.
    pub unknown: u64,
    /// Nothing was changed.
    pub dry_run: bool,
    /// Each key.
    pub keys: Vec<OperatedKey>,
}

/// One key.
#[derive(Debug, Clone, Serialize)]
pub struct OperatedKey {
    /// The key.
    pub key: String,
    /// The scope.
    pub scope: Option<String>,
    /// `failed`, `released`, `forgotten`, `would_change`, `unchanged`, `refused`, `moved`, `missing` or
    /// `unknown`.
    pub outcome: &'static str,
    /// Why, and what to do instead; null where it was simply done.
    pub why: Option<String>,
}

impl OperateReport {
    /// Counts the keys.
    pub fn new(keys: Vec<OperatedKey>, dry_run: bool) -> Self {
        let count =
            |outcomes: &[&str]| keys.iter().filter(|key| outcomes.contains(&key.outcome)).count() as u64;
        Self {
            matched: keys.len() as u64,
            changed: count(&["failed", "released", "forgotten"]),
            refused: count(&["refused"]),
            moved: count(&["moved"]),
            missing: count(&["missing"]),
            unchanged: count(&["unchanged"]),
            unknown: count(&["unknown"]),
            dry_run,
            keys,
        }
    }
}

impl Report for OperateReport {
    fn table(&self, view: &View) -> String {
        let mut table = view.table(&["key", "scope", "outcome", "why"]);
        for key in &self.keys {
            table.add_row([
                visible(&key.key),
                key.scope.as_deref().map(visible).unwrap_or_default(),
                key.outcome.replace('_', " "),
                key.why.as_deref().map(visible).unwrap_or_default(),
            ]);
        }
        let mut out = render(&table);
        let mut parts = vec![if self.dry_run {
            let would = self.keys.iter().filter(|key| key.outcome == "would_change").count() as u64;
            format!("{} would be changed, nothing changed (dry run)", count(would))
        } else {
            format!("{} changed", count(self.changed))
        }];
        for (number, what) in [
            (self.unchanged, "already so"),
            (self.refused, "refused"),
            (self.moved, "changed by others meanwhile"),
            (self.missing, "without a row"),
            (self.unknown, "of unknown outcome"),
        ] {
            if number > 0 {
                parts.push(format!("{} {what}", count(number)));
            }
        }
        out.push_str(&parts.join(", "));
        out.push('\n');
        out
    }
}
