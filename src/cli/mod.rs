//! The arguments, as clap reads them: one file per verb, no I/O, no meaning yet.

mod adopt;
mod audit;
mod database;
mod doctor;
mod inspect;
mod janitor;
mod list;
mod migrate;
mod operate;
mod purge;
mod reap;
mod replay;
mod run;
mod stats;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use adopt::AdoptArgs;
pub use audit::AuditArgs;
pub use database::DatabaseArgs;
pub use doctor::DoctorArgs;
pub use inspect::InspectArgs;
pub use janitor::{JanitorArgs, PauseArgs, ResumeArgs};
pub use list::{ListArgs, SortArg, StatusArg};
pub use migrate::{DialectArg, MigrateArgs, MigrateCommand};
pub use operate::{FailArgs, ForgetArgs, ReleaseArgs, TargetArgs};
pub use purge::PurgeArgs;
pub use reap::ReapArgs;
pub use replay::ReplayArgs;
pub use run::{OnFailure, OnLost, RunArgs};
pub use stats::StatsArgs;

/// A scope, as it is written on the command line.
#[derive(Debug, Clone, Default, Args)]
pub struct ScopeArgs {
    /// Only in this scope; '' is the empty one. COLUMN=VALUE, once for each, where an adopted table's
    /// scope is of several columns
    #[arg(long, value_name = "SCOPE")]
    pub scope: Vec<String>,

    /// Only where this column of an adopted table's scope is NULL
    #[arg(long, value_name = "COLUMN")]
    pub scope_null: Vec<String>,
}

/// The operations tool for idempotency-key tables.
///
/// A server that must not execute a retried request twice keeps a table of idempotency keys.
/// idemctl creates that table, shows what is in it, frees keys that a crashed worker left in
/// progress, deletes what has expired, and runs any command at most once per key.
#[derive(Debug, Parser)]
#[command(name = "idemctl", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Exit status:\n  \
    0  done, or nothing to do\n  \
    1  unexpected failure\n  \
    2  usage or configuration\n  \
    3  no such key\n  \
    4  in progress\n  \
    5  refused: the row changed, is in the wrong state, or belongs to another request\n  \
    6  done in part: a backlog is left\n  \
    7  database unreachable, or it refused us\n  \
    8  not fit: pending migration, missing table or right\n\
    \n`idemctl run` has exit codes of its own; see `idemctl run --help`.")]
pub struct Cli {
    /// What every command takes.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArgs {
    /// Configuration file [default: the user's configuration folder, then
    /// /etc/idemctl/idemctl.toml]
    #[arg(long, global = true, value_name = "PATH", env = "IDEMCTL_CONFIG", hide_env_values = true)]
    pub config: Option<PathBuf>,

    /// Where the database is.
    #[command(flatten)]
    pub database: DatabaseArgs,

    /// Which of the configured tables to work on, by its name; needed where there are several
    #[arg(long, global = true, value_name = "NAME")]
    pub table: Option<String>,

    /// How to print the report [default: table]
    #[arg(short, long, global = true, value_name = "FORMAT")]
    pub output: Option<OutputFormat>,

    /// Time zone of the times in tables, by name [default: local]
    #[arg(long, global = true, value_name = "ZONE")]
    pub time_zone: Option<String>,

    /// Say nothing on stderr but errors
    #[arg(short, long, global = true)]
    pub quiet: bool,

    /// Say more on stderr; twice says everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,

    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,

    /// How to write the log on stderr
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormat,
}

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people
    Table,
    /// One JSON document
    Json,
    /// One JSON document a line
    Jsonl,
    /// Comma-separated values; `list` only
    Csv,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Bring the database's schema up to date
    Migrate(MigrateArgs),
    /// Propose a mapping for a table that you already have
    Adopt(AdoptArgs),
    /// Show all that is known of a key, and what a retry would get now
    Inspect(InspectArgs),
    /// List keys
    List(ListArgs),
    /// Summarize the whole table
    Stats(StatsArgs),
    /// Write the stored answer of a key
    Replay(ReplayArgs),
    /// Allow failed keys to be tried again
    Release(ReleaseArgs),
    /// Mark in-progress keys as failed
    Fail(FailArgs),
    /// Delete keys
    Forget(ForgetArgs),
    /// Show who changed which key
    Audit(AuditArgs),
    /// Mark in-progress keys without a heartbeat as failed
    ReapStuck(ReapArgs),
    /// Delete expired keys, once
    Purge(PurgeArgs),
    /// Reap and purge on schedules, as a daemon
    Janitor(JanitorArgs),
    /// Stop every janitor's passes on this database
    Pause(PauseArgs),
    /// Let every janitor's passes go on
    Resume(ResumeArgs),
    /// Find out what is wrong with a table, and what fixes it
    Doctor(DoctorArgs),
    /// Run a command at most once per key
    Run(RunArgs),
    /// Show the effective configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print a shell's completion script
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// A guided tour on a throwaway database
    Demo,
}

/// What can be done with the configuration.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print every setting, its value and where it came from; secrets are left out
    Show,
}

/// Whether a key may be tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RetryArg {
    /// The next claim may execute again
    Allow,
    /// Nobody executes again until the key is released or expires
    Block,
}

/// A duration as people write it: `5m`, `1h 30m`, `7days`.
fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| format!("{error}; write it like 5m, 1h 30m or 7days"))
}

/// A share above 0 and up to 1.
fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("must be a number above 0 and up to 1, such as 0.25".to_owned()),
    }
}
