//! A summary of the table. The cheap answer reads indexes and the planner's statistics, whatever the
//! table's size, and says which numbers are estimates; the exact one counts.

mod counted;
mod report;

use std::time::{Duration, Instant};

use super::{Dialect, ErrorKind, LeaseRow, PauseRow, Purpose, Statement, Store, StoreError, Value};
use crate::protocol::Timestamp;
use crate::table::Clock;
pub use counted::{Counted, How};
pub use report::{Sample, StatsOptions, Stays, TableStats, Unreaped};

/// Numbers are counted up to here; above, they are "at least".
const COUNTED: i64 = 100_000;
/// A table of fewer bytes is counted in a moment.
const SMALL: u64 = 64 * 1024 * 1024;
/// How many scopes are shown.
const SCOPES: i64 = 5;
/// How many hours back and ahead are shown.
pub const STATS_HOURS: usize = 12;

/// About how large a table is.
pub(super) struct Size {
    /// How many rows it has, as far as anything tells.
    pub(super) rows: Option<u64>,
    /// Its bytes; on SQLite, the file's.
    pub(super) table_bytes: u64,
    other_bytes: u64,
}

const HOUR: Duration = Duration::from_secs(3_600);

/// What a few reads of indexes and statistics tell.
struct Summary {
    now: Timestamp,
    exact: bool,
    rows: Counted,
    in_progress: Counted,
    failed: Counted,
    unknown: Counted,
    kept: Counted,
    stuck: Counted,
    oldest_claim: Option<Timestamp>,
    backlog: Counted,
    oldest_expiry: Option<Timestamp>,
    oldest_stuck: Option<Timestamp>,
    table_bytes: u64,
    other_bytes: u64,
}

impl Summary {
    /// Whatever is in none of the other states.
    fn completed(&self) -> Counted {
        if self.rows.how == How::Unknown {
            return Counted::unknown();
        }
        let others = self.in_progress.value + self.failed.value + self.unknown.value + self.kept.value;
        Counted { value: self.rows.value.saturating_sub(others), how: self.rows.how }
    }
}

