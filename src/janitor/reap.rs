//! The reap pass: walks the rows in progress from the longest silent on, and takes the stuck ones'
//! claims away.

use std::time::{Duration, Instant};

use super::purge::counted;
use super::{Admission, Hold, Refused, RefusedRow, RetryPolicy};
use crate::protocol::{Status, Timestamp};
use crate::store::{
    Actor, Confirmed, Counted, CutShort, ErrorKind, How, KeyRow, Operation, Reaping, RowFilter, RowOrder,
    ScopeFilter, Store, StoreError,
};
use crate::words::number_of;

/// The shortest time without a heartbeat that makes a row stuck. With less the reaper would take what was claimed this very moment.
pub const MIN_STUCK_AGE: Duration = Duration::from_secs(1);

/// Rows in one transaction.
const BATCH: u32 = 200;

/// After so many rows one after the other that wait for something, all are expected to.
const ALL_WAIT: u64 = 8;

/// What one reap pass may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReapOptions {
    /// No heartbeat for at least this long; at least [`MIN_STUCK_AGE`].
    pub older_than: Duration,
    /// Whether the keys may be tried again. A row that was claimed with "block if lost" is blocked
    /// whatever this says.
    pub retry: RetryPolicy,
    /// Only in this scope.
    pub scope: Option<ScopeFilter>,
    /// At most this many rows.
    pub max_rows: Option<u64>,
    /// Even where it deletes rows that cascading foreign keys of other tables point at.
    pub allow_cascade: bool,
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
    /// It is left because the database refused it; in its words.
    pub refused: Option<String>,
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
    /// Stuck rows that the database refused to change.
    pub refused: Refused,
    /// Silent rows that only a running lease protects.
    pub held_by_lease: u64,
    /// Silent rows that were left because their state or their clock is not written as the mapping says; `None`
    /// where nobody counted them, see [`Store::unrecognized_stuck`].
    pub unrecognized: Option<u64>,
    /// Rows in progress that hold NULL in every clock that could make them stuck: no reaper takes them. `None` where
    /// nobody counted them, as in a pass on one scope.
    pub without_clock: Option<Counted>,
    /// What was to be counted and could not be, and why.
    pub not_counted: Vec<String>,
    /// Row level security hides rows from the role, or what it hides could not be read: those were neither found
    /// nor reaped.
    pub row_security: bool,
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
    pub fn warnings(&self) -> Vec<(&'static str, String)> {
        let mut said = Vec::new();
        if self.unreadable > 0 {
            let text = format!(
                "{} left: a clock that the expiry is counted from can't be read; `idemctl reap-stuck --dry-run` \
                 gives the keys",
                number_of(self.unreadable, "stuck row")
            );
            said.push(("unreadable", text));
        }
        if self.row_security {
            let text = "row level security applies to this role: rows that it can't see or change were neither found nor \
                        reaped";
            said.push(("row_security", text.to_owned()));
        }
        if let Some(rows) = self.without_clock.filter(|rows| rows.value > 0) {
            let more = if rows.how == How::AtLeast { "at least " } else { "" };
            let text = format!(
                "{more}{} in progress with NULL in every clock that tells an age: no reaper takes what has none; \
                 `idemctl list --status in_progress` shows it, `idemctl fail` takes one",
                number_of(rows.value, "row")
            );
            said.push(("without_clock", text));
        }
        said.extend(self.not_counted.iter().map(|what| ("not_counted", what.clone())));
        said.extend(self.refused.warning("reaped"));
        said
    }
}

