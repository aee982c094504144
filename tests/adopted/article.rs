//! The table of an article, created exactly as printed there, through every command.

use serde_json::json;

use crate::harness::{Adopted, set};

pub const SCHEMA: &str = include_str!("../../docs/examples/article.sql");

pub const CONFIG: &str = include_str!("../../docs/examples/article.toml");

const DONE: &str = "00000000-0000-0000-0000-00000000d02e";
const LOST: &str = "00000000-0000-0000-0000-000000000105";
const BUSY: &str = "00000000-0000-0000-0000-0000000000b5";
const FAILED: &str = "00000000-0000-0000-0000-0000000000f0";
const OLD: &str = "00000000-0000-0000-0000-000000000001";
const OLD_OPEN: &str = "00000000-0000-0000-0000-000000000002";

async fn article() -> Adopted {
    let adopted = Adopted::postgres(SCHEMA, CONFIG).await;
    for (key, tenant, status, answer, age, left) in [
        (DONE, 1, "abgeschlossen", "201, '{\"b\": 1, \"a\": [2]}'", "1 hour", "23 hours"),
        (LOST, 1, "in_bearbeitung", "NULL, NULL", "1 hour", "23 hours"),
        (BUSY, 1, "in_bearbeitung", "NULL, NULL", "1 second", "24 hours"),
        (FAILED, 1, "fehlgeschlagen", "NULL, NULL", "1 hour", "23 hours"),
        (OLD, 1, "abgeschlossen", "200, '{}'", "3 days", "-2 days"),
        (OLD_OPEN, 1, "in_bearbeitung", "NULL, NULL", "3 days", "-2 days"),
        (OLD, 2, "abgeschlossen", "200, '{}'", "1 hour", "23 hours"),
    ] {
        adopted
            .db
            .run(&format!(
                "INSERT INTO idempotency_key VALUES ('{key}', {tenant}, '{status}', 'h', {answer},
                     now() - interval '{age}', now() + interval '{left}')"
            ))
            .await;
    }
    adopted
}

#[tokio::test]
async fn looking_at_it() {
    let adopted = article().await;
    assert_eq!(adopted.listed(&["--status", "in_progress"]), set(&[LOST, BUSY, OLD_OPEN]));
    assert_eq!(adopted.listed(&["--scope", "2"]), set(&[OLD]));
    assert_eq!(adopted.listed(&["--stuck", "--older-than", "5m"]), set(&[LOST, OLD_OPEN]));
    assert_eq!(adopted.listed(&["--expired"]), set(&[OLD, OLD_OPEN]));
    assert_eq!(adopted.listed(&["--key-prefix", "00000000-0000-0000-0000-00000000d"]), set(&[DONE]));
    assert_eq!(adopted.listed(&["--response-status", "2xx", "--scope", "1"]), set(&[DONE, OLD]));

    let done = &adopted.json(&["inspect", DONE, "--body"])[0];
    assert_eq!(
        (&done["status"], &done["scope"], &done["verdict"], &done["response"]["status"]),
        (&json!("completed"), &json!("1"), &json!("replay"), &json!(201))
    );
    assert_eq!(done["response"]["body"], json!("{\"a\": [2], \"b\": 1}"));
    assert_eq!(adopted.verdict(LOST), "wait");
    assert_eq!(adopted.verdict(FAILED), "final_failure");
    let old = adopted.json(&["inspect", OLD]);
    assert_eq!((old[0]["verdict"].as_str(), old.as_array().unwrap().len()), (Some("replay"), 2), "it blocks");

    let replayed = adopted.run(&["replay", DONE]);
    assert_eq!((replayed.code, replayed.stdout.as_str()), (0, "{\"a\": [2], \"b\": 1}"));
    assert!(replayed.stderr.contains("wrote anew"), "{replayed:?}");
    adopted.refuses(&["replay", OLD], 2, &["2 scopes", "'1', '2'"]);
    adopted.refuses(&["replay", LOST], 4, &["in progress"]);
    adopted.refuses(&["inspect", "no-uuid"], 2, &["uuid"]);
    adopted.refuses(&["inspect", "00000000-0000-0000-0000-0000000000ff"], 3, &["no key"]);

    let stats = adopted.json(&["stats"]);
    assert_eq!(stats["rows"]["value"], 7);
    assert_eq!(stats["states"]["in_progress"]["value"], 3);
    assert_eq!(stats["backlog"]["rows"]["value"], 1);
}

