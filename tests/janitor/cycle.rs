//! `janitor --once` and `janitor --check`, and what a janitor refuses to start with.

use idemctl::store::{Confirmed, Pass};
use serde_json::{Value, json};

use crate::binary::Binary;
use crate::supervised::{expired, kept};
use crate::support::{Dialect, TestDb, on_both_dialects, secs};

on_both_dialects!(
    one_cycle_reaps_and_purges,
    one_cycle_while_another_janitor_leads_does_nothing,
    one_cycle_while_paused_does_nothing,
    one_cycle_that_leaves_a_backlog_says_so,
    a_check_says_what_would_run_when,
    an_old_entry_of_the_audit_goes,
);

fn pass<'v>(report: &'v Value, name: &str) -> &'v Value {
    let passes = report["passes"].as_array().unwrap();
    passes.iter().find(|pass| pass["pass"] == name).unwrap()
}

async fn stuck(db: &TestDb, count: u32) {
    let long_ago = db.store.now().await.unwrap().minus(secs(7_200));
    db.fill_as("in_progress", "stuck-", count, long_ago, &db.time(long_ago.plus(secs(86_400)))).await;
}

async fn one_cycle_reaps_and_purges(db: TestDb) {
    expired(&db, "old-", 1_200).await;
    kept(&db).await;
    stuck(&db, 3).await;
    let binary = Binary::on(&db);
    let report = binary.json(&["janitor", "--once"]);
    assert_eq!(
        (&pass(&report, "reap")["outcome"], &pass(&report, "reap")["rows"]),
        (&json!("done"), &json!(3))
    );
    assert_eq!(
        (&pass(&report, "purge")["outcome"], &pass(&report, "purge")["rows"]),
        (&json!("done"), &json!(1_200))
    );
    assert_eq!(db.rows().await, 6);
    assert_eq!(db.number("SELECT count(*) FROM idempotency_keys WHERE status = 'failed'").await, 3);
    let history = binary.json(&["inspect", "stuck-1"]);
    assert_eq!(history[0]["history"][0]["command"], "janitor");
    // The leases are free again, and the passes are noted.
    for lease in db.store.leases().await.unwrap() {
        assert_eq!((lease.holder, lease.left.is_zero()), (None, true));
        assert!(lease.note.succeeded.is_some());
    }
    let table = binary.run(&["janitor", "--once"]);
    assert_eq!(table.code, 0, "{table:?}");
    assert!(table.stdout.contains("purge") && table.stdout.contains("done"), "{table:?}");
}

async fn one_cycle_while_another_janitor_leads_does_nothing(db: TestDb) {
    expired(&db, "old-", 10).await;
    let other = db.store.lead(&Pass::ALL, "other:1", secs(60), &Confirmed::given()).await.unwrap();
    assert_eq!(other.leads, Pass::ALL);
    let report = Binary::on(&db).json(&["janitor", "--once"]);
    for name in ["reap", "purge"] {
        assert_eq!(pass(&report, name)["outcome"], "led_elsewhere");
        assert_eq!(pass(&report, name)["why"], "other:1");
    }
    assert_eq!(db.rows().await, 10);
}

async fn one_cycle_while_paused_does_nothing(db: TestDb) {
    expired(&db, "old-", 10).await;
    let binary = Binary::on(&db);
    binary.json(&["pause", "--reason", "deploy 12"]);
    let report = binary.json(&["janitor", "--once"]);
    assert_eq!(
        (&pass(&report, "purge")["outcome"], &pass(&report, "purge")["why"]),
        (&json!("paused"), &json!("deploy 12"))
    );
    assert_eq!(db.rows().await, 10);
    binary.json(&["resume"]);
    assert_eq!(pass(&binary.json(&["janitor", "--once"]), "purge")["rows"], 10);
}

