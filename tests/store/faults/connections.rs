//! Connections that break at the worst moment, and servers that die or hang.

use std::time::{Duration, Instant};

use idemctl::janitor::{PaceOptions, PurgeEnd, PurgeOptions, ReapOptions, purge, reap};
use idemctl::protocol::{ClaimOutcome, Retry, Scope, Status};
use idemctl::store::{Confirmed, ErrorKind, Store, StoreOptions, TimeSource, Timeouts};
use sqlx::postgres::PgPoolOptions;
use tokio_util::sync::CancellationToken;

use crate::support::proxy::{Cut, Proxy};
use crate::support::server::{Server, shared};
use crate::support::{
    Dialect, TestDb, answer, at, claim, claimed, in_progress, key, kind, lease, replay, secs, tester, until,
};

pub(super) const CUTS: [Cut; 2] = [Cut::BeforeTheAnswer, Cut::BeforeTheServer];

/// A store behind a proxy, and the same database beside it.
pub(super) async fn behind_proxy() -> (Proxy, Store, TestDb) {
    let db = TestDb::new(Dialect::Postgres).await;
    let proxy = Proxy::start(shared().await.port).await;
    let database = db.url.rsplit('/').next().unwrap();
    let options = StoreOptions { clock: TimeSource::Fixed(at(1)), ..StoreOptions::default() };
    let store = Store::connect(&proxy.url(database), options).await.unwrap();
    (proxy, store, db)
}

/// It is sent with the values of a statement, and those with the order to execute it. A statement of a call
/// is a transaction of its own.
const KEY: &str = "a key like no other";

#[tokio::test]
async fn a_claim_whose_commit_is_cut_off_is_claimed_once() {
    for cut in CUTS {
        let (proxy, store, db) = behind_proxy().await;
        let first = claim(KEY);
        proxy.arm(KEY, cut);
        assert_eq!(store.claim(&first).await.unwrap(), claimed(first.token, 1), "{cut:?}");
        assert_eq!(proxy.cuts(), 1);
        let row = db.record(KEY).await.unwrap();
        assert_eq!((row.token, row.attempt, row.claimed_at), (Some(first.token), 1, at(1)));
        let second = store.claim(&claim(KEY)).await.unwrap();
        assert_eq!(second, in_progress(at(1), Some(at(11))));
    }
}

#[tokio::test]
async fn a_retry_whose_commit_is_cut_off_counts_one_attempt() {
    for cut in CUTS {
        let (proxy, store, db) = behind_proxy().await;
        let (first, second) = (claim(KEY), claim(KEY));
        store.claim(&first).await.unwrap();
        store.fail(&first.key, &first.scope, first.token, "no", Retry::Allow, None).await.unwrap();
        proxy.arm_in_order(&["request_hash = CASE", KEY], cut);
        assert_eq!(store.claim(&second).await.unwrap(), claimed(second.token, 2), "{cut:?}");
        assert_eq!((proxy.cuts(), db.record(KEY).await.unwrap().attempt), (1, 2));
    }
}

#[tokio::test]
async fn a_completion_whose_commit_is_cut_off_is_completed() {
    for cut in CUTS {
        let (proxy, store, db) = behind_proxy().await;
        let first = claim(KEY);
        store.claim(&first).await.unwrap();
        proxy.arm(KEY, cut);
        store.complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
        assert_eq!(proxy.cuts(), 1);
        assert_eq!(db.at(at(2)).claim(&claim(KEY)).await.unwrap(), replay(), "{cut:?}");
    }
}

#[tokio::test]
async fn a_failure_whose_commit_is_cut_off_is_failed_with_its_first_reason() {
    for cut in CUTS {
        let (proxy, store, db) = behind_proxy().await;
        let first = claim(KEY);
        store.claim(&first).await.unwrap();
        proxy.arm(KEY, cut);
        store.fail(&first.key, &first.scope, first.token, "no", Retry::Block, None).await.unwrap();
        assert_eq!(proxy.cuts(), 1);
        let wanted = ClaimOutcome::FailedFinal { reason: Some("no".into()), answer: None };
        assert_eq!(db.at(at(2)).claim(&claim(KEY)).await.unwrap(), wanted, "{cut:?}");
    }
}

