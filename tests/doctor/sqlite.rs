//! One trouble at a time on SQLite.

use crate::patient::{SQLITE_SCHEMA, examine, healthy, sqlite, sqlite_config};
use crate::support::Dialect;

/// What a file that its application made is told.
const FILE: (&str, &str) = ("info", "auto_vacuum_none");

#[tokio::test]
async fn a_healthy_table_has_no_findings() {
    let adopted = healthy(Dialect::Sqlite).await;
    let examined = examine(&adopted, &[]);
    let alone: Vec<_> = examined.ailments().into_iter().filter(|found| found.1 != FILE.1).collect();
    assert_eq!(alone, []);
    assert!(examined.findings.len() > 15, "{:#?}", examined.findings);
    // A file that migrate makes lacks nothing at all.
    let adopted = sqlite("SELECT 1", "").await;
    let url = format!("sqlite:{}", adopted.binary.home.path().join("new.db").display());
    assert_eq!(adopted.run(&["migrate", "--database-url", &url]).code, 0);
    examine(&adopted, &["--database-url", &url]).are(&[]);
}

/// That a table with this trouble has these findings, and none after it was fixed, where it can be.
async fn has(schema: &str, found: &[(&str, &str)], fixes: bool) {
    let adopted = sqlite(schema, &sqlite_config()).await;
    assert_eq!(adopted.run(&["migrate"]).code, 0);
    let of_table = |examined: &crate::patient::Examined| -> Vec<(String, String)> {
        examined.ailments().into_iter().filter(|found| found.1 != FILE.1).collect()
    };
    let examined = examine(&adopted, &[]);
    let expected: Vec<(String, String)> =
        found.iter().map(|(severity, code)| ((*severity).to_owned(), (*code).to_owned())).collect();
    assert_eq!(of_table(&examined), expected, "{:#?}", examined.findings);
    if fixes {
        for (_, code) in found {
            for statement in examined.fix(code) {
                adopted.db.run(&statement).await;
            }
        }
        assert_eq!(of_table(&examine(&adopted, &[])), []);
    }
}

#[tokio::test]
async fn indexes() {
    let without = SQLITE_SCHEMA.replace("CREATE INDEX keys_expires ON keys (expires);", "");
    has(&without, &[("warning", "purge_index_missing")], true).await;
    let second = format!("{without} CREATE INDEX second ON keys (status, expires);");
    has(&second, &[], true).await;
    let partial = format!("{without} CREATE INDEX other ON keys (expires) WHERE status = 'open';");
    has(&partial, &[("warning", "purge_index_missing")], true).await;
}

#[tokio::test]
async fn keys() {
    let several = SQLITE_SCHEMA.replace(",\n        PRIMARY KEY (key, tenant)", "");
    has(&several, &[("error", "key_not_unique")], true).await;
    let folded = SQLITE_SCHEMA.replace("key     TEXT", "key     TEXT COLLATE NOCASE");
    has(&folded, &[("error", "key_case_folded")], false).await;
    let padded = SQLITE_SCHEMA.replace("key     TEXT", "key     TEXT COLLATE RTRIM");
    has(&padded, &[("warning", "key_padded")], false).await;
    let alone = format!("{SQLITE_SCHEMA} CREATE UNIQUE INDEX alone ON keys (key);");
    has(&alone, &[("warning", "scope_not_in_key")], false).await;
}

#[tokio::test]
async fn rows_and_types() {
    let loose = SQLITE_SCHEMA.replace(") STRICT", ")");
    has(&loose, &[("info", "not_strict")], false).await;
    let texts = format!("{loose} INSERT INTO keys VALUES (2, 't', 'done', unixepoch(), NULL, '2026-01-31');");
    has(&texts, &[("info", "not_strict"), ("warning", "clock_misspelled")], false).await;
    let weird = format!("{SQLITE_SCHEMA} UPDATE keys SET status = 'weird';");
    has(&weird, &[("warning", "state_unlisted")], false).await;
    let old = format!("{SQLITE_SCHEMA} UPDATE keys SET expires = unixepoch() - 864000;");
    has(&old, &[("warning", "purge_overdue")], false).await;
    let zero = format!("{SQLITE_SCHEMA} UPDATE keys SET created = 0;");
    has(&zero, &[("warning", "clock_implausible")], false).await;
}

#[tokio::test]
async fn neighbours() {
    let keeps = format!(
        "{SQLITE_SCHEMA} CREATE TRIGGER keeps BEFORE DELETE ON keys BEGIN SELECT RAISE(IGNORE); END;"
    );
    has(&keeps, &[("warning", "trigger_before")], false).await;
    let logs = format!("{SQLITE_SCHEMA} CREATE TRIGGER logs AFTER DELETE ON keys BEGIN SELECT 1; END;");
    has(&logs, &[("info", "trigger_after")], false).await;
    let child = format!(
        "{SQLITE_SCHEMA} CREATE TABLE payment (id INTEGER PRIMARY KEY, k TEXT, t INTEGER, \
         FOREIGN KEY (k, t) REFERENCES keys (key, tenant));"
    );
    has(&child, &[("error", "references_spread"), ("warning", "reference_unindexed")], false).await;
    let indexed = format!("{child} CREATE INDEX payment_k ON payment (k, t);");
    has(&indexed, &[("error", "references_spread")], false).await;
}

#[tokio::test]
async fn the_file() {
    let rollback = SQLITE_SCHEMA.replace("WAL", "DELETE");
    has(&rollback, &[("warning", "journal_not_wal")], true).await;

    let full = format!("PRAGMA auto_vacuum = FULL; {SQLITE_SCHEMA}");
    let adopted = sqlite(&full, &sqlite_config()).await;
    assert_eq!(adopted.run(&["migrate"]).code, 0);
    examine(&adopted, &[]).are(&[("info", "auto_vacuum_full")]);
}

/// A page of the table is overwritten.
#[tokio::test]
async fn a_damaged_file() {
    use std::io::{Seek as _, Write as _};
    let adopted = healthy(Dialect::Sqlite).await;
    adopted
        .db
        .run(
            "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 5000)
             INSERT INTO keys SELECT 3, 'n' || n, 'done', unixepoch(), NULL, unixepoch() + 86400 FROM n;
             PRAGMA wal_checkpoint(TRUNCATE);",
        )
        .await;
    let page = adopted.db.number("SELECT rootpage FROM sqlite_schema WHERE name = 'keys_expires'").await;
    adopted.db.store.close().await;
    let path = adopted.db.url.strip_prefix("sqlite:").unwrap();
    let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.seek(std::io::SeekFrom::Start((page as u64 - 1) * 4096)).unwrap();
    file.write_all(&[0xff; 4096]).unwrap();
    drop(file);
    let examined = examine(&adopted, &[]);
    assert_eq!(examined.finding("file_damaged")["severity"], "error");
    assert_eq!(examined.code, 8);
}
