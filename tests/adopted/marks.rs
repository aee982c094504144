//! Columns that are set while a worker is at the row, and states that stay on purpose.

use serde_json::Value;

use crate::harness::{Adopted, set};
use crate::support::Dialect;

const DIALECTS: [Dialect; 2] = [Dialect::Postgres, Dialect::Sqlite];

/// A schema with the dialect's seconds since 1970 in the place of NOW.
fn at_now(dialect: Dialect, schema: &str) -> String {
    let now = match dialect {
        Dialect::Postgres => "CAST(extract(epoch FROM now()) AS bigint)",
        _ => "unixepoch()",
    };
    schema.replace("NOW", now)
}

/// The findings of `doctor` that warn of rows.
fn warnings_of_rows(adopted: &Adopted) -> Vec<Value> {
    let findings = adopted.run(&["doctor", "-o", "json"]).json()["findings"].as_array().unwrap().clone();
    let of_rows = |finding: &Value| {
        let code = finding["code"].as_str().unwrap();
        code.starts_with("state_") || code.starts_with("clock_misspelled") || code.starts_with("clock_null")
    };
    findings.into_iter().filter(of_rows).collect()
}

const LOCKS: &str = "
    CREATE TABLE jobs (key varchar(50) PRIMARY KEY, locked_at bigint, owner text, created bigint NOT NULL,
        expires bigint NOT NULL);
    INSERT INTO jobs VALUES
        ('idle', NULL, NULL, NOW - 9000, NOW - 8900),
        ('locked', NOW - 8000, NULL, NOW - 9000, NOW - 8900),
        ('owned', NULL, 'w1', NOW - 9000, NOW - 8900),
        ('busy', NOW - 5, 'w2', NOW - 9000, NOW - 8900),
        ('young', NULL, NULL, NOW - 10, NOW + 9000);";

const LOCKS_CONFIG: &str = r#"
    [[table]]
    name = "jobs"
    key = ["key"]
    [table.state]
    set_means_in_progress = ["locked_at", "owner"]
    [table.clock]
    created = { column = "created", as = "epoch_s" }
    alive = { column = "locked_at", as = "epoch_s" }
    expires = { column = "expires", as = "epoch_s" }
    [table.reap]
    older_than = "5m"
    [table.fail]
    set_null = ["locked_at", "owner"]
"#;

#[tokio::test]
async fn a_row_is_in_progress_while_one_of_several_columns_is_set() {
    for dialect in DIALECTS {
        let adopted = Adopted::new(dialect, &at_now(dialect, LOCKS), LOCKS_CONFIG).await;
        assert_eq!(adopted.listed(&["--status", "in_progress"]), set(&["locked", "owned", "busy"]));
        assert_eq!(adopted.listed(&["--status", "completed"]), set(&["idle", "young"]));
        assert_eq!(adopted.listed(&["--stuck"]), set(&["locked", "owned"]));
        assert_eq!(adopted.json(&["inspect", "owned"])[0]["status"], "in_progress");
        assert_eq!(adopted.verdict("locked"), "unknown");
        assert_eq!(adopted.verdict("young"), "replay");
        let stats = adopted.json(&["stats", "--exact"]);
        assert_eq!(stats["states"]["in_progress"]["value"], 3, "{stats}");
        assert_eq!((&stats["stuck"]["value"], &stats["backlog"]["rows"]["value"]), (&2.into(), &1.into()));
        assert_eq!(adopted.json(&["purge"])["deleted"], 1);
        assert_eq!(adopted.listed(&[]), set(&["locked", "owned", "busy", "young"]));
        let reaped = adopted.json(&["reap-stuck", "--retry", "allow"]);
        assert_eq!(reaped["reaped"], 2, "{reaped}");
        assert_eq!(adopted.listed(&["--status", "in_progress"]), set(&["busy"]));
        let free = "SELECT count(*) FROM jobs WHERE locked_at IS NULL AND owner IS NULL";
        assert_eq!(adopted.db.number(free).await, 3);
        assert_eq!(adopted.json(&["reap-stuck", "--retry", "allow"])["reaped"], 0);
        assert_eq!(warnings_of_rows(&adopted), Vec::<Value>::new());
        // What is not at work any more is done, and goes with its expiry.
        assert_eq!(adopted.json(&["purge"])["deleted"], 2);
        assert_eq!(adopted.listed(&[]), set(&["busy", "young"]));
    }
}

