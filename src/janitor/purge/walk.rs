//! The walk of a purge pass through what is due.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::report::PurgeEnd;
use super::{PurgeOptions, PurgeProgress};
use crate::janitor::{Admission, Hold, Pace, PaceOptions, Refused};
use crate::protocol::Timestamp;
use crate::store::{
    Batch, Confirmed, Dialect, ErrorKind, PurgeStep, StepAhead, Store, StoreError, TiedCursor,
};

/// Rows of the usual size on a PostgreSQL heap block of 8 KiB; only the first batch depends on it.
pub(super) const ROWS_PER_BLOCK: u32 = 20;

/// How often a pass that waits before its hold asks again.
pub(super) const HOLD_POLL: Duration = Duration::from_millis(500);

/// After so many answers lost one after the other the pass ends.
pub(super) const LOST_IN_A_ROW: u32 = 3;

/// What became of a range.
pub(super) enum Ranged {
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
pub(super) enum Failed {
    /// Make it again.
    Again,
    /// One of its rows is to blame: they go by lists.
    List,
}

pub(super) struct PurgePass<'a> {
    pub(super) store: &'a Store,
    pub(super) options: &'a PurgeOptions,
    pub(super) confirmed: &'a Confirmed,
    pub(super) hold: &'a dyn Hold,
    pub(super) progress: &'a mut (dyn FnMut(PurgeProgress) + Send),
    pub(super) cutoff: Timestamp,
    pub(super) started: Instant,
    /// The cursor: what expired up to here is gone, but for what is skipped or spared.
    pub(super) reached: Timestamp,
    pub(super) deleted: u64,
    pub(super) batches: u64,
    pub(super) skipped: u64,
    pub(super) unknown_batches: u64,
    /// Of those, the ones without an answer in between.
    pub(super) lost_in_a_row: u32,
    pub(super) refused: Refused,
    /// Rows that were left one after the other, refused or locked, since the last that went.
    pub(super) left_in_a_row: u64,
    /// So many rows were not too much for one statement.
    pub(super) in_time: usize,
    /// It got as far as having a row refused.
    pub(super) tried: bool,
    pub(super) full_scan: bool,
    pub(super) pace: Pace,
}

impl PurgePass<'_> {
    pub(super) async fn walk(&mut self) -> Result<PurgeEnd, StoreError> {
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
    pub(super) async fn walk_heap(&mut self, cursor: TiedCursor) -> Result<PurgeEnd, StoreError> {
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
    pub(super) async fn range(
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
    pub(super) fn give_in(&mut self, error: StoreError) -> Result<(), StoreError> {
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
    pub(super) async fn failed(
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
    pub(super) async fn walk_tied(&mut self, expiry: Timestamp) -> Result<Option<PurgeEnd>, StoreError> {
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
    pub(super) async fn walk_pieces(
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

    pub(super) fn pace_in_blocks(&self) -> Pace {
        Pace::new(self.options.pace.in_blocks(ROWS_PER_BLOCK), self.store.dialect())
    }

    pub(super) fn rows_left(&self) -> Option<u64> {
        self.options.max_rows.map(|limit| limit.saturating_sub(self.deleted))
    }

    /// Passes the hold, waiting before it where it must, unless the pass has to end.
    pub(super) async fn ask(&mut self) -> Option<PurgeEnd> {
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

    pub(super) fn must_end(&self) -> Option<PurgeEnd> {
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

    pub(super) fn count_deleted(&mut self, batch: Batch) {
        self.lost_in_a_row = 0;
        self.deleted += batch.deleted;
        self.batches += 1;
        (self.progress)(PurgeProgress { deleted: self.deleted, batch: batch.deleted, took: batch.took });
    }

    pub(super) async fn rest(&mut self, batch: Batch) {
        self.pace.learn(batch.took, batch.met_lock);
        self.pause(self.pace.rest(batch.deleted, batch.took)).await;
    }

    /// Sleeps, but neither past the time limit nor when told to stop.
    pub(super) async fn pause(&mut self, rest: Duration) {
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
    pub(super) async fn reclaim(&mut self) -> Result<(), StoreError> {
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
