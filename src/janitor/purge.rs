//! The purge pass: walks the expiry order with a cursor up to a fixed cutoff and deletes range by
//! range.
//!
//! The cursor is what keeps it linear. A pass that asks for "the first expired rows" each time reads
//! the index entries of all that it deleted before, until vacuum has removed them; with somebody's
//! snapshot open that is never.

mod listed;

use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::{Admission, Hold, Pace, PaceOptions, Refused};
use crate::protocol::Timestamp;
use crate::store::{
    Batch, Confirmed, Dialect, ErrorKind, LEFT_COUNTED, PassRecord, PurgeStep, StepAhead, Store, StoreError,
    TiedCursor,
};
use crate::words::{are, number_of};

/// Rows of the usual size on a PostgreSQL heap block of 8 KiB; only the first batch depends on it.
const ROWS_PER_BLOCK: u32 = 20;

/// How often a pass that waits before its hold asks again.
const HOLD_POLL: Duration = Duration::from_millis(500);

/// The backlog is counted up to here; above, the report says "at least".
const BACKLOG_COUNTED: i64 = 1_000_000;

/// Whoever stops a pass wants it to end: then it is counted up to here.
const BACKLOG_COUNTED_ON_STOP: i64 = 100_000;

/// After so many answers lost one after the other the pass ends.
const LOST_IN_A_ROW: u32 = 3;

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

/// Why a pass ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PurgeEnd {
    /// Nothing is left.
    Done,
    /// The row limit.
    MaxRows,
    /// The time limit.
    MaxDuration,
    /// It was told to stop.
    Stopped,
    /// An operator paused the janitor.
    Paused,
    /// Somebody holds a lock on everything.
    Locked,
    /// It failed; see [`PurgeOutcome::error`].
    Failed,
}

impl PurgeEnd {
    /// Its name in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::MaxRows => "max_rows",
            Self::MaxDuration => "max_duration",
            Self::Stopped => "stopped",
            Self::Paused => "paused",
            Self::Locked => "locked",
            Self::Failed => "failed",
        }
    }
}

/// What one purge pass did.
#[derive(Debug, Clone, PartialEq)]
pub struct PurgeReport {
    /// Rows at or before this expiry were due.
    pub cutoff: Timestamp,
    /// Rows that are gone. One that came back when a server was lost, and was deleted again, counts once.
    pub deleted: u64,
    /// Transactions.
    pub batches: u64,
    /// Batches whose answer was lost: nobody knows how many rows they deleted, and none of them is counted. What
    /// they left was deleted by the batch after.
    pub unknown_batches: u64,
    /// Due rows that others held a lock on.
    pub skipped: u64,
    /// Due rows that the database refused to delete.
    pub refused: Refused,
    /// Due rows that rows of other tables point at, where they were counted; refused ones not among them.
    pub referenced: Option<u64>,
    /// Due rows that are left, as far as they were counted. `None` where they were not, and where none was seen
    /// and row level security hides rows.
    pub backlog: Option<u64>,
    /// Whether the backlog was counted to its end, with nothing hidden.
    pub backlog_exact: bool,
    /// Rows within reach that were not touched because their state or their clock is not written as the
    /// mapping says. As the next two, counted up to [`LEFT_COUNTED`]; `None` where they were not counted.
    pub unrecognized: Option<u64>,
    /// Rows past their expiry that are in progress: they are reaped first.
    pub in_progress: Option<u64>,
    /// Rows past their expiry that a lease which still runs protects.
    pub held_by_lease: Option<u64>,
    /// What was to be counted and could not be, and why.
    pub not_counted: Vec<String>,
    /// How long it took.
    pub duration: Duration,
    /// No index has the expiry's order: the whole table was read.
    pub full_scan: bool,
    /// Row level security applies to the role: rows that it hides were neither deleted nor counted.
    pub row_security: bool,
    /// Triggers and rules that can keep a row that was to be deleted.
    pub blocking_triggers: Vec<String>,
    /// Foreign keys that point at the table: rows they reference were left.
    pub references: Vec<String>,
    /// Why it ended.
    pub end: PurgeEnd,
}

impl PurgeReport {
    /// Rows deleted in a second of this pass, its rests included.
    pub fn rows_per_second(&self) -> f64 {
        self.deleted as f64 / self.duration.as_secs_f64().max(1e-6)
    }

    /// Whether nothing is left that it should have deleted. That is only what is known: a locked table hides
    /// its backlog, row level security its rows.
    pub fn leaves_nothing(&self) -> bool {
        self.backlog == Some(0) && self.backlog_exact && self.unrecognized == Some(0)
    }

