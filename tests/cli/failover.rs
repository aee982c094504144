//! The first of two hosts is lost in the middle of a command: it goes on with the other one.

use std::process::Stdio;

use crate::binary::{Binary, Ran};
use crate::running::{Running, wait_until};
use crate::support::hosts::{Hosts, Loss};
use crate::support::{secs, until};

/// Waits for a child without keeping others from their work.
async fn ended(child: std::process::Child) -> Ran {
    tokio::task::spawn_blocking(move || Ran::from(child.wait_with_output().unwrap())).await.unwrap()
}

/// What ran is stored where the next call looks, and whoever waits for it gets it.
async fn a_run_goes_on(loss: Loss) {
    let hosts = Hosts::start().await;
    let binary = Binary::at(&hosts.url());
    let running = Running::start(&binary, &["--lease", "6s"]);
    let waiting = binary
        .command(&["run", "--key", "k", "--wait", "60s", "--", "echo", "second"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    hosts.fail_over(loss).await;
    let second = hosts.second().await;
    let lease = async || second.record("k").await.unwrap().lease_expires_at.unwrap();
    let first = lease().await;
    until("its lease goes on there", || async { lease().await > first }).await;
    std::fs::write(&running.go, "").unwrap();
    let ran = ended(running.child).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "working\nfinished\n"), "{loss:?}: {ran:?}");
    let waited = ended(waiting).await;
    assert_eq!((waited.code, &waited.stdout), (0, &ran.stdout), "{loss:?}: {waited:?}");
    let again = binary.run(&["run", "--key", "k", "--", "echo", "twice"]);
    assert_eq!((again.code, &again.stdout), (0, &ran.stdout), "{loss:?}: {again:?}");
    let row = &binary.json(&["inspect", "k"])[0];
    assert_eq!((&row["status"], &row["attempt"]), (&"completed".into(), &1.into()), "{loss:?}: {row}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_goes_on_when_the_first_host_is_gone() {
    a_run_goes_on(Loss::Gone).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_goes_on_when_the_first_host_turns_read_only() {
    a_run_goes_on(Loss::ReadOnly).await;
}

/// The command ends while no host takes writes: its outcome waits for one that does.
async fn an_outcome_waits(loss: Loss) {
    let hosts = Hosts::start().await;
    let binary = Binary::at(&hosts.url());
    let running = Running::start(&binary, &["--lease", "60s"]);
    let pid = running.child.id();
    hosts.lose(loss).await;
    std::fs::write(&running.go, "").unwrap();
    wait_until(|| {
        std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))
            .is_ok_and(|all| all.trim().is_empty())
    });
    tokio::time::sleep(secs(1)).await;
    hosts.promote().await;
    let ran = ended(running.child).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "working\nfinished\n"), "{loss:?}: {ran:?}");
    let again = binary.run(&["run", "--key", "k", "--", "echo", "twice"]);
    assert_eq!((again.code, &again.stdout), (0, &ran.stdout), "{loss:?}: {again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outcome_waits_for_a_host_that_takes_writes() {
    for loss in Loss::ALL {
        an_outcome_waits(loss).await;
    }
}

/// All that is due goes, and nothing else; what the standby had not got yet goes there.
async fn a_purge_goes_on(loss: Loss) {
    let hosts = Hosts::start().await;
    let first = hosts.first().await;
    let now = first.store.now().await.unwrap();
    let (old, past) = (now.minus(secs(9_000)), now.minus(secs(5_000)));
    let spread = format!("{} + n * interval '1 microsecond'", first.time(past));
    first.fill_as("completed", "expired", 6_000, old, &spread).await;
    first.fill("live", 500, now, now.plus(secs(5_000))).await;
    first.fill_as("in_progress", "running", 500, old, &first.time(past)).await;
    let binary = Binary::at(&hosts.url());
    let child = binary
        .command(&["purge", "--grace", "0s", "--batch-size", "50", "--duty", "0.1", "-o", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let expired = "SELECT count(*) FROM idempotency_keys WHERE idempotency_key LIKE 'expired%'";
    until("it is in the middle", || async { first.number(expired).await < 5_500 }).await;
    hosts.fail_over(loss).await;
    let second = hosts.second().await;
    assert!(second.number(expired).await > 0, "{loss:?}: there is something left to do");
    let ran = ended(child).await;
    let report = ran.json();
    let whole = report["unknown_batches"] == 0;
    assert_eq!(ran.code, if whole { 0 } else { 6 }, "{loss:?}: {ran:?}");
    assert_eq!((&report["end"], &report["backlog"]), (&"done".into(), &0.into()), "{loss:?}: {ran:?}");
    assert_eq!(second.number(expired).await, 0, "{loss:?}: {ran:?}");
    assert_eq!(second.rows().await, 1_000, "{loss:?}: {ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purge_goes_on_when_the_first_host_is_gone() {
    a_purge_goes_on(Loss::Gone).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purge_goes_on_when_the_first_host_turns_read_only() {
    a_purge_goes_on(Loss::ReadOnly).await;
}

/// Hundreds of keys, some before and some after.
async fn a_change_of_many_keys_goes_on(loss: Loss) {
    let hosts = Hosts::start().await;
    let first = hosts.first().await;
    let now = first.store.now().await.unwrap();
    let spread = format!("{} + n * interval '1 microsecond'", first.time(now.plus(secs(5_000))));
    first.fill_as("failed", "k", 2_000, now, &spread).await;
    first.run("UPDATE idempotency_keys SET retry_allowed = false").await;
    let binary = Binary::at(&hosts.url());
    let listed = binary.run(&["list", "--limit", "0", "-o", "jsonl"]).stdout;
    let file = binary.home.path().join("listed");
    std::fs::write(&file, listed).unwrap();
    let child = binary
        .command(&["release", "--yes", "-", "-o", "json"])
        .stdin(std::fs::File::open(&file).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let closed = "SELECT count(*) FROM idempotency_keys WHERE NOT retry_allowed";
    until("it is in the middle", || async { first.number(closed).await < 1_900 }).await;
    hosts.fail_over(loss).await;
    let second = hosts.second().await;
    assert!(second.number(closed).await > 0, "{loss:?}: there is something left to do");
    let ran = ended(child).await;
    assert_eq!(ran.code, 0, "{loss:?}: {}", ran.stderr);
    assert_eq!(ran.json()["changed"], 2_000, "{loss:?}: {}", ran.stderr);
    assert_eq!(second.number(closed).await, 0, "{loss:?}");
    let audited = "SELECT count(*) FROM idemctl_audit WHERE action = 'released'";
    assert_eq!(second.number(audited).await, 2_000, "{loss:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_many_keys_goes_on_with_the_other_host() {
    for loss in Loss::ALL {
        a_change_of_many_keys_goes_on(loss).await;
    }
}
