//! The measures behind docs/performance.md. Each prints ratios from one run: what is compared runs
//! alternately (A B A B …) on the same servers, which it starts itself, and medians are compared. A ratio
//! holds on a machine that does other things as well; its absolute figures do not.
//!
//! ```text
//! cargo bench --bench measures -- purge --rows 1000000 --rounds 3
//! cargo bench --bench measures -- --help
//! ```
//!
//! Small sizes (`--rows 50000 --rounds 1 --seconds 3`) show that everything works, not how fast it is.

mod claims;
mod foreground;
mod inspect;
mod lab;
mod large;
mod purge;
#[allow(dead_code, reason = "the tests' server can do more")]
#[path = "../../tests/support/server.rs"]
mod server;
mod sqlite;

use std::time::Duration;

use clap::{Parser, ValueEnum};

use lab::Lab;

/// Measures idemctl against the plainest way to do the same.
#[derive(Debug, Parser)]
struct Options {
    /// What to measure; without any, everything
    measures: Vec<Measure>,
    /// Rows of the table [default: 1,000,000; 10,000,000 for large and inspect]
    #[arg(long)]
    rows: Option<u64>,
    /// How often each side runs
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How long each side runs where time is what is fixed
    #[arg(long, default_value_t = 15)]
    seconds: u64,
    /// Let PostgreSQL not wait for the disk
    #[arg(long)]
    no_fsync: bool,
    /// Arguments for the purge at the default pace: `--purge-args="--duty 0.1"`
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    purge_args: String,
    /// What cargo bench adds
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Measure {
    /// PostgreSQL: a purge at full speed against one DELETE; with a held snapshot; all rows of one moment
    Purge,
    /// PostgreSQL: the same for 10 million rows, and the memory of the purge
    Large,
    /// PostgreSQL: p99 of claim and complete beside a purge at the default pace
    Foreground,
    /// PostgreSQL: claim and complete through the library against pgbench
    Claims,
    /// PostgreSQL: inspect on 10 million rows against psql
    Inspect,
    /// SQLite: a purge against one DELETE, and what a writer beside it waits
    Sqlite,
}

fn main() {
    let options = Options::parse();
    let all = [
        Measure::Purge,
        Measure::Foreground,
        Measure::Claims,
        Measure::Inspect,
        Measure::Large,
        Measure::Sqlite,
    ];
    let measures = if options.measures.is_empty() { all.to_vec() } else { options.measures.clone() };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime starts");
    runtime.block_on(async {
        // One server and one filled table serve all measures that want the same.
        let mut lab = None;
        for measure in measures {
            if measure == Measure::Sqlite {
                sqlite::measure(&options).await;
                continue;
            }
            if lab.is_none() {
                lab = Some(Lab::start(!options.no_fsync).await);
            }
            let lab = lab.as_mut().expect("started");
            match measure {
                Measure::Purge => purge::measure(lab, &options).await,
                Measure::Large => large::measure(lab, &options).await,
                Measure::Foreground => foreground::measure(lab, &options).await,
                Measure::Claims => claims::measure(lab, &options).await,
                Measure::Inspect => inspect::measure(lab, &options).await,
                Measure::Sqlite => unreachable!("it has no server"),
            }
        }
    });
}

/// The middle one; of an even number the lower of the two.
fn median<T: PartialOrd + Copy>(values: &[T]) -> T {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
    sorted[(sorted.len() - 1) / 2]
}

fn median_time(times: &[Duration]) -> f64 {
    median(&times.iter().map(Duration::as_secs_f64).collect::<Vec<_>>())
}

/// One line of results. `target` is what docs/performance.md promises.
fn result(what: &str, ratio: f64, target: &str, details: &str) {
    println!("RESULT {what}: {ratio:.2} (target: {target}); {details}");
}
