//! Servers that do not let us in, or not do what we ask, each told apart.

use std::time::{Duration, Instant};

use idemctl::janitor::{PurgeEnd, PurgeOptions, purge};
use idemctl::protocol::Scope;
use idemctl::store::{Confirmed, ErrorKind, RowFilter, RowOrder, Store, StoreOptions, Timeouts};
use tokio_util::sync::CancellationToken;

use crate::support::server::shared;
use crate::support::{Dialect, TestDb, answer, at, claim, claimed, key, kind, secs};

fn impatient() -> StoreOptions {
    let timeouts = Timeouts { connect: Duration::from_millis(200), ..Timeouts::default() };
    StoreOptions { timeouts, ..StoreOptions::default() }
}

async fn connect(url: &str) -> Store {
    Store::connect(url, StoreOptions::default()).await.unwrap()
}

/// A role of this test's own, with these rights on the table.
async fn as_role(db: &TestDb, role: &str, rights: &str) -> Store {
    shared().await.admin(&format!("CREATE ROLE {role} LOGIN")).await;
    if !rights.is_empty() {
        db.run(&format!("GRANT {rights} ON idempotency_keys TO {role}")).await;
    }
    connect(&db.url.replace("postgres@", &format!("{role}@"))).await
}

#[tokio::test]
async fn a_wrong_password_is_refused() {
    let db = TestDb::new(Dialect::Postgres).await;
    shared().await.admin("CREATE ROLE with_password LOGIN SUPERUSER PASSWORD 'right'").await;
    let url = |password| db.url.replace("postgres@", &format!("with_password:{password}@"));
    let error = connect(&url("wr0ng")).await.claim(&claim("k")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(!format!("{error:?}").contains("wr0ng"));
    let first = claim("k");
    assert_eq!(connect(&url("right")).await.claim(&first).await.unwrap(), claimed(first.token, 1));
}

#[tokio::test]
async fn an_unknown_database_or_role_is_refused() {
    let server = shared().await;
    let nowhere = connect(&server.url("nowhere")).await;
    assert_eq!(kind(nowhere.claim(&claim("k")).await), ErrorKind::Refused);
    let nobody = connect(&server.url("postgres").replace("postgres@", "nobody_here@")).await;
    assert_eq!(kind(nobody.now().await), ErrorKind::Refused);
}

#[tokio::test]
async fn nothing_that_listens_is_unreachable() {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    drop(socket);
    let url = format!("postgres://postgres@127.0.0.1:{port}/x");
    let store = Store::connect(&url, impatient()).await.unwrap();
    let began = Instant::now();
    assert_eq!(kind(store.now().await), ErrorKind::Unreachable);
    assert_eq!(kind(store.claim(&claim("k")).await), ErrorKind::Unreachable);
    assert!(began.elapsed() < secs(20), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_server_that_accepts_and_says_nothing_is_unreachable() {
    let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://postgres@{}/x", socket.local_addr().unwrap());
    let store = Store::connect(&url, impatient()).await.unwrap();
    let began = Instant::now();
    assert_eq!(kind(store.now().await), ErrorKind::Unreachable);
    assert!(began.elapsed() < secs(10), "{:?}", began.elapsed());
}

#[tokio::test]
async fn of_several_hosts_the_first_that_takes_writes_is_used() {
    let (standby, primary) = (TestDb::new(Dialect::Postgres).await, TestDb::new(Dialect::Postgres).await);
    let server = shared().await;
    // A role that may only read stands in for a standby; both live on the same server.
    let database = primary.url.rsplit('/').next().unwrap();
    let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let dead = socket.local_addr().unwrap().port();
    drop(socket);
    let url = format!("postgres://postgres@127.0.0.1:{dead},127.0.0.1:{}/{database}", server.port);
    let first = claim("k");
    assert_eq!(connect(&url).await.claim(&first).await.unwrap(), claimed(first.token, 1));
    assert!(primary.record("k").await.is_some());

    let name = standby.url.rsplit('/').next().unwrap();
    server.admin(&format!("ALTER DATABASE {name} SET default_transaction_read_only = on")).await;
    let host = format!("127.0.0.1:{}", server.port);
    let url = format!("postgres://postgres@{host},{host}/{name}");
    assert_eq!(kind(Store::connect(&url, StoreOptions::default()).await), ErrorKind::ReadOnly);
    let url = format!("postgres://postgres@127.0.0.1:{dead},127.0.0.1:{dead}/{name}");
    assert_eq!(kind(Store::connect(&url, impatient()).await), ErrorKind::Unreachable);
}

#[tokio::test]
async fn a_missing_table_or_column_is_the_schema() {
    for dialect in [Dialect::Postgres, Dialect::Sqlite] {
        let db = TestDb::empty(dialect).await;
        assert_eq!(kind(db.store.claim(&claim("k")).await), ErrorKind::Schema);
        assert_eq!(kind(db.store.inspect("k").await), ErrorKind::Schema);
        let db = TestDb::new(dialect).await;
        db.run("ALTER TABLE idempotency_keys DROP COLUMN owner").await;
        assert_eq!(kind(db.store.claim(&claim("k")).await), ErrorKind::Schema);
        assert_eq!(kind(db.store.record(&key("k"), &Scope::none()).await), ErrorKind::Schema);
    }
}

#[tokio::test]
async fn a_role_without_rights_is_told_so() {
    let db = TestDb::new(Dialect::Postgres).await;
    let nothing = as_role(&db, "no_rights", "").await;
    assert_eq!(kind(nothing.claim(&claim("k")).await), ErrorKind::Right);
    assert_eq!(kind(nothing.inspect("k").await), ErrorKind::Right);
    let reader = as_role(&db, "only_reads", "SELECT").await;
    assert!(reader.inspect("k").await.unwrap().is_empty());
    assert_eq!(kind(reader.claim(&claim("k")).await), ErrorKind::Right);
    assert_eq!(db.rows().await, 0);
}

#[tokio::test]
async fn a_purge_needs_no_more_than_to_read_and_delete() {
    let db = TestDb::new(Dialect::Postgres).await;
    let now = db.store.now().await.unwrap();
    db.fill("k", 300, now.minus(secs(9_000)), now.minus(secs(5_000))).await;
    let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
    let reader = as_role(&db, "purge_reads", "SELECT").await;
    let options = PurgeOptions::default();
    let outcome = purge(&reader, &options, &confirmed, &stop, &mut |_| {}).await.unwrap();
    assert_eq!((outcome.report.end, outcome.error.unwrap().kind()), (PurgeEnd::Failed, ErrorKind::Right));
    let purger = as_role(&db, "purge_deletes", "SELECT, DELETE").await;
    let outcome = purge(&purger, &options, &confirmed, &stop, &mut |_| {}).await.unwrap();
    assert_eq!((outcome.report.deleted, outcome.report.end), (300, PurgeEnd::Done));
}

#[tokio::test]
async fn a_database_that_takes_no_writes_is_read_only_and_still_read() {
    let db = TestDb::new(Dialect::Postgres).await;
    let first = claim("k");
    db.at(at(0)).claim(&first).await.unwrap();
    let name = db.url.rsplit('/').next().unwrap();
    shared().await.admin(&format!("ALTER DATABASE {name} SET default_transaction_read_only = on")).await;
    let store = connect(&db.url).await;
    assert_eq!(kind(store.claim(&claim("k2")).await), ErrorKind::ReadOnly);
    let complete = store.complete(&first.key, &first.scope, first.token, &answer()).await;
    assert_eq!(kind(complete), ErrorKind::ReadOnly);
    assert_eq!(store.inspect("k").await.unwrap().len(), 1);
    let page = store.list(&RowFilter::default(), RowOrder::Key, None, 10).await.unwrap();
    assert_eq!(page.rows.len(), 1);
}

#[tokio::test]
async fn a_lock_held_for_too_long_is_locked_and_not_waited_for_without_end() {
    let db = TestDb::new(Dialect::Postgres).await;
    let timeouts = Timeouts { lock: Duration::from_millis(50), ..Timeouts::default() };
    let store = Store::connect(&db.url, StoreOptions { timeouts, ..StoreOptions::default() }).await.unwrap();
    let mut holder = db.raw().await;
    holder.run("BEGIN; LOCK TABLE idempotency_keys IN ACCESS EXCLUSIVE MODE").await;
    let began = Instant::now();
    assert_eq!(kind(store.claim(&claim("k")).await), ErrorKind::Locked);
    assert_eq!(kind(store.inspect("k").await), ErrorKind::Locked);
    assert!(began.elapsed() < secs(15), "{:?}", began.elapsed());
    holder.run("COMMIT").await;
    holder.close().await;
    let first = claim("k");
    assert_eq!(store.claim(&first).await.unwrap(), claimed(first.token, 1));
}

#[tokio::test]
async fn a_backend_that_an_administrator_ends_is_replaced() {
    let db = TestDb::new(Dialect::Postgres).await;
    let first = claim("k");
    db.store.claim(&first).await.unwrap();
    db.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    .await;
    db.store.complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
}

/// Row level security hides the row that a claim collides with: that is said, at once, and neither as a conflict
/// nor as a key that is free.
#[tokio::test]
async fn a_row_that_row_level_security_hides_is_not_claimed() {
    let db = TestDb::new(Dialect::Postgres).await;
    let store = as_role(&db, "rls_claims", "SELECT, INSERT, UPDATE, DELETE").await;
    let first = claim("k");
    assert_eq!(db.store.claim(&first).await.unwrap(), claimed(first.token, 1));
    db.run(
        "ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
         CREATE POLICY mine ON idempotency_keys USING (owner = 'mine')",
    )
    .await;
    let began = Instant::now();
    let error = store.claim(&claim("k").with_owner("mine")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Right, "{}", error.chain());
    assert!(error.chain().contains("row level security applies to idempotency_keys"), "{}", error.chain());
    assert!(began.elapsed() < secs(5), "{:?}", began.elapsed());
    // What may be read and not updated is no stale claim either.
    db.run("CREATE POLICY see ON idempotency_keys FOR SELECT USING (true)").await;
    let (name, none) = (key("k"), Scope::none());
    for error in [
        store.complete(&name, &none, first.token, &answer()).await.unwrap_err(),
        store.renew(&name, &none, first.token, first.lease).await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Right, "{}", error.chain());
    }
    db.run("CREATE POLICY change ON idempotency_keys FOR UPDATE USING (true)").await;
    store.complete(&name, &none, first.token, &answer()).await.unwrap();
    // A token that does not hold the key is stale, whatever the policies are.
    let stranger = claim("k").token;
    assert_eq!(kind(store.complete(&name, &none, stranger, &answer()).await), ErrorKind::StaleClaim);
}

/// A trigger that swallows the row of a claim is no conflict that passes.
#[tokio::test]
async fn a_row_that_the_database_does_not_keep_is_not_claimed() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.run(
        "CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
         CREATE TRIGGER swallow BEFORE INSERT ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION swallow()",
    )
    .await;
    let error = db.store.claim(&claim("k")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Other, "{}", error.chain());
    assert!(error.chain().contains("a trigger or a rule"), "{}", error.chain());
}
