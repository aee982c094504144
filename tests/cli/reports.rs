//! What is printed: the JSON contract, tables, layers of the configuration, text from unrecognized.

use std::fs;
use std::process::Stdio;

use idemctl::protocol::{Answer, ClaimOutcome, Retry};
use idemctl::store::{Dialect, TimeSource};
use serde_json::{Value, json};

use crate::binary::{Binary, Ran};
use crate::support::{TestDb, claim, on_both_dialects, scope, ttl};

const FIELDS: [&str; 21] = [
    "key",
    "scope",
    "status",
    "expired",
    "stuck",
    "takeable",
    "verdict",
    "why",
    "attempt",
    "owner",
    "request_hash",
    "retry_allowed",
    "failure",
    "created_at",
    "claimed_at",
    "last_heartbeat",
    "lease_expires_at",
    "finished_at",
    "expires_at",
    "response",
    "history",
];

async fn inspect_has_every_field_of_the_contract(db: TestDb) {
    let answer = Answer::new(201, "body").with_header("Set-Cookie", "secret=1").with_header("X-Id", "7");
    for name in ["", "tenant"] {
        let claim = idemctl::protocol::Claim { scope: scope(name), ..claim("k") };
        let token = match db.store.claim(&claim).await.unwrap() {
            ClaimOutcome::Claimed { token, .. } => token,
            other => panic!("{other:?}"),
        };
        db.store.complete(&claim.key, &claim.scope, token, &answer).await.unwrap();
    }
    let binary = Binary::on(&db);
    let found = binary.json(&["inspect", "k"]);
    let rows = found.as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for field in FIELDS {
        assert!(rows[0].get(field).is_some(), "{field} is missing: {found}");
    }
    assert_eq!(rows[0]["verdict"], "replay");
    assert_eq!(rows[0]["response"]["headers"], json!([["Set-Cookie", "(masked)"], ["X-Id", "7"]]));
    assert_eq!(rows[0]["response"]["body_bytes"], 4);
    assert!(rows[0]["response"].get("body").is_none(), "bodies only on request");
    let only = binary.json(&["inspect", "k", "--scope", "tenant", "--body"]);
    assert_eq!(only[0]["response"]["body"], "body");
    assert_eq!(only.as_array().unwrap().len(), 1);
    assert_eq!(binary.json(&["inspect", "k", "--scope", ""]).as_array().unwrap().len(), 1);
}

async fn an_absent_key_is_an_empty_list_and_exits_3(db: TestDb) {
    let ran = Binary::on(&db).run(&["inspect", "nobody", "-o", "json"]);
    assert_eq!(ran.code, 3);
    assert_eq!(ran.json(), json!([]));
    assert!(ran.stderr.contains("no key nobody"), "{ran:?}");
}

/// The first screen of the README.
async fn a_stuck_key_waits_and_executes_once_it_is_reaped(db: TestDb) {
    let past = db.store.with_clock(TimeSource::Shifted(-12 * 60 * 1_000_000)).unwrap();
    past.claim(&claim("stuck").with_ttl(ttl(86_400)).with_owner("api-3:4711")).await.unwrap();
    let binary = Binary::on(&db);
    let before = &binary.json(&["inspect", "stuck"])[0];
    assert_eq!((&before["verdict"], &before["stuck"]), (&json!("wait"), &json!(false)), "15m is the default");
    let dry = binary.json(&["reap-stuck", "--older-than", "5m", "--dry-run"]);
    assert_eq!((&dry["matched"], &dry["reaped"], &dry["dry_run"]), (&json!(1), &json!(0), &json!(true)));
    assert_eq!(binary.json(&["reap-stuck", "--older-than", "13m"])["matched"], 0);
    let reaped = binary.json(&["reap-stuck", "--older-than", "5m", "--reason", "pager"]);
    assert_eq!((&reaped["matched"], &reaped["reaped"]), (&json!(1), &json!(1)), "{reaped}");
    assert_eq!(reaped["keys"][0]["key"], "stuck");
    let after = &binary.json(&["inspect", "stuck"])[0];
    assert_eq!((&after["verdict"], &after["status"]), (&json!("execute"), &json!("failed")));
    assert_eq!(after["history"][0]["action"], "reaped");
    assert_eq!(after["history"][0]["reason"], "pager");
    assert_eq!(after["history"][0]["row_before"]["owner"], "api-3:4711");
    // The history outlives the row.
    db.run("DELETE FROM idempotency_keys").await;
    let ran = binary.run(&["inspect", "stuck"]);
    assert_eq!(ran.code, 3);
    assert!(ran.stdout.contains("pager"), "{ran:?}");
}

