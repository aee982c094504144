//! Several hosts: the one that takes writes is found again, in every call.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use idemctl::janitor::{Admission, Hold, PaceOptions, PurgeEnd, PurgeOptions, PurgeProgress, purge};
use idemctl::protocol::ClaimOutcome;
use idemctl::store::{Confirmed, Dialect, ErrorKind, Store, StoreOptions, Timeouts};
use tokio_util::sync::CancellationToken;

use crate::support::hosts::{Hosts, Loss};
use crate::support::proxy::Proxy;
use crate::support::server::{Server, shared};
use crate::support::{TestDb, answer, claim, claimed, kind, replay, secs, until};

/// Two ways to one database.
async fn two_ways() -> (Proxy, Proxy, Store, TestDb) {
    let db = TestDb::new(Dialect::Postgres).await;
    let port = shared().await.port;
    let (first, second) = (Proxy::start(port).await, Proxy::start(port).await);
    let store = Store::connect(&of_both(&first, &second, &db), impatient()).await.unwrap();
    (first, second, store, db)
}

fn of_both(first: &Proxy, second: &Proxy, db: &TestDb) -> String {
    let database = db.url.rsplit('/').next().unwrap();
    let host = |proxy: &Proxy| {
        let url = proxy.url(database);
        url.split('@').nth(1).unwrap().split('/').next().unwrap().to_owned()
    };
    format!("postgres://postgres@{},{}/{database}?sslmode=disable", host(first), host(second))
}

fn impatient() -> StoreOptions {
    let timeouts = Timeouts { connect: secs(1), ..Timeouts::default() };
    StoreOptions { timeouts, ..StoreOptions::default() }
}

fn gone(proxy: &Proxy) {
    proxy.refuse(true);
    proxy.cut_all();
}

#[tokio::test]
async fn when_the_first_host_is_gone_every_call_goes_on_with_the_second() {
    let (first, second, store, db) = two_ways().await;
    let claims = [claim("k0"), claim("k1")];
    for one in &claims {
        store.claim(one).await.unwrap();
    }
    let preferred = store.target();
    gone(&first);
    // A call of each kind is the first one after it, once.
    let (one, other) = (&claims[0], &claims[1]);
    store.complete(&one.key, &one.scope, one.token, &answer()).await.unwrap();
    assert_ne!(store.target(), preferred);
    first.refuse(false);
    gone(&second);
    assert_eq!(store.inspect("k0").await.unwrap().len(), 1);
    assert_eq!(store.target(), preferred);
    second.refuse(false);
    gone(&first);
    store.renew(&other.key, &other.scope, other.token, other.lease).await.unwrap();
    first.refuse(false);
    gone(&second);
    let third = claim("k2");
    assert_eq!(store.claim(&third).await.unwrap(), claimed(third.token, 1));
    assert_eq!(db.rows().await, 3);
    // Both are gone: an error in time, and both are back.
    gone(&first);
    let began = Instant::now();
    assert!(matches!(kind(store.now().await), ErrorKind::Unreachable | ErrorKind::OutcomeUnknown));
    assert!(began.elapsed() < secs(30), "{:?}", began.elapsed());
    second.refuse(false);
    assert_eq!(store.claim(&claim("k0")).await.unwrap(), replay());
}

/// The first server takes no writes any more; its sessions live on.
async fn demote(server: &Server) {
    server.admin("ALTER SYSTEM SET default_transaction_read_only = on").await;
    server.admin("SELECT pg_reload_conf()").await;
}

struct TwoServers {
    first: Server,
    second: Server,
    url: String,
}

async fn two_servers() -> TwoServers {
    let (first, second) = (Server::start().await, Server::start().await);
    let (one, other) = (first.database().await, second.database().await);
    assert_eq!(one, other);
    let url = format!(
        "postgres://postgres@127.0.0.1:{},127.0.0.1:{}/{one}?sslmode=disable",
        first.port, second.port
    );
    TwoServers { first, second, url }
}

