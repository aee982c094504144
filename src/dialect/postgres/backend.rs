//! Transactions and statements on PostgreSQL.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool};
use sqlx::{AssertSqlSafe, Connection as _, Row as _};
use tokio::time::timeout;

use super::batch::{WORKED, inline, run_batch};
use super::link::{DURABLE, Link, Links, MARK};
use super::sessions::{Kept, Lent};
use super::values::{query, read_row};
use super::{PostgresUrl, options};
use crate::dialect::backend::{
    Backend, Bound, Executor, PROBE_TIMEOUT, PURGE_LOCK_TIMEOUT, Pooling, PurgeRun, Purpose, Session,
    Timeouts, Transaction,
};
use crate::dialect::{ErrorKind, StoreError};
use crate::sql::{Dialect, Row, Statement, Value};

pub(crate) struct PgBackend {
    /// The hosts, and the one in use.
    links: Links,
    timeouts: Timeouts,
    /// Behind a pooler a session may have the search path of whoever had it before: each transaction takes its own.
    path: String,
    /// When the last batch of a purge completed.
    last_batch: Mutex<Option<Instant>>,
}

/// Whoever had a session before may have become another user there.
pub(super) const OWN_USER: &str = "SET LOCAL session_authorization TO DEFAULT; SET LOCAL role TO DEFAULT";

/// A connection that answered within this time is taken to be alive.
const TRUSTED: Duration = Duration::from_secs(1);

impl PgBackend {
    pub(crate) async fn connect(
        url: &PostgresUrl,
        timeouts: Timeouts,
        prepared: bool,
        max_connections: u32,
    ) -> Result<Self, StoreError> {
        let timeouts = options::timeouts(url, timeouts);
        let links =
            Links::connect(options::candidates(url)?, timeouts, prepared, max_connections, url.must_write())
                .await?;
        options::check_schema(url, &links.current().pool.connect_options(), timeouts.connect).await?;
        let path = format!("SET LOCAL search_path TO {}", url.path_of_a_transaction());
        Ok(Self { links, timeouts, path, last_batch: Mutex::default() })
    }

    pub(crate) fn from_pool(pool: PgPool, timeouts: Timeouts) -> Self {
        Self {
            links: Links::lent(pool, timeouts),
            timeouts,
            path: String::new(),
            last_batch: Mutex::default(),
        }
    }

    /// Our own place, for a transaction on a session that others have had: the user and the search path, and nobody's
    /// temporary table before one of ours. What a pool was lent with is its owner's.
    fn own_place(&self, link: &Link, purpose: Purpose) -> String {
        if link.is_borrowed() || !link.is_shared() {
            return String::new();
        }
        let place = format!("; {OWN_USER}; {}", self.path);
        match purpose {
            // What it makes goes to the first schema of the path that is there.
            Purpose::Migrate => place,
            // Without a row: those of a batch are read.
            _ => format!(
                "{place}; SELECT 1 WHERE CASE current_setting('search_path') WHEN '' THEN '' \
                 ELSE set_config('search_path', current_setting('search_path') || ', pg_temp', true) END IS NULL"
            ),
        }
    }

