//! A bounded look at the rows themselves.

use std::time::Duration;

use super::question;
use crate::protocol::Status;
use crate::protocol::Timestamp;
use crate::store::{Dialect, Store, StoreError};
use crate::table::Clock;

/// About how many rows a sample has.
const SAMPLE: u64 = 10_000;

/// Which part of the table is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowSample {
    sql: String,
    /// It is the whole table, as far as the estimate of its rows is right: see [`RowSample::is_whole`].
    pub whole: bool,
}

impl RowSample {
    /// Whether a sample of so many rows was the whole table. An estimate may be from a time when the table was
    /// small.
    pub fn is_whole(&self, rows: u64) -> bool {
        self.whole && rows < 2 * SAMPLE
    }
}

/// What a sample says of a clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockSample {
    /// Rows that were looked at.
    pub rows: u64,
    /// Those that hold NULL.
    pub nulls: u64,
    /// Those whose moment no living application set.
    pub implausible: u64,
    /// Those that are not written as declared.
    pub misspelled: u64,
    /// One of them.
    pub example: Option<String>,
    /// The latest of the others.
    pub latest: Option<Timestamp>,
}

impl Store {
    /// Some ten thousand rows, chosen without reading all: blocks from all over the table on PostgreSQL,
    /// the newest rows on SQLite.
    pub fn row_sample(&self, rows: Option<u64>) -> RowSample {
        let table = self.table_sql();
        let rowid = self.fragments().tokens().into_iter().find(|(name, _)| *name == "rowid");
        match (self.dialect(), rowid) {
            (Dialect::Postgres, _) if rows.is_none_or(|rows| rows <= SAMPLE) => RowSample {
                sql: format!("(SELECT * FROM {table} LIMIT {}) AS sample", 2 * SAMPLE),
                whole: rows.is_some(),
            },
            (Dialect::Postgres, _) => {
                let rows = rows.unwrap_or(SAMPLE);
                // A view has no blocks to choose from, and its estimate of rows is zero.
                let percent = (SAMPLE as f64 * 100.0 / rows as f64).clamp(0.001, 100.0);
                let sql = format!(
                    "(SELECT * FROM {table} TABLESAMPLE SYSTEM ({percent:.4}) LIMIT {}) AS sample",
                    2 * SAMPLE
                );
                RowSample { sql, whole: false }
            }
            (Dialect::Sqlite, Some((_, rowid))) if rowid != "NULL" => RowSample {
                sql: format!("(SELECT * FROM {table} ORDER BY {rowid} DESC LIMIT {SAMPLE}) AS sample"),
                whole: false,
            },
            (Dialect::Sqlite, _) => {
                RowSample { sql: format!("(SELECT * FROM {table} LIMIT {SAMPLE}) AS sample"), whole: false }
            }
        }
    }

