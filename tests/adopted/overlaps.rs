//! The incidents in which things overlap in time: sessions, processes, a process that is stopped. What
//! can be told in steps is in [`crate::incidents`].

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use idemctl::janitor::{PaceOptions, PurgeOptions, purge};
use idemctl::protocol::{Claim, ClaimOutcome, Retry, Scope, Status, Token};
use idemctl::store::{Confirmed, ErrorKind, KeyRow, Reaping, RowFilter, RowOrder, Store, StoreOptions};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio_util::sync::CancellationToken;

use crate::binary::{Binary, Ran};
use crate::harness::Adopted;
use crate::incidents::Incident;
use crate::support::server::Server;
use crate::support::{Dialect, answer, key, kind, lease, secs, tester, ttl, until};

/// The rows that a reap pass reads before it writes.
async fn read_stuck(store: &Store) -> Vec<KeyRow> {
    let now = store.now().await.unwrap();
    let filter = RowFilter {
        statuses: vec![Status::InProgress],
        no_heartbeat_since: Some(now.minus(secs(600))),
        unleased_at: Some(now),
        ..RowFilter::default()
    };
    store.list(&filter, RowOrder::Claimed { newest_first: false }, None, 10).await.unwrap().rows
}

async fn reap(store: &Store, rows: &[KeyRow]) -> Vec<Reaping> {
    store.reap(rows, &|_| Retry::Allow, "test", &tester(), true, &Confirmed::given()).await.unwrap()
}

fn token(text: &str) -> Token {
    Token::from_u128(u128::from_str_radix(&text.replace('-', ""), 16).unwrap())
}

/// Incident 08.
#[tokio::test]
async fn a_late_finisher_changes_nothing_of_its_successors() {
    let (db, binary) = Incident::read("08-late-finisher.toml").set_up().await;
    let first = token("aaaaaaaa-0000-4000-8000-000000000000");
    let rows = read_stuck(&db.store).await;
    assert_eq!(rows.len(), 1);

    // The reaper meets the session that takes the claim over, and leaves the row to it.
    let mut session = db.raw().await;
    session
        .run(
            "BEGIN; UPDATE idempotency_keys
             SET claim_token = 'bbbbbbbb-0000-4000-8000-000000000000', attempt = 2, claimed_at = now(),
                 renewed_at = now(), lease_expires_at = now() + interval '1 minute', expires_at = now() + interval '2 hours'",
        )
        .await;
    let ran = binary.run(&["reap-stuck", "--older-than", "10m", "-o", "json"]);
    let report = ran.json();
    assert_eq!(
        (ran.code, &report["reaped"], &report["skipped"], &report["locked"]),
        (6, &0.into(), &1.into(), &1.into()),
        "{ran:?}"
    );
    session.run("COMMIT").await;
    session.close().await;

    // What was read before the takeover is not written after it.
    assert_eq!(reap(&db.store, &rows).await, [Reaping::Changed]);
    let row = "SELECT CAST(to_jsonb(t) AS text) FROM idempotency_keys AS t";
    let mut raw = db.raw().await;
    let before = raw.texts(row).await;
    let now: Value = serde_json::from_str(&before[0]).unwrap();
    assert_eq!((&now["attempt"], &now["status"]), (&2.into(), &"in_progress".into()));

    let (m1, none) = (key("m1"), Scope::none());
    assert_eq!(kind(db.store.complete(&m1, &none, first, &answer()).await), ErrorKind::StaleClaim);
    let failed = db.store.fail(&m1, &none, first, "late", Retry::Allow, None).await;
    assert_eq!(kind(failed), ErrorKind::StaleClaim);
    assert_eq!(kind(db.store.renew(&m1, &none, first, lease(60)).await), ErrorKind::StaleClaim);
    assert_eq!(raw.texts(row).await, before, "a late finisher has changed a column");
    raw.close().await;
}