/// A retry of a server's waits; `run` does not, and takes the claim away. Whoever looks is told of both.
async fn a_claim_whose_lease_is_over_can_be_taken_away(db: TestDb) {
    let past = db.store.with_clock(TimeSource::Shifted(-60 * 1_000_000)).unwrap();
    for (name, if_lost) in [("again", Retry::Allow), ("closed", Retry::Block)] {
        past.claim(&claim(name).with_ttl(ttl(86_400)).if_lost(if_lost)).await.unwrap();
    }
    db.store.claim(&claim("leased").with_lease(crate::support::lease(3_600))).await.unwrap();
    let binary = Binary::on(&db);
    let row = |name: &str| binary.json(&["inspect", name])[0].clone();
    let (again, closed, leased) = (row("again"), row("closed"), row("leased"));
    for (row, takeable) in [(&again, true), (&closed, true), (&leased, false)] {
        assert_eq!((&row["verdict"], &row["takeable"]), (&json!("wait"), &json!(takeable)), "{row}");
        let why = row["why"].as_str().unwrap();
        assert_eq!(why.contains("take its claim away"), takeable, "{why}");
    }
    assert!(
        again["why"].as_str().unwrap().contains("`idemctl run` of it, which runs the command"),
        "{again}"
    );
    assert!(closed["why"].as_str().unwrap().contains("which closes the key"), "{closed}");
    // It is as it says.
    let run = |name: &str| binary.run(&["run", "--key", name, "--", "echo", "ran"]);
    assert_eq!((run("again").stdout.as_str(), run("closed").code, run("leased").code), ("ran\n", 125, 75));
    assert_eq!(row("closed")["verdict"], "final_failure");
}

async fn a_blocked_row_stays_blocked_and_says_until_when(db: TestDb) {
    let past = db.store.with_clock(TimeSource::Shifted(-60 * 60 * 1_000_000)).unwrap();
    past.claim(&claim("stuck").with_ttl(ttl(86_400)).if_lost(Retry::Block)).await.unwrap();
    let binary = Binary::on(&db);
    let reaped = binary.json(&["reap-stuck", "--retry", "allow"]);
    assert_eq!(reaped["keys"][0]["retry_allowed"], false);
    let row = &binary.json(&["inspect", "stuck"])[0];
    assert_eq!(row["verdict"], "final_failure");
    assert!(row["why"].as_str().unwrap().contains("expires in 23h 59m"), "{row}");
}

async fn lists_are_one_document_in_every_format(db: TestDb) {
    let binary = Binary::on(&db);
    assert_eq!(binary.json(&["list"]), json!([]));
    assert_eq!(binary.run(&["list", "-o", "jsonl"]).stdout, "");
    db.store.insert_completed("many-", "s", 2_500, &Answer::new(200, "x")).await.unwrap();
    let all = binary.json(&["list", "--limit", "0"]);
    let rows = all.as_array().unwrap();
    assert_eq!(rows.len(), 2_500);
    let mut keys: Vec<&str> = rows.iter().map(|row| row["key"].as_str().unwrap()).collect();
    assert!(keys.is_sorted());
    keys.dedup();
    assert_eq!(keys.len(), 2_500);
    let lines = binary.run(&["list", "--limit", "0", "-o", "jsonl"]);
    assert_eq!(
        lines.stdout.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count(),
        2_500
    );
    let csv = binary.run(&["list", "--limit", "0", "-o", "csv"]);
    assert_eq!(csv.stdout.lines().count(), 2_501);
    let some = binary.run(&["list", "--limit", "7"]);
    assert_eq!(some.stdout.lines().count(), 8);
    assert!(some.stderr.contains("there are more"), "{some:?}");
    assert_eq!(
        binary.json(&["list", "--key-prefix", "many-24", "--limit", "0"]).as_array().unwrap().len(),
        111
    );
    assert_eq!(binary.json(&["list", "--response-status", "5xx"]), json!([]));
    assert_eq!(binary.run(&["inspect", "k", "-o", "csv"]).code, 2);
}

