//! `idemctl adopt`

use std::path::PathBuf;

use clap::Args;

/// Propose a mapping for a table that you already have: a `[[table]]` for the configuration, with a
/// reason for each line.
///
/// Looks at the database's catalogue, and at a bounded number of rows where that answers a question.
/// Nothing in the database is changed. Of several tables that look like an idempotency table, --table
/// NAME chooses one; it also takes a table that does not look like one.
///
/// A line that begins with `# ?` is a question, and a line that begins with `#` and no space is a setting
/// that waits for its answer. As it is printed, the mapping is on the safe side: what decides whether a
/// row may be deleted and is not known for sure is not in force.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Exit status: 2 where several tables look like one, which are listed; 8 where none does."
)]
pub struct AdoptArgs {
    /// Write the mapping to this file as well, which must not be there
    #[arg(long, value_name = "PATH")]
    pub write: Option<PathBuf>,
}
