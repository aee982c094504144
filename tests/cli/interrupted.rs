//! Ctrl-C: what was begun is ended and reported, a second one ends at once.

use std::fs::{self, File};
use std::io::Write as _;
use std::process::{Child, Stdio};

use idemctl::protocol::Retry;

use crate::binary::{Binary, Ran};
use crate::running::{kill, wait_until};
use crate::support::terminal::Terminal;
use crate::support::{Dialect, TestDb, claim, until};

/// Keys that failed for good.
async fn failed(db: &TestDb, count: u32) {
    for number in 0..count {
        let one = claim(&format!("k{number:04}"));
        db.store.claim(&one).await.unwrap();
        db.store.fail(&one.key, &one.scope, one.token, "declined", Retry::Block, None).await.unwrap();
    }
}

/// Whether a process has a handler for SIGINT.
fn hears(child: &Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
    u64::from_str_radix(caught.trim(), 16).is_ok_and(|mask| mask & (1 << 1) != 0)
}

/// A lock holds the second row: the first is done, the one at hand is ended, the rest is left.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_many_keys_ends_after_the_row_at_hand() {
    let db = TestDb::new(Dialect::Postgres).await;
    failed(&db, 20).await;
    let binary = Binary::on(&db);
    let listed = binary.run(&["list", "--limit", "0", "--sort", "claimed", "-o", "jsonl"]).stdout;
    assert_eq!(listed.lines().count(), 20);
    let mut raw = db.raw().await;
    raw.run("BEGIN").await;
    let second = listed.lines().nth(1).unwrap();
    let second =
        serde_json::from_str::<serde_json::Value>(second).unwrap()["key"].as_str().unwrap().to_owned();
    raw.run(&format!("SELECT 1 FROM idempotency_keys WHERE idempotency_key = '{second}' FOR UPDATE")).await;
    let file = binary.home.path().join("listed");
    fs::write(&file, &listed).unwrap();
    let child = binary
        .command(&["release", "--yes", "-", "-o", "json"])
        .stdin(File::open(&file).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let released = "SELECT count(*) FROM idempotency_keys WHERE retry_allowed";
    until("the first is released", || async { db.number(released).await == 1 }).await;
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    until("the second waits", || async { db.number(waiting).await == 1 }).await;
    kill(child.id() as i32, "INT");
    raw.run("COMMIT").await;
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130, "{ran:?}");
    assert!(ran.stderr.contains("interrupted: "), "{ran:?}");
    let truth = db.number(released).await;
    assert!((1..20).contains(&truth), "{truth} were released: {ran:?}");
    assert_eq!(ran.json()["changed"], truth, "{ran:?}");
}

/// Before anything was changed it ends at once: while it waits for its input, and at the question.
#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_a_person_ends_at_once() {
    let db = TestDb::new(Dialect::Sqlite).await;
    failed(&db, 1).await;
    let binary = Binary::on(&db);
    for verb in ["release", "fail", "forget"] {
        let child = binary
            .command(&[verb, "--yes", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait_until(|| hears(&child));
        kill(child.id() as i32, "INT");
        // Its input stays open until it has ended.
        let mut child = child;
        let input = child.stdin.take();
        let ran = Ran::from(child.wait_with_output().unwrap());
        drop(input);
        assert_eq!(ran.code, 130, "{verb}: {ran:?}");
        assert!(ran.stderr.contains("nothing was changed"), "{verb}: {ran:?}");
    }
    let log = binary.home.path().join("asked");
    let mut terminal = Terminal::open();
    let mut command = binary.command(&["release", "k0000"]);
    command.stdin(terminal.stream()).stdout(terminal.stream()).stderr(terminal.stream());
    let mut child = terminal.spawn(&mut command);
    drop(command);
    wait_until(|| hears(&child));
    terminal.types("\u{3}");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let said = terminal.read_all();
    File::create(log).unwrap().write_all(said.as_bytes()).unwrap();
    assert!(said.contains("nothing was changed"), "{said}");
    assert_eq!(db.number("SELECT count(*) FROM idempotency_keys WHERE retry_allowed").await, 0);
}

/// A list that is cut is a whole document all the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_ends_after_its_page() {
    let db = TestDb::new(Dialect::Sqlite).await;
    let long_ago = db.store.now().await.unwrap();
    db.fill("k", 30_000, long_ago, long_ago).await;
    let binary = Binary::on(&db);
    let mut child = binary
        .command(&["list", "--limit", "0", "-o", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until(|| hears(&child));
    // It has begun to write, and goes no further than a pipe holds.
    let mut begun = [0];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut begun).unwrap();
    kill(child.id() as i32, "INT");
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    let document = format!("{}{}", begun[0] as char, ran.stdout);
    let rows: Vec<serde_json::Value> = serde_json::from_str(&document).unwrap();
    assert!((1..30_000).contains(&rows.len()), "{}", rows.len());
    assert!(ran.stderr.contains("not complete"), "{}", ran.stderr);
}

/// Also where nobody takes what it writes.
#[tokio::test(flavor = "multi_thread")]
async fn a_second_one_ends_it_at_once() {
    let db = TestDb::new(Dialect::Sqlite).await;
    let long_ago = db.store.now().await.unwrap();
    db.fill("k", 30_000, long_ago, long_ago).await;
    let mut command = Binary::on(&db).command(&["list", "--limit", "0"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut begun = [0];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut begun).unwrap();
    kill(child.id() as i32, "INT");
    let pending = |child: &Child| {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        status
            .lines()
            .any(|line| line.starts_with("ShdPnd:") && !line.trim_end().ends_with("0000000000000000"))
    };
    wait_until(|| !pending(&child));
    kill(child.id() as i32, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// Those that only look, and one that waits.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_waits_is_interrupted() {
    let db = TestDb::new(Dialect::Sqlite).await;
    db.store.claim(&claim("k")).await.unwrap();
    let child = Binary::on(&db)
        .command(&["replay", "k", "--wait", "60s"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until(|| hears(&child));
    kill(child.id() as i32, "INT");
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.stdout.as_str()), (130, ""), "{ran:?}");
}

/// Nobody has to wait for the lease of a migration that was ended, and the server does not go on with its index.
#[tokio::test(flavor = "multi_thread")]
async fn a_migration_gives_its_lease_back() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.run("DROP INDEX idempotency_keys_reap; DELETE FROM idemctl_migrations WHERE version = 3").await;
    let mut writer = db.raw().await;
    writer.run("BEGIN").await;
    writer.claim(&db.store, &claim("k")).await;
    let child =
        Binary::on(&db).command(&["migrate"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let building = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
         AND wait_event_type = 'Lock' AND query LIKE '%CONCURRENTLY%'";
    until("it waits for the writer", || async { db.number(building).await == 1 }).await;
    kill(child.id() as i32, "INT");
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.stdout.as_str()), (130, ""), "{ran:?}");
    assert!(ran.stderr.contains("goes on where it ended"), "{ran:?}");
    let held = "SELECT count(*) FROM idemctl_lease WHERE pass = 'migrate' AND holder IS NOT NULL";
    assert_eq!(db.number(held).await, 0, "{ran:?}");
    until("nothing builds any more", || async { db.number(building).await == 0 }).await;
    writer.run("COMMIT").await;
    writer.close().await;
    let again = Binary::on(&db).run(&["migrate", "-o", "json"]);
    assert_eq!(again.code, 0, "{again:?}");
    let valid = "SELECT count(*) FROM pg_index WHERE indexrelid = to_regclass('idempotency_keys_reap') AND indisvalid";
    assert_eq!(db.number(valid).await, 1);
}