/// Runs one pass; without `confirmed` it is a dry run. `progress` is called with each batch; `hold` is
/// asked before each, and its stop ends the pass after the batch at hand.
///
/// # Errors
/// Only when nothing was done yet; [`ErrorKind::Input`] for an age below [`MIN_STUCK_AGE`]. Later errors come with the report of what was done before.
pub async fn reap(
    store: &Store,
    options: &ReapOptions,
    actor: &Actor,
    confirmed: Option<&Confirmed>,
    hold: &dyn Hold,
    progress: &mut (dyn FnMut(ReapProgress<'_>) + Send),
) -> Result<ReapOutcome, StoreError> {
    if options.older_than < MIN_STUCK_AGE {
        return Err(StoreError::new(
            ErrorKind::Input,
            format!(
                "stuck for {} is too short: it must be at least {}",
                crate::words::duration(options.older_than),
                crate::words::duration(MIN_STUCK_AGE)
            ),
        ));
    }
    let retry = options.retry.strictest();
    store.check_references_of(Operation::Fail { retry }, options.allow_cascade).await?;
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
        refused: Refused::default(),
        held_by_lease: 0,
        unrecognized: None,
        without_clock: None,
        not_counted: Vec::new(),
        row_security: store.hides_rows(&[crate::store::Pass::Reap]).await?,
        dry_run: confirmed.is_none(),
    };
    let mut pass = ReapPass { store, options, actor, audit, confirmed, hold, progress, report, kept: None };
    let (stopped, error) = match pass.walk().await {
        Ok(stopped) => (stopped, None),
        Err(error) => (true, Some(error)),
    };
    let mut report = pass.report;
    if !stopped && options.scope.is_none() {
        let found = store.ageless().await;
        report.without_clock = counted("rows in progress without a clock", found, &mut report.not_counted);
    }
    Ok(ReapOutcome { report, stopped, error })
}

struct ReapPass<'a> {
    store: &'a Store,
    options: &'a ReapOptions,
    actor: &'a Actor,
    audit: bool,
    confirmed: Option<&'a Confirmed>,
    hold: &'a dyn Hold,
    progress: &'a mut (dyn FnMut(ReapProgress<'_>) + Send),
    report: ReapReport,
    /// What is said of rows that something keeps; asked for once.
    kept: Option<String>,
}

