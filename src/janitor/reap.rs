//! The reap pass: walks the rows in progress from the longest silent on, and takes the stuck ones'
//! claims away.

use std::time::{Duration, Instant};

use super::{Answer, Gate, RetryPolicy};
use crate::protocol::{Status, Timestamp};
use crate::store::{
    Actor, Confirmed, ErrorKind, KeyRow, Operation, Reaping, RowFilter, RowOrder, ScopeFilter, Store,
    StoreError,
};

/// The shortest silence that makes a row stuck. With less the reaper would take what was claimed this very moment.
pub const MIN_STUCK_AGE: Duration = Duration::from_secs(1);

/// Rows in one transaction.
const BATCH: u32 = 200;

/// What one reap pass may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReapOptions {
    /// No sign of life for at least this long; at least [`MIN_STUCK_AGE`].
    pub older_than: Duration,
    /// Whether the keys may be tried again. A row that was claimed with "block if lost" is blocked
    /// whatever this says.
    pub retry: RetryPolicy,
    /// Only in this scope.
    pub scope: Option<ScopeFilter>,
    /// At most this many rows.
    pub max_rows: Option<u64>,
}

/// A stuck key and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReapedKey {
    /// The row as it was read.
    pub row: KeyRow,
    /// Whether it may be tried again now; `None` when it was not reaped.
    pub retry_allowed: Option<bool>,
    /// It was not reaped because somebody holds a lock on it.
    pub locked: bool,
    /// It is left because a clock that its expiry is counted from can't be read: which one.
    pub unreadable: Option<String>,
    /// Nobody knows whether it was reaped: the connection broke before the database answered.
    pub unknown: bool,
}

/// What one reap pass did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReapReport {
    /// The database's clock at the start.
    pub started_at: Timestamp,
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
    /// Rows of which nobody knows whether this pass took their claims away: the connection broke before the
    /// database answered.
    pub unknown: u64,
    /// Silent rows that only a running lease protects.
    pub held_by_lease: u64,
    /// Silent rows that were left because their state or their clock is not written as the mapping says; 0
    /// where nobody counted them, see [`Store::silent_strangers`].
    pub strangers: u64,
    /// Nothing was changed.
    pub dry_run: bool,
}

/// One batch of a running pass.
#[derive(Debug, Clone, Copy)]
pub struct ReapProgress<'a> {
    /// Silent rows that it looked at.
    pub looked_at: u64,
    /// The stuck ones among them, and what became of each.
    pub keys: &'a [ReapedKey],
    /// How long it took.
    pub took: Duration,
}

/// A pass's report, and the error that ended it, if one did.
#[derive(Debug)]
pub struct ReapOutcome {
    /// What was done.
    pub report: ReapReport,
    /// It was told to stop, or reached the row limit, before the end.
    pub stopped: bool,
    /// Why it could not go on.
    pub error: Option<StoreError>,
}

impl ReapReport {
    /// What keeps rows from a pass, each by a name that stays and in words; nothing of it is an error.
    pub fn hindrances(&self) -> Vec<(&'static str, String)> {
        let mut said = Vec::new();
        if self.unreadable > 0 {
            let text = format!(
                "{} stuck rows were left: a clock that their expiry is counted from can't be read; `idemctl \
                 reap-stuck --dry-run` names them",
                self.unreadable
            );
            said.push(("unreadable", text));
        }
        said
    }
}

/// Runs one pass; without `confirmed` it is a dry run. `progress` is called with each batch; `gate` is
/// asked before each, and its stop ends the pass after the batch at hand.
///
/// # Errors
/// Only when nothing was done yet; [`ErrorKind::Input`] for an age below [`MIN_STUCK_AGE`]. Later errors come with the report of what was done before.
pub async fn reap(
    store: &Store,
    options: &ReapOptions,
    actor: &Actor,
    confirmed: Option<&Confirmed>,
    gate: &dyn Gate,
    progress: &mut (dyn FnMut(ReapProgress<'_>) + Send),
) -> Result<ReapOutcome, StoreError> {
    if options.older_than < MIN_STUCK_AGE {
        return Err(StoreError::new(
            ErrorKind::Input,
            format!(
                "stuck for {} is too short: it must be at least {}",
                humantime::format_duration(options.older_than),
                humantime::format_duration(MIN_STUCK_AGE)
            ),
        ));
    }
    let started_at = store.now().await?;
    let audit = store.has_audit().await?;
    let report = ReapReport {
        started_at,
        matched: 0,
        reaped: 0,
        skipped: 0,
        locked: 0,
        unreadable: 0,
        unknown: 0,
        held_by_lease: 0,
        strangers: 0,
        dry_run: confirmed.is_none(),
    };
    let mut pass = Pass { store, options, actor, audit, confirmed, gate, progress, report };
    let (stopped, error) = match pass.walk().await {
        Ok(stopped) => (stopped, None),
        Err(error) => (true, Some(error)),
    };
    Ok(ReapOutcome { report: pass.report, stopped, error })
}

struct Pass<'a> {
    store: &'a Store,
    options: &'a ReapOptions,
    actor: &'a Actor,
    audit: bool,
    confirmed: Option<&'a Confirmed>,
    gate: &'a dyn Gate,
    progress: &'a mut (dyn FnMut(ReapProgress<'_>) + Send),
    report: ReapReport,
}

