//! The purge pass: walks the expiry order with a cursor up to a fixed cutoff and deletes range by
//! range.
//!
//! The cursor is what keeps it linear. A pass that asks for "the first expired rows" each time reads
//! the index entries of all that it deleted before, until vacuum has removed them; with somebody's
//! snapshot open that is never.

mod listed;
mod report;
mod walk;

use std::time::{Duration, Instant};

use super::{Hold, Pace, PaceOptions, Refused};
use crate::protocol::Timestamp;
use crate::store::{Confirmed, ErrorKind, Store, StoreError};
pub(super) use report::counted;
pub use report::{PurgeEnd, PurgeReport, unrecognized_left};
use walk::PurgePass;

/// The backlog is counted up to here; above, the report says "at least".
const BACKLOG_COUNTED: i64 = 1_000_000;

/// Whoever stops a pass wants it to end: then it is counted up to here.
const BACKLOG_COUNTED_ON_STOP: i64 = 100_000;

/// What one purge pass may do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PurgeOptions {
    /// How long past its expiry a row stays, for clients that retry at the edge.
    pub grace: Duration,
    /// How hard it works.
    pub pace: PaceOptions,
    /// At most this many rows.
    pub max_rows: Option<u64>,
    /// For at most this long.
    pub max_duration: Option<Duration>,
    /// Even where foreign keys with ON DELETE CASCADE, SET NULL or SET DEFAULT point at the table:
    /// deleting keys then deletes or changes the rows of other tables.
    pub allow_cascade: bool,
}

impl Default for PurgeOptions {
    fn default() -> Self {
        Self {
            grace: Duration::from_secs(60 * 60),
            pace: PaceOptions::default(),
            max_rows: None,
            max_duration: None,
            allow_cascade: false,
        }
    }
}

/// A pass's report, and the error that ended it, if one did.
#[derive(Debug)]
pub struct PurgeOutcome {
    /// What was done.
    pub report: PurgeReport,
    /// Why it could not go on.
    pub error: Option<StoreError>,
}

/// Where a running pass stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PurgeProgress {
    /// Rows that are gone.
    pub deleted: u64,
    /// The last batch's rows.
    pub batch: u64,
    /// How long the last batch took.
    pub took: Duration,
}

/// How many rows a pass would delete now, and up to which expiry; counted to the end.
///
/// # Errors
/// When the database can't be asked.
pub async fn count_due(store: &Store, options: &PurgeOptions) -> Result<(u64, Timestamp), StoreError> {
    store.check_purge()?;
    let now = store.now().await?;
    let cutoff = now.minus(options.grace);
    let store = &store.as_of(now);
    let mut due = 0;
    for walk in store.walks()? {
        let (walk, _) = walk.sparing_references(options.allow_cascade).await?;
        due += walk.purge_matched(walk.first_expiry(), cutoff).await?;
    }
    Ok((options.max_rows.map_or(due, |limit| due.min(limit)), cutoff))
}

