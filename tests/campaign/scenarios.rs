//! What the binary is asked to do, what it may change by that, and whether it told the truth.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::faults::Ended;
use crate::witness::{Change, Rights, Table};
use crate::world::{Rows, World};

/// One command on rows of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scenario {
    /// A new key, for a command that may run twice when it is lost.
    Run,
    /// A new key, for a command that must not.
    RunBlocking,
    /// A key that failed and may be tried again.
    RunAgain,
    Reap,
    Purge,
    Release,
    ReleaseLines,
    Fail,
    Forget,
    Pause,
    Resume,
    JanitorOnce,
    Inspect,
    List,
}

use Scenario::*;

impl Scenario {
    pub fn all(table: Table) -> Vec<Self> {
        let mut all =
            vec![Reap, Purge, Release, ReleaseLines, Fail, Forget, Pause, Resume, JanitorOnce, Inspect, List];
        if table == Table::Own {
            // Twice, as most of what can go wrong goes wrong here.
            all.extend([Run, Run, RunBlocking, RunBlocking, RunAgain]);
        }
        all
    }

    fn is_run(self) -> bool {
        matches!(self, Run | RunBlocking | RunAgain)
    }

    pub fn rights(self) -> Rights {
        Rights { fail: self == Fail, release: matches!(self, Release | ReleaseLines), forget: self == Forget }
    }
}

/// A scenario with its rows.
pub struct Case {
    pub scenario: Scenario,
    prefix: String,
    pub arguments: Vec<String>,
    pub input: String,
    /// Where the command of a `run` leaves its token.
    file: PathBuf,
}

impl Case {
    /// Sets the rows up.
    pub async fn new(world: &mut World, scenario: Scenario, number: u32) -> Self {
        let prefix = format!("c{number}-");
        let file = world.binary.home.path().join(format!("ran-{number}"));
        let keys: Vec<String> = (0..4).map(|n| format!("{prefix}{n}")).collect();
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let with_keys = |words: &[&str]| [owned(words), keys.clone()].concat();
        let mut input = String::new();
        let script = format!("echo $IDEMPOTENCY_TOKEN >> '{}'; echo out", file.display());
        let run = |lost: &str| {
            let words = ["run", "--key", &keys[0], "--lease", "1s", "--wait", "20s", "--on-lost", lost];
            [owned(&words), owned(&["--", "sh", "-c", &script])].concat()
        };
        let arguments = match scenario {
            Run => run("retry"),
            RunBlocking => run("block"),
            RunAgain => {
                world.insert(&prefix, 1, Rows::MAY_RETRY).await;
                run("retry")
            }
            Reap => {
                world.insert(&prefix, 4, Rows::STUCK).await;
                owned(&["reap-stuck", "--older-than", "1s", "-o", "json"])
            }
            Purge => {
                world.insert(&prefix, 12, Rows::EXPIRED).await;
                owned(&["purge", "--grace", "0s", "--batch-size", "5", "-o", "json"])
            }
            Release => {
                world.insert(&prefix, 4, Rows::FAILED).await;
                with_keys(&["release", "--yes", "-o", "json"])
            }
            ReleaseLines => {
                world.insert(&prefix, 4, Rows::FAILED).await;
                let list =
                    ["list", "--status", "failed", "--key-prefix", &prefix, "--limit", "0", "-o", "jsonl"];
                input = world.run(&list).stdout;
                assert_eq!(input.lines().count(), 4, "{input}");
                owned(&["release", "--yes", "-o", "json", "-"])
            }
            Fail => {
                world.insert(&prefix, 4, Rows::STUCK).await;
                with_keys(&["fail", "--yes", "-o", "json"])
            }
            Forget => {
                world.insert(&prefix, 4, Rows::COMPLETED).await;
                with_keys(&["forget", "--yes", "-o", "json"])
            }
            Pause => {
                world.run(&["resume"]);
                owned(&["pause", "--reason", "campaign"])
            }
            Resume => {
                world.run(&["pause", "--reason", "campaign"]);
                owned(&["resume"])
            }
            JanitorOnce => {
                world.run(&["resume"]);
                world.depose().await;
                world.insert(&format!("{prefix}s"), 3, Rows::STUCK).await;
                world.insert(&format!("{prefix}e"), 6, Rows::EXPIRED).await;
                owned(&["janitor", "--once"])
            }
            Inspect => {
                world.insert(&prefix, 1, Rows::COMPLETED).await;
                owned(&["inspect", &keys[0], "-o", "json"])
            }
            List => {
                world.insert(&prefix, 4, Rows::COMPLETED).await;
                owned(&["list", "--key-prefix", &prefix, "-o", "json"])
            }
        };
        Self { scenario, prefix, arguments, input, file }
    }

