//! Migrations: embedded, checksummed, recorded in `idemctl_migrations`, each harmless to repeat,
//! and safe to start on many machines at once.
//!
//! PostgreSQL: the lease table is made in one short transaction under a transaction-level advisory
//! lock; from then on a row in it says who migrates, and everybody else polls it outside any
//! transaction. (A session lock would strand behind a pooler, and a waiter inside a transaction
//! would deadlock with `CREATE INDEX CONCURRENTLY`.) SQLite: one writer at a time suffices.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};
use tokio::time::{interval, sleep};

use super::{Confirmed, Dialect, ErrorKind, Purpose, Statement, Store, StoreError, VisibilityFlags};
use crate::protocol::Timestamp;

/// The schema's version that this program brings and needs.
pub const SCHEMA_VERSION: i64 = 4;

/// How long the lease of a migrating process runs; it is renewed every third of it.
const LEASE: Duration = Duration::from_secs(30);
/// How often a waiting process looks whether the lease is free.
const POLL: Duration = Duration::from_millis(200);
/// The row of `idemctl_lease` that guards the migrations.
const LEASE_ROW: [&str; 2] = ["*", "migrate"];

/// One embedded migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Migration {
    /// Its number; they run in this order.
    pub version: i64,
    /// Its name.
    pub name: &'static str,
    /// Its SQL.
    pub sql: &'static str,
}

macro_rules! migrations {
    ($folder:literal) => {
        &[
            migrations!($folder, 1, "0001_tables"),
            migrations!($folder, 2, "0002_purge_index"),
            migrations!($folder, 3, "0003_reap_index"),
            migrations!($folder, 4, "0004_pause"),
        ]
    };
    ($folder:literal, $version:literal, $name:literal) => {
        Migration {
            version: $version,
            name: $name,
            sql: include_str!(concat!("../../migrations/", $folder, "/", $name, ".sql")),
        }
    };
}

const POSTGRES: &[Migration] = migrations!("postgres");
const SQLITE: &[Migration] = migrations!("sqlite");

const AUXILIARY_POSTGRES: &[Migration] = &[migrations!("postgres", 0, "auxiliary")];
const AUXILIARY_SQLITE: &[Migration] = &[migrations!("sqlite", 0, "auxiliary")];

impl Migration {
    /// The migrations of a dialect, in order.
    pub fn all(dialect: Dialect) -> &'static [Self] {
        match dialect {
            Dialect::Postgres => POSTGRES,
            Dialect::Sqlite => SQLITE,
        }
    }

    /// What is migrated beside tables that are not idemctl's: its auxiliary tables, recorded as version 0.
    /// The numbered migrations stay to be done, should the database get a table of idemctl's own.
    pub fn auxiliary(dialect: Dialect) -> &'static [Self] {
        match dialect {
            Dialect::Postgres => AUXILIARY_POSTGRES,
            Dialect::Sqlite => AUXILIARY_SQLITE,
        }
    }

    /// The statements that record the migrations themselves.
    pub fn bootstrap(dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::Postgres => include_str!("../../migrations/postgres/bootstrap.sql"),
            Dialect::Sqlite => include_str!("../../migrations/sqlite/bootstrap.sql"),
        }
    }

    /// SHA-256 over its statements; a comment may be fixed without making it another migration.
    pub fn checksum(&self) -> String {
        let mut hash = Sha256::new();
        for statement in statements(self.sql) {
            hash.update(statement.as_bytes());
            hash.update(b";");
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The index it builds without blocking writers, where it does that.
    fn concurrent_index(&self) -> Option<&'static str> {
        self.sql.lines().next()?.strip_prefix("-- concurrent index: ")
    }

    /// Its SQL with the statement that records it: for people who run migrations with another tool.
    pub fn script(&self, dialect: Dialect) -> String {
        let now = dialect.grammar().now();
        format!(
            "-- {name}\n{sql}\nINSERT INTO idemctl_migrations (version, name, checksum, applied_at)\n\
             VALUES ({version}, '{name}', '{checksum}', {now})\nON CONFLICT (version) DO NOTHING;\n",
            name = self.name,
            sql = self.sql.trim_end(),
            version = self.version,
            checksum = self.checksum(),
        )
    }
}

/// Whether a migration has run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MigrationState {
    /// It has run.
    Applied(Timestamp),
    /// It has not.
    Pending,
}

