//! PostgreSQL.

mod batch;
mod sessions;
mod values;

use std::path::Path;
use std::str::FromStr as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions, Postgres};
use sqlx::{AssertSqlSafe, Connection as _, Row as _, SqlSafeStr as _};
use tokio::time::timeout;

use self::batch::{WORKED, inline, run_batch};
use self::sessions::Sessions;
use self::values::{query, read_row};
use super::backend::{
    Backend, Bound, Dialect, Executor, PROBE_TIMEOUT, PURGE_LOCK_TIMEOUT, Pooling, PurgeRun, Purpose,
    Session, Timeouts, Transaction,
};
use super::value::{Row, Value};
use super::{ErrorKind, Sql, StoreError};

pub(crate) struct PgBackend {
    pool: PgPool,
    /// What of the pool is kept between calls.
    sessions: Arc<Sessions>,
    timeouts: Timeouts,
    target: String,
    /// Named prepared statements: faster, and wrong behind a pooler that shares connections
    /// between transactions.
    prepared: bool,
    /// When the last batch of a purge came to its end.
    last_batch: Mutex<Option<Instant>>,
    /// The sessions are ours alone and carry our settings.
    own_sessions: bool,
}

/// A connection that answered within this time is taken to be alive.
const TRUSTED: Duration = Duration::from_secs(1);

impl PgBackend {
    pub(crate) async fn connect(
        urls: &[String],
        timeouts: Timeouts,
        prepared: bool,
        max_connections: u32,
    ) -> Result<Self, StoreError> {
        let mut candidates = Vec::new();
        for url in urls {
            candidates.push(connect_options(url)?);
        }
        let options = match candidates.as_slice() {
            [one] => one.clone(),
            several => writable(several, timeouts).await?,
        };
        let pool = PgPoolOptions::new()
            .max_connections(max_connections)
            .acquire_timeout(timeouts.connect)
            // A dead connection shows itself in the first statement, and every call of ours may be
            // repeated; a ping before each would cost a round trip.
            .test_before_acquire(false)
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    if prepared {
                        let settings = session_script(timeouts);
                        sqlx::raw_sql(AssertSqlSafe(settings)).execute(connection).await?;
                    }
                    Ok(())
                })
            })
            .connect_lazy_with(options.clone());
        Ok(Self {
            pool,
            sessions: Arc::default(),
            timeouts,
            target: describe(&options),
            prepared,
            last_batch: Mutex::default(),
            own_sessions: prepared,
        })
    }

    pub(crate) fn from_pool(pool: PgPool, timeouts: Timeouts) -> Self {
        let target = describe(&pool.connect_options());
        Self {
            pool,
            sessions: Arc::default(),
            timeouts,
            target,
            prepared: true,
            last_batch: Mutex::default(),
            own_sessions: false,
        }
    }

    /// The pool only says that it waited in vain; one more try tells why.
    async fn why_not_connected(&self) -> Option<StoreError> {
        let options = self.pool.connect_options();
        let attempt = PgConnection::connect_with(&options);
        match timeout(Duration::from_secs(1), attempt).await {
            Ok(Err(error)) => Some(error.into()),
            Ok(Ok(_)) | Err(_) => None,
        }
    }

    fn begin_script(&self, purpose: Purpose) -> String {
        // Always READ COMMITTED, whatever the database's default: under REPEATABLE READ parallel
        // claims of one key end in serialization errors.
        let mode = match purpose {
            Purpose::Read | Purpose::Scan | Purpose::Probe => " READ ONLY",
            _ => "",
        };
        format!("BEGIN ISOLATION LEVEL READ COMMITTED{mode}; {}", self.settings(purpose))
    }

    /// What holds for one transaction only: behind a pooler the next one is somebody else's.
    fn settings(&self, purpose: Purpose) -> String {
        let (lock, extra) = match purpose {
            Purpose::Read | Purpose::Probe => (self.timeouts.lock, ""),
            // A process that is stopped in the middle must not keep its rows locked: another janitor waits
            // for the lease among them.
            Purpose::Write => (self.timeouts.lock, "; SET LOCAL idle_in_transaction_session_timeout = 10000"),
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
            // Nor may it gather all that is due, and sort it.
            Purpose::PurgeOrdered => (
                PURGE_LOCK_TIMEOUT,
                "; SET LOCAL synchronous_commit = off; SET LOCAL jit = off; SET LOCAL enable_seqscan = off; \
                 SET LOCAL enable_bitmapscan = off",
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
        format!(
            "SET LOCAL lock_timeout = {}; SET LOCAL statement_timeout = {}{extra}",
            lock.as_millis(),
            statement.as_millis(),
        )
    }

    /// A connection that answers. One that has rested may have died meanwhile, and a batch must not be
    /// sent to find that out: whether it took effect would stay unknown.
    async fn connection_for_batch(&self) -> Result<PoolConnection<Postgres>, StoreError> {
        let rested = {
            let last = self.last_batch.lock().unwrap_or_else(PoisonError::into_inner);
            last.is_none_or(|last| last.elapsed() > TRUSTED)
        };
        if rested {
            self.begin(Purpose::Read).await?.commit().await?;
        }
        let patience = Some(self.timeouts.connect + Duration::from_secs(2));
        patiently(patience, self.sessions.acquire(&self.pool)).await
    }
}

/// What [`Purpose::Write`] sets for a transaction, for a whole session that is ours alone.
fn session_script(timeouts: Timeouts) -> String {
    format!(
        "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED; \
         SET lock_timeout = {}; SET statement_timeout = {}",
        timeouts.lock.as_millis(),
        timeouts.statement.as_millis(),
    )
}

fn connect_options(url: &str) -> Result<PgConnectOptions, sqlx::Error> {
    let options = PgConnectOptions::from_str(url)?
        .application_name("idemctl")
        // PgBouncer refuses start-up parameters that it does not know.
        .extra_float_digits(None);
    // The brackets belong to the URL, not to the address; sqlx looks them up with it.
    let address =
        options.get_host().strip_prefix('[').and_then(|host| host.strip_suffix(']')).map(str::to_owned);
    Ok(match address {
        Some(address) => options.host(&address),
        None => options,
    })
}

/// The first host that answers and accepts writes; else the reason why the last one does not.
async fn writable(
    candidates: &[PgConnectOptions],
    timeouts: Timeouts,
) -> Result<PgConnectOptions, StoreError> {
    let mut last = StoreError::new(ErrorKind::Unreachable, "no host is named");
    for options in candidates {
        let attempt = async {
            let mut connection = PgConnection::connect_with(options).await?;
            let read_only: String = sqlx::query_scalar("SELECT current_setting('transaction_read_only')")
                .persistent(false)
                .fetch_one(&mut connection)
                .await?;
            let _ = connection.close().await;
            Ok::<_, sqlx::Error>(read_only == "on")
        };
        match timeout(timeouts.connect, attempt).await {
            Ok(Ok(false)) => return Ok(options.clone()),
            Ok(Ok(true)) => {
                last = StoreError::new(
                    ErrorKind::ReadOnly,
                    format!("{} is a read-only standby", describe(options)),
                );
            }
            Ok(Err(error)) => last = error.into(),
            Err(_) => {
                last =
                    StoreError::new(ErrorKind::Unreachable, format!("{} does not answer", describe(options)));
            }
        }
    }
    Err(last)
}

fn describe(options: &PgConnectOptions) -> String {
    let host = match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None if options.get_host().contains(':') => format!("[{}]", options.get_host()),
        None => options.get_host().to_owned(),
    };
    let database = options.get_database().unwrap_or(options.get_username());
    format!("postgres://{}@{host}:{}/{database}", options.get_username(), options.get_port())
}

