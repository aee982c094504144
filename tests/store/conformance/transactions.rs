//! The protocol inside the caller's own transaction.

use idemctl::protocol::{Answer, ClaimOutcome, Retry, Settlement};
use idemctl::store::{Dialect, ErrorKind, StoreOptions};
use sqlx::Connection as _;

use crate::support::{
    Raw, TestDb, answer, at, claim, claimed, in_progress, kind, lease, replay, secs, until,
};

super::super::support::on_both_dialects!(
    what_the_caller_commits_is_there_and_has_no_lease,
    what_the_caller_rolls_back_was_never_there,
    claim_and_completion_commit_with_the_business_write,
    a_completion_that_is_rolled_back_leaves_the_claim_running,
    a_stale_claim_is_told_on_the_callers_connection,
    renewing_and_failing_work_on_the_callers_connection,
    a_connection_of_another_dialect_is_refused,
);

async fn what_the_caller_commits_is_there_and_has_no_lease(db: TestDb) {
    let (first, mut raw) = (claim("k"), db.raw().await);
    raw.run("BEGIN").await;
    assert_eq!(raw.claim(&db.at(at(0)), &first).await, claimed(first.token, 1));
    raw.run("COMMIT").await;
    assert_eq!(db.at(at(1)).claim(&claim("k")).await.unwrap(), in_progress(at(0), None));
    let row = db.record("k").await.unwrap();
    assert_eq!((row.lease_expires_at, row.expires_at), (None, at(100)));
    raw.close().await;
}

async fn what_the_caller_rolls_back_was_never_there(db: TestDb) {
    let (first, mut raw) = (claim("k"), db.raw().await);
    raw.run("BEGIN").await;
    raw.claim(&db.at(at(0)), &first).await;
    raw.run("ROLLBACK").await;
    assert_eq!(db.rows().await, 0);
    let next = claim("k");
    assert_eq!(db.at(at(1)).claim(&next).await.unwrap(), claimed(next.token, 1));
    raw.close().await;
}

async fn claim_and_completion_commit_with_the_business_write(db: TestDb) {
    let (first, mut raw, store) = (claim("k"), db.raw().await, db.at(at(0)));
    raw.run("CREATE TABLE orders (id integer)").await;
    for end in ["ROLLBACK", "COMMIT"] {
        raw.run("BEGIN").await;
        assert_eq!(raw.claim(&store, &first).await, claimed(first.token, 1));
        raw.run("INSERT INTO orders VALUES (1)").await;
        raw.complete(&store, &first, &answer()).await.unwrap();
        raw.run(end).await;
        let committed = i64::from(end == "COMMIT");
        assert_eq!(raw.number("SELECT count(*) FROM orders").await, committed);
        assert_eq!(db.rows().await, committed);
    }
    assert_eq!(store.claim(&claim("k")).await.unwrap(), replay());
    raw.close().await;
}

async fn a_completion_that_is_rolled_back_leaves_the_claim_running(db: TestDb) {
    let (first, mut raw, store) = (claim("k"), db.raw().await, db.at(at(0)));
    store.claim(&first).await.unwrap();
    let before = db.record("k").await;
    raw.run("BEGIN").await;
    raw.complete(&store, &first, &answer()).await.unwrap();
    raw.run("ROLLBACK").await;
    raw.close().await;
    assert_eq!(db.record("k").await, before);
    store.complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
}

async fn a_stale_claim_is_told_on_the_callers_connection(db: TestDb) {
    let (first, mut raw, store) = (claim("k"), db.raw().await, db.at(at(0)));
    store.claim(&first).await.unwrap();
    raw.run("BEGIN").await;
    assert_eq!(kind(raw.complete(&store, &claim("k"), &answer()).await), ErrorKind::StaleClaim);
    raw.run("ROLLBACK").await;
    raw.close().await;
}

async fn renewing_and_failing_work_on_the_callers_connection(db: TestDb) {
    let first = claim("k");
    db.at(at(0)).claim(&first).await.unwrap();
    let settlement = Settlement::Failed { reason: "no".into(), retry: Retry::Block, answer: Some(answer()) };
    let (key, none, token) = (&first.key, &first.scope, first.token);
    let mut raw = db.raw().await;
    raw.run("BEGIN").await;
    match &mut raw {
        Raw::Postgres(on) => {
            db.at(at(5)).renew_on(on, key, none, token, lease(60)).await.unwrap();
            db.at(at(6)).settle_on(on, key, none, token, &settlement).await.unwrap();
        }
        Raw::Sqlite(on) => {
            db.at(at(5)).renew_on(on, key, none, token, lease(60)).await.unwrap();
            db.at(at(6)).settle_on(on, key, none, token, &settlement).await.unwrap();
        }
    }
    raw.run("COMMIT").await;
    raw.close().await;
    let row = db.record("k").await.unwrap();
    assert_eq!((row.renewed_at, row.finished_at, row.expires_at), (at(5), Some(at(6)), at(106)));
    let wanted = ClaimOutcome::FailedFinal { reason: Some("no".into()), answer: Some(answer()) };
    assert_eq!(db.at(at(7)).claim(&claim("k")).await.unwrap(), wanted);
}

async fn a_connection_of_another_dialect_is_refused(db: TestDb) {
    let other = TestDb::new(match db.dialect() {
        Dialect::Postgres => Dialect::Sqlite,
        _ => Dialect::Postgres,
    })
    .await;
    let result = match &mut other.raw().await {
        Raw::Postgres(on) => db.store.claim_on(on, &claim("k")).await,
        Raw::Sqlite(on) => db.store.claim_on(on, &claim("k")).await,
    };
    assert_eq!(kind(result), ErrorKind::Input);
}