    /// The word of the pass for whoever watches, when it began at `started`.
    pub fn note(&self, started: Timestamp) -> PassRecord {
        let succeeded = (self.end == PurgeEnd::Done).then(|| started.plus(self.duration));
        PassRecord { started: Some(started), succeeded, rate: self.rate() }
    }

    /// What keeps rows from a pass, each by a name that stays and in words; nothing of it is an error.
    pub fn warnings(&self) -> Vec<(&'static str, String)> {
        let mut said = Vec::new();
        if self.unknown_batches > 0 {
            let text =
                "the answers to some batches were lost: the rows that they deleted are gone and not counted";
            said.push(("unknown_batches", text.to_owned()));
        }
        if self.row_security {
            let text = "row level security applies to this role: rows that it can't see were neither deleted \
                        nor counted";
            said.push(("row_security", text.to_owned()));
        }
        if self.full_scan {
            let text = "no index leads to the expired rows: the whole table was read, and will be by every \
                        purge; `idemctl doctor` has the statement that fixes it";
            said.push(("full_scan", text.to_owned()));
        }
        if self.backlog.is_some_and(|rows| rows > 0) && !self.blocking_triggers.is_empty() {
            let blocking_triggers = self.blocking_triggers.join(", ");
            said.push((
                "blocking_triggers",
                format!("rows stayed although they were to be deleted: {blocking_triggers}"),
            ));
        }
        if let Some(rows) = self.in_progress.filter(|rows| *rows > 0) {
            let text = format!(
                "{}{} {} in progress: no purge takes what is; `idemctl reap-stuck --older-than AGE` fails those whose \
                 worker is gone",
                at_least(rows),
                number_of(rows, "expired row"),
                are(rows)
            );
            said.push(("expired_in_progress", text));
        }
        if let Some(rows) = self.held_by_lease.filter(|rows| *rows > 0) {
            let text =
                format!("{}{} left: a lease runs on each", at_least(rows), number_of(rows, "expired row"));
            said.push(("held_by_lease", text));
        }
        if let Some(rows) = self.unrecognized.filter(|rows| *rows > 0) {
            said.push(("unrecognized", unrecognized_left(rows)));
        }
        // Of a table that somebody locks the end says it all.
        if self.end != PurgeEnd::Locked {
            said.extend(self.not_counted.iter().map(|what| ("not_counted", what.clone())));
        }
        said.extend(self.refused.warning("deleted"));
        said
    }

    /// The pace to note for later; a handful of rows says nothing about one.
    fn rate(&self) -> Option<i64> {
        (self.deleted >= 1_000).then(|| self.rows_per_second() as i64)
    }
}

/// What is said of rows that a pass leaves for what is in them.
pub fn unrecognized_left(rows: u64) -> String {
    format!(
        "{}{} left: the state or a clock is not written as the mapping says; `idemctl list --status unknown` shows \
         the former",
        at_least(rows),
        number_of(rows, "row")
    )
}

/// Before a number of rows that a pass leaves: they are counted so far and no further.
pub(super) fn at_least(rows: u64) -> &'static str {
    if rows >= LEFT_COUNTED as u64 { "at least " } else { "" }
}

/// The number, or why it is not known.
pub(super) fn counted<T>(
    what: &str,
    count: Result<T, StoreError>,
    not_counted: &mut Vec<String>,
) -> Option<T> {
    let failed =
        count.map_err(|error| not_counted.push(format!("{what} could not be counted: {}", error.chain())));
    failed.ok()
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

/// What became of a range.
enum Ranged {
    /// Deleted in one batch, and how far the next one comes, where that came with it.
    Deleted(Batch, Option<PurgeStep>),
    /// It failed, and is to be made again.
    Again,
    /// The database refused it, and its rows went by lists.
    Listed,
    /// The pass must end.
    Ended(PurgeEnd),
}

/// What to do about a batch that failed.
enum Failed {
    /// Make it again.
    Again,
    /// One of its rows is to blame: they go by lists.
    List,
}

struct PurgePass<'a> {
    store: &'a Store,
    options: &'a PurgeOptions,
    confirmed: &'a Confirmed,
    hold: &'a dyn Hold,
    progress: &'a mut (dyn FnMut(PurgeProgress) + Send),
    cutoff: Timestamp,
    started: Instant,
    /// The cursor: what expired up to here is gone, but for what is skipped or spared.
    reached: Timestamp,
    deleted: u64,
    batches: u64,
    skipped: u64,
    unknown_batches: u64,
    /// Of those, the ones without an answer in between.
    lost_in_a_row: u32,
    refused: Refused,
    /// Rows that were left one after the other, refused or locked, since the last that went.
    left_in_a_row: u64,
    /// So many rows were not too much for one statement.
    in_time: usize,
    /// It got as far as having a row refused.
    tried: bool,
    full_scan: bool,
    pace: Pace,
}

