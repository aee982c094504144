//! Many processes, one key.

use std::fs;
use std::process::Stdio;

use idemctl::protocol::ClaimOutcome;
use idemctl::store::{Store, StoreOptions};

use crate::binary::{Binary, Ran};
use crate::support::{TestDb, claim, on_both_dialects};

const PROCESSES: usize = 64;

/// How many rounds; two hundred were seen, a test run is content with fewer.
fn rounds(usual: usize) -> usize {
    std::env::var("IDEMCTL_TEST_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(usual)
}

/// One key, many `run`s at the same moment: one line in the file, the same output for all.
async fn of_many_runs_of_one_key_one_executes(db: TestDb) {
    let binary = Binary::on(&db);
    for round in 0..rounds(2) {
        let file = binary.home.path().join(format!("lines-{round}"));
        let key = format!("round-{round}");
        let children: Vec<_> = (0..PROCESSES)
            .map(|_| {
                binary.append(&key, &file).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        // The one that executes names its database, and the others are silent.
        let mut notices = Vec::new();
        for child in children {
            let ran = Ran::from(child.wait_with_output().unwrap());
            assert_eq!(ran.code, 0, "{ran:?}");
            notices.extend(ran.stderr.lines().map(str::to_owned));
        }
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(notices[0].starts_with(&format!("idemctl: claimed {key} in ")), "{notices:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n", "round {round}");
    }
}

/// Many processes of the library claim one key: this test starts itself as their program.
async fn of_many_processes_exactly_one_claims(db: TestDb) {
    for round in 0..rounds(2) {
        let key = format!("round-{round}");
        let children: Vec<_> = (0..PROCESSES)
            .map(|_| {
                std::process::Command::new(std::env::current_exe().unwrap())
                    .args(["races::a_process_claims_a_key", "--exact", "--nocapture"])
                    .env("IDEMCTL_TEST_CLAIM", format!("{key} {}", db.url))
                    .stdout(Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        let outcomes: Vec<String> = children
            .into_iter()
            .map(|child| {
                let ran = Ran::from(child.wait_with_output().unwrap());
                let outcome = ran.stdout.lines().find_map(|line| line.split_once("outcome="));
                outcome.unwrap_or_else(|| panic!("{ran:?}")).1.to_owned()
            })
            .collect();
        let count = |wanted: &str| outcomes.iter().filter(|outcome| *outcome == wanted).count();
        assert_eq!(count("claimed"), 1, "{outcomes:?}");
        assert_eq!(count("in_progress"), PROCESSES - 1, "{outcomes:?}");
    }
}

on_both_dialects!(of_many_runs_of_one_key_one_executes, of_many_processes_exactly_one_claims);

/// The program of the test above; on its own it claims a key of a fresh database.
#[tokio::test]
async fn a_process_claims_a_key() {
    let (store, key, _db) = match std::env::var("IDEMCTL_TEST_CLAIM") {
        Ok(order) => {
            let (key, url) = order.split_once(' ').unwrap();
            (Store::connect(url, StoreOptions::default()).await.unwrap(), key.to_owned(), None)
        }
        Err(_) => {
            let db = TestDb::new(idemctl::store::Dialect::Sqlite).await;
            (db.store.clone(), "alone".to_owned(), Some(db))
        }
    };
    let outcome = match store.claim(&claim(&key)).await.unwrap() {
        ClaimOutcome::Claimed { .. } => "claimed",
        ClaimOutcome::InProgress { .. } => "in_progress",
        other => panic!("{other:?}"),
    };
    if key == "alone" {
        assert_eq!(outcome, "claimed");
    }
    println!("\noutcome={outcome}");
}
