//! Many at once on one key: exactly one may do the work.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use idemctl::janitor::{
    PaceOptions, PurgeOptions, PurgeReport, ReapOptions, ReapProgress, ReapReport, ReapedKey, purge, reap,
};
use idemctl::protocol::{Answer, Claim, ClaimOutcome, Retry, Scope, Status, Timestamp};
use idemctl::store::{Confirmed, Dialect, ErrorKind, Store, StoreOptions, TimeSource};
use tokio::sync::Barrier;
use tokio_util::sync::CancellationToken;

use crate::support::{TestDb, answer, at, claim, key, secs, tester};

/// So many ask for one key at the same time.
const CLAIMERS: usize = 64;

/// Stores with connections of their own, enough for every claimer on PostgreSQL.
async fn stores(db: &TestDb, now: Timestamp) -> Vec<Store> {
    let each = if matches!(db.dialect(), Dialect::Postgres) { 16 } else { 4 };
    let mut stores = Vec::new();
    for _ in 0..4 {
        let options =
            StoreOptions { max_connections: each, clock: TimeSource::Fixed(now), ..StoreOptions::default() };
        stores.push(Store::connect(&db.url, options).await.unwrap());
    }
    stores
}

/// Lets all of them claim at once and returns every outcome.
async fn race(stores: &[Store], name: &str) -> Vec<ClaimOutcome> {
    let start = Arc::new(Barrier::new(CLAIMERS));
    let mut claimers = Vec::new();
    for number in 0..CLAIMERS {
        let (store, start, claim) = (stores[number % stores.len()].clone(), start.clone(), claim(name));
        claimers.push(tokio::spawn(async move {
            start.wait().await;
            let outcome = store.claim(&claim).await.unwrap();
            if let ClaimOutcome::Claimed { token, .. } = outcome {
                assert_eq!(token, claim.token);
            }
            outcome
        }));
    }
    let mut outcomes = Vec::new();
    for claimer in claimers {
        outcomes.push(claimer.await.unwrap());
    }
    outcomes
}

/// Exactly one got the key, on this attempt; the others hear that it is in progress.
async fn assert_one_winner(db: &TestDb, name: &str, attempt: u32, outcomes: &[ClaimOutcome]) {
    let mut winners = Vec::new();
    for outcome in outcomes {
        match outcome {
            ClaimOutcome::Claimed { token, attempt: got } => {
                assert_eq!(*got, attempt);
                winners.push(*token);
            }
            ClaimOutcome::InProgress { .. } => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(winners.len(), 1, "{name}");
    let row = db.record(name).await.unwrap();
    assert_eq!((row.token, row.attempt, row.status), (Some(winners[0]), attempt, Status::InProgress));
}

fn rounds(db: &TestDb) -> usize {
    if matches!(db.dialect(), Dialect::Postgres) { 12 } else { 4 }
}

macro_rules! on_both_dialects_in_parallel {
    ($($name:ident),* $(,)?) => {
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $name() {
                super::$name(crate::support::TestDb::new(crate::support::Dialect::Postgres).await).await;
            })*
        }
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $name() {
                super::$name(crate::support::TestDb::new(crate::support::Dialect::Sqlite).await).await;
            })*
        }
    };
}

on_both_dialects_in_parallel!(
    one_of_many_gets_an_absent_key,
    one_of_many_takes_over_an_expired_row,
    one_of_many_retries_a_failed_row,
    claimers_and_completers_give_every_key_exactly_one_execution,
    a_purge_never_deletes_a_row_that_was_taken_over,
    either_the_reaper_or_the_worker_wins,
    two_purgers_and_two_reapers_share_the_work,
);

async fn one_of_many_gets_an_absent_key(db: TestDb) {
    let stores = stores(&db, at(0)).await;
    for round in 0..rounds(&db) {
        let name = format!("k{round}");
        assert_one_winner(&db, &name, 1, &race(&stores, &name).await).await;
    }
}

