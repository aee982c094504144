//! Errors in the log: once per kind and interval, not per try.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::store::StoreError;

/// The same error is logged again after this long.
const INTERVAL: Duration = Duration::from_secs(300);

/// What was logged when.
#[derive(Debug, Default)]
pub(super) struct ErrorLog(HashMap<String, Logged>);

#[derive(Debug)]
struct Logged {
    at: Option<Instant>,
    since_then: u64,
}

impl ErrorLog {
    /// Logs what failed and why, unless the same was logged a moment ago.
    pub(super) fn warn(&mut self, what: &str, error: &StoreError) {
        self.say(format!("{what}: {:?}", error.kind()), || format!("{what}: {}", error.chain()));
    }

    /// Logs what hinders a pass, unless it was told of the same warning a moment ago, with whatever
    /// numbers.
    pub(super) fn warn_of(&mut self, what: &str, name: &str, warning: &str) {
        self.say(format!("{what}: {name}"), || format!("{what}: {warning}"));
    }

    fn say(&mut self, kind: String, text: impl FnOnce() -> String) {
        let now = Instant::now();
        let logged = self.0.entry(kind).or_insert(Logged { at: None, since_then: 0 });
        if logged.at.is_some_and(|at| now - at < INTERVAL) {
            logged.since_then += 1;
            return;
        }
        let again = std::mem::replace(logged, Logged { at: Some(now), since_then: 0 }).since_then;
        match again {
            0 => tracing::warn!("{}", text()),
            again => tracing::warn!("{} ({again} more times since it was last said)", text()),
        }
    }

    /// What comes next is said anew.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A count that differs from pass to pass makes no new entry, and no new line.
    #[test]
    fn a_warning_is_one_whatever_it_counts() {
        let mut log = ErrorLog::default();
        for rows in 1..=3 {
            log.warn_of("purge of keys", "unrecognized", &format!("{rows} rows were left"));
        }
        let since: Vec<u64> = log.0.values().map(|logged| logged.since_then).collect();
        assert_eq!(since, [2]);
    }
}
