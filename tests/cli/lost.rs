//! A run whose process, or whose database, was lost: what the next call gets, and what is said.

use std::process::Stdio;
use std::time::{Duration, Instant};

use idemctl::protocol::Retry;

use crate::binary::{Binary, Ran};
use crate::running::{Running, kill, wait_until};
use crate::support::proxy::{Cut, Proxy};
use crate::support::server::shared;
use crate::support::{Dialect, TestDb, claim, on_both_dialects};

on_both_dialects!(
    a_killed_run_stays_closed_until_released,
    a_killed_run_that_may_run_twice_runs_again_after_its_lease,
    of_two_later_calls_one_runs,
    a_claim_without_a_lease_is_left_to_its_owner,
    a_running_lease_is_left_alone,
);

/// Starts one and kills it; its command is told, and goes.
fn killed(binary: &Binary, flags: &[&str]) {
    let running = Running::start(binary, flags);
    kill(running.child.id() as i32, "KILL");
    { running.child }.wait().unwrap();
}

/// The default: nobody knows what became of it, so nobody runs it again. No janitor is needed for that.
async fn a_killed_run_stays_closed_until_released(db: TestDb) {
    let binary = Binary::on(&db);
    killed(&binary, &["--lease", "1s"]);
    let run = |wait: &str| binary.run(&["run", "--key", "k", "--wait", wait, "--", "echo", "second"]);
    // The first of these waits for the end of the lease.
    for wait in ["60s", "0s"] {
        let second = run(wait);
        assert_eq!((second.code, second.stdout.as_str()), (125, ""), "{second:?}");
        assert!(second.stderr.contains("is closed"), "{second:?}");
        assert!(second.stderr.contains("idemctl release") && second.stderr.contains("expires"), "{second:?}");
    }
    let audit = binary.json(&["audit", "--key", "k"]);
    assert_eq!((&audit[0]["action"], &audit[0]["command"]), (&"reaped".into(), &"run".into()), "{audit}");
    assert_eq!(audit.as_array().unwrap().len(), 1, "{audit}");
    assert_eq!(binary.run(&["release", "k", "--yes"]).code, 0);
    assert_eq!(run("0s").stdout, "second\n");
}

/// By the policy that it was claimed with, past its expiry as well, and whatever the later call's policy.
async fn a_killed_run_that_may_run_twice_runs_again_after_its_lease(db: TestDb) {
    let binary = Binary::on(&db);
    killed(&binary, &["--lease", "1s", "--ttl", "1s", "--on-lost", "retry"]);
    let early = binary.run(&["run", "--key", "k", "--", "echo", "early"]);
    if early.code == 75 {
        assert!(early.stderr.contains("its lease runs"), "{early:?}");
    }
    let over = "SELECT count(*) FROM idempotency_keys WHERE lease_expires_at <= ";
    let now =
        if matches!(db.dialect(), Dialect::Postgres) { "now()" } else { "unixepoch('subsec') * 1000000" };
    let over = format!("{over}{now} AND expires_at <= {now}");
    crate::support::until("its lease and its time are over", || async { db.number(&over).await == 1 }).await;
    let script = "echo $IDEMPOTENCY_ATTEMPT";
    let again = binary.run(&["run", "--key", "k", "--on-lost", "block", "--", "sh", "-c", script]);
    assert_eq!((again.code, again.stdout.as_str()), (0, "2\n"), "{again:?}");
    assert!(again.stderr.contains("was lost"), "{again:?}");
}

async fn of_two_later_calls_one_runs(db: TestDb) {
    let binary = Binary::on(&db);
    killed(&binary, &["--lease", "1s", "--on-lost", "retry"]);
    let file = binary.home.path().join("lines");
    let calls: Vec<_> =
        (0..4).map(|_| binary.append("k", &file).stdout(Stdio::null()).spawn().unwrap()).collect();
    for mut call in calls {
        assert_eq!(call.wait().unwrap().code(), Some(0));
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "ran\n");
    assert_eq!(binary.json(&["audit", "--key", "k"]).as_array().unwrap().len(), 1);
}

