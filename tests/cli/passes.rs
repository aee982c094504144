//! `purge` and `reap-stuck` as commands.

use std::process::Stdio;

use idemctl::store::{Dialect, TimeSource};
use serde_json::json;

use crate::binary::{Binary, Ran};
use crate::running::kill;
use crate::support::{START, TestDb, claim, on_both_dialects, secs};

/// Rows that expired in 2020, and three that must stay.
async fn filled(db: &TestDb, expired: u32) {
    let long_ago = START.minus(secs(200_000_000));
    db.fill("old-", expired, long_ago, long_ago.plus(secs(86_400))).await;
    db.fill("live-", 2, long_ago, START.plus(secs(1_000_000_000))).await;
    db.fill_as("in_progress", "busy-", 1, long_ago, &db.time(long_ago)).await;
}

async fn a_dry_run_counts_what_a_purge_deletes(db: TestDb) {
    filled(&db, 1_234).await;
    let binary = Binary::on(&db);
    let dry = binary.json(&["purge", "--dry-run"]);
    assert_eq!((&dry["matched"], &dry["deleted"]), (&json!(1_234), &json!(0)));
    assert_eq!(db.rows().await, 1_237);
    let some = binary.run(&["purge", "--max-rows", "234", "-o", "json"]);
    assert_eq!(some.code, 6, "a backlog is left: {some:?}");
    let report = some.json();
    assert_eq!((&report["deleted"], &report["backlog"]), (&json!(234), &json!(1_000)), "{report}");
    let all = binary.json(&["purge", "--duty", "1"]);
    assert_eq!((&all["deleted"], &all["backlog"]), (&json!(1_000), &json!(0)), "{all}");
    assert_eq!(db.rows().await, 3);
    assert_eq!(binary.json(&["purge"])["deleted"], 0);
}

