//! One database per test, in either dialect, and raw SQL beside the store.

use idemctl::protocol::{Answer, Claim, ClaimOutcome, Record, Retry, Scope, Settlement, Timestamp};
use idemctl::store::{Confirmed, Dialect, MigrateOptions, Store, StoreError, StoreOptions, TimeSource};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _, SqliteConnection};
use tempfile::TempDir;

use super::server::shared;
use super::{key, secs};

/// A migrated database that only this test knows.
pub struct TestDb {
    /// On the database's own clock.
    pub store: Store,
    /// How to connect to it.
    pub url: String,
    /// Holds the SQLite file.
    pub folder: Option<TempDir>,
}

impl TestDb {
    pub async fn new(dialect: Dialect) -> Self {
        Self::with_options(dialect, StoreOptions::default()).await
    }

    pub async fn with_options(dialect: Dialect, options: StoreOptions) -> Self {
        match dialect {
            Dialect::Postgres => {
                let server = shared().await;
                let url = server.url(&server.database().await);
                let store = Store::connect(&url, options).await.unwrap();
                Self { store, url, folder: None }
            }
            _ => {
                let db = Self::empty_with_options(dialect, options).await;
                db.store.migrate(&migrating("test"), &Confirmed::given()).await.unwrap();
                db
            }
        }
    }

    /// A database without any table.
    pub async fn empty(dialect: Dialect) -> Self {
        Self::empty_with_options(dialect, StoreOptions::default()).await
    }

    async fn empty_with_options(dialect: Dialect, options: StoreOptions) -> Self {
        match dialect {
            Dialect::Postgres => {
                let server = shared().await;
                let url = server.url(&server.empty_database().await);
                let store = Store::connect(&url, options).await.unwrap();
                Self { store, url, folder: None }
            }
            _ => {
                let folder = TempDir::new().unwrap();
                let url = format!("sqlite:{}", folder.path().join("keys.db").display());
                let store = Store::connect(&url, StoreOptions { create: true, ..options }).await.unwrap();
                Self { store, url, folder: Some(folder) }
            }
        }
    }

    pub fn dialect(&self) -> Dialect {
        self.store.dialect()
    }

    /// The store at a fixed moment.
    pub fn at(&self, now: Timestamp) -> Store {
        self.store.with_clock(TimeSource::Fixed(now)).unwrap()
    }

    /// A connection beside the store.
    pub async fn raw(&self) -> Raw {
        match self.dialect() {
            Dialect::Postgres => Raw::Postgres(PgConnection::connect(&self.url).await.unwrap()),
            _ => {
                let path = self.url.strip_prefix("sqlite:").unwrap();
                let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
                Raw::Sqlite(SqliteConnection::connect_with(&options).await.unwrap())
            }
        }
    }

    /// Runs statements on a connection of their own.
    pub async fn run(&self, sql: &str) {
        let mut raw = self.raw().await;
        raw.run(sql).await;
        raw.close().await;
    }

    /// The one number that a query gives.
    pub async fn number(&self, sql: &str) -> i64 {
        let mut raw = self.raw().await;
        let number = raw.number(sql).await;
        raw.close().await;
        number
    }

    /// How many keys the table holds.
    pub async fn rows(&self) -> i64 {
        self.number("SELECT count(*) FROM idempotency_keys").await
    }

    /// The row of a key without scope.
    pub async fn record(&self, text: &str) -> Option<Record> {
        self.store.record(&key(text), &Scope::none()).await.unwrap().0
    }

    /// A point in time as SQL.
    pub fn time(&self, at: Timestamp) -> String {
        match self.dialect() {
            Dialect::Postgres => format!("TIMESTAMPTZ '{at}'"),
            _ => at.as_micros().to_string(),
        }
    }

    /// Inserts `count` completed rows `{prefix}{n}` that were claimed and expire at these moments.
    pub async fn fill(&self, prefix: &str, count: u32, claimed: Timestamp, expires: Timestamp) {
        self.fill_as("completed", prefix, count, claimed, &self.time(expires)).await;
    }

