//! The report as people read it.

use crate::patient::healthy;
use crate::support::Dialect;

/// The report without what differs from run to run.
fn filtered(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let line = match line.split_once(" (from ") {
            Some((_, rest)) => format!("DATABASE (from {rest}"),
            None => line.to_owned(),
        };
        lines.push(line);
    }
    lines.join("\n")
}

const EXPECTED: &str = "\
DATABASE (from $IDEMCTL_DATABASE_URL)
ok        server
ok        writes
ok        clock_skew
ok        time_limits
ok        durability
ok        encoding
ok        pooler
ok        vacuum_horizon
ok        replication
ok        auxiliary_tables

keys
ok        table
ok        rights
ok        row_security
ok        mapping
error     key_not_unique  no unique index covers \"key\", \"tenant\"
          Two requests with the same key that arrive together can both be executed: nothing in the
          database keeps the second row out. Release, fail and forget are refused, as a key may name
          several rows. The first statement below shows keys that already have several.
          > SELECT \"key\", \"tenant\", count(*) FROM \"keys\" GROUP BY \"key\", \"tenant\" HAVING count(*) > 1;
          > CREATE UNIQUE INDEX CONCURRENTLY ON \"keys\" (\"key\", \"tenant\");
ok        key_texts
ok        indexes
ok        foreign_keys
ok        triggers
warning   purge_index_missing  no usable index begins with \"expires\"
          The purge still works in bounded batches, but has to read the whole table to find expired rows,
          each time.
          > CREATE INDEX CONCURRENTLY ON \"keys\" (\"expires\");
ok        reap_index
ok        clocks
ok        states
ok        runtimes
ok        backlog
ok        vacuum

1 error, 1 warning, 26 checks passed";

#[tokio::test]
async fn the_report_for_people() {
    let adopted = healthy(Dialect::Postgres).await;
    adopted.db.run("DROP INDEX keys_expires; ALTER TABLE keys DROP CONSTRAINT keys_pkey").await;
    let ran = adopted.run(&["doctor"]);
    assert_eq!(ran.code, 8, "{ran:?}");
    assert_eq!(filtered(&ran.stdout), EXPECTED);
    assert_eq!(ran.stderr, "");
    // More of it, and a document a line.
    let full = adopted.run(&["doctor", "-v"]);
    assert!(full.stdout.contains("ok        table  an ordinary table of about"), "{full:?}");
    assert!(
        full.stdout.contains("ok        clocks  \"created\" as timestamptz: 20 rows looked at"),
        "{full:?}"
    );
    let lines = adopted.run(&["doctor", "-o", "jsonl"]).stdout;
    for line in lines.lines() {
        let finding: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(finding["code"].is_string(), "{line}");
    }
    assert!(lines.lines().count() > 20);
}

/// Nothing that a name in the database holds moves a cursor.
#[tokio::test]
async fn names_are_made_visible() {
    let adopted = healthy(Dialect::Postgres).await;
    adopted
        .db
        .run(
            "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
             CREATE TRIGGER \"\u{1b}[2Jevil\" BEFORE DELETE ON keys FOR EACH ROW EXECUTE FUNCTION f();
             UPDATE keys SET status = E'\\x1b[31mred' WHERE key < 'k2';
             UPDATE keys SET expires = now() - interval '9 days'",
        )
        .await;
    // The harness asserts that no control character comes out.
    let ran = adopted.run(&["doctor"]);
    assert!(ran.stdout.contains("\\u{1b}[2Jevil"), "{ran:?}");
    let ran = adopted.run(&["purge"]);
    assert_eq!(ran.code, 6, "{ran:?}");
}

/// A database that can't be reached is not examined, and says so by its own code.
#[tokio::test]
async fn a_database_that_is_away() {
    let adopted = healthy(Dialect::Postgres).await;
    let ran = adopted.run(&["doctor", "--database-url", "postgres://postgres@127.0.0.1:1/x"]);
    assert_eq!(ran.code, 7, "{ran:?}");
    assert_eq!(ran.stdout, "");
}