    /// Has a connection of the link in use; where that one is no good, of the link that takes its place. What
    /// `borrow` does may be done again: it changes nothing.
    async fn with_link<T, F>(&self, borrow: impl Fn(Arc<Link>) -> F) -> Result<(Arc<Link>, T), StoreError>
    where
        F: Future<Output = Result<T, sqlx::Error>>,
    {
        let mut others = 2;
        let mut may_be_dead = None;
        loop {
            let link = self.links.get().await?;
            let dead = may_be_dead.get_or_insert(link.pool.size());
            // The pool gives up by itself after the same time, and then it is known why.
            let tried = timeout(self.timeouts.connect + Duration::from_secs(2), borrow(link.clone())).await;
            let mut of_the_pool = false;
            let error = match tried {
                Ok(Ok(borrowed)) => return Ok((link, borrowed)),
                Ok(Err(error)) if Links::is_mark_refused(&link, &error) => {
                    self.links.without_mark(&link).await;
                    continue;
                }
                Ok(Err(error)) => {
                    of_the_pool = matches!(error, sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed);
                    let error = StoreError::from(error);
                    match (of_the_pool, link.why_not_connected()) {
                        (true, why) => why.await.unwrap_or(error),
                        (false, _) => error,
                    }
                }
                Err(_) => StoreError::new(
                    ErrorKind::Unreachable,
                    format!("{} does not answer within {:?}", link.target, self.timeouts.connect),
                ),
            };
            if error.is_too_many_connections() && !link.is_borrowed() && link.pool.size() > 0 && others > 0 {
                // Those that we have must do.
                link.sessions.be_content();
                others -= 1;
                continue;
            }
            link.hear(&error);
            if self.links.has_several() && error.is_connection() && others > 0 {
                others -= 1;
                continue;
            }
            // Connections that died while idle (the server was restarted) show themselves here, and are
            // gone from the pool with that. To begin again is always harmless, so none costs a call.
            if of_the_pool || !error.is_disconnect() || *dead == 0 {
                return Err(error);
            }
            *dead -= 1;
        }
    }

    fn begin_script(&self, link: &Link, purpose: Purpose) -> String {
        // Always READ COMMITTED, whatever the database's default: under REPEATABLE READ parallel
        // claims of one key end in serialization errors.
        let mode = match purpose {
            Purpose::Read | Purpose::Scan | Purpose::Probe => " READ ONLY",
            _ => "",
        };
        let (settings, place) = (self.settings(purpose), self.own_place(link, purpose));
        format!("BEGIN ISOLATION LEVEL READ COMMITTED{mode}; {settings}{place}")
    }

    /// What holds for one transaction only: behind a pooler the next one is somebody else's.
    fn settings(&self, purpose: Purpose) -> String {
        let (lock, extra) = match purpose {
            Purpose::Read | Purpose::Probe => (self.timeouts.lock, ""),
            // A process that is stopped in the middle must not keep its rows locked: another janitor waits
            // for the lease among them.
            Purpose::Write | Purpose::Ask => {
                (self.timeouts.lock, "; SET LOCAL idle_in_transaction_session_timeout = 10000")
            }
            // For a few rows of a filter that no index serves the planner likes to follow some index's
            // order through the whole table, row by row. Reading the table as it lies is far faster.
            Purpose::Scan => {
                (self.timeouts.lock, "; SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off")
            }
            // Statistics lag behind a table that fills and empties; without these a batch could
            // fall into a scan of the whole table. What is off makes costs soar, and those start the
            // compiler for every statement.
            Purpose::PurgeRange => (
                PURGE_LOCK_TIMEOUT,
                "; SET LOCAL synchronous_commit = off; SET LOCAL jit = off; SET LOCAL enable_seqscan = off",
            ),
            // Nor may it gather all that is due, and sort it, however few rows old statistics promise.
            Purpose::PurgeOrdered => (
                PURGE_LOCK_TIMEOUT,
                "; SET LOCAL synchronous_commit = off; SET LOCAL jit = off; SET LOCAL enable_seqscan = off; \
                 SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off; \
                 SET LOCAL enable_incremental_sort = off",
            ),
            Purpose::PurgeTied => (
                PURGE_LOCK_TIMEOUT,
                "; SET LOCAL synchronous_commit = off; SET LOCAL jit = off; SET LOCAL enable_seqscan = off; \
                 SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off",
            ),
            Purpose::Migrate => (Duration::ZERO, ""),
        };
        let statement = match purpose {
            Purpose::Migrate => Duration::ZERO,
            Purpose::Probe => self.timeouts.statement.min(PROBE_TIMEOUT),
            _ => self.timeouts.statement,
        };
        let durable = match purpose {
            Purpose::Write | Purpose::Ask | Purpose::Migrate => format!("; {DURABLE}"),
            _ => String::new(),
        };
        format!(
            "SET LOCAL lock_timeout = {}; SET LOCAL statement_timeout = {}{extra}{durable}",
            lock.as_millis(),
            statement.as_millis(),
        )
    }

