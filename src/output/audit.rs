//! `audit`

use serde::Serialize;

use super::key::HistoryEntry;
use super::printer::{Report, View, render};
use super::text::visible;
use crate::protocol::Timestamp;

/// Entries of the audit.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct AuditReport {
    /// The entries, the newest first.
    pub entries: Vec<HistoryEntry>,
    /// The database's clock, for ages.
    #[serde(skip)]
    pub now: Timestamp,
}

impl Report for AuditReport {
    fn table(&self, view: &View) -> String {
        if self.entries.is_empty() {
            return String::new();
        }
        let mut table = view.table(&["when", "key", "scope", "action", "command", "who", "reason"]);
        for entry in &self.entries {
            table.add_row([
                view.time(entry.at, self.now),
                visible(&entry.key),
                visible(&entry.scope),
                visible(&entry.action),
                visible(&entry.command),
                visible(&entry.who()),
                entry.reason.as_deref().map(visible).unwrap_or_default(),
            ]);
        }
        render(&table)
    }

    fn lines(&self) -> Result<Vec<String>, serde_json::Error> {
        self.entries.iter().map(serde_json::to_string).collect()
    }
}
