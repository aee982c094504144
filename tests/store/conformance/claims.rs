//! What a claim is answered, and what it makes of the row.

use idemctl::protocol::{ClaimOutcome, Key, Retry, Scope, Status, Token};
use idemctl::store::{Dialect, TimeSource};

use crate::support::{
    TestDb, answer, at, claim, claimed, in_progress, key, lease, raw, replay, scope, secs, ttl,
};

super::super::support::on_both_dialects!(
    the_first_claim_gets_the_key_and_the_second_hears_in_progress,
    a_claim_writes_the_whole_row,
    the_same_key_in_another_scope_is_another_key,
    keys_and_scopes_are_compared_byte_for_byte,
    names_of_the_greatest_length_are_taken,
    an_expired_completed_row_counts_as_absent,
    an_expired_failed_row_counts_as_absent_even_when_it_was_final,
    a_row_expires_at_its_very_moment,
    an_expired_row_in_progress_is_never_stolen,
    a_failed_row_that_allows_it_is_retried,
    a_retry_takes_the_new_claims_ttl_lease_owner_and_block,
    a_final_failure_is_answered_with_its_reason_and_answer,
    a_repeated_claim_with_the_same_token_gets_the_first_outcome,
    a_repeated_claim_after_completion_gets_the_answer,
    a_repeated_claim_starts_its_lease_and_expiry_anew,
    a_repeated_claim_whose_row_is_gone_goes_round_again,
    a_repeated_retry_keeps_its_attempt,
    waiting_ends_with_the_answer,
    waiting_ends_with_patience,
    an_open_transaction_is_waited_for,
    the_database_clock_decides,
);

async fn the_first_claim_gets_the_key_and_the_second_hears_in_progress(db: TestDb) {
    let (first, second) = (claim("k"), claim("k"));
    assert_eq!(db.at(at(0)).claim(&first).await.unwrap(), claimed(first.token, 1));
    let outcome = db.at(at(3)).claim(&second).await.unwrap();
    assert_eq!(outcome, in_progress(at(0), Some(at(10))));
}

async fn a_claim_writes_the_whole_row(db: TestDb) {
    let claim = claim("k").with_owner("host-1/42").with_fingerprint(raw("x")).if_lost(Retry::Block);
    db.at(at(5)).claim(&claim).await.unwrap();
    let row = db.record("k").await.unwrap();
    assert_eq!(row.status, Status::InProgress);
    assert_eq!(row.fingerprint, Some(raw("x").to_string()));
    assert_eq!(row.answer, None);
    assert_eq!(row.token, Some(claim.token));
    assert_eq!((row.attempt, row.owner.as_deref()), (1, Some("host-1/42")));
    assert_eq!((row.retry_allowed, row.failure), (false, None));
    assert_eq!((row.created_at, row.claimed_at, row.renewed_at), (at(5), at(5), at(5)));
    assert_eq!((row.lease_expires_at, row.finished_at, row.expires_at), (Some(at(15)), None, at(105)));
}

async fn the_same_key_in_another_scope_is_another_key(db: TestDb) {
    let store = db.at(at(0));
    for name in ["", "tenant-1", "tenant-2"] {
        let mut claim = claim("k");
        claim.scope = scope(name);
        assert_eq!(store.claim(&claim).await.unwrap(), claimed(claim.token, 1), "{name:?}");
    }
    assert_eq!(db.rows().await, 3);
}

async fn keys_and_scopes_are_compared_byte_for_byte(db: TestDb) {
    let store = db.at(at(0));
    // Case, padding, and characters that look or sort alike.
    let names =
        ["k1", "K1", "k1 ", " k1", "k1\u{a0}", "ä", "a\u{308}", "ß", "ss", "%", "_", "'", "\\", "k1\u{200b}"];
    for name in names {
        let mut in_key = claim(name);
        assert_eq!(store.claim(&in_key).await.unwrap(), claimed(in_key.token, 1), "{name:?}");
        in_key.key = key("the key");
        in_key.scope = scope(name);
        in_key.token = Token::random();
        assert_eq!(store.claim(&in_key).await.unwrap(), claimed(in_key.token, 1), "{name:?}");
    }
    assert_eq!(db.rows().await, 2 * names.len() as i64);
}

