//! A daemon that runs for years: its memory and its file descriptors stay as they are.

use std::time::{Duration, Instant};

use crate::supervised::{FAST, Janitor, expired};
use crate::support::{Dialect, TestDb, secs, until};

/// How long it is watched, and how often a pass runs.
fn length() -> (Duration, &'static str) {
    match std::env::var("IDEMCTL_TEST_SOAK").ok().and_then(|text| text.parse().ok()) {
        Some(seconds) => (secs(seconds), "@every 5s"),
        None => (secs(12), "@every 1s"),
    }
}

#[tokio::test]
async fn memory_and_descriptors_stay_flat() {
    let (length, schedule) = length();
    let db = TestDb::new(Dialect::Postgres).await;
    let janitor = Janitor::start(&db.url, &FAST.replace("@every 1s", schedule));
    janitor.ready().await;
    let round = async |number: u32| {
        expired(&db, &format!("old-{number}-"), 2_000).await;
        let long_ago = db.store.now().await.unwrap().minus(secs(7_200));
        let expires = db.time(long_ago.plus(secs(86_400)));
        db.fill_as("in_progress", &format!("stuck-{number}-"), 100, long_ago, &expires).await;
        until("a pass took them", || async {
            janitor.get("/metrics");
            db.number("SELECT count(*) FROM idempotency_keys WHERE status <> 'failed'").await == 0
        })
        .await;
    };
    // The first rounds fill the caches.
    for number in 0..3 {
        round(number).await;
    }
    let (memory, descriptors, began) = (janitor.memory(), janitor.descriptors(), Instant::now());
    let mut number = 3;
    let mut highest = memory;
    // What leaks in each of so many rounds is more than a pool that has grown by a connection or two.
    while began.elapsed() < length || number < 13 {
        round(number).await;
        number += 1;
        highest = highest.max(janitor.memory());
    }
    println!("memory {memory} KiB, highest {highest} KiB, descriptors {descriptors}, {number} rounds");
    assert!(highest < memory + memory / 20 + 512, "memory grew from {memory} to {highest} KiB");
    assert!(
        janitor.descriptors() <= descriptors + 4,
        "{} descriptors, {descriptors} before",
        janitor.descriptors()
    );
}
