//! What the application feels of a purge at the default pace: claim and complete at a fixed rate, the
//! percentiles of their latency from the moment at which they were due.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use sqlx::Connection as _;
use tempfile::TempDir;

use crate::lab::{DELETE_ALL, Lab, claim_and_complete, stop};
use crate::{Options, median, result};

/// Claim and complete pairs a second.
const RATE: &str = "400";

/// The first two tell whether the machine was quiet enough for the last one to mean anything.
const PERCENTILES: [usize; 3] = [50, 90, 99];

pub async fn measure(lab: &mut Lab, options: &Options) {
    let rows = options.rows.unwrap_or(1_000_000);
    let filled = lab.filled(rows, false).await;
    let mut database = lab.copy_of(&filled).await;
    let purge_arguments: Vec<&str> =
        ["purge", "-o", "json"].into_iter().chain(options.purge_args.split_whitespace()).collect();
    let (mut alone, mut purging, mut deleting) = (Vec::new(), Vec::new(), Vec::new());
    let (mut pairs, mut rates, mut batches) = (Vec::new(), Vec::new(), Vec::new());
    // Warms the caches, and is not counted.
    latencies(lab, &database, options.seconds.min(5), async { everything() }).await;
    for round in 0..options.rounds {
        let left =
            lab.number(&database, "SELECT count(*) FROM idempotency_keys WHERE expires_at < now()").await;
        if left < i64::try_from(rows / 2).unwrap_or(i64::MAX) {
            lab.drop_database(&database).await;
            database = lab.copy_of(&filled).await;
            latencies(lab, &database, options.seconds.min(5), async { everything() }).await;
        }
        // What comes first changes from round to round.
        for turn in 0..2 {
            // What the one before has left to write is not this one's load.
            lab.server.admin("CHECKPOINT").await;
            if turn == round % 2 {
                let p99 = latencies(lab, &database, options.seconds, async { everything() }).await;
                alone.push(p99);
            } else {
                let seconds = options.seconds;
                let child = lab.idemctl(&database, &purge_arguments).spawn().expect("starts");
                let purge = async {
                    let began = since_epoch();
                    tokio::time::sleep(Duration::from_secs(seconds)).await;
                    let report = stop(child).await;
                    let milliseconds = report["duration_ms"].as_f64().unwrap_or(0.0).max(1.0);
                    let deleted = report["deleted"].as_f64().unwrap_or(0.0);
                    rates.push(deleted / milliseconds * 1e3);
                    batches.push(deleted / report["batches"].as_f64().unwrap_or(1.0).max(1.0));
                    (began, began + Duration::from_secs_f64(milliseconds / 1e3))
                };
                purging.push(latencies(lab, &database, seconds, purge).await);
            }
        }
        lab.server.admin("CHECKPOINT").await;
        // For comparison: all of them at once, and undone, so that they are there for the next round.
        let delete = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let mut connection = lab.connect(&database).await;
            let began = since_epoch();
            sqlx::raw_sql("BEGIN").execute(&mut connection).await.expect("begins");
            sqlx::raw_sql(DELETE_ALL).execute(&mut connection).await.expect("deletes");
            let ended = since_epoch();
            sqlx::raw_sql("ROLLBACK").execute(&mut connection).await.expect("undone");
            let _ = connection.close().await;
            (began, ended)
        };
        deleting.push(latencies(lab, &database, options.seconds, delete).await);
        pairs.push(purging[round][2] / alone[round][2]);
        println!("p50, p90, p99 in ms: alone {alone:.2?}, purging {purging:.2?}, DELETE {deleting:.2?}");
    }
    lab.drop_database(&database).await;
    let medians = |runs: &[[f64; 3]]| {
        [0, 1, 2].map(|index| median(&runs.iter().map(|run| run[index]).collect::<Vec<_>>()))
    };
    let (alone, purging, deleting) = (medians(&alone), medians(&purging), medians(&deleting));
    let ratios = |busy: [f64; 3]| format!("p50 {:.2}, p90 {:.2}", busy[0] / alone[0], busy[1] / alone[1]);
    let details = format!(
        "p99 {:.2} ms against {:.2} ms, median of the pairs {:.2}, {}; {:.0} rows/s in batches of {:.0}",
        purging[2],
        alone[2],
        median(&pairs),
        ratios(purging),
        median(&rates),
        median(&batches)
    );
    result("foreground p99 beside a purge at the default pace", purging[2] / alone[2], "<= 1.3", &details);
    let details = format!("p99 {:.2} ms, {}", deleting[2], ratios(deleting));
    result("foreground p99 beside a single DELETE", deleting[2] / alone[2], "for comparison", &details);
}

fn everything() -> (Duration, Duration) {
    (Duration::ZERO, Duration::MAX)
}

fn since_epoch() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970")
}

/// Runs pgbench beside a job, and gives the percentiles in milliseconds of what ended between the moments
/// that the job tells.
async fn latencies(
    lab: &Lab,
    database: &str,
    seconds: u64,
    beside: impl Future<Output = (Duration, Duration)>,
) -> [f64; 3] {
    let folder = TempDir::new().expect("a folder");
    let script = folder.path().join("claim.sql");
    fs::write(&script, claim_and_complete()).expect("written");
    let script = script.display().to_string();
    let seconds = seconds.to_string();
    let arguments =
        ["-c", "8", "-j", "2", "-R", RATE, "-T", &seconds, "-l", "--log-prefix", "latency", "-f", &script];
    let mut command = lab.pgbench(database, &arguments);
    command.current_dir(folder.path());
    let began = Instant::now();
    let (output, (from, to)) = tokio::join!(command.output(), beside);
    let output = output.expect("pgbench starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut latencies = read_log(folder.path(), from, to);
    let wanted = began.elapsed().as_secs_f64();
    assert!(!latencies.is_empty(), "pgbench logged nothing in {wanted:.0} s");
    latencies.sort_unstable();
    PERCENTILES.map(|percent| {
        let index = (latencies.len() * percent).div_ceil(100) - 1;
        latencies[index] as f64 / 1e3
    })
}

/// Latencies in microseconds, from when the transaction was due.
fn read_log(folder: &Path, from: Duration, to: Duration) -> Vec<u64> {
    let mut latencies = Vec::new();
    for entry in fs::read_dir(folder).expect("readable").flatten() {
        if !entry.file_name().to_string_lossy().starts_with("latency") {
            continue;
        }
        for line in fs::read_to_string(entry.path()).expect("text").lines() {
            // client, transaction, latency, script, seconds, microseconds, lag
            let fields: Vec<u64> = line.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect();
            let [_, _, latency, _, seconds, micros, ..] = fields[..] else { continue };
            let ended = Duration::from_secs(seconds) + Duration::from_micros(micros);
            if (from..=to).contains(&ended) {
                latencies.push(latency);
            }
        }
    }
    latencies
}
