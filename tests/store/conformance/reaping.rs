//! The reaper: who is stuck, who is protected, and what is written down.

use std::time::Duration;

use idemctl::janitor::{ReapOptions, ReapProgress, ReapReport, ReapedKey, RetryPolicy, ScopePattern, reap};
use idemctl::protocol::{Claim, ClaimOutcome, Retry, Status, Timestamp};
use idemctl::store::{Confirmed, Dialect, ErrorKind};
use tokio_util::sync::CancellationToken;

use crate::support::{TestDb, answer, at, claim, claimed, kind, lease, scope, secs, tester};

super::super::support::on_both_dialects!(
    a_silent_row_without_a_lease_is_failed_and_its_token_erased,
    a_running_lease_protects_and_is_counted,
    a_lease_ends_at_its_very_moment,
    older_than_counts_from_the_last_heartbeat,
    a_claim_made_in_a_transaction_is_reaped_by_age_alone,
    the_policy_blocks_or_allows_the_retry,
    the_policy_of_the_scope_counts,
    block_if_lost_stays_blocked_whatever_the_policy,
    a_block_holds_for_the_whole_span_counted_from_the_reaping,
    a_zombie_is_fenced_off_after_the_reaping,
    a_zombie_is_fenced_off_after_purge_and_a_new_claim,
    settled_rows_are_never_reaped,
    only_the_named_scope_is_reaped,
    a_row_limit_is_exact,
    a_dry_run_reports_and_changes_nothing,
    a_told_to_stop_pass_stops,
    many_rows_of_one_moment_are_all_reaped,
    an_expiry_at_the_ends_of_time_stops_neither_worker_nor_reaper,
    a_silence_of_nothing_makes_no_row_stuck,
    every_reaped_row_has_an_audit_entry,
    a_row_that_changed_in_between_is_skipped_without_audit,
    without_the_audit_table_the_reaper_works_and_writes_none,
    a_failed_audit_undoes_the_reaping,
);

/// A pass's report and the keys that it met.
struct Reaped {
    report: ReapReport,
    keys: Vec<ReapedKey>,
}

impl std::ops::Deref for Reaped {
    type Target = ReapReport;
    fn deref(&self) -> &ReapReport {
        &self.report
    }
}

async fn reap_with(
    db: &TestDb,
    now: Timestamp,
    options: ReapOptions,
    confirmed: Option<&Confirmed>,
) -> Reaped {
    let (store, stop, mut keys) = (db.at(now), CancellationToken::new(), Vec::new());
    let mut progress = |batch: ReapProgress<'_>| keys.extend_from_slice(batch.keys);
    let outcome = reap(&store, &options, &tester(), confirmed, &stop, &mut progress).await.unwrap();
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    Reaped { report: outcome.report, keys }
}

async fn reap_at(db: &TestDb, now: Timestamp, options: ReapOptions) -> Reaped {
    reap_with(db, now, options, Some(&Confirmed::given())).await
}

fn older_than(seconds: u64) -> ReapOptions {
    ReapOptions {
        older_than: secs(seconds),
        retry: Retry::Allow.into(),
        scope: None,
        max_rows: None,
        allow_cascade: false,
    }
}

fn counts(report: &Reaped) -> (u64, u64, u64, u64) {
    (report.matched, report.reaped, report.skipped, report.held_by_lease)
}

async fn a_silent_row_without_a_lease_is_failed_and_its_token_erased(db: TestDb) {
    db.at(at(0)).claim(&claim("k").with_owner("w")).await.unwrap();
    let mut wanted = db.record("k").await.unwrap();
    let report = reap_at(&db, at(60), older_than(30)).await;
    assert_eq!(counts(&report), (1, 1, 0, 0));
    assert_eq!((report.started_at, report.dry_run), (at(60), false));
    assert_eq!((report.keys[0].row.key_text().as_str(), report.keys[0].retry_allowed), ("k", Some(true)));
    wanted.status = Status::Failed;
    wanted.token = None;
    wanted.lease_expires_at = None;
    wanted.finished_at = Some(at(60));
    wanted.expires_at = at(160);
    wanted.failure = Some("reaped: no heartbeat for 30s".into());
    assert_eq!(db.record("k").await.unwrap(), wanted);
    let next = claim("k");
    assert_eq!(db.at(at(61)).claim(&next).await.unwrap(), claimed(next.token, 2));
}

