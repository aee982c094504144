//! Rows and tables that somebody else holds.

use idemctl::janitor::{PurgeEnd, PurgeOptions};
use idemctl::store::Dialect;

use super::{by, counts, pass, spread};
use crate::support::{TestDb, at, claim, claimed};

/// Three rows locked in the middle of a walk along the index.
#[tokio::test]
async fn on_postgres_locked_rows_are_skipped_and_counted_and_the_others_go() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.fill_as("completed", "k", 200, at(0), &spread(&db, at(50))).await;
    assert_skips(&db, "('k33', 'k34', 'k150')", &by(10), 197).await;
}

#[tokio::test]
async fn on_postgres_locked_rows_of_one_moment_are_skipped_and_counted_and_the_others_go() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.fill("k", 2_000, at(0), at(50)).await;
    assert_skips(&db, "('k33', 'k34', 'k1500')", &by(10), 1_997).await;
}

/// So few of them on so many blocks that they go by row lists, which pass over locked rows silently.
#[tokio::test]
async fn on_postgres_locked_rows_of_one_moment_are_counted_where_they_lie_far_apart() {
    let db = TestDb::new(Dialect::Postgres).await;
    let expires = format!("CASE WHEN n % 200 = 0 THEN {} ELSE {} END", db.time(at(50)), db.time(at(900)));
    db.fill_as("completed", "k", 6_000, at(0), &expires).await;
    assert_skips(&db, "('k200', 'k1000', 'k6000')", &by(10), 27).await;
}

#[tokio::test]
async fn on_postgres_locked_rows_are_skipped_and_counted_under_a_row_limit() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.fill_as("completed", "k", 200, at(0), &spread(&db, at(50))).await;
    let limit = |rows| PurgeOptions { max_rows: Some(rows), ..by(10) };
    assert_skips(&db, "('k33', 'k34', 'k150')", &limit(198), 197).await;
    // The last rows of a limit go by a statement of their own.
    db.fill_as("completed", "k", 10, at(0), &spread(&db, at(50))).await;
    assert_skips(&db, "('k1', 'k5', 'k6')", &limit(8), 7).await;
}

async fn assert_skips(db: &TestDb, locked: &str, options: &PurgeOptions, others: u64) {
    let mut holder = db.raw().await;
    holder
        .run(&format!("BEGIN; SELECT 1 FROM idempotency_keys WHERE idempotency_key IN {locked} FOR UPDATE"))
        .await;
    let report = pass(&db.at(at(200)), options).await;
    assert_eq!((counts(&report), report.end), ((others, 3, 3), PurgeEnd::Done));
    holder.run("COMMIT").await;
    holder.close().await;
    let report = pass(&db.at(at(200)), options).await;
    assert_eq!((counts(&report), report.end), ((3, 0, 0), PurgeEnd::Done));
}

/// A row that is being taken over in a transaction is not deleted under its new owner.
#[tokio::test]
async fn on_postgres_a_row_claimed_in_an_open_transaction_stays() {
    for tied in [false, true] {
        let db = TestDb::new(Dialect::Postgres).await;
        let expires = if tied { db.time(at(50)) } else { spread(&db, at(50)) };
        db.fill_as("completed", "k", 500, at(0), &expires).await;
        let (mut holder, one) = (db.raw().await, claim("k250"));
        holder.run("BEGIN").await;
        assert_eq!(holder.claim(&db.at(at(200)), &one).await, claimed(one.token, 1));
        let report = pass(&db.at(at(200)), &by(10)).await;
        assert_eq!((report.deleted, report.end), (499, PurgeEnd::Done));
        holder.run("COMMIT").await;
        holder.close().await;
        let report = pass(&db.at(at(200)), &by(10)).await;
        assert_eq!(counts(&report), (0, 0, 0));
        assert_eq!(db.record("k250").await.unwrap().token, Some(one.token));
    }
}

