//! Rows that hold what nobody expects: one of them stops neither a list nor a pass, each is compared as it
//! was read, and nothing is written that is computed from what can't be read.

use crate::binary::Binary;
use crate::harness::{Adopted, set};
use crate::support::{Dialect, TestDb};

const CONFIG: &str = r#"
    [[table]]
    name = "keys"
    key = "k"
    [table.state]
    column = "st"
    in_progress = ["busy"]
    completed = ["done"]
    failed = ["failed"]
    [table.clock]
    created = { column = "created", as = CREATED }
    expires = { column = "expires", as = EXPIRES }
    [table.fail]
    set = { st = "failed" }
    [table.release]
    set = { st = "busy" }
    [table.claim]
    expired = "absent"
    failed = "final"
    [table.show]
    attempt = "attempt"
    owner = "owner"
"#;

fn config(created: &str, expires: &str) -> String {
    CONFIG.replace("CREATED", created).replace("EXPIRES", expires)
}

const TEXT: &str = "{ text = \"sqlite\" }";

/// One key in each storage class that SQLite has, in columns of every affinity.
#[tokio::test]
async fn keys_of_every_storage_class_are_listed_found_and_changed() {
    for (kind, guard) in [("BLOB", "scope"), ("", "scope"), ("TEXT", "scope"), ("NUMERIC", "k")] {
        let schema = format!(
            "CREATE TABLE keys (k {kind}, scope {kind}, st TEXT NOT NULL, created INTEGER, expires INTEGER,
                 attempt INTEGER, owner TEXT, UNIQUE (k, scope));
             INSERT INTO keys
             SELECT k, s, 'busy', unixepoch() - 9000, unixepoch() + 90000, a, o
             FROM (SELECT 5 AS k, 5 AS s, 1 AS a, 'w' AS o UNION ALL SELECT 'five', '5', 'one', x'ff'
                 UNION ALL SELECT x'0a05', x'05', x'01', cast(x'4aff' AS text)
                 UNION ALL SELECT 5.5, 5.5, 2.5, 7 UNION ALL SELECT cast(x'6b79e9' AS text), cast(x'e9' AS text), NULL, NULL)"
        );
        let config =
            config("\"epoch_s\"", "\"epoch_s\"").replace("key = \"k\"", "key = \"k\"\nscope = \"scope\"");
        let adopted = Adopted::new(Dialect::Sqlite, &schema, &config).await;
        let keys = set(&["5", "five", "0a05", "5.5", "6b79e9"]);
        assert_eq!(adopted.listed(&[]), keys, "{kind}");
        for key in &keys {
            let rows = adopted.json(&["inspect", key]);
            assert_eq!(rows.as_array().unwrap().len(), 1, "{kind} {guard} {key}: {rows}");
        }
        // One by one, as it was listed.
        let lines = adopted.run(&["list", "-o", "jsonl", "--limit", "0"]);
        let failed = adopted.run_with(&["fail", "--yes", "-o", "json", "-"], &lines.stdout);
        assert_eq!((failed.code, &failed.json()["changed"]), (0, &5.into()), "{kind}: {failed:?}");
        adopted.db.run("UPDATE keys SET st = 'busy'").await;
        let reaped = adopted.json(&["reap-stuck", "--older-than", "5m", "--retry", "block"]);
        assert_eq!((&reaped["matched"], &reaped["reaped"]), (&5.into(), &5.into()), "{kind}: {reaped}");
        assert_eq!(adopted.db.number("SELECT count(*) FROM keys WHERE st = 'failed'").await, 5);
    }
}

/// The same with many of them: a page's end is compared in the storage class that it was read in.
#[tokio::test]
async fn pages_go_on_after_a_row_of_any_storage_class() {
    let schema = "CREATE TABLE keys (k PRIMARY KEY, st TEXT, created INTEGER, expires INTEGER, attempt INTEGER, owner);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO keys SELECT CASE i % 5 WHEN 0 THEN i WHEN 1 THEN 'k' || i WHEN 2 THEN CAST('k' || i AS blob)
            WHEN 3 THEN i + 0.5 ELSE CAST(CAST('k' || i AS blob) || x'ff' AS text) END,
            'busy', unixepoch() - 9000, unixepoch() + 90000, 1, '' FROM n";
    let adopted = Adopted::new(Dialect::Sqlite, schema, &config("\"epoch_s\"", "\"epoch_s\"")).await;
    assert_eq!(adopted.listed(&[]).len(), 2000);
    let reaped = adopted.json(&["reap-stuck", "--older-than", "5m"]);
    assert_eq!(reaped["reaped"], 2000);
}

