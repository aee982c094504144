//! What the reap and purge passes ask of a store, one bounded transaction each. The passes
//! themselves, their order and their pace, are in [`crate::janitor`].

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::audit::Actor;
use super::{
    Confirmed, Counted, Dialect, Doubt, ErrorKind, KeyRow, Operation, Purpose, Row, Statement, Store,
    StoreError, Transaction, Value,
};
use crate::dialect::Bound;
use crate::protocol::{Retry, Timestamp};

/// Rows that a pass leaves are counted up to here; so many are at least so many.
pub const LEFT_COUNTED: i64 = 10_000;

/// What one batch did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Batch {
    /// Rows that are gone.
    pub deleted: u64,
    /// Somebody held a lock in the range; its rows are left for the next pass.
    pub met_lock: bool,
    /// How long the database worked for it. The way there and back is not part of it: a pace that
    /// counted it would make small batches of a distant database's, and shrink them further.
    pub took: Duration,
}

/// How far a walk along the expiry order comes with its next batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PurgeStep {
    /// To this expiry.
    To {
        /// The n-th expiry after the cursor.
        expiry: Timestamp,
        /// More rows than a batch share it.
        tied: bool,
    },
    /// To its end: fewer rows than a batch are left.
    Rest,
}

/// What to ask ahead of a range's delete: the step that comes after that range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepAhead {
    /// The cutoff of the pass.
    pub until: Timestamp,
    /// The size of the batch that comes next.
    pub n: u32,
}

/// What became of a stuck row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaping {
    /// Its claim was taken away.
    Reaped,
    /// It changed between the read and the write: its worker won.
    Changed,
    /// Somebody holds a lock on it; it is as stuck as before.
    Locked,
    /// Something keeps it as it was, without an error: a trigger, a rule or a policy, see [`Store::row_blocking_triggers`].
    Kept,
    /// Its expiry would have to be counted from a clock that can't be read, see [`Store::unwritable`].
    Unreadable,
    /// The answer to the commit was lost, and the row has changed. Without an audit nobody can tell by whom.
    Unknown,
}

/// Why rows were not reaped, and the first of them whose fault it may be, where it was not the commit.
#[derive(Debug)]
pub(crate) struct CutShort {
    pub(crate) error: StoreError,
    pub(crate) at: Option<usize>,
}