async fn a_running_lease_protects_and_is_counted(db: TestDb) {
    db.at(at(0)).claim(&claim("leased").with_lease(lease(600))).await.unwrap();
    db.at(at(0)).claim(&claim("lost")).await.unwrap();
    let before = db.record("leased").await;
    let report = reap_at(&db, at(60), older_than(30)).await;
    assert_eq!(counts(&report), (1, 1, 0, 1));
    assert_eq!(db.record("leased").await, before);
}

async fn a_lease_ends_at_its_very_moment(db: TestDb) {
    db.at(at(0)).claim(&claim("k").with_lease(lease(60))).await.unwrap();
    let just_before = at(60).minus(std::time::Duration::from_micros(1));
    assert_eq!(counts(&reap_at(&db, just_before, older_than(1)).await), (0, 0, 0, 1));
    assert_eq!(counts(&reap_at(&db, at(60), older_than(1)).await), (1, 1, 0, 0));
}

async fn older_than_counts_from_the_last_heartbeat(db: TestDb) {
    let first = claim("k");
    db.at(at(0)).claim(&first).await.unwrap();
    db.at(at(50)).renew(&first.key, &first.scope, first.token, lease(1)).await.unwrap();
    let just_before = at(80).minus(std::time::Duration::from_micros(1));
    assert_eq!(counts(&reap_at(&db, just_before, older_than(30)).await), (0, 0, 0, 0));
    assert_eq!(counts(&reap_at(&db, at(80), older_than(30)).await), (1, 1, 0, 0));
}

async fn a_claim_made_in_a_transaction_is_reaped_by_age_alone(db: TestDb) {
    let mut raw = db.raw().await;
    raw.claim(&db.at(at(0)), &claim("k").with_lease(lease(10_000))).await;
    raw.close().await;
    assert_eq!(counts(&reap_at(&db, at(29), older_than(30)).await), (0, 0, 0, 0));
    assert_eq!(counts(&reap_at(&db, at(30), older_than(30)).await), (1, 1, 0, 0));
}

async fn the_policy_blocks_or_allows_the_retry(db: TestDb) {
    for (name, policy) in [("allow", Retry::Allow), ("block", Retry::Block)] {
        db.at(at(0)).claim(&claim(name)).await.unwrap();
        let report = reap_at(&db, at(60), ReapOptions { retry: policy.into(), ..older_than(30) }).await;
        assert_eq!(report.keys[0].retry_allowed, Some(policy.is_allowed()));
        let outcome = db.at(at(61)).claim(&claim(name)).await.unwrap();
        assert_eq!(matches!(outcome, ClaimOutcome::Claimed { .. }), policy.is_allowed(), "{outcome:?}");
        assert_eq!(matches!(outcome, ClaimOutcome::FailedFinal { .. }), !policy.is_allowed());
    }
}

async fn the_policy_of_the_scope_counts(db: TestDb) {
    for name in ["payments-eu", "orders", ""] {
        db.at(at(0)).claim(&Claim { scope: scope(name), ..claim("k") }).await.unwrap();
    }
    let payments = (ScopePattern::new("payments-*").unwrap(), Retry::Block);
    let retry = RetryPolicy { default: Retry::Allow, by_scope: vec![payments] };
    let reaped = reap_at(&db, at(60), ReapOptions { retry, ..older_than(30) }).await;
    assert_eq!(reaped.reaped, 3);
    for key in &reaped.keys {
        let allowed = key.row.scope_text() != "payments-eu";
        assert_eq!(key.retry_allowed, Some(allowed));
        let again = Claim { scope: scope(&key.row.scope_text()), ..claim("k") };
        let outcome = db.at(at(61)).claim(&again).await.unwrap();
        assert_eq!(matches!(outcome, ClaimOutcome::Claimed { .. }), allowed, "{outcome:?}");
    }
}

async fn block_if_lost_stays_blocked_whatever_the_policy(db: TestDb) {
    for (name, policy) in [("a", Retry::Allow), ("b", Retry::Block)] {
        db.at(at(0)).claim(&claim(name).if_lost(Retry::Block)).await.unwrap();
        let report = reap_at(&db, at(60), ReapOptions { retry: policy.into(), ..older_than(30) }).await;
        assert_eq!((report.reaped, report.keys[0].retry_allowed), (1, Some(false)));
        let outcome = db.at(at(61)).claim(&claim(name)).await.unwrap();
        assert!(matches!(outcome, ClaimOutcome::FailedFinal { answer: None, .. }), "{outcome:?}");
    }
}

