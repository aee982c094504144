//! `idemctl purge`

use std::time::Duration;

use clap::Args;

use super::{duration, share};

/// Delete expired keys: one pass, in small batches that keep out of the application's way.
///
/// Rows in progress are never deleted, expired or not. Exit status 6 says that a backlog is left.
/// For a maintenance window, `--duty 1 --batch-size 20000` works as fast as it can.
#[derive(Debug, Clone, Args)]
pub struct PurgeArgs {
    /// Batches of this size, instead of following the time that they take
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub batch_size: Option<u32>,

    /// At most this many rows
    #[arg(long, value_name = "ROWS")]
    pub max_rows: Option<u64>,

    /// For at most this long
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub max_duration: Option<Duration>,

    /// Never faster than this [default: purge.max_rows_per_second, no limit]
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_rows_per_second: Option<u32>,

    /// Fraction of the time spent deleting (above 0, at most 1) [default: purge.duty; 0.05, and 0.25 on SQLite]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub duty: Option<f64>,

    /// How long past its expiry a row stays [default: purge.grace, 1h]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub grace: Option<Duration>,

    /// Count the rows and delete nothing
    #[arg(long)]
    pub dry_run: bool,
}
