//! Rows of our own table that other hands wrote, as they write them: none stops the others, and each can be
//! looked at and changed.

use std::collections::BTreeSet;
use std::process::Stdio;

use crate::binary::{Binary, Ran};
use crate::support::server::shared;
use crate::support::{Dialect, TestDb, on_both_dialects};

/// Runs a command with this on its standard input.
fn piped(binary: &Binary, arguments: &[&str], stdin: &str) -> Ran {
    use std::io::Write as _;
    let mut command = binary.command(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    Ran::from(child.wait_with_output().unwrap())
}

/// The keys of a list.
fn listed(binary: &Binary, arguments: &[&str]) -> BTreeSet<String> {
    let rows = binary.json(&[&["list", "--limit", "0"], arguments].concat());
    rows.as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap().to_owned()).collect()
}

/// SQLite has no type for it: other languages spell a UUID in their own way, or take something else.
#[tokio::test]
async fn a_token_is_compared_as_it_is_spelt() {
    let db = TestDb::new(Dialect::Sqlite).await;
    let binary = Binary::on(&db);
    let tokens = [
        ("own", "6f1c2a34-0000-4000-8000-000000000001"),
        ("hex", "6f1c2a340000400080000000000000aa"),
        ("upper", "6F1C2A34-0000-4000-8000-0000000000AB"),
        ("braces", "{6f1c2a34-0000-4000-8000-0000000000ac}"),
        ("urn", "urn:uuid:6f1c2a34-0000-4000-8000-0000000000ad"),
        ("ulid", "01JD9ZK7Q8T5M6N7P8Q9R0S1T2"),
        ("number", "42"),
        ("empty", ""),
        ("text", "no token ' \u{1b}"),
    ];
    let all: BTreeSet<String> = tokens.iter().map(|(key, _)| (*key).to_owned()).collect();
    let insert = async || {
        let rows: Vec<String> = tokens
            .iter()
            .map(|(key, token)| {
                format!(
                    "('{key}', 'in_progress', '{}', {t}, {t}, {t}, (unixepoch() + 80000) * 1000000)",
                    token.replace('\'', "''"),
                    t = "(unixepoch() - 2000) * 1000000"
                )
            })
            .collect();
        db.run(&format!(
            "DELETE FROM idempotency_keys; INSERT INTO idempotency_keys (idempotency_key, status, claim_token,
                 created_at, claimed_at, renewed_at, expires_at) VALUES {}",
            rows.join(", ")
        ))
        .await;
    };
    let failed = "SELECT count(*) FROM idempotency_keys WHERE status = 'failed' AND claim_token IS NULL";
    insert().await;
    assert_eq!(listed(&binary, &["--stuck"]), all);
    let reaped = binary.json(&["reap-stuck", "--older-than", "5m"]);
    assert_eq!((&reaped["matched"], &reaped["reaped"]), (&tokens.len().into(), &tokens.len().into()));
    assert_eq!(db.number(failed).await, tokens.len() as i64);
    insert().await;
    let lines = binary.run(&["list", "--limit", "0", "-o", "jsonl"]).stdout;
    let ran = piped(&binary, &["fail", "--yes", "-o", "json", "-"], &lines);
    assert_eq!((ran.code, &ran.json()["changed"]), (0, &tokens.len().into()), "{ran:?}");
    assert_eq!(db.number(failed).await, tokens.len() as i64);
    insert().await;
    for (key, _) in tokens {
        let ran = binary.run(&["forget", key, "--yes", "--force"]);
        assert_eq!(ran.code, 0, "{key}: {ran:?}");
    }
    assert_eq!(db.rows().await, 0);
}

/// A database in SQL_ASCII, and SQLite, keep whatever bytes come.
async fn with_any_bytes(dialect: Dialect) -> (TestDb, Binary) {
    if matches!(dialect, Dialect::Sqlite) {
        let db = TestDb::new(dialect).await;
        let binary = Binary::on(&db);
        return (db, binary);
    }
    let server = shared().await;
    let options = "TEMPLATE template0 LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C'";
    server.admin(&format!("CREATE DATABASE cli_any_bytes ENCODING 'SQL_ASCII' {options}")).await;
    let url = server.url("cli_any_bytes");
    let store = idemctl::store::Store::connect(&url, idemctl::store::StoreOptions::default()).await.unwrap();
    let db = TestDb { store, url, folder: None };
    let binary = Binary::on(&db);
    assert_eq!(binary.run(&["migrate"]).code, 0);
    (db, binary)
}