async fn a_block_holds_for_the_whole_span_counted_from_the_reaping(db: TestDb) {
    // Reaped long after its expiry: the block is not born expired, and nothing is purgeable yet.
    db.at(at(0)).claim(&claim("k").if_lost(Retry::Block)).await.unwrap();
    reap_at(&db, at(5_000), older_than(30)).await;
    let outcome = db.at(at(5_099)).claim(&claim("k")).await.unwrap();
    assert!(matches!(outcome, ClaimOutcome::FailedFinal { .. }), "{outcome:?}");
    let next = claim("k");
    assert_eq!(db.at(at(5_100)).claim(&next).await.unwrap(), claimed(next.token, 1));
}

async fn assert_is_fenced(db: &TestDb, zombie: &Claim) {
    let before = db.record("k").await;
    let store = db.at(at(61));
    let late = store.complete(&zombie.key, &zombie.scope, zombie.token, &answer()).await;
    assert_eq!(kind(late), ErrorKind::StaleClaim);
    let late = store.fail(&zombie.key, &zombie.scope, zombie.token, "no", Retry::Allow, None).await;
    assert_eq!(kind(late), ErrorKind::StaleClaim);
    let late = store.renew(&zombie.key, &zombie.scope, zombie.token, lease(10)).await;
    assert_eq!(kind(late), ErrorKind::StaleClaim);
    assert_eq!(db.record("k").await, before);
}

async fn a_zombie_is_fenced_off_after_the_reaping(db: TestDb) {
    let zombie = claim("k");
    db.at(at(0)).claim(&zombie).await.unwrap();
    reap_at(&db, at(60), older_than(30)).await;
    assert_is_fenced(&db, &zombie).await;
    let next = claim("k");
    db.at(at(61)).claim(&next).await.unwrap();
    assert_is_fenced(&db, &zombie).await;
    db.at(at(62)).complete(&next.key, &next.scope, next.token, &answer()).await.unwrap();
    assert_is_fenced(&db, &zombie).await;
}

async fn a_zombie_is_fenced_off_after_purge_and_a_new_claim(db: TestDb) {
    let zombie = claim("k");
    db.at(at(0)).claim(&zombie).await.unwrap();
    reap_at(&db, at(60), older_than(30)).await;
    let store = db.at(at(10_000));
    let purged = store.purge_range(at(0), at(10_000), &Confirmed::given()).await.unwrap();
    assert_eq!((purged.deleted, db.rows().await), (1, 0));
    assert_is_fenced(&db, &zombie).await;
    let next = claim("k");
    assert_eq!(store.claim(&next).await.unwrap(), claimed(next.token, 1));
    assert_is_fenced(&db, &zombie).await;
}

async fn settled_rows_are_never_reaped(db: TestDb) {
    let (done, failed) = (claim("done"), claim("failed"));
    let store = db.at(at(0));
    store.claim(&done).await.unwrap();
    store.claim(&failed).await.unwrap();
    store.complete(&done.key, &done.scope, done.token, &answer()).await.unwrap();
    store.fail(&failed.key, &failed.scope, failed.token, "no", Retry::Allow, None).await.unwrap();
    assert_eq!(counts(&reap_at(&db, at(9_000), older_than(1)).await), (0, 0, 0, 0));
}

async fn only_the_named_scope_is_reaped(db: TestDb) {
    for name in ["", "a", "b"] {
        db.at(at(0)).claim(&Claim { scope: scope(name), ..claim("k") }).await.unwrap();
    }
    let report = reap_at(&db, at(60), ReapOptions { scope: Some("a".into()), ..older_than(30) }).await;
    assert_eq!((report.reaped, report.keys[0].row.scope_text().as_str()), (1, "a"));
    let report = reap_at(&db, at(60), ReapOptions { scope: Some("".into()), ..older_than(30) }).await;
    assert_eq!((report.reaped, report.keys[0].row.scope_text().as_str()), (1, ""));
    assert_eq!(counts(&reap_at(&db, at(60), older_than(30)).await), (1, 1, 0, 0));
}

async fn a_row_limit_is_exact(db: TestDb) {
    db.fill_as("in_progress", "k", 450, at(0), &db.time(at(100))).await;
    for (limit, reaped) in [(0, 0), (1, 1), (250, 250), (200, 199)] {
        let report = reap_at(&db, at(60), ReapOptions { max_rows: Some(limit), ..older_than(30) }).await;
        assert_eq!((report.matched, report.reaped), (reaped, reaped), "limit {limit}");
    }
}

async fn a_dry_run_reports_and_changes_nothing(db: TestDb) {
    db.at(at(0)).claim(&claim("k")).await.unwrap();
    db.at(at(0)).claim(&claim("leased").with_lease(lease(600))).await.unwrap();
    let before = (db.record("k").await, db.record("leased").await);
    let dry = reap_with(&db, at(60), older_than(30), None).await;
    assert_eq!(counts(&dry), (1, 0, 0, 1));
    assert!(dry.dry_run);
    assert_eq!(dry.keys[0].retry_allowed, None);
    assert_eq!((db.record("k").await, db.record("leased").await), before);
    assert!(db.store.audit_of_key("k").await.unwrap().is_empty());
}

