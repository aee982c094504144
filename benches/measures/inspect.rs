//! `inspect` on a large table against psql with the same query: whole processes, start to end.

use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::process::Command;

use crate::lab::{Lab, program};
use crate::{Options, median_time, result};

/// How often each of them is started in a round.
const STARTS: usize = 20;

pub async fn measure(lab: &mut Lab, options: &Options) {
    let rows = options.rows.unwrap_or(10_000_000);
    let database = lab.filled(rows, false).await;
    let mut connection = lab.connect(&database).await;
    let keys: Vec<String> = sqlx::query_scalar(
        "SELECT idempotency_key FROM idempotency_keys TABLESAMPLE SYSTEM (100) REPEATABLE (1) LIMIT 1000",
    )
    .fetch_all(&mut connection)
    .await
    .expect("keys");
    drop(connection);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let starts = options.rounds * STARTS;
    for key in keys.iter().cycle().take(starts) {
        ours.push(whole(lab.idemctl(&database, &["inspect", key])).await);
        theirs.push(whole(psql(lab, &database, key)).await);
    }
    let (ours, theirs) = (median_time(&ours), median_time(&theirs));
    let details = format!("{:.1} ms against {:.1} ms, {starts} starts each", ours * 1e3, theirs * 1e3);
    result(&format!("inspect on {rows} rows against psql"), ours / theirs, "<= 0.9", &details);
}

async fn whole(mut command: Command) -> Duration {
    let began = Instant::now();
    let output = command.output().await.expect("starts");
    let took = began.elapsed();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("completed"), "{text}{output:?}");
    took
}

fn psql(lab: &Lab, database: &str, key: &str) -> Command {
    let query = format!(
        "SELECT idempotency_key, scope, status, request_hash, response_status, response_headers, response_body,
             response_bytes, claim_token, attempt, owner, retry_allowed, failure, created_at, claimed_at,
             renewed_at, lease_expires_at, finished_at, expires_at, clock_timestamp()
         FROM idempotency_keys WHERE idempotency_key = '{key}' ORDER BY scope"
    );
    let mut command = Command::new(program("psql"));
    command
        .args(["-X", "-h", "127.0.0.1", "-p", &lab.server.port.to_string(), "-U", "postgres", "-c", &query])
        .arg(database)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}