/// A report that can't be had is refused before anything is changed.
async fn a_format_that_a_pass_does_not_have_changes_nothing(db: TestDb) {
    filled(&db, 10).await;
    let binary = Binary::on(&db);
    for verb in ["purge", "reap-stuck", "migrate"] {
        let ran = binary.run(&[verb, "-o", "csv"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains("comma-separated") && ran.stderr.contains("next:"), "{ran:?}");
    }
    assert_eq!(db.rows().await, 13);
    assert_eq!(binary.json(&["list", "--status", "in_progress"]).as_array().unwrap().len(), 1);
}

/// A pass that leaves what the janitor's pass would delete is not the janitor's pass, which is overdue still.
async fn a_purge_with_a_longer_grace_does_not_count_as_the_janitors(db: TestDb) {
    filled(&db, 100).await;
    let binary = Binary::on(&db);
    let succeeded = "SELECT count(*) FROM idemctl_lease WHERE pass = 'purge' AND last_success IS NOT NULL";
    assert_eq!(binary.json(&["purge", "--grace", "36500d"])["deleted"], 0);
    assert_eq!(db.number(succeeded).await, 0);
    assert_eq!(binary.json(&["purge", "--grace", "2h"])["deleted"], 100);
    assert_eq!(db.number(succeeded).await, 1);
}

async fn interrupting_a_purge_reports_what_was_done(db: TestDb) {
    filled(&db, 20_000).await;
    let child = Binary::on(&db)
        .command(&["purge", "--batch-size", "100", "--max-rows-per-second", "2000", "-o", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut raw = db.raw().await;
    while raw.number("SELECT count(*) FROM idempotency_keys").await > 19_500 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    kill(child.id() as i32, "INT");
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130, "{ran:?}");
    let report = ran.json();
    assert_eq!(report["end"], "stopped");
    let (deleted, left) = (report["deleted"].as_i64().unwrap(), db.rows().await);
    assert_eq!(deleted + left, 20_003, "{report}");
    assert_eq!(report["backlog"], left - 3);
}

/// Killed in the middle, a purge has deleted nothing that it must not, and the next one goes on.
async fn a_killed_purge_is_taken_up_by_the_next(db: TestDb) {
    filled(&db, 20_000).await;
    let binary = Binary::on(&db);
    for _ in 0..3 {
        let before = db.rows().await;
        let mut child = binary
            .command(&["purge", "--batch-size", "50", "--duty", "0.5"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut raw = db.raw().await;
        while raw.number("SELECT count(*) FROM idempotency_keys").await > before - 100 {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        kill(child.id() as i32, "KILL");
        child.wait().unwrap();
        let kept = "SELECT count(*) FROM idempotency_keys WHERE idempotency_key NOT LIKE 'old-%'";
        assert_eq!(db.number(kept).await, 3);
    }
    assert_eq!(binary.json(&["purge", "--duty", "1"])["backlog"], 0);
    assert_eq!(db.rows().await, 3);
}

async fn the_reaper_takes_one_scope_and_so_many_rows(db: TestDb) {
    let past = db.store.with_clock(TimeSource::Shifted(-3_600 * 1_000_000)).unwrap();
    for number in 0..5 {
        for name in ["a", "b"] {
            let claim = idemctl::protocol::Claim {
                scope: crate::support::scope(name),
                ..claim(&format!("k{number}"))
            };
            past.claim(&claim).await.unwrap();
        }
    }
    let binary = Binary::on(&db);
    let listed = binary.json(&["list", "--stuck", "--scope", "a"]);
    assert_eq!(listed.as_array().unwrap().len(), 5);
    let some = binary.run(&["reap-stuck", "--scope", "a", "--max-rows", "2", "-o", "json"]);
    assert_eq!((some.code, &some.json()["reaped"]), (6, &json!(2)), "{some:?}");
    assert_eq!(binary.json(&["reap-stuck", "--scope", "a"])["reaped"], 3);
    assert_eq!(binary.json(&["list", "--stuck"]).as_array().unwrap().len(), 5);
    assert_eq!(binary.json(&["reap-stuck"])["reaped"], 5);
    let failed = binary.json(&["list", "--status", "failed", "--since", "2h"]);
    assert_eq!(failed.as_array().unwrap().len(), 10);
    assert_eq!(binary.json(&["list", "--status", "failed", "--since", "30m"]), json!([]));
}

/// A table of their own; the row `k7` can be neither deleted nor failed. No index has the expiry's order.
async fn adopted_with_a_kept_row(db: &TestDb, shape: &str) -> (Binary, String) {
    let (now, body) = match db.dialect() {
        Dialect::Postgres => (
            "CAST(extract(epoch FROM now()) AS bigint)",
            "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 IF old.k = 'k7' THEN RAISE EXCEPTION 'the law keeps %', old.k; END IF;
                 IF TG_OP = 'DELETE' THEN RETURN old; END IF; RETURN new; END $$;
             CREATE TRIGGER keep BEFORE DELETE OR UPDATE ON keys FOR EACH ROW EXECUTE FUNCTION keep()",
        ),
        _ => (
            "unixepoch()",
            "CREATE TRIGGER keep_d BEFORE DELETE ON keys WHEN old.k = 'k7'
                 BEGIN SELECT RAISE(ABORT, 'the law keeps k7'); END;
             CREATE TRIGGER keep_u BEFORE UPDATE ON keys WHEN old.k = 'k7'
                 BEGIN SELECT RAISE(ROLLBACK, 'the law keeps k7'); END",
        ),
    };
    db.run(&format!(
        "CREATE TABLE keys (k {shape} status text NOT NULL, made bigint NOT NULL, ends bigint NOT NULL{end};
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
         INSERT INTO keys SELECT 'k' || i, CASE WHEN i % 3 = 0 OR i = 7 THEN 'busy' ELSE 'done' END,
             {now} - 900000 - i, {now} - 800000 FROM n",
        end = if shape.contains("NOT NULL") { ") WITHOUT ROWID" } else { ")" },
    ))
    .await;
    db.run(body).await;
    let binary = Binary::on(db);
    let config = binary.home.path().join("c.toml");
    let text = "[[table]]\nname = \"keys\"\nkey = \"k\"\n[table.state]\ncolumn = \"status\"\n\
        in_progress = [\"busy\"]\ncompleted = [\"done\"]\nfailed = [\"failed\"]\n[table.clock]\n\
        created = { column = \"made\", as = \"epoch_s\" }\nexpires = { column = \"ends\", as = \"epoch_s\" }\n\
        [table.fail]\nset = { status = \"failed\" }\n[table.release]\nset = { status = \"busy\" }\n\
        [table.claim]\nexpired = \"absent\"\nfailed = \"final\"\n";
    std::fs::write(&config, text).unwrap();
    (binary, config.display().to_string())
}

async fn an_adopted_row_that_the_database_refuses_is_named_by_every_verb(db: TestDb) {
    let shapes: &[&str] = match db.dialect() {
        Dialect::Postgres => &["text PRIMARY KEY,"],
        _ => &["text PRIMARY KEY,", "text NOT NULL PRIMARY KEY,"],
    };
    for shape in shapes {
        let (binary, config) = adopted_with_a_kept_row(&db, shape).await;
        let run = |arguments: &[&str]| binary.run(&[&["--config", &config], arguments].concat());
        let ran = run(&["reap-stuck", "--older-than", "5m", "-o", "json"]);
        let report = ran.json();
        assert_eq!((ran.code, &report["reaped"], &report["refused"]), (6, &json!(100), &json!(1)), "{ran:?}");
        assert_eq!(report["refused_keys"][0]["key"], json!("k7"), "{report}");
        assert!(report["refused_keys"][0]["reason"].to_string().contains("the law keeps k7"), "{report}");
        let table = run(&["reap-stuck", "--older-than", "5m"]);
        assert!(table.code == 6 && table.stdout.contains("the law keeps k7"), "{table:?}");

        // One of three keys is refused; the other two are done.
        let listed = run(&["list", "--status", "failed", "--limit", "2", "-o", "jsonl"]).stdout;
        let kept = run(&["list", "--status", "in_progress", "-o", "jsonl"]).stdout;
        let lines = format!("{kept}{listed}");
        let mut child = binary
            .command(&["--config", &config, "forget", "--yes", "--force", "-o", "json", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), lines.as_bytes()).unwrap();
        let ran = Ran::from(child.wait_with_output().unwrap());
        let report = ran.json();
        assert_eq!((ran.code, &report["changed"], &report["refused"]), (6, &json!(2), &json!(1)), "{ran:?}");
        assert!(report.to_string().contains("the law keeps k7"), "{report}");

        db.run(match db.dialect() {
            Dialect::Postgres => {
                "ALTER TABLE keys DISABLE TRIGGER keep; UPDATE keys SET status = 'done'; \
                 ALTER TABLE keys ENABLE TRIGGER keep"
            }
            _ => "DROP TRIGGER keep_u; UPDATE keys SET status = 'done'",
        })
        .await;
        let limited = run(&["purge", "--max-rows", "10", "-o", "json"]);
        assert_eq!((limited.code, &limited.json()["deleted"]), (6, &json!(10)), "{limited:?}");
        let ran = run(&["purge", "--duty", "1"]);
        assert_eq!(ran.code, 6, "{ran:?}");
        assert!(ran.stdout.contains("287 expired rows deleted"), "{ran:?}");
        assert!(ran.stdout.contains("k7: ") && ran.stdout.contains("the law keeps k7"), "{ran:?}");
        assert!(!ran.stdout.contains("at this pace"), "{ran:?}");
        let again = run(&["purge", "-o", "json"]);
        let report = again.json();
        assert_eq!((&report["refused"], &report["backlog"]), (&json!(1), &json!(1)), "{report}");
        assert_eq!(db.number("SELECT count(*) FROM keys").await, 1);
        let once = run(&["janitor", "--once", "-o", "json"]);
        assert_eq!(once.code, 6, "{once:?}");
        assert!(once.json()["passes"].to_string().contains("\"refused\":1"), "{once:?}");
        assert!(once.stderr.contains("k7: ") && once.stderr.contains("the law keeps k7"), "{once:?}");
        db.run("DROP TABLE keys").await;
    }
}

on_both_dialects!(
    an_adopted_row_that_the_database_refuses_is_named_by_every_verb,
    a_format_that_a_pass_does_not_have_changes_nothing,
    a_dry_run_counts_what_a_purge_deletes,
    a_purge_with_a_longer_grace_does_not_count_as_the_janitors,
    interrupting_a_purge_reports_what_was_done,
    a_killed_purge_is_taken_up_by_the_next,
    the_reaper_takes_one_scope_and_so_many_rows,
);

/// Nobody was faster than the reaper: the row is as stuck as before, and so says the report.
#[tokio::test]
async fn a_stuck_row_that_others_lock_is_not_reported_as_settled() {
    let db = TestDb::new(Dialect::Postgres).await;
    filled(&db, 1).await;
    let binary = Binary::on(&db);
    let mut holder = db.raw().await;
    holder.run("BEGIN; SELECT 1 FROM idempotency_keys WHERE idempotency_key = 'busy-1' FOR UPDATE").await;
    let table = binary.run(&["reap-stuck"]);
    let json = binary.run(&["reap-stuck", "-o", "json"]);
    holder.run("COMMIT").await;
    holder.close().await;
    assert_eq!((table.code, json.code), (6, 6), "{table:?} {json:?}");
    assert!(table.stdout.contains("still stuck") && !table.stdout.contains("settled"), "{table:?}");
    let json = json.json();
    assert_eq!((&json["reaped"], &json["skipped"], &json["locked"]), (&json!(0), &json!(1), &json!(1)));
    assert_eq!(json["keys"][0]["locked"], json!(true));
    assert_eq!(binary.json(&["reap-stuck"])["reaped"], 1);
}

/// What can't be seen is not reported as nothing.
#[tokio::test]
async fn a_purge_of_a_locked_table_does_not_say_that_nothing_is_left() {
    let db = TestDb::new(Dialect::Postgres).await;
    filled(&db, 10).await;
    let binary = Binary::on(&db);
    let mut holder = db.raw().await;
    holder.run("BEGIN; LOCK TABLE idempotency_keys IN ACCESS EXCLUSIVE MODE").await;
    let table = binary.run(&["purge"]);
    let json = binary.run(&["purge", "-o", "json"]);
    // The count waits for a second, which the driver finds slow: no SQL for people who did not ask.
    assert_eq!((table.stderr.lines().count(), table.stderr.contains("SELECT")), (1, false), "{table:?}");
    holder.run("COMMIT").await;
    holder.close().await;
    assert_eq!((table.code, json.code), (6, 6), "{table:?} {json:?}");
    assert!(table.stdout.contains("could not be counted"), "{table:?}");
    let json = json.json();
    assert_eq!((&json["end"], &json["backlog_exact"]), (&json!("locked"), &json!(false)));
    assert_eq!(db.rows().await, 13);
}

/// On a terminal a long pass shows a bar; into a pipe it never does.
#[tokio::test]
async fn progress_is_for_terminals() {
    let db = TestDb::new(Dialect::Sqlite).await;
    filled(&db, 6_000).await;
    let binary = Binary::on(&db);
    let purge =
        format!("{} purge --batch-size 100 --max-rows-per-second 2000", env!("CARGO_BIN_EXE_idemctl"));
    let script = std::process::Command::new("script")
        .args(["-qec", &purge, "/dev/null"])
        .env("IDEMCTL_DATABASE_URL", &db.url)
        .env("HOME", binary.home.path())
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&script.stdout);
    assert!(shown.contains("/6,000") && shown.contains("left"), "{shown}");
    assert!(shown.contains("6,000 expired rows deleted"), "{shown}");
}

/// Rows that a trigger refuses by codes of other things, or keeps without a word: all others go, and these are
/// named for what they are.
#[tokio::test]
async fn rows_of_odd_triggers_are_named_and_all_others_go() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.run(
        "CREATE FUNCTION odd() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF old.k IN ('k7', 'k8') THEN RAISE EXCEPTION 'boo' USING ERRCODE = '08006'; END IF;
             IF old.k IN ('k9', 'k10') THEN RETURN NULL; END IF;
             IF TG_OP = 'DELETE' THEN RETURN old; END IF; RETURN new; END $$;
         CREATE TABLE keys (k text PRIMARY KEY, status text NOT NULL, made timestamptz NOT NULL,
             ends timestamptz NOT NULL);
         INSERT INTO keys SELECT 'k' || i, CASE WHEN i % 2 = 0 THEN 'done' ELSE 'busy' END,
             now() - interval '3 days', now() - interval '2 days' + i * interval '1 ms'
             FROM generate_series(1, 40) AS i;
         CREATE TRIGGER odd BEFORE DELETE OR UPDATE ON keys FOR EACH ROW EXECUTE FUNCTION odd()",
    )
    .await;
    let binary = Binary::on(&db);
    let config = binary.home.path().join("c.toml");
    let text = "[[table]]\nname = \"keys\"\nkey = \"k\"\n[table.state]\ncolumn = \"status\"\n\
        in_progress = [\"busy\"]\ncompleted = [\"done\"]\nfailed = [\"failed\"]\n[table.clock]\n\
        created = { column = \"made\", as = \"timestamptz\" }\nexpires = { column = \"ends\", as = \"timestamptz\" }\n\
        [table.fail]\nset = { status = \"failed\" }\n[table.claim]\nexpired = \"absent\"\nfailed = \"final\"\n";
    std::fs::write(&config, text).unwrap();
    let config = config.display().to_string();
    let run = |arguments: &[&str]| binary.run(&[&["--config", &config], arguments].concat());
    let ran = run(&["purge", "--grace", "0s", "-o", "json"]);
    let report = ran.json();
    assert_eq!((ran.code, &report["deleted"], &report["refused"]), (6, &json!(18), &json!(1)), "{ran:?}");
    assert_eq!((&report["end"], &report["backlog"]), (&json!("done"), &json!(2)), "{report}");
    assert_eq!(report["refused_keys"][0], json!({"key": "k8", "scope": "", "reason": "boo"}));
    assert!(ran.stderr.contains("trigger odd"), "{ran:?}");

    let ran = run(&["reap-stuck", "--older-than", "5m"]);
    assert!(ran.code == 6 && ran.stdout.contains("20 stuck, 18 reaped, 2 refused"), "{ran:?}");
    assert!(ran.stdout.contains("kept by trigger odd") && ran.stdout.contains("boo"), "{ran:?}");
    assert!(!ran.stdout.contains("hold") && !ran.stdout.contains("faster"), "{ran:?}");

    for (verb, key, said) in [
        ("fail", "k9", "kept by trigger odd"),
        ("fail", "k7", "boo"),
        ("forget", "k10", "kept by trigger odd"),
        ("forget", "k8", "boo"),
    ] {
        let ran = run(&[verb, "--yes", key]);
        assert!(
            ran.code == 5 && ran.stdout.contains("refused") && ran.stdout.contains(said),
            "{verb} {key}: {ran:?}"
        );
        assert!(!ran.stdout.contains("changed between"), "{verb} {key}: {ran:?}");
    }
    // One that others lock, and one whose trigger needs a table that is not there, stop no others.
    db.run(
        "CREATE OR REPLACE FUNCTION odd() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF old.k = 'k8' THEN INSERT INTO nowhere VALUES (1); END IF; RETURN old; END $$;
         INSERT INTO keys SELECT k || 'x', 'done', made, ends FROM keys WHERE status = 'done'",
    )
    .await;
    let mut holder = db.raw().await;
    holder.run("BEGIN; SELECT 1 FROM keys WHERE k = 'k10' FOR UPDATE").await;
    let ran = run(&["forget", "--yes", "k8", "k10", "k8x", "k10x", "-o", "json"]);
    let report = ran.json();
    assert_eq!((ran.code, &report["changed"], &report["refused"]), (6, &json!(2), &json!(2)), "{ran:?}");
    assert!(report["keys"][0]["why"].to_string().contains("nowhere"), "{report}");
    assert!(report["keys"][1]["why"].to_string().contains("holds a lock"), "{report}");
    holder.run("COMMIT").await;
    holder.close().await;
}

/// A key that can't be in the table is missing, and stops no other.
#[tokio::test]
async fn a_key_that_no_row_can_hold_stops_no_other() {
    let db = TestDb::new(Dialect::Postgres).await;
    let long_ago = START.minus(secs(200_000_000));
    db.fill_as("failed", "f", 5, long_ago, &db.time(START.plus(secs(1_000_000_000)))).await;
    db.run("UPDATE idempotency_keys SET retry_allowed = false").await;
    let binary = Binary::on(&db);
    let listed = binary.run(&["list", "--status", "failed", "-o", "jsonl"]).stdout;
    let lines = listed.replacen("\"key\":\"f2\"", "\"key\":\"f\\u0000\"", 1);
    assert_ne!(lines, listed);
    let mut child = binary
        .command(&["release", "--yes", "-o", "json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), lines.as_bytes()).unwrap();
    let ran = Ran::from(child.wait_with_output().unwrap());
    let report = ran.json();
    assert_eq!((ran.code, &report["changed"], &report["missing"]), (6, &json!(4), &json!(1)), "{ran:?}");

    db.run(
        "CREATE TABLE keys (k uuid PRIMARY KEY, status text NOT NULL, made timestamptz NOT NULL);
         INSERT INTO keys VALUES ('00000000-0000-0000-0000-000000000001', 'done', now())",
    )
    .await;
    let config = binary.home.path().join("c.toml");
    let text = "[[table]]\nname = \"keys\"\nkey = \"k\"\n[table.state]\ncolumn = \"status\"\n\
        in_progress = [\"busy\"]\ncompleted = [\"done\"]\nfailed = [\"failed\"]\n[table.clock]\n\
        created = { column = \"made\", as = \"timestamptz\" }\n";
    std::fs::write(&config, text).unwrap();
    let config = config.display().to_string();
    let keys = ["--config", &config, "forget", "--yes", "no-uuid", "00000000-0000-0000-0000-000000000001"];
    let ran = binary.run(&keys);
    assert!(ran.code == 6 && ran.stdout.contains("1 changed, 1 without a row"), "{ran:?}");
    assert!(ran.stdout.contains("no such key can be there"), "{ran:?}");
}

/// What row level security hides is unknown, and never 0.
#[tokio::test]
async fn a_backlog_that_may_be_hidden_is_null() {
    let db = TestDb::new(Dialect::Postgres).await;
    filled(&db, 10).await;
    db.run(
        "CREATE ROLE hidden_purger LOGIN;
         GRANT ALL ON ALL TABLES IN SCHEMA public TO hidden_purger;
         ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
         CREATE POLICY looks ON idempotency_keys FOR SELECT TO hidden_purger USING (true);
         CREATE POLICY goes ON idempotency_keys FOR DELETE TO hidden_purger USING (idempotency_key <> 'old-8')",
    )
    .await;
    let binary = Binary::at(&db.url.replace("postgres@", "hidden_purger@"));
    let dry = binary.json(&["purge", "--dry-run"]);
    assert_eq!(
        (&dry["matched"], &dry["backlog"], &dry["unrecognized"]),
        (&json!(10), &json!(10), &json!(null))
    );
    let ran = binary.run(&["purge", "-o", "json"]);
    let report = ran.json();
    assert_eq!((ran.code, &report["deleted"], &report["backlog"]), (6, &json!(9), &json!(1)), "{ran:?}");
    db.run(
        "DELETE FROM idempotency_keys WHERE idempotency_key = 'old-8';
         DROP POLICY looks ON idempotency_keys;
         CREATE POLICY looks ON idempotency_keys FOR SELECT TO hidden_purger USING (idempotency_key <> 'old-9')",
    )
    .await;
    let ran = binary.run(&["purge", "-o", "json"]);
    let report = ran.json();
    assert_eq!((ran.code, &report["backlog"], &report["backlog_exact"]), (6, &json!(null), &json!(false)));
    let dry = binary.json(&["purge", "--dry-run"]);
    assert_eq!((&dry["matched"], &dry["backlog"]), (&json!(0), &json!(null)), "{dry}");
    assert_eq!(dry["backlog_exact"], json!(false), "{dry}");
    let once = binary.run(&["janitor", "--once"]);
    assert!(once.code == 6 && once.stdout.contains("not counted"), "{once:?}");
}
