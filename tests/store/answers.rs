//! The stored answer comes back byte for byte.

use idemctl::protocol::{Answer, Body, ClaimOutcome, DEFAULT_ANSWER_LIMIT, Retry};
use idemctl::store::{Dialect, ErrorKind, Store, StoreOptions};

use crate::support::{TestDb, at, claim, kind};

super::support::on_both_dialects!(
    every_answer_comes_back_as_it_was_given,
    a_failures_answer_comes_back_as_it_was_given,
    the_default_limit_is_exact,
    a_configured_limit_is_exact,
    a_body_over_the_limit_of_a_failure_is_refused_too,
    an_omitted_body_is_recorded_with_its_true_size,
    text_with_a_nul_keeps_no_worker_from_settling,
);

/// Deterministic bytes in which every value occurs.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(|_| next()).collect()
}

fn answers() -> Vec<(&'static str, Answer)> {
    let repeated = Answer::new(200, "x")
        .with_header("Set-Cookie", "a=1")
        .with_header("Content-Type", "text/plain")
        .with_header("set-cookie", "b=2")
        .with_header("Set-Cookie", "a=1")
        .with_header("", "")
        .with_header("X-Empty", "");
    let binary = Answer::new(200, vec![0xff, 0x00, 0xfe, b'\'', b'\\', b'"'])
        .with_header("X-Bytes", vec![0xff, 0x80, 0x00])
        .with_header("X-Nul", vec![0])
        .with_header("X-Cut", "ü".as_bytes()[..1].to_vec())
        .with_header("X-Text", "ü \"q\" \\ {\"base64\": \"AA==\"} \u{10ffff}\r\n\t");
    vec![
        ("empty body", Answer::new(204, "")),
        ("nothing at all", Answer { status: None, headers: Vec::new(), body: Body::Kept(Vec::new()) }),
        ("repeated headers", repeated),
        ("binary", binary),
        ("every byte", Answer::new(200, (0..=255).collect::<Vec<u8>>())),
        ("NUL alone", Answer::new(200, vec![0])),
        ("invalid UTF-8", Answer::new(200, b"caf\xe9 \xed\xa0\x80 \xc0\xaf".to_vec())),
        ("looks like hex", Answer::new(200, r"\x6162")),
        ("JSON with its spaces and order", Answer::new(200, r#"{ "b": 1.0,  "a": 1e2, "a": 2 }"#)),
        ("line ends", Answer::new(200, "a\r\nb\n\rc \n")),
        ("least status", Answer::new(i32::MIN, "")),
        ("greatest status", Answer::new(i32::MAX, "")),
        ("large", Answer::new(200, noise(300_000))),
    ]
}

async fn every_answer_comes_back_as_it_was_given(db: TestDb) {
    let store = db.at(at(0));
    for (name, answer) in answers() {
        let first = claim(name);
        store.claim(&first).await.unwrap();
        store.complete(&first.key, &first.scope, first.token, &answer).await.unwrap();
        let outcome = store.claim(&claim(name)).await.unwrap();
        assert_eq!(outcome, ClaimOutcome::Replay { answer: answer.clone() }, "{name}");
        let row = store.inspect(name).await.unwrap().remove(0);
        assert_eq!(row.response_bytes, Some(answer.body_bytes() as i64), "{name}");
        assert_eq!(store.with_answer(&row).await.unwrap().unwrap().1, Some(answer), "{name}");
    }
}

async fn a_failures_answer_comes_back_as_it_was_given(db: TestDb) {
    let store = db.at(at(0));
    for (name, answer) in answers() {
        let first = claim(name);
        store.claim(&first).await.unwrap();
        store.fail(&first.key, &first.scope, first.token, "no", Retry::Block, Some(&answer)).await.unwrap();
        let wanted = ClaimOutcome::FailedFinal { reason: Some("no".into()), answer: Some(answer) };
        assert_eq!(store.claim(&claim(name)).await.unwrap(), wanted, "{name}");
    }
}

async fn assert_limit(db: &TestDb, store: &Store, limit: usize) {
    let first = claim("k");
    store.claim(&first).await.unwrap();
    let before = db.record("k").await;
    let body = noise(limit + 1);
    let over = store.complete(&first.key, &first.scope, first.token, &Answer::new(200, body.clone())).await;
    assert_eq!(kind(over), ErrorKind::Input);
    assert_eq!(db.record("k").await, before);
    let exact = Answer::new(200, &body[..limit]);
    store.complete(&first.key, &first.scope, first.token, &exact).await.unwrap();
    assert_eq!(store.claim(&claim("k")).await.unwrap(), ClaimOutcome::Replay { answer: exact });
}

async fn the_default_limit_is_exact(db: TestDb) {
    assert_eq!(DEFAULT_ANSWER_LIMIT, 1_048_576);
    assert_limit(&db, &db.at(at(0)), 1_048_576).await;
}

async fn a_configured_limit_is_exact(db: TestDb) {
    for limit in [0, 1, 10, 2_000_000] {
        let options = StoreOptions { answer_limit: limit, ..StoreOptions::default() };
        let store = Store::connect(&db.url, options).await.unwrap();
        assert_limit(&db, &store, limit).await;
        db.run("DELETE FROM idempotency_keys").await;
    }
}

async fn a_body_over_the_limit_of_a_failure_is_refused_too(db: TestDb) {
    let (store, first) = (db.at(at(0)), claim("k"));
    store.claim(&first).await.unwrap();
    let before = db.record("k").await;
    let over = Answer::new(500, noise(DEFAULT_ANSWER_LIMIT + 1));
    let result = store.fail(&first.key, &first.scope, first.token, "no", Retry::Block, Some(&over)).await;
    assert_eq!(kind(result), ErrorKind::Input);
    assert_eq!(db.record("k").await, before);
}

async fn an_omitted_body_is_recorded_with_its_true_size(db: TestDb) {
    let (store, first) = (db.at(at(0)), claim("k"));
    store.claim(&first).await.unwrap();
    let large = Answer::new(200, noise(DEFAULT_ANSWER_LIMIT + 1)).with_header("A", "1");
    let omitted = large.without_body();
    store.complete(&first.key, &first.scope, first.token, &omitted).await.unwrap();
    let outcome = store.claim(&claim("k")).await.unwrap();
    assert_eq!(outcome, ClaimOutcome::Replay { answer: omitted });
    let row = store.inspect("k").await.unwrap().remove(0);
    assert_eq!(row.response_bytes, Some(DEFAULT_ANSWER_LIMIT as i64 + 1));
    let stored = "SELECT count(*) FROM idempotency_keys WHERE response_body IS NULL";
    assert_eq!(db.number(stored).await, 1);
}

/// PostgreSQL's text holds no NUL: text for people is stored without it, so that a worker can always
/// record its failure; a key with one is the caller's input to fix.
async fn text_with_a_nul_keeps_no_worker_from_settling(db: TestDb) {
    let (store, first) = (db.at(at(0)), claim("k").with_owner("host\0"));
    store.claim(&first).await.unwrap();
    assert_eq!(db.record("k").await.unwrap().owner.as_deref(), Some("host\u{fffd}"));
    store.fail(&first.key, &first.scope, first.token, "exit\0", Retry::Allow, None).await.unwrap();
    assert_eq!(db.record("k").await.unwrap().failure.as_deref(), Some("exit\u{fffd}"));
}

#[tokio::test]
async fn on_postgres_a_key_with_a_nul_is_in_no_row() {
    let db = TestDb::new(Dialect::Postgres).await;
    assert_eq!(db.store.inspect("k\0").await.unwrap(), []);
}