async fn names_of_the_greatest_length_are_taken(db: TestDb) {
    let mut claim = claim("k");
    claim.key = Key::new("ü".repeat(127) + "k").unwrap();
    claim.scope = Scope::new("s".repeat(255)).unwrap();
    assert_eq!(db.at(at(0)).claim(&claim).await.unwrap(), claimed(claim.token, 1));
    assert!(db.store.record(&claim.key, &claim.scope).await.unwrap().0.is_some());
}

async fn an_expired_completed_row_counts_as_absent(db: TestDb) {
    let first = claim("k").with_fingerprint(raw("old"));
    db.at(at(0)).claim(&first).await.unwrap();
    db.at(at(1)).complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
    // No janitor has run; another payload is no conflict any more.
    let next = claim("k").with_fingerprint(raw("new")).with_owner("w2");
    assert_eq!(db.at(at(200)).claim(&next).await.unwrap(), claimed(next.token, 1));
    let row = db.record("k").await.unwrap();
    assert_eq!(
        (row.status, row.fingerprint, row.answer),
        (Status::InProgress, Some(raw("new").to_string()), None)
    );
    assert_eq!((row.created_at, row.claimed_at, row.renewed_at), (at(200), at(200), at(200)));
    assert_eq!((row.finished_at, row.failure, row.owner.as_deref()), (None, None, Some("w2")));
    assert_eq!((row.lease_expires_at, row.expires_at), (Some(at(210)), at(300)));
}

async fn an_expired_failed_row_counts_as_absent_even_when_it_was_final(db: TestDb) {
    let first = claim("k").with_fingerprint(raw("old"));
    db.at(at(0)).claim(&first).await.unwrap();
    let store = db.at(at(1));
    store.fail(&first.key, &first.scope, first.token, "no", Retry::Block, Some(&answer())).await.unwrap();
    let next = claim("k");
    assert_eq!(db.at(at(101)).claim(&next).await.unwrap(), claimed(next.token, 1));
    let row = db.record("k").await.unwrap();
    assert_eq!((row.fingerprint, row.answer, row.failure), (None, None, None));
    assert_eq!((row.attempt, row.retry_allowed), (1, true));
}

async fn a_row_expires_at_its_very_moment(db: TestDb) {
    let first = claim("k");
    db.at(at(0)).claim(&first).await.unwrap();
    db.at(at(0)).complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
    let just_before = at(100).minus(std::time::Duration::from_micros(1));
    assert_eq!(db.at(just_before).claim(&claim("k")).await.unwrap(), replay());
    let next = claim("k");
    assert_eq!(db.at(at(100)).claim(&next).await.unwrap(), claimed(next.token, 1));
}

async fn an_expired_row_in_progress_is_never_stolen(db: TestDb) {
    let first = claim("k").with_fingerprint(raw("x"));
    db.at(at(0)).claim(&first).await.unwrap();
    // Whatever the fingerprint: whether the key will be free is not decided yet.
    for fingerprint in [raw("x"), raw("another")] {
        let next = claim("k").with_fingerprint(fingerprint);
        let outcome = db.at(at(1_000_000)).claim(&next).await.unwrap();
        assert_eq!(outcome, in_progress(at(0), Some(at(10))));
    }
    // And its worker may still settle it.
    db.at(at(1_000_001)).complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
    assert_eq!(db.at(at(1_000_002)).claim(&first).await.unwrap(), replay());
}

async fn a_failed_row_that_allows_it_is_retried(db: TestDb) {
    let first = claim("k").with_fingerprint(raw("x"));
    db.at(at(0)).claim(&first).await.unwrap();
    let store = db.at(at(1));
    store.fail(&first.key, &first.scope, first.token, "503", Retry::Allow, Some(&answer())).await.unwrap();
    for attempt in 2..5 {
        let now = u64::from(attempt) * 10;
        let next = claim("k").with_fingerprint(raw("x"));
        assert_eq!(db.at(at(now)).claim(&next).await.unwrap(), claimed(next.token, attempt));
        let row = db.record("k").await.unwrap();
        assert_eq!((row.status, row.attempt, row.token), (Status::InProgress, attempt, Some(next.token)));
        assert_eq!((row.failure, row.answer, row.finished_at), (None, None, None));
        assert_eq!((row.created_at, row.claimed_at, row.expires_at), (at(0), at(now), at(now + 100)));
        let store = db.at(at(now + 1));
        store.fail(&next.key, &next.scope, next.token, "503", Retry::Allow, None).await.unwrap();
    }
}

