//! Rows of other tables that point at keys: a purge never deletes a payment.

use idemctl::janitor::{PaceOptions, PurgeEnd, PurgeOptions, PurgeOutcome, count_due, purge};
use idemctl::store::{Confirmed, Dialect, ErrorKind, StoreError};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio_util::sync::CancellationToken;

use crate::support::{TestDb, at, kind, on_both_dialects};

/// A table of payments that points at the keys, and a payment for each of `old-1` to `old-3`.
async fn with_payments(db: &TestDb, on_delete: &str) {
    db.fill("old-", 50, at(0), at(10)).await;
    db.run(&format!(
        "CREATE TABLE payment (id integer PRIMARY KEY, k text, s text,
             FOREIGN KEY (k, s) REFERENCES idempotency_keys (idempotency_key, scope) {on_delete})"
    ))
    .await;
    db.run("INSERT INTO payment VALUES (1, 'old-1', ''), (2, 'old-2', ''), (3, 'old-3', '')").await;
}

async fn purged(db: &TestDb, options: PurgeOptions) -> Result<PurgeOutcome, StoreError> {
    let stop = CancellationToken::new();
    purge(&db.at(at(100_000)), &options, &Confirmed::given(), &stop, &mut |_| {}).await
}

async fn a_foreign_key_that_cascades_stops_the_purge(db: TestDb) {
    with_payments(&db, "ON DELETE CASCADE").await;
    let options = PurgeOptions::default();
    assert_eq!(kind(purged(&db, options).await.map(|_| ())), ErrorKind::Referenced);
    assert_eq!(kind(count_due(&db.at(at(100_000)), &options).await), ErrorKind::Referenced);
    assert_eq!((db.rows().await, db.number("SELECT count(*) FROM payment").await), (50, 3));
    let allowed = PurgeOptions { allow_cascade: true, ..options };
    assert_eq!(purged(&db, allowed).await.unwrap().report.deleted, 50);
}

async fn setting_to_null_stops_the_purge_too(db: TestDb) {
    with_payments(&db, "ON DELETE SET NULL").await;
    assert_eq!(kind(purged(&db, PurgeOptions::default()).await.map(|_| ())), ErrorKind::Referenced);
    assert_eq!(db.number("SELECT count(*) FROM payment WHERE k IS NOT NULL").await, 3);
}

on_both_dialects!(a_foreign_key_that_cascades_stops_the_purge, setting_to_null_stops_the_purge_too);

/// One referenced row does not stop the purge for ever: it is left, and all others go.
#[tokio::test]
async fn on_postgres_referenced_rows_are_left_and_reported() {
    for (on_delete, max_rows) in
        [("", None), ("ON DELETE RESTRICT", None), ("", Some(20)), ("", Some(48)), ("", Some(50))]
    {
        let db = TestDb::new(Dialect::Postgres).await;
        with_payments(&db, on_delete).await;
        let options = PurgeOptions { max_rows, ..PurgeOptions::default() };
        let (due, _) = count_due(&db.at(at(100_000)), &options).await.unwrap();
        let outcome = purged(&db, options).await.unwrap();
        assert!(outcome.error.is_none(), "{outcome:?}");
        let deleted = max_rows.unwrap_or(47).min(47);
        assert_eq!((outcome.report.deleted, due), (deleted, deleted), "{on_delete} {max_rows:?}");
        assert_eq!(outcome.report.backlog, Some(50 - deleted));
        assert_eq!(outcome.report.skipped, 0, "nobody held a lock");
        assert!(outcome.report.references[0].starts_with("payment ("), "{outcome:?}");
        let left = "SELECT count(*) FROM idempotency_keys JOIN payment ON k = idempotency_key";
        assert_eq!(db.number(left).await, 3);
    }
}

/// Rows are pointed at while the pass runs: each such row stays, and no other.
#[tokio::test(flavor = "multi_thread")]
async fn on_postgres_references_that_come_in_between_keep_their_rows_alone() {
    const WRITERS: usize = 4;
    let db = TestDb::new(Dialect::Postgres).await;
    db.fill_as(
        "completed",
        "old-",
        6_000,
        at(0),
        &format!("{} + (n / 3) * interval '1 ms'", db.time(at(10))),
    )
    .await;
    db.run(
        "CREATE TABLE payment (k text, s text DEFAULT '',
             FOREIGN KEY (k, s) REFERENCES idempotency_keys (idempotency_key, scope));
         CREATE INDEX ON payment (k, s)",
    )
    .await;
    let stop = CancellationToken::new();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (stop, url) = (stop.clone(), db.url.clone());
            tokio::spawn(async move {
                let mut connection = PgConnection::connect(&url).await.unwrap();
                let mut written = 0;
                // Towards the pass, each writer through keys of its own.
                for number in (1..=6_000).rev().skip(writer).step_by(WRITERS) {
                    if stop.is_cancelled() {
                        break;
                    }
                    // A key that is gone already can't be pointed at.
                    let insert = format!("INSERT INTO payment (k) VALUES ('old-{number}')");
                    written += u64::from(
                        sqlx::raw_sql(AssertSqlSafe(insert)).execute(&mut connection).await.is_ok(),
                    );
                }
                written
            })
        })
        .collect();
    let pace = PaceOptions { min_batch: 100, max_batch: 100, duty: Some(0.5), ..PaceOptions::default() };
    let options = PurgeOptions { pace, ..PurgeOptions::default() };
    let outcome = purged(&db, options).await.unwrap();
    assert!(outcome.error.is_none() && outcome.report.end == PurgeEnd::Done, "{outcome:?}");
    stop.cancel();
    let mut written = 0;
    for writer in writers {
        written += writer.await.unwrap();
    }
    assert!((1..6_000).contains(&written), "nothing came in between: {written}");
    // What a writer held at that moment goes with the next one.
    let outcome = purged(&db, options).await.unwrap();
    assert!(outcome.error.is_none() && outcome.report.end == PurgeEnd::Done, "{outcome:?}");
    let pointed_at = "SELECT count(*) FROM payment JOIN idempotency_keys ON idempotency_key = k";
    assert_eq!(db.number(pointed_at).await, written as i64);
    assert_eq!(db.rows().await, written as i64);
}

/// Where nothing enforces the key, a referenced row would go in silence.
#[tokio::test]
async fn on_sqlite_any_foreign_key_stops_the_purge() {
    let db = TestDb::new(Dialect::Sqlite).await;
    with_payments(&db, "").await;
    assert_eq!(kind(purged(&db, PurgeOptions::default()).await.map(|_| ())), ErrorKind::Referenced);
    assert_eq!(db.rows().await, 50);
}
