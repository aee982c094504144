//! `idemctl release`, `idemctl fail`, `idemctl forget`

use clap::Args;

use super::{RetryArg, ScopeArgs};

/// Which keys, and how sure the operator is.
#[derive(Debug, Clone, Args)]
pub struct TargetArgs {
    /// The idempotency keys; `-` reads lines of `list -o jsonl` from standard input
    #[arg(value_name = "KEY", required_unless_present = "key_column")]
    pub keys: Vec<String>,

    /// A column of the key, once for each, where an adopted table's key is of several
    #[arg(long = "key", value_name = "COLUMN=VALUE", conflicts_with = "keys")]
    pub key_column: Vec<String>,

    /// In which scope; needed where a key exists in several.
    #[command(flatten)]
    pub scope: ScopeArgs,

    /// Why, for the audit
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,

    /// Don't ask; needed where nobody can be asked
    #[arg(short, long)]
    pub yes: bool,

    /// Select the same rows and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Allow failed keys to be tried again.
///
/// Keys in progress and completed ones are refused. Each row must still be exactly the one that was
/// shown; every change is audited in its own transaction.
#[derive(Debug, Clone, Args)]
pub struct ReleaseArgs {
    /// Which keys.
    #[command(flatten)]
    pub target: TargetArgs,
}

/// Mark in-progress keys as failed, as reap-stuck would, whatever their age.
///
/// A worker that wakes up later can't settle its key any more.
#[derive(Debug, Clone, Args)]
pub struct FailArgs {
    /// Which keys.
    #[command(flatten)]
    pub target: TargetArgs,

    /// Whether the keys may be tried again; a row claimed with "block if lost" stays closed
    #[arg(long, value_name = "POLICY", default_value = "allow")]
    pub retry: RetryArg,

    /// Even while the lease runs: the worker may be alive
    #[arg(long)]
    pub force: bool,
}

/// Delete keys, so that a retry executes as if the key had never been seen.
///
/// A completed key's work may so be done twice: that is what you ask for.
#[derive(Debug, Clone, Args)]
pub struct ForgetArgs {
    /// Which keys.
    #[command(flatten)]
    pub target: TargetArgs,

    /// Even keys in progress
    #[arg(long)]
    pub force: bool,
}