/// A migration and whether it has run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MigrationStatus {
    /// The migration.
    pub migration: Migration,
    /// Whether it has run.
    pub state: MigrationState,
}

/// How to migrate.
#[derive(Debug, Clone)]
pub struct MigrateOptions {
    /// How long to wait for another process that migrates. Default 60 s.
    pub patience: Duration,
    /// Who we are, in the lease row.
    pub holder: String,
}

impl Store {
    /// The same database, where only the auxiliary tables are migrated: the audit and the leases, beside
    /// tables that a team already has.
    #[must_use]
    pub fn auxiliary_only(&self) -> Self {
        Self { auxiliary_only: true, ..self.clone() }
    }

    fn migrations(&self) -> &'static [Migration] {
        if self.auxiliary_only {
            Migration::auxiliary(self.dialect())
        } else {
            Migration::all(self.dialect())
        }
    }

    /// Which migrations the database has.
    ///
    /// # Errors
    /// [`ErrorKind::SchemaMismatch`] when it is newer than this program, or a migration that it has
    /// was another one.
    pub async fn migration_status(&self) -> Result<Vec<MigrationStatus>, StoreError> {
        Ok(self.applied().await?.0)
    }

    async fn applied(&self) -> Result<(Vec<MigrationStatus>, VisibilityFlags), StoreError> {
        let rows = match self.read(&self.sql.migrations_applied, &[]).await {
            Ok(rows) => rows,
            // No such table: nothing was migrated yet.
            Err(error) if error.kind() == ErrorKind::Schema => Vec::new(),
            Err(error) => return Err(error),
        };
        self.judge(rows)
    }

    /// Compares the migrations that a database has with those that we bring.
    fn judge(&self, rows: Vec<super::Row>) -> Result<(Vec<MigrationStatus>, VisibilityFlags), StoreError> {
        let mut applied = Vec::new();
        let mut flags = VisibilityFlags::default();
        for mut row in rows {
            let version = row.int()?.unwrap_or(0);
            let checksum = row.text()?.unwrap_or_default();
            let at = row.time()?;
            applied.push((version, checksum, row.required(at)?));
            flags = VisibilityFlags::read(&mut row)?;
        }
        let known = self.migrations();
        if let Some((newest, ..)) = applied.last().filter(|(version, ..)| *version > SCHEMA_VERSION) {
            return Err(StoreError::new(
                ErrorKind::SchemaMismatch,
                format!(
                    "the database has schema version {newest}, this program knows {SCHEMA_VERSION}: \
                     it is too old for this database"
                ),
            ));
        }
        let statuses: Result<_, StoreError> = known
            .iter()
            .map(|migration| {
                let state = match applied.iter().find(|(version, ..)| *version == migration.version) {
                    None => MigrationState::Pending,
                    Some((_, checksum, at)) if *checksum == migration.checksum() => {
                        MigrationState::Applied(*at)
                    }
                    Some(_) => {
                        return Err(StoreError::new(
                            ErrorKind::SchemaMismatch,
                            format!(
                                "migration {} ran here with another content: its checksum differs",
                                migration.name
                            ),
                        ));
                    }
                };
                Ok(MigrationStatus { migration: *migration, state })
            })
            .collect();
        Ok((statuses?, flags))
    }

    /// Refuses a database whose schema is not the one this program needs.
    ///
    /// # Errors
    /// [`ErrorKind::Schema`] when a migration is pending, [`ErrorKind::SchemaMismatch`] when the
    /// database is newer.
    pub async fn check_schema(&self) -> Result<VisibilityFlags, StoreError> {
        let (statuses, flags) = self.applied().await?;
        self.refuse_pending(&statuses)?;
        Ok(flags)
    }

    /// [`Store::check_schema`] from the rows of `migrations_applied`, read in a transaction with others.
    pub(super) fn check_schema_in(&self, rows: Vec<super::Row>) -> Result<VisibilityFlags, StoreError> {
        let (statuses, flags) = self.judge(rows)?;
        self.refuse_pending(&statuses)?;
        Ok(flags)
    }

    fn refuse_pending(&self, statuses: &[MigrationStatus]) -> Result<(), StoreError> {
        let pending = statuses.iter().filter(|status| status.state == MigrationState::Pending).count();
        match pending {
            0 => Ok(()),
            _ => Err(StoreError::new(
                ErrorKind::Schema,
                format!("{pending} migration(s) are pending on {}", self.target()),
            )),
        }
    }

    /// Brings the schema up to date and says which migrations ran. Starting it many times at once,
    /// or again after it was killed anywhere, ends in the same schema.
    ///
    /// # Errors
    /// [`ErrorKind::SchemaMismatch`] when the database is newer than this program or holds another
    /// table of our name; [`ErrorKind::Locked`] when another process migrates for longer than we wait.
    pub async fn migrate(
        &self,
        options: &MigrateOptions,
        _confirmed: &Confirmed,
    ) -> Result<Vec<Migration>, StoreError> {
        // A migration whose commit was not answered has run, or runs now: both are harmless, and ours.
        let begun = Mutex::new(Vec::new());
        self.with_retries_when(
            true,
            |_| false,
            || async {
                match self.dialect() {
                    Dialect::Postgres => self.migrate_under_lease(options, &begun).await,
                    Dialect::Sqlite => self.migrate_in_one_transaction(options, &begun).await,
                }
            },
        )
        .await?;
        let mut ran = begun.into_inner().unwrap_or_else(PoisonError::into_inner);
        ran.sort_by_key(|migration: &Migration| migration.version);
        ran.dedup();
        Ok(ran)
    }

    fn pending(statuses: Vec<MigrationStatus>) -> Vec<Migration> {
        statuses
            .into_iter()
            .filter(|status| status.state == MigrationState::Pending)
            .map(|status| status.migration)
            .collect()
    }

    async fn migrate_in_one_transaction(
        &self,
        options: &MigrateOptions,
        begun: &Mutex<Vec<Migration>>,
    ) -> Result<(), StoreError> {
        let started = Instant::now();
        loop {
            match self.try_migrate_in_one_transaction(begun).await {
                // Creating the file and switching it to WAL do not wait for each other.
                Err(error) if error.is_transient() && started.elapsed() < options.patience => {
                    sleep(POLL).await
                }
                other => return other,
            }
        }
    }

    async fn try_migrate_in_one_transaction(&self, begun: &Mutex<Vec<Migration>>) -> Result<(), StoreError> {
        // Also refuses a newer schema before anything is written.
        if Self::pending(self.migration_status().await?).is_empty() {
            return Ok(());
        }
        self.backend.prepare_empty().await?;
        let mut transaction = self.backend.begin(Purpose::Migrate).await?;
        run_each(&mut *transaction, Migration::bootstrap(Dialect::Sqlite)).await?;
        let rows = transaction.fetch(&self.sql.migrations_applied, &[]).await?;
        let mut applied = Vec::new();
        for mut row in rows {
            applied.push(row.int()?.unwrap_or(0));
        }
        let mut ran = Vec::new();
        for migration in self.migrations() {
            if applied.contains(&migration.version) {
                continue;
            }
            run_each(&mut *transaction, migration.sql).await?;
            // At once: what comes next may fail on another's table for a reason that explains nothing.
            self.check_owned_table(&mut *transaction).await?;
            self.record_migration(&mut *transaction, migration).await?;
            ran.push(*migration);
        }
        record_begun(begun, &ran);
        let committed = transaction.commit().await;
        if committed.as_ref().is_err_and(|error| !error.is_outcome_unknown()) {
            begun.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
        committed
    }

    async fn migrate_under_lease(
        &self,
        options: &MigrateOptions,
        begun: &Mutex<Vec<Migration>>,
    ) -> Result<(), StoreError> {
        if Self::pending(self.migration_status().await?).is_empty() {
            return Ok(());
        }
        let mut transaction = self.begin_migration().await?;
        // "idemctl" in ASCII; only ever held for the two statements below.
        let lock = Statement::new("SELECT CAST(pg_advisory_xact_lock(29665525331519596) AS text)");
        transaction.execute(&lock, &[]).await?;
        run_each(&mut *transaction, Migration::bootstrap(Dialect::Postgres)).await?;
        transaction.commit().await?;

        self.acquire_lease(options).await?;
        let result = tokio::select! {
            result = self.migrate_as_holder(begun) => result,
            lost = self.keep_lease(options) => Err(lost),
        };
        // It runs out by itself; what was migrated is migrated.
        if let Err(error) = self.release_migration(&options.holder).await {
            tracing::debug!(%error, "the migration's lease was not given back");
        }
        result
    }

    async fn release_migration(&self, holder: &str) -> Result<(), StoreError> {
        let release = [LEASE_ROW[0].into(), LEASE_ROW[1].into(), holder.into()];
        let mut transaction = self.backend.begin(Purpose::Write).await?;
        transaction.execute(&self.sql.lease_release, &release).await?;
        transaction.commit().await
    }

    /// After [`Store::migrate`] was dropped before its end: ends the building of its index, which the server would
    /// go on with alone, and gives the lease back, for which the next one would wait.
    ///
    /// # Errors
    /// When the database can't be asked; the lease then runs out by itself.
    pub async fn abandon_migration(&self, options: &MigrateOptions) -> Result<(), StoreError> {
        if !self.dialect().builds_indexes_online() {
            return Ok(());
        }
        // Only whoever holds the lease builds these.
        let held = Statement::new(
            "SELECT 1 FROM idemctl_lease WHERE table_name = $1 AND pass = $2 AND holder = $3".to_owned(),
        );
        let binds = [LEASE_ROW[0].into(), LEASE_ROW[1].into(), options.holder.as_str().into()];
        match self.read_one(&held, &binds).await {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(()),
            // It did not come so far as to make the table.
            Err(error) if error.kind() == ErrorKind::Schema => return Ok(()),
            Err(error) => return Err(error),
        }
        let cancel = Statement::new(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_progress_create_index WHERE index_relid = to_regclass($1)"
                .to_owned(),
        );
        for index in self.migrations().iter().filter_map(Migration::concurrent_index) {
            self.read(&cancel, &[index.into()]).await?;
        }
        self.release_migration(&options.holder).await
    }

    async fn try_lease(&self, options: &MigrateOptions) -> Result<bool, StoreError> {
        let binds = [
            LEASE_ROW[0].into(),
            LEASE_ROW[1].into(),
            options.holder.as_str().into(),
            i64::try_from(LEASE.as_micros()).unwrap_or(i64::MAX).into(),
        ];
        let mut transaction = self.backend.begin(Purpose::Write).await?;
        let taken = transaction.execute(&self.sql.lease_acquire, &binds).await?;
        transaction.commit().await?;
        Ok(taken == 1)
    }

    async fn acquire_lease(&self, options: &MigrateOptions) -> Result<(), StoreError> {
        let started = Instant::now();
        loop {
            match self.try_lease(options).await {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(error) if error.is_transient() => {}
                Err(error) => return Err(error),
            }
            if started.elapsed() >= options.patience {
                return Err(StoreError::new(
                    ErrorKind::Locked,
                    format!("another process has been migrating for {:?}", options.patience),
                ));
            }
            sleep(POLL).await;
        }
    }

    /// Renews the lease while an index is built; returns only when the lease is lost.
    async fn keep_lease(&self, options: &MigrateOptions) -> StoreError {
        let mut ticks = interval(LEASE / 3);
        ticks.tick().await;
        loop {
            ticks.tick().await;
            match self.try_lease(options).await {
                Ok(true) => {}
                Ok(false) => {
                    return StoreError::new(ErrorKind::Locked, "another process took the migration over");
                }
                Err(error) => tracing::debug!(%error, "the migration's lease was not renewed"),
            }
        }
    }

    /// A transaction in which tables are made in the schema that [`Store::location`] says, whichever the search path
    /// names first.
    async fn begin_migration(&self) -> Result<Box<dyn super::Transaction>, StoreError> {
        self.location().await?;
        let mut transaction = self.backend.begin(Purpose::Migrate).await?;
        if let Some(schema) = self.schema.get() {
            let path = Statement::new("SELECT set_config('search_path', quote_ident($1), true)");
            transaction.execute(&path, &[schema.as_str().into()]).await?;
        }
        Ok(transaction)
    }

    async fn migrate_as_holder(&self, begun: &Mutex<Vec<Migration>>) -> Result<(), StoreError> {
        let pending = Self::pending(self.migration_status().await?);
        for migration in &pending {
            match migration.concurrent_index() {
                Some(index) => {
                    self.build_concurrently(migration, index).await?;
                    let mut transaction = self.begin_migration().await?;
                    self.record_migration(&mut *transaction, migration).await?;
                    record_begun(begun, &[*migration]);
                    transaction.commit().await?;
                }
                None => {
                    let mut transaction = self.begin_migration().await?;
                    run_each(&mut *transaction, migration.sql).await?;
                    self.check_owned_table(&mut *transaction).await?;
                    self.record_migration(&mut *transaction, migration).await?;
                    record_begun(begun, &[*migration]);
                    transaction.commit().await?;
                }
            }
        }
        Ok(())
    }

    /// `CREATE INDEX CONCURRENTLY`, after removing what an earlier try left behind: a build that was
    /// interrupted leaves an INVALID index, which slows writes and serves nobody.
    async fn build_concurrently(&self, migration: &Migration, index: &str) -> Result<(), StoreError> {
        let invalid = Statement::new(
            "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid".to_owned(),
        );
        if self.read_one(&invalid, &[index.into()]).await?.is_some() {
            tracing::info!(index, "an interrupted build left an invalid index; building it anew");
            self.backend.run_script(&format!("DROP INDEX CONCURRENTLY IF EXISTS {index}")).await?;
        }
        self.backend.run_script(migration.sql).await
    }

    async fn record_migration(
        &self,
        on: &mut dyn super::Transaction,
        migration: &Migration,
    ) -> Result<(), StoreError> {
        let binds = [migration.version.into(), migration.name.into(), migration.checksum().into()];
        on.execute(&self.sql.migration_record, &binds).await?;
        Ok(())
    }

    /// `CREATE TABLE IF NOT EXISTS` takes any table of that name for ours; reading all of our
    /// columns tells.
    async fn check_owned_table(&self, on: &mut dyn super::Transaction) -> Result<(), StoreError> {
        if self.auxiliary_only {
            return Ok(());
        }
        let mut fragments = self.fragments();
        fragments.variation.selected = " LIMIT 0".to_owned();
        let sql = super::Catalogue::varied(&self.sql.select_rows, &fragments, self.clock)?;
        match on.fetch(&sql, &[]).await {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == ErrorKind::Schema => Err(StoreError::new(
                ErrorKind::SchemaMismatch,
                format!(
                    "there is a table {} already, and it is not idemctl's: its columns differ",
                    self.mapping.name
                ),
            )),
            Err(error) => Err(error),
        }
    }
}

