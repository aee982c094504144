//! `idemctl inspect`

use clap::Args;

use super::ScopeArgs;

/// Show all that is known of a key in every scope that has it, and the verdict: what a retry of the
/// same request would get now, and why.
///
/// Exit status: 0 found, 3 no such key.
#[derive(Debug, Clone, Args)]
pub struct InspectArgs {
    /// The idempotency key
    #[arg(value_name = "KEY", required_unless_present = "key_column")]
    pub key: Option<String>,

    /// A column of the key, once for each, where an adopted table's key is of several
    #[arg(long = "key", value_name = "COLUMN=VALUE", conflicts_with = "key")]
    pub key_column: Vec<String>,

    /// In which scope.
    #[command(flatten)]
    pub scope: ScopeArgs,

    /// Say whether the request in this file has the stored fingerprint, as `run` takes it
    #[arg(long, value_name = "PATH")]
    pub fingerprint_file: Option<std::path::PathBuf>,

    /// Show the stored body too
    #[arg(long)]
    pub body: bool,
}