const STATES: &str = "
    CREATE TABLE jobs (key varchar(50) PRIMARY KEY, status text, busy boolean NOT NULL, lock_no int NOT NULL,
        created bigint, expires text);
    INSERT INTO jobs VALUES
        ('open', 'open', false, 0, NOW - 9000, '2020-01-01 00:00:00'),
        ('done', 'done', false, 0, NOW - 9000, '2020-01-01 00:00:00'),
        ('bad', 'bad', false, 0, NOW - 9000, '2020-01-01 00:00:00'),
        ('done-busy', 'done', true, 0, NOW - 9000, '2020-01-01 00:00:00'),
        ('bad-locked', 'bad', false, 7, NOW - 9000, '2020-01-01 00:00:00'),
        ('kept', 'archived', false, 0, NOW - 9000, '2020-01-01 00:00:00'),
        ('kept-busy', 'disputed', true, 3, NOW - 9000, '2020-01-01 00:00:00'),
        ('kept-odd', 'archived', false, 0, NULL, '1.1.2020'),
        ('kept-null', NULL, false, 0, NOW - 9000, NULL);";

const STATES_CONFIG: &str = r#"
    [[table]]
    name = "jobs"
    key = ["key"]
    [table.state]
    column = "status"
    in_progress = ["open"]
    completed = ["done"]
    failed = ["bad"]
    keep = ["archived", "disputed"]
    null = "keep"
    set_means_in_progress = ["busy", { column = "lock_no", unset = [0] }]
    [table.clock]
    created = { column = "created", as = "epoch_s" }
    expires = { column = "expires", as = { text = "sqlite" } }
    [table.reap]
    older_than = "5m"
    [table.fail]
    set = { status = "bad", busy = false, lock_no = 0 }
    [table.release]
    set = { status = "open" }
    [table.show]
    response_ref = "key"
"#;

#[tokio::test]
async fn a_lock_beside_a_state_counts_and_what_is_kept_stays() {
    let kept = ["kept", "kept-busy", "kept-odd", "kept-null"];
    for dialect in DIALECTS {
        let adopted = Adopted::new(dialect, &at_now(dialect, STATES), STATES_CONFIG).await;
        let working = ["open", "done-busy", "bad-locked"];
        assert_eq!(adopted.listed(&["--status", "in_progress"]), set(&working));
        assert_eq!(adopted.listed(&["--status", "completed"]), set(&["done"]));
        assert_eq!(adopted.listed(&["--status", "failed"]), set(&["bad"]));
        assert_eq!(adopted.listed(&["--status", "kept"]), set(&kept));
        assert_eq!(adopted.listed(&["--status", "unknown"]), set(&[]));
        assert_eq!(adopted.listed(&["--stuck"]), set(&working));
        adopted.refuses(&["list", "--status", "kept", "--status", "failed"], 2, &["--status kept alone"]);
        let shown = &adopted.json(&["inspect", "kept-busy"])[0];
        assert_eq!((&shown["status"], &shown["verdict"]), (&"kept".into(), &"unknown".into()));
        assert!(shown["why"].as_str().unwrap().contains("disputed"), "{shown}");
        assert!(adopted.run(&["inspect", "kept"]).stdout.contains("kept on purpose"));
        let stats = adopted.json(&["stats", "--exact"]);
        for (state, rows) in
            [("in_progress", 3), ("completed", 1), ("failed", 1), ("kept", 4), ("unknown", 0)]
        {
            assert_eq!(stats["states"][state]["value"], rows, "{state}: {stats}");
        }
        let stays = &stats["backlog"]["stays"];
        assert_eq!(stays["unreadable"]["value"], 0, "{stats}");
        assert_eq!(stays["without_clock"]["value"], 0, "{stats}");
        assert!(adopted.run(&["stats", "--exact"]).stdout.contains("4, on purpose"));
        assert_eq!(warnings_of_rows(&adopted), Vec::<Value>::new());

        let purged = adopted.json(&["purge"]);
        assert_eq!((&purged["deleted"], &purged["unrecognized"]), (&2.into(), &0.into()), "{purged}");
        let reaped = adopted.json(&["reap-stuck", "--retry", "allow"]);
        assert_eq!((&reaped["reaped"], &reaped["unrecognized"]), (&3.into(), &0.into()), "{reaped}");
        let failed = "SELECT count(*) FROM jobs WHERE status = 'bad' AND lock_no = 0";
        assert_eq!(adopted.db.number(failed).await, 3);
        assert_eq!(adopted.listed(&["--status", "kept"]), set(&kept));
        for command in ["fail", "release", "forget"] {
            let refused = adopted.run(&[command, "kept", "--yes", "-o", "json"]);
            assert_eq!(refused.json()["changed"], 0, "{command}: {refused:?}");
            assert!(refused.stdout.contains("kept on purpose"), "{command}: {refused:?}");
        }
        adopted.refuses(&["replay", "kept"], 5, &["kept on purpose"]);
        assert_eq!(adopted.json(&["forget", "kept", "--force", "--yes"])["changed"], 1);
        // One that nobody lists is still reported.
        adopted.db.run("UPDATE jobs SET status = 'odd' WHERE key = 'kept-busy'").await;
        assert_eq!(adopted.listed(&["--status", "unknown"]), set(&["kept-busy"]));
        assert_eq!(adopted.run(&["purge", "-o", "json"]).json()["unrecognized"], 1);
        assert_eq!(warnings_of_rows(&adopted)[0]["code"], "state_unlisted");
    }
}

