//! SQLite, embedded.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::pool::PoolConnection;
use sqlx::query::Query;
use sqlx::sqlite::{
    Sqlite, SqliteArguments, SqliteConnectOptions, SqliteConnection, SqlitePool, SqlitePoolOptions,
    SqliteRow, SqliteSynchronous,
};
use sqlx::{AssertSqlSafe, Column as _, Connection as _, Row as _, TypeInfo as _, Value as _, ValueRef as _};

use super::{SqliteUrl, file};
use crate::dialect::backend::{
    Backend, Executor, PURGE_LOCK_TIMEOUT, Pooling, Purpose, Timeouts, Transaction,
};
use crate::dialect::{ErrorKind, StoreError};
use crate::protocol::Timestamp;
use crate::sql::{Dialect, Real, Row, Statement, Value};

/// How long a writer waits for other processes' writes. SQLite has one writer at a time, and each
/// waits for the disk: sixty-four processes on one file need seconds, not one.
const WRITE_PATIENCE: Duration = Duration::from_secs(20);

/// Pages given back to the file system at a time: about a millisecond.
const RECLAIM_PAGES: u32 = 256;

pub(crate) struct SqliteBackend {
    pool: SqlitePool,
    path: Arc<Path>,
    timeouts: Timeouts,
    /// Make the file if it is not there.
    create: bool,
    /// The pool is the application's: how its connections wait for locks and for the disk is the
    /// application's choice, and none of their settings is touched.
    borrowed: bool,
    /// What lies beside the file is not read.
    immutable: bool,
}

impl SqliteBackend {
    pub(crate) fn open(
        url: &SqliteUrl,
        create: bool,
        timeouts: Timeouts,
        max_connections: u32,
    ) -> Result<Self, StoreError> {
        let (path, create) = (url.path(), url.creates(create));
        if !create {
            file::check_there(path)?;
        }
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(create)
            .busy_timeout(WRITE_PATIENCE)
            // A claim that a power cut undoes would be executed twice.
            .synchronous(SqliteSynchronous::Full)
            // As SQLite itself has it; the application's own choice counts on its own table.
            .foreign_keys(false);
        let options = url.apply(options);
        let pool = SqlitePoolOptions::new()
            .max_connections(max_connections)
            .acquire_timeout(timeouts.connect + WRITE_PATIENCE)
            .test_before_acquire(false)
            .connect_lazy_with(options);
        Ok(Self { pool, path: path.into(), timeouts, create, borrowed: false, immutable: url.is_immutable() })
    }

    /// Makes the file for its owner alone: it holds stored answers. The log and the index beside it get the
    /// same mode from SQLite.
    fn make_file(&self) -> Result<(), StoreError> {
        if !self.create || self.path.exists() {
            return Ok(());
        }
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&self.path) {
            Ok(_) => Ok(()),
            Err(error) => Err(sqlx::Error::Io(error).into()),
        }
    }

    /// What a call came to; an error of the file with its cause.
    fn told<T>(&self, called: Result<T, StoreError>) -> Result<T, StoreError> {
        called.map_err(|error| file::explained(error, &self.path))
    }

    /// A full disk or a failing one makes SQLite roll a transaction back by itself. The driver goes
    /// on counting it as open, and such a connection would refuse every later transaction.
    async fn usable_connection(&self) -> Result<PoolConnection<Sqlite>, StoreError> {
        self.make_file()?;
        loop {
            let connection = self.pool.acquire().await?;
            if !connection.is_in_transaction() {
                return Ok(connection);
            }
            // It has failed before; how it ends does not matter.
            let _ = connection.close().await;
        }
    }

    async fn begun(&self, purpose: Purpose) -> Result<Box<dyn Transaction>, StoreError> {
        if purpose.writes() {
            check_clock(SystemTime::now())?;
        }
        let mut connection = self.usable_connection().await?;
        if !self.borrowed {
            let patience = match purpose {
                // The purge gives way at once: it is the application's writers that matter.
                purpose if purpose.is_purge() => PURGE_LOCK_TIMEOUT,
                Purpose::Ask => self.timeouts.lock,
                _ => WRITE_PATIENCE,
            };
            let mut pragma = format!("PRAGMA busy_timeout = {}", patience.as_millis());
            // Whoever fills the log up to its mark writes it back to the file. That should be the purge, in
            // small pieces, and not the application's next commit.
            pragma.push_str(if purpose.is_purge() && is_wal(&mut connection).await? {
                "; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 250"
            } else {
                "; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000"
            });
            sqlx::raw_sql(AssertSqlSafe(pragma)).execute(&mut *connection).await?;
        }
        // IMMEDIATE: a deferred transaction that turns into a write bypasses the busy timeout.
        let begin = match purpose {
            Purpose::Read | Purpose::Scan | Purpose::Probe => "BEGIN",
            _ => "BEGIN IMMEDIATE",
        };
        let transaction = sqlx::Transaction::begin(connection, Some(begin.into_sql())).await?;
        Ok(Box::new(SqliteTransaction { transaction, path: self.path.clone() }))
    }

    async fn prepared_empty(&self) -> Result<(), StoreError> {
        if self.borrowed {
            return Ok(());
        }
        let mut connection = self.usable_connection().await?;
        let patience = format!("PRAGMA busy_timeout = {}", WRITE_PATIENCE.as_millis());
        sqlx::raw_sql(AssertSqlSafe(patience)).execute(&mut *connection).await?;
        if has_tables(&mut connection).await? {
            return Ok(());
        }
        sqlx::raw_sql("PRAGMA auto_vacuum = INCREMENTAL").execute(&mut *connection).await?;
        let mode: i64 = sqlx::query_scalar("PRAGMA auto_vacuum").fetch_one(&mut *connection).await?;
        if mode != INCREMENTAL {
            // The file has its first page already, from a beginning that came to no end: it is written anew,
            // which takes no time while it is empty.
            sqlx::raw_sql("VACUUM").execute(&mut *connection).await?;
        }
        sqlx::raw_sql("PRAGMA journal_mode = WAL").execute(&mut *connection).await?;
        Ok(())
    }

    pub(crate) fn from_pool(pool: SqlitePool) -> Self {
        let path = pool.connect_options().get_filename().to_owned().into();
        Self { pool, path, timeouts: Timeouts::default(), create: false, borrowed: true, immutable: false }
    }
}