/// Incident 08, where the takeover shows in a clock alone.
#[tokio::test]
async fn a_takeover_that_only_a_clock_shows_is_seen() {
    for (role, column) in [("alive", "beat_at"), ("lease", "until")] {
        let config = format!(
            "[[table]]\nname = \"jobs\"\nkey = \"k\"\nreopens = true\n\
             [table.state]\ncolumn = \"state\"\nin_progress = [\"open\"]\nfailed = [\"lost\"]\n\
             [table.clock]\ncreated = {{ column = \"made_at\", as = \"timestamptz\" }}\n\
             {role} = {{ column = \"{column}\", as = \"timestamptz\" }}\n\
             [table.fail]\nset = {{ state = \"lost\" }}\n"
        );
        let schema = "
            CREATE TABLE jobs (k text PRIMARY KEY, state text NOT NULL, made_at timestamptz NOT NULL,
                beat_at timestamptz NOT NULL, until timestamptz NOT NULL);
            INSERT INTO jobs VALUES ('m1', 'open', now() - interval '40 minutes', now() - interval '40 minutes',
                now() - interval '39 minutes')";
        let adopted = Adopted::postgres(schema, &config).await;
        let listed = adopted.run(&["list", "--stuck", "--older-than", "10m", "-o", "jsonl"]).stdout;
        assert!(listed.contains("\"m1\""), "{listed}");
        // Still silent and without a running lease, but not the claim that was shown.
        let taken = format!("UPDATE jobs SET {column} = now() - interval '20 minutes'");
        adopted.db.run(&taken).await;
        let path = adopted.binary.home.path().join("listed");
        fs::write(&path, &listed).unwrap();
        let config = adopted.binary.home.path().join("idemctl.toml").display().to_string();
        let output = adopted
            .binary
            .command(&["--config", &config, "fail", "-", "--yes", "--force", "-o", "json"])
            .stdin(fs::File::open(path).unwrap())
            .output()
            .unwrap();
        let ran = Ran::from(output);
        assert_eq!((ran.code, &ran.json()["moved"]), (5, &1.into()), "{role}: {ran:?}");
        assert_eq!(adopted.db.number("SELECT count(*) FROM jobs WHERE state = 'open'").await, 1);

        // And the reaper that meets the session at its work leaves the row.
        let mut session = adopted.db.raw().await;
        session.run(&format!("BEGIN; UPDATE jobs SET {column} = now() + interval '1 hour'")).await;
        let ran = adopted.run(&["reap-stuck", "--older-than", "10m", "-o", "json"]);
        assert_eq!(
            (ran.code, &ran.json()["reaped"], &ran.json()["locked"]),
            (6, &0.into(), &1.into()),
            "{ran:?}"
        );
        session.run("COMMIT").await;
        session.close().await;
        let ran = adopted.run(&["reap-stuck", "--older-than", "10m", "-o", "json"]);
        assert_eq!(ran.json()["reaped"], 0, "{role}: {ran:?}");
    }
}

/// Incident 09.
#[tokio::test]
async fn a_recovery_never_overwrites_an_answer() {
    let (db, _) = Incident::read("09-recovery-overwrites-answer.toml").set_up().await;
    let (o1, none) = (key("o1"), Scope::none());
    let holder = token("cccccccc-0000-4000-8000-000000000000");
    let now = db.store.now().await.unwrap();
    // A minute later its lease is over, and the reaper has read the row.
    let later = db.at(now.plus(secs(60)));
    let rows = read_stuck(&later).await;
    assert_eq!(rows.len(), 1, "the lease is over");
    // A claim that lost holds nothing.
    let other = Claim::new(o1.clone(), none.clone()).with_ttl(ttl(100)).with_lease(lease(10));
    let outcome = later.claim(&other).await.unwrap();
    assert!(matches!(outcome, ClaimOutcome::InProgress { .. }), "{outcome:?}");
    for store in [&db.store, &later] {
        assert_eq!(kind(store.complete(&o1, &none, other.token, &answer()).await), ErrorKind::StaleClaim);
        let failed = store.fail(&o1, &none, other.token, "no", Retry::Allow, None).await;
        assert_eq!(kind(failed), ErrorKind::StaleClaim);
    }
    // Its worker is faster than the reaper's write.
    later.complete(&o1, &none, holder, &answer()).await.unwrap();
    assert_eq!(reap(&later, &rows).await, [Reaping::Changed]);
    let record = db.record("o1").await.unwrap();
    assert_eq!((record.status, record.answer), (Status::Completed, Some(answer())));
    assert_eq!(read_stuck(&later).await, []);
}

