//! A database that goes away, comes back, or takes no writes: the daemon stays, waits and goes on.

use std::time::Instant;

use idemctl::store::{Store, StoreOptions};

use crate::supervised::{FAST, Janitor, expired, kept};
use crate::support::hosts::{Hosts, Loss};
use crate::support::server::Server;
use crate::support::{TestDb, secs, until};

/// Seconds that an outage lasts.
fn outage() -> u64 {
    std::env::var("IDEMCTL_TEST_OUTAGE").ok().and_then(|text| text.parse().ok()).unwrap_or(6)
}

/// As [`FAST`] and in no haste, with waits between tries that are longer than a try takes.
fn slow() -> String {
    FAST.replace("duty = 1.0", "duty = 1.0\nmax_batch = 100\nmax_rows_per_second = 1000")
        .replace("reconnect_min = '100ms'", "reconnect_min = '500ms'")
        .replace("reconnect_max = '500ms'", "reconnect_max = '5s'")
}

async fn database(server: &Server) -> TestDb {
    let url = server.url(&server.database().await);
    TestDb { store: Store::connect(&url, StoreOptions::default()).await.unwrap(), url, folder: None }
}

/// Lets an outage last, and holds the daemon to next to no work meanwhile.
async fn lasts(janitor: &mut Janitor) {
    let (began, cpu) = (Instant::now(), janitor.cpu());
    tokio::time::sleep(secs(outage())).await;
    let used = janitor.cpu() - cpu;
    // A hundredth, and two ticks of the clock that it is measured by.
    assert!(used <= began.elapsed().as_secs_f64() / 100.0 + 0.02, "it used {used} s of processor time");
    assert!(janitor.is_running());
}

#[tokio::test]
async fn the_server_is_killed_in_the_middle_of_a_pass_and_comes_back() {
    let mut server = Server::start().await;
    let db = database(&server).await;
    expired(&db, "old-", 10_000).await;
    kept(&db).await;
    let mut janitor = Janitor::start(&db.url, &slow());
    until("it is in the middle", || async { db.rows().await < 9_500 }).await;
    server.kill().await;
    until("it notices", || async { janitor.get("/readyz").is_some_and(|(code, _)| code == 503) }).await;
    assert_eq!(janitor.status()["database"]["up"], false);
    assert!(janitor.status()["database"]["error"].as_str().unwrap().len() > 10);
    assert_eq!(janitor.metric("idemctl_database_up"), Some(0.0));
    lasts(&mut janitor).await;
    let said = janitor.log().matches("can't be worked with").count();
    assert!((1..=3).contains(&said), "said {said} times:\n{}", janitor.log());
    server.restart().await;
    janitor.ready().await;
    janitor.logs("is back after").await;
    until("the rest goes", || async { db.rows().await == 3 }).await;
    assert!(janitor.metric(r#"idemctl_errors_total{kind="unreachable"}"#).unwrap() >= 1.0);
    janitor.signal("TERM");
    assert_eq!(janitor.wait(), Some(0));
}

/// A primary that was demoted takes no writes; the role's databases are made so here.
#[tokio::test]
async fn the_server_turns_read_only_in_the_middle_of_a_pass() {
    let server = Server::start().await;
    let db = database(&server).await;
    expired(&db, "old-", 10_000).await;
    let mut janitor = Janitor::start(&db.url, &slow());
    until("it is in the middle", || async { db.rows().await < 9_500 }).await;
    server.admin("ALTER SYSTEM SET default_transaction_read_only = on").await;
    server.admin("SELECT pg_reload_conf()").await;
    until("it notices", || async {
        let error = janitor.status()["database"]["error"].clone();
        error.as_str().is_some_and(|error| error.contains("read-only"))
    })
    .await;
    assert_eq!(janitor.get("/readyz").unwrap().0, 503);
    lasts(&mut janitor).await;
    let mut admin = db.raw().await;
    admin.run("SET default_transaction_read_only = off").await;
    admin.run("ALTER SYSTEM RESET default_transaction_read_only").await;
    admin.run("SELECT pg_reload_conf()").await;
    janitor.ready().await;
    until("the rest goes", || async { db.rows().await == 0 }).await;
}

/// With two hosts in its URL it goes on with the standby that takes over, and what that had not got yet goes there.
#[tokio::test]
async fn a_standby_takes_over_in_the_middle_of_a_pass() {
    for loss in Loss::ALL {
        let hosts = Hosts::start().await;
        let first = hosts.first().await;
        expired(&first, "old-", 10_000).await;
        kept(&first).await;
        let mut janitor = Janitor::start(&hosts.url(), &slow());
        until("it is in the middle", || async { first.rows().await < 9_500 }).await;
        hosts.fail_over(loss).await;
        let second = hosts.second().await;
        assert!(second.rows().await > 1_000, "{loss:?}: there is something left to do");
        until("the rest goes", || async { second.rows().await == 3 }).await;
        janitor.ready().await;
        janitor.signal("TERM");
        assert_eq!(janitor.wait(), Some(0), "{loss:?}");
    }
}

/// The order in which the two are started does not matter, and neither does the migration's.
#[tokio::test]
async fn the_database_and_its_schema_come_after_the_janitor() {
    let mut server = Server::start().await;
    let name = server.empty_database().await;
    let url = server.url(&name);
    server.kill().await;
    let janitor = Janitor::start(&url, FAST);
    until("it listens", || async { janitor.get("/livez").is_some() }).await;
    server.restart().await;
    until("it misses the schema", || async {
        janitor.get("/readyz").is_some_and(|(code, why)| code == 503 && why.contains("pending"))
    })
    .await;
    let ran = crate::binary::Binary::new().command(&["migrate", "--database-url", &url]).output().unwrap();
    assert!(ran.status.success());
    janitor.ready().await;
}

/// A server that hangs, without closing a connection.
#[tokio::test]
async fn the_server_hangs_in_the_middle_of_a_pass() {
    let server = Server::start().await;
    let db = database(&server).await;
    expired(&db, "old-", 6_000).await;
    let config = format!("{}\n[database]\nstatement_timeout = '1s'\nconnect_timeout = '1s'\n", slow());
    let mut janitor = Janitor::start(&db.url, &config);
    until("it is in the middle", || async { db.rows().await < 5_500 }).await;
    let hung = server.pause();
    until("it notices", || async { janitor.status()["database"]["up"] == false }).await;
    lasts(&mut janitor).await;
    drop(hung);
    until("the rest goes", || async { db.rows().await == 0 }).await;
}