#[async_trait]
impl Backend for PgBackend {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn target(&self) -> String {
        self.target.clone()
    }

    async fn begin(&self, purpose: Purpose) -> Result<Box<dyn Transaction>, StoreError> {
        // Connections that died while idle (the server was restarted) show themselves here, and are
        // gone from the pool with that. To begin again is always harmless, so none costs a call.
        let mut may_be_dead = self.pool.size();
        let transaction = loop {
            let begin = async {
                let connection = self.sessions.acquire(&self.pool).await?;
                let script = AssertSqlSafe(self.begin_script(purpose)).into_sql_str();
                sqlx::Transaction::begin(connection, Some(script)).await
            };
            // The pool gives up by itself after the same time, and then it is known why.
            match timeout(self.timeouts.connect + Duration::from_secs(2), begin).await {
                Ok(Ok(transaction)) => break transaction,
                Ok(Err(error)) => {
                    let of_the_pool = matches!(error, sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed);
                    let error = StoreError::from(error);
                    if of_the_pool {
                        return Err(self.why_not_connected().await.unwrap_or(error));
                    }
                    if !error.is_disconnect() || may_be_dead == 0 {
                        return Err(error);
                    }
                    may_be_dead -= 1;
                }
                Err(_) => {
                    return Err(StoreError::new(
                        ErrorKind::Unreachable,
                        format!("{} does not answer within {:?}", self.target, self.timeouts.connect),
                    ));
                }
            }
        };
        // The server ends a statement at its own timeout; ours is for a server that hangs.
        let patience = match purpose {
            Purpose::Migrate => None,
            _ => Some(self.timeouts.statement + self.timeouts.connect),
        };
        Ok(Box::new(PgTransaction {
            transaction,
            prepared: self.prepared,
            patience,
            writes: purpose.writes(),
        }))
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
        let inlined = |(sql, binds): Bound<'_>| inline(sql.as_str(), binds);
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
        let script = format!(
            "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; {settings};\n{query}{unordered}{delete_text};\n{WORKED}"
        );
        let mut connection = self.connection_for_batch().await?;
        let patience = self.timeouts.statement + self.timeouts.connect;
        let ran = patiently(Some(patience), run_batch(&mut connection, &script)).await;
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
                    let _ = patiently(Some(patience), connection.ping()).await;
                }
                Err(error)
            }
        }
    }

    async fn session(&self) -> Result<Session, StoreError> {
        if !self.own_sessions {
            return Ok(Session::Transaction(self.begin(Purpose::Write).await?));
        }
        // A connection that died while idle shows itself in the first statement, and the call is made
        // again.
        let patience = self.timeouts.statement + self.timeouts.connect;
        let acquire = self.sessions.statements(&self.pool, patience);
        match timeout(self.timeouts.connect + Duration::from_secs(2), acquire).await {
            Ok(Ok(statements)) => Ok(Session::Statements(Box::new(statements))),
            Ok(Err(error @ (sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed))) => {
                Err(self.why_not_connected().await.unwrap_or(error.into()))
            }
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(StoreError::new(
                ErrorKind::Unreachable,
                format!("{} does not answer within {:?}", self.target, self.timeouts.connect),
            )),
        }
    }

    async fn run_script(&self, script: &str) -> Result<(), StoreError> {
        let mut connection = self.sessions.acquire(&self.pool).await?;
        if !self.own_sessions {
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
        // A pooler takes the place of the server while a connection starts, and keeps a setting of ours
        // to itself: it refuses it or forgets it.
        let options = self.pool.connect_options().as_ref().clone();
        let marked = options.options([("idemctl.direct", "1")]);
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
            Ok(Err(sqlx::Error::Database(error))) => Some(error.message().to_owned()),
            Ok(Err(error)) => return Err(error.into()),
            Err(_) => None,
        };
        // Two connections at work at once, and the one that ends last is free first: the next transaction
        // of the other gets its place, if transactions are what connections are shared by.
        let options = self.pool.connect_options();
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

    fn file(&self) -> Option<&Path> {
        None
    }

    async fn reclaim_some(&self) -> Result<bool, StoreError> {
        // Autovacuum's work.
        Ok(false)
    }

    async fn close(&self) {
        self.sessions.close();
        self.pool.close().await;
    }
}