/// A state is known when it is the very text of the mapping.
#[tokio::test]
async fn a_state_in_another_case_is_unknown_and_stays() {
    for (dialect, kind, prepare) in [
        (Dialect::Sqlite, "TEXT COLLATE NOCASE", ""),
        (Dialect::Sqlite, "TEXT COLLATE RTRIM", ""),
        (
            Dialect::Postgres,
            "text COLLATE folding",
            "CREATE COLLATION folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false);",
        ),
    ] {
        let now = match dialect {
            Dialect::Postgres => "CAST(extract(epoch FROM now()) AS bigint)",
            _ => "unixepoch()",
        };
        let odd = if kind.ends_with("RTRIM") { "done " } else { "DONE" };
        let schema = format!(
            "{prepare} CREATE TABLE keys (k {kind}, st {kind} NOT NULL, created bigint, expires bigint,
                 attempt int, owner text);
             CREATE UNIQUE INDEX u ON keys (k COLLATE {binary});
             INSERT INTO keys VALUES ('a', '{odd}', {now} - 200000, {now} - 100000),
                 ('b', 'done', {now} - 200000, {now} - 100000), ('c', 'BUSY ', {now} - 9000, {now} + 9000),
                 ('d', 'busy', {now} - 9000, {now} + 9000), ('D', 'busy', {now} - 9000, {now} + 9000)",
            binary = if matches!(dialect, Dialect::Postgres) { "\"C\"" } else { "BINARY" }
        )
        .replace(", attempt int, owner text", "");
        let config = config("\"epoch_s\"", "\"epoch_s\"")
            .replace("attempt = \"attempt\"", "")
            .replace("owner = \"owner\"", "");
        let schema = schema.replace(",\n                 attempt int, owner text", "");
        let adopted = Adopted::new(dialect, &schema, &config).await;
        assert_eq!(adopted.listed(&["--status", "unknown"]), set(&["a", "c"]), "{kind}");
        assert_eq!(adopted.verdict("a"), "unknown", "{kind}");
        let purged = adopted.run(&["purge", "-o", "json"]);
        assert_eq!((purged.code, &purged.json()["deleted"]), (6, &1.into()), "{kind}: {purged:?}");
        // Its neighbour, whose key the column's collation takes for the same, is not touched with it.
        let lines = adopted.run(&["list", "--status", "in_progress", "-o", "jsonl"]);
        let line = lines.stdout.lines().find(|line| line.contains("\"key\":\"D\"")).unwrap().to_owned();
        let failed = adopted.run_with(&["fail", "--yes", "-o", "json", "-"], &line);
        let still = "SELECT count(*) FROM keys WHERE st = 'busy'";
        if failed.code == 0 {
            assert_eq!(adopted.db.number(still).await, 1, "{kind}: {failed:?}");
        } else {
            assert_eq!(adopted.db.number(still).await, 2, "{kind}: {failed:?}");
        }
    }
}

