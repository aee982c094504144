//! `idemctl reap-stuck`

use std::time::Duration;

use clap::Args;

use super::{RetryArg, ScopeArgs, duration};

/// Mark keys as failed that are in progress without a running lease and whose worker gave no sign
/// of life for some time, so that their clients are no longer told to wait.
///
/// A worker that wakes up later can't settle its key any more, and one that settles it in the very
/// moment wins. Rows that were claimed with "block if lost" stay closed whatever --retry says.
#[derive(Debug, Clone, Args)]
pub struct ReapArgs {
    /// No heartbeat for at least this long [default: reap.older_than, 15m]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub older_than: Option<Duration>,

    /// Whether the keys may be tried again [default: reap.retry, allow]
    #[arg(long, value_name = "POLICY")]
    pub retry: Option<RetryArg>,

    /// In which scope.
    #[command(flatten)]
    pub scope: ScopeArgs,

    /// At most this many rows
    #[arg(long, value_name = "ROWS")]
    pub max_rows: Option<u64>,

    /// Select the same rows and change nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Why, for the audit
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}
