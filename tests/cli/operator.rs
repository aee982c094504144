//! The operator's hand: replay, release, fail, forget, audit, stats, completions.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use idemctl::protocol::{Answer, ClaimOutcome, Retry, Token};
use idemctl::store::{Dialect, Store, TimeSource};
use serde_json::{Value, json};

use crate::binary::{Binary, Ran};
use crate::support::{TestDb, claim, on_both_dialects, scope, ttl};

async fn take(store: &Store, name: &str) -> Token {
    let claim = claim(name).with_ttl(ttl(86_400));
    match store.claim(&claim).await.unwrap() {
        ClaimOutcome::Claimed { token, .. } => token,
        other => panic!("{other:?}"),
    }
}

/// `done` completed, `lost` in progress without a running lease, `busy` in progress with one, `final`
/// failed for good, `again` failed and free, `old` completed and expired.
async fn one_of_each(db: &TestDb) {
    let store = &db.store;
    let none = scope("");
    let key = crate::support::key;
    let answer = Answer::new(201, b"a\0b\xff".to_vec())
        .with_header("Location", "/orders/1")
        .with_header("Set-Cookie", "a=1")
        .with_header("Set-Cookie", "b=2");
    let token = take(store, "done").await;
    store.complete(&key("done"), &none, token, &answer).await.unwrap();
    take(&store.with_clock(TimeSource::Shifted(-3_600_000_000)).unwrap(), "lost").await;
    take(store, "busy").await;
    for (name, retry) in [("final", Retry::Block), ("again", Retry::Allow)] {
        let token = take(store, name).await;
        store.fail(&key(name), &none, token, "card refused", retry, None).await.unwrap();
    }
    let past = store.with_clock(TimeSource::Shifted(-200_000_000_000)).unwrap();
    let token = take(&past, "old").await;
    past.complete(&key("old"), &none, token, &answer).await.unwrap();
}

async fn replay_writes_the_exact_bytes_or_says_why_not(db: TestDb) {
    one_of_each(&db).await;
    let binary = Binary::on(&db);
    let done = binary.run(&["replay", "done"]);
    assert_eq!((done.code, done.bytes.as_slice()), (0, &b"a\0b\xff"[..]), "{done:?}");
    let with_headers = binary.run(&["replay", "done", "-i"]);
    let head = "HTTP/1.1 201\r\nLocation: /orders/1\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n";
    assert_eq!(with_headers.bytes, [head.as_bytes(), &done.bytes].concat(), "nothing is masked here");
    for (key, code, words) in [
        ("nobody", 3, "no key"),
        ("old", 3, "expired"),
        ("busy", 4, "in progress"),
        ("final", 5, "card refused"),
        ("again", 5, "tried again"),
    ] {
        let ran = binary.run(&["replay", key]);
        assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{ran:?}");
        assert!(ran.stderr.contains(words), "{ran:?}");
    }
}

async fn replay_waits_for_an_answer(db: TestDb) {
    let token = take(&db.store, "k").await;
    let child =
        Binary::on(&db).command(&["replay", "k", "--wait", "30s"]).stdout(Stdio::piped()).spawn().unwrap();
    let answer = Answer::new(200, "late");
    db.store.complete(&crate::support::key("k"), &scope(""), token, &answer).await.unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"late");
}

