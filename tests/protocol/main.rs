//! The SQL of the checked-in page man/idemctl-protocol.7, run on real databases by a client that
//! knows nothing else, beside the library on the same table.

#[path = "../support/mod.rs"]
mod support;

mod client;
mod page;

use std::process::Command;

use idemctl::protocol::{Answer, Claim, ClaimOutcome, Fingerprint, Record, Retry, Status, StuckRule, Token};
use idemctl::store::{Confirmed, Dialect, TimeSource};

use client::{Ask, Client, Outcome, Stored};
use support::{TestDb, key, on_both_dialects, scope, secs};

/// The library's claim of the same key and scope.
fn library_claim(ask: &Ask) -> Claim {
    Claim::new(key(&ask.key), scope(&ask.scope))
}

async fn record(db: &TestDb, ask: &Ask) -> Record {
    db.store.record(&key(&ask.key), &scope(&ask.scope)).await.unwrap().0.expect("a row")
}

async fn a_claim_is_a_claim(db: TestDb) {
    let mut client = Client::new(&db).await;
    let ask = Ask { fingerprint: Some("sha256:00".into()), if_lost: false, ..Ask::new("order-1") };
    assert_eq!(client.claim(&ask).await, Outcome::Claimed { attempt: 1 });
    let row = record(&db, &ask).await;
    assert_eq!(row.status, Status::InProgress);
    assert_eq!(row.token.unwrap(), Token::from_u128(ask.token.as_u128()));
    assert_eq!((row.fingerprint.as_deref(), row.owner.as_deref()), (Some("sha256:00"), Some("worker-1")));
    assert!(!row.retry_allowed);
    assert_eq!(row.lease_expires_at, Some(row.claimed_at.plus(secs(10))));
    assert_eq!(row.expires_at, row.claimed_at.plus(secs(100)));
    let theirs = db.store.claim(&library_claim(&ask)).await.unwrap();
    assert_eq!(theirs, ClaimOutcome::InProgress { since: row.claimed_at, lease: row.lease_expires_at });
    // The same call again gives the first outcome; another token does not.
    assert_eq!(client.claim(&ask).await, Outcome::Claimed { attempt: 1 });
    assert_eq!(client.claim(&Ask { token: uuid::Uuid::new_v4(), ..ask }).await, Outcome::InProgress);
}

async fn a_renewal_needs_the_token(db: TestDb) {
    let mut client = Client::new(&db).await;
    let ask = Ask::new("order-2");
    client.claim(&ask).await;
    assert!(client.renew(&ask, ask.token, 30_000_000).await);
    let row = record(&db, &ask).await;
    assert_eq!(row.lease_expires_at, Some(row.renewed_at.plus(secs(30))));
    assert!(!client.renew(&ask, uuid::Uuid::new_v4(), 60_000_000).await);
    assert_eq!(record(&db, &ask).await, row);
}

async fn an_answer_comes_back_byte_for_byte(db: TestDb) {
    let mut client = Client::new(&db).await;
    let ask = Ask::new("order-3");
    client.claim(&ask).await;
    let headers = page::section("ANSWERS").pop().expect("the page's example");
    let answer = Stored { headers: Some(headers), ..Stored::new(201, b"\x00\xff{}") };
    assert!(client.complete(&ask, ask.token, &answer).await);
    let expected = Answer::new(201, b"\x00\xff{}".as_slice())
        .with_header("Location", "/orders/1042")
        .with_header("Set-Cookie", "a=1")
        .with_header("Set-Cookie", "b=2")
        .with_header("X-Raw", vec![0xff, 0x00, 0xfe]);
    let theirs = db.store.claim(&library_claim(&ask)).await.unwrap();
    assert_eq!(theirs, ClaimOutcome::Replay { answer: expected });
    assert_eq!(client.claim(&Ask::new("order-3")).await, Outcome::Replay(answer.clone()));
    let row = record(&db, &ask).await;
    assert_eq!(row.lease_expires_at, None);
    assert_eq!(row.expires_at, row.finished_at.unwrap().plus(secs(100)));
    // Repeated, the first outcome stands; with another token it is stale.
    assert!(client.complete(&ask, ask.token, &Stored::new(500, b"other")).await);
    assert!(!client.complete(&ask, uuid::Uuid::new_v4(), &answer).await);
    assert!(!client.fail(&ask, ask.token, true, &Stored::nothing()).await);
    assert_eq!(record(&db, &ask).await, row);
}

