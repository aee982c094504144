//! Settings of `doctor`.

use super::{DatabaseTarget, Settings};
use crate::doctor::Expected;
use crate::exit::Failure;
use crate::table::Mapping;

/// `doctor`
#[derive(Debug, Clone)]
pub struct DoctorSettings {
    /// The database.
    pub target: DatabaseTarget,
    /// The tables, each with what is expected of it.
    pub tables: Vec<(Mapping, Expected)>,
    /// Say what was found where all is well, too.
    pub full: bool,
}

impl Settings {
    /// For `doctor`: every configured table, or the one that `--table` names.
    ///
    /// # Errors
    /// A configuration that does not describe a database or a table.
    pub fn doctor(&self, full: bool) -> Result<DoctorSettings, Failure> {
        let config = self.config();
        let tables = match self.table {
            Some(_) => vec![self.table()?],
            None => self.tables()?,
        };
        let tables = tables.into_iter().map(|table| {
            let expected = Expected {
                grace: table.purge.grace,
                reap_after: table.reap_older_than,
                allow_cascade: table.purge.allow_cascade,
                max_lag: table.purge_max_lag.is_some() || config.purge.max_lag.is_some(),
                lease: config.run.lease.0,
                ..Expected::default()
            };
            (table.mapping, expected)
        });
        Ok(DoctorSettings { target: self.database()?, tables: tables.collect(), full })
    }
}