    /// A connection that answers. One that has rested may have died meanwhile, and a batch must not be
    /// sent to find that out: whether it took effect would stay unknown.
    async fn connection_for_batch(&self) -> Result<(Arc<Link>, (Kept, Lent)), StoreError> {
        let rested = {
            let last = self.last_batch.lock().unwrap_or_else(PoisonError::into_inner);
            last.is_none_or(|last| last.elapsed() > TRUSTED)
        };
        if rested {
            self.begin(Purpose::Read).await?.commit().await?;
        }
        self.with_link(|link| async move { link.sessions.acquire(&link).await }).await
    }
}

/// A database in SQL_ASCII holds any bytes, and its server would refuse a whole result for one text that is no
/// UTF-8. So it is to convert nothing, and each text is looked at here.
pub(super) const RAW_ENCODING: &str = "CASE current_setting('server_encoding') WHEN 'SQL_ASCII' THEN 'SQL_ASCII' \
                            ELSE current_setting('client_encoding') END";

pub(super) fn describe(options: &PgConnectOptions) -> String {
    let database = options.get_database().unwrap_or(options.get_username());
    format!("postgres://{}@{}/{database}", options.get_username(), describe_host(options))
}

pub(super) fn describe_host(options: &PgConnectOptions) -> String {
    let host = match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None if options.get_host().contains(':') => format!("[{}]", options.get_host()),
        None => options.get_host().to_owned(),
    };
    format!("{host}:{}", options.get_port())
}

#[async_trait]
impl Backend for PgBackend {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn target(&self) -> String {
        self.links.current().target.clone()
    }

    fn has_several_hosts(&self) -> bool {
        self.links.has_several()
    }

    fn losses(&self) -> u64 {
        self.links.current().losses()
    }

    async fn begin(&self, purpose: Purpose) -> Result<Box<dyn Transaction>, StoreError> {
        let begin = |link: Arc<Link>| async move {
            let (kept, lent) = link.sessions.acquire(&link).await?;
            // What stands at the other end is known since the connection was made.
            let script = self.begin_script(&link, purpose);
            if !link.is_shared() {
                return Ok((begin_on(kept, script).await?.0, lent));
            }
            let script = format!("{script}; SELECT set_config('client_encoding', {RAW_ENCODING}, true)");
            let (kept, encoding) = begin_on(kept, script).await?;
            if let Some(encoding) = encoding {
                link.hear_of_encoding(&encoding);
            }
            Ok((kept, lent))
        };
        let (link, (kept, lent)) = self.with_link(begin).await?;
        // The server ends a statement at its own timeout; ours is for a server that hangs.
        let patience = match purpose {
            Purpose::Migrate => None,
            _ => Some(self.timeouts.statement + self.timeouts.connect),
        };
        Ok(Box::new(PgTransaction { kept: Some((kept, lent)), link, patience, writes: purpose.writes() }))
    }