async fn an_omitted_body_is_never_replayed_as_an_empty_one(db: TestDb) {
    let token = take(&db.store, "k").await;
    let answer = Answer::new(200, vec![0; 5]).without_body();
    db.store.complete(&crate::support::key("k"), &scope(""), token, &answer).await.unwrap();
    let ran = Binary::on(&db).run(&["replay", "k"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (5, ""));
    assert!(ran.stderr.contains("5 bytes"), "{ran:?}");
}

async fn only_what_the_state_machine_allows_is_done(db: TestDb) {
    one_of_each(&db).await;
    let binary = Binary::on(&db);
    for (arguments, code, outcome) in [
        (&["release", "done"][..], 5, "refused"),
        (&["release", "busy"], 5, "refused"),
        (&["release", "again"], 0, "unchanged"),
        (&["release", "old"], 5, "refused"),
        (&["release", "nobody"], 3, "missing"),
        (&["fail", "done"], 5, "refused"),
        (&["fail", "final"], 5, "refused"),
        (&["fail", "busy"], 5, "refused"),
        (&["forget", "busy"], 5, "refused"),
        (&["fail", "nobody"], 3, "missing"),
    ] {
        let mut all = arguments.to_vec();
        all.extend(["--yes", "-o", "json"]);
        let ran = binary.run(&all);
        assert_eq!(
            (ran.code, ran.json()["keys"][0]["outcome"].as_str()),
            (code, Some(outcome)),
            "{arguments:?} {ran:?}"
        );
        assert_eq!(ran.json()["changed"], 0);
    }
    assert_eq!(binary.json(&["audit"]), json!([]), "what is not done is not audited");
    for (arguments, outcome, verdict) in [
        (&["release", "final"][..], "released", Some("execute")),
        (&["fail", "lost", "--retry", "block"], "failed", Some("final_failure")),
        (&["fail", "busy", "--force"], "failed", Some("execute")),
        (&["forget", "done"], "forgotten", None),
    ] {
        let mut all = arguments.to_vec();
        all.extend(["--yes", "--reason", "ticket 7"]);
        let report = binary.json(&all);
        assert_eq!(
            (&report["changed"], &report["keys"][0]["outcome"]),
            (&json!(1), &json!(outcome)),
            "{report}"
        );
        let row = binary.run(&["inspect", arguments[1], "-o", "json"]).json();
        assert_eq!(row[0]["verdict"].as_str(), verdict, "{row}");
    }
    let audit = binary.json(&["audit"]);
    let actions: Vec<&str> =
        audit.as_array().unwrap().iter().map(|one| one["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["forgotten", "failed", "failed", "released"], "the newest first");
    for entry in audit.as_array().unwrap() {
        assert_eq!(entry["reason"], "ticket 7");
        assert!(entry["host"].is_string() && entry["row_before"]["expires_at"].is_string(), "{entry}");
        assert!(!entry.to_string().contains("a\\u0000b"), "no bodies");
    }
    assert_eq!(binary.json(&["audit", "--command", "release"]).as_array().unwrap().len(), 1);
    assert_eq!(binary.json(&["audit", "--key", "busy", "--since", "1h"]).as_array().unwrap().len(), 1);
    assert_eq!(binary.json(&["audit", "--until", "1h"]), json!([]));
}

async fn a_zombie_cannot_settle_what_an_operator_failed(db: TestDb) {
    let token = take(&db.store, "k").await;
    let binary = Binary::on(&db);
    assert_eq!(binary.json(&["fail", "k", "--force", "--yes"])["changed"], 1);
    let before = db.record("k").await;
    let late =
        db.store.complete(&crate::support::key("k"), &scope(""), token, &Answer::new(200, "late")).await;
    assert_eq!(crate::support::kind(late), idemctl::store::ErrorKind::StaleClaim);
    assert_eq!(db.record("k").await, before);
}

async fn nothing_is_changed_without_a_confirmation(db: TestDb) {
    one_of_each(&db).await;
    let binary = Binary::on(&db);
    for arguments in [&["release", "final"][..], &["fail", "lost"], &["forget", "done"]] {
        let before = binary.json(&["list", "--limit", "0"]);
        let ran = binary.run(arguments);
        assert_eq!(ran.code, 5, "{ran:?}");
        assert!(ran.stderr.contains("--yes"), "{ran:?}");
        let mut dry = arguments.to_vec();
        dry.push("--dry-run");
        let report = binary.json(&dry);
        assert_eq!(
            (&report["dry_run"], &report["keys"][0]["outcome"]),
            (&json!(true), &json!("would_change"))
        );
        let strip = |list: Value| -> Vec<Value> {
            let rows = list.as_array().unwrap().clone();
            rows.into_iter().map(|row| json!([row["key"], row["status"], row["expires_at"]])).collect()
        };
        assert_eq!(strip(before), strip(binary.json(&["list", "--limit", "0"])));
    }
}

async fn a_key_in_several_scopes_must_be_named_in_one(db: TestDb) {
    for name in ["a", "b"] {
        let claim = idemctl::protocol::Claim { scope: scope(name), ..claim("k") };
        db.store.claim(&claim).await.unwrap();
    }
    let binary = Binary::on(&db);
    for arguments in [&["replay", "k"][..], &["fail", "k", "--yes"], &["forget", "k", "--yes", "--force"]] {
        let ran = binary.run(arguments);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("'a', 'b'") && ran.stderr.contains("--scope"), "{ran:?}");
    }
    assert_eq!(binary.json(&["forget", "k", "--scope", "a", "--yes", "--force"])["changed"], 1);
    assert_eq!(binary.json(&["list"]).as_array().unwrap().len(), 1);
}

/// After a bad deploy: one pipeline allows the retry of all keys that failed in the last two hours.
async fn a_pipeline_changes_exactly_what_the_list_showed(db: TestDb) {
    for number in 0..40 {
        let claim = idemctl::protocol::Claim {
            scope: scope(if number % 2 == 0 { "a" } else { "b" }),
            ..claim(&format!("k{number}"))
        };
        let token = match db.store.claim(&claim).await.unwrap() {
            ClaimOutcome::Claimed { token, .. } => token,
            other => panic!("{other:?}"),
        };
        db.store.fail(&claim.key, &claim.scope, token, "bad deploy", Retry::Block, None).await.unwrap();
    }
    let binary = Binary::on(&db);
    let list = binary.run(&["list", "--status", "failed", "--since", "2h", "--limit", "0", "-o", "jsonl"]);
    assert_eq!(list.stdout.lines().count(), 40);
    // One of them changes between the list and the release.
    assert_eq!(binary.json(&["forget", "k7", "--yes"])["changed"], 1);
    let newer = idemctl::protocol::Claim { scope: scope("b"), ..claim("k7") };
    db.store.claim(&newer).await.unwrap();
    let feed = |input: &str| {
        let mut child = binary
            .command(&["release", "--yes", "--reason", "deploy 41 undone", "-", "-o", "json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Ran::from(child.wait_with_output().unwrap())
    };
    let ran = feed(&list.stdout);
    let report = ran.json();
    assert_eq!((ran.code, &report["changed"], &report["moved"]), (6, &json!(39), &json!(1)), "{ran:?}");
    assert_eq!(
        binary.json(&["audit", "--command", "release", "--limit", "100"]).as_array().unwrap().len(),
        39
    );
    // Shown once more, every row has changed since.
    assert_eq!(feed(&list.stdout).json()["changed"], 0);
    for wrong in ["not json\n", "{\"key\":\"k\"}\n"] {
        assert_eq!(feed(wrong).code, 2);
    }
    assert_eq!(binary.run(&["release", "-", "k1", "--yes"]).code, 2);
}

async fn stats_counts_what_is_there(db: TestDb) {
    one_of_each(&db).await;
    let binary = Binary::on(&db);
    for arguments in [&["stats"][..], &["stats", "--exact"]] {
        let stats = binary.json(arguments);
        let exact = |value: u64| json!({"value": value, "how": "exact"});
        assert_eq!(stats["rows"], exact(6), "{stats}");
        assert_eq!(stats["states"]["in_progress"], exact(2));
        assert_eq!(stats["states"]["completed"], exact(2));
        assert_eq!(stats["states"]["failed"], exact(2));
        assert_eq!(stats["stuck"], exact(1));
        assert_eq!(stats["backlog"]["rows"], exact(1));
        assert_eq!(stats["largest_scopes"], json!([{"scope": "", "rows": exact(6)}]));
        let sum = |hours: &Value| {
            hours.as_array().unwrap().iter().map(|hour| hour["rows"]["value"].as_u64().unwrap()).sum::<u64>()
        };
        assert_eq!(sum(&stats["claims"]), 5, "{stats}");
        assert_eq!(stats["last_purge"]["started_at"], Value::Null);
    }
    assert_eq!(binary.run(&["stats", "--max-backlog-age", "1h"]).code, 6);
    assert_eq!(binary.run(&["stats", "--max-backlog-age", "90days"]).code, 0);
    assert_eq!(binary.json(&["purge"])["deleted"], 1);
    let stats = binary.json(&["stats", "--max-backlog-age", "1h"]);
    assert_eq!(stats["backlog"]["rows"]["value"], 0);
    assert!(stats["last_purge"]["succeeded_at"].is_string(), "{stats}");
    assert!(binary.run(&["stats"]).stdout.contains("claims in the hour that began"));
}

async fn inspect_says_whether_a_request_matches(db: TestDb) {
    let binary = Binary::on(&db);
    let file = binary.home.path().join("request");
    let path = file.to_str().unwrap();
    fs::write(&file, "one").unwrap();
    binary.run(&["run", "--key", "k", "--fingerprint-file", path, "--", "true"]);
    let compare = || binary.json(&["inspect", "k", "--fingerprint-file", path])[0]["fingerprint"].clone();
    assert_eq!((&compare()["matches"], &compare()["rule"]), (&json!(true), &json!("sha256")));
    fs::write(&file, "two").unwrap();
    assert_eq!(compare()["matches"], false);
    let table = binary.run(&["inspect", "k", "--fingerprint-file", path]);
    assert!(table.stdout.contains("a mismatch"), "{table:?}");
    assert_eq!(binary.run(&["inspect", "k", "--fingerprint-file", "/no/such"]).code, 2);
}

async fn a_key_that_payments_cascade_from_is_not_forgotten(db: TestDb) {
    one_of_each(&db).await;
    db.run(
        "CREATE TABLE payment (k text, s text, FOREIGN KEY (k, s)
             REFERENCES idempotency_keys (idempotency_key, scope) ON DELETE CASCADE)",
    )
    .await;
    db.run("INSERT INTO payment VALUES ('done', '')").await;
    for arguments in [&["forget", "done", "--yes"][..], &["purge"], &["purge", "--dry-run"]] {
        let ran = Binary::on(&db).run(arguments);
        assert_eq!(ran.code, 5, "{ran:?}");
        assert!(ran.stderr.contains("payment") && ran.stderr.contains("CASCADE"), "{ran:?}");
    }
    assert_eq!((db.rows().await, db.number("SELECT count(*) FROM payment").await), (6, 1));
}

async fn secrets_are_masked_in_everything_but_replay(db: TestDb) {
    one_of_each(&db).await;
    let binary = Binary::on(&db);
    let config = binary.home.path().join("c.toml");
    fs::write(&config, "[display]\nmasked_headers = [\"location\"]\nbodies = false\n").unwrap();
    let path = config.to_str().unwrap();
    let row = &binary.json(&["inspect", "done", "--config", path])[0];
    assert_eq!(
        row["response"]["headers"],
        json!([["Location", "(masked)"], ["Set-Cookie", "a=1"], ["Set-Cookie", "b=2"]])
    );
    assert_eq!(binary.run(&["inspect", "done", "--body", "--config", path]).code, 2);
    let by_default = &binary.json(&["list"]).as_array().unwrap().clone();
    let done = by_default.iter().find(|row| row["key"] == "done").unwrap();
    assert_eq!(done["response"]["headers"][1], json!(["Set-Cookie", "(masked)"]));
}

on_both_dialects!(
    replay_writes_the_exact_bytes_or_says_why_not,
    replay_waits_for_an_answer,
    an_omitted_body_is_never_replayed_as_an_empty_one,
    only_what_the_state_machine_allows_is_done,
    a_zombie_cannot_settle_what_an_operator_failed,
    nothing_is_changed_without_a_confirmation,
    a_key_in_several_scopes_must_be_named_in_one,
    a_pipeline_changes_exactly_what_the_list_showed,
    stats_counts_what_is_there,
    inspect_says_whether_a_request_matches,
    secrets_are_masked_in_everything_but_replay,
    a_key_that_payments_cascade_from_is_not_forgotten,
);

/// On a terminal: the answer to a question, typed before it is asked.
fn on_a_terminal(binary: &Binary, db: &TestDb, command: &str, typed: &str) -> String {
    let line = format!("{} {command}", env!("CARGO_BIN_EXE_idemctl"));
    let mut child = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .env("IDEMCTL_DATABASE_URL", &db.url)
        .env("HOME", binary.home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    String::from_utf8_lossy(&child.wait_with_output().unwrap().stdout).into_owned()
}

#[tokio::test]
async fn a_terminal_is_asked_and_shown_what_for() {
    let db = TestDb::new(Dialect::Sqlite).await;
    one_of_each(&db).await;
    let binary = Binary::on(&db);
    let no = on_a_terminal(&binary, &db, "forget done", "n\n");
    assert!(no.contains("forget this key? [y/N]") && no.contains("not confirmed"), "{no}");
    assert_eq!(binary.run(&["inspect", "done"]).code, 0);
    let yes = on_a_terminal(&binary, &db, "forget done", "y\n");
    assert!(yes.contains("1 changed"), "{yes}");
    assert_eq!(binary.run(&["inspect", "done"]).code, 3);
}

#[tokio::test]
async fn binary_goes_to_a_terminal_only_by_force() {
    let db = TestDb::new(Dialect::Sqlite).await;
    one_of_each(&db).await;
    let binary = Binary::on(&db);
    let refused = on_a_terminal(&binary, &db, "replay done", "");
    assert!(refused.contains("binary") && !refused.contains("a\0b"), "{refused}");
    assert!(on_a_terminal(&binary, &db, "replay done --force", "").contains("a\0b"));
}

#[test]
fn completions_work_in_a_real_shell() {
    let binary = Binary::new();
    for shell in ["bash", "zsh", "fish"] {
        let ran = binary.run(&["completions", shell]);
        assert_eq!(ran.code, 0, "{ran:?}");
        for verb in ["reap-stuck", "inspect", "forget"] {
            assert!(ran.stdout.contains(verb), "{shell} does not know {verb}");
        }
    }
    let idemctl = env!("CARGO_BIN_EXE_idemctl");
    let says = |shell: &str, flag: &str, script: &str| {
        let output = Command::new(shell).args([flag, script]).output().expect("tests/run.sh installs it");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let fish = format!("source ('{idemctl}' completions fish | psub); complete -C 'idemctl reap'");
    assert!(says("fish", "-c", &fish).starts_with("reap-stuck"));
    let zsh = format!(
        "autoload -U compinit; compinit -u -D; source <('{idemctl}' completions zsh); whence -w _idemctl"
    );
    assert_eq!(says("zsh", "-fc", &zsh), "_idemctl: function");
    let script = format!(
        "source <('{idemctl}' completions bash); COMP_WORDS=(idemctl reap); COMP_CWORD=1; \
         _idemctl idemctl reap idemctl; echo \"${{COMPREPLY[@]}}\""
    );
    assert_eq!(says("bash", "-c", &script), "reap-stuck");

    // As the package installs them: they ask the command that is in the path.
    let path = Path::new(idemctl).parent().unwrap().display();
    let packaged = format!("{}/packaging/completions", env!("CARGO_MANIFEST_DIR"));
    let fish =
        format!("set -x PATH '{path}' $PATH; source '{packaged}/idemctl.fish'; complete -C 'idemctl reap'");
    assert!(says("fish", "-c", &fish).starts_with("reap-stuck"));
    let script = format!(
        "PATH='{path}':$PATH; source '{packaged}/idemctl.bash'; COMP_WORDS=(idemctl reap); COMP_CWORD=1; \
         _idemctl idemctl reap idemctl; echo \"${{COMPREPLY[@]}}\""
    );
    assert_eq!(says("bash", "-c", &script), "reap-stuck");
    let zsh = format!(
        "path=('{path}' $path); fpath=('{packaged}' $fpath); autoload -U compinit; compinit -u -D; \
         echo $_comps[idemctl]; _idemctl 2>/dev/null; functions _idemctl | grep -c reap-stuck"
    );
    let said = says("zsh", "-fc", &zsh);
    let (completer, mentions) = said.split_once('\n').unwrap_or_else(|| panic!("{said:?}"));
    assert_eq!(completer, "_idemctl");
    assert_ne!(mentions, "0");
}
