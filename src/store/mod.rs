//! The store: the table of keys in a real database.
//!
//! One [`Store`] serves every dialect. What differs between them is behind two small traits (a
//! backend opens transactions, a transaction runs statements) and in the `.sql` files; the rest is
//! written once.
//!
//! ```
//! use idemctl::protocol::{Answer, Claim, ClaimOutcome, Key, Scope};
//! use idemctl::store::{Store, StoreOptions};
//! # use idemctl::store::{Confirmed, MigrateOptions};
//!
//! # #[cfg(feature = "sqlite")]
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let url = format!("sqlite:{}", folder.path().join("keys.db").display());
//! # let options = StoreOptions { create: true, ..StoreOptions::default() };
//! // postgres://api@localhost/shop, or sqlite:PATH
//! let store = Store::connect(&url, options).await?;
//! # let patience = std::time::Duration::from_secs(5);
//! # store.migrate(&MigrateOptions { patience, holder: "doc".into() }, &Confirmed::given()).await?;
//! let claim = Claim::new(Key::new("order-1234")?, Scope::new("tenant-7")?);
//! match store.claim(&claim).await? {
//!     ClaimOutcome::Claimed { token, .. } => {
//!         let answer = Answer::new(201, r#"{"order": 1234}"#); // the work
//!         store.complete(&claim.key, &claim.scope, token, &answer).await?;
//!     }
//!     ClaimOutcome::Replay { answer } => { /* send the stored answer */ }
//!     ClaimOutcome::InProgress { .. } => { /* 409, or wait */ }
//!     ClaimOutcome::FailedFinal { .. } => { /* the stored failure */ }
//!     ClaimOutcome::Mismatch => { /* 422 */ }
//! }
//! // A retry gets the first answer, byte for byte.
//! let retry = Claim::new(claim.key.clone(), claim.scope.clone());
//! let replayed = store.claim(&retry).await?;
//! assert_eq!(replayed, ClaimOutcome::Replay { answer: Answer::new(201, r#"{"order": 1234}"#) });
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "sqlite"))]
//! # fn main() {}
//! ```

#[cfg(feature = "cli")]
mod adopt;
mod audit;
mod blockers;
mod due;
mod facts;
mod holds;
mod keys;
mod lease;
mod list;
mod location;
mod mapping_check;
mod migrate;
mod operate;
mod passes;
mod people;
mod references;
mod rights;
mod rows;
mod sql;
mod stats;
mod visibility;
mod walk;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use backon::{ExponentialBuilder, Retryable as _};

use crate::protocol::{DEFAULT_ANSWER_LIMIT, Timestamp};
use crate::table::{Columns, Family, Fragments, Mapping, Walk};

pub(crate) use crate::dialect::{Backend, Executor, Purpose, Transaction};
pub use crate::dialect::{
    DatabaseUrl, ErrorKind, InvalidUrl, Pooling, PostgresUrl, SqliteUrl, StoreError, Timeouts,
};
#[cfg(feature = "cli")]
pub(crate) use crate::dialect::{Environment, causes, looks_like_url, masked, nearest, set_variables};
pub use crate::sql::Dialect;
pub use crate::table::VisibilityFlags;
pub use audit::{Actor, AuditEntry, AuditFilter};
pub use blockers::Blockers;
pub use due::DueRow;
pub use facts::{
    AuxiliaryTable, ChildTable, ClockSample, ColumnFacts, FileFacts, Holder, HolderKind, IdleSlot,
    IndexFacts, Policy, PurgePlan, RoleLimits, RowSample, Served, ServerFacts, TableFacts, TableSize,
    Trigger, TriggerKind, VacuumFacts,
};
pub use holds::{Lag, PauseRow};
pub use keys::CallerConnection;
pub use lease::{Leadership, LeaseRow, Pass, PassRecord};
pub use list::{ListPlan, RowFilter, RowOrder, RowPage};
pub use migrate::{MigrateOptions, Migration, MigrationState, MigrationStatus, SCHEMA_VERSION};
pub use operate::{Operated, Operation};
pub use passes::{Batch, LEFT_COUNTED, PurgeStep, Reaping, StepAhead};
pub use references::Reference;
pub use rights::{MissingRights, Work};
pub use rows::{ExaminedKey, KeyRow, RowState, ScopeFilter};
pub use sql::{RowChange, TimeSource, protocol_statements};
pub use stats::{Counted, How, Sample, StatsOptions, Stays, TableStats, Unreaped};
pub use visibility::{Standby, Visibility};
pub use walk::TiedCursor;