async fn text_from_the_database_can_not_move_the_cursor(db: TestDb) {
    let hostile = "\u{1b}]0;owned\u{7}\u{202e}evil\u{9b}2J";
    let now = db.time("2030-01-01T00:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap().into());
    db.run(&format!(
        "INSERT INTO idempotency_keys (idempotency_key, scope, status, owner, failure, request_hash,
             response_headers, response_status, created_at, claimed_at, renewed_at, expires_at)
         VALUES ('k{hostile}', '{hostile}', 'failed', '{hostile}', '{hostile}', '{hostile}',
             '[[\"{hostile}\",\"{hostile}\"]]', 500, {now}, {now}, {now}, {now})"
    ))
    .await;
    let binary = Binary::on(&db);
    for format in ["table", "json", "jsonl", "csv"] {
        let ran = binary.run(&["list", "-o", format]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.is_clean();
        assert!(ran.stdout.contains("evil") && !ran.stdout.contains('\u{202e}'), "{ran:?}");
    }
    let listed = binary.json(&["list"]);
    assert_eq!(listed[0]["owner"], hostile, "JSON gives the very text back");
}

async fn a_reader_that_leaves_is_no_error(db: TestDb) {
    db.store.insert_completed("many-", "", 5_000, &Answer::new(200, "x")).await.unwrap();
    let mut command = Binary::on(&db).command(&["list", "--limit", "0", "-o", "jsonl"]);
    let mut child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

/// The log is a courtesy: where it can't be written, the command still does its work. A panic in the
/// task that renews a claim would count as a lost claim, and end the command that it protects.
async fn a_log_that_can_not_be_written_stops_nothing(db: TestDb) {
    let binary = Binary::on(&db);
    for format in ["text", "json"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let (reader, closed) = std::io::pipe().unwrap();
        drop(reader);
        for stderr in [Stdio::from(full), Stdio::from(closed)] {
            let arguments = ["-vv", "--log-format", format, "list", "-o", "json"];
            let ran = Ran::from(binary.command(&arguments).stderr(stderr).output().unwrap());
            assert_eq!((ran.code, ran.stdout.as_str()), (0, "[]\n"), "{ran:?}");
        }
    }
}

/// A spreadsheet runs what begins like a formula.
async fn cells_of_a_list_are_no_formulas(db: TestDb) {
    for name in ["=1+1", "+1", "-1", "@SUM(A1)", "plain"] {
        db.store.claim(&claim(name).with_owner("=cmd")).await.unwrap();
    }
    let binary = Binary::on(&db);
    let keys = |text: &str| {
        let cell = |line: &str| line.split(',').next().unwrap_or_default().trim_matches('"').to_owned();
        text.lines().skip(1).map(cell).collect::<Vec<_>>()
    };
    let ran = binary.run(&["list", "-o", "csv", "--sort", "key"]);
    assert_eq!(keys(&ran.stdout), ["'+1", "'-1", "'=1+1", "'@SUM(A1)", "plain"], "{ran:?}");
    assert_eq!(ran.stdout.matches(",'=cmd,").count(), 5, "{ran:?}");
    let raw = binary.run(&["list", "-o", "csv", "--sort", "key", "--raw-csv"]);
    assert_eq!(keys(&raw.stdout), ["+1", "-1", "=1+1", "@SUM(A1)", "plain"], "{raw:?}");
}

on_both_dialects!(
    cells_of_a_list_are_no_formulas,
    a_log_that_can_not_be_written_stops_nothing,
    inspect_has_every_field_of_the_contract,
    an_absent_key_is_an_empty_list_and_exits_3,
    a_stuck_key_waits_and_executes_once_it_is_reaped,
    a_blocked_row_stays_blocked_and_says_until_when,
    a_claim_whose_lease_is_over_can_be_taken_away,
    lists_are_one_document_in_every_format,
    text_from_the_database_can_not_move_the_cursor,
    a_reader_that_leaves_is_no_error,
);

#[tokio::test]
async fn layers_of_the_configuration_are_named() {
    let db = TestDb::new(Dialect::Sqlite).await;
    let binary = Binary::on(&db);
    let folder = binary.home.path().join(".config/idemctl");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("idemctl.toml"),
        "[purge]\ngrace = \"2h\"\nduty = 0.5\n[reap]\nolder_than = \"7m\"\n",
    )
    .unwrap();
    let ran = binary
        .command(&["config", "show", "-o", "json", "--time-zone", "Asia/Tokyo"])
        .env("IDEMCTL_PURGE_DUTY", "1")
        .env("IDEMCTL_PURGE_MAX_BATCH", "5000")
        .output()
        .unwrap();
    let settings: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let get = |key: &str| {
        let all = settings.as_array().unwrap();
        let one = all.iter().find(|one| one["key"] == key).unwrap_or_else(|| panic!("{key}: {settings}"));
        (one["value"].as_str().unwrap().to_owned(), one["source"].as_str().unwrap().to_owned())
    };
    assert_eq!(get("purge.duty"), ("1".into(), "$IDEMCTL_PURGE_DUTY".into()));
    assert_eq!(get("purge.max_batch"), ("5000".into(), "$IDEMCTL_PURGE_MAX_BATCH".into()));
    assert_eq!(get("purge.grace").0, "2h");
    assert!(get("purge.grace").1.ends_with("idemctl.toml"));
    assert_eq!(get("purge.min_batch"), ("100".into(), "default".into()));
    assert_eq!(get("display.time_zone"), ("Asia/Tokyo".into(), "--time-zone".into()));
    assert_eq!(get("database.url").1, "$IDEMCTL_DATABASE_URL");
    assert_eq!(binary.run(&["list", "--time-zone", "Mars/Olympus"]).code, 2);
}

#[test]
fn the_url_is_found_in_its_order() {
    let binary = Binary::new();
    let home = binary.home.path();
    fs::write(home.join("database-url"), "sqlite:/credentials.db\n").unwrap();
    fs::write(home.join("url"), "sqlite:/file.db\n").unwrap();
    fs::write(home.join("c.toml"), "[database]\nurl = \"sqlite:/config.db\"\n").unwrap();
    let shown = |flags: &[&str], variables: &[(&str, &str)]| {
        let mut arguments = vec!["config", "show", "-o", "json"];
        arguments.extend(flags);
        let output = binary.command(&arguments).envs(variables.iter().copied()).output().unwrap();
        let settings: Value = serde_json::from_slice(&output.stdout).unwrap();
        let all = settings.as_array().unwrap().clone();
        all.into_iter().find(|one| one["key"] == "database.url").unwrap()["value"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let config = home.join("c.toml");
    let credentials = [("CREDENTIALS_DIRECTORY", home.to_str().unwrap())];
    let file = home.join("url");
    let mut flags = vec!["--config", config.to_str().unwrap()];
    assert_eq!(shown(&flags, &[]), "sqlite:/config.db");
    assert_eq!(shown(&flags, &credentials), "sqlite:/credentials.db");
    let without = tempfile::tempdir().unwrap();
    fs::write(without.path().join("database-url"), "\n").unwrap();
    assert_eq!(
        shown(&flags, &[("CREDENTIALS_DIRECTORY", without.path().to_str().unwrap())]),
        "sqlite:/config.db"
    );
    let mut variables = credentials.to_vec();
    variables.push(("DATABASE_URL", "sqlite:/plain.db"));
    assert_eq!(shown(&flags, &variables), "sqlite:/plain.db");
    variables.push(("IDEMCTL_DATABASE_URL", "sqlite:/own.db"));
    assert_eq!(shown(&flags, &variables), "sqlite:/own.db");
    flags.extend(["--database-url-file", file.to_str().unwrap()]);
    assert_eq!(shown(&flags, &variables), "sqlite:/file.db");
    assert!(shown(&[], &[]).ends_with(".local/share/idemctl/idemctl.db"));
}

#[test]
fn the_demo_shows_the_main_job() {
    let ran = Binary::new().run(&["demo"]);
    ran.is_clean();
    assert_eq!(ran.code, 0, "{ran:?}");
    let at =
        |text: &str| ran.stdout.find(text).unwrap_or_else(|| panic!("{text:?} is missing: {}", ran.stdout));
    assert!(at("verdict        wait") < at("1 stuck, 1 reaped"));
    assert!(at("1 stuck, 1 reaped") < at("verdict      execute"));
    assert!(at("verdict      execute") < at("20,000 expired rows deleted"));
}