async fn one_of_many_takes_over_an_expired_row(db: TestDb) {
    let stores = stores(&db, at(1_000)).await;
    for round in 0..rounds(&db) {
        let name = format!("k{round}");
        let (before, store) = (claim(&name), db.at(at(0)));
        store.claim(&before).await.unwrap();
        store.complete(&before.key, &before.scope, before.token, &answer()).await.unwrap();
        assert_one_winner(&db, &name, 1, &race(&stores, &name).await).await;
    }
}

async fn one_of_many_retries_a_failed_row(db: TestDb) {
    let stores = stores(&db, at(10)).await;
    for round in 0..rounds(&db) {
        let (name, store) = (format!("k{round}"), db.at(at(9)));
        for attempt in 1..3 {
            let before = claim(&name);
            assert!(matches!(store.claim(&before).await.unwrap(), ClaimOutcome::Claimed { .. }));
            store
                .fail(&before.key, &before.scope, before.token, "no", Retry::Allow, None)
                .await
                .unwrap_or_else(|error| panic!("attempt {attempt}: {error}"));
        }
        assert_one_winner(&db, &name, 3, &race(&stores, &name).await).await;
    }
}

/// The whole way: who is told to wait asks again, and hears the one answer.
async fn claimers_and_completers_give_every_key_exactly_one_execution(db: TestDb) {
    let stores = stores(&db, at(0)).await;
    for round in 0..rounds(&db) / 2 {
        let mut workers = Vec::new();
        for number in 0..CLAIMERS {
            let (store, one) = (stores[number % stores.len()].clone(), claim(&format!("k{round}")));
            workers.push(tokio::spawn(async move {
                match store.wait(&one, secs(60)).await.unwrap() {
                    ClaimOutcome::Claimed { token, .. } => {
                        let answer = Answer::new(200, format!("by {number}"));
                        store.complete(&one.key, &one.scope, token, &answer).await.unwrap();
                        (true, answer)
                    }
                    ClaimOutcome::Replay { answer } => (false, answer),
                    other => panic!("{other:?}"),
                }
            }));
        }
        let (mut executed, mut answers) = (0, Vec::new());
        for worker in workers {
            let (did, answer) = worker.await.unwrap();
            executed += usize::from(did);
            answers.push(answer);
        }
        assert_eq!(executed, 1);
        assert!(answers.iter().all(|answer| *answer == answers[0]));
    }
}

fn fast() -> PurgeOptions {
    let pace = PaceOptions { min_batch: 20, max_batch: 50, duty: Some(1.0), ..PaceOptions::default() };
    PurgeOptions { grace: Duration::ZERO, pace, ..PurgeOptions::default() }
}

async fn purge_once(store: &Store, options: &PurgeOptions) -> PurgeReport {
    let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
    let outcome = purge(store, options, &confirmed, &stop, &mut |_| {}).await.unwrap();
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    outcome.report
}

async fn reap_once(store: &Store, options: &ReapOptions) -> (ReapReport, Vec<ReapedKey>) {
    let (stop, confirmed, mut keys) = (CancellationToken::new(), Confirmed::given(), Vec::new());
    let mut progress = |batch: ReapProgress<'_>| keys.extend_from_slice(batch.keys);
    let outcome = reap(store, options, &tester(), Some(&confirmed), &stop, &mut progress).await.unwrap();
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    (outcome.report, keys)
}

fn lost() -> ReapOptions {
    ReapOptions {
        older_than: secs(30),
        retry: Retry::Allow.into(),
        scope: None,
        max_rows: None,
        allow_cascade: false,
    }
}

