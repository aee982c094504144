//! `idemctl adopt`

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::duration;

/// Propose a mapping for a table that you already have: a `[[table]]` for the configuration, with a
/// reason for each line.
///
/// Looks at the database's catalogue, and at a bounded number of rows. Nothing in the database is changed.
/// Of several tables that look like an idempotency table, --table NAME chooses one; it also takes a table
/// that does not look like one.
///
/// Every column ends in one of three lists, which are printed: mapped, irrelevant, or asked. What could say
/// that the work on a row is unfinished and is not explained is asked about. On a terminal the questions are
/// asked one by one; elsewhere a line that begins with `# ?` is a question, and a line that begins with `#`
/// and no space is a setting that waits for its answer. As it is printed, the mapping is on the safe side:
/// what decides whether a row may be deleted and is not known for sure is not in force.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Exit status: 2 where several tables look like one, which are listed, and for an answer with an \
                  unknown id or word; 8 where no table looks like one, and for an answer that does not fit the table."
)]
pub struct AdoptArgs {
    /// Write the mapping to this file as well, which must not be there
    #[arg(long, value_name = "PATH")]
    pub write: Option<PathBuf>,
    /// Answers to the questions, as TOML: a line `ID = ANSWER` for each
    #[arg(long, value_name = "PATH")]
    pub answers: Option<PathBuf>,
    /// Look twice, so far apart, and say which columns change after a row is made
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub watch: Option<Duration>,
}
