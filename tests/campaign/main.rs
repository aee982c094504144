//! A campaign of faults against the real binary: connections cut before and after each statement, kill -9,
//! frozen processes, servers that are killed or stand still, files that are locked. Triggers are the witness
//! of what was really changed. Whatever happens: nothing is executed twice, no live row is lost, no change is
//! illegal, no report is untrue, no set-up stays half done, and the next start puts everything right.
//!
//! `IDEMCTL_FAULTS` is the number of faults for each of the worlds (a dialect and a table), default 40;
//! `IDEMCTL_FAULT_SEED` repeats a campaign. A longer one, with its figures:
//!
//! ```sh
//! IDEMCTL_FAULTS=500 cargo test --test campaign -- --nocapture --test-threads 1
//! ```

#[allow(dead_code, reason = "each test crate uses its own part")]
#[path = "../cli/binary.rs"]
mod binary;
mod faults;
mod migrations;
mod scenarios;
#[path = "../support/mod.rs"]
mod support;
mod witness;
mod world;
mod zombies;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use faults::{Fault, suffer};
use scenarios::{Case, Scenario};
use support::Dialect;
use support::proxy::Cut;
use witness::{Table, changes};
use world::{LIVE, World};

/// How many faults, and the dice.
pub struct Campaign {
    pub faults: u32,
    pub dice: fastrand::Rng,
    name: String,
    seed: u64,
    counts: BTreeMap<String, u32>,
    wrong: Vec<String>,
}

impl Campaign {
    pub fn new(name: &str) -> Self {
        let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let seed = number("IDEMCTL_FAULT_SEED").unwrap_or_else(|| fastrand::u64(..));
        let faults = number("IDEMCTL_FAULTS").and_then(|count| u32::try_from(count).ok()).unwrap_or(40);
        Self {
            faults,
            dice: fastrand::Rng::with_seed(seed),
            name: name.to_owned(),
            seed,
            counts: BTreeMap::new(),
            wrong: Vec::new(),
        }
    }

    /// Counts a fault that hit, and what was wrong after it.
    pub fn count(&mut self, fault: &str, scenario: &str, wrong: Vec<String>) {
        *self.counts.entry(format!("{fault}, {scenario}")).or_default() += 1;
        for what in wrong {
            eprintln!("WRONG after {fault}, {scenario}: {what}");
            self.wrong.push(format!("{fault}, {scenario}: {what}"));
        }
    }

    /// The figures; fails when anything was wrong.
    pub fn finish(self) {
        let total: u32 = self.counts.values().sum();
        println!("{}: {total} faults, {} wrong (seed {})", self.name, self.wrong.len(), self.seed);
        for (what, count) in &self.counts {
            println!("  {count:5} {what}");
        }
        assert!(total >= self.faults, "only {total} faults hit");
        assert!(self.wrong.is_empty(), "seed {}:\n{}", self.seed, self.wrong.join("\n"));
    }
}

/// What a scenario takes when nothing happens to it.
#[derive(Debug, Clone, Copy)]
struct Usual {
    sent: usize,
    took: Duration,
}

async fn usual(world: &mut World, scenario: Scenario, number: u32) -> Usual {
    let case = Case::new(world, scenario, number).await;
    let before = world.proxy.as_ref().map_or(0, |proxy| proxy.sent());
    let started = Instant::now();
    let command = world.command(&world.faulty_url, &case.words());
    let seq = world.seq().await;
    let ended = faults::end(faults::start(command, &case.input).await).await;
    let took = started.elapsed();
    assert_eq!(ended.code, Some(0), "{scenario:?}: {ended:?}");
    let changed = changes(world.raw().await, seq).await;
    let wrong = case.untruths(world, &ended, &changed).await;
    assert!(wrong.is_empty(), "without any fault: {wrong:?}");
    let sent = world.proxy.as_ref().map_or(0, |proxy| proxy.sent()) - before;
    Usual { sent, took }
}