/// Whoever writes an expiry computes it from one that can be read. The others are left, named and counted.
#[tokio::test]
async fn no_expiry_is_computed_from_what_cannot_be_read() {
    const FAR: &str = "2099-12-01 10:00:00";
    let text = |value: &str| format!("'{value}'");
    for (dialect, kind, encoding, readable, odd) in [
        (
            Dialect::Sqlite,
            "TEXT",
            TEXT,
            text(FAR),
            vec![
                text("2099-12-01T10:00:00+01:00"),
                text(""),
                text("1970-01-01 00:00:00"),
                text("2099-02-29 10:00:00"),
            ],
        ),
        (
            Dialect::Postgres,
            "text",
            TEXT,
            text(FAR),
            vec![
                text("2099-12-01T10:00:00Z"),
                text("never"),
                text("0001-01-01 00:00:00"),
                text("2099-02-29 10:00:00"),
                text("2099-04-31 10:00:00"),
            ],
        ),
        (Dialect::Postgres, "bigint", "\"epoch_s\"", "4000000000".into(), vec!["-1".into(), "1".into()]),
        (
            Dialect::Sqlite,
            "INTEGER",
            "\"epoch_ms\"",
            "4000000000000".into(),
            vec![text("soon"), "x'00'".into()],
        ),
        (
            Dialect::Postgres,
            "timestamptz",
            "\"timestamptz\"",
            text(FAR),
            vec![text("-infinity"), text("1970-01-01")],
        ),
        (
            Dialect::Postgres,
            "timestamp",
            "{ naive = \"Europe/Berlin\" }",
            text(FAR),
            vec![text("-infinity"), text("1999-01-01")],
        ),
    ] {
        let rows: Vec<String> = odd
            .iter()
            .enumerate()
            .map(|(index, value)| format!("('odd{index}', 'busy', {{then}}, {value})"))
            .collect();
        let then = if matches!(dialect, Dialect::Postgres) {
            "CAST(extract(epoch FROM now()) AS bigint) - 9000"
        } else {
            "unixepoch() - 9000"
        };
        let schema = format!(
            "CREATE TABLE keys (k varchar(20) PRIMARY KEY, st text, created bigint, expires {kind});
             INSERT INTO keys VALUES ('good', 'busy', {then}, {readable}), {}",
            rows.join(", ").replace("{then}", then)
        );
        let config = config("\"epoch_s\"", encoding)
            .replace("attempt = \"attempt\"", "")
            .replace("owner = \"owner\"", "");
        for retry in ["allow", "block"] {
            let adopted = Adopted::new(dialect, &schema, &config).await;
            let reap = ["reap-stuck", "--older-than", "5m", "--retry", retry, "-o", "json"];
            let dry = adopted.run(&[&reap[..], &["--dry-run"]].concat()).json();
            assert_eq!(dry["unreadable"], odd.len(), "{kind} {retry}: {dry}");
            let reaped = adopted.run(&reap);
            let report = reaped.json();
            assert_eq!((reaped.code, &report["reaped"]), (6, &1.into()), "{kind} {retry}: {reaped:?}");
            assert_eq!(report["unreadable"], odd.len(), "{kind} {retry}: {report}");
            assert_eq!(report["matched"], odd.len() + 1, "{kind} {retry}: {report}");
            for key in report["keys"].as_array().unwrap() {
                let is_odd = key["key"].as_str().unwrap().starts_with("odd");
                assert_eq!(
                    is_odd,
                    key["unreadable"].as_str().is_some_and(|why| why.contains("expires")),
                    "{key}"
                );
            }
            for (index, value) in odd.iter().enumerate() {
                let kept = format!(
                    "SELECT count(*) FROM keys WHERE k = 'odd{index}' AND st = 'busy' AND expires = {value}"
                );
                assert_eq!(adopted.db.number(&kept).await, 1, "{kind} {retry}: {value}");
                let failed =
                    adopted.run(&["fail", "--yes", "--retry", retry, &format!("odd{index}"), "-o", "json"]);
                assert_eq!((failed.code, &failed.json()["refused"]), (5, &1.into()), "{failed:?}");
                assert_eq!(adopted.db.number(&kept).await, 1, "{kind} {retry}: {value}");
            }
        }
    }
}

/// An expiry that is not after its claim says nothing about how long a block must hold.
#[tokio::test]
async fn a_block_is_never_counted_from_an_expiry_that_is_not_after_its_claim() {
    let at = |by: &str| format!("now() - interval '1 hour' {by}");
    for (kind, encoding, moments) in [
        ("timestamptz", "\"timestamptz\"", [at("- interval '1 hour'"), at(""), at("+ interval '1 ms'")]),
        (
            "bigint",
            "\"epoch_s\"",
            ["- interval '1 hour'", "", "- interval '20 years'"]
                .map(|by| format!("CAST(extract(epoch FROM {}) AS bigint)", at(by))),
        ),
    ] {
        let [before, equal, after] = moments;
        let schema = format!(
            "CREATE TABLE keys (k text PRIMARY KEY, st text, created timestamptz, expires {kind});
             INSERT INTO keys VALUES ('a', 'busy', {then}, {before}), ('b', 'busy', {then}, {equal}),
                 ('c', 'busy', {then}, {after})",
            then = at("")
        );
        let config = config("\"timestamptz\"", encoding)
            .replace("attempt = \"attempt\"", "")
            .replace("owner = \"owner\"", "");
        let adopted = Adopted::postgres(&schema, &config).await;
        let reap = ["reap-stuck", "--older-than", "5m", "-o", "json"];
        let blocked = adopted.run(&[&reap[..], &["--retry", "block"]].concat());
        let report = blocked.json();
        assert_eq!(
            (blocked.code, &report["reaped"], &report["unreadable"]),
            (6, &0.into(), &3.into()),
            "{report}"
        );
        let why = report["keys"][0]["unreadable"].as_str().unwrap();
        assert!(why.contains("expires") && why.contains("not after its claim"), "{why}");
        assert_eq!(adopted.db.number("SELECT count(*) FROM keys WHERE st = 'busy'").await, 3);
        // A retry that is allowed waits for no expiry.
        let allowed = adopted.run(&reap);
        assert_eq!((allowed.code, &allowed.json()["reaped"]), (0, &3.into()), "{allowed:?}");
    }
}