impl Store {
    /// Looks at the table.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn stats(&self, options: &StatsOptions) -> Result<TableStats, StoreError> {
        self.check_settings(&["table.clock.lease"])?;
        self.check_settings(&self.mapping.age_settings())?;
        self.check_settings(&self.mapping.expiry_settings())?;
        let summary = self.summary(options).await?;
        let Summary { now, exact, rows, .. } = summary;
        let (leases, pause) = self.janitors().await?;
        Ok(TableStats {
            now,
            rows,
            in_progress: summary.in_progress,
            completed: summary.completed(),
            failed: summary.failed,
            unknown: summary.unknown,
            kept: summary.kept,
            stuck: summary.stuck,
            oldest_claim: summary.oldest_claim,
            backlog: summary.backlog,
            oldest_expiry: summary.oldest_expiry.filter(|at| *at <= now),
            unreaped: self.unreaped(now.minus(options.stuck_after), exact).await?,
            table_bytes: summary.table_bytes,
            other_bytes: summary.other_bytes,
            scopes: self.scopes(exact, rows.value).await?,
            claims: self.hours(&self.sql.stats_claims, now, -(STATS_HOURS as i64), exact).await?,
            expiries: self.expiries(now, exact).await?,
            leases,
            pause,
            stays: self.stays(now.minus(options.grace), exact).await?,
            kept_by: self.kept_by().await?,
        })
    }

    /// Who leads, and the pause; or why nobody knows here. A report on rows needs no right to look at janitors.
    async fn janitors(&self) -> Result<(Result<Vec<LeaseRow>, String>, Option<PauseRow>), StoreError> {
        let asked = async {
            match self.has_leases().await? {
                true => Ok(Some((self.leases().await?, self.pause().await?))),
                false => Ok(None),
            }
        };
        let asked: Result<_, StoreError> = asked.await;
        match asked {
            Ok(Some((leases, pause))) => Ok((Ok(leases), pause)),
            Ok(None) => {
                let why = "idemctl_lease or idemctl_pause is missing here; `idemctl migrate` makes them";
                Ok((Err(why.to_owned()), None))
            }
            Err(error) if error.kind() == ErrorKind::Right => Ok((Err(error.chain()), None)),
            Err(error) => Err(error),
        }
    }

    /// The numbers that a watcher wants every minute.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn sample(&self, stuck_after: Duration, grace: Duration) -> Result<Sample, StoreError> {
        let began = Instant::now();
        let summary = self.summary(&StatsOptions { stuck_after, grace, exact: false }).await?;
        Ok(Sample {
            at: summary.now,
            in_progress: summary.in_progress,
            completed: summary.completed(),
            failed: summary.failed,
            stuck: summary.stuck,
            backlog: summary.backlog,
            oldest_stuck: summary.oldest_stuck,
            took: began.elapsed(),
        })
    }

    async fn summary(&self, options: &StatsOptions) -> Result<Summary, StoreError> {
        let now = self.now().await?;
        let Size { rows: about, table_bytes, other_bytes } = self.sizes().await?;
        let exact = options.exact || table_bytes < SMALL;
        let cap = if exact { i64::MAX } else { COUNTED };
        let counted = |number: i64| if exact { Counted::exact(number) } else { Counted::capped(number) };
        let cutoff = now.minus(options.grace);

        let bound = |clock: Option<&Clock>, at: Timestamp| match clock {
            Some(clock) => clock.bound(at),
            None => Value::Time(Some(at)),
        };
        let silent = now.minus(options.stuck_after);
        let mapping = &self.mapping;
        let binds = [
            bound(mapping.claimed(), silent),
            self.expiry_bound(cutoff),
            cap.into(),
            self.expiry_bound(self.first_expiry()),
            bound(mapping.renewed(), silent),
            bound(mapping.clocks.lease.as_ref(), now),
            bound(mapping.claimed(), Timestamp::OLDEST_PLAUSIBLE),
            bound(mapping.renewed(), Timestamp::OLDEST_PLAUSIBLE),
        ];
        let mut row = self.one(&self.sql.stats_quick, &binds).await?;
        let mut in_progress = counted(row.some_int()?);
        let mut failed = counted(row.some_int()?);
        let stuck = counted(row.some_int()?);
        let oldest_claim = row.value()?.and_then(|stored| mapping.claimed()?.decode(&stored));
        let mut backlog = counted(row.some_int()?);
        let mut oldest_expiry = row.value()?.and_then(|stored| self.walk.as_ref()?.expiry(&stored));
        let oldest_stuck = row.value()?.and_then(|stored| mapping.renewed()?.decode(&stored));

        let (rows, unknown, kept);
        if exact {
            let mut row = self.one(&self.sql.stats_exact, &[]).await?;
            rows = Counted::exact(row.some_int()?);
            in_progress = Counted::exact(row.some_int()?);
            failed = Counted::exact(row.some_int()?);
            unknown = Counted::exact(row.some_int()?);
            kept = Counted::exact(row.some_int()?);
        } else {
            rows = match about {
                Some(about) => Counted::estimate(i64::try_from(about).unwrap_or(i64::MAX)),
                None => Counted::unknown(),
            };
            let has_unknown = !mapping.is_owned() && mapping.state.is_unknown(&self.columns).is_some();
            unknown = self.unless_indexed(&self.sql.stats_unknown, has_unknown).await?;
            let has_kept = mapping.state.is_kept(&self.columns).is_some();
            kept = self.unless_indexed(&self.sql.stats_kept, has_kept).await?;
            if backlog.how == How::AtLeast && self.dialect().has_estimates() {
                let range = [self.expiry_bound(self.first_expiry()), self.expiry_bound(cutoff)];
                backlog = self.planned(&self.sql.stats_expiries, &range).await?;
            }
        }
        // Rows without an expiry of their own become due by their age.
        for walk in self.walks()?.into_iter().skip(1) {
            let due = walk.purge_count(walk.first_expiry(), cutoff, cap).await?;
            let due = counted(i64::try_from(due).unwrap_or(i64::MAX));
            backlog = backlog.and(due);
            let oldest = walk.oldest_expiry(now).await?;
            oldest_expiry = oldest_expiry.into_iter().chain(oldest).min();
        }
        Ok(Summary {
            now,
            exact,
            rows,
            in_progress,
            failed,
            unknown,
            kept,
            stuck,
            oldest_claim,
            backlog,
            oldest_expiry,
            oldest_stuck,
            table_bytes,
            other_bytes,
        })
    }

    /// Rows that no purge takes, however old they are. `exact` counts what only a full scan tells.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn stays(&self, cutoff: Timestamp, exact: bool) -> Result<Stays, StoreError> {
        let (mut busy, mut without_clock) = (Counted::exact(0), Counted::exact(0));
        let walks = self.walks()?;
        for walk in &walks {
            busy = busy.and(walk.busy(cutoff).await?);
        }
        // The last way is for the rows that have no clock of the ways before.
        if let Some(last) = walks.last()
            && let Some(way) = &last.walk
            && std::iter::once(&way.clock.column).chain(&way.where_null).all(|name| self.may_be_null(name))
        {
            without_clock = match (exact, self.dialect()) {
                (true, _) => Counted::exact(last.one(&last.sql.stays_undated, &[]).await?.some_int()?),
                (false, Dialect::Postgres) => last.planned(&last.sql.stays_undated, &[]).await?,
                (false, Dialect::Sqlite) => Counted::unknown(),
            };
        }
        let unreadable = self.unrecognized(cutoff).await?;
        Ok(Stays { in_progress: busy, without_clock, unreadable })
    }

    /// Rows in progress that no reaper takes. `exact` counts what only a full scan tells.
    async fn unreaped(&self, silent: Timestamp, exact: bool) -> Result<Unreaped, StoreError> {
        // An index leads to those of our own.
        let unreadable = match exact || self.mapping.is_owned() {
            true => self.unrecognized_stuck(silent).await?,
            false => Counted::unknown(),
        };
        Ok(Unreaped { without_clock: self.ageless().await?, unreadable })
    }

    /// Rows in progress that hold NULL in every clock that could make them stuck.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn ageless(&self) -> Result<Counted, StoreError> {
        // Where there can be none, nothing is asked.
        if self.fragments().ageless().is_none() {
            return Ok(Counted::exact(0));
        }
        Ok(Counted::capped(self.one(&self.sql.reap_ageless, &[COUNTED.into()]).await?.some_int()?))
    }

    async fn kept_by(&self) -> Result<Vec<String>, StoreError> {
        let blockers = self.purge_blockers().await?;
        let references = self.references().await?;
        let refusal = blockers.refusal.as_ref().map(StoreError::chain);
        let references = references.iter().map(|reference| format!("the foreign key of {reference}"));
        Ok(refusal.into_iter().chain(references).chain(blockers.blocking_triggers).collect())
    }

    /// Expired rows in progress along this way.
    async fn busy(&self, cutoff: Timestamp) -> Result<Counted, StoreError> {
        let binds = [self.expiry_bound(self.first_expiry()), self.expiry_bound(cutoff), COUNTED.into()];
        Ok(Counted::capped(self.one(&self.sql.stays_busy, &binds).await?.some_int()?))
    }

    /// Expired rows in progress, along every way: no purge takes them.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn expired_in_progress(&self, cutoff: Timestamp) -> Result<Counted, StoreError> {
        let mut busy = Counted::exact(0);
        for walk in self.walks()? {
            busy = busy.and(walk.busy(cutoff).await?);
        }
        Ok(busy)
    }

    /// Our own table's clocks that decide are never NULL.
    fn may_be_null(&self, column: &crate::table::Ident) -> bool {
        !self.mapping.is_owned() && self.columns.is_nullable(column)
    }

    async fn one(&self, sql: &Statement, binds: &[Value]) -> Result<super::Row, StoreError> {
        self.read_one(sql, binds).await?.ok_or_else(|| StoreError::corrupt("a count has no row"))
    }

    /// A number that no index serves, where there can be such rows.
    async fn unless_indexed(&self, sql: &Statement, can_be: bool) -> Result<Counted, StoreError> {
        match (can_be, self.dialect()) {
            (false, _) => Ok(Counted::exact(0)),
            (true, Dialect::Postgres) => self.planned(sql, &[]).await,
            // Nothing but a count could tell.
            (true, Dialect::Sqlite) => Ok(Counted::unknown()),
        }
    }

    /// About how large the table is.
    pub(super) async fn sizes(&self) -> Result<Size, StoreError> {
        let name = self.mapping.name.quoted(self.dialect());
        let mut row = self.one(&self.sql.stats_sizes, &[name.into()]).await?;
        let rows = row.int()?.map(|rows| u64::try_from(rows).unwrap_or(0));
        let (table_bytes, other_bytes) = (row.some_count()?, row.some_count()?);
        let rows = match (rows, self.dialect()) {
            // The planner counts from the table's size where nobody has counted rows, and knows of a guard.
            (rows, Dialect::Postgres) if rows.is_none() || !self.mapping.guard.is_empty() => {
                self.planned(&self.sql.stats_rows, &[]).await?.known()
            }
            (_, Dialect::Sqlite) if !self.mapping.guard.is_empty() => None,
            (rows, _) => rows,
        };
        Ok(Size { rows, table_bytes, other_bytes })
    }

    async fn scopes(&self, exact: bool, rows: u64) -> Result<Vec<(String, Counted)>, StoreError> {
        let mut scopes = Vec::new();
        if self.mapping.scope.is_empty() {
            return Ok(scopes);
        }
        if exact {
            for mut row in self.read(&self.sql.stats_scopes, &[SCOPES.into()]).await? {
                scopes.push((row.some_text()?, Counted::exact(row.some_int()?)));
            }
        } else if let (Dialect::Postgres, [scope]) = (self.dialect(), self.mapping.scope.as_slice()) {
            let table = self.mapping.name.quoted(self.dialect());
            let binds = [table.into(), scope.as_str().into(), SCOPES.into()];
            for mut row in self.read(&self.sql.stats_scopes_quick, &binds).await? {
                let name = row.some_text()?;
                let millionths = row.some_int()?;
                let number = i128::from(rows) * i128::from(millionths) / 1_000_000;
                scopes.push((name, Counted::estimate(i64::try_from(number).unwrap_or(i64::MAX))));
            }
        }
        Ok(scopes)
    }

    /// The oldest expiry along this way, if it is past.
    async fn oldest_expiry(&self, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let binds =
            [self.expiry_bound(self.first_expiry()), self.expiry_bound(now), 0_i64.into(), 1_i64.into()];
        let Some(mut row) = self.read_one(&self.sql.purge_step, &binds).await? else { return Ok(None) };
        Ok(row.value()?.and_then(|stored| self.walk.as_ref()?.expiry(&stored)))
    }

    /// Settled rows that expire in each of the coming hours, along every way.
    async fn expiries(&self, now: Timestamp, exact: bool) -> Result<Vec<(Timestamp, Counted)>, StoreError> {
        let mut hours = self.hours(&self.sql.stats_expiries, now, 0, exact).await?;
        for walk in self.walks()?.into_iter().skip(1) {
            let more = walk.hours(&walk.sql.stats_expiries, now, 0, exact).await?;
            for ((_, rows), (_, others)) in hours.iter_mut().zip(more) {
                *rows = rows.and(others);
            }
        }
        Ok(hours)
    }

    /// Twelve hours from `first` hours before or after now.
    async fn hours(
        &self,
        sql: &Statement,
        now: Timestamp,
        first: i64,
        exact: bool,
    ) -> Result<Vec<(Timestamp, Counted)>, StoreError> {
        if !exact && !self.dialect().has_estimates() {
            // Only a scan could tell, and SQLite keeps no statistics of ranges.
            return Ok(Vec::new());
        }
        let start = if first < 0 { now.minus(HOUR * STATS_HOURS as u32) } else { now };
        let mut hours = Vec::with_capacity(STATS_HOURS);
        for hour in 0..STATS_HOURS as u32 {
            let (from, to) = (start.plus(HOUR * hour), start.plus(HOUR * (hour + 1)));
            let binds = match self.mapping.claimed().filter(|_| first < 0) {
                Some(clock) => [clock.bound(from), clock.bound(to)],
                None if first < 0 => [from.into(), to.into()],
                None => [self.expiry_bound(from), self.expiry_bound(to)],
            };
            let number = if exact {
                Counted::exact(self.one(sql, &binds).await?.some_int()?)
            } else {
                self.planned(sql, &binds).await?
            };
            hours.push((from, number));
        }
        Ok(hours)
    }

    /// What PostgreSQL's planner expects a count to count.
    async fn planned(&self, sql: &Statement, binds: &[Value]) -> Result<Counted, StoreError> {
        let mut fragments = self.fragments();
        fragments.variation.planned = true;
        let explain = super::Catalogue::varied(sql, &fragments, self.clock)?.explained("EXPLAIN");
        let mut transaction = self.backend.begin(Purpose::Read).await?;
        let plan = transaction.fetch(&explain, binds).await?;
        transaction.commit().await?;
        let mut top = plan.into_iter().next().ok_or_else(|| StoreError::corrupt("a plan has no line"))?;
        let text = top.some_text()?;
        let rows = text
            .split("rows=")
            .nth(1)
            .and_then(|rest| rest.split(' ').next())
            .and_then(|rows| rows.parse().ok())
            .ok_or_else(|| StoreError::corrupt(format!("a plan can't be read: {text:?}")))?;
        // The planner never expects nothing.
        Ok(Counted::estimate(if rows <= 1 { 0 } else { rows }))
    }
}
