//! The table at a glance. The cheap answer reads indexes and the planner's statistics, whatever the
//! table's size, and says which numbers are estimates; the exact one counts.

use std::time::Duration;

use super::{Dialect, Purpose, Sql, Store, StoreError, Value};
use crate::protocol::Timestamp;

/// Numbers are counted up to here; above, they are "at least".
const COUNTED: i64 = 100_000;
/// A table of fewer bytes is counted in a moment.
const SMALL: u64 = 64 * 1024 * 1024;
/// How many scopes are shown.
const SCOPES: i64 = 5;
/// How many hours back and ahead are shown.
pub const STATS_HOURS: usize = 12;

/// A number and how it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Counted {
    /// The number.
    pub value: u64,
    /// `exact`, `estimate`, or `at_least` where counting stopped.
    pub how: How,
}

/// How a number was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Counted.
    Exact,
    /// From statistics.
    Estimate,
    /// Counting stopped here.
    AtLeast,
}

impl Counted {
    fn exact(value: i64) -> Self {
        Self { value: u64::try_from(value).unwrap_or(0), how: How::Exact }
    }

    fn capped(value: i64) -> Self {
        let how = if value >= COUNTED { How::AtLeast } else { How::Exact };
        Self { how, ..Self::exact(value) }
    }

    fn estimate(value: i64) -> Self {
        Self { how: How::Estimate, ..Self::exact(value) }
    }
}

/// What the last pass did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PassNote {
    /// When it began.
    pub started: Option<Timestamp>,
    /// When one last came to its end.
    pub succeeded: Option<Timestamp>,
    /// Rows per second.
    pub rate: Option<i64>,
}

/// What is asked of [`Store::stats`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatsOptions {
    /// A row in progress is stuck after this long without a sign of life.
    pub stuck_after: Duration,
    /// How long past its expiry a row stays.
    pub grace: Duration,
    /// Count everything, however long it takes.
    pub exact: bool,
}

/// The table at a glance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableStats {
    /// The database's clock.
    pub now: Timestamp,
    /// All rows.
    pub rows: Counted,
    /// Rows in progress.
    pub in_progress: Counted,
    /// Completed rows.
    pub completed: Counted,
    /// Failed rows.
    pub failed: Counted,
    /// Stuck rows.
    pub stuck: Counted,
    /// The oldest claim in progress.
    pub oldest_claim: Option<Timestamp>,
    /// Rows that a purge would delete now.
    pub backlog: Counted,
    /// The oldest expiry that was not purged.
    pub oldest_expiry: Option<Timestamp>,
    /// Bytes of the table; of the whole file on SQLite.
    pub table_bytes: u64,
    /// Bytes of its indexes; on SQLite, of the file's free pages.
    pub other_bytes: u64,
    /// The largest scopes.
    pub scopes: Vec<(String, Counted)>,
    /// Claims in each of the last hours, the oldest first; empty where only a full scan could tell.
    pub claims: Vec<(Timestamp, Counted)>,
    /// Settled rows that expire in each of the coming hours.
    pub expiries: Vec<(Timestamp, Counted)>,
    /// The last purge pass.
    pub purge: PassNote,
}

const HOUR: Duration = Duration::from_secs(3_600);

impl Store {
    /// Looks at the table.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn stats(&self, options: &StatsOptions) -> Result<TableStats, StoreError> {
        let now = self.now().await?;
        let (about, table_bytes, other_bytes) = self.sizes().await?;
        let exact = options.exact || table_bytes < SMALL;
        let cap = if exact { i64::MAX } else { COUNTED };
        let counted = |number: i64| if exact { Counted::exact(number) } else { Counted::capped(number) };
        let cutoff = now.minus(options.grace);

        let binds = [
            now.minus(options.stuck_after).into(),
            cutoff.into(),
            cap.into(),
            Timestamp::OLDEST_PLAUSIBLE.into(),
        ];
        let mut row = self.one(&self.sql.stats_quick, &binds).await?;
        let mut in_progress = counted(row.int()?.unwrap_or(0));
        let mut failed = counted(row.int()?.unwrap_or(0));
        let stuck = counted(row.int()?.unwrap_or(0));
        let oldest_claim = row.time()?;
        let mut backlog = counted(row.int()?.unwrap_or(0));
        let oldest_expiry = row.time()?;