async fn a_body_that_is_left_out_is_known_to_be(db: TestDb) {
    let mut client = Client::new(&db).await;
    for (name, answer, expected) in [
        ("empty", Stored::new(204, b""), Answer::new(204, "")),
        (
            "large",
            Stored { body: None, bytes: Some(5_000_000), ..Stored::new(200, b"") },
            Answer { body: idemctl::protocol::Body::Omitted { bytes: 5_000_000 }, ..Answer::new(200, "") },
        ),
    ] {
        let ask = Ask::new(name);
        client.claim(&ask).await;
        assert!(client.complete(&ask, ask.token, &answer).await);
        let theirs = db.store.claim(&library_claim(&ask)).await.unwrap();
        assert_eq!(theirs, ClaimOutcome::Replay { answer: expected });
    }
}

async fn a_failure_may_be_tried_again_or_not(db: TestDb) {
    let mut client = Client::new(&db).await;
    let ask = Ask { fingerprint: Some("sha256:aa".into()), ..Ask::new("order-4") };
    client.claim(&ask).await;
    assert!(client.fail(&ask, ask.token, true, &Stored::nothing()).await);
    assert!(client.fail(&ask, ask.token, true, &Stored::nothing()).await, "repeated");
    // The library tries again, and fails too.
    let claim = library_claim(&ask);
    let theirs = db.store.claim(&claim).await.unwrap();
    assert_eq!(theirs, ClaimOutcome::Claimed { token: claim.token, attempt: 2 });
    db.store.fail(&claim.key, &claim.scope, claim.token, "again", Retry::Allow, None).await.unwrap();
    // The third attempt is ours again; the fingerprint has stayed.
    let third = Ask { token: uuid::Uuid::new_v4(), fingerprint: None, ..ask.clone() };
    assert_eq!(client.claim(&third).await, Outcome::Claimed { attempt: 3 });
    assert_eq!(record(&db, &ask).await.fingerprint.as_deref(), Some("sha256:aa"));
    let answer = Stored::new(422, b"no");
    assert!(client.fail(&third, third.token, false, &answer).await);
    let last = Ask { token: uuid::Uuid::new_v4(), ..ask.clone() };
    let refused = Outcome::FailedFinal { reason: Some("no stock".into()), answer };
    assert_eq!(client.claim(&last).await, refused);
    let theirs = db.store.claim(&library_claim(&ask)).await.unwrap();
    let expected =
        ClaimOutcome::FailedFinal { reason: Some("no stock".into()), answer: Some(Answer::new(422, "no")) };
    assert_eq!(theirs, expected);
}

async fn an_expired_key_counts_as_absent(db: TestDb) {
    let past = db.store.with_clock(TimeSource::Shifted(-3_600_000_000)).unwrap();
    let ask = Ask { fingerprint: Some("sha256:new".into()), ..Ask::new("order-5") };
    let claim = Claim { ttl: support::ttl(60), ..library_claim(&ask) }.with_fingerprint(support::raw("old"));
    past.claim(&claim).await.unwrap();
    past.complete(&claim.key, &claim.scope, claim.token, &Answer::new(200, "old")).await.unwrap();
    let mut client = Client::new(&db).await;
    assert_eq!(client.claim(&ask).await, Outcome::Claimed { attempt: 1 });
    let row = record(&db, &ask).await;
    assert_eq!((row.fingerprint.as_deref(), row.answer), (Some("sha256:new"), None));
    assert_eq!(row.created_at, row.claimed_at);
}

