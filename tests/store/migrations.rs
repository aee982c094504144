//! Migrations: repeatable, startable anywhere at once, and never at the cost of what is there.

mod plans;

use idemctl::store::{
    Confirmed, ErrorKind, Migration, MigrationState, SCHEMA_VERSION, Store, StoreError, StoreOptions,
};

use crate::support::database::migrating;
use crate::support::{Dialect, TestDb, at, claim, claimed, kind, secs, until};

super::support::on_both_dialects!(
    a_second_migration_does_nothing,
    the_printed_scripts_make_the_same_schema,
    a_newer_schema_is_refused_and_left_alone,
    another_checksum_is_refused,
    a_pending_migration_is_told,
    every_statement_fits_after_a_migration,
    a_statement_that_does_not_fit_is_told,
);

async fn migrate(store: &Store, holder: &str) -> Result<Vec<i64>, StoreError> {
    let ran = store.migrate(&migrating(holder), &Confirmed::given()).await?;
    Ok(ran.iter().map(|migration| migration.version).collect())
}

async fn a_second_migration_does_nothing(db: TestDb) {
    let first = claim("k");
    db.at(at(0)).claim(&first).await.unwrap();
    let before = (db.record("k").await, applied(&db.store).await);
    assert_eq!(migrate(&db.store, "again").await.unwrap(), [0_i64; 0]);
    assert_eq!((db.record("k").await, applied(&db.store).await), before);
    db.store.check_schema().await.unwrap();
}

/// When each migration was applied.
async fn applied(store: &Store) -> Vec<MigrationState> {
    store.migration_status().await.unwrap().into_iter().map(|status| status.state).collect()
}

async fn the_printed_scripts_make_the_same_schema(db: TestDb) {
    let by_hand = TestDb::empty(db.dialect()).await;
    by_hand.run(Migration::bootstrap(db.dialect())).await;
    for migration in Migration::all(db.dialect()) {
        // One by one: several in a single message are one transaction, in which no index can be
        // built concurrently.
        let script = migration.script(db.dialect());
        let code: Vec<&str> = script.lines().filter(|line| !line.starts_with("--")).collect();
        for statement in code.join("\n").split_inclusive(';') {
            by_hand.run(statement).await;
        }
    }
    by_hand.store.check_schema().await.unwrap();
    assert_eq!(migrate(&by_hand.store, "test").await.unwrap(), [0_i64; 0]);
    assert_eq!(schema(&by_hand).await, schema(&db).await);
}

/// Every column and index.
async fn schema(db: &TestDb) -> Vec<String> {
    let mut raw = db.raw().await;
    let schema = match db.dialect() {
        Dialect::Postgres => {
            raw.texts(
                "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable
                 FROM information_schema.columns WHERE table_schema = 'public'
                 UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
            )
            .await
        }
        _ => raw.texts("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY 1").await,
    };
    raw.close().await;
    assert!(schema.len() > 5);
    schema
}

async fn a_newer_schema_is_refused_and_left_alone(db: TestDb) {
    let now = db.time(at(0));
    db.run(&format!("INSERT INTO idemctl_migrations VALUES (99, '0099_later', 'x', {now})")).await;
    let before = schema(&db).await;
    assert_eq!(kind(migrate(&db.store, "old program").await), ErrorKind::SchemaMismatch);
    assert_eq!(kind(db.store.check_schema().await), ErrorKind::SchemaMismatch);
    assert_eq!(schema(&db).await, before);
    assert_eq!(db.number("SELECT count(*) FROM idemctl_migrations").await, SCHEMA_VERSION + 1);
}

async fn another_checksum_is_refused(db: TestDb) {
    db.run("UPDATE idemctl_migrations SET checksum = 'x' WHERE version = 1").await;
    assert_eq!(kind(db.store.check_schema().await), ErrorKind::SchemaMismatch);
    assert_eq!(kind(migrate(&db.store, "test").await), ErrorKind::SchemaMismatch);
}

async fn a_pending_migration_is_told(db: TestDb) {
    let empty = TestDb::empty(db.dialect()).await;
    assert!(applied(&empty.store).await.iter().all(|state| *state == MigrationState::Pending));
    assert_eq!(kind(empty.store.check_schema().await), ErrorKind::Schema);
    db.run("DELETE FROM idemctl_migrations WHERE version = 4").await;
    let states = applied(&db.store).await;
    assert!(matches!(
        states[..],
        [
            MigrationState::Applied(_),
            MigrationState::Applied(_),
            MigrationState::Applied(_),
            MigrationState::Pending
        ]
    ));
    assert_eq!(kind(db.store.check_schema().await), ErrorKind::Schema);
    assert_eq!(migrate(&db.store, "test").await.unwrap(), [4]);
    db.store.check_schema().await.unwrap();
}

