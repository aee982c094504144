//! Where a pass ends: row limit, time limit, rate, and the word to stop.

use std::time::{Duration, Instant};

use idemctl::janitor::{PaceOptions, PurgeEnd, PurgeOptions, purge};
use idemctl::store::Confirmed;
use tokio_util::sync::CancellationToken;

use super::{by, counts, pass, spread};
use crate::support::{TestDb, at, secs};

super::super::support::on_both_dialects!(
    a_row_limit_is_exact_along_the_index,
    a_row_limit_is_exact_within_one_moment,
    a_row_limit_is_exact_at_the_edge_of_a_tie,
    a_row_limit_takes_the_earliest_first,
    a_time_limit_ends_the_pass,
    a_time_limit_cuts_a_rest_short,
    the_word_to_stop_ends_the_pass_after_its_batch,
    the_word_to_stop_cuts_a_rest_short,
    a_rate_is_kept,
);

async fn a_row_limit_is_exact_along_the_index(db: TestDb) {
    db.fill_as("completed", "k", 500, at(0), &spread(&db, at(50))).await;
    let mut left = 500;
    for limit in [0, 1, 9, 10, 11, 95, 300] {
        let report = pass(&db.at(at(200)), &PurgeOptions { max_rows: Some(limit), ..by(10) }).await;
        left -= limit;
        assert_eq!((counts(&report), report.end), ((limit, 0, left), PurgeEnd::MaxRows), "limit {limit}");
    }
    let report = pass(&db.at(at(200)), &PurgeOptions { max_rows: Some(1_000), ..by(10) }).await;
    assert_eq!((counts(&report), report.end), ((left, 0, 0), PurgeEnd::Done));
}

async fn a_row_limit_is_exact_within_one_moment(db: TestDb) {
    db.fill("k", 500, at(0), at(50)).await;
    let mut left = 500;
    for limit in [1, 9, 10, 11, 250] {
        let report = pass(&db.at(at(200)), &PurgeOptions { max_rows: Some(limit), ..by(10) }).await;
        left -= limit;
        assert_eq!((counts(&report), report.end), ((limit, 0, left), PurgeEnd::MaxRows), "limit {limit}");
    }
}

async fn a_row_limit_is_exact_at_the_edge_of_a_tie(db: TestDb) {
    // A range that ends in a tie holds nearly two batches.
    db.fill_as("completed", "k", 5, at(0), &spread(&db, at(50))).await;
    for group in 0..6 {
        db.fill(&format!("tied{group}-"), 10, at(0), at(60 + group)).await;
    }
    let mut left = 65;
    for limit in [10, 11, 19, 12] {
        let report = pass(&db.at(at(200)), &PurgeOptions { max_rows: Some(limit), ..by(10) }).await;
        left -= limit;
        assert_eq!((counts(&report), report.end), ((limit, 0, left), PurgeEnd::MaxRows), "limit {limit}");
        assert_eq!(db.rows().await, left as i64);
    }
}

async fn a_row_limit_takes_the_earliest_first(db: TestDb) {
    db.fill_as("completed", "k", 100, at(0), &spread(&db, at(50))).await;
    pass(&db.at(at(200)), &PurgeOptions { max_rows: Some(33), ..by(10) }).await;
    for number in 1..=100 {
        let gone = db.record(&format!("k{number}")).await.is_none();
        assert_eq!(gone, number <= 33, "k{number}");
    }
}

async fn a_time_limit_ends_the_pass(db: TestDb) {
    db.fill_as("completed", "k", 500, at(0), &spread(&db, at(50))).await;
    let none = PurgeOptions { max_duration: Some(Duration::ZERO), ..by(10) };
    let report = pass(&db.at(at(200)), &none).await;
    assert_eq!((counts(&report), report.end), ((0, 0, 500), PurgeEnd::MaxDuration));
    // A hundred rows a second would take five seconds.
    let pace = PaceOptions { max_rows_per_second: Some(100), ..by(10).pace };
    let short = PurgeOptions { max_duration: Some(Duration::from_millis(150)), pace, ..by(10) };
    let report = pass(&db.at(at(200)), &short).await;
    assert_eq!(report.end, PurgeEnd::MaxDuration);
    assert!(report.deleted >= 10 && report.backlog > Some(0), "{report:?}");
    assert_eq!(report.backlog, Some(500 - report.deleted));
}

