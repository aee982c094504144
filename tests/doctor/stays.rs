//! Rows that no purge takes are named by whoever reports on the table, each with its reason.

use crate::harness::Adopted;
use crate::patient::{examine, healthy, sqlite};
use crate::support::Dialect;

async fn with_rows(dialect: Dialect) -> Adopted {
    match dialect {
        Dialect::Postgres => {
            let adopted = healthy(dialect).await;
            adopted
                .db
                .run(
                    "INSERT INTO keys SELECT 1, 'busy' || n, 'open', now() - interval '9 days', NULL,
                         now() - interval '8 days' FROM generate_series(1, 3) AS n;
                     ALTER TABLE keys ALTER COLUMN expires DROP NOT NULL;
                     INSERT INTO keys VALUES (1, 'undated', 'done', now() - interval '9 days', NULL, NULL);
                     ANALYZE keys",
                )
                .await;
            adopted
        }
        _ => {
            let schema = crate::patient::SQLITE_SCHEMA.replace("expires INTEGER NOT NULL", "expires INTEGER");
            let adopted = sqlite(&schema, &crate::patient::sqlite_config()).await;
            assert_eq!(adopted.run(&["migrate"]).code, 0);
            adopted
                .db
                .run(
                    "INSERT INTO keys VALUES (1, 'busy1', 'open', unixepoch() - 777600, NULL, unixepoch() - 691200),
                         (1, 'busy2', 'open', unixepoch() - 777600, NULL, unixepoch() - 691200),
                         (1, 'busy3', 'open', unixepoch() - 777600, NULL, unixepoch() - 691200),
                         (1, 'undated', 'done', unixepoch() - 777600, NULL, NULL)",
                )
                .await;
            adopted
        }
    }
}

async fn rows_that_stay_are_named(dialect: Dialect) {
    let adopted = with_rows(dialect).await;
    let purged = adopted.run(&["purge"]);
    assert_eq!(purged.code, 0, "{purged:?}");
    assert!(purged.stderr.contains("3 expired rows are in progress") && purged.stderr.contains("reap-stuck"));
    let stats = adopted.json(&["stats"]);
    assert_eq!(stats["backlog"]["stays"]["in_progress"]["value"], 3, "{stats}");
    assert_eq!(stats["backlog"]["stays"]["without_clock"]["value"], 1, "{stats}");
    let text = adopted.run(&["stats"]).stdout;
    assert!(text.contains("3 expired in progress") && text.contains("1 without the clock"), "{text}");
    let examined = examine(&adopted, &[]);
    let finding = examined.finding("expired_in_progress");
    assert!(finding["found"].as_str().unwrap().starts_with("3 expired rows"), "{finding}");
    assert_eq!(examined.finding("clock_null")["severity"], "warning");
    // The way that is named is one.
    assert_eq!(adopted.run(&["reap-stuck", "--older-than", "1h"]).code, 0);
    let purged = adopted.run(&["purge"]);
    assert!(purged.code == 0 && !purged.stderr.contains("in progress"), "{purged:?}");
    assert_eq!(adopted.json(&["stats"])["backlog"]["stays"]["in_progress"]["value"], 0);
}

#[tokio::test]
async fn rows_that_stay_are_named_on_postgres() {
    rows_that_stay_are_named(Dialect::Postgres).await;
}

#[tokio::test]
async fn rows_that_stay_are_named_on_sqlite() {
    rows_that_stay_are_named(Dialect::Sqlite).await;
}

/// A backlog that others' rows point at does not go at any pace.
#[tokio::test]
async fn rows_that_others_reference_have_no_time_until_they_are_gone() {
    let adopted = healthy(Dialect::Postgres).await;
    adopted
        .db
        .run(
            "UPDATE keys SET expires = now() - interval '8 days';
             CREATE TABLE payments (k text, t bigint, FOREIGN KEY (k, t) REFERENCES keys (key, tenant));
             INSERT INTO payments SELECT key, tenant FROM keys;
             INSERT INTO idemctl_lease (table_name, pass, until, rate) VALUES ('keys', 'purge', now(), 1000)
             ON CONFLICT (table_name, pass) DO UPDATE SET rate = 1000",
        )
        .await;
    let purged = adopted.run(&["purge"]);
    assert_eq!(purged.code, 6, "{purged:?}");
    assert!(!purged.stdout.contains("at this pace"), "{purged:?}");
    let stats = adopted.json(&["stats"]);
    assert_eq!(stats["backlog"]["gone_in_seconds"], serde_json::Value::Null, "{stats}");
    assert!(stats["backlog"]["kept_by"][0].as_str().unwrap().contains("payments"), "{stats}");
    assert!(!adopted.run(&["stats"]).stdout.contains("gone in"));
}
