//! The daemon at work: schedules, signals, HTTP.

use std::time::Instant;

use crate::binary::Binary;
use crate::supervised::{FAST, Janitor, expired, kept};
use crate::support::{Dialect, TestDb, on_both_dialects, secs, until};

on_both_dialects!(
    it_purges_and_reaps_on_schedule_and_shows_it,
    a_stop_ends_the_batch_and_gives_the_lease_back,
    an_overdue_pass_runs_soon_after_the_start,
    a_pass_that_was_cut_goes_on_after_the_restart,
    overdue_is_what_has_not_come_to_its_end_since_it_was_due,
    a_failed_pass_takes_readiness_away_until_one_goes_well,
    a_good_configuration_is_taken_over_and_a_bad_one_is_not,
);

async fn it_purges_and_reaps_on_schedule_and_shows_it(db: TestDb) {
    kept(&db).await;
    expired(&db, "old-", 300).await;
    let mut janitor = Janitor::start(&db.url, FAST);
    until("the first rows are gone", || async { db.rows().await == 3 }).await;
    // It goes on by its schedule.
    expired(&db, "more-", 200).await;
    let long_ago = db.store.now().await.unwrap().minus(secs(7_200));
    db.fill_as("in_progress", "stuck-", 5, long_ago, &db.time(long_ago.plus(secs(86_400)))).await;
    until("the next ones too", || async {
        db.number("SELECT count(*) FROM idempotency_keys WHERE status = 'failed'").await == 5
            && db.rows().await == 8
    })
    .await;
    until("the counters follow", || async {
        janitor.metric(r#"idemctl_rows_purged_total{table="idempotency_keys"}"#) == Some(500.0)
            && janitor.metric(r#"idemctl_rows_reaped_total{table="idempotency_keys"}"#) == Some(5.0)
    })
    .await;
    let table = r#"table="idempotency_keys""#;
    assert_eq!(janitor.metric("idemctl_database_up"), Some(1.0));
    let version = format!(r#"idemctl_build_info{{version="{}"}}"#, env!("CARGO_PKG_VERSION"));
    assert_eq!(janitor.metric(&version), Some(1.0));
    for pass in ["reap", "purge"] {
        let labels = format!(r#"{{pass="{pass}",{table}}}"#);
        assert_eq!(janitor.metric(&format!("idemctl_leader{labels}")), Some(1.0));
        assert_eq!(janitor.metric(&format!("idemctl_schedule_interval_seconds{labels}")), Some(1.0));
        let last = janitor.metric(&format!("idemctl_last_success_timestamp_seconds{labels}")).unwrap();
        let now = db.store.now().await.unwrap().as_micros() as f64 / 1e6;
        assert!((now - last).abs() < 60.0, "{last} against {now}");
        let passes = format!("idemctl_pass_duration_seconds_count{labels}");
        until("two passes ended", || async { janitor.metric(&passes).unwrap() >= 2.0 }).await;
        assert!(janitor.metric(&format!("idemctl_batch_duration_seconds_count{labels}")).unwrap() >= 1.0);
        assert!(janitor.metric(&format!("idemctl_batch_rows_sum{labels}")).unwrap() >= 5.0);
        let paused = format!(r#"idemctl_paused{{pass="{pass}",reason="operator",{table}}}"#);
        assert_eq!(janitor.metric(&paused), Some(0.0));
    }
    for gauge in ["idemctl_expired_backlog_rows", "idemctl_stuck_rows", "idemctl_oldest_stuck_age_seconds"] {
        assert!(janitor.metric(&format!("{gauge}{{{table}}}")).is_some(), "{gauge}");
    }
    assert!(janitor.metric("process_resident_memory_bytes").unwrap() > 1e6);
    assert_eq!(janitor.get("/livez").unwrap(), (200, "ok\n".to_owned()));
    assert_eq!(janitor.get("/nothing").unwrap().0, 404);
    let status = janitor.status();
    assert_eq!(status["database"]["up"], true);
    assert_eq!(status["tables"][0]["passes"].as_array().unwrap().len(), 2);
    let stats = Binary::on(&db).json(&["stats"]);
    assert_eq!(stats["passes"][1]["leader"], status["holder"]);
    janitor.signal("TERM");
    assert_eq!(janitor.wait(), Some(0));
}

async fn a_stop_ends_the_batch_and_gives_the_lease_back(db: TestDb) {
    for signal in ["TERM", "INT"] {
        expired(&db, &format!("{signal}-"), 20_000).await;
        let slow = FAST.replace("duty = 1.0", "duty = 1.0\nmax_batch = 100\nmax_rows_per_second = 2000");
        let before = db.rows().await;
        let mut janitor = Janitor::start(&db.url, &slow);
        until("it is in the middle", || async { db.rows().await < before - 500 }).await;
        let told = Instant::now();
        janitor.signal(signal);
        assert_eq!(janitor.wait(), Some(0));
        assert!(told.elapsed() < secs(5), "it took {:?}", told.elapsed());
        assert!(db.rows().await > 0, "it did not stop in the middle");
        for lease in db.store.leases().await.unwrap() {
            assert_eq!((lease.holder.as_deref(), lease.left.is_zero()), (None, true));
        }
        assert!(janitor.log().contains("stopped"), "{}", janitor.log());
    }
}

/// A daemon that is started again more often than its schedule says still cleans.
async fn an_overdue_pass_runs_soon_after_the_start(db: TestDb) {
    expired(&db, "old-", 100).await;
    let monthly = FAST.replace("schedule = '@every 1s'", "schedule = '@monthly'");
    let janitor = Janitor::start(&db.url, &monthly);
    until("the overdue pass came to its end", || async {
        db.rows().await == 0 && janitor.pass("purge")["last_success_at"].is_string()
    })
    .await;
    janitor.kill();
    // Now it is not overdue any more; nothing is purged before the month is over.
    expired(&db, "new-", 100).await;
    let janitor = Janitor::start(&db.url, &monthly);
    until("it leads", || async { janitor.leads("purge") }).await;
    assert!(janitor.pass("purge")["next_start_at"].is_string());
    assert_eq!(janitor.pass("purge")["last"], serde_json::Value::Null);
    assert_eq!(db.rows().await, 100);
}

/// Begun does not count as done, in whichever way it was cut and whatever the schedule.
async fn a_pass_that_was_cut_goes_on_after_the_restart(db: TestDb) {
    for (schedule, signal) in [("@yearly", "KILL"), ("0 3 29 2 *", "TERM"), ("@every 90d", "INT")] {
        expired(&db, &format!("{signal}-"), 6_000).await;
        let config = FAST.replace("schedule = '@every 1s'", &format!("schedule = '{schedule}'"));
        let slow = config.replace("duty = 1.0", "duty = 1.0\nmax_batch = 100\nmax_rows_per_second = 2000");
        // The last one completed long before this one was due.
        db.run("UPDATE idemctl_lease SET last_success = NULL").await;
        let before = db.rows().await;
        let mut janitor = Janitor::start(&db.url, &slow);
        until("it is in the middle", || async { db.rows().await < before - 500 }).await;
        janitor.signal(signal);
        janitor.wait();
        assert!(db.rows().await > 0, "it was not cut");
        if signal == "KILL" {
            let now = if matches!(db.dialect(), Dialect::Postgres) { "now()" } else { "0" };
            db.run(&format!("UPDATE idemctl_lease SET until = {now}")).await;
        }
        let mut janitor = Janitor::start(&db.url, &config);
        until("the rest goes", || async { db.rows().await == 0 }).await;
        until("it completed", || async { janitor.pass("purge")["last"]["end"] == "done" }).await;
        janitor.signal("TERM");
        janitor.wait();
    }
}

async fn overdue_is_what_has_not_come_to_its_end_since_it_was_due(db: TestDb) {
    let yearly = FAST.replace("schedule = '@every 1s'", "schedule = '@yearly'");
    let mut janitor = Janitor::start(&db.url, &yearly);
    until("both came to their end", || async {
        ["reap", "purge"].iter().all(|pass| janitor.pass(pass)["last_success_at"].is_string())
    })
    .await;
    janitor.signal("TERM");
    janitor.wait();
    let ago = |days: u32| match db.dialect() {
        Dialect::Postgres => format!("now() - interval '{days} days'"),
        _ => format!("CAST((unixepoch('subsec') - {days} * 86400) * 1000000 AS INTEGER)"),
    };
    // Begun long ago, and at its end a moment ago: not overdue.
    expired(&db, "old-", 100).await;
    db.run(&format!("UPDATE idemctl_lease SET last_started = {}, last_success = {}", ago(800), ago(0))).await;
    let mut janitor = Janitor::start(&db.url, &yearly);
    until("it leads", || async { janitor.leads("purge") }).await;
    assert_eq!(janitor.pass("purge")["running_since"], serde_json::Value::Null);
    let next = janitor.pass("purge")["next_start_at"].as_str().unwrap().to_owned();
    assert!(next[5..].starts_with("01-01"), "{next}");
    janitor.signal("TERM");
    janitor.wait();
    // Begun a moment ago, and never at its end since it was due: overdue.
    db.run(&format!("UPDATE idemctl_lease SET last_started = {}, last_success = {}", ago(0), ago(800))).await;
    let _janitor = Janitor::start(&db.url, &yearly);
    until("the rows go", || async { db.rows().await == 0 }).await;
}

/// The leases may go on while the table is gone.
async fn a_failed_pass_takes_readiness_away_until_one_goes_well(db: TestDb) {
    let janitor = Janitor::start(&db.url, FAST);
    janitor.ready().await;
    db.run("ALTER TABLE idempotency_keys RENAME TO elsewhere").await;
    until("it is not ready", || async {
        janitor.get("/readyz").is_some_and(|(code, why)| code == 503 && why.contains("failed"))
    })
    .await;
    // Again and again, not until somebody asks.
    for _ in 0..20 {
        assert_eq!(janitor.get("/readyz").unwrap().0, 503);
    }
    let status = janitor.status();
    assert_eq!(status["database"]["up"], false);
    assert!(status["database"]["error"].as_str().unwrap().contains("failed"), "{status}");
    assert_eq!(janitor.metric("idemctl_database_up"), Some(0.0));
    db.run("ALTER TABLE elsewhere RENAME TO idempotency_keys").await;
    janitor.ready().await;
}

async fn a_good_configuration_is_taken_over_and_a_bad_one_is_not(db: TestDb) {
    let yearly = FAST.replace("schedule = '@every 1s'", "schedule = '@yearly'");
    let mut janitor = Janitor::start(&db.url, &yearly);
    until("it leads", || async { janitor.leads("purge") && janitor.leads("reap") }).await;
    until("the overdue pass is over", || async { janitor.pass("purge")["last"].is_object() }).await;
    expired(&db, "old-", 100).await;

    janitor.configure(&yearly.replace("@yearly", "every now and then"));
    janitor.signal("HUP");
    janitor.logs("the old one stays").await;
    assert!(janitor.log().contains("reap.schedule: invalid schedule"), "{}", janitor.log());
    assert_eq!(janitor.pass("purge")["schedule"], "@yearly");
    janitor.configure("this is = not [toml");
    janitor.signal("HUP");
    until("that is reported, too", || async { janitor.log().matches("the old one stays").count() == 2 })
        .await;

    janitor.configure(FAST);
    janitor.signal("HUP");
    until("the new one counts", || async { janitor.pass("purge")["schedule"] == "@every 1s" }).await;
    until("the rows are gone", || async { db.rows().await == 0 }).await;
    assert!(janitor.is_running());
    janitor.signal("TERM");
    assert_eq!(janitor.wait(), Some(0));
}

/// Two signals end it at once, whatever hangs.
#[tokio::test]
async fn a_second_signal_ends_it_at_once() {
    let server = crate::support::server::Server::start().await;
    let url = server.url(&server.database().await);
    let mut janitor = Janitor::start(&url, FAST);
    janitor.ready().await;
    let _paused = server.pause();
    let told = Instant::now();
    janitor.signal("TERM");
    until("it says that it ends", || async {
        janitor.status()["stopping"] == true || told.elapsed() > secs(1)
    })
    .await;
    janitor.signal("TERM");
    assert_eq!(janitor.wait(), Some(130));
    assert!(told.elapsed() < secs(10));
}

/// An address that is taken is said, and nothing runs in its place.
#[tokio::test]
async fn an_address_that_is_taken() {
    let db = TestDb::new(Dialect::Postgres).await;
    let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap().to_string();
    let ran = Binary::on(&db).run(&["janitor", "--listen", &address]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains(&address), "{ran:?}");
}
