//! `list`

use serde::Serialize;

use super::key::KeyReport;
use super::printer::{Report, View, csv_text, render};
use super::text::visible;
use crate::protocol::Timestamp;

/// A page of `list`.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct ListReport {
    /// The rows.
    pub keys: Vec<KeyReport>,
}

/// The columns of a list's comma-separated values.
const CSV_COLUMNS: [&str; 15] = [
    "key",
    "scope",
    "status",
    "expired",
    "stuck",
    "verdict",
    "attempt",
    "owner",
    "response_status",
    "created_at",
    "claimed_at",
    "last_heartbeat",
    "lease_expires_at",
    "finished_at",
    "expires_at",
];

impl ListReport {
    /// The header of the comma-separated values.
    pub fn csv_header() -> String {
        csv_text(&[CSV_COLUMNS.map(str::to_owned).to_vec()])
    }
}

impl Report for ListReport {
    fn table(&self, view: &View) -> String {
        let mut table = view.table(&[
            "key",
            "scope",
            "state",
            "verdict",
            "attempt",
            "claimed",
            "heartbeat",
            "expires",
            "answer",
            "owner",
        ]);
        for key in &self.keys {
            let now = key.read_at;
            let age = |at: Option<Timestamp>| at.map_or("-".to_owned(), |at| view.age(at, now));
            let answer = key.response.as_ref().and_then(|response| response.status);
            table.add_row([
                visible(&key.key),
                visible(&key.scope),
                key.state_words(),
                key.verdict.to_owned(),
                key.attempt.map_or("-".to_owned(), |attempt| attempt.to_string()),
                age(key.claimed_at),
                age(key.last_heartbeat),
                age(key.expires_at),
                answer.map_or("-".to_owned(), |status| status.to_string()),
                key.owner.as_deref().map_or("-".to_owned(), visible),
            ]);
        }
        render(&table)
    }

    fn lines(&self) -> Result<Vec<String>, serde_json::Error> {
        self.keys.iter().map(serde_json::to_string).collect()
    }

    fn csv(&self) -> Option<Vec<Vec<String>>> {
        let time = |at: Option<Timestamp>| at.map(|at| at.to_string()).unwrap_or_default();
        let number = |number: Option<i64>| number.map(|number| number.to_string()).unwrap_or_default();
        let row = |key: &KeyReport| {
            vec![
                visible(&key.key),
                visible(&key.scope),
                visible(&key.status),
                key.expired.to_string(),
                key.stuck.to_string(),
                key.verdict.to_owned(),
                number(key.attempt),
                key.owner.as_deref().map(visible).unwrap_or_default(),
                number(key.response.as_ref().and_then(|response| response.status)),
                time(key.created_at),
                time(key.claimed_at),
                time(key.last_heartbeat),
                time(key.lease_expires_at),
                time(key.finished_at),
                time(key.expires_at),
            ]
        };
        Some(self.keys.iter().map(row).collect())
    }
}
