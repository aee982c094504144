//! Renew, complete and fail: only the token's holder, and harmless to repeat.

use idemctl::protocol::{Answer, ClaimOutcome, Retry, Status, Timestamp, Token};
use idemctl::store::ErrorKind;

use crate::support::{
    Dialect, TestDb, answer, at, claim, claimed, key, kind, lease, replay, scope, secs, ttl,
};

super::super::support::on_both_dialects!(
    renews_only_with_the_token,
    a_renewal_extends_the_lease_from_now_and_nothing_else,
    an_expired_lease_can_still_be_renewed,
    a_settled_row_cannot_be_renewed,
    completes_only_with_the_token,
    completion_writes_the_answer_and_counts_the_expiry_afresh,
    failure_writes_its_reason_and_counts_the_expiry_afresh,
    a_late_completion_is_not_born_expired,
    the_first_completion_stands_when_it_is_repeated,
    the_first_failure_stands_when_it_is_repeated,
    complete_after_fail_and_fail_after_complete_are_stale,
    a_row_that_is_absent_is_stale,
    an_old_worker_cannot_touch_its_successors_claim,
    an_old_worker_cannot_touch_a_row_claimed_anew_after_a_purge,
    the_token_of_the_same_key_in_another_scope_is_worth_nothing,
    a_day_has_24_hours_in_every_time_zone,
);

async fn renews_only_with_the_token(db: TestDb) {
    let first = claim("k");
    db.at(at(0)).claim(&first).await.unwrap();
    let before = db.record("k").await;
    let store = db.at(at(1));
    let stranger = store.renew(&first.key, &first.scope, Token::random(), lease(60)).await;
    assert_eq!(kind(stranger), ErrorKind::StaleClaim);
    assert_eq!(db.record("k").await, before);
    store.renew(&first.key, &first.scope, first.token, lease(60)).await.unwrap();
}

async fn a_renewal_extends_the_lease_from_now_and_nothing_else(db: TestDb) {
    let first = claim("k");
    db.at(at(0)).claim(&first).await.unwrap();
    let mut wanted = db.record("k").await.unwrap();
    // A shorter lease is taken as it is, too.
    for (now, length) in [(5, 60), (6, 2)] {
        db.at(at(now)).renew(&first.key, &first.scope, first.token, lease(length)).await.unwrap();
        wanted.renewed_at = at(now);
        wanted.lease_expires_at = Some(at(now + length));
        assert_eq!(db.record("k").await.unwrap(), wanted);
    }
}

async fn an_expired_lease_can_still_be_renewed(db: TestDb) {
    let first = claim("k");
    db.at(at(0)).claim(&first).await.unwrap();
    db.at(at(5_000)).renew(&first.key, &first.scope, first.token, lease(10)).await.unwrap();
    assert_eq!(db.record("k").await.unwrap().lease_expires_at, Some(at(5_010)));
}

async fn a_settled_row_cannot_be_renewed(db: TestDb) {
    let store = db.at(at(0));
    let (done, failed) = (claim("done"), claim("failed"));
    store.claim(&done).await.unwrap();
    store.claim(&failed).await.unwrap();
    store.complete(&done.key, &done.scope, done.token, &answer()).await.unwrap();
    store.fail(&failed.key, &failed.scope, failed.token, "no", Retry::Allow, None).await.unwrap();
    for one in [done, failed] {
        let before = db.record(one.key.as_str()).await;
        let renewal = store.renew(&one.key, &one.scope, one.token, lease(10)).await;
        assert_eq!(kind(renewal), ErrorKind::StaleClaim);
        assert_eq!(db.record(one.key.as_str()).await, before);
    }
}

async fn completes_only_with_the_token(db: TestDb) {
    let first = claim("k");
    let store = db.at(at(0));
    store.claim(&first).await.unwrap();
    let before = db.record("k").await;
    let stranger = Token::random();
    assert_eq!(
        kind(store.complete(&first.key, &first.scope, stranger, &answer()).await),
        ErrorKind::StaleClaim
    );
    assert_eq!(
        kind(store.fail(&first.key, &first.scope, stranger, "no", Retry::Allow, None).await),
        ErrorKind::StaleClaim
    );
    assert_eq!(db.record("k").await, before);
}

