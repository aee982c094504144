//! Changes whose answer is lost: neither done nor not done, until somebody has looked.

use idemctl::janitor::{ReapOptions, reap};
use idemctl::protocol::{Retry, Status};
use idemctl::store::{Actor, Confirmed, Dialect, ErrorKind, KeyRow, Operated, Operation, Store, TimeSource};
use tokio_util::sync::CancellationToken;

use super::connections::{CUTS, behind_proxy};
use crate::support::database::migrating;
use crate::support::proxy::{Cut, Proxy};
use crate::support::server::shared;
use crate::support::{TestDb, at, claim, claimed, kind, secs, tester, until};

/// The message; a transaction begins with READ COMMITTED.
const COMMIT: &str = "COMMIT\0";

const BLOCK: Operation = Operation::Fail { retry: Retry::Block };

async fn row(store: &Store) -> KeyRow {
    store.inspect("k").await.unwrap().remove(0)
}

/// A failed row for a release; one in progress for the others.
async fn prepared(db: &TestDb, store: &Store, operation: Operation) -> KeyRow {
    let first = claim("k");
    db.at(at(0)).claim(&first).await.unwrap();
    if operation == Operation::Release {
        db.at(at(0)).fail(&first.key, &first.scope, first.token, "no", Retry::Block, None).await.unwrap();
    }
    row(store).await
}

async fn operated(store: &Store, seen: &KeyRow, operation: Operation, audit: bool) -> Operated {
    store.operate(seen, operation, &tester(), audit, &Confirmed::given()).await.unwrap()
}

#[tokio::test]
async fn a_change_whose_commit_is_cut_off_is_done_once_and_told_so() {
    for cut in CUTS {
        for operation in [BLOCK, Operation::Release, Operation::Forget] {
            let (proxy, store, db) = behind_proxy().await;
            let seen = prepared(&db, &store, operation).await;
            proxy.arm(COMMIT, cut);
            assert_eq!(
                operated(&store, &seen, operation, true).await,
                Operated::Done,
                "{operation:?} {cut:?}"
            );
            assert_eq!(proxy.cuts(), 1);
            assert_eq!(db.store.audit_of_key("k").await.unwrap().len(), 1, "{operation:?} {cut:?}");
            // Done, it is not there to be done again.
            assert_eq!(operated(&store, &seen, operation, true).await, Operated::Changed);
        }
    }
}

/// What somebody else did in between is not taken for ours.
#[tokio::test]
async fn a_change_that_was_not_made_is_not_taken_for_done_when_the_row_has_changed() {
    let (proxy, store, db) = behind_proxy().await;
    let seen = prepared(&db, &store, BLOCK).await;
    proxy.arm_in_order(&[COMMIT], Cut::BeforeTheServer);
    proxy.go_away_after_the_cut();
    let changing = async {
        until("the commit is cut off", || async { proxy.cuts() == 1 }).await;
        db.run("UPDATE idempotency_keys SET renewed_at = renewed_at + interval '1 second'").await;
        proxy.come_back();
    };
    let (outcome, ()) = tokio::join!(operated(&store, &seen, BLOCK, true), changing);
    assert_eq!(outcome, Operated::Changed);
    assert!(db.store.audit_of_key("k").await.unwrap().is_empty());
}

#[tokio::test]
async fn without_an_audit_a_change_whose_answer_was_lost_is_unknown() {
    let (proxy, store, db) = behind_proxy().await;
    let seen = prepared(&db, &store, BLOCK).await;
    proxy.arm(COMMIT, Cut::BeforeTheAnswer);
    assert_eq!(operated(&store, &seen, BLOCK, false).await, Operated::Unknown);
    let (proxy, store, db) = behind_proxy().await;
    let seen = prepared(&db, &store, BLOCK).await;
    proxy.arm(COMMIT, Cut::BeforeTheServer);
    assert_eq!(operated(&store, &seen, BLOCK, false).await, Operated::Done);
    assert_eq!(db.record("k").await.unwrap().status, Status::Failed);
}

#[tokio::test]
async fn a_change_whose_answer_was_lost_for_good_is_unknown() {
    let (proxy, store, db) = behind_proxy().await;
    let seen = prepared(&db, &store, BLOCK).await;
    proxy.arm_in_order(&[COMMIT], Cut::BeforeTheAnswer);
    proxy.go_away_after_the_cut();
    let outcome = store.operate(&seen, BLOCK, &tester(), true, &Confirmed::given()).await;
    assert_eq!(kind(outcome), ErrorKind::OutcomeUnknown);
    assert_eq!(db.record("k").await.unwrap().status, Status::Failed);
}

