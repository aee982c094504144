//! Several janitors on one database: one works at a time, whatever happens to it, and every result is
//! right.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use idemctl::protocol::{Claim, ClaimOutcome};
use idemctl::store::{Confirmed, Pass, Store, StoreOptions};

use crate::supervised::{FAST, Janitor, expired, kept};
use crate::support::proxy::Proxy;
use crate::support::{Dialect, TestDb, answer, key, on_both_dialects, scope, secs, until};

/// How long the three janitors are tormented.
fn length() -> Duration {
    let seconds = std::env::var("IDEMCTL_TEST_LEADERS").ok().and_then(|text| text.parse().ok());
    secs(seconds.unwrap_or(20))
}

on_both_dialects!(
    a_dead_leader_is_replaced_within_its_lease,
    a_lease_is_taken_by_one_and_renewed_by_it_alone,
);

async fn a_lease_is_taken_by_one_and_renewed_by_it_alone(db: TestDb) {
    let (one, two) = ("host:1", "host:2");
    let confirmed = Confirmed::given();
    let lead = async |who: &str, passes: &[Pass]| {
        db.store.lead(passes, who, secs(60), &confirmed).await.unwrap().leads
    };
    assert_eq!(lead(one, &[Pass::Purge]).await, [Pass::Purge]);
    assert_eq!(lead(two, &Pass::ALL).await, [Pass::Reap], "each pass has a lease of its own");
    assert_eq!(lead(one, &Pass::ALL).await, [Pass::Purge]);
    db.store.release_leases(one).await.unwrap();
    assert_eq!(lead(two, &Pass::ALL).await, Pass::ALL);
    let past = db.store.with_clock(idemctl::store::TimeSource::Shifted(61_000_000)).unwrap();
    assert_eq!(past.lead(&Pass::ALL, one, secs(60), &confirmed).await.unwrap().leads, Pass::ALL);
    assert_eq!(lead(two, &Pass::ALL).await, []);
}

async fn a_dead_leader_is_replaced_within_its_lease(db: TestDb) {
    let lease = secs(3);
    let config = FAST.replace("lease = '2s'", "lease = '3s'");
    let first = Janitor::start(&db.url, &config);
    until("the first leads", || async { first.leads("purge") && first.leads("reap") }).await;
    let second = Janitor::start(&db.url, &config);
    second.ready().await;
    until("the second knows the first", || async {
        second.pass("purge")["leader"] == first.status()["holder"]
    })
    .await;
    assert!(!second.leads("purge"));
    let died = Instant::now();
    first.kill();
    until("the second leads", || async { second.leads("purge") && second.leads("reap") }).await;
    // The lease, and a moment for a busy machine.
    assert!(died.elapsed() < lease + secs(2), "it took {:?}", died.elapsed());
}