async fn bytes_that_are_no_text_stop_nobody(dialect: Dialect) {
    let (db, binary) = with_any_bytes(dialect).await;
    let (bytes, then, later, token) = match dialect {
        Dialect::Postgres => (
            "convert_from('\\x4ae9', 'SQL_ASCII')",
            "now() - interval '1 hour'",
            "now() + interval '1 day'",
            "gen_random_uuid()",
        ),
        _ => (
            "cast(x'4ae9' AS text)",
            "(unixepoch() - 3600) * 1000000",
            "(unixepoch() + 80000) * 1000000",
            "'6f1c2a34-0000-4000-8000-000000000001'",
        ),
    };
    let row = |key: &str, scope: &str, owner: &str| {
        format!("({key}, {scope}, {owner}, 'in_progress', {token}, {then}, {then}, {then}, {later})")
    };
    let rows = [
        row("'plain'", "''", "'w'"),
        row("'owner'", "''", bytes),
        row("'scope'", bytes, "'w'"),
        row(bytes, "''", "'w'"),
        row("'other'", "''", "'w'"),
    ];
    let insert = async || {
        let encoding =
            if matches!(dialect, Dialect::Postgres) { "SET client_encoding = 'SQL_ASCII';" } else { "" };
        db.run(&format!(
            "{encoding} DELETE FROM idempotency_keys; INSERT INTO idempotency_keys (idempotency_key, scope, owner,
                 status, claim_token, created_at, claimed_at, renewed_at, expires_at) VALUES {}",
            rows.join(", ")
        ))
        .await;
    };
    let failed = "SELECT count(*) FROM idempotency_keys WHERE status = 'failed'";
    insert().await;
    assert_eq!(listed(&binary, &["--stuck"]).len(), rows.len());
    assert_eq!(binary.run(&["inspect", "owner"]).code, 0);
    assert_eq!(binary.run(&["stats"]).code, 0);
    let reaped = binary.json(&["reap-stuck", "--older-than", "5m"]);
    assert_eq!((&reaped["matched"], &reaped["reaped"]), (&rows.len().into(), &rows.len().into()), "{reaped}");
    assert_eq!(db.number(failed).await, rows.len() as i64);
    insert().await;
    let lines = binary.run(&["list", "--limit", "0", "-o", "jsonl"]).stdout;
    for verb in ["fail", "forget"] {
        let ran = piped(&binary, &[verb, "--yes", "-o", "json", "-"], &lines);
        if verb == "fail" {
            assert_eq!((ran.code, &ran.json()["changed"]), (0, &rows.len().into()), "{ran:?}");
        } else {
            // They have changed since they were listed.
            assert_eq!((ran.code, &ran.json()["changed"]), (5, &0.into()), "{ran:?}");
        }
    }
    // By the name that it is shown with, too.
    assert_eq!(binary.json(&["inspect", "4ae9"])[0]["status"], "failed");
    assert_eq!(binary.run(&["forget", "4ae9", "--yes"]).code, 0);
    assert_eq!(binary.run(&["forget", "scope", "--scope", "4ae9", "--yes"]).code, 0);
    assert_eq!(db.rows().await, rows.len() as i64 - 2);
    assert_eq!(binary.run(&["inspect", "4ae9"]).code, 3);
}

#[tokio::test]
async fn bytes_that_are_no_text_stop_nobody_on_postgres() {
    bytes_that_are_no_text_stop_nobody(Dialect::Postgres).await;
}

#[tokio::test]
async fn bytes_that_are_no_text_stop_nobody_on_sqlite() {
    bytes_that_are_no_text_stop_nobody(Dialect::Sqlite).await;
}

/// No span can be counted from an expiry without an end: it stays.
async fn an_expiry_without_end_stays(db: TestDb) {
    let binary = Binary::on(&db);
    let (endless, far, no, yes, now) = match db.dialect() {
        Dialect::Postgres => ("'infinity'", "'9999-12-31'", "false", "true", "now()"),
        _ => ("9223372036854775807", "253402214400000000", "0", "1", "unixepoch() * 1000000"),
    };
    db.run(&format!(
        "INSERT INTO idempotency_keys (idempotency_key, status, retry_allowed, created_at, claimed_at, renewed_at,
             finished_at, expires_at)
         VALUES ('endless', 'failed', {no}, {now}, {now}, {now}, {now}, {endless}),
             ('far', 'failed', {no}, {now}, {now}, {now}, {now}, {far}),
             ('twin', 'failed', {no}, {now}, {now}, {now}, {now}, {endless})"
    ))
    .await;
    let lines = binary.run(&["list", "--limit", "0", "-o", "jsonl"]).stdout;
    let ran = piped(&binary, &["release", "--yes", "-o", "json", "-"], &lines);
    assert_eq!((ran.code, &ran.json()["changed"]), (0, &3.into()), "{ran:?}");
    let released =
        format!("SELECT count(*) FROM idempotency_keys WHERE retry_allowed = {yes} AND expires_at >= {far}");
    assert_eq!(db.number(&released).await, 3);
    let kept = format!("SELECT count(*) FROM idempotency_keys WHERE expires_at = {endless}");
    assert_eq!(db.number(&kept).await, 2);
    assert_eq!(binary.run(&["run", "--key", "endless", "--", "echo", "ran"]).stdout, "ran\n");
}

on_both_dialects!(an_expiry_without_end_stays);
