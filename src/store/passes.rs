//! What the reap and purge passes ask of a store, one bounded transaction each. The passes
//! themselves, their order and their pace, are in [`crate::janitor`].

mod reap;

use std::time::Duration;

use super::{Confirmed, Counted, Dialect, Purpose, Row, Statement, Store, StoreError, Value};
use crate::dialect::Bound;
use crate::protocol::Timestamp;
pub(crate) use reap::CutShort;
pub use reap::Reaping;

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

    /// Gives space that deleted rows left back to the file system, a bounded piece at a time; false
    /// when nothing is left to do. Only SQLite does this by itself.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn reclaim_some(&self) -> Result<bool, StoreError> {
        self.backend.reclaim_some().await
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
