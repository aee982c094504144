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

/// Rows in progress of which nothing says since when: they are stuck for ever, and nobody is told of 0. A row whose
/// claim has no clock but its last heartbeat is stuck as any other.
#[tokio::test]
async fn rows_in_progress_without_a_clock_are_named() {
    for dialect in [Dialect::Postgres, Dialect::Sqlite] {
        let (kind, encoding, ago) = match dialect {
            Dialect::Postgres => ("timestamptz", "timestamptz", "now() - interval '9 days'"),
            _ => ("integer", "epoch_s", "unixepoch() - 777600"),
        };
        let schema = format!(
            "CREATE TABLE keys (k varchar(9) NOT NULL PRIMARY KEY, status text NOT NULL, claimed {kind}, seen {kind});
             INSERT INTO keys VALUES ('dark', 'open', NULL, NULL), ('seen', 'open', NULL, {ago}),
                 ('claimed', 'open', {ago}, NULL), ('both', 'open', {ago}, {ago}), ('done', 'done', NULL, NULL)"
        );
        let config = format!(
            "[[table]]\nname = \"keys\"\nkey = \"k\"\n\
             [table.state]\ncolumn = \"status\"\nin_progress = [\"open\"]\ncompleted = [\"done\"]\nfailed = [\"lost\"]\n\
             [table.clock]\nclaimed = {{ column = \"claimed\", as = \"{encoding}\" }}\n\
             alive = {{ column = \"seen\", as = \"{encoding}\" }}\n\
             [table.fail]\nset = {{ status = \"lost\" }}\n[table.reap]\nolder_than = \"1h\"\n"
        );
        let adopted = Adopted::new(dialect, &schema, &config).await;
        let stats = adopted.json(&["stats"]);
        assert_eq!(stats["stuck"]["value"], 3, "{dialect:?}: {stats}");
        assert_eq!(stats["unreaped"]["without_clock"]["value"], 1, "{dialect:?}: {stats}");
        let text = adopted.run(&["stats"]).stdout;
        assert!(text.contains("1 in progress without the clock that says since when"), "{text}");
        let examined = examine(&adopted, &[]);
        let finding = examined.finding("stuck_clock_null");
        assert!(finding["found"].as_str().unwrap().starts_with("1 row in progress"), "{finding}");
        let dry = adopted.run(&["reap-stuck", "--dry-run", "-o", "json"]);
        assert_eq!((dry.code, &dry.json()["without_clock"]), (0, &1.into()), "{dry:?}");
        for reaped in [3, 0] {
            let ran = adopted.run(&["reap-stuck", "-o", "json"]);
            let report = ran.json();
            assert_eq!(
                (ran.code, &report["reaped"], &report["without_clock"], &report["unrecognized"]),
                (6, &reaped.into(), &1.into(), &0.into()),
                "{dialect:?}: {ran:?}"
            );
            assert!(ran.stderr.contains("with NULL in every clock"), "{ran:?}");
        }
        // A part of the rows says nothing of the others.
        adopted.db.run("ALTER TABLE keys ADD COLUMN tenant varchar(9)").await;
        let once = adopted.run(&["janitor", "--once", "-o", "json"]);
        let passes = once.json()["passes"].as_array().unwrap().clone();
        let reap = passes.iter().find(|pass| pass["pass"] == "reap").unwrap();
        assert_eq!((once.code, &reap["without_clock"]), (6, &1.into()), "{once:?}");
        // The way that is named is one.
        let statement = examined.fix("stuck_clock_null")[0].split(';').next().unwrap().to_owned();
        let counted = format!("SELECT count(*) FROM ({statement}) AS named");
        assert_eq!(adopted.db.number(&counted).await, 1, "{statement}");
        assert_eq!(adopted.json(&["fail", "dark", "--yes"])["changed"], 1);
        assert_eq!(adopted.run(&["reap-stuck"]).code, 0);
        assert_eq!(examine(&adopted, &[]).finding("unreaped")["severity"], "ok");
    }
}