async fn a_told_to_stop_pass_stops(db: TestDb) {
    db.fill_as("in_progress", "k", 900, at(0), &db.time(at(100))).await;
    let (store, stop, confirmed) = (db.at(at(60)), CancellationToken::new(), Confirmed::given());
    let mut batches = 0;
    let mut progress = |_: ReapProgress<'_>| {
        batches += 1;
        stop.cancel();
    };
    let outcome =
        reap(&store, &older_than(30), &tester(), Some(&confirmed), &stop, &mut progress).await.unwrap();
    assert!(outcome.stopped);
    let left = db.number("SELECT count(*) FROM idempotency_keys WHERE status = 'in_progress'").await;
    assert_eq!((batches, outcome.report.reaped as i64 + left), (1, 900));
    assert!(left > 0);
}

async fn many_rows_of_one_moment_are_all_reaped(db: TestDb) {
    // Ties across the pages of the walk, with leased ones in between.
    db.fill_as("in_progress", "k", 650, at(0), &db.time(at(100))).await;
    let lease = db.time(at(600));
    db.run(&format!(
        "UPDATE idempotency_keys SET lease_expires_at = {lease} WHERE idempotency_key LIKE '%7'"
    ))
    .await;
    let report = reap_at(&db, at(60), older_than(30)).await;
    assert_eq!(counts(&report), (585, 585, 0, 65));
    let mut keys: Vec<String> = report.keys.iter().map(|one| one.row.key_text()).collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 585);
}

/// Counted afresh, such an expiry would overflow; one such row kept the whole batch from being reaped.
async fn an_expiry_at_the_ends_of_time_stops_neither_worker_nor_reaper(db: TestDb) {
    for (prefix, expiry) in
        [("last", Timestamp::MAX), ("first", Timestamp::MIN), ("odd", at(0).minus(secs(9)))]
    {
        db.fill_as("in_progress", prefix, 1, at(0), &db.time(expiry)).await;
        let one = claim(&format!("worker-{prefix}"));
        db.at(at(0)).claim(&one).await.unwrap();
        db.run(&format!(
            "UPDATE idempotency_keys SET expires_at = {} WHERE idempotency_key = 'worker-{prefix}'",
            db.time(expiry)
        ))
        .await;
        db.at(at(60)).complete(&one.key, &one.scope, one.token, &answer()).await.unwrap();
    }
    let report = reap_at(&db, at(60), older_than(30)).await;
    assert_eq!((counts(&report), report.unreadable), ((3, 2, 0, 0), 1));
    let (left, why) = report.keys.iter().find_map(|key| Some((&key.row, key.unreadable.as_ref()?))).unwrap();
    assert!(left.key_text() == "first1" && why.contains("expires_at"), "{why}");
    for (name, expiry) in [
        ("last1", Timestamp::MAX),
        ("first1", Timestamp::MIN),
        ("odd1", at(60 + 24 * 3600)),
        ("worker-last", Timestamp::MAX),
        ("worker-first", at(60 + 24 * 3600)),
        ("worker-odd", at(60 + 24 * 3600)),
    ] {
        assert_eq!(db.record(name).await.unwrap().expires_at, expiry, "{name}");
    }
}

async fn a_silence_of_nothing_makes_no_row_stuck(db: TestDb) {
    db.at(at(0)).claim(&claim("k")).await.unwrap();
    let short = ReapOptions { older_than: secs(1) - Duration::from_nanos(1), ..older_than(1) };
    let (store, stop) = (db.at(at(60)), CancellationToken::new());
    let confirmed = Confirmed::given();
    let refused = reap(&store, &short, &tester(), Some(&confirmed), &stop, &mut |_| {}).await;
    assert_eq!(kind(refused), ErrorKind::Input);
    assert_eq!(db.record("k").await.unwrap().status, Status::InProgress);
}