    /// One message there, one back: settings, query, delete and the commit travel together, so that no
    /// lock is held while the network is waited for, and a small batch is not mostly waiting. The simple
    /// protocol needs no named statements, and a pooler gives the server back after it.
    ///
    /// Several statements in one such message are one transaction, which an error rolls back before it is
    /// reported. Its values can't be bound. All of them are moments, numbers and block positions of our
    /// own making, and whatever else there might be goes by the ordinary way.
    async fn purge(
        &self,
        purpose: Purpose,
        ahead: Option<Bound<'_>>,
        delete: Bound<'_>,
    ) -> Result<PurgeRun, StoreError> {
        let inlined = |(sql, binds): Bound<'_>| inline(sql, binds);
        let (query, Some(delete_text)) = (ahead.map(inlined), inlined(delete)) else {
            return self.purge_by_binds(purpose, ahead, delete).await;
        };
        let query = match query {
            None => String::new(),
            Some(Some(query)) => format!("{query};\n"),
            Some(None) => return self.purge_by_binds(purpose, ahead, delete).await,
        };
        // Block by block a range is read faster than entry by entry, and its order is of no use to it; the
        // step before it lives by the order.
        let (settings, unordered) = match purpose {
            Purpose::PurgeRange => (
                self.settings(Purpose::PurgeOrdered),
                "SET LOCAL enable_bitmapscan = on; SET LOCAL enable_indexscan = off;\n",
            ),
            other => (self.settings(other), ""),
        };
        let (link, (mut kept, _lent)) = self.connection_for_batch().await?;
        let place = self.own_place(&link, purpose);
        let script = format!(
            "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; {settings}{place};\n\
             {query}{unordered}{delete_text};\n{WORKED}"
        );
        let connection = &mut kept.connection;
        let patience = self.timeouts.statement + self.timeouts.connect;
        let ran = link.answer(Some(patience), run_batch(connection, &script)).await;
        match ran {
            Ok(mut results) => {
                *self.last_batch.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
                let corrupt = || StoreError::corrupt("a batch of the purge was answered in part");
                let (_, worked) = results.pop().ok_or_else(corrupt)?;
                let (deleted, _) = results.pop().ok_or_else(corrupt)?;
                // A moment in a spelling that we can't read is asked for again, in binary.
                let stepped = || results.iter().rev().find_map(|(_, row)| row.as_ref());
                let ahead = ahead.and_then(|_| stepped().map(read_row).transpose().ok());
                let took = worked.map(|row| row.try_get::<i64, _>(0)).transpose()?.unwrap_or(0);
                let took = Duration::from_micros(u64::try_from(took).unwrap_or(0));
                Ok(PurgeRun { deleted, ahead, took })
            }
            Err(error) => {
                let error = error.of_a_change();
                if error.is_disconnect() {
                    // It may still be at work on what we did not wait for.
                    connection.close_on_drop();
                } else {
                    // The error comes first, and the rows are let go of then. Not waiting for that, the
                    // statement that skips locked rows would skip those that this one had deleted.
                    let _ = link.answer(Some(patience), connection.ping()).await;
                }
                Err(error)
            }
        }
    }

    async fn session(&self, purpose: Purpose) -> Result<Session, StoreError> {
        if !self.links.get().await?.is_shared() {
            // A connection that died while idle shows itself in the first statement, and the call is made
            // again.
            let patience = self.timeouts.statement + self.timeouts.connect;
            let take = |link: Arc<Link>| async move { link.sessions.statements(&link, patience).await };
            let (link, statements) = self.with_link(take).await?;
            // What stands at the other end is known since the connection was made.
            if !link.is_shared() {
                return Ok(Session::Statements(Box::new(statements)));
            }
        }
        Ok(Session::Transaction(self.begin(purpose).await?))
    }

    async fn run_script(&self, script: &str) -> Result<(), StoreError> {
        let take = |link: Arc<Link>| async move { link.sessions.acquire(&link).await };
        let (link, (Kept { mut connection, .. }, _lent)) = self.with_link(take).await?;
        if link.is_shared() {
            // Its limits are its owner's, or those of whoever comes next behind a pooler.
            sqlx::raw_sql(AssertSqlSafe(script)).execute(&mut *connection).await?;
            return Ok(());
        }
        // An index that is built beside its writers waits for them, however long.
        const NO_LIMITS: &str = "SET lock_timeout = 0; SET statement_timeout = 0";
        sqlx::raw_sql(NO_LIMITS).execute(&mut *connection).await?;
        let ran = sqlx::raw_sql(AssertSqlSafe(script)).execute(&mut *connection).await;
        // A session without limits is not for the pool.
        let _ = connection.close().await;
        ran?;
        Ok(())
    }

