//! What goes wrong is said with its cause and a next step, and ends with the right exit code.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use idemctl::store::Dialect;

use crate::binary::{Binary, Ran};
use crate::support::server::shared;
use crate::support::{TestDb, on_both_dialects};

#[track_caller]
fn expect(ran: &Ran, code: i32, words: &[&str]) {
    ran.is_clean();
    assert_eq!(ran.code, code, "{ran:?}");
    for word in words {
        assert!(ran.stderr.contains(word), "{word:?} is missing: {}", ran.stderr);
    }
    assert!(ran.stderr.starts_with("idemctl: ") || ran.stderr.starts_with("error: "), "{ran:?}");
}

#[test]
fn usage_errors_exit_2_and_those_of_run_125() {
    let binary = Binary::new();
    expect(&binary.run(&["inspekt"]), 2, &["inspect"]);
    expect(&binary.run(&["reap-stuck", "--older-than", "soon"]), 2, &["5m"]);
    expect(&binary.run(&["purge", "--duty", "0"]), 2, &["above 0"]);
    expect(&binary.run(&["purge", "--duty", "NaN"]), 2, &["above 0"]);
    expect(&binary.run(&["list", "--response-status", "9223372036854775807xx"]), 2, &["5xx"]);
    expect(&binary.run(&["run", "--key", "k"]), 125, &["CMD"]);
    expect(&binary.run(&["-q", "run", "--kee", "k", "true"]), 125, &["--kee"]);
    expect(&binary.run(&["-o", "json", "run", "--kee", "k", "true"]), 125, &["--kee"]);
    expect(&binary.run(&["--database-url", "sqlite:x", "run", "--key", "k"]), 125, &["CMD"]);
    expect(&binary.run(&["--bogus", "run", "--key", "k", "true"]), 125, &["--bogus"]);
    expect(&binary.run(&["--config", "run", "list", "--kee"]), 2, &["--kee"]);
    expect(&binary.run(&["run", "--key", &"k".repeat(256), "true"]), 125, &["256 bytes"]);
}