#[tokio::test]
async fn a_renewal_whose_commit_is_cut_off_is_renewed() {
    for cut in CUTS {
        let (proxy, store, db) = behind_proxy().await;
        let first = claim(KEY);
        store.claim(&first).await.unwrap();
        proxy.arm(KEY, cut);
        store.renew(&first.key, &first.scope, first.token, lease(60)).await.unwrap();
        assert_eq!(proxy.cuts(), 1);
        assert_eq!(db.record(KEY).await.unwrap().lease_expires_at, Some(at(61)), "{cut:?}");
    }
}

#[tokio::test]
async fn a_statement_that_is_cut_off_is_made_again() {
    for cut in CUTS {
        let (proxy, store, db) = behind_proxy().await;
        let first = claim("k");
        proxy.arm("INSERT INTO", cut);
        assert_eq!(store.claim(&first).await.unwrap(), claimed(first.token, 1), "{cut:?}");
        proxy.arm("UPDATE", cut);
        store.complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
        assert_eq!((proxy.cuts(), db.record("k").await.unwrap().status), (2, Status::Completed));
    }
}

#[tokio::test]
async fn a_purge_whose_answer_is_lost_goes_on_and_says_what_it_does_not_know() {
    for cut in CUTS {
        let (proxy, store, db) = behind_proxy().await;
        db.fill("k", 50, at(0).minus(secs(9)), at(0)).await;
        db.fill("live", 5, at(0), at(100)).await;
        let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
        let options = PurgeOptions { grace: Duration::ZERO, ..PurgeOptions::default() };
        // The delete is the only statement of a pass that starts so.
        proxy.arm("DELETE FROM", cut);
        let outcome = purge(&store, &options, &confirmed, &stop, &mut |_| {}).await.unwrap();
        assert!(outcome.error.is_none(), "{:?}", outcome.error);
        // The message holds the commit, too: what it deleted is not counted, and not said to be nothing.
        let counted = if cut == Cut::BeforeTheAnswer { 0 } else { 50 };
        assert_eq!((outcome.report.deleted, outcome.report.unknown_batches), (counted, 1), "{cut:?}");
        assert_eq!((outcome.report.end, proxy.cuts(), db.rows().await), (PurgeEnd::Done, 1, 5));
    }
}

#[tokio::test]
async fn a_reaping_that_is_cut_off_is_made_again_and_audited_once() {
    for cut in CUTS {
        let (proxy, store, db) = behind_proxy().await;
        store.claim(&claim("k")).await.unwrap();
        let later = store.with_clock(TimeSource::Fixed(at(60))).unwrap();
        let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
        let options = ReapOptions {
            older_than: secs(30),
            retry: Retry::Allow.into(),
            scope: None,
            max_rows: None,
            allow_cascade: false,
        };
        proxy.arm("INSERT INTO idemctl_audit", cut);
        let outcome = reap(&later, &options, &tester(), Some(&confirmed), &stop, &mut |_| {}).await.unwrap();
        assert!(outcome.error.is_none(), "{:?}", outcome.error);
        assert_eq!((outcome.report.reaped, proxy.cuts()), (1, 1));
        assert_eq!(db.record("k").await.unwrap().status, Status::Failed);
        assert_eq!(db.store.audit_of_key("k").await.unwrap().len(), 1);
    }
}

fn short() -> StoreOptions {
    let timeouts = Timeouts {
        connect: Duration::from_millis(300),
        lock: Duration::from_millis(300),
        statement: Duration::from_millis(300),
    };
    StoreOptions { timeouts, ..StoreOptions::default() }
}