#[tokio::test]
async fn on_postgres_a_locked_table_ends_the_pass_without_an_error() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.fill_as("completed", "k", 50, at(0), &spread(&db, at(50))).await;
    let mut holder = db.raw().await;
    holder.run("BEGIN; LOCK TABLE idempotency_keys IN SHARE MODE").await;
    let report = pass(&db.at(at(200)), &by(10)).await;
    assert_eq!((counts(&report), report.end), ((0, 0, 50), PurgeEnd::Locked));
    holder.run("COMMIT").await;
    holder.close().await;
    assert_eq!(counts(&pass(&db.at(at(200)), &by(10)).await), (50, 0, 0));
}

/// As autovacuum does when it cuts off the empty end of the table.
#[tokio::test]
async fn on_postgres_a_table_locked_for_a_moment_does_not_end_the_pass() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.fill_as("completed", "k", 50, at(0), &spread(&db, at(50))).await;
    let mut holder = db.raw().await;
    holder.run("BEGIN; LOCK TABLE idempotency_keys IN ACCESS EXCLUSIVE MODE").await;
    let mut watcher = db.raw().await;
    let gives_way = async {
        // Until the pass has waited for the lock once.
        let waits = "SELECT count(*) FROM pg_locks JOIN pg_class ON pg_class.oid = relation
                     WHERE relname = 'idempotency_keys' AND NOT granted
                       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        for waiting in [true, false] {
            while (watcher.number(waits).await > 0) != waiting {
                tokio::task::yield_now().await;
            }
        }
        holder.run("COMMIT").await;
    };
    let store = db.at(at(200));
    let options = by(10);
    let (report, ()) = tokio::join!(pass(&store, &options), gives_way);
    assert_eq!((counts(&report), report.end), ((50, 0, 0), PurgeEnd::Done));
}

#[tokio::test]
async fn on_sqlite_a_locked_file_ends_the_pass_without_an_error() {
    let db = TestDb::new(Dialect::Sqlite).await;
    db.fill_as("completed", "k", 50, at(0), &spread(&db, at(50))).await;
    let mut holder = db.raw().await;
    holder.run("BEGIN IMMEDIATE").await;
    let report = pass(&db.at(at(200)), &by(10)).await;
    assert_eq!((counts(&report), report.end), ((0, 0, 50), PurgeEnd::Locked));
    holder.run("COMMIT").await;
    holder.close().await;
    assert_eq!(counts(&pass(&db.at(at(200)), &by(10)).await), (50, 0, 0));
}

/// One worker that settles in a long transaction of its own must not keep the reaper from the rest.
#[tokio::test]
async fn on_postgres_a_locked_row_does_not_stop_the_reaper() {
    use idemctl::janitor::{ReapOptions, reap};
    use idemctl::protocol::Retry;
    use idemctl::store::Confirmed;
    use tokio_util::sync::CancellationToken;

    let db = TestDb::new(Dialect::Postgres).await;
    let worker = claim("worker");
    db.at(at(0)).claim(&worker).await.unwrap();
    db.fill_as("in_progress", "k", 300, at(0), &db.time(at(100))).await;
    let mut holder = db.raw().await;
    holder.run("BEGIN").await;
    holder.complete(&db.at(at(60)), &worker, &crate::support::answer()).await.unwrap();
    let options = ReapOptions {
        older_than: crate::support::secs(30),
        retry: Retry::Allow.into(),
        scope: None,
        max_rows: None,
        allow_cascade: false,
    };
    let (store, stop, confirmed) = (db.at(at(60)), CancellationToken::new(), Confirmed::given());
    let actor = crate::support::tester();
    let outcome = reap(&store, &options, &actor, Some(&confirmed), &stop, &mut |_| {}).await.unwrap();
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    let report = &outcome.report;
    assert_eq!((report.reaped, report.skipped, report.locked), (300, 1, 1));
    holder.run("COMMIT").await;
    holder.close().await;
    assert_eq!(db.record("worker").await.unwrap().answer, Some(crate::support::answer()));
}