    /// One clock in a sample.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn clock_sample(&self, sample: &RowSample, clock: &Clock) -> Result<ClockSample, StoreError> {
        let tokens = [
            ("column", self.column_sql(&clock.column)),
            ("spelled", self.fragments().spelled(clock).unwrap_or_else(|| "(1 = 1)".to_owned())),
            ("read", self.fragments().clock(Some(clock))),
            ("sample", sample.sql.clone()),
        ];
        let binds = [clock.bound(Timestamp::OLDEST_PLAUSIBLE)];
        let mut row = self.ask_one(question!("doctor_clock"), &tokens, &binds).await?;
        Ok(ClockSample {
            rows: row.some_count()?,
            nulls: row.some_count()?,
            implausible: row.some_count()?,
            misspelled: row.some_count()?,
            example: row.text()?,
            latest: row.value()?.and_then(|stored| clock.decode(&stored)),
        })
    }

    /// The states that nobody listed, each with how often a sample has it; `None` is NULL.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn unlisted_states(
        &self,
        sample: &RowSample,
    ) -> Result<Vec<(Option<String>, u64)>, StoreError> {
        let Some(column) = self.mapping.state.column() else { return Ok(Vec::new()) };
        let Some(unknown) = self.mapping.state.is_unknown(&self.columns) else { return Ok(Vec::new()) };
        let tokens = [
            ("state", format!("CAST({} AS text)", self.column_sql(column))),
            ("unknown", unknown),
            ("sample", sample.sql.clone()),
        ];
        let rows = self.ask(question!("doctor_states"), &tokens, &[]).await?;
        rows.into_iter().map(|mut row| Ok((row.text()?, row.some_count()?))).collect()
    }

    /// How long completed rows of a sample were at work: all of it, and after their last heartbeat. Empty
    /// where the table does not say. A failed row does not count: the reaper may have failed it, long after its
    /// worker was gone.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn runtimes(&self, sample: &RowSample) -> Result<Vec<(Duration, Duration)>, StoreError> {
        let (Some(claimed), Some(finished)) = (self.mapping.claimed(), &self.mapping.clocks.finished) else {
            return Ok(Vec::new());
        };
        let renewed = self.mapping.renewed().unwrap_or(claimed);
        let tokens = [
            ("finished_read", self.fragments().clock(Some(finished))),
            ("finished_clock", self.column_sql(&finished.column)),
            ("completed", self.mapping.state.is(&[Status::Completed], &self.columns)),
            ("sample", sample.sql.clone()),
        ];
        let mut runtimes = Vec::new();
        for mut row in self.ask(question!("doctor_runtimes"), &tokens, &[]).await? {
            let mut read =
                |clock: &Clock| row.value().map(|stored| stored.and_then(|stored| clock.decode(&stored)));
            let (from, alive, to) = (read(claimed)?, read(renewed)?, read(finished)?);
            if let (Some(from), Some(to)) = (from, to)
                && from > Timestamp::OLDEST_PLAUSIBLE
                && to >= from
            {
                let silent = alive.filter(|alive| *alive >= from && *alive <= to);
                runtimes.push((to.since(from), to.since(silent.unwrap_or(from))));
            }
        }
        Ok(runtimes)
    }

    /// How long the leases of rows in progress run from their last heartbeat; empty where the table has
    /// none.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn lease_lengths(&self, sample: &RowSample) -> Result<Vec<Duration>, StoreError> {
        let (Some(renewed), Some(lease)) = (self.mapping.renewed(), &self.mapping.clocks.lease) else {
            return Ok(Vec::new());
        };
        let tokens = [("lease_read", self.fragments().clock(Some(lease))), ("sample", sample.sql.clone())];
        let mut lengths = Vec::new();
        for mut row in self.ask(question!("doctor_leases"), &tokens, &[]).await? {
            let mut read =
                |clock: &Clock| row.value().map(|stored| stored.and_then(|stored| clock.decode(&stored)));
            if let (Some(from), Some(until)) = (read(renewed)?, read(lease)?)
                && until > from
            {
                lengths.push(until.since(from));
            }
        }
        Ok(lengths)
    }

    /// In which storage classes SQLite keeps a column's values, each with how often a sample has it.
    ///
    /// # Errors
    /// When the file can't be read.
    pub async fn storage_classes(
        &self,
        sample: &RowSample,
        column: &crate::table::Ident,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let tokens = [("column", self.column_sql(column)), ("sample", sample.sql.clone())];
        let rows = self.ask(question!("doctor_classes" sqlite), &tokens, &[]).await?;
        rows.into_iter().map(|mut row| Ok((row.some_text()?, row.some_count()?))).collect()
    }

    /// The oldest expiry at or before `cutoff` that was not purged, along every way.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn oldest_due(&self, cutoff: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let mut oldest = None;
        for walk in self.walks()? {
            let binds = [walk.expiry_bound(walk.first_expiry()), walk.expiry_bound(cutoff)];
            for mut row in walk.ask(question!("doctor_backlog"), &[], &binds).await? {
                let at = row.value()?.and_then(|stored| walk.walk.as_ref()?.expiry(&stored));
                oldest = match (oldest, at) {
                    (Some(known), Some(at)) if known <= at => Some(known),
                    (known, at) => at.or(known),
                };
            }
        }
        Ok(oldest)
    }

    /// The condition that nothing says since when a row has no heartbeat; `None` where that can't be.
    #[cfg(feature = "cli")]
    pub(crate) fn ageless_sql(&self) -> Option<String> {
        self.fragments().ageless()
    }

    /// The condition on rows in progress as an index would have it, for statements that are shown.
    #[cfg(feature = "cli")]
    pub(crate) fn in_progress_sql(&self) -> String {
        self.mapping.state_is(&[Status::InProgress], &self.columns)
    }
}