#[tokio::test]
async fn a_server_killed_in_the_middle_of_a_purge_loses_no_live_row() {
    let mut server = Server::start().await;
    let url = server.url(&server.database().await);
    let store = Store::connect(&url, StoreOptions::default()).await.unwrap();
    let db = TestDb { store: store.clone(), url, folder: None };
    let now = store.now().await.unwrap();
    let (old, past) = (now.minus(secs(9_000)), now.minus(secs(5_000)));
    let spread = format!("{} + n * interval '1 microsecond'", db.time(past));
    db.fill_as("completed", "expired", 3_000, old, &spread).await;
    db.fill("tied", 3_000, old, past).await;
    db.fill("live", 500, now, now.plus(secs(5_000))).await;
    db.fill_as("in_progress", "running", 500, old, &db.time(past)).await;

    let pace = PaceOptions { min_batch: 50, max_batch: 50, duty: Some(0.1), ..PaceOptions::default() };
    let options = PurgeOptions { pace, grace: Duration::ZERO, ..PurgeOptions::default() };
    let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
    let (sender, mut batches) = tokio::sync::mpsc::unbounded_channel();
    let mut progress = |batch| {
        let _ = sender.send(batch);
    };
    let running = purge(&store, &options, &confirmed, &stop, &mut progress);
    let killing = async {
        for _ in 0..10 {
            batches.recv().await.unwrap();
        }
        server.kill().await;
    };
    let (outcome, ()) = tokio::join!(running, killing);
    let outcome = outcome.unwrap();
    assert_eq!(outcome.report.end, PurgeEnd::Failed);
    assert!(matches!(outcome.error.unwrap().kind(), ErrorKind::Unreachable | ErrorKind::OutcomeUnknown));
    assert!(outcome.report.deleted >= 500 && outcome.report.deleted < 6_000, "{:?}", outcome.report);

    server.restart().await;
    // What was reported as deleted may be back, as the purge does not wait for the disk; what lives
    // is there.
    let count = |prefix: &str| {
        format!("SELECT count(*) FROM idempotency_keys WHERE idempotency_key LIKE '{prefix}%'")
    };
    assert_eq!(db.number(&count("live")).await, 500);
    assert_eq!(db.number(&count("running")).await, 500);
    let outcome = purge(&store, &options, &confirmed, &stop, &mut |_| {}).await.unwrap();
    assert_eq!((outcome.report.end, outcome.report.backlog), (PurgeEnd::Done, Some(0)));
    assert_eq!(db.rows().await, 1_000);
}

#[tokio::test]
async fn what_was_answered_before_the_server_was_killed_is_there_after() {
    let mut server = Server::start().await;
    let url = server.url(&server.database().await);
    let store = Store::connect(&url, StoreOptions::default()).await.unwrap();
    let (done, running) = (claim("done"), claim("running"));
    for one in [&done, &running] {
        assert_eq!(store.claim(one).await.unwrap(), claimed(one.token, 1));
    }
    store.complete(&done.key, &done.scope, done.token, &answer()).await.unwrap();
    server.kill().await;
    server.restart().await;
    // The same store: it has nothing but dead connections now.
    assert_eq!(store.claim(&claim("done")).await.unwrap(), replay());
    store.complete(&running.key, &running.scope, running.token, &answer()).await.unwrap();
    assert_eq!(store.claim(&claim("running")).await.unwrap(), replay());
}

/// A pool full of connections that died while idle costs no call: not even one that may not be
/// repeated, and not even with more dead connections than there are retries.
#[tokio::test]
async fn after_a_restart_of_the_server_the_very_first_calls_succeed() {
    const CONNECTIONS: u32 = 24;
    let mut server = Server::start().await;
    let url = server.url(&server.database().await);
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .test_before_acquire(false)
        .connect(&url)
        .await
        .unwrap();
    let store = Store::from_pg_pool(pool.clone(), StoreOptions::default()).unwrap();
    for call in 0..3 {
        let mut held = Vec::new();
        for _ in 0..CONNECTIONS {
            held.push(pool.acquire().await.unwrap());
        }
        drop(held);
        until("all are idle", || async { pool.num_idle() == CONNECTIONS as usize }).await;
        server.kill().await;
        server.restart().await;
        match call {
            0 => assert!(store.now().await.is_ok()),
            1 => assert!(store.inspect("k").await.unwrap().is_empty()),
            _ => {
                let first = claim("k");
                assert_eq!(store.claim(&first).await.unwrap(), claimed(first.token, 1));
            }
        }
    }
}

#[tokio::test]
async fn a_server_that_hangs_ends_every_call_as_unreachable_in_time() {
    let server = Server::start().await;
    let url = server.url(&server.database().await);
    let store = Store::connect(&url, short()).await.unwrap();
    let first = claim("k");
    store.claim(&first).await.unwrap();
    let none = Scope::none();
    let paused = server.pause();
    let began = Instant::now();
    assert_eq!(kind(store.now().await), ErrorKind::Unreachable);
    assert_eq!(kind(store.record(&key("k"), &none).await), ErrorKind::Unreachable);
    // A statement that was sent may yet be run.
    let no_answer = [ErrorKind::Unreachable, ErrorKind::OutcomeUnknown];
    assert!(no_answer.contains(&kind(store.claim(&claim("k")).await)));
    let complete = store.complete(&first.key, &none, first.token, &answer()).await;
    assert!(no_answer.contains(&kind(complete)));
    // The calls are repeated up to eight times, with pauses of at most half a second and jitter.
    assert!(began.elapsed() < secs(40), "{:?}", began.elapsed());
    drop(paused);
    store.complete(&first.key, &none, first.token, &answer()).await.unwrap();
    assert_eq!(store.claim(&claim("k")).await.unwrap(), replay());
}