/// A parallel claim waits for the caller's transaction instead of hearing that it is in progress.
#[tokio::test]
async fn on_postgres_a_parallel_claim_waits_for_the_callers_transaction() {
    for (end, wanted_attempt) in [("COMMIT", None), ("ROLLBACK", Some(1))] {
        let db = TestDb::new(Dialect::Postgres).await;
        let (first, mut raw) = (claim("k"), db.raw().await);
        raw.run("BEGIN").await;
        raw.claim(&db.store, &first).await;
        let second = claim("k");
        let waiting = {
            let (store, second) = (db.store.clone(), second.clone());
            tokio::spawn(async move { store.claim(&second).await })
        };
        wait_for_a_waiter(&db).await;
        raw.run(end).await;
        raw.close().await;
        let outcome = waiting.await.unwrap().unwrap();
        match wanted_attempt {
            Some(attempt) => assert_eq!(outcome, claimed(second.token, attempt)),
            None => assert!(matches!(outcome, ClaimOutcome::InProgress { lease: None, .. }), "{outcome:?}"),
        }
    }
}

/// A lease taken after a wait starts when the wait is over.
#[tokio::test]
async fn on_postgres_a_lease_that_had_to_wait_is_not_born_short() {
    let db = TestDb::new(Dialect::Postgres).await;
    let (first, mut raw) = (claim("k"), db.raw().await);
    raw.run("BEGIN").await;
    raw.claim(&db.store, &first).await;
    let second = claim("k");
    let waiting = {
        let (store, second) = (db.store.clone(), second.clone());
        tokio::spawn(async move { store.claim(&second).await })
    };
    let asked = db.store.now().await.unwrap();
    wait_for_a_waiter(&db).await;
    // Past the age at which a stamp counts as stale, and well under the lock timeout.
    until("the waiter has waited a while", || async {
        db.store.now().await.unwrap().since(asked) > std::time::Duration::from_millis(400)
    })
    .await;
    let ended = db.store.now().await.unwrap();
    raw.run("ROLLBACK").await;
    assert_eq!(waiting.await.unwrap().unwrap(), claimed(second.token, 1));
    let row = db.record("k").await.unwrap();
    assert!(row.claimed_at >= ended && row.created_at >= ended, "{row:?}");
    assert_eq!(row.lease_expires_at, Some(row.claimed_at.plus(secs(10))));
    assert_eq!(row.expires_at, row.claimed_at.plus(secs(100)));
    raw.close().await;
}

async fn wait_for_a_waiter(db: &TestDb) {
    until("a claim waits for the transaction", || async {
        db.number(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
             AND wait_event_type = 'Lock'",
        )
        .await
            == 1
    })
    .await;
}

/// The moment is the statement's, not the transaction's start.
#[tokio::test]
async fn on_postgres_a_claim_late_in_an_old_transaction_is_not_born_expired() {
    let db = TestDb::new(Dialect::Postgres).await;
    let (first, mut raw) = (claim("k"), db.raw().await);
    raw.run("BEGIN; SELECT now()").await;
    raw.run("SELECT pg_sleep(0.05)").await;
    let before = db.store.now().await.unwrap();
    raw.claim(&db.store, &first).await;
    raw.run("COMMIT").await;
    raw.close().await;
    assert!(db.record("k").await.unwrap().claimed_at >= before);
}

/// A serialization failure in the caller's transaction goes to the caller.
#[tokio::test]
async fn on_postgres_a_conflict_in_the_callers_transaction_goes_to_the_caller() {
    let db = TestDb::new(Dialect::Postgres).await;
    let mut raw = db.raw().await;
    raw.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM idempotency_keys").await;
    db.store.claim(&claim("k")).await.unwrap();
    let Raw::Postgres(on) = &mut raw else { unreachable!() };
    assert_eq!(kind(db.store.claim_on(on, &claim("k")).await), ErrorKind::Conflict);
    raw.run("ROLLBACK").await;
    raw.close().await;
}

#[tokio::test]
async fn a_store_works_on_the_applications_own_pools() {
    let db = TestDb::new(Dialect::Postgres).await;
    let pool = sqlx::PgPool::connect(&db.url).await.unwrap();
    let store = idemctl::store::Store::from_pg_pool(pool.clone(), StoreOptions::default()).unwrap();
    let first = claim("k");
    let mut tx = pool.begin().await.unwrap();
    store.claim_on(&mut *tx, &first).await.unwrap();
    store.complete_on(&mut *tx, &first.key, &first.scope, first.token, &Answer::new(200, "a")).await.unwrap();
    tx.commit().await.unwrap();
    let outcome = store.claim(&first).await.unwrap();
    assert_eq!(outcome, ClaimOutcome::Replay { answer: Answer::new(200, "a") });

    let db = TestDb::new(Dialect::Sqlite).await;
    let pool = sqlx::SqlitePool::connect(&db.url).await.unwrap();
    let store = idemctl::store::Store::from_sqlite_pool(pool.clone(), StoreOptions::default()).unwrap();
    let first = claim("k");
    let mut connection = pool.acquire().await.unwrap();
    let mut tx = connection.begin().await.unwrap();
    store.claim_on(&mut *tx, &first).await.unwrap();
    tx.rollback().await.unwrap();
    assert_eq!(store.claim(&first).await.unwrap(), claimed(first.token, 1));
}

#[tokio::test]
async fn postgres_is_reached_over_its_unix_socket_too() {
    let server = crate::support::server::shared().await;
    let url = server.socket_url(&server.database().await);
    let store = idemctl::store::Store::connect(&url, StoreOptions::default()).await.unwrap();
    let first = claim("k");
    assert_eq!(store.claim(&first).await.unwrap(), claimed(first.token, 1));
}