/// SQLite's clock is its host's. One that was never set would write leases and expiries that no pass takes for
/// real, and rows that stay for ever.
fn check_clock(now: SystemTime) -> Result<(), StoreError> {
    let now: Timestamp = DateTime::<Utc>::from(now).into();
    if now > Timestamp::OLDEST_PLAUSIBLE {
        return Ok(());
    }
    Err(StoreError::new(ErrorKind::Clock, format!("the clock of this host says {now}: it was never set")))
}

#[async_trait]
impl Backend for SqliteBackend {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn target(&self) -> String {
        format!("sqlite:{}", file::full(&self.path).display())
    }

    async fn begin(&self, purpose: Purpose) -> Result<Box<dyn Transaction>, StoreError> {
        self.told(self.begun(purpose).await)
    }

    async fn prepare_empty(&self) -> Result<(), StoreError> {
        self.told(self.prepared_empty().await)
    }

    async fn run_script(&self, script: &str) -> Result<(), StoreError> {
        let mut connection = self.told(self.usable_connection().await)?;
        self.told(sqlx::raw_sql(AssertSqlSafe(script)).execute(&mut *connection).await.map_err(Into::into))?;
        Ok(())
    }

    async fn pooling(&self) -> Result<Pooling, StoreError> {
        Ok(Pooling::Direct)
    }

    fn file(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn unread_changes(&self) -> Vec<PathBuf> {
        if self.immutable { file::unread_changes(&self.path) } else { Vec::new() }
    }

    async fn reclaim_some(&self) -> Result<bool, StoreError> {
        let mut connection = self.pool.acquire().await?;
        let free: i64 = sqlx::query_scalar("PRAGMA freelist_count").fetch_one(&mut *connection).await?;
        let mode: i64 = sqlx::query_scalar("PRAGMA auto_vacuum").fetch_one(&mut *connection).await?;
        if mode != INCREMENTAL || free < i64::from(RECLAIM_PAGES) {
            return Ok(false);
        }
        let pragma = format!("PRAGMA incremental_vacuum({RECLAIM_PAGES})");
        sqlx::raw_sql(AssertSqlSafe(pragma)).execute(&mut *connection).await?;
        Ok(true)
    }

    async fn close(&self) {
        self.pool.close().await;
    }
}

/// The mode in which deleted rows' space is given back a piece at a time.
const INCREMENTAL: i64 = 2;

/// What decides about settings that only an empty file takes: not whether the file was there.
async fn has_tables(connection: &mut SqliteConnection) -> Result<bool, StoreError> {
    let tables: i64 = sqlx::query_scalar("SELECT count(*) FROM sqlite_schema").fetch_one(connection).await?;
    Ok(tables > 0)
}

/// Whether the file is in WAL mode. There a commit that does not wait for the disk can be undone by a power
/// cut and does no other harm: the purge need not wait, its rows are purged again. Nobody else's commit
/// depends on it, as every other one waits for all that was written before it. In the older journal modes
/// the file itself could be damaged.
async fn is_wal(connection: &mut SqliteConnection) -> Result<bool, StoreError> {
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode").fetch_one(connection).await?;
    Ok(mode.eq_ignore_ascii_case("wal"))
}

/// `&'static str` as sqlx wants it.
trait IntoSql {
    fn into_sql(self) -> sqlx::SqlStr;
}
impl IntoSql for &'static str {
    fn into_sql(self) -> sqlx::SqlStr {
        sqlx::SqlSafeStr::into_sql_str(self)
    }
}