#[tokio::test]
async fn reaping_and_purging_it() {
    let adopted = article().await;
    adopted.refuses(&["reap-stuck"], 2, &["--older-than"]);
    adopted.refuses(&["list", "--stuck"], 2, &["--older-than"]);
    let dry = adopted.json(&["reap-stuck", "--older-than", "5m", "--dry-run"]);
    assert_eq!(dry["matched"], 2);
    let reaped = adopted.json(&["reap-stuck", "--older-than", "5m"]);
    assert_eq!((&reaped["reaped"], &reaped["keys"][0]["retry_allowed"]), (&json!(2), &json!(false)));
    assert_eq!(adopted.listed(&["--status", "failed"]), set(&[LOST, FAILED, OLD_OPEN]));

    let purged = adopted.json(&["purge", "--dry-run"]);
    assert_eq!(purged["matched"], 2);
    assert_eq!(adopted.json(&["purge"])["deleted"], 2);
    assert_eq!(adopted.listed(&["--status", "failed"]), set(&[LOST, FAILED]));
    assert_eq!(adopted.db.number("SELECT count(*) FROM idempotency_key").await, 5);
}

#[tokio::test]
async fn a_block_holds_as_long_again_as_the_claim() {
    let adopted = article().await;
    let reaped = adopted.json(&["reap-stuck", "--older-than", "1h", "--retry", "block"]);
    assert_eq!(reaped["reaped"], 2);
    let left = "SELECT count(*) FROM idempotency_key
        WHERE status = 'fehlgeschlagen' AND laeuft_ab_am BETWEEN now() + interval '23 hours' AND now() + interval '24 hours'";
    assert_eq!(adopted.db.number(left).await, 2);
}

#[tokio::test]
async fn the_operators_hand_and_its_traces() {
    let adopted = article().await;
    adopted.refuses(&["audit"], 8, &["no audit table", "idemctl migrate"]);
    let failed = adopted.run(&["fail", BUSY, "--yes"]);
    assert_eq!(failed.code, 0, "{failed:?}");
    assert!(failed.stderr.contains("leaves no trace"), "{failed:?}");

    let migrated = adopted.run(&["migrate"]);
    assert_eq!(migrated.code, 0, "{migrated:?}");
    assert_eq!(adopted.run(&["migrate", "status", "--exit-code"]).code, 0);
    let owned = "SELECT count(*) FROM pg_class WHERE relname = 'idempotency_keys'";
    assert_eq!(adopted.db.number(owned).await, 0, "the own table is not made");

    adopted.refuses(&["release", DONE, "--yes"], 5, &[]);
    assert_eq!(adopted.json(&["release", FAILED, "--yes", "--reason", "fixed"])["changed"], 1);
    adopted.refuses(&["inspect", FAILED], 3, &["is gone"]);
    adopted.refuses(&["forget", LOST, "--yes"], 5, &[]);
    assert_eq!(adopted.json(&["forget", OLD, "--scope", "2", "--yes"])["changed"], 1);
    assert_eq!(adopted.json(&["forget", LOST, "--force", "--yes"])["changed"], 1);
    let audit = adopted.json(&["audit"]);
    let actions: Vec<&str> =
        audit.as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["forgotten", "forgotten", "released"]);
    assert_eq!(audit[2]["reason"], "fixed");
    assert_eq!(adopted.json(&["reap-stuck", "--older-than", "5m"])["reaped"], 1);
    assert_eq!(adopted.json(&["audit"])[0]["row_before"]["status"], "in_progress");
}

#[tokio::test]
async fn what_was_listed_is_compared_with_what_is_there() {
    use std::io::Write as _;
    let adopted = article().await;
    let listed = adopted.run(&["list", "--status", "failed", "-o", "jsonl"]).stdout;
    let path = adopted.binary.home.path().join("idemctl.toml").display().to_string();
    let mut child = adopted
        .binary
        .command(&["--config", &path, "release", "-", "--yes", "-o", "json"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(listed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(adopted.listed(&["--status", "failed"]), set(&[]));
}

#[tokio::test]
async fn nobody_claims_in_it_but_its_application() {
    let adopted = article().await;
    adopted.refuses(&["run", "--key", "k", "--", "true"], 125, &["application that owns it"]);
}

/// The README shows the very table and the very mapping that are tried here.
#[test]
fn the_readme_has_it() {
    let readme = include_str!("../../README.md");
    for (language, text) in [("sql", SCHEMA), ("toml", CONFIG.split_once('\n').unwrap().1)] {
        assert!(readme.contains(&format!("```{language}\n{text}```\n")), "README.md lacks\n{text}");
    }
}
