//! Tables that nobody has thought of: drawn from the parts that idempotency tables are made of, under names from
//! a list that the rules of `adopt` never see, filled with rows whose truth is known. Does the mapping as printed
//! ever let purge or reap-stuck touch a row that they must not? After its questions are answered truthfully, are
//! list, list --stuck, purge and reap-stuck exact? How many questions are there?
//!
//! `IDEMCTL_DRAWN` is the number of tables of either dialect, default 60; `IDEMCTL_DRAWN_SEED` is the seed of the
//! first, and repeats a run; with `IDEMCTL_DRAWN=1` it is one table, and all about it is printed. What failed once
//! is in `regressions.txt` and always tried. A longer run:
//!
//! ```sh
//! IDEMCTL_DRAWN=10000 cargo test --test drawn -- --nocapture
//! ```

mod ask;
mod draw;
mod model;
mod names;
mod oracle;
mod smaller;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::time::Instant;

use ask::{Seen, World};
use chrono::Utc;
use draw::draw;
use model::Table;
use support::Dialect;

/// What went wrong with a table, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    /// A row was touched by the mapping as printed.
    Touched,
    /// A row was touched when some of the questions were answered.
    TouchedInPart,
    TouchedAfterAnswers,
    Broken,
    Inexact,
}

impl Fault {
    fn of(seen: &Seen) -> Option<Self> {
        if !seen.touched.is_empty() {
            Some(Self::Touched)
        } else if !seen.touched_partly.is_empty() {
            Some(Self::TouchedInPart)
        } else if !seen.touched_after.is_empty() {
            Some(Self::TouchedAfterAnswers)
        } else if !seen.broken.is_empty() {
            Some(Self::Broken)
        } else if !seen.inexact.is_empty() {
            Some(Self::Inexact)
        } else {
            None
        }
    }
}