/// What `unset` lists is compared to the letter, and a flag of SQLite as libraries write it.
#[tokio::test]
async fn what_is_set_is_told_to_the_letter() {
    let config = STATES_CONFIG.replace(
        "[\"busy\", { column = \"lock_no\", unset = [0] }]",
        "{ column = \"owner\", unset = [\"\", \"none\"] }",
    );
    let config = config.replace("busy = false, lock_no = 0", "owner = \"\"");
    let schema = "CREATE TABLE jobs (key varchar(50) PRIMARY KEY, status text, owner varchar(9) NOT NULL, \
        created bigint, expires text);
        INSERT INTO jobs VALUES ('a', 'done', '', 1700000000, NULL), ('b', 'done', 'none', 1700000000, NULL),
            ('c', 'done', 'None', 1700000000, NULL), ('d', 'done', ' ', 1700000000, NULL);";
    for dialect in DIALECTS {
        let schema = match dialect {
            Dialect::Postgres => schema.replace("owner varchar(9)", "owner varchar(9) COLLATE folded").replacen(
                "CREATE",
                "CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false); CREATE",
                1,
            ),
            _ => schema.replace("owner varchar(9)", "owner varchar(9) COLLATE NOCASE"),
        };
        let adopted = Adopted::new(dialect, &schema, &config).await;
        assert_eq!(adopted.listed(&["--status", "in_progress"]), set(&["c", "d"]));
        assert_eq!(adopted.listed(&["--status", "completed"]), set(&["a", "b"]));
        assert_eq!(adopted.json(&["fail", "c", "--yes", "--retry", "allow"])["changed"], 1);
        assert_eq!(adopted.db.number("SELECT count(*) FROM jobs WHERE status = 'bad'").await, 1);
    }
    let schema = "CREATE TABLE jobs (key text PRIMARY KEY, status text, busy boolean, created bigint, expires text);
        INSERT INTO jobs VALUES ('a', 'done', 0, 1700000000, NULL), ('b', 'done', 'f', 1700000000, NULL),
            ('c', 'done', 't', 1700000000, NULL), ('d', 'done', 1, 1700000000, NULL), ('e', 'done', NULL, 1, NULL);";
    let config =
        STATES_CONFIG.replace(", { column = \"lock_no\", unset = [0] }", "").replace(", lock_no = 0", "");
    let adopted = Adopted::new(Dialect::Sqlite, schema, &config).await;
    assert_eq!(adopted.listed(&["--status", "in_progress"]), set(&["c", "d"]));
}