pub(crate) use crate::sql::{Row, Statement, Value};
pub(crate) use passes::CutShort;
pub(crate) use sql::Catalogue;

/// How a store connects.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// How long to wait for what.
    pub timeouts: Timeouts,
    /// The largest body that is kept, in bytes. Default 1 MiB.
    pub answer_limit: usize,
    /// Named prepared statements. Default on: faster. Switch them off behind a pooler that shares
    /// connections between transactions (PgBouncer before 1.21 in transaction mode).
    pub prepared_statements: bool,
    /// The most connections held at a time. Default 8.
    pub max_connections: u32,
    /// Create the SQLite file when it is not there. Default off: an empty database made by a typo
    /// would answer "no such key".
    pub create: bool,
    /// Where `now` comes from.
    pub clock: TimeSource,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            timeouts: Timeouts::default(),
            answer_limit: DEFAULT_ANSWER_LIMIT,
            prepared_statements: true,
            max_connections: 8,
            create: false,
            clock: TimeSource::Database,
        }
    }
}

/// Proof that changing rows was agreed to. Every call that takes rows away or changes them behind
/// their owner's back wants one, and a dry run has none: it can't call them by mistake.
#[derive(Debug)]
pub struct Confirmed(());

impl Confirmed {
    /// For commands that ask, after the answer was yes; for passes whose own conditions protect
    /// every row; and for the start of the daemon. Never for a dry run.
    pub fn given() -> Self {
        Self(())
    }
}

/// A table of keys in a database. Cheap to clone; the clones share their connections.
#[derive(Clone)]
pub struct Store {
    backend: Arc<dyn Backend>,
    mapping: Arc<Mapping>,
    columns: Arc<Columns>,
    /// The way along which the purge's statements go.
    walk: Option<Walk>,
    sql: Arc<Catalogue>,
    clock: TimeSource,
    answer_limit: usize,
    /// What texts for people may hold.
    encoding: Arc<people::KnownEncoding>,
    /// Only the auxiliary tables are migrated.
    auxiliary_only: bool,
    /// Foreign keys point at the table, as [`Store::sparing_references`] found.
    is_referenced: bool,
    /// What keeps rows that other tables point at from the purge, as SQL.
    unreferenced: Arc<str>,
    /// What part of the table is seen, as it was asked when the store was opened.
    seen: Arc<Visibility>,
    /// The table's schema, as [`Store::location`] found.
    schema: Arc<OnceLock<String>>,
    /// The moment at which the leases of settled rows count, see [`Store::as_of`].
    leases_at: Option<Timestamp>,
}

impl Store {
    /// Opens the table that `idemctl migrate` creates. PostgreSQL connects with the first call, or at once
    /// where several hosts are listed or a schema is named. What a URL leaves open comes from the `PG…`
    /// variables and the service file, as with libpq.
    ///
    /// # Errors
    /// A URL that is none, or an SQLite file that is not there.
    pub async fn connect(url: &str, options: StoreOptions) -> Result<Self, StoreError> {
        Self::open(&url.parse::<DatabaseUrl>()?, options).await
    }

    /// As [`Store::connect`], from a URL that was checked before.
    ///
    /// # Errors
    /// As [`Store::connect`].
    pub async fn open(url: &DatabaseUrl, options: StoreOptions) -> Result<Self, StoreError> {
        let backend: Arc<dyn Backend> = match url {
            #[cfg(feature = "postgres")]
            DatabaseUrl::Postgres(url) => Arc::new(
                crate::dialect::postgres::PgBackend::connect(
                    url,
                    options.timeouts,
                    options.prepared_statements,
                    options.max_connections,
                )
                .await?,
            ),
            #[cfg(feature = "sqlite")]
            DatabaseUrl::Sqlite(url) => Arc::new(crate::dialect::sqlite::SqliteBackend::open(
                url,
                options.create,
                options.timeouts,
                options.max_connections,
            )?),
            #[allow(unreachable_patterns, reason = "reached when a dialect is left out of the build")]
            other => {
                return Err(StoreError::new(
                    ErrorKind::Input,
                    format!("this build has no support for {other}"),
                ));
            }
        };
        Self::over(backend, &options)
    }

    /// A store on a pool that the application already has. Its connections must not go through a
    /// pooler that shares them between transactions. They keep their settings: ours last for our own
    /// transactions, which are durable also where `synchronous_commit` is off.
    ///
    /// # Errors
    /// None that a correct build could meet.
    #[cfg(feature = "postgres")]
    pub fn from_pg_pool(pool: sqlx::PgPool, options: StoreOptions) -> Result<Self, StoreError> {
        Self::over(Arc::new(crate::dialect::postgres::PgBackend::from_pool(pool, options.timeouts)), &options)
    }

