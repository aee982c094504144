//! What holds a janitor back: a pause, and standbys that lag.

use crate::binary::Binary;
use crate::supervised::{FAST, Janitor, expired};
use crate::support::server::Server;
use crate::support::{Dialect, TestDb, on_both_dialects, secs, until};

on_both_dialects!(
    a_pause_stops_a_pass_in_the_middle_and_resume_goes_on,
    a_pause_ends_by_itself,
    a_pause_is_said_and_audited,
);

const PURGE_PAUSED: &str = r#"idemctl_paused{pass="purge",reason="operator",table="idempotency_keys"}"#;

async fn a_pause_stops_a_pass_in_the_middle_and_resume_goes_on(db: TestDb) {
    expired(&db, "old-", 20_000).await;
    let slow = FAST.replace("duty = 1.0", "duty = 1.0\nmax_batch = 100\nmax_rows_per_second = 2000");
    let janitor = Janitor::start(&db.url, &slow);
    until("it is in the middle", || async { db.rows().await < 19_500 }).await;
    let binary = Binary::on(&db);
    binary.json(&["pause", "--reason", "the API is slow"]);
    until("the pass ended", || async { janitor.pass("purge")["last"]["end"] == "paused" }).await;
    let left = db.rows().await;
    assert!(left > 0);
    until("everybody can see why", || async {
        janitor.pass("purge")["held"]["detail"] == "the API is slow"
            && janitor.metric(PURGE_PAUSED) == Some(1.0)
    })
    .await;
    assert_eq!(janitor.pass("reap")["held"]["reason"], "operator");
    assert_eq!(db.rows().await, left, "nothing goes while it is paused");
    // By hand it can be done all the same.
    let by_hand = binary.json(&["purge", "--duty", "1"]);
    assert_eq!(by_hand["deleted"], left);
    expired(&db, "more-", 50).await;
    binary.json(&["resume", "--reason", "fixed"]);
    until("it goes on", || async { db.rows().await == 0 }).await;
    until("nothing holds it", || async { janitor.metric(PURGE_PAUSED) == Some(0.0) }).await;
}

async fn a_pause_ends_by_itself(db: TestDb) {
    let binary = Binary::on(&db);
    let paused = binary.json(&["pause", "--for", "2s", "--reason", "a moment"]);
    assert!(paused["until"].is_string());
    expired(&db, "old-", 10).await;
    let _janitor = Janitor::start(&db.url, FAST);
    until("the pause is over", || async { db.rows().await == 0 }).await;
    assert!(db.store.now().await.unwrap().as_micros() > 0);
    assert_eq!(binary.json(&["resume"])["reason"], serde_json::Value::Null, "it was over");
}

async fn a_pause_is_said_and_audited(db: TestDb) {
    let binary = Binary::on(&db);
    assert_eq!(binary.json(&["stats"])["pause"], serde_json::Value::Null);
    let ran = binary.run(&["pause", "--reason", "red\u{1b}[31m", "--for", "1h"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.is_clean();
    let stats = binary.json(&["stats"]);
    assert_eq!(stats["pause"]["reason"], "red\u{1b}[31m");
    assert!(binary.run(&["stats"]).stdout.contains("paused since"));
    // A second pause replaces the reason and the end, and began when the first one did.
    let again = binary.json(&["pause", "--reason", "longer"]);
    assert_eq!((&again["since"], &again["until"]), (&stats["pause"]["since"], &serde_json::Value::Null));
    binary.json(&["resume"]);
    let audit = binary.json(&["audit", "--command", "pause"]);
    assert_eq!(audit.as_array().unwrap().len(), 2, "{audit}");
    assert_eq!(binary.json(&["audit", "--command", "resume"])[0]["action"], "resumed");
    for bad in [&["pause", "--reason", " "][..], &["pause", "--reason", "r", "--for", "0s"]] {
        assert_eq!(binary.run(bad).code, 2);
    }
}

/// A limit that nobody could ever know to be kept is refused at the start.
#[tokio::test]
async fn a_lag_that_the_role_may_not_read() {
    let db = TestDb::new(Dialect::Postgres).await;
    let name = db.url.rsplit('/').next().unwrap().to_owned();
    db.run(
        "DO $$ BEGIN CREATE ROLE plain LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
         GRANT ALL ON ALL TABLES IN SCHEMA public TO plain",
    )
    .await;
    let url = db.url.replace("postgres@", "plain@");
    assert!(url.ends_with(&name));
    for mode in [&["janitor"][..], &["janitor", "--once"], &["janitor", "--check"]] {
        let mut command = Binary::new().command(mode);
        command.env("IDEMCTL_DATABASE_URL", &url).env("IDEMCTL_PURGE_MAX_LAG", "5s");
        let ran = crate::binary::Ran::from(command.output().unwrap());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("pg_read_all_stats"), "{ran:?}");
    }
    let sqlite = TestDb::new(Dialect::Sqlite).await;
    let mut command = Binary::on(&sqlite).command(&["janitor", "--check"]);
    assert_eq!(command.env("IDEMCTL_PURGE_MAX_LAG", "5s").output().unwrap().status.code(), Some(2));
}

/// A standby that stops replaying holds the purge back, and nothing but the purge.
#[tokio::test]
async fn a_standby_that_lags_holds_the_purge_back() {
    let mut server = Server::start().await;
    let standby = server.standby().await;
    let url = server.url(&server.database().await);
    let db = TestDb {
        store: idemctl::store::Store::connect(&url, Default::default()).await.unwrap(),
        url,
        folder: None,
    };
    let config = FAST.replace("[purge]", "[purge]\nmax_lag = '1s'");
    let janitor = Janitor::start(&db.url, &config);
    expired(&db, "old-", 100).await;
    until("an up-to-date standby holds nothing", || async { db.rows().await == 0 }).await;

    standby.run("SELECT pg_wal_replay_pause()").await;
    expired(&db, "late-", 100).await;
    let lag = r#"idemctl_paused{pass="purge",reason="lag",table="idempotency_keys"}"#;
    until("the purge waits", || async {
        // The lag grows by what is written.
        db.run("CREATE TABLE IF NOT EXISTS written (n integer); INSERT INTO written VALUES (1)").await;
        janitor.metric(lag) == Some(1.0)
    })
    .await;
    assert!(janitor.pass("purge")["held"]["detail"].as_str().unwrap().contains("behind"));
    let long_ago = db.store.now().await.unwrap().minus(secs(7_200));
    db.fill_as("in_progress", "stuck-", 1, long_ago, &db.time(long_ago.plus(secs(86_400)))).await;
    until("the reaper goes on", || async {
        db.number("SELECT count(*) FROM idempotency_keys WHERE status = 'failed'").await == 1
    })
    .await;
    standby.run("SELECT pg_wal_replay_resume()").await;
    until("the purge goes on", || async { db.rows().await == 1 && janitor.metric(lag) == Some(0.0) }).await;
}
