//! `idemctl stats`

use std::time::Duration;

use clap::Args;

use super::duration;

/// Summarize the whole table: states, ages, stuck keys, the backlog of expired keys and when it
/// will be gone, sizes, the largest scopes, the last hours' claims and the coming hours' expiries.
///
/// On a large table the answer comes from indexes and the database's statistics, and estimates are
/// marked with ~.
#[derive(Debug, Clone, Args)]
pub struct StatsArgs {
    /// Count everything, however long it takes
    #[arg(long)]
    pub exact: bool,

    /// Exit 6 when the oldest expired key should have been purged longer ago than this
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub max_backlog_age: Option<Duration>,
}
