//! What `adopt` works with.

use std::path::PathBuf;

use super::Settings;
use super::table::named_table;
use crate::cli::AdoptArgs;
use crate::exit::Failure;
use crate::table::TableName;

/// `adopt`
#[derive(Debug, Clone)]
pub struct AdoptSettings {
    /// The table to describe; `None` is the one that looks like one.
    pub table: Option<TableName>,
    /// Where to write the mapping.
    pub write: Option<PathBuf>,
}

impl Settings {
    /// `--table` names a table of the database here, not one of the configuration.
    ///
    /// # Errors
    /// A name that is none.
    pub fn adopt(&self, args: &AdoptArgs) -> Result<AdoptSettings, Failure> {
        let table = self.table.as_deref().map(named_table).transpose()?;
        Ok(AdoptSettings { table, write: args.write.clone() })
    }
}