/// Incident 10.
#[tokio::test]
async fn what_a_conflict_has_met_is_there_to_be_read() {
    let (db, binary) = Incident::read("10-sweep-between-conflict-and-read.toml").set_up().await;
    let mut session = db.raw().await;
    session
        .run(
            "BEGIN; CREATE TEMPORARY TABLE met AS WITH inserted AS (
                 INSERT INTO idempotency_keys (idempotency_key, status, created_at, claimed_at, renewed_at, expires_at)
                 VALUES ('x1', 'in_progress', now(), now(), now(), now() + interval '1 day')
                 ON CONFLICT DO NOTHING RETURNING 1)
             SELECT count(*) AS rows FROM inserted",
        )
        .await;
    assert_eq!(session.number("SELECT rows FROM met").await, 0);
    let purged = binary.run(&["purge", "-o", "json"]);
    assert_eq!((purged.code, &purged.json()["deleted"]), (0, &0.into()), "{purged:?}");
    let found = "SELECT count(*) FROM idempotency_keys WHERE idempotency_key = 'x1' AND status = 'completed'";
    assert_eq!(session.number(found).await, 1);
    session.run("ROLLBACK").await;
    session.close().await;

    // Claims of a key that expires and is deleted under their hands.
    let over = Arc::new(AtomicBool::new(false));
    let deleted = Arc::new(AtomicU64::new(0));
    let sweeper = {
        let (store, over, deleted) = (db.store.clone(), over.clone(), deleted.clone());
        tokio::spawn(async move {
            let options = PurgeOptions { grace: Duration::ZERO, ..PurgeOptions::default() };
            let stop = CancellationToken::new();
            while !over.load(Ordering::Relaxed) {
                let done = purge(&store, &options, &Confirmed::given(), &stop, &mut |_| {}).await.unwrap();
                assert!(done.error.is_none(), "{done:?}");
                deleted.fetch_add(done.report.deleted, Ordering::Relaxed);
                tokio::task::yield_now().await;
            }
        })
    };
    let mut raw = db.raw().await;
    let (mut replayed, mut executed) = (0, 0);
    let began = Instant::now();
    while (deleted.load(Ordering::Relaxed) < 10 || executed < 50) && began.elapsed() < secs(60) {
        // At once, and after a moment in which it may be deleted.
        if executed % 2 == 1 {
            tokio::time::sleep(Duration::from_millis(fastrand::u64(0..120))).await;
        }
        let claim = Claim::new(key("x1"), Scope::none()).with_ttl(ttl(100)).with_lease(lease(10));
        match db.store.claim(&claim).await.unwrap() {
            ClaimOutcome::Claimed { token, .. } => {
                executed += 1;
                db.store.complete(&claim.key, &claim.scope, token, &answer()).await.unwrap();
                raw.run("UPDATE idempotency_keys SET expires_at = clock_timestamp() + interval '2 ms'").await;
            }
            ClaimOutcome::Replay { .. } => replayed += 1,
            other => panic!("an answer without a row: {other:?}"),
        }
    }
    over.store(true, Ordering::Relaxed);
    sweeper.await.unwrap();
    raw.close().await;
    assert!(deleted.load(Ordering::Relaxed) >= 10 && executed >= 50, "{deleted:?} {executed} {replayed}");
}

/// Incident 19.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clean_ups_and_writers_never_deadlock() {
    const WRITERS: usize = 8;
    const LIVE: usize = 1_000;
    let server = Server::start().await;
    let url = server.url(&server.database().await);
    let incident = Incident::read("19-clean-up-deadlocks.toml");
    let mut raw = PgConnection::connect(&url).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(incident.setup_sql())).execute(&mut raw).await.unwrap();
    let live: Vec<(String, uuid::Uuid)> = sqlx::query_as(
        "SELECT idempotency_key, claim_token FROM idempotency_keys WHERE status = 'in_progress'",
    )
    .fetch_all(&mut raw)
    .await
    .unwrap();
    assert_eq!(live.len(), LIVE);

    let over = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = live
        .chunks(LIVE / WRITERS)
        .enumerate()
        .map(|(number, own)| tokio::spawn(write(url.clone(), number, own.to_vec(), over.clone())))
        .collect();
    let binary = Binary::at(&url);
    let purge = ["purge", "--batch-size", "500", "--duty", "1", "-o", "json"];
    let purges: Vec<Child> = (0..2)
        .map(|_| binary.command(&purge).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
        .collect();
    let mut deleted = 0;
    for child in purges {
        let ran = tokio::task::spawn_blocking(|| Ran::from(child.wait_with_output().unwrap())).await.unwrap();
        assert!(matches!(ran.code, 0 | 6), "{ran:?}");
        deleted += ran.json()["deleted"].as_u64().unwrap();
    }
    over.store(true, Ordering::Relaxed);
    let (mut completed, mut made) = (BTreeSet::new(), 0);
    for writer in writers {
        let (own, new) = writer.await.unwrap();
        completed.extend(own);
        made += new;
    }
    let ran = binary.run(&purge);
    assert_eq!((ran.code, &ran.json()["backlog"]), (0, &0.into()), "{ran:?}");
    assert_eq!(deleted + ran.json()["deleted"].as_u64().unwrap(), 10_000);

    let log = fs::read_to_string(server.folder.join("log")).unwrap();
    for trouble in ["deadlock detected", "could not serialize"] {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(trouble)).collect();
        assert!(lines.is_empty(), "{lines:?}");
    }
    let rows: Vec<(String, String)> = sqlx::query_as("SELECT idempotency_key, status FROM idempotency_keys")
        .fetch_all(&mut raw)
        .await
        .unwrap();
    assert_eq!(rows.len(), LIVE + made);
    for (key, status) in rows {
        let wanted =
            if key.starts_with("new-") || completed.contains(&key) { "completed" } else { "in_progress" };
        assert_eq!(status, wanted, "{key}");
    }
}