/// Claims take over expired rows while the purge runs over them: what was claimed is there after.
async fn a_purge_never_deletes_a_row_that_was_taken_over(db: TestDb) {
    let rows = if matches!(db.dialect(), Dialect::Postgres) { 2_000 } else { 400 };
    // Half of them share one moment, so that both ways of the walk are met.
    db.fill("k", rows / 2, at(0), at(100)).await;
    let spread = format!("{} + n {}", db.time(at(200)), microseconds(&db));
    db.fill_as("completed", "s", rows / 2, at(0), &spread).await;
    let stores = stores(&db, at(1_000)).await;
    let purging = {
        let store = stores[0].clone();
        tokio::spawn(async move { purge_once(&store, &fast()).await })
    };
    let mut claimers = Vec::new();
    for worker in 0..8_u32 {
        let store = stores[1 + worker as usize % 3].clone();
        claimers.push(tokio::spawn(async move {
            let mut claimed = Vec::new();
            for number in (1 + worker..=rows / 2).step_by(24) {
                for prefix in ["s", "k"] {
                    // From the end: ahead of the purge, where the rows still are.
                    let one = claim(&format!("{prefix}{}", rows / 2 + 1 - number));
                    let outcome = store.claim(&one).await.unwrap();
                    assert!(matches!(outcome, ClaimOutcome::Claimed { attempt: 1, .. }), "{outcome:?}");
                    claimed.push(one);
                }
            }
            claimed
        }));
    }
    let mut claimed = Vec::new();
    for claimer in claimers {
        claimed.extend(claimer.await.unwrap());
    }
    let report = purging.await.unwrap();
    assert!(report.deleted > 0);
    for one in &claimed {
        let row = db.record(one.key.as_str()).await.expect("a live row is there");
        assert_eq!((row.token, row.status), (Some(one.token), Status::InProgress));
    }
    // Whatever the two left to each other, nothing else is there after one more pass.
    purge_once(&stores[0], &fast()).await;
    assert_eq!(db.rows().await, claimed.len() as i64);
}

fn microseconds(db: &TestDb) -> &'static str {
    if matches!(db.dialect(), Dialect::Postgres) { "* interval '1 microsecond'" } else { "* 1" }
}

async fn either_the_reaper_or_the_worker_wins(db: TestDb) {
    let count = if matches!(db.dialect(), Dialect::Postgres) { 600 } else { 150 };
    let claims: Vec<Claim> = (0..count).map(|number| claim(&format!("k{number}"))).collect();
    for one in &claims {
        db.at(at(0)).claim(one).await.unwrap();
    }
    let stores = stores(&db, at(60)).await;
    let start = Arc::new(Barrier::new(5));
    let reaping = {
        let (store, start) = (stores[0].clone(), start.clone());
        tokio::spawn(async move {
            start.wait().await;
            reap_once(&store, &lost()).await
        })
    };
    let mut workers = Vec::new();
    for worker in 0..4 {
        let (store, start) = (stores[worker % stores.len()].clone(), start.clone());
        let mut mine: Vec<Claim> = claims.iter().skip(worker).step_by(4).cloned().collect();
        // One half meets the reaper coming the other way.
        if worker % 2 == 0 {
            mine.reverse();
        }
        workers.push(tokio::spawn(async move {
            start.wait().await;
            let mut completed = HashSet::new();
            for one in mine {
                match store.complete(&one.key, &one.scope, one.token, &answer()).await {
                    Ok(()) => assert!(completed.insert(one.key)),
                    Err(error) => assert_eq!(error.kind(), ErrorKind::StaleClaim, "{error:?}"),
                }
            }
            completed
        }));
    }
    let mut completed = HashSet::new();
    for worker in workers {
        completed.extend(worker.await.unwrap());
    }
    let (report, keys) = reaping.await.unwrap();
    let reaped: HashSet<_> =
        keys.iter().filter(|one| one.retry_allowed.is_some()).map(|one| key(&one.row.key_text())).collect();
    assert_eq!(reaped.len() as u64, report.reaped);
    assert!(reaped.is_disjoint(&completed));
    assert_eq!(reaped.len() + completed.len(), claims.len());
    for one in &claims {
        let row = db.record(one.key.as_str()).await.unwrap();
        let wanted = if completed.contains(&one.key) { Status::Completed } else { Status::Failed };
        assert_eq!(row.status, wanted, "{}", one.key);
        let audited = db.store.audit_of_key(one.key.as_str()).await.unwrap().len();
        assert_eq!(audited, usize::from(wanted == Status::Failed));
    }
}

