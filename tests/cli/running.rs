//! `idemctl run`: at most once per key.

use std::fs;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use idemctl::protocol::{Answer, Retry};

use crate::binary::{Binary, Ran};
use crate::support::{Dialect, TestDb, claim, on_both_dialects};

async fn output_and_exit_code_are_replayed_byte_for_byte(db: TestDb) {
    let binary = Binary::on(&db);
    let script = r"printf 'a\000b\377\n\n'; echo not stored >&2";
    let first = binary.run(&["run", "--key", "k", "--", "sh", "-c", script]);
    assert_eq!((first.code, first.bytes.as_slice()), (0, &b"a\0b\xff\n\n"[..]), "{first:?}");
    assert!(first.stderr.contains("not stored"));
    let again = binary.run(&["run", "--key", "k", "--", "sh", "-c", "echo never; exit 9"]);
    assert_eq!((again.code, again.bytes, again.stderr.as_str()), (0, first.bytes, ""));
    let other_scope = binary.run(&["run", "--key", "k", "--scope", "s", "--", "echo", "other"]);
    assert_eq!(other_scope.stdout, "other\n");
}

async fn a_failure_may_run_again_or_is_final(db: TestDb) {
    let binary = Binary::on(&db);
    let run = |key: &str, policy: &str, script: &str| {
        binary.run(&["run", "--key", key, "--on-failure", policy, "--", "sh", "-c", script])
    };
    assert_eq!(run("r", "retry", "echo one; exit 3").code, 3);
    let second = run("r", "retry", "echo $IDEMPOTENCY_ATTEMPT");
    assert_eq!((second.code, second.stdout.as_str()), (0, "2\n"));
    assert_eq!(run("f", "final", "echo one; exit 3").code, 3);
    let replayed = run("f", "final", "echo two");
    assert_eq!((replayed.code, replayed.stdout.as_str()), (3, "one\n"), "{replayed:?}");
    let killed = run("s", "final", "kill -9 $$");
    assert_eq!(killed.code, 128 + 9);
    assert_eq!(run("s", "final", "echo two").code, 128 + 9);
}

async fn the_child_knows_its_key(db: TestDb) {
    let script = r#"echo "$IDEMPOTENCY_KEY|$IDEMPOTENCY_SCOPE|$IDEMPOTENCY_ATTEMPT|$IDEMPOTENCY_TOKEN""#;
    let ran = Binary::on(&db).run(&["run", "--key", "k 1", "--scope", "ü", "--", "sh", "-c", script]);
    let parts: Vec<&str> = ran.stdout.trim_end().split('|').collect();
    assert_eq!(parts[..3], ["k 1", "ü", "1"]);
    assert_eq!(parts[3].len(), 36);
}

