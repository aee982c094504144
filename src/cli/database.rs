//! Where the database is.

use std::path::PathBuf;

use clap::Args;

/// Where the database is.
#[derive(Debug, Clone, Args)]
pub struct DatabaseArgs {
    /// postgres://USER@HOST/DATABASE, host=HOST dbname=DATABASE or sqlite:PATH [default:
    /// $IDEMCTL_DATABASE_URL, $DATABASE_URL, $CREDENTIALS_DIRECTORY/database-url, the configuration,
    /// the PG* variables, then an SQLite file in the user's data folder]
    #[arg(long, global = true, value_name = "URL", conflicts_with = "database_url_file")]
    pub database_url: Option<String>,

    /// Read the URL from the first line of this file
    #[arg(long, global = true, value_name = "PATH")]
    pub database_url_file: Option<PathBuf>,
}
