//! How PostgreSQL really runs the statements: every plan is taken from the server's own log, as it
//! was chosen while the store worked on a filled table.

use std::fs;
use std::time::Duration;

use idemctl::janitor::{PaceOptions, PurgeOptions, ReapOptions, count_due, purge, reap};
use idemctl::protocol::{ClaimOutcome, Retry, Status};
use idemctl::store::{Confirmed, RowFilter, RowOrder, Store, StoreOptions, TimeSource};
use tokio_util::sync::CancellationToken;

use crate::support::server::shared;
use crate::support::{Dialect, TestDb, answer, at, claim, lease, secs, tester, until};

/// The plans of a database's statements on our table so far.
fn plans(log: &str, database: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for line in log.lines() {
        match entries.last_mut() {
            Some(entry) if line.starts_with('\t') => {
                entry.push('\n');
                entry.push_str(line);
            }
            _ => entries.push(line.to_owned()),
        }
    }
    let database = format!("] {database} LOG:");
    entries.retain(|entry| {
        entry.contains(&database) && entry.contains(" plan:") && entry.contains("idempotency_keys")
    });
    entries
}

/// A store on the database whose plans the server logs.
async fn explained(db: &TestDb) -> Store {
    let database = db.url.rsplit('/').next().unwrap();
    for setting in ["session_preload_libraries = 'auto_explain'", "auto_explain.log_min_duration = 0"] {
        shared().await.admin(&format!("ALTER DATABASE {database} SET {setting}")).await;
    }
    let options = StoreOptions { clock: TimeSource::Fixed(at(100)), ..StoreOptions::default() };
    Store::connect(&db.url, options).await.unwrap()
}

/// What the server has logged of it.
async fn logged(db: &TestDb) -> Vec<String> {
    let log = shared().await.folder.join("log");
    plans(&fs::read_to_string(&log).unwrap(), db.url.rsplit('/').next().unwrap())
}

/// A table of which the statistics say that little is due, and whose rows lie in no order: to gather all
/// that is due and sort it looks cheap, and would be done again for each batch.
#[tokio::test]
async fn a_step_follows_the_index_whatever_the_statistics_say() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.run("ALTER TABLE idempotency_keys SET (autovacuum_enabled = false)").await;
    let scattered = |seed: u32| {
        let due = db.time(at(10));
        format!(
            "{due} + CAST('x' || substr(md5('{seed}' || n), 1, 6) AS bit(24))::integer * interval '1 microsecond'"
        )
    };
    db.fill_as("completed", "due", 200, at(0), &scattered(1)).await;
    db.fill("live", 20_000, at(0), at(1_000_000)).await;
    db.run("ANALYZE idempotency_keys").await;
    db.fill_as("completed", "later", 8_000, at(0), &scattered(2)).await;

    let store = explained(&db).await;
    let pace = PaceOptions { min_batch: 1_000, max_batch: 1_000, duty: Some(1.0), ..PaceOptions::default() };
    let options = PurgeOptions { grace: Duration::ZERO, pace, ..PurgeOptions::default() };
    let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
    let outcome = purge(&store, &options, &confirmed, &stop, &mut |_| {}).await.unwrap();
    assert_eq!((outcome.report.deleted, outcome.report.backlog), (8_200, Some(0)), "{outcome:?}");
    store.close().await;

    let steps = async || {
        let mut plans = logged(&db).await;
        plans.retain(|plan| plan.contains("n.shown") && plan.contains("OFFSET"));
        plans
    };
    until("the steps are in the log", || async { steps().await.len() >= 8 }).await;
    for step in steps().await {
        assert!(!step.contains("Sort"), "{step}");
    }
}

/// Whether a row is pointed at is asked by the index on what points there, in whichever collation that is: each
/// batch would read the other table to its end.
#[tokio::test]
async fn rows_that_point_at_keys_are_found_by_their_index() {
    for collation in ["", "COLLATE \"C\"", "COLLATE \"POSIX\""] {
        let db = TestDb::new(Dialect::Postgres).await;
        let spread = format!("{} + n * interval '1 microsecond'", db.time(at(10)));
        db.fill_as("completed", "due", 2_000, at(0), &spread).await;
        db.fill("tied", 2_000, at(0), at(20)).await;
        db.run(&format!(
            "CREATE TABLE payment (k text {collation}, s text {collation},
                 FOREIGN KEY (k, s) REFERENCES idempotency_keys (idempotency_key, scope));
             ALTER TABLE payment SET (autovacuum_enabled = false);
             CREATE INDEX ON payment (k, s);
             INSERT INTO payment SELECT idempotency_key, scope FROM idempotency_keys WHERE random() < 0.7"
        ))
        .await;
        let pointed_at = db.number("SELECT count(*) FROM payment").await;
        let store = explained(&db).await;
        let pace = PaceOptions { min_batch: 100, max_batch: 100, duty: Some(1.0), ..PaceOptions::default() };
        let options = PurgeOptions { grace: Duration::ZERO, pace, ..PurgeOptions::default() };
        let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
        for max_rows in [Some(150), None] {
            let options = PurgeOptions { max_rows, ..options };
            let outcome = purge(&store, &options, &confirmed, &stop, &mut |_| {}).await.unwrap();
            assert!(outcome.error.is_none(), "{outcome:?}");
        }
        assert_eq!(db.rows().await, pointed_at, "{collation}");
        store.close().await;
        let deletes = async || {
            let mut plans = logged(&db).await;
            plans.retain(|plan| plan.contains("DELETE FROM") && plan.contains("Anti Join"));
            plans
        };
        until("the batches are in the log", || async { deletes().await.len() >= 15 }).await;
        for plan in deletes().await {
            assert!(!plan.contains("Seq Scan on payment"), "{collation}: {plan}");
            assert!(plan.contains("payment_k_s_idx"), "{collation}: {plan}");
        }
    }
}