impl Store {
    /// The n-th expiry after `after` and not beyond `until`, and whether more than `n` rows share
    /// it.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn purge_step(
        &self,
        after: Timestamp,
        until: Timestamp,
        n: u32,
    ) -> Result<PurgeStep, StoreError> {
        let binds = self.step_binds(after, until, n);
        // A lock on the whole table stops even a read, and autovacuum takes one for a moment when it cuts
        // off the empty end that a purge leaves: that must not end the pass.
        let row = self
            .with_retries(false, || async {
                // The same plan settings as the delete: the step must not scan the table either.
                let mut transaction = self.backend.begin(self.step_purpose()).await?;
                let row = transaction.fetch_one(&self.sql.purge_step, &binds).await?;
                transaction.commit().await?;
                Ok(row)
            })
            .await?;
        self.read_step(row, n)
    }

    /// SQLite's purge transactions take the write lock; its step only reads.
    pub(super) fn step_purpose(&self) -> Purpose {
        match self.dialect() {
            Dialect::Postgres => Purpose::PurgeOrdered,
            Dialect::Sqlite => Purpose::Read,
        }
    }

    /// Deletes what expired after `after` and not after `until`, in one transaction.
    ///
    /// # Errors
    /// [`Locked`](super::ErrorKind::Locked) when nothing at all could be done for a lock;
    /// [`Timeout`](super::ErrorKind::Timeout) when
    /// the range was too much for one statement. Nothing was deleted then.
    pub async fn purge_range(
        &self,
        after: Timestamp,
        until: Timestamp,
        confirmed: &Confirmed,
    ) -> Result<Batch, StoreError> {
        Ok(self.purge_range_ahead(after, until, None, confirmed).await?.0)
    }

    /// As [`Store::purge_range`], and says how far the batch after it comes, where `ahead` asks for that
    /// and the answer came with it: a batch is one call of the database instead of two.
    ///
    /// # Errors
    /// As [`Store::purge_range`].
    pub async fn purge_range_ahead(
        &self,
        after: Timestamp,
        until: Timestamp,
        ahead: Option<StepAhead>,
        _confirmed: &Confirmed,
    ) -> Result<(Batch, Option<PurgeStep>), StoreError> {
        let binds = [self.expiry_bound(after), self.expiry_bound(until)];
        let step_binds = ahead.map(|ahead| self.step_binds(until, ahead.until, ahead.n));
        let query = step_binds.as_ref().map(|binds| (&self.sql.purge_step, &binds[..]));
        let (batch, row) = self
            .purge_batch(
                Purpose::PurgeRange,
                query,
                (&self.sql.purge_range, &binds),
                (&self.sql.purge_range_skip_locked, &binds),
            )
            .await?;
        let step = match (ahead, row) {
            (Some(ahead), Some(row)) => Some(self.read_step(row, ahead.n)?),
            _ => None,
        };
        Ok((batch, step))
    }

    /// Deletes at most `n` of the rows that expired after `after` and not after `until`, the
    /// earliest first; locked rows are left.
    ///
    /// # Errors
    /// As [`Store::purge_range`].
    pub async fn purge_limited(
        &self,
        after: Timestamp,
        until: Timestamp,
        n: u32,
        _confirmed: &Confirmed,
    ) -> Result<Batch, StoreError> {
        let binds = [self.expiry_bound(after), self.expiry_bound(until), i64::from(n).into()];
        let statement = (&self.sql.purge_limited, &binds[..]);
        Ok(self.purge_batch(Purpose::PurgeOrdered, None, statement, statement).await?.0)
    }

    pub(super) async fn purge_batch(
        &self,
        purpose: Purpose,
        ahead: Option<Bound<'_>>,
        plain: Bound<'_>,
        skip_locked: Bound<'_>,
    ) -> Result<(Batch, Option<Option<Row>>), StoreError> {
        self.purge_batch_when(StoreError::is_waiting, purpose, ahead, plain, skip_locked).await
    }

    /// The same; of what is left when locked rows are passed over, only `passes` is tried again.
    pub(super) async fn purge_batch_when(
        &self,
        passes: impl Fn(&StoreError) -> bool,
        purpose: Purpose,
        ahead: Option<Bound<'_>>,
        plain: Bound<'_>,
        skip_locked: Bound<'_>,
    ) -> Result<(Batch, Option<Option<Row>>), StoreError> {
        let first =
            self.with_retries_when(false, |_| false, || self.backend.purge(purpose, ahead, plain)).await;
        match first {
            Ok(run) => Ok((Batch { deleted: run.deleted, met_lock: false, took: run.took }, run.ahead)),
            Err(error) if error.is_waiting() => {
                // Row locks are skipped; a lock on the table or the file can't be, and the batch
                // is tried again a few times before the pass leaves it.
                let again = || self.backend.purge(purpose, None, skip_locked);
                let run = self.with_retries_when(false, passes, again).await?;
                Ok((Batch { deleted: run.deleted, met_lock: true, took: run.took }, None))
            }
            Err(error) => Err(error),
        }
    }

    /// How often what a purge had deleted may have been lost so far: it does not wait for the disk, nor for a
    /// standby.
    pub(crate) fn losses(&self) -> u64 {
        self.backend.losses()
    }

    /// The one number that a query gives.
    async fn count(&self, sql: &Statement, binds: &[Value]) -> Result<u64, StoreError> {
        let row = self.read_one(sql, binds).await?;
        Ok(row.ok_or_else(|| StoreError::corrupt("a count has no row"))?.some_count()?)
    }

    /// How many rows the purge would delete between these moments, counted to the end and without those
    /// that it spares.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn purge_matched(&self, after: Timestamp, until: Timestamp) -> Result<u64, StoreError> {
        let binds = [self.expiry_bound(after), self.expiry_bound(until)];
        self.count(&self.sql.stats_expiries, &binds).await
    }

    /// How many rows are due between these moments, spared ones included, counted up to `at_most`.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn purge_count(
        &self,
        after: Timestamp,
        until: Timestamp,
        at_most: i64,
    ) -> Result<u64, StoreError> {
        let binds = [self.expiry_bound(after), self.expiry_bound(until), at_most.into()];
        self.count(&self.sql.purge_count, &binds).await
    }

    /// How many rows are due at `cutoff`, along every way, counted up to `at_most`.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn due(&self, cutoff: Timestamp, at_most: i64) -> Result<u64, StoreError> {
        let mut due = 0;
        for walk in self.walks()? {
            due += walk.purge_count(walk.first_expiry(), cutoff, at_most).await?;
        }
        Ok(due)
    }

    /// How many rows would be due at `cutoff`, were their state or their clock written as the mapping
    /// says.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn unrecognized(&self, cutoff: Timestamp) -> Result<Counted, StoreError> {
        if self.mapping.is_owned() {
            // Its types and checks leave one way to be one: a clock that was never set wrote it.
            let found = self.purge_count(Timestamp::MIN, self.first_expiry(), LEFT_COUNTED).await?;
            return Ok(Counted::up_to(LEFT_COUNTED as u64, found));
        }
        let mut found = 0;
        for walk in self.walks()? {
            let first = walk.expiry_bound(walk.first_expiry());
            let binds = [first, walk.expiry_bound(cutoff), LEFT_COUNTED.into()];
            found += walk.count(&walk.sql.purge_unrecognized, &binds).await?;
        }
        Ok(Counted::up_to(LEFT_COUNTED as u64, found))
    }

    /// How many rows are past their expiry at `cutoff` and left by the purge all the same: those in progress,
    /// and settled ones whose lease still runs.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn purge_left(&self, cutoff: Timestamp) -> Result<(Counted, Counted), StoreError> {
        let (mut at_work, mut held) = (0, 0);
        for walk in self.walks()? {
            let first = walk.expiry_bound(walk.first_expiry());
            let binds = [first, walk.expiry_bound(cutoff), LEFT_COUNTED.into()];
            let row = walk.read_one(&walk.sql.purge_left, &binds).await?;
            let mut row = row.ok_or_else(|| StoreError::corrupt("a count has no row"))?;
            at_work += row.some_count()?;
            held += row.some_count()?;
        }
        let counted = |rows| Counted::up_to(LEFT_COUNTED as u64, rows);
        Ok((counted(at_work), counted(held)))
    }

    /// How many rows would be stuck at `silent`, were their state or their clock written as the mapping says. Of a
    /// table without clocks nothing is ever stuck.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn unrecognized_stuck(&self, silent: Timestamp) -> Result<Counted, StoreError> {
        let (Some(renewed), Some(claimed)) = (self.mapping.renewed(), self.mapping.claimed()) else {
            return Ok(Counted::exact(0));
        };
        let first = Timestamp::OLDEST_PLAUSIBLE;
        let binds = [
            renewed.bound(silent),
            claimed.bound(silent),
            renewed.bound(first),
            claimed.bound(first),
            LEFT_COUNTED.into(),
        ];
        let found = self.count(&self.sql.reap_unrecognized, &binds).await?;
        Ok(Counted::up_to(LEFT_COUNTED as u64, found))
    }

    /// Gives space that deleted rows left back to the file system, a bounded piece at a time; false
    /// when nothing is left to do. Only SQLite does this by itself.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn reclaim_some(&self) -> Result<bool, StoreError> {
        self.backend.reclaim_some().await
    }

    /// Takes the claims of these stuck rows away, in one transaction with their audit entries.
    /// Every update asks again what made its row stuck.
    ///
    /// # Errors
    /// [`MissingSetting`](super::ErrorKind::MissingSetting) when the table's mapping does not say how to fail a row. Where the
    /// database refuses one of the rows or its audit entry, none was changed.
    pub async fn reap(
        &self,
        rows: &[KeyRow],
        policy: &(dyn Fn(&KeyRow) -> Retry + Sync),
        reason: &str,
        actor: &Actor,
        audit: bool,
        confirmed: &Confirmed,
    ) -> Result<Vec<Reaping>, StoreError> {
        let by = (reason, actor, audit);
        self.reap_when(&StoreError::is_waiting, rows, policy, by, confirmed)
            .await
            .map_err(|stopped| stopped.error)
    }

    /// The same for a part of a batch that was refused: what may be one row's fault is not tried again.
    pub(crate) async fn reap_part(
        &self,
        rows: &[KeyRow],
        policy: &(dyn Fn(&KeyRow) -> Retry + Sync),
        by: (&str, &Actor, bool),
        confirmed: &Confirmed,
    ) -> Result<Vec<Reaping>, CutShort> {
        let passes = |error: &StoreError| error.is_waiting() && !error.may_be_of_a_row();
        self.reap_when(&passes, rows, policy, by, confirmed).await
    }

    pub(crate) async fn reap_when(
        &self,
        passes: &(dyn Fn(&StoreError) -> bool + Sync),
        rows: &[KeyRow],
        policy: &(dyn Fn(&KeyRow) -> Retry + Sync),
        (reason, actor, audit): (&str, &Actor, bool),
        _confirmed: &Confirmed,
    ) -> Result<Vec<Reaping>, CutShort> {
        let at = AtomicUsize::new(usize::MAX);
        let reaped = async {
            let blocks = rows.iter().any(|row| !policy(row).is_allowed());
            self.check_fail(if blocks { Retry::Block } else { Retry::Allow })?;
            // When the answer to a commit was lost, the rows are looked at again: those that are as they were are
            // reaped now, and of the others the audit tells whose work that was.
            let doubt = Doubt::default();
            let (actor, reason) = (&self.storable_actor(actor).await?, &self.storable(reason).await?);
            let by = (reason.as_str(), actor, audit);
            let mut outcomes = self
                .with_retries_when(true, passes, || async {
                    let mut transaction = self.backend.begin(Purpose::Write).await?;
                    let mut outcomes = Vec::with_capacity(rows.len());
                    for (number, row) in rows.iter().enumerate() {
                        at.store(number, Ordering::Relaxed);
                        match self.reap_row(&mut *transaction, row, policy(row), by, &doubt).await {
                            Ok(outcome) => outcomes.push(outcome),
                            Err(error) => {
                                // Its rows must be let go of before a part of them is tried again.
                                let _ = transaction.rollback().await;
                                return Err(error);
                            }
                        }
                    }
                    at.store(usize::MAX, Ordering::Relaxed);
                    doubt.commit(transaction).await?;
                    Ok(outcomes)
                })
                .await?;
            for (row, outcome) in rows.iter().zip(&mut outcomes) {
                if *outcome == Reaping::Locked {
                    // Whoever can't tell has not told anything else.
                    *outcome = self.look_again(row, policy(row), by).await.unwrap_or(Reaping::Locked);
                }
            }
            Ok(outcomes)
        };
        reaped
            .await
            .map_err(|error| CutShort { error, at: Some(at.into_inner()).filter(|at| *at < rows.len()) })
    }

    /// Why a row stayed as it was: somebody's lock, or something that lets nobody change it. The lock may be gone
    /// by now; then its claim is taken away after all.
    async fn look_again(
        &self,
        row: &KeyRow,
        retry: Retry,
        by: (&str, &Actor, bool),
    ) -> Result<Reaping, StoreError> {
        let doubt = Doubt::default();
        let binds = self.row_binds(row, retry, by.0, self.mapping.fail.as_ref());
        let mut transaction = self.backend.begin(Purpose::Write).await?;
        let looked = async {
            let lock = self.for_row(&self.sql.reap_lock_row, row)?;
            if transaction.fetch_one(&lock, &binds).await?.is_none() {
                // A policy hides it from whoever wants to change it, or it has changed.
                let still = self.for_row(&self.sql.reap_still_stuck, row)?;
                let is_there = transaction.fetch_one(&still, &binds).await?.is_some();
                return Ok(if is_there { Reaping::Kept } else { Reaping::Changed });
            }
            Ok(match self.reap_row(&mut *transaction, row, retry, by, &doubt).await? {
                // The lock on it is ours.
                Reaping::Locked => Reaping::Kept,
                other => other,
            })
        };
        let looked: Result<_, StoreError> = looked.await;
        match looked {
            Ok(outcome) => match doubt.commit(transaction).await {
                Err(error) if error.is_outcome_unknown() => Ok(Reaping::Unknown),
                committed => committed.map(|()| outcome),
            },
            Err(error) => {
                let _ = transaction.rollback().await;
                Err(error)
            }
        }
    }

    /// The reaper's statements without any row: what they fail with then is no row's fault.
    ///
    /// # Errors
    /// Why the database does not take them.
    pub(crate) async fn reap_nothing(
        &self,
        row: &KeyRow,
        audit: bool,
        _confirmed: &Confirmed,
    ) -> Result<(), StoreError> {
        let binds = self.row_binds(row, Retry::Allow, "", self.mapping.fail.as_ref());
        self.changes_nothing(&self.sql.reap_row, binds, audit).await
    }

    async fn reap_row(
        &self,
        transaction: &mut dyn Transaction,
        row: &KeyRow,
        retry: Retry,
        (reason, actor, audit): (&str, &Actor, bool),
        doubt: &Doubt,
    ) -> Result<Reaping, StoreError> {
        if self.unwritable(row, Operation::Fail { retry }).is_some() {
            return Ok(Reaping::Unreadable);
        }
        let entry = self.entry(actor, "reaped", row);
        let binds = self.row_binds(row, retry, reason, self.mapping.fail.as_ref());
        let changed = transaction.execute(&self.for_row(&self.sql.reap_row, row)?, &binds).await?;
        if changed > 0 {
            if audit {
                self.write_audit(transaction.executor(), &entry).await?;
            }
            return Ok(Reaping::Reaped);
        }
        let still = self.for_row(&self.sql.reap_still_stuck, row)?;
        let is_there = transaction.fetch_one(&still, &binds).await?.is_some();
        Ok(match (doubt.is_there(), is_there) {
            (false, true) if !self.dialect().locks_rows() => Reaping::Kept,
            (false, true) => Reaping::Locked,
            (false, false) => Reaping::Changed,
            // By our own first try, maybe, whose commit is still under way.
            (true, true) => {
                return Err(StoreError::new(ErrorKind::Locked, "rows of this batch are locked"));
            }
            (true, false) if !audit => Reaping::Unknown,
            (true, false) => match self.was_audited(transaction.executor(), &entry, row.read_at).await? {
                true => Reaping::Reaped,
                false => Reaping::Changed,
            },
        })
    }

    fn step_binds(&self, after: Timestamp, until: Timestamp, n: u32) -> [Value; 4] {
        let n = i64::from(n.max(1));
        [self.expiry_bound(after), self.expiry_bound(until), (n - 1).into(), (n + 1).into()]
    }

    fn read_step(&self, row: Option<Row>, n: u32) -> Result<PurgeStep, StoreError> {
        let Some(mut row) = row else { return Ok(PurgeStep::Rest) };
        let expiry = match (&self.walk, row.value()?) {
            (Some(walk), Some(stored)) => walk.expiry(&stored),
            _ => None,
        };
        let expiry = row.required(expiry)?;
        Ok(PurgeStep::To { expiry, tied: row.some_int()? > i64::from(n.max(1)) })
    }
}