#[tokio::test]
async fn a_batch_of_the_reaper_whose_commit_is_cut_off_is_counted_right() {
    for cut in CUTS {
        for audit in [true, false] {
            let (proxy, store, db) = behind_proxy().await;
            if !audit {
                db.run("DROP TABLE idemctl_audit").await;
            }
            for number in 0..5 {
                db.at(at(0)).claim(&claim(&format!("k{number}"))).await.unwrap();
            }
            let later = store.with_clock(TimeSource::Fixed(at(60))).unwrap();
            let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
            let options = ReapOptions {
                older_than: secs(30),
                retry: Retry::Allow.into(),
                scope: None,
                max_rows: None,
                allow_cascade: false,
            };
            proxy.arm_in_order(&["UPDATE", COMMIT], cut);
            let outcome =
                reap(&later, &options, &tester(), Some(&confirmed), &stop, &mut |_| {}).await.unwrap();
            assert!(outcome.error.is_none(), "{:?}", outcome.error);
            let report = outcome.report;
            let told = if cut == Cut::BeforeTheAnswer && !audit { (0, 5) } else { (5, 0) };
            assert_eq!((report.reaped, report.unknown), told, "{cut:?}, audit {audit}");
            assert_eq!((report.matched, report.skipped, proxy.cuts()), (5, 0, 1));
            assert_eq!(db.number("SELECT count(*) FROM idempotency_keys WHERE status = 'failed'").await, 5);
            if audit {
                assert_eq!(db.number("SELECT count(*) FROM idemctl_audit").await, 5);
            }
        }
    }
}

#[tokio::test]
async fn a_pause_and_its_end_are_audited_once_and_told_right() {
    for cut in CUTS {
        let (proxy, store, db) = behind_proxy().await;
        let actor = Actor { command: "pause".into(), ..tester() };
        let entries = |action: &str| format!("SELECT count(*) FROM idemctl_audit WHERE action = '{action}'");
        // The read of the clock commits, too.
        proxy.arm_in_order(&["idemctl_pause", COMMIT], cut);
        let set = store.set_pause("a deploy", None, &actor, &Confirmed::given()).await.unwrap();
        assert_eq!((set.reason.as_str(), proxy.cuts()), ("a deploy", 1));
        assert_eq!(db.number(&entries("paused")).await, 1, "{cut:?}");
        proxy.arm_in_order(&["DELETE FROM idemctl_pause", COMMIT], cut);
        let ended = store.clear_pause(&actor, &Confirmed::given()).await.unwrap();
        assert_eq!((ended, proxy.cuts()), (Some(set), 2), "{cut:?}");
        assert_eq!(db.number(&entries("resumed")).await, 1, "{cut:?}");
        assert_eq!(store.clear_pause(&actor, &Confirmed::given()).await.unwrap(), None);
    }
}

/// Wherever it is cut, the whole of it is migrated, and said to be.
#[tokio::test]
async fn a_migration_that_is_cut_off_anywhere_comes_to_its_end() {
    for cut in CUTS {
        let proxy = Proxy::start(shared().await.port).await;
        let sends = {
            let db = TestDb::empty(Dialect::Postgres).await;
            let store = connect(&proxy, &db).await;
            store.migrate(&migrating("first"), &Confirmed::given()).await.unwrap();
            proxy.sent()
        };
        for nth in 1..=sends {
            let db = TestDb::empty(Dialect::Postgres).await;
            let store = connect(&proxy, &db).await;
            proxy.arm_at(nth, cut);
            let ran = store.migrate(&migrating("cut"), &Confirmed::given()).await;
            proxy.disarm();
            let ran = ran.unwrap_or_else(|error| panic!("{nth} {cut:?}: {}", error.chain()));
            let versions: Vec<i64> = ran.iter().map(|migration| migration.version).collect();
            assert_eq!(versions, [1, 2, 3, 4], "{nth} {cut:?}");
            assert!(store.migrate(&migrating("again"), &Confirmed::given()).await.unwrap().is_empty());
            store.close().await;
        }
    }
}

async fn connect(proxy: &Proxy, db: &TestDb) -> Store {
    let database = db.url.rsplit('/').next().unwrap();
    Store::connect(&proxy.url(database), Default::default()).await.unwrap()
}

/// The claim may hold the key: whoever gets the error has to know that.
#[tokio::test]
async fn a_claim_whose_answer_was_lost_for_good_is_unknown() {
    let (proxy, store, db) = behind_proxy().await;
    let first = claim("k");
    proxy.arm_in_order(&["INSERT INTO", "k"], Cut::BeforeTheAnswer);
    proxy.go_away_after_the_cut();
    assert_eq!(kind(store.claim(&first).await), ErrorKind::OutcomeUnknown);
    // The statement was only prepared, or it was run: either is unknown to the caller.
    proxy.come_back();
    assert_eq!(store.claim(&first).await.unwrap(), claimed(first.token, 1));
    assert_eq!(db.record("k").await.unwrap().token, Some(first.token));
}
