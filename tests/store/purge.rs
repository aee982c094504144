//! The purge pass: what goes, what stays, and where it ends.

mod batches;
mod blamed;
mod limits;
mod locks;
mod references;
mod refused;

use std::time::Duration;

use idemctl::janitor::{PaceOptions, PurgeEnd, PurgeOptions, PurgeOutcome, PurgeReport, count_due, purge};
use idemctl::protocol::Timestamp;
use idemctl::store::{Confirmed, Dialect, Store};
use tokio_util::sync::CancellationToken;

use crate::support::{TestDb, at, secs, until};

super::support::on_both_dialects!(
    expired_settled_rows_go_and_nothing_else,
    rows_in_progress_stay_however_old,
    grace_keeps_rows_that_just_expired,
    rows_of_one_moment_beyond_a_batch_all_go,
    rows_of_one_moment_at_the_edges_of_ranges_all_go,
    rows_in_progress_between_the_expired_ones_stay,
    clocks_that_no_application_set_are_never_touched,
    a_dry_count_equals_what_is_deleted,
    an_empty_table_is_done_at_once,
    an_endless_mix_of_batch_sizes_leaves_nothing,
);

/// Batches of a fixed size, without rest.
fn by(batch: u32) -> PurgeOptions {
    let pace = PaceOptions { min_batch: batch, max_batch: batch, duty: Some(1.0), ..PaceOptions::default() };
    PurgeOptions { grace: Duration::ZERO, pace, ..PurgeOptions::default() }
}

async fn outcome(store: &Store, options: &PurgeOptions) -> PurgeOutcome {
    let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
    purge(store, options, &confirmed, &stop, &mut |_| {}).await.unwrap()
}

async fn pass(store: &Store, options: &PurgeOptions) -> PurgeReport {
    let outcome = outcome(store, options).await;
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    outcome.report
}

/// Deleted, skipped and backlog.
fn counts(report: &PurgeReport) -> (u64, u64, u64) {
    (report.deleted, report.skipped, report.backlog.unwrap())
}

/// `n` microseconds after a moment, as SQL over the number `n` of a row.
fn spread(db: &TestDb, from: Timestamp) -> String {
    let unit = if matches!(db.dialect(), Dialect::Postgres) { "interval '1 microsecond'" } else { "1" };
    format!("{} + n * {unit}", db.time(from))
}

async fn expired_settled_rows_go_and_nothing_else(db: TestDb) {
    db.fill_as("completed", "done", 30, at(0), &spread(&db, at(50))).await;
    db.fill_as("failed", "failed", 30, at(0), &spread(&db, at(50))).await;
    db.fill("later", 5, at(0), at(201)).await;
    db.fill("now", 5, at(0), at(200)).await;
    let report = pass(&db.at(at(200)), &by(7)).await;
    assert_eq!((counts(&report), report.end), ((65, 0, 0), PurgeEnd::Done));
    assert_eq!((report.cutoff, report.backlog_exact), (at(200), true));
    assert_eq!(db.rows().await, 5);
    assert_eq!(
        db.number("SELECT count(*) FROM idempotency_keys WHERE idempotency_key LIKE 'later%'").await,
        5
    );
}

async fn rows_in_progress_stay_however_old(db: TestDb) {
    db.fill_as("in_progress", "k", 50, at(0), &spread(&db, at(50))).await;
    let report = pass(&db.at(at(1_000_000)), &by(7)).await;
    assert_eq!((counts(&report), report.end), ((0, 0, 0), PurgeEnd::Done));
    assert_eq!(db.rows().await, 50);
}

async fn grace_keeps_rows_that_just_expired(db: TestDb) {
    db.fill("old", 10, at(0), at(100)).await;
    db.fill("young", 10, at(0), at(101)).await;
    let report = pass(&db.at(at(160)), &PurgeOptions { grace: secs(60), ..by(3) }).await;
    assert_eq!((counts(&report), report.cutoff), ((10, 0, 0), at(100)));
    assert_eq!(db.rows().await, 10);
}

async fn rows_of_one_moment_beyond_a_batch_all_go(db: TestDb) {
    db.fill("k", 1_000, at(0), at(100)).await;
    for (number, batch) in [(1, 10), (2, 999), (3, 1_000), (4, 1_001)] {
        let report = pass(&db.at(at(200)), &by(batch)).await;
        assert_eq!((counts(&report), report.end), ((1_000, 0, 0), PurgeEnd::Done), "batches of {batch}");
        assert_eq!(db.rows().await, 0);
        if batch == 10 {
            assert!(report.batches > 1, "{report:?}");
        }
        db.fill(&format!("k{number}"), 1_000, at(0), at(100)).await;
    }
}

async fn rows_of_one_moment_at_the_edges_of_ranges_all_go(db: TestDb) {
    // Groups of one expiry each, below, at and above the batch; every batch size meets their edges
    // in another place.
    let sizes = [1_u32, 9, 10, 11, 1, 25, 10, 2, 40, 1];
    let total: u32 = sizes.iter().sum();
    for batch in [1, 2, 9, 10, 11, 50] {
        for (group, size) in sizes.into_iter().enumerate() {
            db.fill(&format!("b{batch}g{group}-"), size, at(0), at(100 + group as u64)).await;
        }
        let report = pass(&db.at(at(200)), &by(batch)).await;
        assert_eq!((counts(&report), report.end), ((u64::from(total), 0, 0), PurgeEnd::Done), "by {batch}");
        assert_eq!(db.rows().await, 0);
    }
}