async fn another_request_is_refused(db: TestDb) {
    let binary = Binary::on(&db);
    let file = binary.home.path().join("request");
    let run = |text: &str| {
        fs::write(&file, text).unwrap();
        let path = file.to_str().unwrap();
        binary.run(&["run", "--key", "k", "--fingerprint-file", path, "--", "echo", "done"])
    };
    assert_eq!(run(r#"{"a":1}"#).code, 0);
    assert_eq!(run(r#"{"a":1}"#).stdout, "done\n");
    let other = run(r#"{"a":2}"#);
    assert_eq!((other.code, other.stdout.as_str()), (65, ""), "{other:?}");
    assert!(other.stderr.contains("next:"));
    assert_eq!(binary.run(&["run", "--key", "k", "--fingerprint-file", "/no/such", "true"]).code, 125);
}

/// A server's answers are no exit codes.
async fn a_failure_that_a_server_stored_is_no_success(db: TestDb) {
    let binary = Binary::on(&db);
    for (name, status) in [("s500", 500), ("s256", 256), ("s0", 0)] {
        let one = claim(name);
        db.store.claim(&one).await.unwrap();
        let answer = Answer::new(status, "oops");
        let (key, scope) = (&one.key, &one.scope);
        db.store.fail(key, scope, one.token, "declined", Retry::Block, Some(&answer)).await.unwrap();
        let ran = binary.run(&["run", "--key", name, "--", "echo", "never"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (125, "oops"), "{ran:?}");
    }
}

async fn what_can_not_start_leaves_the_key_free(db: TestDb) {
    let binary = Binary::on(&db);
    assert_eq!(
        binary.run(&["run", "--key", "k", "--on-failure", "final", "--", "/no/such/command"]).code,
        127
    );
    let plain = binary.home.path().join("plain");
    fs::write(&plain, "text").unwrap();
    let ran = binary.run(&["run", "--key", "k", "--on-failure", "final", "--", plain.to_str().unwrap()]);
    assert_eq!(ran.code, 126, "{ran:?}");
    assert_eq!(binary.run(&["run", "--key", "k", "--", "echo", "now"]).stdout, "now\n");
}

async fn output_of_exactly_the_limit_is_kept_and_one_byte_more_is_not(db: TestDb) {
    let binary = Binary::on(&db);
    let run = |key: &str, bytes: u32| {
        binary.run(&["run", "--key", key, "--", "head", "-c", &bytes.to_string(), "/dev/zero"])
    };
    for _ in 0..2 {
        assert_eq!(run("fits", 1_048_576).bytes.len(), 1_048_576);
    }
    assert_eq!(run("over", 1_048_577).bytes.len(), 1_048_577);
    let again = run("over", 1_048_577);
    assert_eq!((again.code, again.bytes.len()), (0, 0), "it must not run twice");
    assert!(again.stderr.contains("1048577 bytes") && again.stderr.contains("not kept"), "{again:?}");
}

/// A `run` whose command says when it has started, and goes on until a file is there.
pub struct Running {
    pub child: Child,
    pub go: PathBuf,
}

impl Running {
    pub fn start(binary: &Binary, flags: &[&str]) -> Self {
        let folder = binary.home.path();
        let (ready, go) = (folder.join("ready"), folder.join("go"));
        let script = format!(
            "trap 'echo caught TERM; exit 7' TERM; echo working; : > '{}'; \
             while [ ! -e '{}' ]; do sleep 0.02; done; echo finished",
            ready.display(),
            go.display(),
        );
        let mut arguments = vec!["run", "--key", "k"];
        arguments.extend(flags);
        arguments.extend(["--", "sh", "-c", &script]);
        let child = binary.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_until(|| ready.exists());
        Self { child, go }
    }

    pub fn finish(self) -> Ran {
        fs::write(&self.go, "").unwrap();
        Ran::from(self.child.wait_with_output().unwrap())
    }
}

pub fn wait_until(mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < deadline, "waited in vain");
        std::thread::sleep(Duration::from_millis(5));
    }
}

async fn a_second_call_is_told_or_waits(db: TestDb) {
    let binary = Binary::on(&db);
    let running = Running::start(&binary, &[]);
    let second = binary.run(&["run", "--key", "k", "--", "echo", "second"]);
    assert_eq!((second.code, second.stdout.as_str()), (75, ""), "{second:?}");
    let waiting = binary
        .command(&["run", "--key", "k", "--wait", "30s", "--", "echo", "second"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let first = running.finish();
    assert_eq!(first.stdout, "working\nfinished\n");
    assert_eq!(Ran::from(waiting.wait_with_output().unwrap()).stdout, first.stdout);
}

/// A lock that is met while waiting is waiting: whatever the transaction that holds it comes to.
async fn an_open_transaction_is_waited_for(db: TestDb) {
    let binary = Binary::on(&db);
    let begin = if matches!(db.dialect(), Dialect::Postgres) { "BEGIN" } else { "BEGIN IMMEDIATE" };
    let now = if matches!(db.dialect(), Dialect::Postgres) { "now()" } else { "unixepoch() * 1000000" };
    let insert = |key: &str| {
        format!(
            "INSERT INTO idempotency_keys (idempotency_key, status, retry_allowed, created_at, claimed_at, renewed_at,
                 finished_at, expires_at) VALUES ('{key}', 'completed', {no}, {now}, {now}, {now}, {now}, {later})",
            no = if matches!(db.dialect(), Dialect::Postgres) { "false" } else { "0" },
            later =
                if matches!(db.dialect(), Dialect::Postgres) { "now() + interval '1 day'" } else { "(unixepoch() + 80000) * 1000000" },
        )
    };
    let mut holder = db.raw().await;
    for (key, end, stdout) in [("back", "ROLLBACK", "ran\n"), ("done", "COMMIT", "")] {
        holder.run(begin).await;
        holder.run(&insert(key)).await;
        let refused = binary.run(&["run", "--key", key, "--wait", "1s", "--", "echo", "ran"]);
        assert_eq!((refused.code, refused.stdout.as_str()), (75, ""), "{key}: {refused:?}");
        assert!(refused.stderr.contains("transaction"), "{key}: {refused:?}");
        let started = Instant::now();
        let waiting = binary
            .command(&["run", "--key", key, "--wait", "60s", "--", "echo", "ran"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Longer than any lock is waited for in one go.
        tokio::time::sleep(Duration::from_secs(7)).await;
        holder.run(end).await;
        let ran = Ran::from(waiting.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.stdout.as_str()), (0, stdout), "{key}: {ran:?}");
        assert!(started.elapsed() < Duration::from_secs(30), "{key}: {:?}", started.elapsed());
    }
}

async fn the_claim_is_renewed_while_the_command_runs(db: TestDb) {
    let binary = Binary::on(&db);
    let running = Running::start(&binary, &["--lease", "1s"]);
    let lease = || binary.json(&["inspect", "k"])[0]["lease_expires_at"].as_str().unwrap().to_owned();
    let first = lease();
    wait_until(|| lease() > first);
    // Past its first lease it is still not stuck.
    std::thread::sleep(Duration::from_millis(1_200));
    // Held by its lease, or renewed in this very moment and not even silent.
    assert_eq!(binary.json(&["reap-stuck", "--older-than", "1s"])["matched"], 0);
    assert_eq!(running.finish().code, 0);
}

async fn signals_are_passed_to_the_child(db: TestDb) {
    let binary = Binary::on(&db);
    let running = Running::start(&binary, &["--on-failure", "final"]);
    kill(running.child.id() as i32, "TERM");
    let ran = Ran::from(running.child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.stdout.as_str()), (7, "working\ncaught TERM\n"), "{ran:?}");
    assert_eq!(binary.run(&["run", "--key", "k", "--", "true"]).stdout, ran.stdout);
}

/// As `nohup` starts it: what we leave ignored, the command does too.
async fn ignored_signals_stay_ignored(db: TestDb) {
    let binary = Binary::on(&db);
    let script = "kill -HUP $PPID; kill -INT $PPID; kill -HUP $$; kill -INT $$; echo survived";
    let run = binary.command(&["run", "--key", "k", "--", "sh", "-c", script]);
    let ran = std::process::Command::new("sh")
        .args(["-c", "trap '' HUP INT; exec \"$0\" \"$@\""])
        .arg(run.get_program())
        .args(run.get_args())
        .envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .output()
        .unwrap();
    let ran = Ran::from(ran);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "survived\n"), "{ran:?}");
}

async fn a_lost_claim_is_noticed(db: TestDb) {
    let binary = Binary::on(&db);
    let running = Running::start(&binary, &["--lease", "1s", "--on-lost", "retry"]);
    // Somebody takes the claim away, and somebody else gets the key.
    db.run("UPDATE idempotency_keys SET claim_token = NULL, status = 'failed', lease_expires_at = NULL")
        .await;
    let successor = binary.run(&["run", "--key", "k", "--", "echo", "successor"]);
    assert_eq!(successor.stdout, "successor\n", "{successor:?}");
    let ran = Ran::from(running.child.wait_with_output().unwrap());
    assert_eq!(ran.code, 70, "{ran:?}");
    assert!(ran.stdout.contains("caught TERM") && ran.stderr.contains("claim was lost"), "{ran:?}");
    assert_eq!(binary.run(&["run", "--key", "k", "--", "true"]).stdout, "successor\n");
}

async fn a_reader_that_leaves_does_not_stop_the_command(db: TestDb) {
    let binary = Binary::on(&db);
    let mut child = binary
        .command(&["run", "--key", "k", "--", "sh", "-c", "for i in 1 2 3 4 5; do echo $i; sleep 0.05; done"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 2];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(binary.run(&["run", "--key", "k", "--", "true"]).stdout, "1\n2\n3\n4\n5\n");
}

/// Nobody takes a truncated file for the command's output.
async fn output_that_can_not_be_written_is_no_success(db: TestDb) {
    let binary = Binary::on(&db);
    let run = |key: &str, script: &str| {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = binary.command(&["run", "--key", key, "--", "sh", "-c", script]).stdout(full).output();
        Ran::from(output.unwrap())
    };
    let ran = run("k", "echo once");
    assert_eq!(ran.code, 125, "{ran:?}");
    assert!(ran.stderr.contains("exit 0") && ran.stderr.contains("No space left"), "{ran:?}");
    assert_eq!(binary.run(&["run", "--key", "k", "--", "echo", "twice"]).stdout, "once\n");
    let failed = run("f", "echo once; exit 3");
    assert_eq!(failed.code, 3, "{failed:?}");
    assert!(failed.stderr.contains("No space left"), "{failed:?}");
}

/// The end of the command is its own, whatever the processes do with the pipe that it left behind.
async fn a_process_left_behind_does_not_hold_the_run(db: TestDb) {
    let binary = Binary::on(&db);
    for (key, left_behind) in [
        ("silent", "sleep 60 2>&- &"),
        ("chatty", "(while echo noise; do sleep 0.05; done) 2>&- &"),
        ("torrent", "yes 2>&- &"),
    ] {
        let started = Instant::now();
        let script = format!("{left_behind} echo done");
        let ran = binary.run(&["run", "--key", key, "--", "sh", "-c", &script]);
        assert_eq!(ran.code, 0, "{key}");
        assert!(ran.stdout.contains("done\n"), "{key}");
        assert!(started.elapsed() < Duration::from_secs(20), "{key}: {:?}", started.elapsed());
        let again = binary.run(&["run", "--key", key, "--", "echo", "twice"]);
        assert_eq!(again.code, 0, "{key}");
        assert!(!again.stdout.contains("twice"), "{key}");
    }
}

/// What was in the pipe when the command ended is its output, however slowly it is taken.
async fn the_last_output_waits_for_a_slow_reader(db: TestDb) {
    let binary = Binary::on(&db);
    // More than one pipe holds, and no more than two: the command ends before anybody reads.
    let script = "head -c 60000 /dev/zero; head -c 60000 /dev/zero; : > ended";
    let mut command = binary.command(&["run", "--key", "k", "--", "sh", "-c", script]);
    let mut child = command.current_dir(binary.home.path()).stdout(Stdio::piped()).spawn().unwrap();
    wait_until(|| binary.home.path().join("ended").exists());
    // Longer than anything is waited for after the end.
    std::thread::sleep(Duration::from_millis(1_000));
    let mut all = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut all).unwrap();
    assert_eq!((child.wait().unwrap().code(), all.len()), (Some(0), 120_000));
    assert_eq!(binary.run(&["run", "--key", "k", "--", "true"]).bytes.len(), 120_000);
}

pub fn kill(pid: i32, signal: &str) {
    let status = std::process::Command::new("kill")
        .args([&format!("-{signal}"), "--", &pid.to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

on_both_dialects!(
    output_and_exit_code_are_replayed_byte_for_byte,
    a_failure_may_run_again_or_is_final,
    the_child_knows_its_key,
    another_request_is_refused,
    a_failure_that_a_server_stored_is_no_success,
    what_can_not_start_leaves_the_key_free,
    output_of_exactly_the_limit_is_kept_and_one_byte_more_is_not,
    a_second_call_is_told_or_waits,
    an_open_transaction_is_waited_for,
    the_claim_is_renewed_while_the_command_runs,
    signals_are_passed_to_the_child,
    ignored_signals_stay_ignored,
    a_lost_claim_is_noticed,
    a_reader_that_leaves_does_not_stop_the_command,
    output_that_can_not_be_written_is_no_success,
    a_process_left_behind_does_not_hold_the_run,
    the_last_output_waits_for_a_slow_reader,
);

/// A job whose environment lost the URL must not be executed a second time, on a database of its own.
#[test]
fn without_a_database_run_refuses_unless_the_local_file_is_asked_for() {
    let binary = Binary::new();
    let run = |flags: &[&str], variables: &[(&str, &str)], word: &str| {
        let mut arguments = flags.to_vec();
        arguments.extend(["--key", "k", "--", "echo", word]);
        Ran::from(binary.command(&arguments).envs(variables.iter().copied()).output().unwrap())
    };
    let refuses = |ran: Ran, word: &str| {
        assert_eq!((ran.code, ran.stdout.as_str()), (125, ""), "{ran:?}");
        assert!(ran.stderr.contains(word), "{word}: {ran:?}");
    };
    refuses(run(&["run"], &[], "never"), "$IDEMCTL_DATABASE_URL");
    assert!(fs::read_dir(binary.home.path()).unwrap().next().is_none());
    let first = run(&["run", "--local"], &[], "once");
    assert_eq!((first.code, first.stdout.as_str()), (0, "once\n"), "{first:?}");
    let file = binary.home.path().join(".local/share/idemctl/idemctl.db");
    assert!(first.stderr.contains(&format!("made the database sqlite:{}", file.display())), "{first:?}");
    assert!(first.stderr.contains("(from --local)"), "{first:?}");
    assert_eq!(run(&["run", "--local"], &[], "twice").stdout, "once\n");
    // Also when the file is there.
    refuses(run(&["run"], &[], "never"), "--local");
    refuses(run(&["run"], &[("DATABASE_URL", "")], "never"), "$DATABASE_URL is set, and empty");
    let other = ("DATABASE_URL", "sqlite:/another/application.db");
    refuses(run(&["run"], &[("IDEMCTL_DATABASE_URL", " "), other], "never"), "$IDEMCTL_DATABASE_URL");
    refuses(run(&["run", "--local"], &[other], "never"), "$DATABASE_URL");
    refuses(run(&["run"], &[("PGSSLMODE", "require")], "never"), "PGSSLMODE");
    let config = binary.home.path().join("c.toml");
    fs::write(&config, "[database]\nlocal = true\n").unwrap();
    let path = config.to_str().unwrap();
    assert_eq!(run(&["run", "--config", path], &[], "twice").stdout, "once\n");
    fs::write(&config, "[database]\nlocal = true\nurl = \"sqlite:/x\"\n").unwrap();
    refuses(run(&["run", "--config", path], &[], "never"), "database.local");
}