/// Claimed by other hands, as in a transaction of the application's.
async fn a_claim_without_a_lease_is_left_to_its_owner(db: TestDb) {
    db.store.claim(&claim("k").if_lost(Retry::Allow)).await.unwrap();
    db.run("UPDATE idempotency_keys SET lease_expires_at = NULL").await;
    let binary = Binary::on(&db);
    let ran = binary.run(&["run", "--key", "k", "--wait", "1s", "--", "echo", "stolen"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (75, ""), "{ran:?}");
    assert!(ran.stderr.contains("without a lease"), "{ran:?}");
    assert!(!ran.stderr.contains("another call runs"), "{ran:?}");
}

async fn a_running_lease_is_left_alone(db: TestDb) {
    let binary = Binary::on(&db);
    let running = Running::start(&binary, &["--lease", "1s", "--on-lost", "retry"]);
    // For longer than the lease, which is renewed.
    let second = binary.run(&["run", "--key", "k", "--wait", "2500ms", "--", "echo", "second"]);
    assert_eq!((second.code, second.stdout.as_str()), (75, ""), "{second:?}");
    assert_eq!(running.finish().stdout, "working\nfinished\n");
    assert_eq!(binary.json(&["audit", "--key", "k"]).as_array().unwrap().len(), 0);
}

/// A database of PostgreSQL behind a proxy.
async fn behind_a_proxy() -> (TestDb, Proxy, Binary) {
    let db = TestDb::new(Dialect::Postgres).await;
    let proxy = Proxy::start(shared().await.port).await;
    let url = proxy.url(db.url.rsplit('/').next().unwrap());
    (db, proxy, Binary::at(&url))
}

/// Waits for a child without keeping the proxy from its work.
async fn ended(child: std::process::Child) -> Ran {
    tokio::task::spawn_blocking(move || Ran::from(child.wait_with_output().unwrap())).await.unwrap()
}

/// Waits until a child has said something.
async fn says(log: &std::path::Path, text: &str) {
    crate::support::until(text, || async {
        let said = std::fs::read_to_string(log).unwrap();
        said.contains(text)
    })
    .await;
}

/// Nothing ran, and whoever calls is told that; a key that stays closed for a day helps nobody.
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_whose_answer_was_lost_is_given_back() {
    let (db, proxy, binary) = behind_a_proxy().await;
    let file = binary.home.path().join("log");
    proxy.arm_in_order(&["INSERT INTO", "COMMIT"], Cut::BeforeTheAnswer);
    proxy.go_away_after_the_cut();
    let child = binary
        .command(&["run", "--key", "k", "--", "echo", "ran"])
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(&file).unwrap())
        .spawn()
        .unwrap();
    says(&file, "can't be given back yet").await;
    assert_eq!(db.number("SELECT count(*) FROM idempotency_keys WHERE status = 'in_progress'").await, 1);
    proxy.come_back();
    let ran = ended(child).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (69, ""));
    let said = std::fs::read_to_string(&file).unwrap();
    assert!(said.contains("nothing ran") && said.contains("may be claimed again"), "{said}");
    assert_eq!(Binary::on(&db).run(&["run", "--key", "k", "--", "echo", "once"]).stdout, "once\n");
}

/// It says how the key stands when it is told to end before.
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_can_not_be_given_back_is_named() {
    let (_db, proxy, binary) = behind_a_proxy().await;
    let file = binary.home.path().join("log");
    proxy.arm_in_order(&["INSERT INTO", "COMMIT"], Cut::BeforeTheAnswer);
    proxy.go_away_after_the_cut();
    let child = binary
        .command(&["run", "--key", "k", "--lease", "7s", "--", "echo", "ran"])
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(&file).unwrap())
        .spawn()
        .unwrap();
    says(&file, "can't be given back yet").await;
    let pid = child.id() as i32;
    kill(pid, "TERM");
    crate::support::until("it says how it stands", || async {
        std::fs::read_to_string(&file).unwrap().matches("can't be given back yet").count() == 2
    })
    .await;
    kill(pid, "TERM");
    let ran = ended(child).await;
    let said = std::fs::read_to_string(&file).unwrap();
    assert_eq!((ran.code, ran.stdout.as_str()), (69, ""), "{said}");
    assert!(said.contains("not known whether the key was claimed (the"), "{said}");
    assert!(said.contains("If it was, it stays in progress") && said.contains("at most 7s"), "{said}");
    assert!(said.contains("idemctl release"), "{said}");
}

/// The outcome of hours of work waits for its database.
#[tokio::test(flavor = "multi_thread")]
async fn an_outcome_waits_for_its_database() {
    let (db, proxy, binary) = behind_a_proxy().await;
    let running = Running::start(&binary, &["--lease", "60s"]);
    let pid = running.child.id() as i32;
    proxy.go_away();
    std::fs::write(&running.go, "").unwrap();
    let child = running.child;
    let ended = tokio::task::spawn_blocking(move || Ran::from(child.wait_with_output().unwrap()));
    crate::support::until("the command has ended", || async { !has_child(pid) }).await;
    kill(pid, "TERM");
    proxy.come_back();
    let ran = ended.await.unwrap();
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "working\nfinished\n"), "{ran:?}");
    assert!(ran.stderr.contains("a second signal gives up"), "{ran:?}");
    assert_eq!(Binary::on(&db).run(&["run", "--key", "k", "--", "echo", "twice"]).stdout, ran.stdout);
}