#[tokio::test]
async fn every_statement_uses_an_index_on_a_filled_table() {
    for analyzed in [true, false] {
        let db = TestDb::new(Dialect::Postgres).await;
        let spread = format!("{} + n * interval '1 microsecond'", db.time(at(10)));
        db.fill_as("completed", "due", 400, at(0), &spread).await;
        db.fill("tied", 400, at(0), at(20)).await;
        db.fill("live", 20_000, at(0), at(1_000_000)).await;
        db.fill_as("in_progress", "lost", 50, at(0), &db.time(at(1_000_000))).await;
        if analyzed {
            db.run("ANALYZE idempotency_keys").await;
        }
        let store = explained(&db).await;
        work(&store).await;
        store.close().await;

        let read = || logged(&db);
        until("the last plan is in the log", || async {
            // The reaper comes last, with one statement for each of its rows.
            let reaping = |plan: &&String| {
                plan.contains("UPDATE \"idempotency_keys\"\n") && plan.contains("SKIP LOCKED")
            };
            read().await.iter().filter(reaping).count() == 50
        })
        .await;
        let plans = read().await;
        for plan in &plans {
            assert!(!plan.contains("Seq Scan on idempotency_keys"), "analyzed {analyzed}: {plan}");
        }
        for wanted in
            ["idempotency_keys_purge", "idempotency_keys_reap", "idempotency_keys_pkey", "Tid Range Scan"]
        {
            assert!(plans.iter().any(|plan| plan.contains(wanted)), "no plan uses {wanted}");
        }
    }
}

/// Every kind of call once.
async fn work(store: &Store) {
    let (first, failed) = (claim("new"), claim("failed"));
    store.claim(&first).await.unwrap();
    store.renew(&first.key, &first.scope, first.token, lease(10)).await.unwrap();
    store.complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
    store.claim(&failed).await.unwrap();
    store.fail(&failed.key, &failed.scope, failed.token, "no", Retry::Allow, None).await.unwrap();
    store.claim(&claim("failed")).await.unwrap();
    // Takes over an expired row.
    let outcome = store.claim(&claim("due1")).await.unwrap();
    assert!(matches!(outcome, ClaimOutcome::Claimed { attempt: 1, .. }));
    let row = store.inspect("new").await.unwrap().remove(0);
    assert!(store.with_answer(&row).await.unwrap().is_some());

    let prefix = RowFilter { key_prefix: Some("lost1".into()), ..RowFilter::default() };
    let page = store.list(&prefix, RowOrder::Key, None, 5).await.unwrap();
    store.list(&prefix, RowOrder::Key, page.rows.last(), 5).await.unwrap();
    let stuck = RowFilter {
        statuses: vec![Status::InProgress],
        no_heartbeat_since: Some(at(50)),
        unleased_at: Some(at(100)),
        ..RowFilter::default()
    };
    let order = RowOrder::Claimed { newest_first: false };
    let page = store.list(&stuck, order, None, 5).await.unwrap();
    assert_eq!(store.list(&stuck, order, page.rows.last(), 5).await.unwrap().rows.len(), 5);

    let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
    let pace = PaceOptions { min_batch: 50, max_batch: 50, duty: Some(1.0), ..PaceOptions::default() };
    let options =
        PurgeOptions { grace: Duration::ZERO, pace, max_rows: Some(120), ..PurgeOptions::default() };
    assert_eq!(count_due(store, &PurgeOptions { max_rows: None, ..options }).await.unwrap().0, 799);
    for options in [options, PurgeOptions { max_rows: None, ..options }] {
        let outcome = purge(store, &options, &confirmed, &stop, &mut |_| {}).await.unwrap();
        assert!(outcome.error.is_none() && outcome.report.deleted >= 120, "{outcome:?}");
    }
    let options = ReapOptions {
        older_than: secs(50),
        retry: Retry::Allow.into(),
        scope: None,
        max_rows: None,
        allow_cascade: false,
    };
    let outcome = reap(store, &options, &tester(), Some(&confirmed), &stop, &mut |_| {}).await.unwrap();
    assert_eq!(outcome.report.reaped, 50);
}