        let rows;
        if exact {
            let mut row = self.one(&self.sql.stats_exact, &[]).await?;
            rows = Counted::exact(row.int()?.unwrap_or(0));
            in_progress = Counted::exact(row.int()?.unwrap_or(0));
            failed = Counted::exact(row.int()?.unwrap_or(0));
        } else {
            rows = Counted::estimate(about);
            if backlog.how == How::AtLeast && self.dialect() == Dialect::Postgres {
                let range = [Timestamp::OLDEST_PLAUSIBLE.into(), cutoff.into()];
                backlog = self.planned(&self.sql.stats_expiries, &range).await?;
            }
        }
        let completed =
            Counted { value: rows.value.saturating_sub(in_progress.value + failed.value), how: rows.how };
        Ok(TableStats {
            now,
            rows,
            in_progress,
            completed,
            failed,
            stuck,
            oldest_claim,
            backlog,
            oldest_expiry: oldest_expiry.filter(|at| *at <= now),
            table_bytes,
            other_bytes,
            scopes: self.scopes(exact, rows.value).await?,
            claims: self.hours(&self.sql.stats_claims, now, -(STATS_HOURS as i64), exact).await?,
            expiries: self.hours(&self.sql.stats_expiries, now, 0, exact).await?,
            purge: self.pass_note("purge").await?,
        })
    }

    async fn one(&self, sql: &Sql, binds: &[Value]) -> Result<super::Row, StoreError> {
        self.read_one(sql, binds).await?.ok_or_else(|| StoreError::corrupt("a count has no row"))
    }

    async fn sizes(&self) -> Result<(i64, u64, u64), StoreError> {
        let name = self.mapping.name.quoted(self.dialect());
        let mut row = self.one(&self.sql.stats_sizes, &[name.into()]).await?;
        let about = row.int()?.unwrap_or(0).max(0);
        let bytes = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok()).unwrap_or(0);
        Ok((about, bytes(row.int()?), bytes(row.int()?)))
    }

    async fn scopes(&self, exact: bool, rows: u64) -> Result<Vec<(String, Counted)>, StoreError> {
        let mut scopes = Vec::new();
        if exact {
            for mut row in self.read(&self.sql.stats_scopes, &[SCOPES.into()]).await? {
                scopes.push((row.text()?.unwrap_or_default(), Counted::exact(row.int()?.unwrap_or(0))));
            }
        } else if let (Dialect::Postgres, Some(scope)) = (self.dialect(), self.mapping.scope.first()) {
            let binds = [self.mapping.name.name.as_str().into(), scope.as_str().into(), SCOPES.into()];
            for mut row in self.read(&self.sql.stats_scopes_quick, &binds).await? {
                let name = row.text()?.unwrap_or_default();
                let millionths = row.int()?.unwrap_or(0);
                let number = i128::from(rows) * i128::from(millionths) / 1_000_000;
                scopes.push((name, Counted::estimate(i64::try_from(number).unwrap_or(i64::MAX))));
            }
        }
        Ok(scopes)
    }

    /// Twelve hours from `first` hours before or after now.
    async fn hours(
        &self,
        sql: &Sql,
        now: Timestamp,
        first: i64,
        exact: bool,
    ) -> Result<Vec<(Timestamp, Counted)>, StoreError> {
        if !exact && self.dialect() == Dialect::Sqlite {
            // Only a scan could tell, and SQLite keeps no statistics of ranges.
            return Ok(Vec::new());
        }
        let start = if first < 0 { now.minus(HOUR * STATS_HOURS as u32) } else { now };
        let mut hours = Vec::with_capacity(STATS_HOURS);
        for hour in 0..STATS_HOURS as u32 {
            let (from, to) = (start.plus(HOUR * hour), start.plus(HOUR * (hour + 1)));
            let binds = [from.into(), to.into()];
            let number = if exact {
                Counted::exact(self.one(sql, &binds).await?.int()?.unwrap_or(0))
            } else {
                self.planned(sql, &binds).await?
            };
            hours.push((from, number));
        }
        Ok(hours)
    }

    /// What PostgreSQL's planner expects a count to count.
    async fn planned(&self, sql: &Sql, binds: &[Value]) -> Result<Counted, StoreError> {
        let explain = Sql::new(format!("EXPLAIN {}", sql.as_str().replacen("count(*)", "1", 1)));
        let mut transaction = self.backend.begin(Purpose::Read).await?;
        let plan = transaction.fetch(&explain, binds).await?;
        transaction.commit().await?;
        let Some(mut top) = plan.into_iter().next() else { return Ok(Counted::estimate(0)) };
        let text = top.text()?.unwrap_or_default();
        let rows = text
            .split("rows=")
            .nth(1)
            .and_then(|rest| rest.split(' ').next())
            .and_then(|rows| rows.parse().ok())
            .unwrap_or(0);
        // The planner never expects nothing.
        Ok(Counted::estimate(if rows <= 1 { 0 } else { rows }))
    }

    /// What the last pass of this kind did.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn pass_note(&self, pass: &str) -> Result<PassNote, StoreError> {
        let binds = [self.mapping.name.to_string().into(), pass.into()];
        Ok(match self.read_one(&self.sql.pass_read, &binds).await? {
            None => PassNote::default(),
            Some(mut row) => PassNote { started: row.time()?, succeeded: row.time()?, rate: row.int()? },
        })
    }

    /// Notes what a pass did, for `stats` and for whoever watches.
    ///
    /// # Errors
    /// When the role may not write the note; the pass itself stands.
    pub async fn note_pass(&self, pass: &str, note: PassNote) -> Result<(), StoreError> {
        let binds = [
            self.mapping.name.to_string().into(),
            pass.into(),
            Value::Time(note.started),
            Value::Time(note.succeeded),
            note.rate.into(),
        ];
        let mut transaction = self.backend.begin(Purpose::Write).await?;
        transaction.execute(&self.sql.pass_record, &binds).await?;
        transaction.commit().await
    }
}
