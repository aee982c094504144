//! Errors that are about one row, whatever their code says: of a conflict, a lock, a time limit, a connection.

use std::time::{Duration, Instant};

use idemctl::janitor::{PurgeEnd, ReapOptions, ReapReport, reap};
use idemctl::protocol::Retry;
use idemctl::store::{Confirmed, ErrorKind, Operated, Operation, Store, StoreOptions, Timeouts};
use tokio_util::sync::CancellationToken;

use super::{by, outcome, pass, spread};
use crate::support::{Dialect, TestDb, at, secs, tester};

/// Codes that would be about the session, if they were not a trigger's.
const CODES: [&str; 13] = [
    "40001", "40P01", "55P03", "57014", "08006", "08003", "57P01", "57P02", "57P03", "57P05", "53300",
    "25P03", "25006",
];

/// Does this to rows of a condition on `old`, before they are deleted or changed.
async fn before(db: &TestDb, condition: &str, body: &str) {
    db.run(&format!(
        "CREATE OR REPLACE FUNCTION odd() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF {condition} THEN {body}; END IF;
             IF TG_OP = 'DELETE' THEN RETURN old; END IF; RETURN new; END $$;
         DROP TRIGGER IF EXISTS odd ON idempotency_keys;
         CREATE TRIGGER odd BEFORE DELETE OR UPDATE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION odd()"
    ))
    .await;
}

async fn stuck(store: &Store) -> (ReapReport, Option<ErrorKind>) {
    let options = ReapOptions {
        older_than: secs(30),
        retry: Retry::Allow.into(),
        scope: None,
        max_rows: None,
        allow_cascade: false,
    };
    let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
    let outcome = reap(store, &options, &tester(), Some(&confirmed), &stop, &mut |_| {}).await.unwrap();
    (outcome.report, outcome.error.map(|error| error.kind()))
}

async fn named(store: &Store, key: &str) -> idemctl::store::KeyRow {
    store.inspect(key).await.unwrap().pop().unwrap()
}

#[tokio::test]
async fn a_code_that_a_trigger_chose_is_of_the_row() {
    for code in CODES {
        let db = TestDb::new(Dialect::Postgres).await;
        db.fill_as("completed", "k", 20, at(0), &spread(&db, at(50))).await;
        db.fill_as("in_progress", "b", 20, at(0), &db.time(at(1_000))).await;
        let condition = "old.idempotency_key IN ('k8', 'k9', 'b8', 'b9')";
        before(&db, condition, &format!("RAISE EXCEPTION 'boo' USING ERRCODE = '{code}'")).await;
        let began = Instant::now();
        let report = pass(&db.at(at(200)), &by(100)).await;
        assert_eq!((report.deleted, report.refused.rows, report.skipped), (18, 2, 0), "{code}: {report:?}");
        assert_eq!((report.end, report.backlog), (PurgeEnd::Done, Some(2)), "{code}: {report:?}");
        assert!(report.refused.named.iter().all(|row| row.reason == "boo"), "{code}: {report:?}");
        let (report, error) = stuck(&db.at(at(60))).await;
        assert_eq!((report.reaped, report.refused.rows, error), (18, 2, None), "{code}: {report:?}");
        assert_eq!((report.skipped, report.locked), (0, 0), "{code}: {report:?}");
        assert!(began.elapsed() < secs(20), "{code}: {:?}", began.elapsed());
    }
}

/// The server that a trigger asks is away; the connection to our own lives.
#[tokio::test]
async fn a_server_that_a_trigger_asks_is_another_one() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.run(
        "CREATE EXTENSION postgres_fdw;
         CREATE SERVER away FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '1');
         CREATE USER MAPPING FOR public SERVER away OPTIONS (user 'x', password 'x');
         CREATE FOREIGN TABLE away (k text) SERVER away",
    )
    .await;
    db.fill_as("completed", "k", 20, at(0), &spread(&db, at(50))).await;
    db.fill_as("in_progress", "b", 20, at(0), &db.time(at(1_000))).await;
    before(&db, "old.idempotency_key IN ('k8', 'k9', 'b8')", "PERFORM 1 FROM away").await;
    let report = pass(&db.at(at(200)), &by(100)).await;
    assert_eq!((report.deleted, report.refused.rows, report.unknown_batches), (18, 2, 0), "{report:?}");
    assert!(report.refused.named[0].reason.contains("could not connect"), "{report:?}");
    let (report, error) = stuck(&db.at(at(60))).await;
    assert_eq!((report.reaped, report.refused.rows, report.unknown, error), (19, 1, 0, None), "{report:?}");
    // The outcome of one row is known, too: nothing was done.
    let (store, confirmed) = (db.at(at(60)), Confirmed::given());
    let row = named(&store, "b8").await;
    let error = store.operate(&row, Operation::Forget, &tester(), true, &confirmed).await.unwrap_err();
    assert_eq!((error.kind(), error.is_outcome_unknown()), (ErrorKind::Other, false), "{error:?}");
}

