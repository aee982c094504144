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
    at: Instant,
    since_then: u64,
}

impl ErrorLog {
    /// Logs what failed and why, unless the same was logged a moment ago.
    pub(super) fn warn(&mut self, what: &str, error: &StoreError) {
        let now = Instant::now();
        let logged = self.0.get_mut(&format!("{what}: {:?}", error.kind()));
        let again = match logged {
            Some(logged) if now - logged.at < INTERVAL => {
                logged.since_then += 1;
                return;
            }
            Some(logged) => std::mem::replace(logged, Logged { at: now, since_then: 0 }).since_then,
            None => {
                self.0.insert(format!("{what}: {:?}", error.kind()), Logged { at: now, since_then: 0 });
                0
            }
        };
        let chain = error.chain();
        match again {
            0 => tracing::warn!("{what}: {chain}"),
            again => tracing::warn!("{what}: {chain} ({again} more times since it was last said)"),
        }
    }

    /// What comes next is said anew.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}