async fn every_reaped_row_has_an_audit_entry(db: TestDb) {
    let one = Claim { scope: scope("t"), ..claim("k").with_owner("w") };
    db.at(at(0)).claim(&one).await.unwrap();
    reap_at(&db, at(60), older_than(30)).await;
    let entries = db.store.audit_of_key("k").await.unwrap();
    let [entry] = entries.as_slice() else { panic!("{entries:?}") };
    assert_eq!((entry.at, entry.scope.as_str()), (at(60), "t"));
    assert_eq!((entry.command.as_str(), entry.action.as_str()), ("reap-stuck", "reaped"));
    assert_eq!((entry.actor.as_deref(), entry.host.as_deref()), (Some("op"), Some("h1")));
    assert_eq!(entry.reason.as_deref(), Some("test"));
    let before: serde_json::Value = serde_json::from_str(entry.row_before.as_deref().unwrap()).unwrap();
    assert_eq!(before["status"], "in_progress");
    assert_eq!(before["claim_token"], one.token.to_string());
    assert_eq!((&before["owner"], &before["attempt"]), (&"w".into(), &1.into()));
    assert_eq!(before["claimed_at"], at(0).to_string());
}

async fn a_row_that_changed_in_between_is_skipped_without_audit(db: TestDb) {
    let claims = [claim("completed"), claim("renewed"), claim("failed"), claim("again"), claim("stuck")];
    for one in &claims {
        db.at(at(0)).claim(one).await.unwrap();
    }
    let mut rows = Vec::new();
    for one in &claims {
        rows.extend(db.at(at(60)).inspect(one.key.as_str()).await.unwrap());
    }
    let store = db.at(at(60));
    let [completed, renewed, failed, again, _] = &claims;
    store.complete(&completed.key, &completed.scope, completed.token, &answer()).await.unwrap();
    store.renew(&renewed.key, &renewed.scope, renewed.token, lease(1)).await.unwrap();
    store.fail(&failed.key, &failed.scope, failed.token, "no", Retry::Allow, None).await.unwrap();
    // Failed and claimed anew at the very same moment: the same clocks, another token.
    let store_then = db.at(at(0));
    store_then.fail(&again.key, &again.scope, again.token, "no", Retry::Allow, None).await.unwrap();
    store_then.claim(&claim("again")).await.unwrap();
    let mut before = Vec::new();
    for one in &claims[..4] {
        before.push(db.record(one.key.as_str()).await);
    }
    use idemctl::store::Reaping::{Changed, Reaped};
    let outcomes =
        store.reap(&rows, &|_| Retry::Allow, "r", &tester(), true, &Confirmed::given()).await.unwrap();
    assert_eq!(outcomes, [Changed, Changed, Changed, Changed, Reaped]);
    for (one, before) in claims.iter().zip(before) {
        assert_eq!(db.record(one.key.as_str()).await, before);
        assert!(db.store.audit_of_key(one.key.as_str()).await.unwrap().is_empty());
    }
    assert_eq!(db.store.audit_of_key("stuck").await.unwrap().len(), 1);
}

async fn without_the_audit_table_the_reaper_works_and_writes_none(db: TestDb) {
    assert!(db.store.has_audit().await.unwrap());
    db.run("DROP TABLE idemctl_audit").await;
    assert!(!db.store.has_audit().await.unwrap());
    db.at(at(0)).claim(&claim("k")).await.unwrap();
    assert_eq!(reap_at(&db, at(60), older_than(30)).await.reaped, 1);
}

async fn a_failed_audit_undoes_the_reaping(db: TestDb) {
    db.at(at(0)).claim(&claim("k")).await.unwrap();
    let before = db.record("k").await;
    db.run("DROP TABLE idemctl_audit").await;
    let rows = db.at(at(60)).inspect("k").await.unwrap();
    let result =
        db.at(at(60)).reap(&rows, &|_| Retry::Allow, "r", &tester(), true, &Confirmed::given()).await;
    assert_eq!(kind(result), ErrorKind::Schema);
    assert_eq!(db.record("k").await, before);
}

/// Written by other hands: PostgreSQL can't subtract from infinity, and one such row must not keep the
/// reaper from all others.
#[tokio::test]
async fn on_postgres_a_row_that_never_expires_is_reaped_too() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.fill_as(
        "in_progress",
        "k",
        2,
        at(0),
        "CASE n WHEN 1 THEN 'infinity' ELSE TIMESTAMPTZ '2030-01-01' END",
    )
    .await;
    let options = ReapOptions {
        older_than: secs(60),
        retry: Retry::Allow.into(),
        scope: None,
        max_rows: None,
        allow_cascade: false,
    };
    let stop = CancellationToken::new();
    let confirmed = Confirmed::given();
    let outcome =
        reap(&db.at(at(1_000)), &options, &tester(), Some(&confirmed), &stop, &mut |_| {}).await.unwrap();
    assert!(outcome.error.is_none(), "{outcome:?}");
    assert_eq!(outcome.report.reaped, 2);
}