/// One row for which a trigger is slow; rows that others lock by way of a trigger.
#[tokio::test]
async fn a_row_that_waits_is_left_alone() {
    let db = TestDb::new(Dialect::Postgres).await;
    let timeouts = Timeouts { statement: Duration::from_millis(400), ..Timeouts::default() };
    let store = Store::connect(&db.url, StoreOptions { timeouts, ..StoreOptions::default() }).await.unwrap();
    let at_time = |now| store.with_clock(idemctl::store::TimeSource::Fixed(at(now))).unwrap();
    db.fill_as("completed", "k", 40, at(0), &spread(&db, at(50))).await;
    db.fill_as("in_progress", "b", 20, at(0), &db.time(at(1_000))).await;
    before(&db, "old.idempotency_key IN ('k8', 'k9', 'b8')", "PERFORM pg_sleep(2)").await;
    let report = pass(&at_time(200), &by(10)).await;
    assert_eq!((report.deleted, report.refused.rows, report.end), (38, 2, PurgeEnd::Done), "{report:?}");
    assert!(report.refused.named[0].reason.contains("timeout"), "{report:?}");
    let (report, error) = stuck(&at_time(60)).await;
    assert_eq!((report.reaped, report.refused.rows, error), (19, 1, None), "{report:?}");

    db.run("CREATE TABLE other (n int PRIMARY KEY); INSERT INTO other VALUES (1)").await;
    let mut holder = db.raw().await;
    holder.run("BEGIN; SELECT 1 FROM other FOR UPDATE").await;
    for lock in ["FOR UPDATE", "FOR UPDATE NOWAIT"] {
        let fresh = format!("{}-", lock.len());
        db.fill_as("completed", &format!("k{fresh}"), 40, at(0), &spread(&db, at(50))).await;
        db.fill_as("in_progress", &format!("b{fresh}"), 20, at(0), &db.time(at(1_000))).await;
        let condition = "old.idempotency_key LIKE '%-7' OR old.idempotency_key IN ('k8', 'k9', 'b8')";
        before(&db, condition, &format!("PERFORM 1 FROM other {lock}")).await;
        let report = pass(&db.at(at(200)), &by(100)).await;
        let locked = report.backlog.unwrap();
        assert_eq!((report.deleted, report.skipped, report.refused.rows), (39, locked, 0), "{report:?}");
        let (report, error) = stuck(&db.at(at(60))).await;
        assert_eq!((report.reaped, report.refused.rows, error), (19, 0, None), "{report:?}");
        assert_eq!((report.locked, report.skipped), (report.matched - 19, report.matched - 19), "{report:?}");
    }
    holder.run("COMMIT").await;
    holder.close().await;
    let (report, _) = stuck(&db.at(at(60))).await;
    assert_eq!((report.locked, report.refused.rows), (0, 0), "{report:?}");
    assert_eq!(pass(&db.at(at(200)), &by(100)).await.backlog, Some(0));
}

/// Where all wait for the same lock there is no use in trying each.
#[tokio::test]
async fn a_lock_that_all_rows_wait_for_ends_the_pass() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.fill_as("completed", "k", 400, at(0), &spread(&db, at(50))).await;
    db.fill_as("in_progress", "b", 50, at(0), &db.time(at(1_000))).await;
    db.run("CREATE TABLE other (n int PRIMARY KEY); INSERT INTO other VALUES (1)").await;
    before(&db, "true", "PERFORM 1 FROM other FOR UPDATE").await;
    let mut holder = db.raw().await;
    holder.run("BEGIN; SELECT 1 FROM other FOR UPDATE").await;
    let began = Instant::now();
    let report = pass(&db.at(at(200)), &by(100)).await;
    assert_eq!((report.deleted, report.refused.rows, report.end), (0, 0, PurgeEnd::Locked), "{report:?}");
    let (report, error) = stuck(&db.at(at(60))).await;
    assert_eq!((report.reaped, report.refused.rows, error), (0, 0, Some(ErrorKind::Locked)), "{report:?}");
    assert!(began.elapsed() < secs(90), "{:?}", began.elapsed());
    holder.run("COMMIT; BEGIN; LOCK TABLE idempotency_keys IN SHARE MODE").await;
    let began = Instant::now();
    let report = pass(&db.at(at(200)), &by(100)).await;
    assert_eq!((report.deleted, report.skipped, report.end), (0, 0, PurgeEnd::Locked), "{report:?}");
    let (report, error) = stuck(&db.at(at(60))).await;
    assert_eq!((report.reaped, report.refused.rows, error), (0, 0, Some(ErrorKind::Locked)), "{report:?}");
    assert!(began.elapsed() < secs(40), "{:?}", began.elapsed());
    holder.run("COMMIT").await;
    holder.close().await;
    assert_eq!(pass(&db.at(at(200)), &by(100)).await.deleted, 400);
}

