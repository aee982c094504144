//! Claim and complete through the library against pgbench with the same statements, eight clients each.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use idemctl::protocol::{Answer, Claim, ClaimOutcome, Key, Scope};
use idemctl::store::{Store, StoreOptions};
use tempfile::TempDir;

use crate::lab::{Lab, claim_and_complete};
use crate::{Options, median, result};

const CLIENTS: u32 = 8;

pub async fn measure(lab: &mut Lab, options: &Options) {
    let database = lab.server.database().await;
    let (mut library, mut pgbench) = (Vec::new(), Vec::new());
    through_library(lab, &database, 1).await;
    for _ in 0..options.rounds {
        library.push(through_library(lab, &database, options.seconds).await);
        pgbench.push(through_pgbench(lab, &database, options.seconds).await);
        println!("pairs/s: library {library:.0?}, pgbench {pgbench:.0?}");
    }
    let (library, pgbench) = (median(&library), median(&pgbench));
    let details = format!("{library:.0} against {pgbench:.0} claim and complete pairs a second");
    result("claim and complete through the library against pgbench", library / pgbench, ">= 0.8", &details);
}

async fn through_library(lab: &Lab, database: &str, seconds: u64) -> f64 {
    let options = StoreOptions { max_connections: CLIENTS, ..StoreOptions::default() };
    let store = Store::connect(&lab.server.url(database), options).await.expect("connects");
    let scope = Scope::new("library").expect("a scope");
    let answer = Answer::new(201, "{}").with_header("Content-Type", "application/json");
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let done = Arc::new(AtomicU64::new(0));
    let began = Instant::now();
    let deadline = began + Duration::from_secs(seconds);
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (store, scope, answer, done) = (store.clone(), scope.clone(), answer.clone(), done.clone());
            tokio::spawn(async move {
                while Instant::now() < deadline {
                    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
                    let key = Key::new(format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
                    let claim = Claim::new(key.expect("a key"), scope.clone());
                    match store.claim(&claim).await.expect("claims") {
                        ClaimOutcome::Claimed { token, .. } => {
                            store.complete(&claim.key, &scope, token, &answer).await.expect("completes");
                        }
                        other => panic!("{other:?}"),
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    for client in clients {
        client.await.expect("a client ends well");
    }
    let rate = done.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64();
    store.close().await;
    rate
}

async fn through_pgbench(lab: &Lab, database: &str, seconds: u64) -> f64 {
    let folder = TempDir::new().expect("a folder");
    let script = folder.path().join("claim.sql");
    fs::write(&script, claim_and_complete()).expect("written");
    let script = script.display().to_string();
    let seconds = seconds.to_string();
    let clients = CLIENTS.to_string();
    let arguments = ["-c", &clients, "-j", "2", "-T", &seconds, "-f", &script];
    let output = lab.pgbench(database, &arguments).output().await.expect("pgbench starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    text.lines()
        .find_map(|line| line.strip_prefix("tps = ")?.split_whitespace().next()?.parse().ok())
        .expect("pgbench tells its rate")
}
