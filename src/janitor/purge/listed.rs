//! Where the database refuses a batch: its rows are listed, and the list is halved down to those that are
//! refused. All others go, and the pass with them.

use std::time::Instant;

use super::{PurgeEnd, PurgePass};
use crate::janitor::RefusedRow;
use crate::protocol::Timestamp;
use crate::store::{DueRow, ErrorKind, StoreError};

/// A list is no shorter than this: to find a row in it costs only so many more statements.
const MIN_LIST: u32 = 200;
/// After so many rows in a row that were refused, the next is expected to be, too. It goes alone.
const A_RUN: u64 = 8;
/// After so many rows in a row that are locked, all are taken to be.
const ALL_LOCKED: u64 = 100;
/// After so many rows in a row that took too long, all are expected to.
const ALL_LATE: u64 = 8;

impl PurgePass<'_> {
    /// The due rows of a range, list by list. Why the pass must end, if it must.
    pub(super) async fn walk_listed(
        &mut self,
        range: (Timestamp, Timestamp),
    ) -> Result<Option<PurgeEnd>, StoreError> {
        // Rows that are still there after they were tried: they come first in every list.
        let mut left = 0;
        loop {
            if let Some(end) = self.ask().await {
                return Ok(Some(end));
            }
            let size = self.pace.size().max(MIN_LIST);
            let rows = match self.store.purge_due(range.0, range.1, size, left).await {
                Ok(rows) => rows,
                Err(error) => {
                    self.give_in(error)?;
                    continue;
                }
            };
            if rows.is_empty() {
                return Ok(None);
            }
            let (found, before) = (rows.len() as u64, self.deleted);
            if let Some(end) = self.sift(range, rows).await? {
                return Ok(Some(end));
            }
            left += found.saturating_sub(self.deleted - before);
        }
    }

    /// Deletes these rows but for those that the database refuses. Why the pass must end, if it must.
    pub(super) async fn sift(
        &mut self,
        range: (Timestamp, Timestamp),
        rows: Vec<DueRow>,
    ) -> Result<Option<PurgeEnd>, StoreError> {
        let mut waiting = vec![rows];
        while let Some(mut rows) = waiting.pop() {
            if rows.is_empty() {
                continue;
            }
            if let Some(end) = self.ask().await {
                return Ok(Some(end));
            }
            let left = self.rows_left().and_then(|left| usize::try_from(left).ok());
            let mut most = left.unwrap_or(usize::MAX).min(self.in_time);
            if self.left_in_a_row >= A_RUN {
                most = 1;
            }
            if most < rows.len() {
                waiting.push(rows.split_off(most));
            }
            let began = Instant::now();
            match self.store.purge_rows(range, &rows, self.confirmed).await {
                Ok(batch) => {
                    self.left_in_a_row = 0;
                    self.count_deleted(batch);
                    if batch.met_lock {
                        self.skipped += (rows.len() as u64).saturating_sub(batch.deleted);
                    }
                    self.pause(self.pace.rest(batch.deleted, batch.took)).await;
                }
                Err(error) if error.may_be_of_a_row() => {
                    self.tried = true;
                    if rows.len() > 1 {
                        if error.kind() == ErrorKind::Timeout {
                            self.in_time = rows.len() / 2;
                        }
                        let second = rows.split_off(rows.len() / 2);
                        waiting.push(second);
                        waiting.push(rows);
                    } else if let Some(row) = rows.pop() {
                        self.leave(row, error)?;
                    }
                    // Nothing was written: as long a rest as it took is enough.
                    self.pause(began.elapsed()).await;
                }
                // What was deleted is gone, and the rest of the list goes now.
                Err(error) if error.is_outcome_unknown() => {
                    self.give_in(error)?;
                    waiting.push(rows);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Leaves a row that does not go alone either. So many of them that wait for something, and none that goes in
    /// between, wait for the same: then the pass ends.
    fn leave(&mut self, row: DueRow, error: StoreError) -> Result<(), StoreError> {
        self.left_in_a_row += 1;
        let is_late = error.kind() == ErrorKind::Timeout;
        let most = match is_late && !error.is_of_a_row() {
            true => ALL_LATE,
            false if error.is_waiting() => ALL_LOCKED,
            false => u64::MAX,
        };
        if self.left_in_a_row >= most {
            return Err(error);
        }
        if is_late {
            // It was this one that took so long.
            self.in_time = usize::MAX;
            self.pace.recover();
        }
        if error.is_a_lock() {
            self.skipped += 1;
        } else {
            let reason = error.said();
            self.refused.extend([RefusedRow { key: row.key, scope: row.scope, reason }]);
        }
        Ok(())
    }
}