    async fn pooling(&self) -> Result<Pooling, StoreError> {
        // One connection suffices where those that we have were asked.
        let take = |link: Arc<Link>| async move { link.sessions.acquire(&link).await };
        let (link, _) = self.with_link(take).await?;
        if link.is_direct() == Some(true) {
            return Ok(Pooling::Direct);
        }
        let options = link.pool.connect_options().as_ref().clone();
        let marked = options.options([MARK]);
        let seen = async {
            let mut connection = PgConnection::connect_with(&marked).await?;
            let seen: Option<String> = sqlx::query_scalar("SELECT current_setting('idemctl.direct', true)")
                .persistent(false)
                .fetch_one(&mut connection)
                .await?;
            let _ = connection.close().await;
            Ok::<_, sqlx::Error>(seen)
        };
        let seen = match timeout(self.timeouts.connect, seen).await {
            Ok(Ok(Some(seen))) if seen == "1" => return Ok(Pooling::Direct),
            Ok(Ok(_)) => None,
            // A protocol violation is what a pooler says of a setting that it does not pass on. Any other error
            // says nothing of what stands in between.
            Ok(Err(sqlx::Error::Database(error))) if error.code().as_deref() == Some("08P01") => {
                Some(error.message().to_owned())
            }
            Ok(Err(error)) => return Err(error.into()),
            Err(_) => {
                return Err(StoreError::new(
                    ErrorKind::Timeout,
                    format!("a second connection was not answered within {:?}", self.timeouts.connect),
                ));
            }
        };
        // Two connections at work at once, and the one that ends last is free first: the next transaction
        // of the other gets its place, if transactions are what connections are shared by.
        let options = link.pool.connect_options();
        let moved = async {
            let mut first = PgConnection::connect_with(&options).await?;
            let mut second = PgConnection::connect_with(&options).await?;
            let mut moved = false;
            for _ in 0..2 {
                let before = backend_in_transaction(&mut first).await?;
                backend_in_transaction(&mut second).await?;
                sqlx::raw_sql("COMMIT").execute(&mut first).await?;
                sqlx::raw_sql("COMMIT").execute(&mut second).await?;
                moved |= backend_in_transaction(&mut first).await? != before;
                sqlx::raw_sql("COMMIT").execute(&mut first).await?;
            }
            let _ = first.close().await;
            let _ = second.close().await;
            Ok::<_, sqlx::Error>(moved)
        };
        Ok(match timeout(self.timeouts.connect, moved).await {
            Ok(Ok(true)) => Pooling::PerTransaction,
            // A pooler with a single connection has the second one wait until the time is over.
            _ => Pooling::Pooler(seen),
        })
    }

    fn has_raw_text(&self) -> bool {
        self.links.current().has_raw_text()
    }

    fn file(&self) -> Option<&Path> {
        None
    }

    async fn reclaim_some(&self) -> Result<bool, StoreError> {
        // Autovacuum's work.
        Ok(false)
    }

    async fn close(&self) {
        let link = self.links.current();
        link.sessions.close();
        link.pool.close().await;
    }
}

/// Begins a transaction, and says which of the server's processes has it.
async fn backend_in_transaction(connection: &mut PgConnection) -> Result<i32, sqlx::Error> {
    sqlx::raw_sql("BEGIN READ ONLY").execute(&mut *connection).await?;
    sqlx::query_scalar("SELECT pg_backend_pid()").persistent(false).fetch_one(&mut *connection).await
}

/// Begins a transaction with a script of ours. A connection on which that came to no end, because it failed
/// or was given up, may have an open transaction that nobody knows of, and what is written there later
/// would never be committed: it is closed. Also the last text that the script gave.
async fn begin_on(kept: Kept, script: String) -> Result<(Kept, Option<String>), sqlx::Error> {
    struct Beginning(Option<Kept>);
    impl Drop for Beginning {
        fn drop(&mut self) {
            if let Some(kept) = &mut self.0 {
                kept.connection.close_on_drop();
            }
        }
    }
    let mut beginning = Beginning(Some(kept));
    let mut said = None;
    if let Some(kept) = &mut beginning.0 {
        let rows = sqlx::raw_sql(AssertSqlSafe(script)).fetch_all(&mut *kept.connection).await?;
        said = rows.last().map(|row| row.try_get(0)).transpose()?;
    }
    Ok((beginning.0.take().ok_or(sqlx::Error::BeginFailed)?, said))
}

