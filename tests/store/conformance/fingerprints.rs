//! Fingerprints: who may have a row, and in which spelling it is compared.

use idemctl::protocol::{Claim, ClaimOutcome, Fingerprint, Retry};

use crate::support::{TestDb, answer, at, claim, claimed, in_progress, json, raw, replay};

super::super::support::on_both_dialects!(
    another_fingerprint_is_a_mismatch_in_every_state,
    a_side_without_a_fingerprint_matches,
    a_retry_with_another_fingerprint_is_a_mismatch_and_changes_nothing,
    a_stored_fingerprint_stays_when_the_retry_brings_none,
    a_row_without_a_fingerprint_takes_the_retrys,
    a_row_stored_as_json_is_compared_as_json,
    a_row_stored_as_bytes_is_compared_as_bytes,
    a_retry_in_the_other_spelling_keeps_the_stored_one,
    an_unknown_rule_is_a_mismatch,
);

const SPACED: &str = r#"{ "a" : 1.0 }"#;
const TIGHT: &str = r#"{"a":1}"#;

fn with(fingerprint: Option<Fingerprint>) -> Claim {
    Claim { fingerprint, ..claim("k") }
}

async fn another_fingerprint_is_a_mismatch_in_every_state(db: TestDb) {
    let store = db.at(at(0));
    for (name, retry) in [("done", None), ("again", Some(Retry::Allow)), ("final", Some(Retry::Block))] {
        let first = claim(name).with_fingerprint(raw("x"));
        let other = claim(name).with_fingerprint(raw("y"));
        store.claim(&first).await.unwrap();
        assert_eq!(store.claim(&other).await.unwrap(), ClaimOutcome::Mismatch);
        match retry {
            None => store.complete(&first.key, &first.scope, first.token, &answer()).await.unwrap(),
            Some(retry) => {
                store.fail(&first.key, &first.scope, first.token, "no", retry, None).await.unwrap();
            }
        }
        assert_eq!(store.claim(&other).await.unwrap(), ClaimOutcome::Mismatch);
    }
}

async fn a_side_without_a_fingerprint_matches(db: TestDb) {
    let store = db.at(at(0));
    for (name, stored, asked) in [("a", None, Some(raw("x"))), ("b", Some(raw("x")), None), ("c", None, None)]
    {
        let first = Claim { fingerprint: stored, ..claim(name) };
        let second = Claim { fingerprint: asked, ..claim(name) };
        store.claim(&first).await.unwrap();
        assert_eq!(store.claim(&second).await.unwrap(), in_progress(at(0), Some(at(10))));
        store.complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
        assert_eq!(store.claim(&second).await.unwrap(), replay());
    }
}

async fn a_retry_with_another_fingerprint_is_a_mismatch_and_changes_nothing(db: TestDb) {
    let store = db.at(at(0));
    let first = with(Some(raw("x")));
    store.claim(&first).await.unwrap();
    store.fail(&first.key, &first.scope, first.token, "no", Retry::Allow, None).await.unwrap();
    let before = db.record("k").await;
    assert_eq!(store.claim(&with(Some(raw("y")))).await.unwrap(), ClaimOutcome::Mismatch);
    assert_eq!(db.record("k").await, before);
}

async fn a_stored_fingerprint_stays_when_the_retry_brings_none(db: TestDb) {
    let store = db.at(at(0));
    let first = with(Some(raw("x")));
    store.claim(&first).await.unwrap();
    store.fail(&first.key, &first.scope, first.token, "no", Retry::Allow, None).await.unwrap();
    let second = with(None);
    assert_eq!(store.claim(&second).await.unwrap(), claimed(second.token, 2));
    assert_eq!(db.record("k").await.unwrap().fingerprint, Some(raw("x").to_string()));
    assert_eq!(store.claim(&with(Some(raw("y")))).await.unwrap(), ClaimOutcome::Mismatch);
}

async fn a_row_without_a_fingerprint_takes_the_retrys(db: TestDb) {
    let store = db.at(at(0));
    let first = with(None);
    store.claim(&first).await.unwrap();
    store.fail(&first.key, &first.scope, first.token, "no", Retry::Allow, None).await.unwrap();
    let second = with(Some(raw("x")));
    assert_eq!(store.claim(&second).await.unwrap(), claimed(second.token, 2));
    assert_eq!(store.claim(&with(Some(raw("y")))).await.unwrap(), ClaimOutcome::Mismatch);
}

async fn a_row_stored_as_json_is_compared_as_json(db: TestDb) {
    let store = db.at(at(0));
    let first = with(Some(json(TIGHT)));
    store.claim(&first).await.unwrap();
    assert!(db.record("k").await.unwrap().fingerprint.unwrap().starts_with("sha256-jcs:"));
    let waits = in_progress(at(0), Some(at(10)));
    assert_eq!(store.claim(&with(Some(json(SPACED)))).await.unwrap(), waits);
    // A raw fingerprint knows what the other rule gives, where its bytes are JSON.
    assert_eq!(store.claim(&with(Some(raw(SPACED)))).await.unwrap(), waits);
    assert_eq!(store.claim(&with(Some(raw("a=1")))).await.unwrap(), ClaimOutcome::Mismatch);
    assert_eq!(store.claim(&with(Some(json(r#"{"a":2}"#)))).await.unwrap(), ClaimOutcome::Mismatch);
}

async fn a_row_stored_as_bytes_is_compared_as_bytes(db: TestDb) {
    let store = db.at(at(0));
    let first = with(Some(raw(TIGHT)));
    store.claim(&first).await.unwrap();
    let waits = in_progress(at(0), Some(at(10)));
    assert_eq!(store.claim(&with(Some(json(TIGHT)))).await.unwrap(), waits);
    assert_eq!(store.claim(&with(Some(json(SPACED)))).await.unwrap(), ClaimOutcome::Mismatch);
    assert_eq!(store.claim(&with(Some(raw(SPACED)))).await.unwrap(), ClaimOutcome::Mismatch);
}

async fn a_retry_in_the_other_spelling_keeps_the_stored_one(db: TestDb) {
    let store = db.at(at(0));
    for (stored, asked) in [(json(TIGHT), raw(SPACED)), (raw(TIGHT), json(TIGHT))] {
        db.run("DELETE FROM idempotency_keys").await;
        let first = with(Some(stored.clone()));
        store.claim(&first).await.unwrap();
        store.fail(&first.key, &first.scope, first.token, "no", Retry::Allow, None).await.unwrap();
        let second = with(Some(asked));
        assert_eq!(store.claim(&second).await.unwrap(), claimed(second.token, 2));
        assert_eq!(db.record("k").await.unwrap().fingerprint, Some(stored.to_string()));
    }
}

async fn an_unknown_rule_is_a_mismatch(db: TestDb) {
    let store = db.at(at(0));
    store.claim(&with(Some(raw("x")))).await.unwrap();
    db.run("UPDATE idempotency_keys SET request_hash = 'md5:0cc175b9c0f1b6a831c399e269772661'").await;
    assert_eq!(store.claim(&with(Some(raw("a")))).await.unwrap(), ClaimOutcome::Mismatch);
    assert_eq!(store.claim(&with(None)).await.unwrap(), in_progress(at(0), Some(at(10))));
}