/// Claims new keys, renews and completes its own live ones, several in one transaction and in no order.
/// No statement waits for longer than the lock timeout: it would be an error.
async fn write(
    url: String,
    number: usize,
    own: Vec<(String, uuid::Uuid)>,
    over: Arc<AtomicBool>,
) -> (Vec<String>, usize) {
    let store = Store::connect(&url, StoreOptions::default()).await.unwrap();
    let mut connection = PgConnection::connect(&url).await.unwrap();
    sqlx::raw_sql("SET lock_timeout = '1s'").execute(&mut connection).await.unwrap();
    let none = Scope::none();
    let mut open = own;
    let (mut completed, mut made) = (Vec::new(), 0);
    while !over.load(Ordering::Relaxed) {
        fastrand::shuffle(&mut open);
        let mut transaction = connection.begin().await.unwrap();
        let claim = Claim::new(key(&format!("new-{number}-{made}")), none.clone());
        let ClaimOutcome::Claimed { token, .. } = store.claim_on(&mut *transaction, &claim).await.unwrap()
        else {
            panic!("a new key is claimed")
        };
        for (name, held) in open.iter().take(3) {
            let held = Token::from_u128(held.as_u128());
            store.renew_on(&mut *transaction, &key(name), &none, held, lease(60)).await.unwrap();
        }
        let done = open.pop();
        if let Some((name, held)) = &done {
            let held = Token::from_u128(held.as_u128());
            store.complete_on(&mut *transaction, &key(name), &none, held, &answer()).await.unwrap();
        }
        store.complete_on(&mut *transaction, &claim.key, &none, token, &answer()).await.unwrap();
        transaction.commit().await.unwrap();
        made += 1;
        completed.extend(done.map(|(name, _)| name));
    }
    (completed, made)
}