/// Dropped without an end, it is rolled back before its connection is used again.
struct PgTransaction {
    /// There until its end.
    kept: Option<(Kept, Lent)>,
    link: Arc<Link>,
    patience: Option<Duration>,
    writes: bool,
}

impl PgTransaction {
    /// The connection and the link.
    fn parts(&mut self) -> (&mut PgConnection, &Link) {
        let (kept, _) = self.kept.as_mut().expect("it is there until its end");
        (&mut kept.connection, &self.link)
    }

    async fn end(&mut self, how: &'static str) -> Result<(), StoreError> {
        let patience = self.patience;
        let (connection, link) = self.parts();
        let ended = link.answer(patience, sqlx::raw_sql(how).execute(connection)).await;
        match (&ended, self.kept.take()) {
            // A connection whose transaction came to its end serves the next call.
            (Err(error), Some((mut kept, _lent))) if error.is_disconnect() => kept.connection.close_on_drop(),
            (_, Some((kept, _lent))) => self.link.take_back(kept),
            (_, None) => {}
        }
        ended.map(|_| ())
    }
}

impl Drop for PgTransaction {
    fn drop(&mut self) {
        let Some((mut kept, lent)) = self.kept.take() else { return };
        // A program may let go of it when its runtime is gone already.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            drop(kept.connection.detach());
            return;
        };
        let link = self.link.clone();
        // From now on it is on its way back.
        drop(lent);
        runtime.spawn(async move {
            let rollback = sqlx::raw_sql("ROLLBACK").execute(&mut *kept.connection);
            match timeout(link.connect_timeout(), rollback).await {
                Ok(Ok(_)) => link.take_back(kept),
                Ok(Err(_)) | Err(_) => kept.connection.close_on_drop(),
            }
        });
    }
}

#[async_trait]
impl Executor for PgTransaction {
    async fn execute(&mut self, sql: &Statement, binds: &[Value]) -> Result<u64, StoreError> {
        let patience = self.patience;
        let (connection, link) = self.parts();
        let run = query(sql, binds, link.is_prepared()).execute(connection);
        Ok(link.answer(patience, run).await?.rows_affected())
    }

    async fn fetch(&mut self, sql: &Statement, binds: &[Value]) -> Result<Vec<Row>, StoreError> {
        let patience = self.patience;
        let (connection, link) = self.parts();
        let run = query(sql, binds, link.is_prepared()).fetch_all(connection);
        link.answer(patience, run).await?.iter().map(read_row).collect()
    }
}

#[async_trait]
impl Transaction for PgTransaction {
    async fn commit(mut self: Box<Self>) -> Result<(), StoreError> {
        let committed = self.end("COMMIT").await;
        if self.writes { committed.map_err(StoreError::of_a_change) } else { committed }
    }

    async fn rollback(mut self: Box<Self>) -> Result<(), StoreError> {
        self.end("ROLLBACK").await
    }

    fn executor(&mut self) -> &mut dyn Executor {
        self
    }
}

/// A connection or transaction that a caller holds.
pub(crate) struct PgCaller<'c>(pub(crate) &'c mut PgConnection);

#[async_trait]
impl Executor for PgCaller<'_> {
    async fn execute(&mut self, sql: &Statement, binds: &[Value]) -> Result<u64, StoreError> {
        Ok(query(sql, binds, true).execute(&mut *self.0).await?.rows_affected())
    }

    async fn fetch(&mut self, sql: &Statement, binds: &[Value]) -> Result<Vec<Row>, StoreError> {
        query(sql, binds, true).fetch_all(&mut *self.0).await?.iter().map(read_row).collect()
    }
}