async fn one_cycle_that_leaves_a_backlog_says_so(db: TestDb) {
    expired(&db, "old-", 5_000).await;
    let mut command = Binary::on(&db).command(&["janitor", "--once", "-o", "json"]);
    command.env("IDEMCTL_PURGE_MAX_DURATION", "200ms").env("IDEMCTL_PURGE_MAX_ROWS_PER_SECOND", "500");
    let ran = crate::binary::Ran::from(command.output().unwrap());
    assert_eq!(ran.code, 6, "{ran:?}");
    let report = ran.json();
    let purge = pass(&report, "purge");
    assert_eq!(purge["outcome"], "max_duration");
    assert_eq!(purge["rows"].as_i64().unwrap() + purge["backlog"].as_i64().unwrap(), 5_000);
    assert_eq!(purge["backlog"], db.rows().await);
}

async fn a_check_says_what_would_run_when(db: TestDb) {
    expired(&db, "old-", 10).await;
    let binary = Binary::on(&db);
    let report = binary.json(&["janitor", "--check"]);
    assert_eq!(pass(&report, "purge")["schedule"], "*/5 * * * *");
    assert!(pass(&report, "reap")["next_start_at"].is_string());
    assert_eq!(db.rows().await, 10, "a check changes nothing");
    for (name, value, wrong) in [
        ("IDEMCTL_PURGE_SCHEDULE", "61 * * * *", "minute"),
        ("IDEMCTL_REAP_SCHEDULE", "@reboot", "@reboot"),
        ("IDEMCTL_JANITOR_TIME_ZONE", "Mars/Olympus", "Mars/Olympus"),
        ("IDEMCTL_JANITOR_LISTEN", "somewhere", "somewhere"),
        ("IDEMCTL_JANITOR_LEASE", "0s", "janitor.lease"),
    ] {
        for mode in [&["janitor", "--check"][..], &["janitor"]] {
            let ran = crate::binary::Ran::from(binary.command(mode).env(name, value).output().unwrap());
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}: {ran:?}");
            assert!(ran.stderr.contains(wrong), "{name}: {ran:?}");
        }
    }
}

async fn an_old_entry_of_the_audit_goes(db: TestDb) {
    stuck(&db, 2).await;
    let binary = Binary::on(&db);
    binary.json(&["janitor", "--once"]);
    assert_eq!(db.number("SELECT count(*) FROM idemctl_audit").await, 2);
    let old = db.store.now().await.unwrap().minus(secs(91 * 86_400));
    db.run(&format!("UPDATE idemctl_audit SET at = {} WHERE idempotency_key = 'stuck-1'", db.time(old)))
        .await;
    binary.json(&["janitor", "--once"]);
    assert_eq!(db.number("SELECT count(*) FROM idemctl_audit").await, 1);
    assert_eq!(db.number("SELECT count(*) FROM idemctl_audit WHERE idempotency_key = 'stuck-1'").await, 0);
}

/// An environment that lost its URL must not make a daemon that keeps an empty file.
#[test]
fn nobody_named_a_database() {
    let binary = Binary::new();
    for mode in [&["janitor"][..], &["janitor", "--once"], &["janitor", "--check"]] {
        let ran = binary.run(mode);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(
            ran.stderr.contains("explicitly configured database") && ran.stderr.contains("next:"),
            "{ran:?}"
        );
    }
}

#[tokio::test]
async fn a_database_without_the_schema_is_not_fit() {
    for dialect in [Dialect::Postgres, Dialect::Sqlite] {
        let db = TestDb::empty(dialect).await;
        db.run("CREATE TABLE other (id integer)").await;
        let ran = Binary::on(&db).run(&["janitor", "--once"]);
        assert_eq!(ran.code, 8, "{ran:?}");
        assert!(ran.stderr.contains("idemctl migrate"), "{ran:?}");
    }
}

/// The credential that systemd hands over is found by itself.
#[tokio::test]
async fn a_credential_names_the_database() {
    let db = TestDb::new(Dialect::Postgres).await;
    let binary = Binary::new();
    std::fs::write(binary.home.path().join("database-url"), format!("{}\n", db.url)).unwrap();
    let mut command = binary.command(&["janitor", "--check", "-o", "json"]);
    let ran =
        crate::binary::Ran::from(command.env("CREDENTIALS_DIRECTORY", binary.home.path()).output().unwrap());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.json()["source"].as_str().unwrap().ends_with("/database-url"));
}