/// Runs one pass. `progress` is called after each batch; `hold` is asked before each, and its stop ends
/// the pass after the batch at hand.
///
/// # Errors
/// Only when nothing was done: the database can't be asked, or foreign keys would spread the deletion
/// ([`ErrorKind::Referenced`]). Later errors come with the report of what was done before.
pub async fn purge(
    store: &Store,
    options: &PurgeOptions,
    confirmed: &Confirmed,
    hold: &dyn Hold,
    progress: &mut (dyn FnMut(PurgeProgress) + Send),
) -> Result<PurgeOutcome, StoreError> {
    let started = Instant::now();
    store.check_purge()?;
    let now = store.now().await?;
    let cutoff = now.minus(options.grace);
    let store = &store.as_of(now);
    let mut walks = Vec::new();
    let mut references = Vec::new();
    for walk in store.walks()? {
        let (walk, spared) = walk.sparing_references(options.allow_cascade).await?;
        walks.push(walk);
        references = spared;
    }
    let blockers = store.purge_blockers().await?;
    let mut pass = PurgePass {
        store,
        options,
        confirmed,
        hold,
        progress,
        cutoff,
        started,
        // A clock at or before this was never set by a living application.
        reached: Timestamp::OLDEST_PLAUSIBLE,
        deleted: 0,
        batches: 0,
        skipped: 0,
        unknown_batches: 0,
        lost_in_a_row: 0,
        refused: Refused::default(),
        left_in_a_row: 0,
        in_time: usize::MAX,
        tried: false,
        full_scan: false,
        pace: Pace::new(options.pace, store.dialect()),
    };
    let (mut end, mut error) = match blockers.refusal {
        Some(refusal) => (PurgeEnd::Failed, Some(refusal)),
        None => (PurgeEnd::Done, None),
    };
    let able = if error.is_none() { walks.as_slice() } else { &[] };
    let mut came_back = 0;
    for walk in able {
        pass.store = walk;
        // What a walk before this one left over, where there was one.
        let mut left_over = None;
        loop {
            let (losses, deleted) = (walk.losses(), pass.deleted);
            let (skipped, refused) = (pass.skipped, pass.refused.clone());
            (end, error) = match pass.walk().await {
                Ok(end) => (end, None),
                Err(error) if error.kind() == ErrorKind::Locked => (PurgeEnd::Locked, None),
                Err(error) => (PurgeEnd::Failed, Some(error)),
            };
            let left = (pass.skipped - skipped) + (pass.refused.rows - refused.rows);
            if let Some(before) = left_over.replace(left) {
                let first_time = u64::saturating_sub(before, left);
                came_back += (pass.deleted - deleted).saturating_sub(first_time);
            }
            // The server that takes its place may have rows that the cursor has passed.
            if end != PurgeEnd::Done || walk.losses() == losses || pass.deleted == deleted {
                break;
            }
            tracing::debug!("a connection was lost: rows that came back with the next one go now");
            (pass.skipped, pass.refused) = (skipped, refused);
        }
        if end != PurgeEnd::Done {
            break;
        }
    }
    let deleted = pass.deleted - came_back;
    let (batches, skipped, full_scan) = (pass.batches, pass.skipped, pass.full_scan);
    let unknown_batches = pass.unknown_batches;
    let refused = std::mem::take(&mut pass.refused);
    let duration = started.elapsed();
    // From the start only where something may be left behind the cursor: to count there is to read once
    // more every index entry that was deleted.
    let reached = pass.reached;
    let was_stopped = matches!(end, PurgeEnd::Stopped | PurgeEnd::Paused);
    let count_to = if was_stopped { BACKLOG_COUNTED_ON_STOP } else { BACKLOG_COUNTED };
    let behind = skipped > 0
        || refused.rows > 0
        || full_scan
        || !references.is_empty()
        || walks.len() != 1
        || blockers.row_security
        || !blockers.blocking_triggers.is_empty();
    // After a failure the database may be gone; the first error is the one to report.
    let mut not_counted = Vec::new();
    let (mut left, mut unrecognized, mut referenced) = (None, None, None);
    let mut backlog = None;
    if error.is_none() {
        let count = match behind {
            true => store.due(cutoff, count_to).await,
            false => walks[0].purge_count(reached, cutoff, count_to).await,
        };
        backlog = counted("the backlog", count, &mut not_counted);
        if references.is_empty() || backlog == Some(0) {
            referenced = backlog.map(|_| 0);
        }
    }
    // Whoever stops a pass wants it to end, and a lock that kept one count keeps them all.
    if error.is_none() && !was_stopped && (end != PurgeEnd::Locked || backlog.is_some()) {
        // Those that are not referenced are what the pass would have deleted.
        if let (Some(rows), None) = (backlog, referenced) {
            let purgeable = count_purgeable(&walks, cutoff).await;
            let purgeable = counted("the rows that other tables point at", purgeable, &mut not_counted);
            referenced = purgeable.map(|purgeable| rows.saturating_sub(purgeable));
        }
        let found = store.unrecognized(cutoff).await;
        unrecognized = counted("rows of unknown state or clock", found, &mut not_counted);
        let found = store.purge_left(cutoff).await;
        left = counted("expired rows in progress", found, &mut not_counted);
    }
    // A limit that was exactly what was due did not cut anything short.
    let end = if end == PurgeEnd::MaxRows && backlog == Some(0) { PurgeEnd::Done } else { end };
    let report = PurgeReport {
        cutoff,
        deleted,
        batches,
        unknown_batches,
        skipped,
        refused,
        referenced,
        // Nothing that is seen may be anything that is hidden.
        backlog: backlog.filter(|count| *count > 0 || !blockers.row_security),
        // What is hidden from us was not counted either.
        backlog_exact: backlog.is_some_and(|count| count < count_to as u64) && !blockers.row_security,
        unrecognized: unrecognized.map(|rows| rows.value),
        in_progress: left.map(|(in_progress, _)| in_progress.value),
        held_by_lease: left.map(|(_, held)| held.value),
        not_counted,
        duration,
        full_scan,
        row_security: blockers.row_security,
        blocking_triggers: blockers.blocking_triggers,
        references: references.iter().map(ToString::to_string).collect(),
        end,
    };
    Ok(PurgeOutcome { report, error })
}

/// How many rows are left that no other table keeps.
async fn count_purgeable(walks: &[Store], cutoff: Timestamp) -> Result<u64, StoreError> {
    let mut purgeable = 0;
    for walk in walks {
        purgeable += walk.purge_matched(walk.first_expiry(), cutoff).await?;
    }
    Ok(purgeable)
}