async fn two_purgers_and_two_reapers_share_the_work(db: TestDb) {
    let rows: u32 = if matches!(db.dialect(), Dialect::Postgres) { 3_000 } else { 1_000 };
    db.fill("tied", rows, at(0), at(100)).await;
    let spread = format!("{} + n {}", db.time(at(200)), microseconds(&db));
    db.fill_as("completed", "spread", rows, at(0), &spread).await;
    db.fill_as("in_progress", "lost", rows, at(0), &db.time(at(100))).await;
    let stores = stores(&db, at(1_000)).await;
    let start = Arc::new(Barrier::new(4));
    let (mut purgers, mut reapers) = (Vec::new(), Vec::new());
    for number in 0..2 {
        let (store, begin) = (stores[number].clone(), start.clone());
        purgers.push(tokio::spawn(async move {
            begin.wait().await;
            purge_once(&store, &fast()).await
        }));
        let (store, begin) = (stores[2 + number].clone(), start.clone());
        reapers.push(tokio::spawn(async move {
            begin.wait().await;
            reap_once(&store, &lost()).await
        }));
    }
    let (mut deleted, mut reaped) = (0, 0);
    for purger in purgers {
        deleted += purger.await.unwrap().deleted;
    }
    for reaper in reapers {
        reaped += reaper.await.unwrap().0.reaped;
    }
    assert_eq!(reaped, u64::from(rows));
    assert_eq!(db.number("SELECT count(*) FROM idemctl_audit").await, i64::from(rows));
    // What each skipped because the other held it is left for the next pass.
    deleted += purge_once(&stores[0], &fast()).await.deleted;
    assert_eq!(deleted, u64::from(2 * rows));
    assert_eq!(db.rows().await, i64::from(rows));
}

/// Reads stay possible while the race runs, and see whole rows only.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reader_never_sees_half_a_row() {
    for dialect in [Dialect::Postgres, Dialect::Sqlite] {
        let db = TestDb::new(dialect).await;
        let (store, done) = (db.at(at(0)), Arc::new(AtomicBool::new(false)));
        let reading = {
            let (store, done) = (db.at(at(0)), done.clone());
            tokio::spawn(async move {
                let mut seen = 0;
                while !done.load(Ordering::Acquire) {
                    if let (Some(row), _) = store.record(&key("k"), &Scope::none()).await.unwrap() {
                        assert_eq!(row.answer.is_some(), row.status == Status::Completed, "{row:?}");
                        assert_eq!(row.finished_at.is_none(), row.status == Status::InProgress, "{row:?}");
                        seen += 1;
                    }
                }
                seen
            })
        };
        for _ in 0..30 {
            let one = claim("k");
            store.claim(&one).await.unwrap();
            store.complete(&one.key, &one.scope, one.token, &answer()).await.unwrap();
            db.run("DELETE FROM idempotency_keys").await;
        }
        done.store(true, Ordering::Release);
        assert!(reading.await.unwrap() > 0);
    }
}

/// The database's own default isolation must not matter.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn under_strict_default_isolation_the_outcomes_are_the_same() {
    type Race = fn(TestDb) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;
    let races: [Race; 5] = [
        |db| Box::pin(one_of_many_gets_an_absent_key(db)),
        |db| Box::pin(one_of_many_takes_over_an_expired_row(db)),
        |db| Box::pin(one_of_many_retries_a_failed_row(db)),
        |db| Box::pin(either_the_reaper_or_the_worker_wins(db)),
        |db| Box::pin(two_purgers_and_two_reapers_share_the_work(db)),
    ];
    for level in ["serializable", "repeatable read"] {
        for race in races {
            let db = TestDb::new(Dialect::Postgres).await;
            let mut raw = db.raw().await;
            let database = raw.texts("SELECT current_database()").await.remove(0);
            raw.run(&format!("ALTER DATABASE {database} SET default_transaction_isolation = '{level}'"))
                .await;
            raw.close().await;
            let mut raw = db.raw().await;
            assert_eq!(raw.texts("SELECT current_setting('transaction_isolation')").await, [level]);
            raw.close().await;
            race(db).await;
        }
    }
}