#[tokio::test]
async fn a_read_that_hung_does_not_spoil_its_connection_for_writes() {
    let server = Server::start().await;
    let url = server.url(&server.database().await);
    let pool = PgPoolOptions::new().max_connections(1).connect(&url).await.unwrap();
    let store = Store::from_pg_pool(pool.clone(), short()).unwrap();
    store.now().await.unwrap();
    until("the connection is back in the pool", || async { pool.num_idle() == 1 }).await;
    let paused = server.pause();
    assert_eq!(kind(store.now().await), ErrorKind::Unreachable);
    drop(paused);
    let first = claim("k");
    assert_eq!(store.claim(&first).await.unwrap(), claimed(first.token, 1));
    // Nor is the transaction that hung left open.
    let db = TestDb { store, url, folder: None };
    let open = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'";
    assert_eq!(db.number(open).await, 0);
}

/// Calls of the protocol keep the connections they had, and everybody else still gets one.
#[tokio::test]
async fn kept_connections_are_shared_and_stay_within_their_number() {
    let db = TestDb::new(Dialect::Postgres).await;
    let options = StoreOptions { max_connections: 2, ..StoreOptions::default() };
    let store = Store::connect(&db.url, options).await.unwrap();
    let calls = (0..40).map(|number| {
        let store = store.clone();
        tokio::spawn(async move {
            let one = claim(&format!("shared-{number}"));
            store.claim(&one).await.unwrap();
            // Needs a connection of the pool, of which none may be left.
            assert_eq!(store.inspect(one.key.as_str()).await.unwrap().len(), 1);
            store.complete(&one.key, &one.scope, one.token, &answer()).await.unwrap();
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
    // Those of this store and of the fixture's own.
    let database = db.url.rsplit('/').next().unwrap();
    let connected = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}' AND pid <> pg_backend_pid()"
    );
    assert!(db.number(&connected).await <= 2 + 1, "more connections than allowed");
    tokio::time::timeout(secs(5), store.close()).await.expect("it closes at once");
}

/// More connections than a call has tries.
#[tokio::test]
async fn a_restart_of_the_server_costs_no_call_however_many_connections_it_ends() {
    let mut server = Server::start().await;
    let url = server.url(&server.database().await);
    let options = StoreOptions { max_connections: 30, ..StoreOptions::default() };
    let store = Store::connect(&url, options).await.unwrap();
    let _db = TestDb { store: store.clone(), url, folder: None };
    let barrier = std::sync::Arc::new(tokio::sync::Barrier::new(30));
    let calls = (0..30).map(|number| {
        let (store, barrier) = (store.clone(), barrier.clone());
        tokio::spawn(async move {
            barrier.wait().await;
            store.claim(&claim(&format!("before-{number}"))).await.unwrap();
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
    server.kill().await;
    server.restart().await;
    let after = claim("after");
    assert_eq!(store.claim(&after).await.unwrap(), claimed(after.token, 1));
}

/// A program may let go of its store when its runtime is gone already.
#[test]
fn a_store_outlives_its_runtime() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let store = runtime.block_on(async {
        let db = TestDb::new(Dialect::Postgres).await;
        let store = Store::connect(&db.url, StoreOptions::default()).await.unwrap();
        store.claim(&claim("last")).await.unwrap();
        store
    });
    drop(runtime);
    drop(store);
}

/// The line of the server's own source code says nothing to whoever reads it.
#[tokio::test]
async fn an_error_of_the_server_is_told_in_its_words_alone() {
    let db = TestDb::new(Dialect::Postgres).await;
    let elsewhere = format!("{}_not_there", db.url);
    let store = Store::connect(&elsewhere, StoreOptions::default()).await.unwrap();
    let said = store.now().await.unwrap_err().chain();
    assert!(said.ends_with("not_there\" does not exist"), "{said}");
}