async fn a_retry_takes_the_new_claims_ttl_lease_owner_and_block(db: TestDb) {
    let first = claim("k").with_owner("w1");
    db.at(at(0)).claim(&first).await.unwrap();
    db.at(at(1)).fail(&first.key, &first.scope, first.token, "no", Retry::Allow, None).await.unwrap();
    let next = claim("k").with_ttl(ttl(7)).with_lease(lease(3)).if_lost(Retry::Block);
    db.at(at(2)).claim(&next).await.unwrap();
    let row = db.record("k").await.unwrap();
    assert_eq!((row.lease_expires_at, row.expires_at), (Some(at(5)), at(9)));
    assert_eq!((row.owner, row.retry_allowed), (None, false));
}

async fn a_final_failure_is_answered_with_its_reason_and_answer(db: TestDb) {
    for (name, stored) in [("with", Some(answer())), ("without", None)] {
        let first = claim(name).with_fingerprint(raw("x"));
        db.at(at(0)).claim(&first).await.unwrap();
        let store = db.at(at(1));
        store
            .fail(&first.key, &first.scope, first.token, "declined", Retry::Block, stored.as_ref())
            .await
            .unwrap();
        let again = claim(name).with_fingerprint(raw("x"));
        let wanted = ClaimOutcome::FailedFinal { reason: Some("declined".into()), answer: stored };
        assert_eq!(store.claim(&again).await.unwrap(), wanted);
        // The fingerprint is asked before the state.
        let other = claim(name).with_fingerprint(raw("y"));
        assert_eq!(store.claim(&other).await.unwrap(), ClaimOutcome::Mismatch);
    }
}

async fn a_repeated_claim_with_the_same_token_gets_the_first_outcome(db: TestDb) {
    let first = claim("k").with_fingerprint(raw("x"));
    assert_eq!(db.at(at(0)).claim(&first).await.unwrap(), claimed(first.token, 1));
    // Soon, after the lease, and after the expiry: it is still its own.
    for seconds in [0, 50, 5_000] {
        assert_eq!(db.at(at(seconds)).claim(&first).await.unwrap(), claimed(first.token, 1));
    }
}

async fn a_repeated_claim_after_completion_gets_the_answer(db: TestDb) {
    let first = claim("k");
    db.at(at(0)).claim(&first).await.unwrap();
    db.at(at(1)).complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
    assert_eq!(db.at(at(2)).claim(&first).await.unwrap(), replay());
}

/// Its answer may have been lost for longer than the lease.
async fn a_repeated_claim_starts_its_lease_and_expiry_anew(db: TestDb) {
    let first = claim("k").with_owner("host-1");
    db.at(at(0)).claim(&first).await.unwrap();
    let before = db.record("k").await.unwrap();
    for moment in [5, 50, 5_000] {
        assert_eq!(db.at(at(moment)).claim(&first).await.unwrap(), claimed(first.token, 1));
        let after = db.record("k").await.unwrap();
        assert_eq!((after.claimed_at, after.renewed_at), (at(moment), at(moment)));
        assert_eq!((after.lease_expires_at, after.expires_at), (Some(at(moment + 10)), at(moment + 100)));
        assert_eq!((after.attempt, after.token, after.owner.as_deref()), (1, before.token, Some("host-1")));
        // Another token's claim changes nothing.
        db.at(at(moment)).claim(&claim("k")).await.unwrap();
        assert_eq!(db.record("k").await.unwrap(), after);
    }
}