/// Longer than any clock counts.
async fn a_wait_without_end_is_none_that_panics(db: TestDb) {
    let binary = Binary::on(&db);
    let for_ever = "500000000000years";
    let ran = binary.run(&["run", "--key", "k", "--wait", for_ever, "--", "echo", "done"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "done\n"), "{ran:?}");
    let empty = TestDb::empty(db.dialect()).await;
    let ran =
        Binary::on(&empty).command(&["migrate"]).env("IDEMCTL_MIGRATE_WAIT", for_ever).output().unwrap();
    let ran = Ran::from(ran);
    ran.is_clean();
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn keys_that_can_not_be_are_refused_before_any_database_is_asked() {
    let binary = Binary::new();
    let long = "k".repeat(256);
    for (key, word) in [
        (long.as_str(), "256 bytes"),
        ("", "empty"),
        ("a\nb", "U+000A"),
        ("\u{1b}[2J", "U+001B"),
        ("a\u{9b}31m", "U+009B"),
    ] {
        expect(&binary.run(&["inspect", key, "--database-url", "postgres://127.0.0.1:1/x"]), 2, &[word]);
    }
}

#[test]
fn the_default_database_is_not_made_by_looking() {
    let binary = Binary::new();
    for arguments in [
        &["inspect", "k"][..],
        &["list"],
        &["reap-stuck"],
        &["purge"],
        &["purge", "--dry-run"],
        &["migrate", "status"],
    ] {
        expect(&binary.run(arguments), 2, &["no database is named", "next:", "--database-url"]);
    }
    assert!(fs::read_dir(binary.home.path()).unwrap().next().is_none());
    let ran = binary.run(&["migrate"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("(from default)"), "{ran:?}");
    let ran = binary.run(&["list"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
}

#[tokio::test]
async fn a_database_that_can_not_be_reached_exits_7_and_run_69() {
    let server = shared().await;
    let binary = Binary::new();
    let url = |rest: &str| format!("postgres://{rest}");
    for (target, words) in [
        (url("nobody@127.0.0.1:1/x"), &["can't be reached", "because:", "next:"][..]),
        (url(&format!("nobody@127.0.0.1:{}/x", server.port)), &["does not let us in", "nobody", "next:"]),
        (server.url("no_such_database"), &["does not let us in", "no_such_database", "next:"]),
    ] {
        for arguments in [&["inspect", "k"][..], &["list"], &["migrate"], &["reap-stuck"], &["purge"]] {
            let mut all = arguments.to_vec();
            all.extend(["--database-url", &target]);
            expect(&binary.run(&all), 7, words);
        }
        let ran = binary.run(&["--database-url", &target, "run", "--key", "k", "--", "true"]);
        expect(&ran, 69, words);
    }
    let ran = binary.run(&["list", "--database-url", "sqlite:/no/such/folder/x.db"]);
    expect(&ran, 7, &["there is no SQLite database"]);
    let ran = binary.run(&["migrate", "--database-url", "sqlite:/no/such/folder/x.db"]);
    expect(&ran, 7, &["because:"]);
}

#[test]
fn no_error_repeats_a_password() {
    let binary = Binary::new();
    for url in
        ["postgres://u:s3cret@127.0.0.1:1/x", "postgre://u:s3cret@h/x", "postgres://u:s3cret@h:99999/x"]
    {
        for arguments in [&["list", "-vv"][..], &["config", "show"]] {
            let mut all = arguments.to_vec();
            all.extend(["--database-url", url]);
            let ran = binary.run(&all);
            assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("s3cret"), "{ran:?}");
        }
    }
}

async fn a_missing_table_exits_8(db: TestDb) {
    let empty = TestDb::empty(db.dialect()).await;
    let binary = Binary::on(&empty);
    if matches!(empty.dialect(), Dialect::Sqlite) {
        fs::write(empty.url.trim_start_matches("sqlite:"), "").unwrap();
    }
    for arguments in [&["inspect", "k"][..], &["list"], &["reap-stuck"], &["purge"]] {
        expect(&binary.run(arguments), 8, &["pending", "next: run `idemctl migrate`"]);
    }
    expect(&binary.run(&["run", "--key", "k", "true"]), 125, &["pending"]);
    assert_eq!(binary.run(&["migrate", "status", "--exit-code"]).code, 8);
    assert_eq!(binary.run(&["migrate", "status"]).code, 0);
}

async fn a_newer_schema_exits_8(db: TestDb) {
    let now = db.time(crate::support::START);
    db.run(&format!("INSERT INTO idemctl_migrations VALUES (99, '0099_future', 'x', {now})")).await;
    let binary = Binary::on(&db);
    for arguments in [&["migrate"][..], &["inspect", "k"], &["list"], &["purge"], &["migrate", "status"]] {
        expect(&binary.run(arguments), 8, &["99", "too old for this database"]);
    }
}

on_both_dialects!(a_missing_table_exits_8, a_newer_schema_exits_8, a_wait_without_end_is_none_that_panics);

#[tokio::test]
async fn a_role_without_rights_exits_8() {
    let db = TestDb::new(Dialect::Postgres).await;
    let role = format!("reader_{}", std::process::id());
    db.run(&format!(
        "CREATE ROLE {role} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role};
         INSERT INTO idempotency_keys (idempotency_key, status, created_at, claimed_at, renewed_at, expires_at)
         VALUES ('k', 'completed', now(), now(), now(), now() - interval '2 hours'),
                ('p', 'in_progress', now() - interval '2 hours', now() - interval '2 hours', now() - interval '2 hours', now())"
    ))
    .await;
    let url = db.url.replace("postgres@", &format!("{role}@"));
    assert_ne!(url, db.url);
    let binary = Binary::new();
    let with = |arguments: &[&str]| {
        let mut all = arguments.to_vec();
        all.extend(["--database-url", &url]);
        binary.run(&all)
    };
    assert_eq!(with(&["inspect", "k"]).code, 0);
    expect(&with(&["purge"]), 8, &["lacks the right DELETE", "idempotency_keys", "next: grant"]);
    expect(&with(&["reap-stuck"]), 8, &["lacks a right"]);
    assert_eq!(db.rows().await, 2);
    db.run(&format!("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}; DROP ROLE {role}")).await;
}

#[tokio::test]
async fn a_file_that_can_not_be_written_exits_8() {
    let db = TestDb::new(Dialect::Sqlite).await;
    let before = crate::support::START.minus(crate::support::secs(400_000_000));
    db.fill("old", 3, before, "2020-01-01".parse_time()).await;
    // Only a file without a log can be read where nothing can be written.
    db.store.close().await;
    db.run("PRAGMA journal_mode = DELETE").await;
    let path = file_of(&db);
    let folder = path.parent().unwrap();
    chmod(&path, 0o444);
    chmod(folder, 0o555);
    let ran = as_nobody(&db, &["purge"]);
    let listed = as_nobody(&db, &["list", "-o", "jsonl"]);
    chmod(folder, 0o755);
    expect(&ran, 8, &["takes no writes", "next: give this user the right"]);
    assert!(!ran.stderr.contains("primary"), "{ran:?}");
    assert_eq!((listed.code, listed.stdout.lines().count()), (0, 3), "{listed:?}");
    let kept = TestDb::number(&db, "SELECT count(*) FROM idempotency_keys").await;
    assert_eq!(kept, 3);
}

/// What closes a file, or what lies beside it, is named: nobody is told of no writes who only reads, or of no
/// file where there is one.
#[tokio::test]
async fn what_closes_a_file_is_named() {
    let db = TestDb::new(Dialect::Sqlite).await;
    db.store.claim(&crate::support::claim("k")).await.unwrap();
    db.store.close().await;
    let path = file_of(&db);
    let folder = path.parent().unwrap();
    chmod(&path, 0o644);
    chmod(folder, 0o555);
    let reports = [&["list"][..], &["inspect", "k"], &["stats"], &["doctor"], &["janitor", "--check"]];
    for arguments in reports {
        let ran = as_nobody(&db, arguments);
        expect(&ran, 8, &["is in WAL mode", "keys.db", "next: run idemctl as the user", "immutable=1"]);
        assert!(!ran.stderr.contains("takes no writes"), "{ran:?}");
    }
    // As it is, where nobody writes to it.
    let url = format!("{}?immutable=1", db.url);
    let ran = as_nobody(&db, &["list", "--database-url", &url, "-o", "jsonl"]);
    assert_eq!((ran.code, ran.stdout.lines().count(), ran.stderr.as_str()), (0, 1, ""), "{ran:?}");

    // A log that somebody else holds.
    let mut raw = db.raw().await;
    raw.run("UPDATE idempotency_keys SET owner = 'later'").await;
    for (closed, open) in [("-wal", "-shm"), ("-shm", "-wal")] {
        let beside = |suffix: &str| std::path::PathBuf::from(format!("{}{suffix}", path.display()));
        chmod(&beside(closed), 0o600);
        chmod(&beside(open), 0o644);
        let named = format!("keys.db{closed} can't be opened");
        expect(&as_nobody(&db, &["list"]), 7, &[&named, "Permission denied", "next: check that the file"]);
    }
    raw.close().await;
    chmod(&path, 0o600);
    expect(&as_nobody(&db, &["list"]), 7, &["keys.db can't be opened", "Permission denied"]);
    chmod(folder, 0o000);
    let ran = as_nobody(&db, &["list"]);
    chmod(folder, 0o755);
    expect(&ran, 7, &["keys.db can't be opened", "Permission denied", "next: check that the file"]);
    assert!(!ran.stderr.contains("there is no"), "{ran:?}");
}

fn file_of(db: &TestDb) -> std::path::PathBuf {
    db.url.trim_start_matches("sqlite:").into()
}

fn chmod(path: &std::path::Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A mode stops everybody but root, so that as root another user tries it: with a copy of the binary that this
/// user can reach.
fn as_nobody(db: &TestDb, arguments: &[&str]) -> Ran {
    let binary = Binary::on(db);
    chmod(binary.home.path(), 0o777);
    let copy = binary.home.path().join("idemctl");
    fs::copy(env!("CARGO_BIN_EXE_idemctl"), &copy).unwrap();
    let mut command = std::process::Command::new(copy);
    command.args(arguments).env("IDEMCTL_DATABASE_URL", &db.url).env("HOME", binary.home.path());
    drop_root(&mut command);
    Ran::from(command.output().unwrap())
}

/// What to do about it is not what one does about a file.
#[tokio::test]
async fn a_server_that_takes_no_writes_exits_8() {
    let db = TestDb::new(Dialect::Postgres).await;
    let url = format!("{}?options=-c%20default_transaction_read_only%3Don", db.url);
    let ran = Binary::new().run(&["pause", "--reason", "test", "--database-url", &url]);
    expect(&ran, 8, &["takes no writes", "next: name the primary in the URL"]);
}

/// As nobody, where the tests run as root.
fn drop_root(command: &mut std::process::Command) {
    use std::os::unix::process::CommandExt as _;
    let is_root = fs::metadata("/proc/self").is_ok_and(|meta| {
        use std::os::unix::fs::MetadataExt as _;
        meta.uid() == 0
    });
    if is_root {
        command.uid(65534).gid(65534);
    }
}

trait ParseTime {
    fn parse_time(&self) -> idemctl::protocol::Timestamp;
}
impl ParseTime for str {
    fn parse_time(&self) -> idemctl::protocol::Timestamp {
        let days = chrono::NaiveDate::parse_from_str(self, "%Y-%m-%d").unwrap();
        days.and_hms_opt(0, 0, 0).unwrap().and_utc().into()
    }
}

#[tokio::test]
async fn a_full_disk_is_named() {
    let db = TestDb::new(Dialect::Sqlite).await;
    let pages = db.number("PRAGMA page_count").await;
    // The connection of the binary can't be told; the file system can: a limit on the file's size.
    let binary = Binary::on(&db);
    let limit = pages * 4096 / 512;
    let script = format!(
        "ulimit -f {limit}; trap '' XFSZ; i=0; while [ $i -lt 60 ]; do \
         \"$0\" run --key \"filler-$i\" -- sh -c 'ulimit -f unlimited 2>/dev/null; head -c 60000 /dev/zero' >/dev/null || exit $?; \
         i=$((i+1)); done"
    );
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", &script, env!("CARGO_BIN_EXE_idemctl")])
        .env("IDEMCTL_DATABASE_URL", &db.url)
        .env("HOME", binary.home.path());
    let ran = Ran::from(command.output().unwrap());
    ran.is_clean();
    assert_eq!(ran.code, 125, "{ran:?}");
    assert!(ran.stderr.contains("no room left") || ran.stderr.contains("disk I/O"), "{ran:?}");
}

/// A reaper that waits for nothing takes what was claimed this very moment; a ttl of nothing is a key that is
/// forgotten before its work is done.
#[test]
fn durations_of_nothing_are_refused_wherever_they_are_written() {
    let binary = Binary::new();
    let path = binary.home.path().join("idemctl.toml");
    let file = path.to_str().unwrap();
    let table = "[[table]]\nname = \"t\"\nkey = \"k\"\n[table.state]\nalways = \"completed\"\n";
    let clock = "created = { column = \"c\", as = \"timestamptz\" }";
    for nothing in ["0s", "0ms", "999ms", "0"] {
        for (text, word) in [
            (format!("[reap]\nolder_than = '{nothing}'\n"), "older_than"),
            (format!("{table}[table.reap]\nolder_than = '{nothing}'\n"), "older_than"),
            (format!("{table}[table.clock]\n{clock}\nttl = '{nothing}'\n"), "ttl"),
            (format!("{table}[table.purge]\nmax_duration = '{nothing}'\n"), "max_duration"),
            (format!("[run]\nttl = '{nothing}'\n"), "run.ttl"),
            (format!("[run]\nlease = '{nothing}'\n"), "run.lease"),
            (format!("[audit]\nretention = '{nothing}'\n"), "audit.retention"),
            (format!("[purge]\nmax_duration = '{nothing}'\n"), "purge.max_duration"),
            (format!("[janitor]\nlease = '{nothing}'\n"), "janitor.lease"),
        ] {
            // A short pass is a pass.
            if nothing == "999ms" && word.ends_with("max_duration") {
                continue;
            }
            fs::write(&path, &text).unwrap();
            let database = "sqlite:/nowhere/keys.db";
            for command in [&["list"][..], &["janitor", "--check"], &["reap-stuck", "--older-than", "1h"]] {
                let ran = binary.run(&[&["--config", file, "--database-url", database], command].concat());
                expect(&ran, 2, &[word]);
            }
        }
        for command in
            [&["reap-stuck", "--older-than", nothing][..], &["list", "--stuck", "--older-than", nothing]]
        {
            expect(&binary.run(&[&["--database-url", "sqlite:x"], command].concat()), 2, &["older-than"]);
        }
        for flag in ["--ttl", "--lease"] {
            let run = ["--database-url", "sqlite:x", "run", "--key", "k", flag, nothing, "--", "true"];
            expect(&binary.run(&run), 125, &[&flag[2..]]);
        }
    }
    let mut command = binary.command(&["--database-url", "sqlite:x", "list"]);
    let ran = Ran::from(command.env("IDEMCTL_REAP_OLDER_THAN", "0s").output().unwrap());
    expect(&ran, 2, &["older_than"]);
    // Off has a word of its own.
    fs::write(&path, "[reap]\nolder_than = 'off'\n").unwrap();
    let ran = binary.run(&["--config", file, "--database-url", "sqlite:x", "reap-stuck"]);
    expect(&ran, 2, &["stuck", "--older-than"]);
    assert!(binary.run(&["--config", file, "config", "show"]).stdout.contains("off"));
}

#[test]
fn a_wrong_configuration_names_the_nearest_key() {
    let binary = Binary::new();
    let path = binary.home.path().join("idemctl.toml");
    let file = path.to_str().unwrap();
    for (text, words) in [
        ("[purge]\ngrase = \"1h\"\n", &["purge.grase", "did you mean purge.grace?"][..]),
        ("[purg]\n", &["purg", "did you mean purge?"]),
        ("[purge]\ngrace = 5\n", &["purge.grace", "duration"]),
        ("[purge]\ngrace = \"soon\"\n", &["purge.grace", "soon", "duration"]),
        ("[purge]\nbatch_target = '50us'\n", &["purge.batch_target", "100us"]),
        ("[purge]\nduty = 2.0\n", &["purge.duty", "2"]),
        ("[reap]\nretry = \"maybe\"\n", &["reap.retry", "maybe"]),
        ("[purge\n", &["idemctl.toml"]),
    ] {
        fs::write(&path, text).unwrap();
        expect(&binary.run(&["config", "show", "--config", file]), 2, words);
    }
    expect(&binary.run(&["config", "show", "--config", "/no/such/file"]), 2, &["/no/such/file"]);
}
