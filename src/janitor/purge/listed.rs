//! Where the database refuses a batch: its rows are listed, and the list is halved down to those that are
//! refused. All others go, and the pass with them.

use std::time::Instant;

use super::{Pass, PurgeEnd};
use crate::janitor::RefusedRow;
use crate::protocol::Timestamp;
use crate::store::{DueRow, ErrorKind, StoreError};

/// A list is no shorter than this: to find a row in it costs only so many more statements.
const MIN_LIST: u32 = 200;
/// After so many rows in a row that were refused, the next is expected to be, too. It goes alone.
const A_RUN: u32 = 8;

impl Pass<'_> {
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
        let mut run = 0;
        while let Some(mut rows) = waiting.pop() {
            if rows.is_empty() {
                continue;
            }
            if let Some(end) = self.ask().await {
                return Ok(Some(end));
            }
            let mut most = self.rows_left().and_then(|left| usize::try_from(left).ok()).unwrap_or(rows.len());
            if run >= A_RUN {
                most = 1;
            }
            if most < rows.len() {
                waiting.push(rows.split_off(most));
            }
            let began = Instant::now();
            match self.store.purge_rows(range, &rows, self.confirmed).await {
                Ok(batch) => {
                    run = 0;
                    self.count_deleted(batch);
                    if batch.met_lock {
                        self.skipped += (rows.len() as u64).saturating_sub(batch.deleted);
                    }
                    self.pause(self.pace.rest(batch.deleted, batch.took)).await;
                }
                Err(error) if error.is_of_a_row() && rows.len() == 1 => {
                    run += 1;
                    self.tried = true;
                    self.refused.extend(rows.pop().map(|row| RefusedRow {
                        key: row.key,
                        scope: row.scope,
                        reason: error.said(),
                    }));
                    // Nothing was written: as long a rest as it took is enough.
                    self.pause(began.elapsed()).await;
                }
                Err(error)
                    if rows.len() > 1 && (error.is_of_a_row() || error.kind() == ErrorKind::Timeout) =>
                {
                    self.tried = true;
                    let second = rows.split_off(rows.len() / 2);
                    waiting.push(second);
                    waiting.push(rows);
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
}
