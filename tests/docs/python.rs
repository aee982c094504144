//! docs/examples/claim.py: the protocol in another language, run as it stands.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use idemctl::protocol::Status;
use idemctl::store::Dialect;

use crate::binary::{Binary, Ran};
use crate::page::statements;
use crate::project;
use crate::support::{TestDb, until};

const ORDERS: &str = "CREATE TABLE orders (id bigserial PRIMARY KEY, request jsonb NOT NULL)";

/// The Python that tests/run.sh has made, with the example's package in it.
fn python() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| project("target"), PathBuf::from);
    let python = target.join("python/bin/python");
    let works = Command::new(&python).args(["-c", "import psycopg"]).output();
    assert!(
        works.is_ok_and(|output| output.status.success()),
        "this test needs {} with docs/examples/requirements.txt installed; tests/run.sh makes it",
        python.display()
    );
    python
}

fn post(db: &TestDb, arguments: &[&str]) -> Command {
    let mut command = Command::new(python());
    command.arg(project("docs/examples/claim.py")).args(arguments).env("DATABASE_URL", &db.url);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[track_caller]
fn answer(mut command: Command) -> String {
    let ran = Ran::from(command.output().unwrap());
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.stdout
}

async fn orders(db: &TestDb) -> i64 {
    db.number("SELECT count(*) FROM orders").await
}

#[tokio::test]
async fn the_example_does_the_work_once() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.run(ORDERS).await;
    let first = answer(post(&db, &["order-1", r#"{"item":"book"}"#]));
    assert!(first.starts_with("HTTP 201\nLocation: /orders/1\n\n"), "{first}");
    let second = answer(post(&db, &["order-1", r#"{"item":"book"}"#]));
    assert_eq!(second.replace("Idempotent-Replayed: true\n", ""), first);
    assert!(second.contains("Idempotent-Replayed: true"), "{second}");
    assert_eq!(orders(&db).await, 1);
    // Another payload under the same key; the same key on somebody else's behalf.
    let other = answer(post(&db, &["order-1", r#"{"item":"pen"}"#]));
    assert!(other.starts_with("HTTP 422\n"), "{other}");
    let scoped = answer(post(&db, &["order-1", r#"{"item":"pen"}"#, "--scope", "shop-7"]));
    assert!(scoped.starts_with("HTTP 201\nLocation: /orders/2\n"), "{scoped}");

    let rows = Binary::on(&db).json(&["inspect", "order-1", "--scope", "", "--body"]);
    let row = &rows[0];
    assert_eq!((&row["verdict"], &row["attempt"]), (&"replay".into(), &1.into()), "{rows}");
    assert_eq!(row["response"]["body"], r#"{"order": 1}"#);
    assert_eq!(row["response"]["headers"][0], serde_json::json!(["Location", "/orders/1"]));
    let expected = idemctl::protocol::Fingerprint::request("POST", "/orders", "", br#"{"item":"book"}"#);
    assert_eq!(row["request_hash"], expected.to_string());
}

#[tokio::test]
async fn many_at_once_do_the_work_once() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.run(ORDERS).await;
    let racing: Vec<_> =
        (0..8).map(|_| post(&db, &["order-1", "{}", "--seconds", "0.3"]).spawn().unwrap()).collect();
    let answers: Vec<String> = racing
        .into_iter()
        .map(|child| Ran::from(child.wait_with_output().unwrap()))
        .inspect(|ran| assert_eq!(ran.code, 0, "{ran:?}"))
        .map(|ran| ran.stdout)
        .collect();
    assert_eq!(orders(&db).await, 1, "{answers:?}");
    let created = |text: &&String| text.starts_with("HTTP 201\n");
    let worked = answers.iter().filter(created).filter(|text| !text.contains("Idempotent-Replayed"));
    assert_eq!(worked.count(), 1, "{answers:?}");
    for text in answers.iter().filter(|text| !created(text)) {
        assert!(text.starts_with("HTTP 409\n") && text.contains("Retry-After: 1"), "{text}");
    }
    assert_eq!(Binary::on(&db).json(&["inspect", "order-1"])[0]["verdict"], "replay");
}

#[tokio::test]
async fn a_retry_meanwhile_is_told_to_wait() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.run(ORDERS).await;
    let mut slow = post(&db, &["order-1", "{}", "--seconds", "600"]).spawn().unwrap();
    until("the key is claimed", || async {
        db.record("order-1").await.is_some_and(|row| row.status == Status::InProgress)
    })
    .await;
    let retry = answer(post(&db, &["order-1", "{}"]));
    assert!(retry.starts_with("HTTP 409\n"), "{retry}");
    assert_eq!(Binary::on(&db).json(&["inspect", "order-1"])[0]["verdict"], "wait");
    slow.kill().unwrap();
    slow.wait().unwrap();
    assert_eq!(orders(&db).await, 0);
}

#[tokio::test]
async fn work_that_failed_is_tried_again() {
    let db = TestDb::new(Dialect::Postgres).await;
    // Without the table of orders the work fails, and the key stays free for a retry.
    let ran = Ran::from(post(&db, &["order-1", "{}"]).output().unwrap());
    assert_eq!(ran.code, 1, "{ran:?}");
    let row = &Binary::on(&db).json(&["inspect", "order-1"])[0];
    assert_eq!((&row["verdict"], &row["status"]), (&"execute".into(), &"failed".into()), "{row}");
    db.run(ORDERS).await;
    assert!(answer(post(&db, &["order-1", "{}"])).starts_with("HTTP 201\n"));
    assert_eq!(Binary::on(&db).json(&["inspect", "order-1"])[0]["attempt"], 2);
}

/// A worker whose claim was taken away while it worked leaves nothing behind.
#[tokio::test]
async fn a_late_worker_is_fenced_out() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.run(ORDERS).await;
    let slow = post(&db, &["order-1", "{}", "--seconds", "2"]).spawn().unwrap();
    until("the key is claimed", || async {
        db.record("order-1").await.is_some_and(|row| row.status == Status::InProgress)
    })
    .await;
    db.run(
        "UPDATE idempotency_keys SET lease_expires_at = now(), renewed_at = now() - interval '1 hour',
             claimed_at = now() - interval '1 hour'",
    )
    .await;
    let report = Binary::on(&db).json(&["reap-stuck"]);
    assert_eq!(report["reaped"], 1, "{report}");
    let late = Ran::from(slow.wait_with_output().unwrap());
    assert!(late.stdout.starts_with("HTTP 409\n"), "{late:?}");
    assert_eq!(orders(&db).await, 0);
}

#[test]
fn the_example_has_the_statements_of_the_page() {
    let example = std::fs::read_to_string(project("docs/examples/claim.py")).unwrap();
    for (name, sql) in statements(Dialect::Postgres) {
        // The example's work is shorter than its lease.
        if name != "renew" {
            let constant = format!("{} = \"\"\"\n{sql}\n\"\"\"\n", name.to_uppercase());
            assert!(example.contains(&constant), "{name} differs from man/idemctl-protocol.7:\n{constant}");
        }
    }
}