struct SqliteTransaction {
    transaction: sqlx::Transaction<'static, Sqlite>,
    path: Arc<Path>,
}

#[async_trait]
impl Executor for SqliteTransaction {
    async fn execute(&mut self, sql: &Statement, binds: &[Value]) -> Result<u64, StoreError> {
        let called = SqliteCaller(&mut self.transaction).execute(sql, binds).await;
        called.map_err(|error| file::explained(error, &self.path))
    }

    async fn fetch(&mut self, sql: &Statement, binds: &[Value]) -> Result<Vec<Row>, StoreError> {
        let called = SqliteCaller(&mut self.transaction).fetch(sql, binds).await;
        called.map_err(|error| file::explained(error, &self.path))
    }
}

#[async_trait]
impl Transaction for SqliteTransaction {
    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        Ok(self.transaction.commit().await.map_err(|error| StoreError::from(error).of_a_change())?)
    }

    async fn rollback(self: Box<Self>) -> Result<(), StoreError> {
        Ok(self.transaction.rollback().await?)
    }

    fn executor(&mut self) -> &mut dyn Executor {
        self
    }
}

/// A connection or transaction that a caller holds.
pub(crate) struct SqliteCaller<'c>(pub(crate) &'c mut SqliteConnection);

#[async_trait]
impl Executor for SqliteCaller<'_> {
    async fn execute(&mut self, sql: &Statement, binds: &[Value]) -> Result<u64, StoreError> {
        Ok(query(sql, binds).execute(&mut *self.0).await?.rows_affected())
    }

    async fn fetch(&mut self, sql: &Statement, binds: &[Value]) -> Result<Vec<Row>, StoreError> {
        query(sql, binds).fetch_all(&mut *self.0).await?.iter().map(read_row).collect()
    }
}

fn query<'q>(sql: &Statement, binds: &'q [Value]) -> Query<'q, Sqlite, SqliteArguments> {
    // SQLite shows what an EXPLAIN was prepared with and does not look whether the schema is still the same: kept
    // and run again after somebody else's ALTER TABLE it reads memory that is not its own.
    let is_kept = !sql.as_str().starts_with("EXPLAIN");
    let mut query = sqlx::query(AssertSqlSafe(spelled(sql, binds))).persistent(is_kept);
    for bind in binds {
        query = match bind {
            Value::Text(text) => query.bind(text.clone()),
            Value::Bytes(bytes) | Value::RawText(bytes) => query.bind(bytes.clone()),
            Value::Real(number) => query.bind(number.map(Real::get)),
            Value::Int(number) => query.bind(number),
            Value::Bool(flag) => query.bind(flag),
            Value::Token(token) => query.bind(token.map(|token| token.to_string())),
            Value::Time(at) | Value::Naive(at) => query.bind(at.map(|at| at.as_micros())),
            // None of SQLite's.
            Value::Far(far) => query.bind(far.micros),
        };
    }
    query
}

