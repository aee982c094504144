//! `idemctl inspect`

use clap::Args;

/// Show all that is known of a key in every scope that has it, and the verdict: what a retry of the
/// same request would get now, and why.
///
/// Exit status: 0 found, 3 no such key.
#[derive(Debug, Clone, Args)]
pub struct InspectArgs {
    /// The idempotency key
    #[arg(value_name = "KEY")]
    pub key: String,

    /// Only in this scope; '' is the empty one
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<String>,

    /// Say whether the request in this file has the stored fingerprint, as `run` takes it
    #[arg(long, value_name = "PATH")]
    pub fingerprint_file: Option<std::path::PathBuf>,

    /// Show the stored body too
    #[arg(long)]
    pub body: bool,
}