async fn fingerprints_are_compared_by_the_stored_rule(db: TestDb) {
    let stored = support::json(r#"{"a":1}"#);
    let claim = library_claim(&Ask::new("order-6")).with_fingerprint(stored.clone());
    db.store.claim(&claim).await.unwrap();
    let body = r#"{ "a": 1 }"#;
    let raw = support::raw(body).to_string();
    let mut client = Client::new(&db).await;
    let mut ask = Ask { fingerprint: Some(raw), ..Ask::new("order-6") };
    assert_eq!(client.claim(&ask).await, Outcome::Mismatch, "by the other rule alone");
    ask.other_fingerprint = Some(support::json(body).to_string());
    assert_eq!(client.claim(&ask).await, Outcome::InProgress);
    // The statement compares as the program does.
    db.store.fail(&claim.key, &claim.scope, claim.token, "no", Retry::Allow, None).await.unwrap();
    assert_eq!(client.claim(&ask).await, Outcome::Claimed { attempt: 2 });
    assert_eq!(record(&db, &ask).await.fingerprint.unwrap(), stored.to_string());
}

async fn a_worker_that_was_reaped_settles_nothing(db: TestDb) {
    let mut client = Client::new(&db).await;
    let ask = Ask::new("order-7");
    client.claim(&ask).await;
    let later = db.store.with_clock(TimeSource::Shifted(3_600_000_000)).unwrap();
    let options = idemctl::janitor::ReapOptions {
        older_than: secs(60),
        retry: Retry::Allow.into(),
        scope: None,
        max_rows: None,
        allow_cascade: false,
    };
    let stop = tokio_util::sync::CancellationToken::new();
    let confirmed = Confirmed::given();
    let reaped =
        idemctl::janitor::reap(&later, &options, &support::tester(), Some(&confirmed), &stop, &mut |_| {})
            .await
            .unwrap();
    assert_eq!(reaped.report.reaped, 1);
    let row = record(&db, &ask).await;
    assert!(!StuckRule { older_than: secs(1) }.is_stuck(&row, row.claimed_at));
    assert!(!client.renew(&ask, ask.token, 1_000_000).await);
    assert!(!client.complete(&ask, ask.token, &Stored::new(200, b"late")).await);
    assert!(!client.fail(&ask, ask.token, false, &Stored::nothing()).await);
    assert_eq!(record(&db, &ask).await, row);
}

async fn one_of_many_parallel_claims_wins(db: TestDb) {
    for round in 0..10 {
        let racing: Vec<_> = (0..8)
            .map(|_| async {
                let mut client = Client::new(&db).await;
                client.claim(&Ask::new(&format!("race-{round}"))).await
            })
            .collect();
        let outcomes = join_all(racing).await;
        let won = outcomes.iter().filter(|one| **one == Outcome::Claimed { attempt: 1 }).count();
        assert_eq!(won, 1, "{outcomes:?}");
        assert_eq!(outcomes.iter().filter(|one| **one == Outcome::InProgress).count(), 7, "{outcomes:?}");
    }
}

/// All of them at once, on this task.
async fn join_all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut pending: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        let mut ready = true;
        for (future, output) in &mut pending {
            if output.is_none() {
                match future.as_mut().poll(context) {
                    std::task::Poll::Ready(value) => *output = Some(value),
                    std::task::Poll::Pending => ready = false,
                }
            }
        }
        if ready { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    pending.into_iter().filter_map(|(_, output)| output).collect()
}

async fn a_claim_that_waited_starts_anew(db: TestDb) {
    let mut client = Client::new(&db).await;
    let ask = Ask::new("order-8");
    client.claim(&ask).await;
    let before = record(&db, &ask).await;
    // SQLite's clock counts milliseconds.
    support::until("the clock moves on", || async {
        db.store.now().await.unwrap() > before.claimed_at.plus(secs(0))
    })
    .await;
    assert!(client.restamp(&ask).await);
    let after = record(&db, &ask).await;
    assert!(after.claimed_at > before.claimed_at);
    assert_eq!(after.created_at, after.claimed_at);
    assert_eq!(after.lease_expires_at, Some(after.claimed_at.plus(secs(10))));
    assert_eq!(after.expires_at, after.claimed_at.plus(secs(100)));
}

/// Its first answer was lost for longer than the lease.
async fn a_claim_that_is_repeated_starts_anew(db: TestDb) {
    let mut client = Client::new(&db).await;
    let ask = Ask::new("order-10");
    client.claim(&ask).await;
    let long_ago = match db.dialect() {
        Dialect::Postgres => "lease_expires_at - interval '1 hour'",
        _ => "lease_expires_at - 3600000000",
    };
    db.run(&format!("UPDATE idempotency_keys SET lease_expires_at = {long_ago}")).await;
    assert_eq!(client.claim(&ask).await, Outcome::Claimed { attempt: 1 });
    let row = record(&db, &ask).await;
    assert_eq!(row.lease_expires_at, Some(row.claimed_at.plus(secs(10))));
    assert_eq!(row.expires_at, row.claimed_at.plus(secs(100)));
}

on_both_dialects!(
    a_claim_is_a_claim,
    a_claim_that_is_repeated_starts_anew,
    a_renewal_needs_the_token,
    an_answer_comes_back_byte_for_byte,
    a_body_that_is_left_out_is_known_to_be,
    a_failure_may_be_tried_again_or_not,
    an_expired_key_counts_as_absent,
    fingerprints_are_compared_by_the_stored_rule,
    a_worker_that_was_reaped_settles_nothing,
    one_of_many_parallel_claims_wins,
    a_claim_that_waited_starts_anew,
);

#[tokio::test]
async fn question_marks_do_for_sqlite() {
    let db = TestDb::new(Dialect::Sqlite).await;
    let mut client = Client::new(&db).await.with_question_marks();
    let ask = Ask::new("order-9");
    assert_eq!(client.claim(&ask).await, Outcome::Claimed { attempt: 1 });
    assert!(client.fail(&ask, ask.token, true, &Stored::nothing()).await);
    let again = Ask { token: uuid::Uuid::new_v4(), ..ask };
    assert_eq!(client.claim(&again).await, Outcome::Claimed { attempt: 2 });
    assert!(client.complete(&again, again.token, &Stored::new(200, b"done")).await);
    assert_eq!(client.claim(&Ask::new("order-9")).await, Outcome::Replay(Stored::new(200, b"done")));
}

/// A client may leave the types of all parameters to the server.
#[tokio::test]
async fn postgres_finds_the_types_by_itself() {
    let db = TestDb::new(Dialect::Postgres).await;
    let mut raw = db.raw().await;
    for (name, sql) in page::statements(Dialect::Postgres) {
        raw.run(&format!("PREPARE {name} AS {sql}")).await;
    }
}

/// The commands of the page give the digits of the page, which are the library's.
#[test]
fn the_worked_example_of_a_fingerprint_is_right() {
    let blocks = page::section("FINGERPRINTS");
    let [json_command, json, raw_command, raw] = blocks.as_slice() else { panic!("{blocks:?}") };
    let body = br#"{"to": "A", "amount": 10.0}"#;
    let library = [
        Fingerprint::json_request("POST", "/orders", "dry=1", body).unwrap().to_string(),
        Fingerprint::request("POST", "/orders", "dry=1", body).to_string(),
    ];
    for (command, fingerprint, library) in
        [(json_command, json, &library[0]), (raw_command, raw, &library[1])]
    {
        let output = Command::new("sh").args(["-c", command]).output().unwrap();
        let digits = String::from_utf8(output.stdout).unwrap();
        let digits = digits.split_whitespace().next().expect("sha256sum prints digits");
        assert_eq!(fingerprint.split_once(':').unwrap().1, digits, "{command}");
        assert_eq!(fingerprint, library);
    }
}