/// What the statement fails with for no row at all is no row's fault.
#[tokio::test]
async fn what_no_row_is_to_blame_for_ends_the_pass_at_once() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.fill_as("completed", "k", 50, at(0), &spread(&db, at(50))).await;
    db.fill_as("in_progress", "b", 50, at(0), &db.time(at(1_000))).await;
    db.run(
        "CREATE FUNCTION never() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             INSERT INTO nowhere VALUES (1); RETURN NULL; END $$;
         CREATE TRIGGER never BEFORE DELETE OR UPDATE ON idempotency_keys FOR EACH STATEMENT
             EXECUTE FUNCTION never()",
    )
    .await;
    let ended = outcome(&db.at(at(200)), &by(10)).await;
    let report = &ended.report;
    assert_eq!((report.deleted, report.refused.rows, report.end), (0, 0, PurgeEnd::Failed), "{report:?}");
    assert_eq!(ended.error.map(|error| error.kind()), Some(ErrorKind::Schema));
    let (report, error) = stuck(&db.at(at(60))).await;
    assert_eq!((report.reaped, report.refused.rows, error), (0, 0, Some(ErrorKind::Schema)), "{report:?}");

    // A right that the audit lacks, in another role's hands.
    db.run(
        "DROP TRIGGER never ON idempotency_keys;
         CREATE ROLE blamed_reaper LOGIN;
         GRANT ALL ON idempotency_keys TO blamed_reaper;
         GRANT SELECT ON ALL TABLES IN SCHEMA public TO blamed_reaper",
    )
    .await;
    let url = db.url.replace("postgres@", "blamed_reaper@");
    let store = Store::connect(&url, StoreOptions::default()).await.unwrap();
    let store = store.with_clock(idemctl::store::TimeSource::Fixed(at(60))).unwrap();
    let (report, error) = stuck(&store).await;
    assert_eq!((report.reaped, report.refused.rows, error), (0, 0, Some(ErrorKind::Right)), "{report:?}");
}

/// A table that some rows' trigger needs is not there: those rows are to blame, and no others.
#[tokio::test]
async fn an_error_of_any_code_costs_its_rows_alone() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.fill_as("completed", "k", 50, at(0), &spread(&db, at(50))).await;
    db.fill_as("in_progress", "b", 20, at(0), &db.time(at(1_000))).await;
    before(&db, "old.idempotency_key IN ('k8', 'k9', 'b8')", "INSERT INTO nowhere VALUES (1)").await;
    let report = pass(&db.at(at(200)), &by(10)).await;
    assert_eq!((report.deleted, report.refused.rows), (48, 2), "{report:?}");
    let (report, error) = stuck(&db.at(at(60))).await;
    assert_eq!((report.reaped, report.refused.rows, error), (19, 1, None), "{report:?}");
}