#[tokio::test]
async fn when_the_first_server_turns_read_only_claims_and_a_purge_go_on_with_the_second() {
    let TwoServers { first, second, url } = two_servers().await;
    let store = Store::connect(&url, StoreOptions::default()).await.unwrap();
    let name = url.rsplit('/').next().unwrap().split('?').next().unwrap().to_owned();
    let on = |server: &Server| {
        let url = server.url(&name);
        async move { Store::connect(&url, StoreOptions::default()).await.unwrap() }
    };
    let before = on(&first).await;
    let after = TestDb { store: on(&second).await, url: second.url(&name), folder: None };
    let now = after.store.now().await.unwrap();
    let at_first = TestDb { store: before, url: first.url(&name), folder: None };
    for db in [&at_first, &after] {
        db.fill("old", 3_000, now.minus(secs(9_000)), now.minus(secs(5_000))).await;
    }

    // Claims in a loop, and a purge at a slow pace beside them.
    let stop = Arc::new(AtomicBool::new(false));
    let (claiming, ended) = (store.clone(), stop.clone());
    let (sender, mut batches) = tokio::sync::mpsc::unbounded_channel();
    let loops = tokio::spawn(async move {
        let mut count = 0;
        while !ended.load(Ordering::Relaxed) {
            let one = claim(&format!("loop-{count}"));
            let outcome = claiming.claim(&one).await.unwrap_or_else(|error| panic!("{}", error.chain()));
            assert_eq!(outcome, claimed(one.token, 1));
            count += 1;
        }
        count
    });
    let purging = {
        let store = store.clone();
        tokio::spawn(async move {
            let pace =
                PaceOptions { min_batch: 20, max_batch: 20, duty: Some(0.2), ..PaceOptions::default() };
            let options = PurgeOptions { pace, grace: Duration::ZERO, ..PurgeOptions::default() };
            let stop = CancellationToken::new();
            let mut progress = |batch| {
                let _ = sender.send(batch);
            };
            purge(&store, &options, &Confirmed::given(), &stop, &mut progress).await
        })
    };
    for _ in 0..5 {
        batches.recv().await.unwrap();
    }
    demote(&first).await;
    let outcome = purging.await.unwrap().unwrap();
    assert_eq!(
        (outcome.report.end, outcome.report.backlog),
        (PurgeEnd::Done, Some(0)),
        "{:?}",
        outcome.error
    );
    until("claims go to the second server", || async {
        after.number("SELECT count(*) FROM idempotency_keys WHERE idempotency_key LIKE 'loop-%'").await > 20
    })
    .await;
    stop.store(true, Ordering::Relaxed);
    assert!(loops.await.unwrap() > 20);
    assert_eq!(store.target(), format!("postgres://postgres@127.0.0.1:{}/{name}", second.port));
}

