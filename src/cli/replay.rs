//! `idemctl replay`

use std::time::Duration;

use clap::Args;

use super::{ScopeArgs, duration};

/// Write the stored answer as a retrying client gets it: the body's exact bytes on standard output.
///
/// It never executes anything. Exit status: 0 completed, 3 no such key, 4 in progress, 5 failed.
#[derive(Debug, Clone, Args)]
pub struct ReplayArgs {
    /// The idempotency key
    #[arg(value_name = "KEY", required_unless_present = "key_column")]
    pub key: Option<String>,

    /// A column of the key, once for each, where an adopted table's key is of several
    #[arg(long = "key", value_name = "COLUMN=VALUE", conflicts_with = "key")]
    pub key_column: Vec<String>,

    /// In which scope; needed where the key exists in several.
    #[command(flatten)]
    pub scope: ScopeArgs,

    /// Write status line and headers before the body
    #[arg(short, long)]
    pub include: bool,

    /// While the key is in progress, wait for its answer this long
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub wait: Option<Duration>,

    /// Write a binary body even to a terminal
    #[arg(long)]
    pub force: bool,
}
