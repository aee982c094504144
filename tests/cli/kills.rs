//! kill -9 anywhere; the next start is correct.

use std::os::unix::process::CommandExt as _;
use std::process::Stdio;
use std::time::Duration;

use idemctl::store::{Dialect, SCHEMA_VERSION};

use crate::binary::Binary;
use crate::running::{kill, wait_until};
use crate::support::proxy::{Cut, Proxy};
use crate::support::server::shared;
use crate::support::{TestDb, on_both_dialects};

/// The whole process group of a `run` is killed while its command works: the work is not done
/// twice, and the key can be brought back.
async fn killing_the_group_of_a_run_leaves_one_execution(db: TestDb) {
    let binary = Binary::on(&db);
    let file = binary.home.path().join("lines");
    let script = format!("echo ran >> '{}'; sleep 60", file.display());
    let mut child = binary
        .command(&["run", "--key", "k", "--lease", "1s", "--on-lost", "retry", "--", "sh", "-c", &script])
        .process_group(0)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_until(|| file.exists());
    kill(-(child.id() as i32), "KILL");
    child.wait().unwrap();
    let again = || binary.append("k", &file).output().unwrap().status.code();
    let refused = binary.run(&["run", "--key", "k", "--", "true"]);
    assert_eq!(refused.code, 75, "{refused:?}");
    // It waits for the lease's end.
    assert_eq!(again(), Some(0));
    assert_eq!(again(), Some(0));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "ran\nran\n", "one lost, one wanted");
}

on_both_dialects!(killing_the_group_of_a_run_leaves_one_execution);

/// A migration killed after each of a row of delays, in any of its steps, is finished by the next.
async fn a_killed_migration_is_finished_by_the_next(dialect: Dialect) {
    for delay in [0, 2, 4, 6, 8, 10, 12, 15, 18, 22, 26, 30, 40, 60, 100, 200] {
        let db = TestDb::empty(dialect).await;
        let binary = Binary::on(&db);
        let mut child =
            binary.command(&["migrate"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        let _ = child.kill();
        child.wait().unwrap();
        if matches!(dialect, Dialect::Postgres) {
            // The dead process's lease runs out in half a minute; its end is not what is tested.
            let table = "SELECT count(*) FROM pg_class WHERE relname = 'idemctl_lease'";
            if db.number(table).await == 1 {
                db.run("UPDATE idemctl_lease SET until = now()").await;
            }
        }
        let ran = binary.run(&["migrate"]);
        assert_eq!(ran.code, 0, "killed after {delay} ms: {ran:?}");
        assert_eq!(binary.run(&["migrate", "status", "--exit-code"]).code, 0);
        db.store.check_statements().await.unwrap();
        is_set_up(&db).await;
        assert_eq!(binary.run(&["run", "--key", "k", "--", "echo", "works"]).stdout, "works\n");
    }
}

/// What an SQLite file takes only before it has tables is there.
async fn is_set_up(db: &TestDb) {
    if !matches!(db.dialect(), Dialect::Sqlite) {
        return;
    }
    let mut raw = db.raw().await;
    assert_eq!(raw.texts("PRAGMA journal_mode").await, ["wal"]);
    assert_eq!(raw.number("PRAGMA auto_vacuum").await, 2);
    raw.close().await;
}

/// The mode of a file.
fn mode(path: &std::path::Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Stored answers are nobody else's business, in the log beside the file neither. A file that somebody made
/// before, empty, is set up like any other.
#[tokio::test]
async fn a_file_is_made_for_its_owner_alone_and_an_empty_one_is_set_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.db");
    let url = format!("sqlite:{}", path.display());
    let binary = Binary::at(&url);
    assert_eq!(binary.run(&["migrate"]).code, 0);
    let open = idemctl::store::Store::connect(&url, idemctl::store::StoreOptions::default()).await.unwrap();
    open.claim(&crate::support::claim("k")).await.unwrap();
    for name in ["keys.db", "keys.db-wal", "keys.db-shm"] {
        assert_eq!(mode(&folder.path().join(name)), 0o600, "{name}");
    }
    open.close().await;
    let local = Binary::new();
    assert_eq!(local.run(&["run", "--local", "--key", "k", "--", "true"]).code, 0);
    assert_eq!(mode(&local.home.path().join(".local/share/idemctl/idemctl.db")), 0o600);
    let db = TestDb::empty(Dialect::Sqlite).await;
    db.store.close().await;
    let touched = db.url.strip_prefix("sqlite:").unwrap();
    std::fs::write(touched, "").unwrap();
    assert_eq!(Binary::on(&db).run(&["migrate"]).code, 0);
    is_set_up(&db).await;
}

#[tokio::test]
async fn a_killed_migration_is_finished_on_postgres() {
    a_killed_migration_is_finished_by_the_next(Dialect::Postgres).await;
}

#[tokio::test]
async fn a_killed_migration_is_finished_on_sqlite() {
    a_killed_migration_is_finished_by_the_next(Dialect::Sqlite).await;
}

/// Ten at once, on an empty database.
async fn ten_migrations_at_once_end_in_one_schema(dialect: Dialect) {
    let db = TestDb::empty(dialect).await;
    let binary = Binary::on(&db);
    let children: Vec<_> = (0..10)
        .map(|_| binary.command(&["migrate"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    db.store.check_statements().await.unwrap();
    assert_eq!(db.number("SELECT count(*) FROM idemctl_migrations").await, SCHEMA_VERSION);
    is_set_up(&db).await;
}

#[tokio::test]
async fn ten_migrations_at_once_on_postgres() {
    ten_migrations_at_once_end_in_one_schema(Dialect::Postgres).await;
}

#[tokio::test]
async fn ten_migrations_at_once_on_sqlite() {
    ten_migrations_at_once_end_in_one_schema(Dialect::Sqlite).await;
}

/// The connection breaks after the commit and before its answer: the call is repeated, the first
/// outcome counts, and the command still runs once.
#[tokio::test]
async fn a_connection_cut_after_a_commit_does_not_fail_a_run() {
    let db = TestDb::new(Dialect::Postgres).await;
    let proxy = Proxy::start(shared().await.port).await;
    let name = db.url.rsplit('/').next().unwrap().to_owned();
    let binary = Binary::new();
    let file = binary.home.path().join("lines");
    let script = format!("echo ran >> '{}'; echo out", file.display());
    let url = proxy.url(&name);
    for (key, statement) in [("claim", "INSERT INTO"), ("complete", "SET status = 'completed'")] {
        proxy.arm_in_order(&[statement, "COMMIT"], Cut::BeforeTheAnswer);
        let arguments = ["run", "--database-url", &url, "--key", key, "--", "sh", "-c", &script];
        let mut command = binary.command(&arguments);
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        assert_eq!(output.status.code(), Some(0), "{key}: {output:?}");
        assert_eq!(output.stdout, b"out\n", "{key}");
    }
    assert_eq!(proxy.cuts(), 2);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "ran\nran\n");
}