impl PurgePass<'_> {
    async fn walk(&mut self) -> Result<PurgeEnd, StoreError> {
        // A clock at or before this was never set by a living application.
        self.reached = self.store.first_expiry();
        // Only an adopted table can lack the index.
        if !self.store.mapping().is_owned()
            && let Some(cursor) = self.store.heap_walk(self.cutoff).await?
        {
            return self.walk_heap(cursor).await;
        }
        // The step that the last batch brought with it, and the size it was made for.
        let mut ahead: Option<(PurgeStep, u32)> = None;
        loop {
            if let Some(end) = self.ask().await {
                return Ok(end);
            }
            let after = self.reached;
            let size = self.pace.size();
            let allowed = self.rows_left().map_or(size, |left| u32::try_from(left).unwrap_or(size).min(size));
            let step = match ahead.take() {
                // Made for twice of what the pace allows by now, it would be too long a batch.
                Some((step, n)) if size > n / 2 && allowed == size => step,
                _ => match self.store.purge_step(after, self.cutoff, allowed).await {
                    Ok(step) => step,
                    Err(error) => {
                        self.give_in(error)?;
                        continue;
                    }
                },
            };
            match step {
                PurgeStep::Rest => {
                    // Fewer than a batch: all of it, and the walk is at its end.
                    match self.range(after, self.cutoff, None).await? {
                        Ranged::Ended(end) => return Ok(end),
                        Ranged::Again => continue,
                        Ranged::Deleted(..) | Ranged::Listed => {}
                    }
                    self.reached = self.cutoff;
                    self.reclaim().await?;
                    return Ok(PurgeEnd::Done);
                }
                // A range ends between two expiries, not after n rows: with a tie at its end it holds
                // up to twice as many, and could overrun the row limit.
                PurgeStep::To { expiry, .. }
                    if self.rows_left().is_some_and(|left| left < 2 * u64::from(size)) =>
                {
                    match self.store.purge_limited(after, self.cutoff, allowed, self.confirmed).await {
                        Ok(batch) => {
                            self.count_deleted(batch);
                            if batch.deleted == 0 {
                                // Whatever is left is locked, as the statement skips locked rows itself.
                                self.skipped += self.store.purge_matched(after, expiry).await?;
                                self.reached = expiry;
                            }
                            self.rest(batch).await;
                        }
                        Err(error) => match self.failed((after, expiry), error).await? {
                            Failed::Again => {}
                            Failed::List => {
                                if let Some(end) = self.walk_listed((after, expiry)).await? {
                                    return Ok(end);
                                }
                                self.reached = expiry;
                            }
                        },
                    }
                }
                PurgeStep::To { expiry, tied: true } => {
                    let before = expiry.minus(Duration::from_micros(1));
                    if before > after {
                        match self.range(after, before, None).await? {
                            Ranged::Deleted(batch, _) => self.rest(batch).await,
                            Ranged::Listed => {}
                            Ranged::Again => continue,
                            Ranged::Ended(end) => return Ok(end),
                        }
                    }
                    if let Some(end) = self.walk_tied(expiry).await? {
                        return Ok(end);
                    }
                    self.reached = expiry;
                }
                PurgeStep::To { expiry, tied: false } => {
                    let next = StepAhead { until: self.cutoff, n: size };
                    match self.range(after, expiry, Some(next)).await? {
                        Ranged::Ended(end) => return Ok(end),
                        Ranged::Again => {}
                        Ranged::Listed => self.reached = expiry,
                        Ranged::Deleted(batch, step) => {
                            self.reached = expiry;
                            ahead = step.map(|step| (step, size));
                            self.rest(batch).await;
                        }
                    }
                }
            }
        }
    }

    /// The table as it lies, once from its beginning to its end.
    async fn walk_heap(&mut self, cursor: TiedCursor) -> Result<PurgeEnd, StoreError> {
        self.full_scan = true;
        let mut ranges = vec![(self.store.first_expiry(), self.cutoff)];
        // A row limit wants the earliest first: up to which expiry it reaches is asked once.
        if let Some(left) = self.rows_left().filter(|left| *left > 0) {
            let n = u32::try_from(left).unwrap_or(u32::MAX);
            let (first, cutoff) = ranges[0];
            if let PurgeStep::To { expiry, .. } = self.store.purge_step(first, cutoff, n).await? {
                let before = expiry.minus(Duration::from_micros(1));
                ranges = vec![(first, before), (before, expiry)];
            }
        }
        if self.store.dialect().has_heap() {
            self.pace = self.pace_in_blocks();
        }
        for range in ranges {
            if let Some(end) = self.walk_pieces(range, false, cursor.clone()).await? {
                return Ok(end);
            }
        }
        self.reclaim().await?;
        Ok(PurgeEnd::Done)
    }

    /// Deletes a range and counts it.
    async fn range(
        &mut self,
        after: Timestamp,
        until: Timestamp,
        ahead: Option<StepAhead>,
    ) -> Result<Ranged, StoreError> {
        let (batch, step) = match self.store.purge_range_ahead(after, until, ahead, self.confirmed).await {
            Ok(done) => done,
            Err(error) => {
                return Ok(match self.failed((after, until), error).await? {
                    Failed::Again => Ranged::Again,
                    Failed::List => match self.walk_listed((after, until)).await? {
                        Some(end) => Ranged::Ended(end),
                        None => Ranged::Listed,
                    },
                });
            }
        };
        self.count_deleted(batch);
        // A lock made it leave something behind.
        if batch.met_lock {
            self.skipped += self.store.purge_matched(after, until).await?;
        }
        Ok(Ranged::Deleted(batch, step))
    }

    /// A statement that ran into its time limit was too much at once: the next ones are smaller. Every
    /// other error ends the pass.
    ///
    /// A batch whose answer was lost is made again: what it deleted is gone, and what it left is deleted now. A
    /// limit of rows could not be kept so.
    fn give_in(&mut self, error: StoreError) -> Result<(), StoreError> {
        if error.is_outcome_unknown() {
            self.unknown_batches += 1;
            self.lost_in_a_row += 1;
            if self.options.max_rows.is_some() || self.lost_in_a_row > LOST_IN_A_ROW {
                return Err(error);
            }
            tracing::debug!("the answer to a batch of the purge was lost: its rows are not counted");
            return Ok(());
        }
        if error.kind() != ErrorKind::Timeout || !self.pace.give_in() {
            return Err(error);
        }
        tracing::info!(size = self.pace.size(), "a batch took longer than a statement may; smaller ones now");
        Ok(())
    }

    /// What to do about a batch that failed. Where the database takes the same statement of no row, one of the
    /// batch's rows is to blame, whatever the error is. Every other error ends the pass.
    async fn failed(
        &mut self,
        range: (Timestamp, Timestamp),
        error: StoreError,
    ) -> Result<Failed, StoreError> {
        let is_late = error.kind() == ErrorKind::Timeout && !error.is_of_a_row();
        if !error.may_be_of_a_row() || is_late && self.pace.size() > 1 {
            self.give_in(error)?;
            return Ok(Failed::Again);
        }
        self.store.purge_nothing(range, self.confirmed).await?;
        tracing::debug!(error = error.chain(), "a batch was refused: its rows are listed");
        Ok(Failed::List)
    }

    /// Rows that share one expiry: no cursor along the index can pass between them.
    async fn walk_tied(&mut self, expiry: Timestamp) -> Result<Option<PurgeEnd>, StoreError> {
        let mut pace = match self.store.dialect() {
            Dialect::Postgres => self.pace_in_blocks(),
            Dialect::Sqlite => self.pace.clone(),
        };
        std::mem::swap(&mut self.pace, &mut pace);
        let range = (expiry.minus(Duration::from_micros(1)), expiry);
        let walked = self.walk_pieces(range, true, TiedCursor::default()).await;
        std::mem::swap(&mut self.pace, &mut pace);
        walked
    }

    /// Piece by piece through what expired within a range: the rows of one expiry, if they are `tied`,
    /// else the table as it lies.
    async fn walk_pieces(
        &mut self,
        range: (Timestamp, Timestamp),
        tied: bool,
        mut cursor: TiedCursor,
    ) -> Result<Option<PurgeEnd>, StoreError> {
        let mut met_lock = false;
        let (skipped, refused) = (self.skipped, self.refused.rows);
        loop {
            if let Some(end) = self.ask().await {
                return Ok(Some(end));
            }
            let size = self.pace.size();
            let limit = self.rows_left();
            match self.store.purge_piece(range, size, limit, &mut cursor, self.confirmed).await {
                Ok(Some(batch)) => {
                    self.count_deleted(batch);
                    met_lock |= batch.met_lock;
                    self.rest(batch).await;
                }
                Ok(None) => break,
                // Even one heap block is too much for one statement: row by row, then.
                Err(error)
                    if error.kind() == ErrorKind::Timeout
                        && size == 1
                        && tied
                        && cursor.leave_the_blocks() =>
                {
                    let a_block = PaceOptions {
                        min_batch: ROWS_PER_BLOCK,
                        max_batch: ROWS_PER_BLOCK,
                        ..self.options.pace
                    };
                    self.pace = Pace::new(a_block, self.store.dialect());
                }
                Err(error) => match self.failed(range, error).await? {
                    Failed::Again => {}
                    Failed::List => {
                        let ended = match self.store.purge_due_piece(range, size, &mut cursor).await? {
                            Some(rows) => self.sift(range, rows).await?,
                            None => {
                                // By row lists, not by blocks.
                                self.pace = Pace::new(self.options.pace, self.store.dialect());
                                return self.walk_listed(range).await;
                            }
                        };
                        if ended.is_some() {
                            return Ok(ended);
                        }
                    }
                },
            }
        }
        if met_lock {
            let left = self.store.purge_matched(range.0, range.1).await?;
            self.skipped = skipped + left.saturating_sub(self.refused.rows - refused);
        }
        Ok(None)
    }

    fn pace_in_blocks(&self) -> Pace {
        Pace::new(self.options.pace.in_blocks(ROWS_PER_BLOCK), self.store.dialect())
    }

    fn rows_left(&self) -> Option<u64> {
        self.options.max_rows.map(|limit| limit.saturating_sub(self.deleted))
    }

    /// Passes the hold, waiting before it where it must, unless the pass has to end.
    async fn ask(&mut self) -> Option<PurgeEnd> {
        loop {
            if let Some(end) = self.must_end() {
                return Some(end);
            }
            match self.hold.ask().await {
                Admission::Open => return None,
                Admission::Wait => self.pause(HOLD_POLL).await,
                Admission::Paused => return Some(PurgeEnd::Paused),
                Admission::Stop => return Some(PurgeEnd::Stopped),
            }
        }
    }

    fn must_end(&self) -> Option<PurgeEnd> {
        if self.hold.stop().is_cancelled() {
            return Some(PurgeEnd::Stopped);
        }
        if self.rows_left() == Some(0) {
            return Some(PurgeEnd::MaxRows);
        }
        // However short the time and slow the start, a pass gets somewhere.
        let is_over = |limit: Duration| {
            (self.batches > 0 || self.tried || limit.is_zero()) && self.started.elapsed() >= limit
        };
        if self.options.max_duration.is_some_and(is_over) {
            return Some(PurgeEnd::MaxDuration);
        }
        None
    }

    fn count_deleted(&mut self, batch: Batch) {
        self.lost_in_a_row = 0;
        self.deleted += batch.deleted;
        self.batches += 1;
        (self.progress)(PurgeProgress { deleted: self.deleted, batch: batch.deleted, took: batch.took });
    }

    async fn rest(&mut self, batch: Batch) {
        self.pace.learn(batch.took, batch.met_lock);
        self.pause(self.pace.rest(batch.deleted, batch.took)).await;
    }

    /// Sleeps, but neither past the time limit nor when told to stop.
    async fn pause(&mut self, rest: Duration) {
        let rest = match self.options.max_duration {
            Some(limit) => rest.min(limit.saturating_sub(self.started.elapsed())),
            None => rest,
        };
        if rest.is_zero() {
            return;
        }
        tokio::select! {
            () = sleep(rest) => {}
            () = self.hold.stop().cancelled() => {}
        }
    }

    /// Gives the space back, at the same pace.
    async fn reclaim(&mut self) -> Result<(), StoreError> {
        while self.must_end().is_none() {
            let began = Instant::now();
            match self.store.reclaim_some().await {
                Ok(true) => {}
                Ok(false) => break,
                // The space can wait; the writer that holds the lock can't.
                Err(error) if error.kind() == ErrorKind::Locked => break,
                Err(error) => return Err(error),
            }
            self.pause(self.pace.rest(0, began.elapsed())).await;
        }
        Ok(())
    }
}