    /// A store on a pool that the application already has. Its connections keep their settings: how long a
    /// call waits for another writer is their `busy_timeout`, and whether a claim outlasts a power cut is their
    /// `synchronous`, which should be FULL.
    ///
    /// # Errors
    /// None that a correct build could meet.
    #[cfg(feature = "sqlite")]
    pub fn from_sqlite_pool(pool: sqlx::SqlitePool, options: StoreOptions) -> Result<Self, StoreError> {
        Self::over(Arc::new(crate::dialect::sqlite::SqliteBackend::from_pool(pool)), &options)
    }

    fn over(backend: Arc<dyn Backend>, options: &StoreOptions) -> Result<Self, StoreError> {
        let mapping = Mapping::owned();
        let columns = Columns::owned(backend.dialect());
        Self::rendered(backend, mapping, columns, options.clock, options.answer_limit)
    }

    fn rendered(
        backend: Arc<dyn Backend>,
        mapping: Mapping,
        columns: Columns,
        clock: TimeSource,
        answer_limit: usize,
    ) -> Result<Self, StoreError> {
        let walk = mapping.walks().into_iter().next();
        let sql = Catalogue::render(&Fragments::new(&mapping, &columns, walk.as_ref()), clock)?;
        Ok(Self {
            backend,
            mapping: Arc::new(mapping),
            columns: Arc::new(columns),
            walk,
            sql: Arc::new(sql),
            clock,
            answer_limit,
            encoding: Arc::default(),
            auxiliary_only: false,
            is_referenced: false,
            leases_at: None,
            unreferenced: "".into(),
            seen: Arc::default(),
            schema: Arc::default(),
        })
    }

    /// The same database, and another table in it: one that a team already has. The mapping is compared
    /// with the real table first; no row is touched.
    ///
    /// ```no_run
    /// # use idemctl::store::{Store, StoreOptions};
    /// # use idemctl::table::Mapping;
    /// # async fn adopt(mapping: Mapping) -> Result<(), Box<dyn std::error::Error>> {
    /// let database = Store::connect("postgres://ops@localhost/shop", StoreOptions::default()).await?;
    /// let store = database.with_mapping(mapping).await?;
    /// let rows = store.inspect("order-1234").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Mapping`] for the first setting that does not fit, with its column.
    pub async fn with_mapping(&self, mapping: Mapping) -> Result<Self, StoreError> {
        let store = self.looking_at(mapping).await?;
        if !store.mapping.is_owned() {
            store.check_statements().await?;
        }
        Ok(store)
    }

    /// As [`Store::with_mapping`], for these changes alone: what the table lacks for others is their own affair.
    ///
    /// # Errors
    /// As [`Store::with_mapping`].
    pub async fn with_mapping_for(
        &self,
        mapping: Mapping,
        changes: &[RowChange],
    ) -> Result<Self, StoreError> {
        let store = self.looking_at(mapping).await?;
        if !store.mapping.is_owned() {
            store.check_statements_for(changes).await?;
        }
        Ok(store)
    }

    /// As [`Store::with_mapping`], for those who will only look: columns and types are compared, but not
    /// every statement is prepared, which takes some hundred round trips' time.
    ///
    /// # Errors
    /// As [`Store::with_mapping`].
    pub async fn looking_at(&self, mapping: Mapping) -> Result<Self, StoreError> {
        if mapping == Mapping::owned() {
            let columns = Columns::owned(self.dialect());
            return Self::rendered(self.backend.clone(), mapping, columns, self.clock, self.answer_limit);
        }
        let (columns, mapping) = mapping_check::columns(self, &mapping).await?;
        Self::rendered(self.backend.clone(), mapping, columns, self.clock, self.answer_limit)
    }

    /// The same database and a table that was not looked at: for questions about what does not fit. None
    /// of its rows may be asked for.
    #[cfg(feature = "cli")]
    pub(crate) fn unseen(&self, mapping: Mapping) -> Result<Self, StoreError> {
        let columns = Columns::owned(self.dialect());
        Self::rendered(self.backend.clone(), mapping, columns, self.clock, self.answer_limit)
    }

    /// Whether a unique index covers the key, the scope and the guard, as far as that was looked at.
    #[cfg(feature = "cli")]
    pub(crate) fn key_is_unique(&self) -> bool {
        self.columns.key_is_unique
    }