fn record_begun(begun: &Mutex<Vec<Migration>>, migrations: &[Migration]) {
    begun.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(migrations);
}

/// Runs a script's statements one by one in a transaction. Our migrations have no semicolon within
/// a statement.
async fn run_each(transaction: &mut dyn super::Transaction, script: &str) -> Result<(), StoreError> {
    for statement in statements(script) {
        transaction.execute(&Statement::new(statement), &[]).await?;
    }
    Ok(())
}

fn statements(script: &str) -> Vec<String> {
    let code: Vec<&str> = script.lines().filter(|line| !line.trim_start().starts_with("--")).collect();
    code.join("\n")
        .split(';')
        .map(str::trim)
        .filter(|statement| !statement.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_a_row_without_gaps() {
        for dialect in [Dialect::Postgres, Dialect::Sqlite] {
            let versions: Vec<i64> = Migration::all(dialect).iter().map(|one| one.version).collect();
            assert_eq!(versions, (1..=SCHEMA_VERSION).collect::<Vec<_>>());
        }
    }

    /// A database may have both: whichever comes first makes what the other one finds.
    #[test]
    fn the_auxiliary_tables_are_those_of_the_numbered_migrations() {
        for dialect in [Dialect::Postgres, Dialect::Sqlite] {
            let numbered: Vec<String> =
                Migration::all(dialect).iter().flat_map(|one| statements(one.sql)).collect();
            for migration in Migration::auxiliary(dialect) {
                for statement in statements(migration.sql) {
                    assert!(numbered.contains(&statement), "{statement}");
                }
            }
        }
    }

    #[test]
    fn statements_can_be_told_apart_by_their_semicolons() {
        for dialect in [Dialect::Postgres, Dialect::Sqlite] {
            for migration in Migration::all(dialect).iter().chain(Migration::auxiliary(dialect)) {
                for statement in statements(migration.sql) {
                    assert!(statement.starts_with("CREATE "), "{statement}");
                }
            }
        }
    }
}