impl ReapPass<'_> {
    /// Whether it ended before its end.
    async fn walk(&mut self) -> Result<bool, StoreError> {
        let started_at = self.report.started_at;
        let filter = RowFilter {
            statuses: vec![Status::InProgress],
            scope: self.options.scope.clone(),
            no_heartbeat_since: Some(started_at.minus(self.options.older_than)),
            ..RowFilter::default()
        };
        let order = RowOrder::Claimed { newest_first: false };
        let mut after: Option<KeyRow> = None;
        loop {
            // Nothing but a stop or a pause holds the reaper up: clients wait for what it frees.
            if self.hold.ask().await != Admission::Open {
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
            let mut keys = Vec::with_capacity(stuck.len());
            let taken = self.take(stuck, &mut keys).await;
            (self.progress)(ReapProgress { looked_at: found, keys: &keys, took: began.elapsed() });
            if !taken? || limited {
                return Ok(true);
            }
            if is_last {
                return Ok(false);
            }
            after = Some(last);
        }
    }

    /// Takes the claims of stuck rows away, and says what became of each; false when it was told to stop
    /// before the last.
    async fn take(&mut self, stuck: Vec<KeyRow>, keys: &mut Vec<ReapedKey>) -> Result<bool, StoreError> {
        self.report.matched += stuck.len() as u64;
        let Some(confirmed) = self.confirmed else {
            for row in stuck {
                let key = self.untouched(row);
                self.report.unreadable += u64::from(key.unreadable.is_some());
                keys.push(key);
            }
            return Ok(true);
        };
        let reason = format!("reaped: no heartbeat for {}", crate::words::duration(self.options.older_than));
        let retry = &self.options.retry;
        let policy = |row: &KeyRow| retry.of(&row.scope_text());
        // All at once; where the database refuses one of them, in parts down to that row.
        let mut waiting = vec![stuck];
        let by = (reason.as_str(), self.actor, self.audit);
        let (mut is_first, mut waited) = (true, 0);
        while let Some(mut rows) = waiting.pop() {
            if rows.is_empty() {
                continue;
            }
            if !is_first && self.hold.ask().await != Admission::Open {
                return Ok(false);
            }
            let reaped = match is_first {
                true => self.store.reap_when(&StoreError::is_waiting, &rows, &policy, by, confirmed).await,
                false => self.store.reap_part(&rows, &policy, by, confirmed).await,
            };
            let CutShort { error, at } = match reaped {
                Ok(outcomes) => {
                    for (row, outcome) in rows.into_iter().zip(outcomes) {
                        let key = self.done(row, outcome).await;
                        keys.push(key);
                    }
                    (is_first, waited) = (false, 0);
                    continue;
                }
                Err(unreaped) => unreaped,
            };
            if error.is_outcome_unknown() {
                for row in rows {
                    let key = self.untouched(row);
                    let is_tried = key.unreadable.is_none();
                    self.report.unknown += u64::from(is_tried);
                    self.report.unreadable += u64::from(!is_tried);
                    keys.push(ReapedKey { unknown: is_tried, ..key });
                }
                return Err(error);
            }
            if !error.may_be_of_a_row() {
                return Err(error);
            }
            if is_first {
                // What the statements fail with for no row at all is no row's fault.
                self.store.reap_nothing(&rows[0], self.audit, confirmed).await?;
                is_first = false;
            }
            if rows.len() > 1 {
                // The row at which it failed, and those around it; a commit does not say which.
                let (at, many) = at.map_or((rows.len() / 2, rows.len()), |at| (at, 1));
                let mut row = rows.split_off(at);
                let after = row.split_off(many.min(row.len()));
                waiting.extend([after, row, rows]);
            } else if let Some(row) = rows.pop() {
                waited += u64::from(error.is_waiting() || error.kind() == ErrorKind::Timeout);
                if waited >= ALL_WAIT && !error.is_of_a_row() {
                    return Err(error);
                }
                keys.push(match error.is_a_lock() {
                    true => self.locked(row),
                    false => self.refused(row, error.said()),
                });
            }
        }
        Ok(true)
    }

    /// A row that is as it was.
    fn untouched(&self, row: KeyRow) -> ReapedKey {
        let retry = self.options.retry.of(&row.scope_text());
        let unreadable = self.store.unwritable(&row, Operation::Fail { retry });
        ReapedKey { row, retry_allowed: None, locked: false, unreadable, unknown: false, refused: None }
    }

    fn refused(&mut self, row: KeyRow, reason: String) -> ReapedKey {
        let named = RefusedRow { key: row.key_text(), scope: row.scope_text(), reason: reason.clone() };
        self.report.refused.extend([named]);
        ReapedKey { refused: Some(reason), ..self.untouched(row) }
    }

    fn locked(&mut self, row: KeyRow) -> ReapedKey {
        self.report.skipped += 1;
        self.report.locked += 1;
        ReapedKey { locked: true, ..self.untouched(row) }
    }

    async fn done(&mut self, row: KeyRow, outcome: Reaping) -> ReapedKey {
        match outcome {
            Reaping::Locked => return self.locked(row),
            Reaping::Kept => {
                if self.kept.is_none() {
                    let retry = self.options.retry.of(&row.scope_text());
                    self.kept = Some(self.store.kept_words(Operation::Fail { retry }).await);
                }
                return self.refused(row, self.kept.clone().unwrap_or_default());
            }
            _ => {}
        }
        let mut key = self.untouched(row);
        match outcome {
            Reaping::Reaped => {
                self.report.reaped += 1;
                if !self.audit {
                    tracing::info!(key = key.row.key_text(), scope = key.row.scope_text(), "reaped");
                }
                let retry = self.options.retry.of(&key.row.scope_text());
                key.retry_allowed = Some(self.store.allows_retry(&key.row, retry));
            }
            Reaping::Unreadable => self.report.unreadable += 1,
            Reaping::Changed | Reaping::Locked | Reaping::Kept => self.report.skipped += 1,
            Reaping::Unknown => {
                self.report.unknown += 1;
                key.unknown = true;
            }
        }
        key
    }
}