    /// The same store with another clock.
    ///
    /// # Errors
    /// None that a correct build could meet.
    pub fn with_clock(&self, clock: TimeSource) -> Result<Self, StoreError> {
        let sql = Catalogue::render(&self.fragments(), clock)?;
        Ok(Self { sql: Arc::new(sql), clock, ..self.clone() })
    }

    /// The same store for a pass that begins at `now`: a lease that runs then protects its row for the whole pass.
    pub(crate) fn as_of(&self, now: Timestamp) -> Self {
        Self { leases_at: Some(now), ..self.clone() }
    }

    /// The same store once for each way along which rows become due: by their expiry, and by their age
    /// where they have none.
    pub(crate) fn walks(&self) -> Result<Vec<Self>, StoreError> {
        let mut stores = Vec::new();
        for walk in self.mapping.walks() {
            let fragments = Fragments { walk: Some(&walk), ..self.fragments() };
            let sql = Catalogue::render(&fragments, self.clock)?;
            stores.push(Self { walk: Some(walk), sql: Arc::new(sql), ..self.clone() });
        }
        Ok(stores)
    }

    pub(crate) fn fragments(&self) -> Fragments<'_> {
        let mut fragments = Fragments::new(&self.mapping, &self.columns, self.walk.as_ref());
        fragments.variation.unreferenced = self.unreferenced.clone();
        fragments.variation.leases_at = self.leases_at;
        fragments
    }

    /// What stands for an expiry in comparisons with the clock that the purge walks along.
    fn expiry_bound(&self, at: Timestamp) -> Value {
        self.walk.as_ref().map_or(Value::Time(Some(at)), |walk| walk.bound(at))
    }

    /// The earliest expiry that the purge looks at: a clock at or before 2000-01-01 was never set by an
    /// application that is alive.
    pub fn first_expiry(&self) -> Timestamp {
        self.walk.as_ref().map_or(Timestamp::OLDEST_PLAUSIBLE, Walk::first)
    }

    /// The dialect it speaks.
    pub fn dialect(&self) -> Dialect {
        self.backend.dialect()
    }

    /// Where the database is, without secrets.
    pub fn target(&self) -> String {
        match self.schema.get() {
            Some(schema) => format!("{}, schema {schema}", self.backend.target()),
            None => self.backend.target(),
        }
    }

    /// What of the mapping does not fit the table and is left out: commands that need it are refused.
    pub fn misfits(&self) -> impl Iterator<Item = &str> {
        self.columns.misfits.iter().map(|misfit| misfit.problem.as_str())
    }

    /// Refuses what needs one of these settings where it does not fit the table.
    ///
    /// # Errors
    /// [`ErrorKind::Mapping`] with the setting's name.
    pub fn check_settings(&self, settings: &[&str]) -> Result<(), StoreError> {
        match self.columns.misfit(settings) {
            None => Ok(()),
            Some(misfit) => Err(StoreError::new(ErrorKind::Mapping, misfit.problem.clone())),
        }
    }

    /// The table's roles, without what does not fit.
    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// Whether stored bodies come back in the database's own spelling.
    pub fn rewrites_bodies(&self) -> bool {
        let shown = &self.mapping.shown;
        let column =
            shown.snapshot.as_ref().map(|snapshot| &snapshot.column).or(shown.response_body.as_ref());
        column.is_some_and(|column| self.columns.family(column) == Some(Family::Jsonb))
    }

    /// The database's clock.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn now(&self) -> Result<Timestamp, StoreError> {
        let row = self.read_one(&self.sql.clock, &[]).await?;
        let mut row = row.ok_or_else(|| StoreError::corrupt("the database has no clock"))?;
        let now = row.time()?;
        Ok(row.required(now)?)
    }

    /// Asks the database to prepare every statement: what a table lacks shows here, before any row
    /// is touched. A right that the role lacks is left to the command that needs it.
    ///
    /// # Errors
    /// The first statement that does not fit, with what it lacks.
    pub async fn check_statements(&self) -> Result<(), StoreError> {
        if let Some(misfit) = self.columns.misfits.first() {
            return Err(StoreError::new(ErrorKind::Mapping, misfit.problem.clone()));
        }
        self.check_fitting_statements().await
    }

    /// As [`Store::check_statements`], whatever was left out of the mapping because it does not fit.
    pub(crate) async fn check_fitting_statements(&self) -> Result<(), StoreError> {
        for problem in [&self.columns.fail_problem, &self.columns.release_problem] {
            self.check_rule(problem)?;
        }
        self.check_statements_for(&RowChange::ALL).await
    }

    /// As [`Store::check_statements`], those that these changes need.
    ///
    /// # Errors
    /// As [`Store::check_statements`].
    pub async fn check_statements_for(&self, changes: &[RowChange]) -> Result<(), StoreError> {
        let mut transaction = self.backend.begin(Purpose::Read).await?;
        for (name, sql) in self.sql.all() {
            if !self.mapping.is_owned() && !Catalogue::is_for_any_table(name)
                || self.columns.read_only.is_some() && Catalogue::writes(name)
                || !Catalogue::is_needed(name, changes)
                // What rests on a rule that does not fit is refused with the rule's name.
                || self.columns.fail_problem.is_some() && matches!(name, "reap_row" | "fail_row")
                || self.columns.release_problem.is_some() && name == "release_row"
            {
                continue;
            }
            // EXPLAIN plans a statement and runs nothing; NULLs stand in for its binds.
            let explain = sql.with_nulls().explained("EXPLAIN");
            match transaction.fetch(&explain, &[]).await {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Right => {
                    // A failed statement ends PostgreSQL's transaction. There may be no second connection.
                    transaction.rollback().await?;
                    transaction = self.backend.begin(Purpose::Read).await?;
                }
                Err(error) if self.mapping.is_owned() || error.is_transient() || error.is_disconnect() => {
                    tracing::debug!(statement = name, "does not fit");
                    return Err(error);
                }
                Err(error) => return Err(error.into_mapping(name, &self.mapping.name)),
            }
        }
        Ok(())
    }

    /// Closes the connections; what is under way ends first.
    pub async fn close(&self) {
        self.backend.close().await;
    }

    /// One query in a transaction of its own.
    async fn read(&self, sql: &Statement, binds: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.with_retries_when(
            true,
            |_| false,
            || async {
                let mut transaction = self.backend.begin(Purpose::Read).await?;
                let rows = transaction.fetch(sql, binds).await?;
                transaction.commit().await?;
                Ok(rows)
            },
        )
        .await
    }

    async fn read_one(&self, sql: &Statement, binds: &[Value]) -> Result<Option<Row>, StoreError> {
        Ok(self.read(sql, binds).await?.into_iter().next())
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("target", &self.target()).finish_non_exhaustive()
    }
}