/// A lock beside a trigger or a policy that keeps rows: each is told as what it is.
#[tokio::test]
async fn a_row_that_is_kept_without_an_error_is_neither_locked_nor_changed() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.fill_as("in_progress", "b", 20, at(0), &db.time(at(1_000))).await;
    db.fill_as("completed", "k", 20, at(0), &spread(&db, at(50))).await;
    before(&db, "old.idempotency_key IN ('b8', 'b9', 'k8')", "RETURN NULL").await;
    db.run(
        "CREATE ROLE kept_reaper LOGIN;
         GRANT ALL ON ALL TABLES IN SCHEMA public TO kept_reaper;
         ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
         CREATE POLICY looks ON idempotency_keys FOR SELECT TO kept_reaper USING (true);
         CREATE POLICY changes ON idempotency_keys FOR UPDATE TO kept_reaper
             USING (idempotency_key NOT IN ('b13', 'b14'));
         CREATE POLICY goes ON idempotency_keys FOR DELETE TO kept_reaper USING (idempotency_key <> 'k13')",
    )
    .await;
    let url = db.url.replace("postgres@", "kept_reaper@");
    let store = Store::connect(&url, StoreOptions::default()).await.unwrap();
    let at_time = |now| store.with_clock(idemctl::store::TimeSource::Fixed(at(now))).unwrap();
    let mut holder = db.raw().await;
    holder.run("BEGIN; SELECT 1 FROM idempotency_keys WHERE idempotency_key = 'b5' FOR UPDATE").await;
    let (report, error) = stuck(&at_time(60)).await;
    assert_eq!((report.reaped, report.locked, report.skipped, error), (15, 1, 1, None), "{report:?}");
    let mut names: Vec<&str> = report.refused.named.iter().map(|row| row.key.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["b13", "b14", "b8", "b9"]);
    let reason = &report.refused.named[0].reason;
    assert!(reason.contains("policy changes") && reason.contains("trigger odd"), "{reason}");
    holder.run("COMMIT").await;
    holder.close().await;

    let (owner, role, confirmed) = (db.at(at(60)), at_time(60), Confirmed::given());
    let fail = Operation::Fail { retry: Retry::Allow };
    for (store, key, operation, outcome) in [
        (&owner, "b8", fail, Operated::Kept),
        (&role, "b13", fail, Operated::Kept),
        (&owner, "k8", Operation::Forget, Operated::Kept),
        (&role, "k13", Operation::Forget, Operated::Kept),
        (&role, "k14", Operation::Forget, Operated::Done),
    ] {
        let row = named(store, key).await;
        let done = store.operate(&row, operation, &tester(), true, &confirmed).await.unwrap();
        assert_eq!(done, outcome, "{key}");
    }
    let row = named(&owner, "b8").await;
    db.run("UPDATE idempotency_keys SET attempt = 7 WHERE idempotency_key = 'b14'").await;
    assert_eq!(owner.row_blocking_triggers(fail).await.unwrap(), ["trigger odd"]);
    assert_eq!(role.row_blocking_triggers(Operation::Forget).await.unwrap(), ["policy goes", "trigger odd"]);
    db.run("DROP TRIGGER odd ON idempotency_keys; UPDATE idempotency_keys SET attempt = 7").await;
    let moved = owner.operate(&row, fail, &tester(), true, &confirmed).await.unwrap();
    assert_eq!(moved, Operated::Changed);
}

#[tokio::test]
async fn on_sqlite_a_kept_row_is_not_locked() {
    let db = TestDb::new(Dialect::Sqlite).await;
    db.fill_as("in_progress", "b", 20, at(0), &db.time(at(1_000))).await;
    db.run(
        "CREATE TRIGGER odd BEFORE UPDATE ON idempotency_keys WHEN old.idempotency_key IN ('b8', 'b9')
         BEGIN SELECT RAISE(IGNORE); END",
    )
    .await;
    let (report, error) = stuck(&db.at(at(60))).await;
    assert_eq!((report.reaped, report.skipped, report.refused.rows, error), (18, 0, 2, None), "{report:?}");
    assert!(report.refused.named[0].reason.contains("kept by trigger odd"), "{report:?}");
}

/// What is hidden from the count is not counted as nothing.
#[tokio::test]
async fn a_backlog_beside_hidden_rows_is_counted_from_its_beginning_or_unknown() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.fill_as("completed", "k", 20, at(0), &spread(&db, at(50))).await;
    db.run(
        "CREATE ROLE backlog_purger LOGIN;
         GRANT ALL ON ALL TABLES IN SCHEMA public TO backlog_purger;
         ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
         CREATE POLICY looks ON idempotency_keys FOR SELECT TO backlog_purger USING (idempotency_key <> 'k1');
         CREATE POLICY goes ON idempotency_keys FOR DELETE TO backlog_purger USING (idempotency_key <> 'k8')",
    )
    .await;
    let url = db.url.replace("postgres@", "backlog_purger@");
    let store = Store::connect(&url, StoreOptions::default()).await.unwrap();
    let store = store.with_clock(idemctl::store::TimeSource::Fixed(at(200))).unwrap();
    let report = pass(&store, &by(10)).await;
    assert_eq!((report.deleted, report.backlog, report.backlog_exact), (18, Some(1), false), "{report:?}");
    db.run("DROP POLICY goes ON idempotency_keys; CREATE POLICY goes ON idempotency_keys FOR DELETE USING (true)")
        .await;
    let report = pass(&store, &by(10)).await;
    assert_eq!((report.deleted, report.backlog, report.backlog_exact), (1, None, false), "{report:?}");
    assert!(!report.leaves_nothing());
}