    pub fn words(&self) -> Vec<&str> {
        self.arguments.iter().map(String::as_str).collect()
    }

    /// What of a report is not as it happened.
    pub async fn untruths(&self, world: &mut World, ended: &Ended, changes: &[Change]) -> Vec<String> {
        let report: Value = serde_json::from_str(&ended.stdout).unwrap_or(Value::Null);
        let is_done = ended.code == Some(0);
        let mut wrong = Vec::new();
        let mut must = |holds: bool, what: String| {
            if !holds {
                wrong.push(what);
            }
        };
        let happened = |key: &str| changes.iter().any(|change| change.key() == key);
        match self.scenario {
            Run | RunBlocking | RunAgain => {
                let completed = world.count(&self.prefix, "completed").await;
                must(!is_done || completed == 1, "run exits 0, and its key is not completed".into());
                must(
                    !is_done || ended.stdout == "out\n",
                    format!("run exits 0 and prints {:?}", ended.stdout),
                );
            }
            Reap => {
                if report.is_null() {
                    must(!is_done, "exit 0 without a report".into());
                    return wrong;
                }
                for key in report["keys"].as_array().into_iter().flatten() {
                    let name = key["key"].as_str().unwrap();
                    let unknown = key["unknown"] == true || key["outcome"] == "unknown";
                    let reaped = key["reaped"] == true;
                    must(unknown || reaped == happened(name), format!("{name} is told wrongly"));
                }
                let reaped = changes.iter().filter(|change| !change.is_acquisition()).count() as u64;
                let told = report["reaped"].as_u64().unwrap();
                let unknown = report["unknown"].as_u64().unwrap_or(0);
                must(told <= reaped && reaped <= told + unknown, format!("{told} reaped, it was {reaped}"));
                must(!is_done || unknown == 0, "exit 0 with what is unknown".into());
            }
            Purge => {
                if report.is_null() {
                    must(!is_done, "exit 0 without a report".into());
                    return wrong;
                }
                let gone = changes.iter().filter(|change| change.after.is_none()).count() as u64;
                let told = report["deleted"].as_u64().unwrap();
                let is_unknown = report["unknown_batches"].as_u64().unwrap_or(0) > 0
                    || report["unknown"].as_u64().unwrap_or(0) > 0;
                must(told == gone || (is_unknown && told <= gone), format!("{told} deleted, it was {gone}"));
                must(!is_done || !is_unknown, "exit 0 with what is unknown".into());
                let left = world.count(&self.prefix, "%").await;
                must(!is_done || left == 0, format!("exit 0, and {left} are left"));
            }
            Release | ReleaseLines | Fail | Forget => {
                if report.is_null() {
                    must(!is_done, "exit 0 without a report".into());
                    return wrong;
                }
                for key in report["keys"].as_array().into_iter().flatten() {
                    let name = key["key"].as_str().unwrap();
                    let outcome = key["outcome"].as_str().unwrap();
                    let told = ["released", "failed", "forgotten"].contains(&outcome);
                    must(
                        outcome == "unknown" || told == happened(name),
                        format!("{name} is told to be {outcome}"),
                    );
                    must(!is_done || told, format!("exit 0 and {outcome}"));
                }
            }
            Pause | Resume => {
                let paused = world.raw().await.number("SELECT count(*) FROM idemctl_pause").await;
                let wanted = i64::from(self.scenario == Pause);
                must(!is_done || paused == wanted, "exit 0, and it is not so".into());
            }
            JanitorOnce => {
                let stuck = world.count(&format!("{}s", self.prefix), "failed").await;
                let left = world.count(&format!("{}e", self.prefix), "%").await;
                must(
                    !is_done || (stuck, left) == (3, 0),
                    format!("exit 0: {stuck} of 3 reaped, {left} expired left"),
                );
            }
            Inspect => {
                let verdict = report[0]["verdict"].as_str();
                must(
                    verdict.is_none_or(|verdict| verdict == "replay" || verdict == "unknown"),
                    format!("{report}"),
                );
                must(!is_done || verdict.is_some(), "exit 0 without a report".into());
                must(ended.code != Some(3), "no such key".into());
            }
            List => {
                let rows = report.as_array().map(Vec::len);
                must(!is_done || rows == Some(4), format!("exit 0 and {rows:?} rows"));
            }
        }
        wrong
    }