async fn every_statement_fits_after_a_migration(db: TestDb) {
    db.at(at(0)).claim(&claim("k")).await.unwrap();
    let before = db.record("k").await;
    db.store.check_statements().await.unwrap();
    db.at(at(0)).check_statements().await.unwrap();
    assert_eq!((db.record("k").await, db.rows().await), (before, 1));
}

async fn a_statement_that_does_not_fit_is_told(db: TestDb) {
    let empty = TestDb::empty(db.dialect()).await;
    assert_eq!(kind(empty.store.check_statements().await), ErrorKind::Schema);
    db.run("ALTER TABLE idempotency_keys DROP COLUMN failure").await;
    assert_eq!(kind(db.store.check_statements().await), ErrorKind::Schema);
}

mod in_parallel {
    use super::*;

    /// Ten processes start at once on an empty database; each migration runs once.
    async fn ten_migrate(db: TestDb) {
        let mut migrating = Vec::new();
        for number in 0..10 {
            let options = StoreOptions { create: true, max_connections: 3, ..StoreOptions::default() };
            let store = Store::connect(&db.url, options).await.unwrap();
            migrating.push(tokio::spawn(async move {
                let ran = migrate(&store, &format!("process {number}")).await;
                store.close().await;
                ran
            }));
        }
        let mut ran = Vec::new();
        for one in migrating {
            ran.extend(one.await.unwrap().unwrap());
        }
        ran.sort_unstable();
        assert_eq!(ran, (1..=SCHEMA_VERSION).collect::<Vec<_>>());
        db.store.check_schema().await.unwrap();
        db.store.check_statements().await.unwrap();
        let first = claim("k");
        assert_eq!(db.store.claim(&first).await.unwrap(), claimed(first.token, 1));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn ten_migrate_an_empty_postgres_once() {
        ten_migrate(TestDb::empty(Dialect::Postgres).await).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn ten_migrate_an_empty_sqlite_file_once() {
        ten_migrate(TestDb::empty(Dialect::Sqlite).await).await;
    }
}

/// A table of that name that is not ours stays as it is, and so do its rows.
#[tokio::test]
async fn a_foreign_table_is_refused_and_left_untouched() {
    let tables = [
        "CREATE TABLE idempotency_keys (key text PRIMARY KEY, response text)",
        "CREATE TABLE idempotency_keys (key text PRIMARY KEY, status text, expires_at text, claimed_at text)",
        "CREATE VIEW idempotency_keys AS SELECT 1 AS key",
    ];
    for dialect in [Dialect::Postgres, Dialect::Sqlite] {
        for table in tables {
            let db = TestDb::empty(dialect).await;
            db.run(table).await;
            if table.contains("PRIMARY") {
                db.run("INSERT INTO idempotency_keys (key) VALUES ('theirs')").await;
            }
            let (before, rows) = (definition(&db).await, db.rows().await);
            assert_eq!(
                kind(migrate(&db.store, "test").await),
                ErrorKind::SchemaMismatch,
                "{dialect:?}: {table}"
            );
            assert_eq!((definition(&db).await, db.rows().await), (before, rows));
        }
    }
}

/// The columns and indexes of whatever is called as our table is.
async fn definition(db: &TestDb) -> Vec<String> {
    let mut raw = db.raw().await;
    let definition = match db.dialect() {
        Dialect::Postgres => {
            raw.texts(
                "SELECT column_name || ' ' || data_type FROM information_schema.columns
                 WHERE table_name = 'idempotency_keys'
                 UNION ALL SELECT indexdef FROM pg_indexes WHERE tablename = 'idempotency_keys' ORDER BY 1",
            )
            .await
        }
        _ => {
            raw.texts(
                "SELECT sql FROM sqlite_schema WHERE tbl_name = 'idempotency_keys' AND sql IS NOT NULL
                 ORDER BY 1",
            )
            .await
        }
    };
    raw.close().await;
    assert!(!definition.is_empty());
    definition
}

/// A build that was interrupted leaves an INVALID index; the next migration builds it anew.
#[tokio::test]
async fn on_postgres_a_leftover_invalid_index_is_rebuilt() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.run("DROP INDEX idempotency_keys_purge; DELETE FROM idemctl_migrations WHERE version = 2").await;
    // A writer keeps the build waiting until it runs into its time limit.
    let mut writer = db.raw().await;
    writer.run("BEGIN").await;
    writer.claim(&db.store, &claim("k")).await;
    let mut builder = db.raw().await;
    builder.run("SET lock_timeout = 50").await;
    let index = "CREATE INDEX CONCURRENTLY idempotency_keys_purge ON idempotency_keys (expires_at) \
                 WHERE status IN ('completed', 'failed')";
    assert!(builder.fails(index).await);
    writer.run("COMMIT").await;
    writer.close().await;
    builder.close().await;
    let invalid = "SELECT count(*) FROM pg_index WHERE NOT indisvalid";
    assert_eq!(db.number(invalid).await, 1);
    assert_eq!(migrate(&db.store, "test").await.unwrap(), [2]);
    assert_eq!(db.number(invalid).await, 0);
    let valid = "SELECT count(*) FROM pg_index WHERE indisvalid \
                 AND indexrelid = to_regclass('idempotency_keys_purge')";
    assert_eq!(db.number(valid).await, 1);
}

/// A process that died before it recorded its index leaves a valid one.
#[tokio::test]
async fn on_postgres_an_index_that_was_built_and_not_recorded_is_recorded() {
    let db = TestDb::new(Dialect::Postgres).await;
    let oid = "SELECT CAST(CAST(to_regclass('idempotency_keys_reap') AS oid) AS bigint)";
    let before = db.number(oid).await;
    db.run("DELETE FROM idemctl_migrations WHERE version = 3").await;
    assert_eq!(migrate(&db.store, "test").await.unwrap(), [3]);
    assert_eq!(db.number(oid).await, before);
}

/// A lease that a dead process left, from now on for so many seconds.
async fn dead_lease(db: &TestDb, seconds: i64) {
    db.run(Migration::bootstrap(Dialect::Postgres)).await;
    db.run(&format!(
        "INSERT INTO idemctl_lease VALUES ('*', 'migrate', 'dead', now() + {seconds} * interval '1 second')"
    ))
    .await;
}

#[tokio::test]
async fn on_postgres_a_dead_processes_lease_that_ran_out_is_taken_over() {
    let db = TestDb::empty(Dialect::Postgres).await;
    dead_lease(&db, -1).await;
    assert_eq!(migrate(&db.store, "test").await.unwrap(), (1..=SCHEMA_VERSION).collect::<Vec<_>>());
    // And given back at once.
    assert_eq!(db.number("SELECT count(*) FROM idemctl_lease WHERE holder IS NOT NULL").await, 0);
}

#[tokio::test]
async fn on_postgres_a_dead_processes_lease_is_waited_for() {
    let db = TestDb::empty(Dialect::Postgres).await;
    dead_lease(&db, 2).await;
    assert_eq!(migrate(&db.store, "test").await.unwrap(), (1..=SCHEMA_VERSION).collect::<Vec<_>>());
}

#[tokio::test]
async fn on_postgres_patience_with_a_lease_ends() {
    let db = TestDb::empty(Dialect::Postgres).await;
    dead_lease(&db, 3_600).await;
    let mut options = migrating("test");
    options.patience = std::time::Duration::from_millis(300);
    let result = db.store.migrate(&options, &Confirmed::given()).await;
    assert_eq!(kind(result), ErrorKind::Locked);
    assert_eq!(db.number("SELECT count(*) FROM idemctl_migrations").await, 0);
    assert_eq!(db.number("SELECT count(*) FROM idemctl_lease WHERE holder = 'dead'").await, 1);
}

/// While one waits for a writer to build its index, another polls outside any transaction: the two
/// don't deadlock.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgres_a_waiting_migration_does_not_deadlock_with_a_concurrent_index() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.run("DROP INDEX idempotency_keys_reap; DELETE FROM idemctl_migrations WHERE version = 3").await;
    let mut writer = db.raw().await;
    writer.run("BEGIN").await;
    writer.claim(&db.store, &claim("k")).await;
    let start = |holder: &'static str| {
        let store = db.store.clone();
        tokio::spawn(async move { migrate(&store, holder).await })
    };
    let first = start("first");
    until("the first holds the lease", || async {
        db.number("SELECT count(*) FROM idemctl_lease WHERE holder = 'first'").await == 1
    })
    .await;
    let second = start("second");
    until("the first waits for the writer", || async {
        db.number(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
             AND wait_event_type = 'Lock' AND query LIKE '%CONCURRENTLY%'",
        )
        .await
            == 1
    })
    .await;
    let waited = db.store.now().await.unwrap();
    until("the second has polled a while", || async {
        db.store.now().await.unwrap().since(waited) > secs(1)
    })
    .await;
    writer.run("COMMIT").await;
    writer.close().await;
    assert_eq!(first.await.unwrap().unwrap(), [3]);
    assert_eq!(second.await.unwrap().unwrap(), [0_i64; 0]);
}
