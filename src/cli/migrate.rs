//! `idemctl migrate`

use clap::{Args, Subcommand};

/// Bring the database's schema up to date: the table of keys, the audit, and the leases.
///
/// Safe to start on many machines at once, and again after it was killed anywhere. A schema newer
/// than this program is refused (exit 8).
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct MigrateArgs {
    /// Say what would be done
    #[arg(long)]
    pub dry_run: bool,

    /// Instead of migrating
    #[command(subcommand)]
    pub command: Option<MigrateCommand>,
}

/// Instead of migrating.
#[derive(Debug, Clone, Subcommand)]
pub enum MigrateCommand {
    /// Say which migrations have run
    Status {
        /// Exit 8 when one is pending
        #[arg(long)]
        exit_code: bool,
    },
    /// Print the SQL, for people who run migrations with another tool
    Print {
        /// Print this dialect's instead of the configured database's
        #[arg(long, value_name = "DIALECT")]
        dialect: Option<DialectArg>,
    },
}

/// A dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DialectArg {
    /// PostgreSQL
    Postgres,
    /// SQLite
    Sqlite,
}
