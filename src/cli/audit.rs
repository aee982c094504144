//! `idemctl audit`

use clap::Args;

/// Show who changed which key, when and why; the newest change first.
#[derive(Debug, Clone, Args)]
pub struct AuditArgs {
    /// Only since then: an age (2h) or a point in time (RFC 3339)
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,

    /// Only until then: an age or a point in time
    #[arg(long, value_name = "WHEN")]
    pub until: Option<String>,

    /// Only changes by this command: reap-stuck, fail, release, forget
    #[arg(long, value_name = "COMMAND")]
    pub command: Option<String>,

    /// Only of this key
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,

    /// Only in this scope; '' is the empty one
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<String>,

    /// At most this many entries
    #[arg(long, value_name = "ROWS", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub limit: u32,
}