/// Incident 21.
#[tokio::test]
async fn one_of_many_sweeps_at_a_time() {
    let incident = Incident::read("21-every-pod-sweeps.toml");
    let (db, binary) = incident.set_up().await;
    db.run(
        "CREATE TABLE deletions (idempotency_key text);
         CREATE FUNCTION note_deletion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             INSERT INTO deletions VALUES (old.idempotency_key); RETURN old; END $$;
         CREATE TRIGGER note_deletion BEFORE DELETE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION note_deletion()",
    )
    .await;
    let start = |config: &str| {
        let path = binary.home.path().join("idemctl.toml");
        fs::write(&path, config).unwrap();
        let mut command =
            binary.command(&["--config", &path.display().to_string(), "janitor", "--once", "-o", "json"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let purged = |ran: &Ran| {
        let report = ran.json();
        let passes = report["passes"].as_array().unwrap();
        passes.iter().find(|pass| pass["pass"] == "purge").unwrap().clone()
    };

    // Slow enough that all of them meet.
    let slow =
        "[janitor]\nlease = '2s'\n[purge]\nmin_batch = 100\nmax_batch = 100\nmax_rows_per_second = 1500\n";
    let children: Vec<Child> = (0..4).map(|_| start(slow)).collect();
    let (mut rows, mut elsewhere) = (0, 0);
    for child in children {
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(ran.code, 0, "{ran:?}");
        let pass = purged(&ran);
        rows += pass["rows"].as_u64().unwrap();
        if pass["outcome"] == "led_elsewhere" {
            elsewhere += 1;
            assert!(pass["why"].as_str().is_some_and(|leader| !leader.is_empty()), "{ran:?}");
        } else {
            assert_eq!(pass["outcome"], "done", "{ran:?}");
        }
    }
    assert_eq!(rows, 5_000);
    assert_eq!(elsewhere, 3, "one leads at a time");
    assert_eq!(db.number("SELECT count(*) FROM deletions").await, 5_000);

    // The leader is stopped in the middle of its pass for longer than its lease.
    db.run(incident.setup_sql()).await;
    let first = start(slow);
    until("the first one is at work", || async { db.rows().await <= 4_500 }).await;
    signal(&first, "STOP");
    let mut stopped_at = Instant::now();
    let taken_over = loop {
        let ran = Ran::from(start(slow).wait_with_output().unwrap());
        if ran.code == 1 && ran.stderr.contains("holds a lock") {
            // It was stopped in the very transaction that renews its lease: that is another trouble, which
            // only its connection's end cures.
            signal(&first, "CONT");
            tokio::time::sleep(Duration::from_millis(50)).await;
            signal(&first, "STOP");
            stopped_at = Instant::now();
            continue;
        }
        assert!(matches!(ran.code, 0 | 6), "{ran:?}");
        let pass = purged(&ran);
        if pass["outcome"] != "led_elsewhere" {
            break pass;
        }
        assert!(stopped_at.elapsed() < secs(60), "nobody takes over: {ran:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert!(stopped_at.elapsed() > secs(1), "the lease was taken while it ran");
    signal(&first, "CONT");
    let ran = Ran::from(first.wait_with_output().unwrap());
    let stopped = purged(&ran);
    let last = purged(&Ran::from(start(slow).wait_with_output().unwrap()));
    let counted = |pass: &Value| pass["rows"].as_u64().unwrap();
    // What was in the first one's hands when it was stopped is finished and counted; nothing beyond it.
    assert!(counted(&stopped) <= 2_000, "it went on without its lease: {ran:?}");
    assert!(counted(&taken_over) >= 3_000, "{taken_over}");
    assert_eq!(
        counted(&stopped) + counted(&taken_over) + counted(&last),
        5_000,
        "{ran:?} {taken_over} {last}"
    );
    assert_eq!(db.number("SELECT count(*) FROM deletions").await, 10_000);

    let stats = binary.json(&["stats", "--exact"]);
    assert_eq!(stats["backlog"]["rows"]["value"], 0, "{stats}");
    assert!(!stats["last_purge"]["succeeded_at"].is_null(), "{stats}");
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([format!("-{name}"), child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Incident 22.
#[tokio::test]
async fn no_statement_needs_a_limit_behind_delete() {
    // None has one: what is between brackets is a subselect, which every build takes.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store/sql");
    let mut changing = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.contains(".postgres.") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let mut depth = 0;
        let mut outer = String::new();
        for line in text.lines().filter(|line| !line.starts_with("--")) {
            for next in line.chars() {
                match next {
                    '(' => depth += 1,
                    ')' => depth -= 1,
                    _ if depth == 0 => outer.push(next),
                    _ => {}
                }
            }
            outer.push('\n');
        }
        let outer = outer.to_uppercase();
        if outer.starts_with("DELETE") || outer.starts_with("UPDATE") || outer.starts_with("{FAIL_ROW}") {
            changing += 1;
            assert!(!outer.contains("LIMIT") && !outer.contains("ORDER BY"), "{name}: {text}");
        }
    }
    assert!(changing >= 5, "{changing}");
    // And the SQLite that is built in, on which all of them are prepared, could not take one.
    let (db, _) = Incident::read("22-delete-limit-in-sqlite.toml").set_up().await;
    let mut raw = db.raw().await;
    let options = raw.texts("SELECT compile_options FROM pragma_compile_options").await;
    assert!(!options.iter().any(|option| option == "ENABLE_UPDATE_DELETE_LIMIT"), "{options:?}");
    assert!(raw.fails("DELETE FROM idempotency_keys WHERE false LIMIT 1").await);
    raw.close().await;

    let pace = PaceOptions { min_batch: 10, max_batch: 10, duty: Some(1.0), ..PaceOptions::default() };
    let options = PurgeOptions { pace, ..PurgeOptions::default() };
    let mut batches = Vec::new();
    let stop = CancellationToken::new();
    let outcome = purge(&db.store, &options, &Confirmed::given(), &stop, &mut |at| batches.push(at.batch))
        .await
        .unwrap();
    assert_eq!(outcome.report.deleted, 30, "{outcome:?}");
    assert!(batches.iter().all(|rows| *rows <= 10), "{batches:?}");
    assert!(batches.iter().filter(|rows| **rows > 0).count() >= 3, "{batches:?}");
    assert!(matches!(db.dialect(), Dialect::Sqlite));
}