/// It was there when it was read, and reaped or purged before its lease could start anew.
async fn a_repeated_claim_whose_row_is_gone_goes_round_again(db: TestDb) {
    let first = claim("k");
    db.at(at(0)).claim(&first).await.unwrap();
    // The first change of a claim's moment meets no row.
    db.run(match db.dialect() {
        Dialect::Postgres => {
            "CREATE SEQUENCE tries; \
             CREATE FUNCTION not_at_first() RETURNS trigger LANGUAGE plpgsql AS \
             'BEGIN IF nextval(''tries'') = 1 THEN RETURN NULL; END IF; RETURN NEW; END'; \
             CREATE TRIGGER not_at_first BEFORE UPDATE ON idempotency_keys \
             FOR EACH ROW EXECUTE FUNCTION not_at_first()"
        }
        _ => {
            "CREATE TABLE tries (n INTEGER); \
             CREATE TRIGGER not_at_first BEFORE UPDATE ON idempotency_keys \
             WHEN (SELECT count(*) FROM tries) = 0 \
             BEGIN INSERT INTO tries VALUES (1); SELECT RAISE(IGNORE); END"
        }
    })
    .await;
    assert_eq!(db.at(at(50)).claim(&first).await.unwrap(), claimed(first.token, 1));
    assert_eq!(db.record("k").await.unwrap().lease_expires_at, Some(at(60)));
}

async fn a_repeated_retry_keeps_its_attempt(db: TestDb) {
    let first = claim("k");
    db.at(at(0)).claim(&first).await.unwrap();
    db.at(at(1)).fail(&first.key, &first.scope, first.token, "no", Retry::Allow, None).await.unwrap();
    let second = claim("k");
    for _ in 0..3 {
        assert_eq!(db.at(at(2)).claim(&second).await.unwrap(), claimed(second.token, 2));
    }
}

async fn waiting_ends_with_the_answer(db: TestDb) {
    let first = claim("k").with_lease(lease(60));
    db.store.claim(&first).await.unwrap();
    let waiting = {
        let store = db.store.clone();
        tokio::spawn(async move { store.wait(&claim("k"), secs(60)).await })
    };
    tokio::task::yield_now().await;
    db.store.complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
    assert_eq!(waiting.await.unwrap().unwrap(), replay());
}

async fn waiting_ends_with_patience(db: TestDb) {
    let first = claim("k");
    db.store.claim(&first).await.unwrap();
    let outcome = db.store.wait(&claim("k"), std::time::Duration::from_millis(60)).await.unwrap();
    assert!(matches!(outcome, ClaimOutcome::InProgress { .. }), "{outcome:?}");
}

/// A lock that is met while waiting is waiting.
async fn an_open_transaction_is_waited_for(db: TestDb) {
    let begin = if matches!(db.dialect(), Dialect::Postgres) { "BEGIN" } else { "BEGIN IMMEDIATE" };
    let mut holder = db.raw().await;
    for (name, end) in [("back", "ROLLBACK"), ("done", "COMMIT")] {
        let first = claim(name);
        holder.run(begin).await;
        assert_eq!(holder.claim(&db.store, &first).await, claimed(first.token, 1));
        holder.complete(&db.store, &first, &answer()).await.unwrap();
        let outcome = db.store.wait(&claim(name), std::time::Duration::from_millis(500)).await.unwrap();
        assert!(matches!(outcome, ClaimOutcome::InProgress { .. }), "{name}: {outcome:?}");
        let second = claim(name);
        let (store, waiting) = (db.store.clone(), second.clone());
        let waiting = tokio::spawn(async move { store.wait(&waiting, secs(60)).await });
        // Longer than any lock is waited for in one go.
        tokio::time::sleep(secs(7)).await;
        assert!(!waiting.is_finished(), "{name}");
        holder.run(end).await;
        let expected = if end == "COMMIT" { replay() } else { claimed(second.token, 1) };
        assert_eq!(waiting.await.unwrap().unwrap(), expected, "{name}");
    }
}

async fn the_database_clock_decides(db: TestDb) {
    // Microseconds of two hours: a row from the past is expired for everybody.
    let past = db.store.with_clock(TimeSource::Shifted(-7_200_000_000)).unwrap();
    let first = claim("k");
    past.claim(&first).await.unwrap();
    past.complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
    assert_eq!(past.claim(&claim("k")).await.unwrap(), replay());
    let (before, next) = (db.store.now().await.unwrap(), claim("k"));
    assert_eq!(db.store.claim(&next).await.unwrap(), claimed(next.token, 1));
    let (row, after) = (db.record("k").await.unwrap(), db.store.now().await.unwrap());
    assert!(before <= row.claimed_at && row.claimed_at <= after);
    assert_eq!(row.expires_at, row.claimed_at.plus(secs(100)));
}