fn has_child(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))
        .is_ok_and(|all| !all.trim().is_empty())
}

/// A second signal ends it, and what is lost is said.
#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_gives_an_outcome_up() {
    let (_db, proxy, binary) = behind_a_proxy().await;
    let running = Running::start(&binary, &["--lease", "60s"]);
    let pid = running.child.id() as i32;
    proxy.go_away();
    std::fs::write(&running.go, "").unwrap();
    crate::support::until("the command has ended", || async { !has_child(pid) }).await;
    let told = Instant::now();
    let child = running.child;
    let ended = tokio::task::spawn_blocking(move || Ran::from(child.wait_with_output().unwrap()));
    kill(pid, "TERM");
    // Two signals that come at once are one to the kernel.
    tokio::time::sleep(Duration::from_millis(300)).await;
    kill(pid, "TERM");
    let ran = ended.await.unwrap();
    assert_eq!(ran.code, 69, "{ran:?}");
    assert!(told.elapsed() < Duration::from_secs(20), "{:?}", told.elapsed());
    assert!(ran.stderr.contains("the command ran (exit 0)"), "{ran:?}");
    assert!(ran.stderr.contains("until its lease is over"), "{ran:?}");
}

/// The first try may have been committed: what the later ones meet does not undo it.
#[tokio::test(flavor = "multi_thread")]
async fn an_outcome_whose_answer_was_lost_may_be_stored() {
    let (db, proxy, binary) = behind_a_proxy().await;
    let (file, go) = (binary.home.path().join("log"), binary.home.path().join("go"));
    let script = format!("echo ran; while [ ! -e '{}' ]; do sleep 0.02; done", go.display());
    let child = binary
        .command(&["run", "--key", "k", "--", "sh", "-c", &script])
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(&file).unwrap())
        .spawn()
        .unwrap();
    says(&file, "claimed k").await;
    proxy.arm_in_order(&["UPDATE", "COMMIT"], Cut::BeforeTheAnswer);
    proxy.go_away_after_the_cut();
    std::fs::write(&go, "").unwrap();
    says(&file, "can't be stored yet").await;
    // One call makes no more than nine tries: another one has failed after these, and changed nothing.
    let refused = proxy.refused();
    crate::support::until("the next call has failed", || async { proxy.refused() > refused + 12 }).await;
    let pid = child.id() as i32;
    kill(pid, "TERM");
    crate::support::until("it says how it stands", || async {
        std::fs::read_to_string(&file).unwrap().matches("can't be stored yet").count() == 2
    })
    .await;
    kill(pid, "TERM");
    let ran = ended(child).await;
    let said = std::fs::read_to_string(&file).unwrap();
    assert_eq!((ran.code, ran.stdout.as_str()), (69, "ran\n"), "{said}");
    assert!(said.contains("not known whether its outcome was stored"), "{said}");
    assert!(said.contains("idemctl inspect") && !said.contains("is lost"), "{said}");
    assert_eq!(Binary::on(&db).json(&["inspect", "k"])[0]["status"], "completed");
}

/// A call that waits has nothing to end.
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_a_call_that_waits() {
    let db = TestDb::new(Dialect::Sqlite).await;
    let binary = Binary::on(&db);
    let running = Running::start(&binary, &[]);
    let file = binary.home.path().join("log");
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let waiting = binary
            .command(&["run", "--key", "k", "--wait", "60s", "--", "echo", "second"])
            .stderr(std::fs::File::create(&file).unwrap())
            .spawn()
            .unwrap();
        let pid = waiting.id() as i32;
        wait_until(|| catches_signals(pid));
        kill(pid, signal);
        let ran = ended(waiting).await;
        let said = std::fs::read_to_string(&file).unwrap();
        assert_eq!(ran.code, code, "{said}");
        assert!(said.contains("nothing ran"), "{said}");
    }
    running.finish();
}

/// Whether a process has a handler for SIGTERM.
fn catches_signals(pid: i32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
    u64::from_str_radix(caught.trim(), 16).is_ok_and(|mask| mask & (1 << 14) != 0)
}