/// Three janitors, of which each is in turn killed, stopped for longer than its lease, and cut off, while
/// workers claim and complete and rows expire.
#[tokio::test]
async fn three_janitors_in_trouble_lose_nothing_and_count_each_row_once() {
    let db = Arc::new(TestDb::new(Dialect::Postgres).await);
    let server = crate::support::server::shared().await;
    let proxy = Proxy::start(server.port).await;
    let name = db.url.rsplit('/').next().unwrap().to_owned();
    kept(&db).await;
    let config =
        FAST.replace("duty = 1.0", "duty = 1.0\nmin_batch = 50\nmax_batch = 50\nmax_rows_per_second = 3000");
    let urls = [db.url.clone(), db.url.clone(), proxy.url(&name)];
    let mut janitors: Vec<Janitor> = urls.iter().map(|url| Janitor::start(url, &config)).collect();

    let over = Arc::new(AtomicBool::new(false));
    let (settled, made) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let worker = tokio::spawn(claim_and_complete(db.url.clone(), over.clone(), settled.clone()));
    let filler = {
        let (db, over, made) = (db.clone(), over.clone(), made.clone());
        tokio::spawn(async move {
            let mut round = 0;
            while !over.load(Ordering::Relaxed) {
                expired(&db, &format!("old-{round}-"), 700).await;
                made.fetch_add(700, Ordering::Relaxed);
                round += 1;
                tokio::time::sleep(Duration::from_millis(700)).await;
            }
        })
    };
    // Rows that a pass of a process that died had counted are counted by the log of the table itself.
    db.run(
        "CREATE TABLE deletions (idempotency_key text, status text, expires_at timestamptz, by integer);
         CREATE FUNCTION note_deletion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             INSERT INTO deletions VALUES (old.idempotency_key, old.status, old.expires_at, pg_backend_pid());
             RETURN old; END $$;
         CREATE TRIGGER note_deletion BEFORE DELETE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION note_deletion()",
    )
    .await;

    let (began, mut trouble) = (Instant::now(), 0);
    let mut leaders: HashMap<String, u64> = HashMap::new();
    while began.elapsed() < length() {
        let which = trouble % 3;
        until("somebody leads", || async {
            let rows = db.store.leases().await.unwrap();
            rows.iter().any(|row| row.pass == Pass::Purge && !row.left.is_zero())
        })
        .await;
        for row in db.store.leases().await.unwrap() {
            *leaders.entry(row.holder.unwrap_or_default()).or_default() += 1;
        }
        match (trouble / 3) % 3 {
            0 => {
                let fresh = Janitor::start(&urls[which], &config);
                std::mem::replace(&mut janitors[which], fresh).kill();
            }
            1 => {
                janitors[which].signal("STOP");
                tokio::time::sleep(secs(3)).await;
                janitors[which].signal("CONT");
            }
            _ => proxy.cut_all(),
        }
        trouble += 1;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    over.store(true, Ordering::Relaxed);
    filler.await.unwrap();
    worker.await.unwrap();
    until("every expired row is gone", || async {
        db.number("SELECT count(*) FROM idempotency_keys WHERE expires_at < now() - interval '1 hour' AND status <> 'in_progress'").await == 0
    })
    .await;
    assert!(trouble >= 6, "{trouble}");
    assert!(leaders.len() >= 2, "one janitor led all the time: {leaders:?}");
    // Each expired row went once; nothing else went.
    let made = made.load(Ordering::Relaxed) as i64;
    assert_eq!(db.number("SELECT count(*) FROM deletions").await, made);
    assert_eq!(db.number("SELECT count(DISTINCT idempotency_key) FROM deletions").await, made);
    let wrong = "SELECT count(*) FROM deletions WHERE status = 'in_progress' OR expires_at > now() - interval '1 hour'";
    assert_eq!(db.number(wrong).await, 0);
    let alive = db.number("SELECT count(*) FROM idempotency_keys WHERE idempotency_key LIKE 'work-%'").await;
    assert_eq!(alive, settled.load(Ordering::Relaxed) as i64, "a live row is gone");
    assert_eq!(db.rows().await, alive + 3);
    // What the living ones counted is no more than what went.
    let counted: f64 = janitors
        .iter()
        .filter_map(|one| one.metric(r#"idemctl_rows_purged_total{table="idempotency_keys"}"#))
        .sum();
    assert!(counted <= made as f64, "{counted} counted, {made} gone");
    for mut janitor in janitors {
        janitor.signal("TERM");
        assert_eq!(janitor.wait(), Some(0));
    }
}

/// A worker that claims and completes at a fixed rate; how many keys it settled.
async fn claim_and_complete(url: String, over: Arc<AtomicBool>, settled: Arc<AtomicU64>) {
    let store = Store::connect(&url, StoreOptions::default()).await.unwrap();
    let mut tick = tokio::time::interval(Duration::from_millis(5));
    while !over.load(Ordering::Relaxed) {
        tick.tick().await;
        let number = settled.load(Ordering::Relaxed);
        let claim = Claim::new(key(&format!("work-{number}")), scope("s"));
        let outcome = store.claim(&claim).await.unwrap();
        let ClaimOutcome::Claimed { token, .. } = outcome else { panic!("{outcome:?}") };
        store.complete(&claim.key, &claim.scope, token, &answer()).await.unwrap();
        settled.fetch_add(1, Ordering::Relaxed);
    }
}