/// A mark that can't be one is refused, and so is a rule that leaves it set.
#[tokio::test]
async fn a_mark_that_does_not_fit_is_named() {
    for (from, to, code, words) in [
        (
            "{ column = \"lock_no\", unset = [0] }",
            "\"lock_no\"",
            8,
            ["set_means_in_progress", "never holds NULL"],
        ),
        ("\"busy\", ", "\"bussy\", ", 8, ["set_means_in_progress", "the nearest is \"busy\""]),
        ("unset = [0]", "unset = [\"free\"]", 8, ["set_means_in_progress", "can't hold \"free\""]),
        ("unset = [0]", "unset = []", 2, ["set_means_in_progress", "lists no value"]),
        ("\"busy\", ", "\"busy\", \"busy\", ", 2, ["\"busy\" twice", "table.state"]),
        ("[\"archived\", \"disputed\"]", "[\"open\"]", 2, ["the value \"open\" twice", "table.state"]),
    ] {
        for dialect in DIALECTS {
            let config = STATES_CONFIG.replace(from, to);
            let adopted = Adopted::new(dialect, &at_now(dialect, STATES), &config).await;
            // SQLite takes any text in a column of numbers.
            let code = if matches!(dialect, Dialect::Sqlite) && to.contains("free") { 8 } else { code };
            adopted.refuses(&["list"], code, &words);
        }
    }
    for fail in [
        "{ status = \"bad\" }",
        "{ status = \"bad\", busy = true, lock_no = 0 }",
        "{ status = \"bad\", lock_no = 0 }",
    ] {
        for dialect in DIALECTS {
            let config = STATES_CONFIG.replace("{ status = \"bad\", busy = false, lock_no = 0 }", fail);
            let adopted = Adopted::new(dialect, &at_now(dialect, STATES), &config).await;
            for command in [&["reap-stuck"][..], &["fail", "open", "--yes"]] {
                adopted.refuses(command, 8, &["table.fail", "\"busy\" set", "in progress for ever"]);
            }
            assert_eq!(adopted.json(&["purge"])["deleted"], 2);
        }
    }
}

/// What marks a row may say since when it is at work, and what refers to something may be the key.
#[tokio::test]
async fn a_mark_may_be_a_clock_as_well() {
    let config = |encoding: &str| {
        format!(
            "[[table]]\nname = \"jobs\"\nkey = \"id\"\n[table.state]\nset_means_in_progress = [\"locked\", \"by\"]\n\
             [table.clock]\ncreated = {{ column = \"made\", as = {encoding} }}\n\
             claimed = {{ column = \"locked\", as = {encoding} }}\n[table.fail]\ndelete = true\n\
             [table.show]\nresponse_ref = \"made\"\n"
        )
    };
    for (dialect, types, encoding, ago) in [
        (Dialect::Postgres, "timestamptz", "\"timestamptz\"", "now() - interval '1 hour'"),
        (
            Dialect::Postgres,
            "timestamp",
            "{ naive = \"UTC\" }",
            "now() AT TIME ZONE 'UTC' - interval '1 hour'",
        ),
        (Dialect::Sqlite, "INTEGER", "\"epoch_s\"", "unixepoch() - 3600"),
    ] {
        let id = if matches!(dialect, Dialect::Postgres) { "uuid" } else { "TEXT" };
        let schema = format!(
            "CREATE TABLE jobs (id {id} PRIMARY KEY, locked {types}, \"by\" text, made {types} NOT NULL);
             INSERT INTO jobs VALUES ('00000000-0000-0000-0000-000000000001', {ago}, 'w', {ago}),
                 ('00000000-0000-0000-0000-000000000002', NULL, NULL, {ago})"
        );
        let adopted = Adopted::new(dialect, &schema, &config(encoding)).await;
        for sort in ["key", "claimed", "claimed-desc"] {
            let rows = adopted.json(&["list", "--sort", sort]);
            assert_eq!(rows.as_array().unwrap().len(), 2, "{encoding} {sort}: {rows}");
        }
        assert_eq!(adopted.json(&["list", "--stuck", "--older-than", "5m"]).as_array().unwrap().len(), 1);
        assert_eq!(adopted.json(&["reap-stuck", "--older-than", "5m"])["reaped"], 1, "{encoding}");
    }
}