/// Workers that race for the same keys, one after the other: each key is executed once, and its answer is there.
async fn claims_go_on_with_the_standby(loss: Loss) {
    const WORKERS: usize = 3;
    let hosts = Hosts::start().await;
    let store = Store::connect(&hosts.url(), StoreOptions::default()).await.unwrap();
    let executed = Arc::new(Mutex::new(Vec::new()));
    let stop = Arc::new(AtomicBool::new(false));
    let workers: Vec<_> = (0..WORKERS)
        .map(|_| {
            let (store, executed, stop) = (store.clone(), executed.clone(), stop.clone());
            tokio::spawn(async move {
                let mut number = 0;
                while !stop.load(Ordering::Relaxed) {
                    let one = claim(&format!("k{number}"));
                    match store.claim(&one).await.unwrap() {
                        ClaimOutcome::Claimed { .. } => {
                            executed.lock().unwrap().push(number);
                            let (key, scope) = (&one.key, &one.scope);
                            store.complete(key, scope, one.token, &answer()).await.unwrap();
                            number += 1;
                        }
                        ClaimOutcome::InProgress { .. } => tokio::task::yield_now().await,
                        outcome => {
                            assert_eq!(outcome, replay());
                            number += 1;
                        }
                    }
                }
            })
        })
        .collect();
    let count = || executed.lock().unwrap().len();
    until("they are at work", || async { count() > 50 }).await;
    hosts.fail_over(loss).await;
    let second = hosts.second().await;
    let before = second.rows().await;
    until("they go on", || async { second.rows().await > before + 50 }).await;
    stop.store(true, Ordering::Relaxed);
    for worker in workers {
        worker.await.unwrap();
    }
    let mut executed = std::mem::take(&mut *executed.lock().unwrap());
    executed.sort_unstable();
    assert_eq!(executed, (0..executed.len()).collect::<Vec<_>>(), "{loss:?}: each key once");
    let whole = "SELECT count(*) FROM idempotency_keys WHERE status = 'completed' AND attempt = 1";
    assert_eq!(second.number(whole).await, executed.len() as i64, "{loss:?}");
    assert_eq!(second.rows().await, executed.len() as i64, "{loss:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn when_the_first_server_is_gone_each_key_is_executed_once() {
    claims_go_on_with_the_standby(Loss::Gone).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn when_the_first_server_turns_read_only_each_key_is_executed_once() {
    claims_go_on_with_the_standby(Loss::ReadOnly).await;
}

/// A standby answers and no primary: one may be about to take over.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_opened_in_the_middle_of_a_failover_waits_for_its_end() {
    let hosts = Hosts::start().await;
    hosts.lose(Loss::Gone).await;
    let url = hosts.url();
    let opening = tokio::spawn(async move { Store::connect(&url, impatient()).await });
    tokio::time::sleep(secs(1)).await;
    assert!(!opening.is_finished());
    hosts.promote().await;
    let store = opening.await.unwrap().unwrap();
    let one = claim("k");
    assert_eq!(store.claim(&one).await.unwrap(), claimed(one.token, 1));
}

/// It accepts connections and never answers.
#[tokio::test]
async fn when_the_first_server_freezes_the_second_is_used_in_time() {
    let TwoServers { first, second: _second, url } = two_servers().await;
    let store = Store::connect(&url, impatient()).await.unwrap();
    store.claim(&claim("before")).await.unwrap();
    let paused = first.pause();
    let began = Instant::now();
    let one = claim("k");
    assert_eq!(store.claim(&one).await.unwrap(), claimed(one.token, 1));
    // The patience with a statement is half a minute.
    assert!(began.elapsed() < secs(12), "{:?}", began.elapsed());
    store.complete(&one.key, &one.scope, one.token, &answer()).await.unwrap();
    assert_eq!(store.claim(&claim("k")).await.unwrap(), replay());
    drop(paused);
}

/// What the name of one host leads to may have changed.
#[tokio::test]
async fn a_single_host_that_was_read_only_is_asked_by_a_new_connection() {
    let server = Server::start().await;
    let url = server.url(&server.database().await);
    let store = Store::connect(&url, StoreOptions::default()).await.unwrap();
    store.claim(&claim("before")).await.unwrap();
    demote(&server).await;
    until("sessions hear of it", || async {
        store.claim(&claim("probe")).await.is_err_and(|error| error.kind() == ErrorKind::ReadOnly)
    })
    .await;
    assert_eq!(store.inspect("before").await.unwrap().len(), 1);
    server.admin("ALTER SYSTEM RESET default_transaction_read_only").await;
    server.admin("SELECT pg_reload_conf()").await;
    until("it takes writes again", || async { store.claim(&claim("after")).await.is_ok() }).await;
}

/// Open, but for one time between two batches: then the server is killed with what it had not written yet.
struct Killing {
    server: tokio::sync::Mutex<Server>,
    asked: AtomicU32,
    stop: CancellationToken,
}

#[async_trait]
impl Hold for Killing {
    fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    async fn ask(&self) -> Admission {
        if self.asked.fetch_add(1, Ordering::Relaxed) == 3 {
            let mut server = self.server.lock().await;
            server.kill().await;
            server.restart().await;
        }
        Admission::Open
    }
}

#[tokio::test]
async fn rows_that_come_back_with_a_killed_server_are_deleted_again_and_count_once() {
    const ROWS: u32 = 100;
    let server = Server::start().await;
    // Nothing else writes out what a batch does.
    server.admin("ALTER SYSTEM SET wal_writer_delay = '10s'").await;
    server.admin("ALTER SYSTEM SET autovacuum = off").await;
    server.admin("SELECT pg_reload_conf()").await;
    let url = server.url(&server.database().await);
    let store = Store::connect(&url, StoreOptions::default()).await.unwrap();
    let db = TestDb { store: store.clone(), url, folder: None };
    let now = store.now().await.unwrap();
    db.fill("old", ROWS, now.minus(secs(9_000)), now.minus(secs(5_000))).await;
    let pace = PaceOptions { min_batch: 20, max_batch: 20, ..PaceOptions::default() };
    let options = PurgeOptions { pace, grace: Duration::ZERO, ..PurgeOptions::default() };
    let hold = Killing {
        server: tokio::sync::Mutex::new(server),
        asked: AtomicU32::new(0),
        stop: CancellationToken::new(),
    };
    let deleted_in_all = AtomicU64::new(0);
    let mut progress = |progress: PurgeProgress| deleted_in_all.store(progress.deleted, Ordering::Relaxed);
    let outcome = purge(&store, &options, &Confirmed::given(), &hold, &mut progress).await.unwrap();
    let report = outcome.report;
    assert_eq!((report.end, report.backlog), (PurgeEnd::Done, Some(0)), "{:?}", outcome.error);
    assert_eq!((report.deleted, report.unknown_batches), (u64::from(ROWS), 0));
    // Some did come back.
    assert!(deleted_in_all.into_inner() > u64::from(ROWS));
    assert_eq!(db.rows().await, 0);
}