/// In our own table such a block holds for a day.
#[tokio::test]
async fn a_block_in_our_own_table_holds_whatever_somebody_made_of_the_expiry() {
    for (dialect, claimed, expires, hours) in [
        (
            Dialect::Postgres,
            "now() - interval '2 hours'",
            "now() - interval '3 hours'",
            "CAST(extract(epoch FROM expires_at - now()) / 3600 AS bigint)",
        ),
        (
            Dialect::Sqlite,
            "(unixepoch() - 7200) * 1000000",
            "(unixepoch() - 10800) * 1000000",
            "(expires_at / 1000000 - unixepoch() + 1800) / 3600",
        ),
    ] {
        let db = TestDb::empty(dialect).await;
        let binary = Binary::on(&db);
        assert_eq!(binary.run(&["migrate"]).code, 0);
        assert_eq!(binary.run(&["run", "--key", "k", "--", "false"]).code, 1);
        db.run(&format!(
            "UPDATE idempotency_keys SET status = 'in_progress', claimed_at = {claimed}, renewed_at = {claimed},
                 lease_expires_at = NULL, finished_at = NULL, failure = NULL, expires_at = {expires}"
        ))
        .await;
        let reaped = binary.run(&["reap-stuck", "--older-than", "5m", "--retry", "block", "-o", "json"]);
        assert_eq!((reaped.code, &reaped.json()["reaped"]), (0, &1.into()), "{reaped:?}");
        assert_eq!(db.number(&format!("SELECT {hours} FROM idempotency_keys")).await, 24);
    }
}

/// What says "never" stays as it is written, whichever way that is.
#[tokio::test]
async fn an_expiry_that_means_never_stays() {
    for (kind, encoding, never) in [
        ("timestamptz", "\"timestamptz\"", "'infinity'"),
        ("timestamptz", "\"timestamptz\"", "'9999-12-31'"),
        ("timestamptz", "\"timestamptz\"", "'294276-12-31 23:00:00+00'"),
        ("timestamp", "{ naive = \"Asia/Tokyo\" }", "'294276-12-31 23:00:00'"),
        ("timestamp", "{ naive = \"Asia/Tokyo\" }", "'infinity'"),
        ("bigint", "\"epoch_ms\"", "9223372036854775807"),
        ("bigint", "\"epoch_ms\"", "0"),
        ("integer", "\"epoch_s\"", "0"),
        ("double precision", "\"epoch_s\"", "'Infinity'"),
        ("text", TEXT, "'9999-12-31 23:59:59'"),
    ] {
        let schema = format!(
            "CREATE TABLE keys (k text PRIMARY KEY, st text, created timestamptz, expires {kind});
             INSERT INTO keys VALUES ('never', 'busy', now() - interval '1 hour', {never}), ('null', 'busy', now() - interval '1 hour', NULL)"
        );
        let config = config("\"timestamptz\"", encoding)
            .replace("attempt = \"attempt\"", "")
            .replace("owner = \"owner\"", "");
        let adopted = Adopted::postgres(&schema, &config).await;
        let reaped = adopted.json(&["reap-stuck", "--older-than", "5m", "--retry", "block"]);
        assert_eq!((&reaped["reaped"], &reaped["unreadable"]), (&2.into(), &0.into()), "{never}: {reaped}");
        let kept = format!(
            "SELECT count(*) FROM keys WHERE st = 'failed' AND (expires = {never} OR expires IS NULL)"
        );
        assert_eq!(adopted.db.number(&kept).await, 2, "{kind} {never}");
        assert_eq!(adopted.verdict("never"), "final_failure");
    }
}

