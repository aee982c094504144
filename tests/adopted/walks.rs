//! The purge of tables whose rows do not lie as close together as those of our own: numbers far apart, no numbers
//! at all, rows in several tables, no index on the expiry.

use serde_json::Value;

use crate::harness::Adopted;
use crate::support::{Dialect, until};

fn config(key: &str, encoding: &str) -> String {
    format!(
        r#"
        [[table]]
        name = "keys"
        key = {key}
        [table.state]
        column = "status"
        in_progress = ["busy"]
        completed = ["done"]
        failed = ["failed"]
        [table.clock]
        created = {{ column = "created_at", as = {encoding} }}
        expires = {{ column = "expires_at", as = {encoding} }}
        ttl = "1day"
        null_expires = "ttl"
        "#
    )
}

/// Deletes all that is due in batches of a hundred, and says how it went.
#[track_caller]
fn purged(adopted: &Adopted, more: &[&str]) -> Value {
    // A row limit that leaves some is no success.
    let ran = adopted.run(&[&["purge", "--duty", "1", "--batch-size", "100", "-o", "json"], more].concat());
    let report = ran.json();
    let complete = report["backlog"] == 0;
    assert_eq!(ran.code, if complete { 0 } else { 6 }, "{more:?}: {report}: {}", ran.stderr);
    report
}

const LEFT: &str = "SELECT count(*) FROM keys";

