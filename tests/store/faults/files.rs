//! SQLite files that are none, are damaged, closed to us, or have no room.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use idemctl::store::{Confirmed, ErrorKind, Store, StoreOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use tempfile::TempDir;

use super::{INSIDE, is_root, run_inside};
use crate::support::database::migrating;
use crate::support::{Dialect, TestDb, answer, at, claim, claimed, kind};

async fn open(path: &Path) -> Store {
    Store::connect(&format!("sqlite:{}", path.display()), StoreOptions::default()).await.unwrap()
}

async fn create(path: &Path) -> Store {
    let options = StoreOptions { create: true, ..StoreOptions::default() };
    let store = Store::connect(&format!("sqlite:{}", path.display()), options).await.unwrap();
    store.migrate(&migrating("test"), &Confirmed::given()).await.unwrap();
    store
}

#[tokio::test]
async fn a_file_that_is_not_there_is_named_so_and_not_created() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("typo.db");
    let result = Store::connect(&format!("sqlite:{}", path.display()), StoreOptions::default()).await;
    assert_eq!(kind(result), ErrorKind::NoFile);
    assert!(!path.exists());
}

#[tokio::test]
async fn a_file_that_is_no_database_is_corrupt_and_stays_as_it_is() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("notes.txt");
    let text = "these are my notes\n".repeat(500);
    fs::write(&path, &text).unwrap();
    let store = open(&path).await;
    assert_eq!(kind(store.claim(&claim("k")).await), ErrorKind::Corrupt);
    assert_eq!(kind(store.inspect("k").await), ErrorKind::Corrupt);
    let migrated = store.migrate(&migrating("test"), &Confirmed::given()).await;
    assert_eq!(kind(migrated), ErrorKind::Corrupt);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[tokio::test]
async fn a_damaged_database_is_corrupt() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("keys.db");
    let store = create(&path).await;
    for number in 0..50 {
        store.claim(&claim(&format!("k{number}"))).await.unwrap();
    }
    store.close().await;
    // Everything behind the header is overwritten.
    let mut bytes = fs::read(&path).unwrap();
    for byte in &mut bytes[100..] {
        *byte = 0x5a;
    }
    fs::write(&path, bytes).unwrap();
    assert_eq!(kind(open(&path).await.claim(&claim("k")).await), ErrorKind::Corrupt);
}

#[tokio::test]
async fn a_folder_instead_of_a_file_is_unreachable() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path()).await;
    assert_eq!(kind(store.claim(&claim("k")).await), ErrorKind::Unreachable);
    assert_eq!(kind(store.inspect("k").await), ErrorKind::Unreachable);
}

/// As a user who may read the file and not write it; root may always, so it becomes another user.
#[tokio::test]
async fn a_file_without_write_permission_is_read_only_and_still_read() {
    if let Some(folder) = std::env::var_os(INSIDE) {
        return assert_is_read_only(&PathBuf::from(folder).join("keys.db")).await;
    }
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("keys.db");
    let store = create(&path).await;
    store.claim(&claim("k")).await.unwrap();
    store.close().await;
    // Only a log-less file can be read where nothing can be written.
    let options =
        SqliteConnectOptions::new().filename(&path).journal_mode(sqlx::sqlite::SqliteJournalMode::Delete);
    SqlitePoolOptions::new().connect_with(options).await.unwrap().close().await;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    if is_root() {
        let test = "faults::files::a_file_without_write_permission_is_read_only_and_still_read";
        let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
        run_inside(&nobody, test, folder.path());
    } else {
        assert_is_read_only(&path).await;
    }
}

async fn assert_is_read_only(path: &Path) {
    let store = open(path).await;
    assert_eq!(store.inspect("k").await.unwrap().len(), 1);
    assert_eq!(kind(store.claim(&claim("other")).await), ErrorKind::ReadOnly);
    assert_eq!(store.inspect("other").await.unwrap().len(), 0);
}

/// A full file system of one megabyte, in a mount namespace that ends with its process.
#[tokio::test]
async fn a_full_disk_is_told_and_leaves_the_row_as_it_was() {
    if let Some(folder) = std::env::var_os(INSIDE) {
        return assert_fills(&PathBuf::from(folder).join("small")).await;
    }
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("small")).unwrap();
    let script =
        format!("mount -t tmpfs -o size=1m none '{}' && exec \"$@\"", folder.path().join("small").display());
    let mut wrapper = vec!["unshare", "--mount"];
    if !is_root() {
        wrapper.push("--map-root-user");
    }
    wrapper.extend(["sh", "-c", &script, "sh"]);
    let test = "faults::files::a_full_disk_is_told_and_leaves_the_row_as_it_was";
    run_inside(&wrapper, test, folder.path());
}

async fn assert_fills(folder: &Path) {
    let store = create(&folder.join("keys.db")).await;
    let first = claim("k");
    store.claim(&first).await.unwrap();
    let before = store.record(&first.key, &first.scope).await.unwrap().0;
    let filler = folder.join("filler");
    // As much as fits: the last write is cut where the room ends.
    let _ = fs::write(&filler, vec![0; 2 << 20]);
    let large = idemctl::protocol::Answer::new(200, vec![7; 500_000]);
    let full = store.complete(&first.key, &first.scope, first.token, &large).await;
    assert_eq!(kind(full), ErrorKind::DiskFull);
    assert_eq!(store.record(&first.key, &first.scope).await.unwrap().0, before);
    // With room again, the very same store goes on.
    fs::remove_file(&filler).unwrap();
    store.complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
}

/// The same by SQLite's own limit, which needs no right to mount anything.
#[tokio::test]
async fn a_database_at_its_page_limit_is_full() {
    let db = TestDb::new(Dialect::Sqlite).await;
    let path = db.url.strip_prefix("sqlite:").unwrap();
    let pool = SqlitePoolOptions::new()
        .max_connections(1)
        .connect_with(SqliteConnectOptions::new().filename(path).pragma("max_page_count", "40"))
        .await
        .unwrap();
    let store = Store::from_sqlite_pool(pool, StoreOptions::default()).unwrap();
    let first = claim("k");
    store.claim(&first).await.unwrap();
    let before = db.record("k").await;
    let large = idemctl::protocol::Answer::new(200, vec![7; 500_000]);
    let full = store.complete(&first.key, &first.scope, first.token, &large).await;
    assert_eq!(kind(full), ErrorKind::DiskFull);
    assert_eq!(db.record("k").await, before);
    // The connection is not left in a broken transaction.
    let second = claim("k2");
    assert_eq!(store.claim(&second).await.unwrap(), claimed(second.token, 1));
    let store = db.at(at(0));
    store.complete(&first.key, &first.scope, first.token, &large).await.unwrap();
}

/// The statements are checked again on connections that were there before somebody else changed the schema.
#[tokio::test]
async fn a_schema_that_changes_between_two_checks_does_no_harm() {
    let db = TestDb::new(Dialect::Sqlite).await;
    let mut raw = db.raw().await;
    for round in 0..40 {
        db.store.check_statements().await.unwrap();
        let column = format!("another_column_{round}");
        raw.run(&format!("ALTER TABLE idempotency_keys ADD COLUMN {column} TEXT")).await;
        db.store.now().await.unwrap();
        assert!(db.record("k").await.is_none());
    }
    raw.close().await;
}