/// Whether the answer to a commit of an earlier try was lost: what this try finds may be that one's work.
#[derive(Default)]
struct Doubt(AtomicBool);

impl Doubt {
    fn is_there(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    async fn commit(&self, transaction: Box<dyn Transaction>) -> Result<(), StoreError> {
        let committed = transaction.commit().await;
        if committed.as_ref().is_err_and(StoreError::is_outcome_unknown) {
            self.0.store(true, Ordering::Relaxed);
        }
        committed
    }
}

/// No try begins later than this after the first one.
const RETRY_PATIENCE: Duration = Duration::from_secs(5);

/// The same where another host may take over in between.
const FAILOVER_PATIENCE: Duration = Duration::from_secs(15);

impl Store {
    /// Makes a call again while its failure is one that passes: a conflict, a lock, a connection that broke
    /// before anything was changed, a host that takes no writes where there are others, and for calls that
    /// may be repeated (`idempotent`) an answer that was lost. Bounded, with jitter.
    ///
    /// When the answer of any try was lost and the last one can't tell either, the outcome is unknown.
    async fn with_retries<T, F>(&self, idempotent: bool, call: impl FnMut() -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        self.with_retries_when(idempotent, StoreError::is_transient, call).await
    }

    /// The same, but of conflicts and locks only `passes` are tried again.
    async fn with_retries_when<T, F>(
        &self,
        idempotent: bool,
        passes: impl Fn(&StoreError) -> bool,
        call: impl FnMut() -> F,
    ) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        let started = Instant::now();
        let several = self.backend.has_several_hosts();
        let patience = if several { FAILOVER_PATIENCE } else { RETRY_PATIENCE };
        let mut doubtful = false;
        let called = call
            .retry(
                ExponentialBuilder::default()
                    .with_min_delay(Duration::from_millis(10))
                    .with_max_delay(Duration::from_millis(500))
                    .with_max_times(8)
                    .with_jitter(),
            )
            .when(|error: &StoreError| {
                doubtful |= error.is_outcome_unknown();
                // Each try may itself have waited for its whole timeout; a caller waits for one of them.
                started.elapsed() < patience
                    && (passes(error)
                        || error.kind() == ErrorKind::Unreachable
                        || (several && error.kind() == ErrorKind::ReadOnly)
                        || (idempotent && error.is_outcome_unknown()))
            })
            .await;
        called.map_err(|error| if doubtful { error.after_a_lost_answer() } else { error })
    }
}