async fn rows_in_progress_between_the_expired_ones_stay(db: TestDb) {
    db.fill_as("completed", "k", 300, at(0), &spread(&db, at(50))).await;
    db.fill("tied", 300, at(0), at(60)).await;
    db.run("UPDATE idempotency_keys SET status = 'in_progress' WHERE idempotency_key LIKE '%7'").await;
    let report = pass(&db.at(at(200)), &by(20)).await;
    assert_eq!(counts(&report), (540, 0, 0));
    assert_eq!(db.rows().await, 60);
    assert_eq!(db.number("SELECT count(*) FROM idempotency_keys WHERE status <> 'in_progress'").await, 0);
}

async fn clocks_that_no_application_set_are_never_touched(db: TestDb) {
    let mut odd =
        vec![("epoch", db.time(Timestamp::from_micros(0))), ("2000", db.time(Timestamp::OLDEST_PLAUSIBLE))];
    if matches!(db.dialect(), Dialect::Postgres) {
        odd.push(("infinity", "TIMESTAMPTZ 'infinity'".into()));
        odd.push(("minus infinity", "TIMESTAMPTZ '-infinity'".into()));
        odd.push(("before christ", "TIMESTAMPTZ '0044-03-15 12:00:00 BC'".into()));
    } else {
        odd.push(("infinity", i64::MAX.to_string()));
        odd.push(("minus infinity", i64::MIN.to_string()));
        odd.push(("negative", "-1".into()));
    }
    for (name, expires) in &odd {
        db.fill_as("completed", name, 3, at(0), expires).await;
    }
    let first_plausible = Timestamp::OLDEST_PLAUSIBLE.plus(Duration::from_micros(1));
    db.fill("plausible", 3, at(0), first_plausible).await;
    assert_eq!(count_due(&db.at(at(0)), &by(2)).await.unwrap().0, 3);
    let report = pass(&db.at(at(0)), &by(2)).await;
    assert_eq!((counts(&report), report.end), ((3, 0, 0), PurgeEnd::Done));
    assert_eq!(db.rows().await, 3 * odd.len() as i64);
}

async fn a_dry_count_equals_what_is_deleted(db: TestDb) {
    db.fill_as("completed", "k", 123, at(0), &spread(&db, at(50))).await;
    db.fill_as("failed", "f", 77, at(0), &db.time(at(60))).await;
    db.fill_as("in_progress", "p", 10, at(0), &db.time(at(60))).await;
    for (limit, grace, wanted) in
        [(Some(50), 0, 50), (None, 145, 73), (Some(9), 0, 9), (None, 0, 68), (None, 0, 0)]
    {
        let options = PurgeOptions { max_rows: limit, grace: secs(grace), ..by(10) };
        let store = db.at(at(200));
        let due = count_due(&store, &options).await.unwrap();
        let before = db.rows().await;
        let report = pass(&store, &options).await;
        assert_eq!(due, (report.deleted, report.cutoff));
        assert_eq!(before - db.rows().await, report.deleted as i64);
        assert_eq!(due.0, wanted);
    }
    assert_eq!(db.rows().await, 10);
}

async fn an_empty_table_is_done_at_once(db: TestDb) {
    let report = pass(&db.store, &PurgeOptions::default()).await;
    assert_eq!((counts(&report), report.end), ((0, 0, 0), PurgeEnd::Done));
}

async fn an_endless_mix_of_batch_sizes_leaves_nothing(db: TestDb) {
    // The pace as it comes: the size follows the time, whatever this machine does.
    db.fill_as("completed", "k", 5_000, at(0), &spread(&db, at(50))).await;
    db.fill("tied", 5_000, at(0), at(60)).await;
    db.fill_as("completed", "l", 5_000, at(0), &spread(&db, at(70))).await;
    let pace = PaceOptions { duty: Some(1.0), ..PaceOptions::default() };
    let report = pass(&db.at(at(200)), &PurgeOptions { pace, ..by(1) }).await;
    assert_eq!((counts(&report), report.end), ((15_000, 0, 0), PurgeEnd::Done));
    assert_eq!(db.rows().await, 0);
}

/// Somebody's old snapshot holds vacuum back: the pass must not read what it deleted again.
#[tokio::test]
async fn on_postgres_a_held_snapshot_does_not_make_the_pass_reread_what_it_deleted() {
    const ROWS: u32 = 20_000;
    for tied in [false, true] {
        let db = TestDb::new(Dialect::Postgres).await;
        let expires = if tied { db.time(at(50)) } else { spread(&db, at(50)) };
        db.fill_as("completed", "k", ROWS, at(0), &expires).await;
        let (mut holder, mut watcher) = (db.raw().await, db.raw().await);
        holder.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM idempotency_keys").await;
        let store = db.at(at(200));
        let report = pass(&store, &by(100)).await;
        assert_eq!(counts(&report), (u64::from(ROWS), 0, 0));
        // A backend that ends hands its counters in.
        store.close().await;
        until("the counters are in", || async {
            db.number("SELECT n_tup_del FROM pg_stat_user_tables WHERE relname = 'idempotency_keys'").await
                == i64::from(ROWS)
        })
        .await;
        let read = watcher
            .number(
                "SELECT CAST(t.seq_tup_read + sum(i.idx_tup_read) AS bigint)
                 FROM pg_stat_user_tables t JOIN pg_stat_user_indexes i USING (relid)
                 WHERE t.relname = 'idempotency_keys' GROUP BY t.seq_tup_read",
            )
            .await;
        // A pass that begins at the start each time reads a hundred times the rows.
        assert!(read >= i64::from(ROWS) && read < 8 * i64::from(ROWS), "tied {tied}: {read} read");
        holder.close().await;
        watcher.close().await;
    }
}
