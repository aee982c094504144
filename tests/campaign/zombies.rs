//! Workers that are frozen longer than their lease, lose their claim, and wake up.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::Campaign;
use crate::faults::{end, signal, start};
use crate::support::Dialect;
use crate::witness::{Rights, Table, changes};
use crate::world::World;

async fn zombies(dialect: Dialect) {
    let mut campaign = Campaign::new(&format!("{dialect:?}, zombies"));
    // Each takes seconds.
    campaign.faults = campaign.faults.div_ceil(20);
    let mut world = World::new(dialect, Table::Own).await;
    for number in 0..campaign.faults {
        let key = format!("z{number}");
        let file = world.binary.home.path().join(&key);
        let script = |name: &str| format!("echo {name} >> '{}'; sleep 0.3; echo {name}", file.display());
        let run = |script: &str| {
            let words = ["run", "--key", &key, "--lease", "1s", "--on-lost", "retry", "--wait", "20s"];
            let command = [&words[..], &["--", "sh", "-c", script]].concat();
            world.command(&world.db.url, &command)
        };
        let first = start(run(&script("first")), "").await;
        let id = first.id().unwrap();
        let deadline = Instant::now() + Duration::from_secs(20);
        while !file.exists() {
            assert!(Instant::now() < deadline, "the command never starts");
            sleep(Duration::from_millis(2)).await;
        }
        signal("STOP", id);
        let second = end(start(run(&script("second")), "").await);
        let reaper = async {
            loop {
                let ran = world.run(&["reap-stuck", "--older-than", "1s", "-o", "json"]);
                let text = std::fs::read_to_string(&file).unwrap();
                if text.lines().count() > 1 {
                    return ran.code;
                }
                sleep(Duration::from_millis(100)).await;
            }
        };
        let (second, _) = tokio::join!(second, reaper);
        signal("CONT", id);
        let first = end(first).await;
        let mut wrong = Vec::new();
        if (first.code, second.code) != (Some(70), Some(0)) {
            wrong.push(format!("{first:?} {second:?}"));
        }
        let again = world.run(&["run", "--key", &key, "--", "echo", "third"]);
        if (again.code, again.stdout.as_str()) != (0, "second\n") {
            wrong.push(format!("{again:?}"));
        }
        let all = changes(world.raw().await, 0).await;
        let mine = all.iter().filter(|change| change.key() == key);
        wrong.extend(mine.filter_map(|change| change.wrong(Table::Own, Rights::default())));
        campaign.count("frozen past its lease", "Run", wrong);
    }
    campaign.finish();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_zombies() {
    zombies(Dialect::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_zombies() {
    zombies(Dialect::Sqlite).await;
}