    /// The same command again, and nothing happens to it: everything comes to its right end.
    pub async fn recover(&self, world: &mut World) -> Vec<String> {
        if self.scenario == JanitorOnce {
            world.depose().await;
        }
        let command = world.command(&world.db.url, &self.words());
        let ended = crate::faults::end(crate::faults::start(command, &self.input).await).await;
        let prefix = &self.prefix;
        let mut wrong = Vec::new();
        let right = match self.scenario {
            Run | RunAgain => ended.code == Some(0) && ended.stdout == "out\n",
            RunBlocking => match ended.code {
                Some(0) => ended.stdout == "out\n",
                // It stays closed, as nobody knows how far it got.
                Some(125) => world.count(prefix, "failed").await == 1,
                _ => false,
            },
            Reap => world.count(prefix, "failed").await == 4,
            Purge => world.count(prefix, "%").await == 0,
            Release | ReleaseLines if world.table == Table::Adopted => world.count(prefix, "%").await == 0,
            Release | ReleaseLines => {
                let list = ["list", "--key-prefix", prefix, "--status", "failed", "-o", "json"];
                let rows = world.run(&list).json();
                rows.as_array().unwrap().iter().filter(|row| row["retry_allowed"] == true).count() == 4
            }
            Fail => world.count(prefix, "failed").await == 4,
            Forget => world.count(prefix, "%").await == 0,
            Pause => world.raw().await.number("SELECT count(*) FROM idemctl_pause").await == 1,
            Resume => world.raw().await.number("SELECT count(*) FROM idemctl_pause").await == 0,
            JanitorOnce => {
                world.count(&format!("{prefix}s"), "failed").await == 3
                    && world.count(&format!("{prefix}e"), "%").await == 0
            }
            Inspect | List => ended.code == Some(0),
        };
        if !right {
            wrong.push(format!("the next start does not put it right: {ended:?}"));
        }
        wrong
    }

    /// What of all executions of a `run` was one too many.
    pub fn executions(&self, changes: &[Change]) -> Vec<String> {
        if !self.scenario.is_run() {
            return Vec::new();
        }
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        let ran: Vec<&str> = text.lines().collect();
        let unique: BTreeSet<&str> = ran.iter().copied().collect();
        let mut wrong = Vec::new();
        if unique.len() < ran.len() {
            wrong.push(format!("one claim was executed twice: {ran:?}"));
        }
        if self.scenario == RunBlocking && ran.len() > 1 {
            wrong.push(format!("a command that must not run twice did: {ran:?}"));
        }
        let token = |change: &Change| change.after.as_ref().and_then(|after| after.token.clone());
        for run in &unique {
            let is = |change: &&Change| token(change).as_deref() == Some(*run);
            if !changes.iter().filter(is).any(Change::is_acquisition) {
                wrong.push(format!("{run} was executed without a claim"));
            }
            if changes.iter().filter(is).any(Change::is_failed_by_worker) {
                wrong.push(format!("{run} was executed, and its claim was given back"));
            }
        }
        for change in changes {
            let Some(after) = change.after.as_ref().filter(|after| after.status == "completed") else {
                continue;
            };
            if !unique.contains(after.token.as_deref().unwrap_or_default()) {
                wrong.push(format!("completed and not executed: {after:?}"));
            }
        }
        wrong
    }
}