    /// As [`TestDb::fill`] in any state, with the expiry as SQL over the row's number `n`.
    pub async fn fill_as(&self, status: &str, prefix: &str, count: u32, claimed: Timestamp, expires: &str) {
        let claimed = self.time(claimed);
        self.run(&format!(
            "WITH RECURSIVE numbers(n) AS (
                 SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
             INSERT INTO idempotency_keys (idempotency_key, status, retry_allowed, created_at, claimed_at,
                 renewed_at, response_body, response_bytes, expires_at)
             SELECT '{prefix}' || n, '{status}', {yes}, {claimed}, {claimed}, {claimed}, {body}, 1, {expires}
             FROM numbers WHERE n <= {count}",
            yes = if matches!(self.dialect(), Dialect::Postgres) { "true" } else { "1" },
            body = if matches!(self.dialect(), Dialect::Postgres) { "'\\x61'" } else { "x'61'" },
        ))
        .await;
    }
}

/// How a test migrates.
pub fn migrating(holder: &str) -> MigrateOptions {
    MigrateOptions { patience: secs(60), holder: holder.to_owned() }
}

/// A connection of either dialect, for what the store must not know.
pub enum Raw {
    Postgres(PgConnection),
    Sqlite(SqliteConnection),
}

impl Raw {
    pub async fn run(&mut self, sql: &str) {
        let statement = sqlx::raw_sql(AssertSqlSafe(sql));
        match self {
            Self::Postgres(connection) => statement.execute(connection).await.map(|_| ()),
            Self::Sqlite(connection) => statement.execute(connection).await.map(|_| ()),
        }
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// Whether a statement ends in an error.
    pub async fn fails(&mut self, sql: &str) -> bool {
        let statement = sqlx::raw_sql(AssertSqlSafe(sql));
        match self {
            Self::Postgres(connection) => statement.execute(connection).await.is_err(),
            Self::Sqlite(connection) => statement.execute(connection).await.is_err(),
        }
    }

    pub async fn number(&mut self, sql: &str) -> i64 {
        let query = sqlx::query_scalar::<_, i64>(AssertSqlSafe(sql));
        match self {
            Self::Postgres(connection) => query.fetch_one(connection).await,
            Self::Sqlite(connection) => {
                sqlx::query_scalar::<_, i64>(AssertSqlSafe(sql)).fetch_one(connection).await
            }
        }
        .unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// The first column of every row, as text.
    pub async fn texts(&mut self, sql: &str) -> Vec<String> {
        let statement = AssertSqlSafe(sql);
        match self {
            Self::Postgres(connection) => {
                let rows = sqlx::raw_sql(statement).fetch_all(connection).await.expect(sql);
                rows.iter().map(|row| row.get::<String, _>(0)).collect()
            }
            Self::Sqlite(connection) => {
                let rows = sqlx::raw_sql(statement).fetch_all(connection).await.expect(sql);
                rows.iter().map(|row| row.get::<String, _>(0)).collect()
            }
        }
    }

    /// [`Store::claim_on`] on this connection, whatever its dialect.
    pub async fn claim(&mut self, store: &Store, claim: &Claim) -> ClaimOutcome {
        match self {
            Self::Postgres(connection) => store.claim_on(connection, claim).await,
            Self::Sqlite(connection) => store.claim_on(connection, claim).await,
        }
        .unwrap()
    }

    /// [`Store::complete_on`] on this connection, whatever its dialect.
    pub async fn complete(
        &mut self,
        store: &Store,
        claim: &Claim,
        answer: &Answer,
    ) -> Result<(), StoreError> {
        let (key, scope, token) = (&claim.key, &claim.scope, claim.token);
        match self {
            Self::Postgres(connection) => store.complete_on(connection, key, scope, token, answer).await,
            Self::Sqlite(connection) => store.complete_on(connection, key, scope, token, answer).await,
        }
    }

    /// Fails a claim on this connection, whatever its dialect.
    pub async fn fail(&mut self, store: &Store, claim: &Claim) -> Result<(), StoreError> {
        let settlement = Settlement::Failed { reason: "no".into(), retry: Retry::Allow, answer: None };
        let (key, scope, token) = (&claim.key, &claim.scope, claim.token);
        match self {
            Self::Postgres(connection) => store.settle_on(connection, key, scope, token, &settlement).await,
            Self::Sqlite(connection) => store.settle_on(connection, key, scope, token, &settlement).await,
        }
    }

    pub async fn close(self) {
        let _ = match self {
            Self::Postgres(connection) => connection.close().await,
            Self::Sqlite(connection) => connection.close().await,
        };
    }
}