async fn a_time_limit_cuts_a_rest_short(db: TestDb) {
    db.fill_as("completed", "k", 500, at(0), &spread(&db, at(50))).await;
    // One row a second: the rest after the first batch is ten minutes long.
    let pace = PaceOptions { max_rows_per_second: Some(1), min_batch: 400, max_batch: 400, ..by(1).pace };
    // Long enough for a busy machine to come to its first batch.
    let options = PurgeOptions { max_duration: Some(secs(2)), pace, ..by(1) };
    let store = db.at(at(200));
    let report = tokio::time::timeout(secs(30), pass(&store, &options)).await.expect("the limit holds");
    assert_eq!((report.deleted, report.end), (400, PurgeEnd::MaxDuration));
}

async fn the_word_to_stop_ends_the_pass_after_its_batch(db: TestDb) {
    db.fill_as("completed", "k", 100, at(0), &spread(&db, at(50))).await;
    db.fill("tied", 100, at(0), at(60)).await;
    let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
    let mut seen = Vec::new();
    let store = db.at(at(200));
    let mut progress = |progress: idemctl::janitor::PurgeProgress| {
        seen.push((progress.deleted, progress.batch));
        if progress.deleted >= 30 {
            stop.cancel();
        }
    };
    let outcome = purge(&store, &by(10), &confirmed, &stop, &mut progress).await.unwrap();
    assert_eq!((counts(&outcome.report), outcome.report.end), ((30, 0, 170), PurgeEnd::Stopped));
    assert_eq!(seen, [(10, 10), (20, 10), (30, 10)]);
    // Told before it began, it does nothing.
    let outcome = purge(&store, &by(10), &confirmed, &stop, &mut |_| {}).await.unwrap();
    assert_eq!((counts(&outcome.report), outcome.report.end), ((0, 0, 170), PurgeEnd::Stopped));
}

async fn the_word_to_stop_cuts_a_rest_short(db: TestDb) {
    db.fill_as("completed", "k", 500, at(0), &spread(&db, at(50))).await;
    let pace = PaceOptions { max_rows_per_second: Some(1), min_batch: 400, max_batch: 400, ..by(1).pace };
    let options = PurgeOptions { pace, ..by(1) };
    let (stop, confirmed, store) = (CancellationToken::new(), Confirmed::given(), db.at(at(200)));
    let (sender, first_batch) = tokio::sync::oneshot::channel();
    let mut sender = Some(sender);
    let mut progress = |_| {
        if let Some(sender) = sender.take() {
            let _ = sender.send(());
        }
    };
    let stopping = async {
        first_batch.await.unwrap();
        stop.cancel();
    };
    let running = purge(&store, &options, &confirmed, &stop, &mut progress);
    let (outcome, ()) = tokio::time::timeout(secs(30), async { tokio::join!(running, stopping) })
        .await
        .expect("the rest ends");
    let report = outcome.unwrap().report;
    assert_eq!((report.deleted, report.end), (400, PurgeEnd::Stopped));
}

async fn a_rate_is_kept(db: TestDb) {
    db.fill_as("completed", "k", 300, at(0), &spread(&db, at(50))).await;
    db.fill("tied", 300, at(0), at(60)).await;
    let pace = PaceOptions { max_rows_per_second: Some(1_000), ..by(20).pace };
    let began = Instant::now();
    let report = pass(&db.at(at(200)), &PurgeOptions { pace, ..by(20) }).await;
    assert_eq!(report.deleted, 600);
    // The last batch need not rest.
    assert!(began.elapsed() >= Duration::from_millis(550), "{:?}", began.elapsed());
    assert!(report.rows_per_second() <= 1_100.0, "{report:?}");
}