fn draw(dice: &mut fastrand::Rng, dialect: Dialect, usual: Usual) -> Fault {
    let after = usual.took.mul_f64(dice.f64() * 1.1);
    let pause = Duration::from_millis(dice.u64(20..300));
    if !matches!(dialect, Dialect::Postgres) {
        return match dice.u32(0..100) {
            0..70 => Fault::Kill { after },
            70..85 => Fault::Freeze { after, pause },
            _ => Fault::Lock { pause },
        };
    }
    match dice.u32(0..100) {
        0..72 => {
            let cut = if dice.bool() { Cut::BeforeTheServer } else { Cut::BeforeTheAnswer };
            let refuse = [0, 0, 30, 900][dice.usize(0..4)];
            Fault::Cut { nth: dice.usize(1..=usual.sent.max(1)), cut, refuse: Duration::from_millis(refuse) }
        }
        72..86 => Fault::Kill { after },
        86..91 => Fault::Freeze { after, pause },
        91..94 => Fault::Restart { after },
        _ => Fault::Stall { after, pause },
    }
}

async fn campaign(dialect: Dialect, table: Table) {
    let mut campaign = Campaign::new(&format!("{dialect:?}, {table:?} table"));
    let mut world = World::new(dialect, table).await;
    let scenarios = Scenario::all(table);
    let mut usuals = BTreeMap::new();
    let mut number = 0;
    for scenario in &scenarios {
        number += 1;
        usuals.insert(*scenario, usual(&mut world, *scenario, number).await);
    }
    let mut hits = 0;
    while hits < campaign.faults {
        number += 1;
        let scenario = scenarios[number as usize % scenarios.len()];
        let fault = draw(&mut campaign.dice, dialect, usuals[&scenario]);
        let case = Case::new(&mut world, scenario, number).await;
        let seq = world.seq().await;
        let command = world.command(&world.faulty_url, &case.words());
        let suffering = suffer(command, &case.input, fault, world.proxy.as_ref(), world.server.as_mut());
        let ended = match fault {
            Fault::Lock { pause } => tokio::join!(lock(&world.db, pause), suffering).1,
            _ => suffering.await,
        };
        if matches!(fault, Fault::Restart { .. }) {
            world.reconnect();
        }
        let first = changes(world.raw().await, seq).await;
        let mut wrong = match ended.code {
            // A killed command says nothing.
            None => Vec::new(),
            Some(_) => case.untruths(&mut world, &ended, &first).await,
        };
        if ended.code == Some(101) || ended.stderr.contains("panicked") {
            wrong.push("it panics".into());
        }
        wrong.extend(case.recover(&mut world).await);
        let all = changes(world.raw().await, seq).await;
        for change in &all {
            wrong.extend(change.wrong(table, scenario.rights()));
            if change.key().starts_with(LIVE) {
                wrong.push(format!("a live row was touched: {change:?}"));
            }
        }
        wrong.extend(case.executions(&all));
        let hit = match fault {
            Fault::Cut { .. } => ended.cut_at.is_some(),
            Fault::Kill { .. } => ended.code.is_none(),
            _ => true,
        };
        if !wrong.is_empty() {
            eprintln!("{fault:?} {:?}: {ended:?}", case.arguments);
        }
        if hit || !wrong.is_empty() {
            hits += 1;
            let at = ended.cut_at.map(|at| format!(" {at}")).unwrap_or_default();
            campaign.count(&format!("{}{at}", fault.name()), &format!("{scenario:?}"), wrong);
        }
    }
    campaign.finish();
}

/// Holds SQLite's write lock for a while.
async fn lock(db: &support::TestDb, pause: Duration) {
    let mut other = db.raw().await;
    other.run("BEGIN IMMEDIATE").await;
    tokio::time::sleep(pause).await;
    other.run("ROLLBACK").await;
    other.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_own_table() {
    campaign(Dialect::Postgres, Table::Own).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_adopted_table() {
    campaign(Dialect::Postgres, Table::Adopted).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_own_table() {
    campaign(Dialect::Sqlite, Table::Own).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_adopted_table() {
    campaign(Dialect::Sqlite, Table::Adopted).await;
}