/// Each shape: the statement that makes the table, the columns of its key, and what its n-th row begins with.
const SQLITE: [(&str, &str, &str); 11] = [
    // Numbers from a clock; below zero; at both ends of what a number can be; a few rows, far apart.
    ("id INTEGER PRIMARY KEY, k TEXT NOT NULL", r#"["k"]"#, "1750000000000000000 + n * 4194304, 'k' || n"),
    ("id INTEGER PRIMARY KEY, k TEXT NOT NULL", r#"["k"]"#, "-n, 'k' || n"),
    (
        "id INTEGER PRIMARY KEY, k TEXT NOT NULL",
        r#"["k"]"#,
        "-9223372036854775807 - 1 + (n - 1) * 2, 'k' || n",
    ),
    ("id INTEGER PRIMARY KEY, k TEXT NOT NULL", r#"["k"]"#, "9223372036854775807 - (n - 1) * 9, 'k' || n"),
    (
        "id INTEGER PRIMARY KEY, k TEXT NOT NULL",
        r#"["k"]"#,
        "n * n * n * CASE n % 2 WHEN 0 THEN -1 ELSE 1 END, 'k' || n",
    ),
    // Columns that hide the row number's names.
    ("rowid TEXT, oid TEXT, k TEXT PRIMARY KEY", r#"["k"]"#, "'same', NULL, 'k' || n"),
    (
        "rowid TEXT, oid TEXT, _rowid_ TEXT, k TEXT NOT NULL PRIMARY KEY",
        r#"["k"]"#,
        "'same', NULL, 'x', 'k' || n",
    ),
    ("rowid TEXT, oid TEXT, _rowid_ TEXT, k TEXT NOT NULL UNIQUE", r#"["k"]"#, "'same', NULL, 'x', 'k' || n"),
    // The table is its own index, by one column, by two, and by values of every kind.
    ("k TEXT PRIMARY KEY", r#"["k"]"#, "'k' || n"),
    ("t INTEGER, k TEXT, q TEXT", r#"["t", "k"]"#, "n % 3, 'k' || n, ''"),
    (
        "k BLOB, q TEXT",
        r#"["k"]"#,
        "CASE n % 4 WHEN 0 THEN n WHEN 1 THEN n + 0.5 WHEN 2 THEN 'k' || n ELSE CAST('k' || n AS blob) END, ''",
    ),
];

fn sqlite_schema((columns, key, row): (&str, &str, &str), rows: u32, expires: &str) -> String {
    let end = match () {
        () if columns.contains("rowid") || columns.starts_with("id ") => ")".to_owned(),
        () if columns == "k TEXT PRIMARY KEY" => ") WITHOUT ROWID".to_owned(),
        () => format!(", PRIMARY KEY ({})) WITHOUT ROWID", key.trim_matches(['[', ']'])),
    };
    format!(
        "CREATE TABLE keys ({columns}, status TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER{end};
         WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < {rows})
         INSERT INTO keys SELECT {row}, 'done', unixepoch() - 400000 - n, {expires} FROM r;"
    )
}

#[tokio::test]
async fn sqlite_walks_by_rows_that_exist() {
    for shape in SQLITE {
        // An expiry of its own for each, one for all, and none: then the age decides.
        for expires in ["unixepoch() - 300000 - n", "unixepoch() - 300000", "NULL"] {
            let schema = sqlite_schema(shape, 1_000, expires);
            let adopted = Adopted::new(Dialect::Sqlite, &schema, &config(shape.1, "\"epoch_s\"")).await;
            let report = purged(&adopted, &[]);
            assert_eq!(report["deleted"], 1_000, "{schema}: {report}");
            assert_eq!((&report["end"], &report["backlog"]), (&"done".into(), &0.into()), "{schema}");
            assert_eq!(report["full_scan"], true, "{schema}: {report}");
            assert_eq!(adopted.db.number(LEFT).await, 0, "{schema}");
            // Ten of a hundred rows each; and a look along the other way.
            let batches = report["batches"].as_u64().unwrap();
            assert!((10..=22).contains(&batches), "{schema}: {report}");
        }
    }
}

#[tokio::test]
async fn sqlite_keeps_a_row_limit_and_what_is_not_due() {
    for shape in SQLITE {
        let schema = sqlite_schema(shape, 400, "unixepoch() - 300000 - n / 7");
        let adopted = Adopted::new(Dialect::Sqlite, &schema, &config(shape.1, "\"epoch_s\"")).await;
        adopted
            .db
            .run(
                "UPDATE keys SET status = 'busy' WHERE created_at % 5 = 0;
                 UPDATE keys SET expires_at = unixepoch() + 99999 WHERE status = 'done' AND created_at % 5 = 1",
            )
            .await;
        let due = 240;
        for (limit, left) in [(1, 239), (130, 109), (7, 102)] {
            let latest = adopted
                .db
                .number("SELECT max(expires_at) FROM keys WHERE status = 'done' AND created_at % 5 > 1");
            let latest = latest.await;
            let report = purged(&adopted, &["--max-rows", &limit.to_string()]);
            assert_eq!((&report["deleted"], &report["end"]), (&limit.into(), &"max_rows".into()), "{schema}");
            assert_eq!(report["backlog"], left, "{schema}: {report}");
            let still = "SELECT max(expires_at) FROM keys WHERE status = 'done' AND created_at % 5 > 1";
            assert_eq!(adopted.db.number(still).await, latest, "{schema}: the earliest go first");
        }
        assert_eq!(purged(&adopted, &[])["deleted"], due - 138, "{schema}");
        assert_eq!(adopted.db.number(LEFT).await, 160, "{schema}");
    }
}

/// An index on the state is no shorter way, though SQLite would take it for one.
#[tokio::test]
async fn sqlite_is_led_by_the_expiry_and_not_by_the_state() {
    let shape = ("id INTEGER PRIMARY KEY, k TEXT NOT NULL UNIQUE", r#"["k"]"#, "n, 'k' || n");
    let adopted = Adopted::new(
        Dialect::Sqlite,
        &format!(
            "{} CREATE INDEX by_state ON keys (status); CREATE INDEX by_expiry ON keys (expires_at);
             CREATE INDEX by_age ON keys (created_at);",
            sqlite_schema(shape, 1_000, "unixepoch() - 300000 - n")
        ),
        &config(shape.1, "\"epoch_s\""),
    )
    .await;
    let checks = adopted.run(&["doctor", "-o", "json"]);
    for index in ["by_expiry", "by_age"] {
        assert!(checks.stdout.contains(&format!("is walked by {index}")), "{}", checks.stdout);
    }
    let report = purged(&adopted, &[]);
    assert_eq!((&report["deleted"], &report["full_scan"]), (&1_000.into(), &false.into()), "{report}");
    assert_eq!(adopted.db.number(LEFT).await, 0);
}

const COLUMNS: &str =
    "k text NOT NULL, status text NOT NULL, created_at timestamptz NOT NULL, expires_at timestamptz";

fn rows(of: &str, letter: &str, count: u32, expires: &str) -> String {
    format!(
        "INSERT INTO {of} SELECT '{letter}' || n, 'done', now() - interval '9 days', {expires}
         FROM generate_series(1, {count}) AS n;"
    )
}

const SPREAD: &str = "now() - interval '2 days' + n * interval '1 ms'";
const TIED: &str = "now() - interval '2 days'";

/// What was read of a table since it was made.
const READ: &str = "SELECT CAST(sum(t.seq_tup_read) + COALESCE((SELECT sum(i.idx_tup_read)
    FROM pg_stat_user_indexes i WHERE i.relname = 'keys'), 0) AS bigint)
    FROM pg_stat_user_tables t WHERE t.relname = 'keys'";

/// What can't be walked in the order of the expiry is read once, and not for each batch; with statistics or
/// without.
#[tokio::test]
async fn postgres_without_an_index_in_the_order_of_the_expiry() {
    const ROWS: u32 = 12_000;
    for index in [
        "",
        "CREATE INDEX ON keys USING hash (expires_at);",
        "CREATE INDEX ON keys USING brin (expires_at);",
        "CREATE INDEX ON keys ((expires_at AT TIME ZONE 'UTC'));",
        "CREATE INDEX ON keys (expires_at) WHERE status = 'busy';",
        "CREATE INDEX ON keys (expires_at DESC NULLS LAST);",
        "CREATE INDEX ON keys (status, expires_at);",
        "CREATE INDEX ON keys (status); ANALYZE keys;",
        "CREATE INDEX broken ON keys (expires_at); UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'broken'::regclass;",
    ] {
        let schema = format!(
            "CREATE TABLE keys ({COLUMNS}, PRIMARY KEY (k)) WITH (autovacuum_enabled = off); {index}"
        );
        let adopted = Adopted::postgres(&schema, &config(r#"["k"]"#, "\"timestamptz\"")).await;
        adopted.db.run(&rows("keys", "k", ROWS, SPREAD)).await;
        let report = purged(&adopted, &[]);
        assert_eq!((&report["deleted"], &report["backlog"]), (&ROWS.into(), &0.into()), "{index}: {report}");
        assert_eq!(report["full_scan"], true, "{index}: {report}");
        assert!(report["batches"].as_u64().unwrap() > 20, "{index}: {report}");
        until("the counters are in", || async {
            adopted.db.number("SELECT n_tup_del FROM pg_stat_user_tables WHERE relname = 'keys'").await
                == i64::from(ROWS)
        })
        .await;
        let read = adopted.db.number(READ).await;
        assert!(read < 8 * i64::from(ROWS), "{index}: {read} read");
    }
}

/// A row limit takes the earliest, and reads the table a few times, whatever the limit.
#[tokio::test]
async fn postgres_keeps_a_row_limit_without_an_index() {
    for expires in [SPREAD, TIED, "now() - interval '2 days' + (n / 900) * interval '1 s'"] {
        let schema =
            format!("CREATE TABLE keys ({COLUMNS}, PRIMARY KEY (k)) WITH (autovacuum_enabled = off);");
        let adopted = Adopted::postgres(&schema, &config(r#"["k"]"#, "\"timestamptz\"")).await;
        adopted.db.run(&rows("keys", "k", 6_000, expires)).await;
        for (limit, left) in [(1, 5_999), (4_000, 1_999)] {
            let report = purged(&adopted, &["--max-rows", &limit.to_string()]);
            assert_eq!((&report["deleted"], &report["backlog"]), (&limit.into(), &left.into()), "{report}");
            assert_eq!(report["end"], "max_rows");
        }
        let latest = "SELECT count(*) FROM keys WHERE expires_at < (SELECT max(expires_at) FROM keys) - interval '3 s'";
        assert_eq!(adopted.db.number(latest).await, 0, "the earliest go first");
        until("the counters are in", || async {
            adopted.db.number("SELECT n_tup_del FROM pg_stat_user_tables WHERE relname = 'keys'").await
                == 4_001
        })
        .await;
        let read = adopted.db.number(READ).await;
        assert!(read < 20 * 6_000, "{expires}: {read} read");
    }
}

/// Rows in children: one place is in each of them.
#[tokio::test]
async fn postgres_reaches_the_rows_of_children() {
    let inherited = format!(
        "CREATE TABLE keys ({COLUMNS}); CREATE TABLE a (PRIMARY KEY (k)) INHERITS (keys);
         CREATE TABLE b () INHERITS (keys); CREATE TABLE c () INHERITS (b);"
    );
    let parted = format!(
        "CREATE TABLE keys ({COLUMNS}) PARTITION BY LIST (left(k, 1));
         CREATE TABLE o PARTITION OF keys DEFAULT; CREATE TABLE a PARTITION OF keys FOR VALUES IN ('a');
         CREATE TABLE b PARTITION OF keys FOR VALUES IN ('b', 'c') PARTITION BY LIST (left(k, 1));
         CREATE TABLE c PARTITION OF b FOR VALUES IN ('c'); CREATE TABLE bb PARTITION OF b DEFAULT;"
    );
    for schema in [&inherited, &parted] {
        for indexes in ["", "ao", "abcko"] {
            for expires in [SPREAD, TIED, "NULL"] {
                let adopted = Adopted::postgres(schema, &config(r#"["k"]"#, "\"timestamptz\"")).await;
                let mut made = String::new();
                for (letter, count) in [('k', 500), ('a', 1_500), ('b', 2_000), ('c', 1_000)] {
                    let of = if *schema == parted || letter == 'k' {
                        "keys".to_owned()
                    } else {
                        letter.to_string()
                    };
                    made.push_str(&rows(&of, &letter.to_string(), count, expires));
                    let table = match (letter, *schema == parted) {
                        ('k', true) => 'o',
                        _ => letter,
                    };
                    if indexes.contains(table) {
                        let table = if table == 'k' { "keys".to_owned() } else { table.to_string() };
                        made.push_str(&format!(
                            "CREATE INDEX ON {table} (expires_at); CREATE INDEX ON {table} (created_at);"
                        ));
                    }
                }
                adopted.db.run(&made).await;
                for (limit, left) in [(1_u64, 4_999_u64), (2_400, 2_599)] {
                    let report = purged(&adopted, &["--max-rows", &limit.to_string()]);
                    assert_eq!(report["deleted"], limit, "{schema} {indexes} {expires}: {report}");
                    assert_eq!(report["backlog"], left, "{schema} {indexes} {expires}: {report}");
                    assert_eq!(adopted.db.number(LEFT).await, i64::try_from(left).unwrap());
                }
                let report = purged(&adopted, &[]);
                assert_eq!(
                    (&report["deleted"], &report["end"]),
                    (&2_599.into(), &"done".into()),
                    "{schema}: {report}"
                );
                assert_eq!(adopted.db.number(LEFT).await, 0, "{schema} {indexes} {expires}");
            }
        }
    }
}

/// A key is unique in each of the tables that inherit, not in all of them: only one of the rows is meant.
#[tokio::test]
async fn postgres_does_not_take_a_key_of_a_parent_for_a_single_row() {
    let schema = format!(
        "CREATE TABLE keys ({COLUMNS}, PRIMARY KEY (k)); CREATE TABLE a (PRIMARY KEY (k)) INHERITS (keys); {} {}",
        rows("keys", "k", 1, SPREAD),
        rows("a", "k", 1, SPREAD)
    );
    let adopted = Adopted::postgres(&schema, &config(r#"["k"]"#, "\"timestamptz\"")).await;
    assert_eq!(adopted.json(&["list"]).as_array().unwrap().len(), 2);
    assert_eq!(purged(&adopted, &["--max-rows", "1"])["deleted"], 1);
    assert_eq!(adopted.db.number(LEFT).await, 1);
}

#[tokio::test]
async fn postgres_refuses_a_part_that_is_elsewhere_and_passes_by_what_others_have_for_themselves() {
    let schema = format!(
        "CREATE TABLE keys ({COLUMNS}); CREATE TABLE a () INHERITS (keys); {}",
        rows("a", "a", 300, SPREAD)
    );
    let adopted = Adopted::postgres(&schema, &config(r#"["k"]"#, "\"timestamptz\"")).await;
    adopted
        .db
        .run(
            "CREATE EXTENSION postgres_fdw; CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw;
             CREATE FOREIGN TABLE f () INHERITS (keys) SERVER far;",
        )
        .await;
    adopted.refuses(&["purge"], 8, &["f, a part of keys, is a foreign table", "detach it"]);
    adopted.db.run("DROP FOREIGN TABLE f").await;
    let mut other = adopted.db.raw().await;
    other.run("CREATE TEMPORARY TABLE mine () INHERITS (keys)").await;
    other.run(&rows("mine", "m", 300, SPREAD)).await;
    let report = purged(&adopted, &[]);
    assert_eq!((&report["deleted"], &report["end"]), (&300.into(), &"done".into()), "{report}");
    assert_eq!(other.number(LEFT).await, 300);
    other.close().await;
}

/// Neither the rows that are spared nor the triggers of the foreign key read the other table for each batch.
#[tokio::test]
async fn postgres_rows_of_one_expiry_that_others_point_at() {
    for index in ["CREATE INDEX ON keys (expires_at);", ""] {
        let schema = format!(
            "CREATE TABLE keys ({COLUMNS}, PRIMARY KEY (k)) WITH (autovacuum_enabled = off); {index} {}
             CREATE TABLE payments (id bigint PRIMARY KEY, k text REFERENCES keys (k)) WITH (autovacuum_enabled = off);
             INSERT INTO payments SELECT n, CASE WHEN n <= 100 THEN 'k' || n * 50 END FROM generate_series(1, 5000) AS n;
             CREATE INDEX ON payments (k); ANALYZE payments;",
            rows("keys", "k", 5_000, TIED)
        );
        let adopted = Adopted::postgres(&schema, &config(r#"["k"]"#, "\"timestamptz\"")).await;
        let before = "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'payments'";
        until("the counters are in", || async { adopted.db.number(before).await >= 5_000 }).await;
        let before = adopted.db.number(before).await;
        let ran = adopted.run(&["purge", "--duty", "1", "--batch-size", "100", "-o", "json"]);
        let report = ran.json();
        assert_eq!((&report["deleted"], &report["backlog"]), (&4_900.into(), &100.into()), "{ran:?}");
        until("the counters are in", || async {
            adopted.db.number("SELECT n_tup_del FROM pg_stat_user_tables WHERE relname = 'keys'").await
                == 4_900
        })
        .await;
        let read = "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'payments'";
        let read = adopted.db.number(read).await - before;
        assert!(read < 3 * 5_000, "{index}: {read} rows of the other table were read");
    }
}
