//! Every example of docs/exit-codes.md returns the code that stands beside it.

use std::path::Path;

use idemctl::protocol::{Answer, ClaimOutcome, Retry};
use idemctl::store::TimeSource;

use crate::binary::{Binary, Ran};
use crate::document;
use crate::support::{TestDb, claim, on_both_dialects, secs, ttl};

/// The codes with their examples.
fn examples() -> Vec<(i32, String)> {
    let mut examples = Vec::new();
    for line in document("exit-codes.md").lines() {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        if let [code, _, example] = cells.as_slice()
            && let Ok(code) = code.parse()
        {
            examples.push((code, example.trim_matches('`').to_owned()));
        }
    }
    examples
}

async fn every_example_exits_as_it_says(db: TestDb) {
    let past = db.store.with_clock(TimeSource::Shifted(-60 * 60 * 1_000_000)).unwrap();
    let lost = claim("lost-1").with_ttl(ttl(86_400)).if_lost(Retry::Block);
    past.claim(&lost).await.unwrap();
    let binary = Binary::on(&db);
    assert_eq!(binary.json(&["reap-stuck"])["reaped"], 1);
    for name in ["order-1042", "order-1043"] {
        past.claim(&claim(name).with_ttl(ttl(86_400))).await.unwrap();
    }
    let done = claim("order-7");
    let ClaimOutcome::Claimed { token, .. } = db.store.claim(&done).await.unwrap() else { panic!() };
    db.store.complete(&done.key, &done.scope, token, &Answer::new(201, "{}")).await.unwrap();
    let expired = db.store.now().await.unwrap().minus(secs(7_200));
    db.fill("old", 2_000, expired, expired).await;

    let folder = Path::new(env!("CARGO_BIN_EXE_idemctl")).parent().unwrap().display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let examples = examples();
    assert!(examples.len() > 20, "{examples:?}");
    for (code, example) in examples {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &example]).current_dir(binary.home.path());
        command.env_clear().env("HOME", binary.home.path()).env("PATH", &path);
        command.env("IDEMCTL_DATABASE_URL", &db.url);
        let ran = Ran::from(command.output().unwrap());
        assert_eq!(ran.code, code, "{example}: {ran:?}");
    }
}

on_both_dialects!(every_example_exits_as_it_says);