async fn completion_writes_the_answer_and_counts_the_expiry_afresh(db: TestDb) {
    let first = claim("k");
    db.at(at(0)).claim(&first).await.unwrap();
    let mut wanted = db.record("k").await.unwrap();
    db.at(at(7)).complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
    wanted.status = Status::Completed;
    wanted.answer = Some(answer());
    wanted.finished_at = Some(at(7));
    wanted.lease_expires_at = None;
    wanted.expires_at = at(107);
    assert_eq!(db.record("k").await.unwrap(), wanted);
    assert_eq!(db.at(at(8)).claim(&claim("k")).await.unwrap(), replay());
}

async fn failure_writes_its_reason_and_counts_the_expiry_afresh(db: TestDb) {
    for (name, retry) in [("again", Retry::Allow), ("final", Retry::Block)] {
        let first = claim(name);
        db.at(at(0)).claim(&first).await.unwrap();
        let mut wanted = db.record(name).await.unwrap();
        db.at(at(7)).fail(&first.key, &first.scope, first.token, "ü 'x'", retry, None).await.unwrap();
        wanted.status = Status::Failed;
        wanted.failure = Some("ü 'x'".into());
        wanted.retry_allowed = retry.is_allowed();
        wanted.finished_at = Some(at(7));
        wanted.lease_expires_at = None;
        wanted.expires_at = at(107);
        assert_eq!(db.record(name).await.unwrap(), wanted);
    }
}

async fn a_late_completion_is_not_born_expired(db: TestDb) {
    let first = claim("k");
    db.at(at(0)).claim(&first).await.unwrap();
    db.at(at(5_000)).complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
    assert_eq!(db.record("k").await.unwrap().expires_at, at(5_100));
    assert_eq!(db.at(at(5_099)).claim(&claim("k")).await.unwrap(), replay());
}

async fn the_first_completion_stands_when_it_is_repeated(db: TestDb) {
    let first = claim("k");
    db.at(at(0)).claim(&first).await.unwrap();
    db.at(at(1)).complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
    let before = db.record("k").await;
    let other = Answer::new(500, "another");
    db.at(at(2)).complete(&first.key, &first.scope, first.token, &other).await.unwrap();
    assert_eq!(db.record("k").await, before);
}

async fn the_first_failure_stands_when_it_is_repeated(db: TestDb) {
    let first = claim("k");
    db.at(at(0)).claim(&first).await.unwrap();
    db.at(at(1)).fail(&first.key, &first.scope, first.token, "first", Retry::Block, None).await.unwrap();
    let before = db.record("k").await;
    let store = db.at(at(2));
    store.fail(&first.key, &first.scope, first.token, "second", Retry::Allow, None).await.unwrap();
    assert_eq!(db.record("k").await, before);
}

async fn complete_after_fail_and_fail_after_complete_are_stale(db: TestDb) {
    let store = db.at(at(0));
    let (failed, done) = (claim("failed"), claim("done"));
    store.claim(&failed).await.unwrap();
    store.claim(&done).await.unwrap();
    store.fail(&failed.key, &failed.scope, failed.token, "no", Retry::Allow, None).await.unwrap();
    store.complete(&done.key, &done.scope, done.token, &answer()).await.unwrap();
    let before = (db.record("failed").await, db.record("done").await);
    let late = store.complete(&failed.key, &failed.scope, failed.token, &answer()).await;
    assert_eq!(kind(late), ErrorKind::StaleClaim);
    let late = store.fail(&done.key, &done.scope, done.token, "no", Retry::Allow, None).await;
    assert_eq!(kind(late), ErrorKind::StaleClaim);
    assert_eq!((db.record("failed").await, db.record("done").await), before);
}

