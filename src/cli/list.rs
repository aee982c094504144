//! `idemctl list`

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{ScopeArgs, duration};

/// List keys, filtered and sorted.
///
/// Without --sort, rows in progress come the longest claimed first, failed ones the last claimed first,
/// and all others by key.
#[derive(Debug, Clone, Args)]
pub struct ListArgs {
    /// Only in this state; may be given several times
    #[arg(long, value_name = "STATUS")]
    pub status: Vec<StatusArg>,

    /// Only rows in progress without a running lease and without a heartbeat for --older-than
    /// [default there: the configured reap.older_than]
    #[arg(long)]
    pub stuck: bool,

    /// Only rows past their expiry
    #[arg(long)]
    pub expired: bool,

    /// Only rows claimed at least this long ago; with --stuck: without a heartbeat for at least this long
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub older_than: Option<Duration>,

    /// In which scope.
    #[command(flatten)]
    pub scope: ScopeArgs,

    /// Only keys that start so
    #[arg(long, value_name = "PREFIX")]
    pub key_prefix: Option<String>,

    /// Only rows claimed since then: an age (2h) or a point in time (RFC 3339)
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,

    /// Only rows claimed until then: an age or a point in time
    #[arg(long, value_name = "WHEN")]
    pub until: Option<String>,

    /// Only rows answered so: 503, 5xx, or 400-499
    #[arg(long, value_name = "STATUS")]
    pub response_status: Option<String>,

    /// The order
    #[arg(long, value_name = "ORDER")]
    pub sort: Option<SortArg>,

    /// At most this many rows; 0 is all of them
    #[arg(long, value_name = "ROWS", default_value_t = 50)]
    pub limit: u64,

    /// With -o csv: don't put a quote before cells that begin with =, +, - or @, which a spreadsheet would run
    #[arg(long)]
    pub raw_csv: bool,
}

/// A state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum StatusArg {
    /// A worker holds the key
    InProgress,
    /// Done
    Completed,
    /// Failed
    Failed,
    /// A state that the mapping of an adopted table does not list
    Unknown,
    /// A state whose rows an adopted table keeps on purpose
    Kept,
}

/// An order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SortArg {
    /// By key, then scope
    Key,
    /// The longest claimed first
    Claimed,
    /// The last claimed first
    ClaimedDesc,
    /// The first to expire first
    Expires,
    /// The last to expire first
    ExpiresDesc,
}