/// What a fault is like, without the names of this table.
fn kind(seen: &Seen) -> Option<(Fault, String)> {
    let fault = Fault::of(seen)?;
    let words = match fault {
        Fault::Touched => seen.touched[0].words(),
        Fault::TouchedInPart => seen.touched_partly[0].words(),
        Fault::TouchedAfterAnswers => seen.touched_after[0].words(),
        Fault::Broken => {
            let words = seen.broken[0].split_whitespace().filter(|word| !word.contains(['.', '"', '_']));
            words.take(6).collect::<Vec<_>>().join(" ")
        }
        Fault::Inexact => seen.inexact[0].split_whitespace().take(2).collect::<Vec<_>>().join(" "),
    };
    Some((fault, words))
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// All that is known of a table, as one can try it by hand.
fn describe(seed: u64, table: &Table, seen: &Seen) -> String {
    let now = Utc::now();
    let mut text = format!("-- seed {seed} of {:?}; {:?}\n", table.dialect, table.truth);
    for column in &table.columns {
        text.push_str(&format!(
            "--   {}: {:?}, {:?}, {:?}\n",
            column.name, column.role, column.says, column.writing
        ));
    }
    text.push_str(&table.create());
    let there = table.insert(now, |row| row.seen);
    text.push_str(if there.is_empty() { "-- no row is there when adopt looks\n" } else { &there });
    let later = table.insert(now, |row| !row.seen);
    if !later.is_empty() {
        text.push_str(&format!("-- after adopt has looked:\n{later}"));
    }
    for row in &table.rows {
        let expired = if row.expired { ", expired" } else { "" };
        text.push_str(&format!("-- {}: {:?}{expired}\n", table.label(row), row.life));
    }
    let without_comments = |configuration: &str| -> String {
        let lines = configuration.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
        lines.map(|line| format!("    {line}\n")).collect()
    };
    text.push_str(&format!("-- as printed:\n{}", without_comments(&seen.printed)));
    for said in &seen.said {
        text.push_str(&format!("-- {said}\n"));
    }
    for touched in &seen.touched {
        text.push_str(&format!("-- AS PRINTED {touched}\n"));
    }
    text.push_str(&seen.lists[0]);
    text.push_str(&format!("-- asked: {}\n", seen.questions.join(", ")));
    seen.about.iter().for_each(|about| text.push_str(&format!("--   {about}\n")));
    if let Some(answered) = &seen.answered
        && (seen.touched.is_empty() || number("IDEMCTL_DRAWN") == Some(1))
    {
        text.push_str(&format!("-- answered:\n{}", seen.answers));
        text.push_str(&format!("-- then printed:\n{}{}", without_comments(answered), seen.lists[1]));
    }
    for touched in &seen.touched_partly {
        text.push_str(&format!("-- WITH ONLY THESE ANSWERS, {touched}:\n{}", seen.part));
    }
    for touched in &seen.touched_after {
        text.push_str(&format!("-- ANSWERED, {touched}\n"));
    }
    for inexact in &seen.inexact {
        text.push_str(&format!("-- NOT EXACT: {inexact}\n"));
    }
    for broken in &seen.broken {
        text.push_str(&format!("-- BROKEN: {broken}\n"));
    }
    text
}

/// The smallest table found that fails alike.
async fn minimized(world: &mut World, table: &Table, seen: &Seen) -> (Table, Seen) {
    let (mut table, mut seen) = (table.clone(), seen.clone());
    let wanted = kind(&seen);
    loop {
        let mut found = None;
        for less in smaller::smaller(&table) {
            let looked = world.look_at(&less).await;
            if kind(&looked) == wanted {
                found = Some((less, looked));
                break;
            }
        }
        match found {
            Some(less) => (table, seen) = less,
            None => return (table, seen),
        }
    }
}

#[derive(Default)]
struct Figures {
    tables: u32,
    unsayable: u32,
    touched: u32,
    touched_partly: u32,
    touched_after: u32,
    broken: u32,
    inexact: u32,
    answered: u32,
    questions: Vec<usize>,
    asked: BTreeMap<String, u32>,
    kinds: BTreeMap<String, Vec<u64>>,
    said: BTreeMap<String, u32>,
}

impl Figures {
    fn count(&mut self, seed: u64, table: &Table, seen: &Seen) {
        self.tables += 1;
        self.unsayable += u32::from(!table.is_sayable());
        self.touched += u32::from(!seen.touched.is_empty());
        self.touched_partly += u32::from(!seen.touched_partly.is_empty());
        self.touched_after += u32::from(!seen.touched_after.is_empty());
        self.broken += u32::from(!seen.broken.is_empty());
        self.answered += u32::from(seen.answered.is_some());
        self.inexact += u32::from(!seen.inexact.is_empty() || !seen.touched_after.is_empty());
        self.questions.push(seen.questions.len());
        for said in &seen.said {
            let words = said.split(':').next().unwrap_or_default();
            let words: String = words.chars().filter(|c| !c.is_ascii_digit()).collect();
            *self.said.entry(words).or_default() += 1;
        }
        for question in &seen.questions {
            let kind = question.split('.').next().unwrap_or_default();
            *self.asked.entry(kind.to_owned()).or_default() += 1;
        }
        if let Some((fault, words)) = kind(seen) {
            self.kinds.entry(format!("{fault:?}: {words}")).or_default().push(seed);
        }
    }

    fn percentile(&mut self, percent: usize) -> usize {
        self.questions.sort_unstable();
        self.questions.get(self.questions.len() * percent / 100).copied().unwrap_or(0)
    }

    fn exact(&self) -> f64 {
        100.0 * f64::from(self.answered - self.inexact.min(self.answered)) / f64::from(self.answered.max(1))
    }
}

/// Seeds of tables that were wrong once, in either dialect.
fn regressions(dialect: Dialect) -> Vec<u64> {
    let lines = include_str!("regressions.txt").lines().filter(|line| !line.starts_with('#'));
    let of = lines.filter_map(|line| line.split_once(' '));
    let name = format!("{dialect:?}").to_lowercase();
    of.filter(|(of, _)| *of == name)
        .filter_map(|(_, rest)| rest.split_whitespace().next()?.parse().ok())
        .collect()
}

async fn drawn(dialect: Dialect) {
    let count = number("IDEMCTL_DRAWN").unwrap_or(60);
    let first = number("IDEMCTL_DRAWN_SEED").unwrap_or(1);
    let shown = number("IDEMCTL_DRAWN_SHOWN").unwrap_or(3) as usize;
    let mut seeds: Vec<u64> = (first..first + count).collect();
    if count > 1 {
        seeds.splice(0..0, regressions(dialect));
    }
    let started = Instant::now();
    let mut world = World::new(dialect).await;
    let mut figures = Figures::default();
    for seed in seeds {
        let table = draw(seed, dialect);
        let seen = world.look_at(&table).await;
        figures.count(seed, &table, &seen);
        if let Some((fault, words)) = kind(&seen) {
            let alike = figures.kinds.get(&format!("{fault:?}: {words}")).map_or(0, Vec::len);
            if alike <= shown {
                let (table, seen) = minimized(&mut world, &table, &seen).await;
                println!("== {fault:?}: {words}\n{}", describe(seed, &table, &seen));
            }
        } else if count == 1 {
            println!("{}", describe(seed, &table, &seen));
        }
        world = world.next().await;
    }
    world.close().await;
    let (median, ninth) = (figures.percentile(50), figures.percentile(90));
    println!(
        "{dialect:?}: {} tables from seed {first} in {:.0?}: {} with a row touched as printed, {} after some \
         answers, {} after all; \
         {:.1} % exact of {} answered ({} that no mapping can say); {median} questions in the median, {ninth} at \
         the 90th percentile; {} broken",
        figures.tables,
        started.elapsed(),
        figures.touched,
        figures.touched_partly,
        figures.touched_after,
        figures.exact(),
        figures.answered,
        figures.unsayable,
        figures.broken
    );
    println!("  asked: {:?}", figures.asked);
    println!("  {:?}", figures.said);
    for (kind, seeds) in &figures.kinds {
        println!("  {:5} {kind}: {:?}", seeds.len(), &seeds[..seeds.len().min(5)]);
    }
    let touched = figures.touched + figures.touched_partly + figures.touched_after;
    assert_eq!(touched, 0, "rows were touched that must not be");
    assert_eq!(figures.broken, 0, "something does not work");
    let least = if figures.tables >= 2_000 { 95.0 } else { 90.0 };
    assert!(figures.exact() >= least, "only {:.1} % are exact", figures.exact());
    assert!(median <= 6, "{median} questions in the median");
}

#[tokio::test]
async fn tables_of_postgres() {
    drawn(Dialect::Postgres).await;
}

#[tokio::test]
async fn tables_of_sqlite() {
    drawn(Dialect::Sqlite).await;
}