/// A lease that runs protects a settled row as well: its application may be at work on it again.
#[tokio::test]
async fn a_running_lease_protects_an_expired_row_from_the_purge_and_what_stays_is_said() {
    for (dialect, kind, encoding, moment) in [
        (Dialect::Postgres, "timestamptz", "\"timestamptz\"", "now() + {} * interval '1 s'"),
        (
            Dialect::Postgres,
            "timestamp",
            "{ naive = \"Asia/Tokyo\" }",
            "timezone('Asia/Tokyo', now() + {} * interval '1 s')",
        ),
        (Dialect::Sqlite, "INTEGER", "\"epoch_ms\"", "(unixepoch() + {}) * 1000"),
        (Dialect::Sqlite, "TEXT", TEXT, "datetime('now', '{} seconds')"),
    ] {
        let now = if matches!(dialect, Dialect::Postgres) {
            "CAST(extract(epoch FROM now()) AS bigint)"
        } else {
            "unixepoch()"
        };
        let at = |by: i64| moment.replace("{}", &by.to_string());
        let schema = format!(
            "CREATE TABLE keys (k varchar(20) PRIMARY KEY, st text, created bigint, expires bigint, lease {kind});
             INSERT INTO keys VALUES ('held', 'done', {now} - 90000, {now} - 80000, {}),
                 ('over', 'done', {now} - 90000, {now} - 80000, {}), ('none', 'failed', {now} - 90000, {now} - 80000, NULL),
                 ('busy', 'busy', {now} - 90000, {now} - 80000, {})",
            at(3600), at(-3600), at(-3600)
        );
        let config = config("\"epoch_s\"", "\"epoch_s\"")
            .replace(
                "[table.fail]",
                &format!("lease = {{ column = \"lease\", as = {encoding} }}\n[table.fail]"),
            )
            .replace("attempt = \"attempt\"", "")
            .replace("owner = \"owner\"", "");
        let adopted = Adopted::new(dialect, &schema, &config).await;
        assert_eq!(adopted.json(&["purge", "--dry-run"])["matched"], 2, "{kind}");
        let ran = adopted.run(&["purge", "-o", "json"]);
        let purged = ran.json();
        assert_eq!((ran.code, &purged["deleted"]), (0, &2.into()), "{kind}: {ran:?}");
        assert_eq!(
            (&purged["held_by_lease"], &purged["in_progress"]),
            (&1.into(), &1.into()),
            "{kind}: {purged}"
        );
        assert!(ran.stderr.contains("reap-stuck") && ran.stderr.contains("a lease runs"), "{ran:?}");
        assert_eq!(adopted.listed(&[]), set(&["held", "busy"]));
        let forgotten = adopted.run(&["forget", "held", "--yes"]);
        assert_eq!(forgotten.code, 5, "{forgotten:?}");
        assert_eq!(adopted.json(&["forget", "held", "--yes", "--force"])["changed"], 1);
    }
}

/// What is spelled otherwise may compare as later than any cutoff: it is counted all the same, and so is a row
/// that says nothing of when it was claimed.
#[tokio::test]
async fn rows_whose_clock_compares_wrongly_are_counted_whichever_way() {
    for dialect in [Dialect::Postgres, Dialect::Sqlite] {
        let schema = "CREATE TABLE keys (k varchar(20) PRIMARY KEY, st text, created text, expires text);
            INSERT INTO keys VALUES ('word', 'busy', 'yesterday', '2099-01-01 00:00:00'),
                ('t', 'busy', '2025-01-01T00:00:00Z', '2099-01-01 00:00:00'), ('null', 'busy', NULL, '2099-01-01 00:00:00'),
                ('good', 'busy', '2025-01-01 00:00:00', '2099-01-01 00:00:00'),
                ('late', 'done', '2025-01-01 00:00:00', 'tomorrow'), ('off', 'done', '2025-01-01 00:00:00', '2099-01-01T00:00:00+01:00')";
        let config = config(TEXT, TEXT).replace("attempt = \"attempt\"", "").replace("owner = \"owner\"", "");
        let adopted = Adopted::new(dialect, schema, &config).await;
        let reaped = adopted.run(&["reap-stuck", "--older-than", "5m", "-o", "json"]);
        let report = reaped.json();
        assert_eq!(
            (reaped.code, &report["reaped"], &report["unrecognized"], &report["without_clock"]),
            (6, &1.into(), &2.into(), &1.into()),
            "{report}"
        );
        assert!(reaped.stderr.contains("1 row in progress with NULL in every clock"), "{reaped:?}");
        let purged = adopted.run(&["purge", "-o", "json"]);
        assert_eq!((purged.code, &purged.json()["unrecognized"]), (6, &2.into()), "{purged:?}");
    }
}
