//! What the reap pass asks of the store.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::LEFT_COUNTED;
use crate::protocol::{Retry, Timestamp};
use crate::store::audit::Actor;
use crate::store::{
    Confirmed, Counted, Doubt, ErrorKind, KeyRow, Operation, Purpose, Store, StoreError, Transaction,
};

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

    /// Takes the claims of these stuck rows away, in one transaction with their audit entries.
    /// Every update asks again what made its row stuck.
    ///
    /// # Errors
    /// [`MissingSetting`](crate::store::ErrorKind::MissingSetting) when the table's mapping does not say how to fail a row. Where the
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
    pub(super) async fn look_again(
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

    pub(super) async fn reap_row(
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
}