/// Begins a transaction, and says which of the server's processes has it.
async fn backend_in_transaction(connection: &mut PgConnection) -> Result<i32, sqlx::Error> {
    sqlx::raw_sql("BEGIN READ ONLY").execute(&mut *connection).await?;
    sqlx::query_scalar("SELECT pg_backend_pid()").persistent(false).fetch_one(&mut *connection).await
}

struct PgTransaction {
    transaction: sqlx::Transaction<'static, Postgres>,
    prepared: bool,
    patience: Option<Duration>,
    writes: bool,
}

#[async_trait]
impl Executor for PgTransaction {
    async fn execute(&mut self, sql: &Sql, binds: &[Value]) -> Result<u64, StoreError> {
        let run = query(sql, binds, self.prepared).execute(&mut *self.transaction);
        Ok(patiently(self.patience, run).await?.rows_affected())
    }

    async fn fetch(&mut self, sql: &Sql, binds: &[Value]) -> Result<Vec<Row>, StoreError> {
        let run = query(sql, binds, self.prepared).fetch_all(&mut *self.transaction);
        patiently(self.patience, run).await?.iter().map(read_row).collect()
    }
}

#[async_trait]
impl Transaction for PgTransaction {
    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        let committed = patiently(self.patience, self.transaction.commit()).await;
        if self.writes { committed.map_err(StoreError::of_a_change) } else { committed }
    }

    async fn rollback(self: Box<Self>) -> Result<(), StoreError> {
        patiently(self.patience, self.transaction.rollback()).await
    }

    fn executor(&mut self) -> &mut dyn Executor {
        self
    }
}

async fn patiently<T>(
    patience: Option<Duration>,
    run: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, StoreError> {
    match patience {
        None => Ok(run.await?),
        Some(patience) => Ok(timeout(patience, run).await.map_err(|_| {
            StoreError::new(
                ErrorKind::Unreachable,
                format!("the database does not answer within {patience:?}"),
            )
        })??),
    }
}

/// A connection or transaction that a caller holds.
pub(crate) struct PgCaller<'c>(pub(crate) &'c mut PgConnection);

#[async_trait]
impl Executor for PgCaller<'_> {
    async fn execute(&mut self, sql: &Sql, binds: &[Value]) -> Result<u64, StoreError> {
        Ok(query(sql, binds, true).execute(&mut *self.0).await?.rows_affected())
    }

    async fn fetch(&mut self, sql: &Sql, binds: &[Value]) -> Result<Vec<Row>, StoreError> {
        query(sql, binds, true).fetch_all(&mut *self.0).await?.iter().map(read_row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_address_is_in_brackets_for_people_only() {
        let options = connect_options("postgres://me@[::1]:5433/shop").unwrap();
        assert_eq!(options.get_host(), "::1");
        assert_eq!(describe(&options), "postgres://me@[::1]:5433/shop");
        assert_eq!(connect_options("postgres://me@db/shop").unwrap().get_host(), "db");
    }
}
