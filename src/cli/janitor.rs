//! `idemctl janitor`, `idemctl pause`, `idemctl resume`

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;

use super::duration;

/// Keep the table small and its clients unblocked: a daemon that purges expired keys and reaps stuck ones
/// on schedules.
///
/// Any number of janitors may run; for each table and pass the one that holds its lease works. Waits for a
/// database that is down, restarting or read-only. SIGTERM and SIGINT end it after the batch at
/// hand (exit 0), a second one at once; SIGHUP reads the configuration anew.
#[derive(Debug, Clone, Args)]
pub struct JanitorArgs {
    /// Run each pass once, now, and exit; exit 0 also where another janitor leads
    #[arg(long)]
    pub once: bool,

    /// Check the configuration and the database, say what would run when, and exit
    #[arg(long, conflicts_with = "once")]
    pub check: bool,

    /// Answer /metrics, /livez, /readyz and /status by HTTP at this address [default: janitor.listen, off]
    #[arg(long, value_name = "ADDR", conflicts_with_all = ["once", "check"])]
    pub listen: Option<SocketAddr>,
}

/// Stop the passes of every janitor on this database, at the database, until `idemctl resume`.
///
/// A pass at work ends after the batch at hand, within about a second. The commands purge and reap-stuck
/// are not held back. PostgreSQL: the pause is kept in one schema, which the first line names; janitors whose search
/// path leads to another one go on.
#[derive(Debug, Clone, Args)]
pub struct PauseArgs {
    /// For so long; then they go on by themselves [default: until `idemctl resume`]
    #[arg(long = "for", value_name = "DURATION", value_parser = duration)]
    pub length: Option<Duration>,

    /// Why: whoever wonders sees it in `idemctl stats`, the log and the metrics
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
}

/// End a pause: every janitor on this database goes on.
#[derive(Debug, Clone, Args)]
pub struct ResumeArgs {
    /// Why, for the audit
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}