/// The driver takes no text that is no UTF-8. Such a value is bound as bytes, and the statement makes it the
/// text that it is; the plus takes the type away that a cast has, and that would convert the column.
fn spelled(sql: &Statement, binds: &[Value]) -> Arc<str> {
    let is_raw = |number: usize| matches!(binds.get(number.wrapping_sub(1)), Some(Value::RawText(Some(_))));
    if !(1..=binds.len()).any(is_raw) {
        return sql.text();
    }
    let mut out = String::with_capacity(sql.as_str().len() + 32);
    let mut rest = sql.as_str();
    while let Some(at) = rest.find(['$', '\'', '"', '`']) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let length = match found.as_bytes()[0] {
            b'$' => 1 + found[1..].bytes().take_while(u8::is_ascii_digit).count(),
            // A name or a text stays as it is. A doubled quote is two of them.
            quote => found[1..].find(char::from(quote)).map_or(found.len(), |end| end + 2),
        };
        let (token, after) = found.split_at(length);
        match token.strip_prefix('$').and_then(|number| number.parse().ok()) {
            Some(number) if is_raw(number) => out.push_str(&format!("+CAST({token} AS text)")),
            _ => out.push_str(token),
        }
        rest = after;
    }
    out.push_str(rest);
    out.into()
}

/// Reads each value by its own storage class: the declared type of a column binds nobody.
fn read_row(row: &SqliteRow) -> Result<Row, StoreError> {
    let mut values = Vec::with_capacity(row.len());
    for column in row.columns() {
        let index = column.ordinal();
        let raw = row.try_get_raw(index)?;
        if raw.is_null() {
            values.push(None);
            continue;
        }
        let value = raw.to_owned();
        values.push(Some(match raw.type_info().name() {
            "TEXT" => Value::text_of(decode(&value)?),
            "INTEGER" | "BOOLEAN" => Value::Int(Some(decode(&value)?)),
            "BLOB" => Value::Bytes(Some(decode(&value)?)),
            "REAL" => Value::Real(Some(Real::new(decode(&value)?))),
            other => {
                return Err(StoreError::corrupt(format!(
                    "the column {} has the unexpected type {other}",
                    column.name()
                )));
            }
        }));
    }
    Ok(Row::new(values))
}

fn decode<'v, T>(value: &'v sqlx::sqlite::SqliteValue) -> Result<T, StoreError>
where
    T: sqlx::Decode<'v, Sqlite>,
{
    Ok(value.try_decode_unchecked()?)
}

#[cfg(test)]
mod tests {
    use sqlx::sqlite::SqliteJournalMode;

    use super::*;

    /// What a connection of this purpose waits for: 1 is NORMAL, 2 is FULL.
    async fn synchronous(backend: &SqliteBackend, purpose: Purpose) -> i64 {
        let mut transaction = backend.begin(purpose).await.unwrap();
        let pragma = Statement::new("PRAGMA synchronous");
        let level = transaction.fetch_one(&pragma, &[]).await.unwrap().unwrap().int().unwrap().unwrap();
        transaction.commit().await.unwrap();
        level
    }

    #[test]
    fn nothing_is_written_by_a_clock_that_was_never_set() {
        let at = |seconds: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        for never in [SystemTime::UNIX_EPOCH - Duration::from_secs(9), at(0), at(200_000), at(946_684_800)] {
            assert_eq!(check_clock(never).unwrap_err().kind(), ErrorKind::Clock);
        }
        assert!(check_clock(at(946_684_801)).is_ok());
    }

    #[tokio::test]
    async fn only_a_purge_in_wal_mode_does_not_wait_for_the_disk() {
        let folder = tempfile::TempDir::new().unwrap();
        let url = format!("sqlite:{}/keys.db", folder.path().display()).parse().unwrap();
        let crate::dialect::DatabaseUrl::Sqlite(url) = url else { panic!("{url}") };
        // One connection, so that each purpose finds what the one before left.
        let backend = SqliteBackend::open(&url, true, Timeouts::default(), 1).unwrap();
        backend.prepare_empty().await.unwrap();
        for (purpose, level) in [
            (Purpose::Write, 2),
            (Purpose::PurgeRange, 1),
            (Purpose::Write, 2),
            (Purpose::PurgeTied, 1),
            (Purpose::Read, 2),
        ] {
            assert_eq!(synchronous(&backend, purpose).await, level, "{purpose:?}");
        }
        backend.run_script("PRAGMA journal_mode = DELETE").await.unwrap();
        assert_eq!(synchronous(&backend, Purpose::PurgeRange).await, 2);
    }

    #[tokio::test]
    async fn the_pool_of_an_application_keeps_its_own_choice() {
        let folder = tempfile::TempDir::new().unwrap();
        let options = SqliteConnectOptions::new()
            .filename(folder.path().join("keys.db"))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Extra);
        let backend = SqliteBackend::from_pool(SqlitePool::connect_with(options).await.unwrap());
        for purpose in [Purpose::PurgeRange, Purpose::Write] {
            assert_eq!(synchronous(&backend, purpose).await, 3);
        }
    }
}