async fn a_row_that_is_absent_is_stale(db: TestDb) {
    let store = db.at(at(0));
    let (name, none, token) = (key("k"), scope(""), Token::random());
    assert_eq!(kind(store.renew(&name, &none, token, lease(10)).await), ErrorKind::StaleClaim);
    assert_eq!(kind(store.complete(&name, &none, token, &answer()).await), ErrorKind::StaleClaim);
    let fail = store.fail(&name, &none, token, "no", Retry::Allow, None).await;
    assert_eq!(kind(fail), ErrorKind::StaleClaim);
    assert_eq!(db.rows().await, 0);
}

async fn an_old_worker_cannot_touch_its_successors_claim(db: TestDb) {
    let old = claim("k");
    db.at(at(0)).claim(&old).await.unwrap();
    db.at(at(1)).fail(&old.key, &old.scope, old.token, "no", Retry::Allow, None).await.unwrap();
    let new = claim("k");
    db.at(at(2)).claim(&new).await.unwrap();
    assert_is_locked_out(&db, &old).await;
    db.at(at(4)).complete(&new.key, &new.scope, new.token, &answer()).await.unwrap();
    assert_is_locked_out(&db, &old).await;
}

async fn an_old_worker_cannot_touch_a_row_claimed_anew_after_a_purge(db: TestDb) {
    let old = claim("k");
    db.at(at(0)).claim(&old).await.unwrap();
    db.run("DELETE FROM idempotency_keys").await;
    assert_is_locked_out(&db, &old).await;
    // The same attempt number again: only the token tells them apart.
    let new = claim("k");
    assert_eq!(db.at(at(0)).claim(&new).await.unwrap(), claimed(new.token, 1));
    assert_is_locked_out(&db, &old).await;
}

/// Every call with an old token is refused and leaves the row as it is.
async fn assert_is_locked_out(db: &TestDb, old: &idemctl::protocol::Claim) {
    let before = db.record(old.key.as_str()).await;
    let store = db.at(at(3));
    let renew = store.renew(&old.key, &old.scope, old.token, lease(10)).await;
    assert_eq!(kind(renew), ErrorKind::StaleClaim);
    let complete = store.complete(&old.key, &old.scope, old.token, &Answer::new(500, "late")).await;
    assert_eq!(kind(complete), ErrorKind::StaleClaim);
    let fail = store.fail(&old.key, &old.scope, old.token, "late", Retry::Block, None).await;
    assert_eq!(kind(fail), ErrorKind::StaleClaim);
    assert_eq!(db.record(old.key.as_str()).await, before);
}

async fn the_token_of_the_same_key_in_another_scope_is_worth_nothing(db: TestDb) {
    let store = db.at(at(0));
    let (here, mut there) = (claim("k"), claim("k"));
    there.scope = scope("tenant");
    store.claim(&here).await.unwrap();
    store.claim(&there).await.unwrap();
    let wrong = store.complete(&here.key, &here.scope, there.token, &answer()).await;
    assert_eq!(kind(wrong), ErrorKind::StaleClaim);
    store.complete(&there.key, &there.scope, there.token, &answer()).await.unwrap();
    assert!(matches!(store.claim(&claim("k")).await.unwrap(), ClaimOutcome::InProgress { .. }));
}

async fn a_day_has_24_hours_in_every_time_zone(db: TestDb) {
    // On 2027-10-31 the clocks go back in Berlin, where the application's connection lives.
    let now = Timestamp::from_micros(1_824_940_800_000_000);
    let store = db.at(now);
    let (done, failed) = (claim("done").with_ttl(ttl(3 * 86_400)), claim("failed").with_ttl(ttl(3 * 86_400)));
    let mut raw = db.raw().await;
    if matches!(db.dialect(), Dialect::Postgres) {
        raw.run("SET TIME ZONE 'Europe/Berlin'").await;
    }
    for one in [&done, &failed] {
        raw.claim(&store, one).await;
    }
    raw.complete(&store, &done, &answer()).await.unwrap();
    raw.fail(&store, &failed).await.unwrap();
    raw.close().await;
    for name in ["done", "failed"] {
        assert_eq!(db.record(name).await.unwrap().expires_at, now.plus(secs(3 * 86_400)), "{name}");
    }
}
