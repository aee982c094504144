//! SQLite: a purge at full speed against one single DELETE, and what a writer waits beside a purge at the
//! default pace.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use idemctl::protocol::{Answer, Claim, ClaimOutcome, Key, Scope};
use idemctl::store::{Confirmed, MigrateOptions, Store, StoreOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteSynchronous};
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};
use tempfile::TempDir;

use crate::lab::{idemctl, stop, timed};
use crate::{Options, median, median_time, result};

/// Every page that a batch touches goes through the log and, soon after, into the file. With keys in random
/// order nearly each row touches one of its own, until a batch is large enough to meet pages twice.
const FULL_SPEED: [&str; 7] = ["purge", "--duty", "1", "--batch-size", "20000", "-o", "json"];

/// A claim and a completion so often.
const EVERY: Duration = Duration::from_millis(10);

pub async fn measure(options: &Options) {
    let rows = options.rows.unwrap_or(1_000_000);
    let folder = TempDir::new().expect("a folder");
    let filled = folder.path().join("filled.db");
    fill(&filled, rows).await;
    let copy = folder.path().join("copy.db");

    let (mut delete, mut purge) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        copy_to(&filled, &copy);
        let mut connection = open(&copy).await;
        let began = Instant::now();
        sqlx::raw_sql(
            "DELETE FROM idempotency_keys WHERE expires_at < (unixepoch() - 3600) * 1000000
             AND status IN ('completed', 'failed')",
        )
        .execute(&mut connection)
        .await
        .expect("deletes");
        delete.push(began.elapsed());
        let _ = connection.close().await;

        copy_to(&filled, &copy);
        let (took, report) = timed(idemctl(&url(&copy), &FULL_SPEED)).await;
        assert_eq!(report["deleted"], rows, "{report}");
        purge.push(took);
        println!("SQLite: DELETE {delete:.2?}, purge {purge:.2?}");
    }
    let (delete, purge) = (median_time(&delete), median_time(&purge));
    let rate = |time: f64| format!("{:.0} rows/s", rows as f64 / time);
    let details = format!("purge {}, DELETE {}", rate(purge), rate(delete));
    result(&format!("SQLite: purge of {rows} rows against DELETE"), delete / purge, ">= 0.25", &details);

    let (mut alone, mut beside, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        copy_to(&filled, &copy);
        alone.push(longest_wait(&copy, options.seconds).await);
        let arguments: Vec<&str> =
            ["purge", "-o", "json"].into_iter().chain(options.purge_args.split_whitespace()).collect();
        let child = idemctl(&url(&copy), &arguments).spawn().expect("starts");
        beside.push(longest_wait(&copy, options.seconds).await);
        let report = stop(child).await;
        let (deleted, time) = (report["deleted"].as_f64(), report["duration_ms"].as_f64());
        rates.push(deleted.unwrap_or(0.0) / time.unwrap_or(1.0).max(1.0) * 1e3);
        println!("SQLite: longest write in ms: alone {alone:.1?}, purging {beside:.1?}; rows/s {rates:.0?}");
    }
    let details = format!(
        "longest of each run, median of {}: {:.1} ms without a purge; {:.0} rows/s purged",
        options.rounds,
        median(&alone),
        median(&rates)
    );
    result("SQLite: longest write beside a purge, in ms", median(&beside), "<= 50", &details);
}

fn url(path: &Path) -> String {
    format!("sqlite:{}", path.display())
}

async fn open(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(20));
    SqliteConnection::connect_with(&options).await.expect("opens")
}

fn copy_to(filled: &Path, copy: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{suffix}", copy.display()));
    }
    fs::copy(filled, copy).expect("copied");
    fs::File::open(copy).and_then(|file| file.sync_all()).expect("on the disk");
}

async fn fill(path: &Path, rows: u64) {
    let store = Store::connect(&url(path), StoreOptions { create: true, ..StoreOptions::default() })
        .await
        .expect("created");
    let options = MigrateOptions { patience: Duration::from_secs(60), holder: "bench".into() };
    store.migrate(&options, &Confirmed::given()).await.expect("migrates");
    store.close().await;
    let mut connection = open(path).await;
    let began = Instant::now();
    // Keys in random order; expiries in the order in which the rows were written.
    let insert = format!(
        "PRAGMA cache_size = -400000;
         WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {rows})
         INSERT INTO idempotency_keys (idempotency_key, scope, status, request_hash, response_status,
             response_headers, response_body, response_bytes, claim_token, created_at, claimed_at,
             renewed_at, finished_at, expires_at)
         SELECT lower(hex(randomblob(16))), 'tenant-' || (n % 100), 'completed', lower(hex(randomblob(32))),
             201, '[[\"Content-Type\",\"application/json\"]]', zeroblob(32), 32, lower(hex(randomblob(16))),
             at, at, at, at, at + 86400000000
         FROM (SELECT n, (unixepoch() - 9 * 86400) * 1000000 + n * 10000 AS at FROM numbers);
         PRAGMA wal_checkpoint(TRUNCATE)"
    );
    sqlx::raw_sql(AssertSqlSafe(insert)).execute(&mut connection).await.expect("filled");
    let _ = connection.close().await;
    let size = fs::metadata(path).map_or(0, |file| file.len());
    println!("filled {rows} rows in SQLite in {:.0?}: {} bytes a row", began.elapsed(), size / rows.max(1));
}

/// The longest claim or completion in milliseconds, of pairs at a fixed rate.
async fn longest_wait(path: &Path, seconds: u64) -> f64 {
    let store = Store::connect(&url(path), StoreOptions::default()).await.expect("opens");
    let scope = Scope::new("foreground").expect("a scope");
    let answer = Answer::new(201, "{}");
    let mut longest = Duration::ZERO;
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let mut ticks = tokio::time::interval(EVERY);
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    while Instant::now() < deadline {
        ticks.tick().await;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let key = Key::new(format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15))).expect("a key");
        let claim = Claim::new(key, scope.clone());
        let began = Instant::now();
        let outcome = store.claim(&claim).await.expect("claims");
        longest = longest.max(began.elapsed());
        if let ClaimOutcome::Claimed { token, .. } = outcome {
            let began = Instant::now();
            store.complete(&claim.key, &scope, token, &answer).await.expect("completes");
            longest = longest.max(began.elapsed());
        }
    }
    store.close().await;
    longest.as_secs_f64() * 1e3
}