impl Pass<'_> {
    /// Whether it ended before its end.
    async fn walk(&mut self) -> Result<bool, StoreError> {
        let started_at = self.report.started_at;
        let filter = RowFilter {
            statuses: vec![Status::InProgress],
            scope: self.options.scope.clone(),
            silent_since: Some(started_at.minus(self.options.older_than)),
            ..RowFilter::default()
        };
        let order = RowOrder::Claimed { newest_first: false };
        let mut after: Option<KeyRow> = None;
        loop {
            // Nothing but a stop or a pause holds the reaper up: clients wait for what it frees.
            if self.gate.ask().await != Answer::Open {
                return Ok(true);
            }
            let began = Instant::now();
            let page = self.store.list(&filter, order, after.as_ref(), BATCH).await?.rows;
            let Some(last) = page.last().cloned() else { return Ok(false) };
            let is_last = page.len() < BATCH as usize;
            let found = page.len() as u64;
            let mut stuck = Vec::with_capacity(page.len());
            for row in page {
                if row.lease_expires_at.is_some_and(|until| until > started_at) {
                    self.report.held_by_lease += 1;
                } else {
                    stuck.push(row);
                }
            }
            let mut limited = false;
            if let Some(limit) = self.options.max_rows {
                let left = limit.saturating_sub(self.report.matched);
                if left < stuck.len() as u64 {
                    stuck.truncate(left as usize);
                    limited = true;
                }
            }
            let (keys, error) = self.take(stuck).await;
            (self.progress)(ReapProgress { looked_at: found, keys: &keys, took: began.elapsed() });
            if let Some(error) = error {
                return Err(error);
            }
            if limited {
                return Ok(true);
            }
            if is_last {
                return Ok(false);
            }
            after = Some(last);
        }
    }

    /// What became of each, as far as it is known, and what went wrong.
    async fn take(&mut self, stuck: Vec<KeyRow>) -> (Vec<ReapedKey>, Option<StoreError>) {
        self.report.matched += stuck.len() as u64;
        let unreadable: Vec<Option<String>> = stuck
            .iter()
            .map(|row| {
                let retry = self.options.retry.of(&row.scope_text());
                self.store.unwritable(row, Operation::Fail { retry })
            })
            .collect();
        self.report.unreadable += unreadable.iter().flatten().count() as u64;
        let left = |stuck: Vec<KeyRow>, unreadable: Vec<Option<String>>, of_those_tried: bool| {
            let keys = stuck.into_iter().zip(unreadable).map(|(row, unreadable)| ReapedKey {
                row,
                retry_allowed: None,
                locked: false,
                unknown: of_those_tried && unreadable.is_none(),
                unreadable,
            });
            keys.collect()
        };
        let Some(confirmed) = self.confirmed else {
            return (left(stuck, unreadable, false), None);
        };
        if stuck.is_empty() {
            return (Vec::new(), None);
        }
        let reason =
            format!("reaped: no sign of life for {}", humantime::format_duration(self.options.older_than));
        let policy = |row: &KeyRow| self.options.retry.of(&row.scope_text());
        let reaped = self.store.reap(&stuck, &policy, &reason, self.actor, self.audit, confirmed).await;
        let outcomes = match reaped {
            Ok(outcomes) => outcomes,
            Err(error) if error.is_outcome_unknown() => {
                self.report.unknown += unreadable.iter().filter(|reason| reason.is_none()).count() as u64;
                return (left(stuck, unreadable, true), Some(error));
            }
            Err(error) => return (Vec::new(), Some(error)),
        };
        let mut keys = Vec::with_capacity(stuck.len());
        for ((row, unreadable), outcome) in stuck.into_iter().zip(unreadable).zip(outcomes) {
            let retry_allowed = match outcome {
                Reaping::Reaped => {
                    self.report.reaped += 1;
                    if !self.audit {
                        tracing::info!(key = row.key_text(), scope = row.scope_text(), "reaped");
                    }
                    Some(self.store.allows_retry(&row, policy(&row)))
                }
                Reaping::Unreadable => None,
                Reaping::Changed => {
                    self.report.skipped += 1;
                    None
                }
                Reaping::Locked => {
                    self.report.skipped += 1;
                    self.report.locked += 1;
                    None
                }
                Reaping::Unknown => {
                    self.report.unknown += 1;
                    None
                }
            };
            keys.push(ReapedKey {
                row,
                retry_allowed,
                locked: outcome == Reaping::Locked,
                unreadable,
                unknown: outcome == Reaping::Unknown,
            });
        }
        (keys, None)
    }
}
