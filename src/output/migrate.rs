//! `migrate`

use serde::Serialize;

use super::printer::{Report, View, render};
use crate::protocol::Timestamp;
use crate::store::{Migration, MigrationState, MigrationStatus};

/// One migration.
#[derive(Debug, Serialize)]
pub struct MigrationReport {
    /// Its number.
    pub version: i64,
    /// Its name.
    pub name: &'static str,
    /// SHA-256 over its SQL.
    pub checksum: String,
    /// `applied` or `pending`.
    pub state: &'static str,
    /// When it ran.
    pub applied_at: Option<Timestamp>,
}

impl MigrationReport {
    fn new(migration: &Migration, state: &'static str, applied_at: Option<Timestamp>) -> Self {
        Self {
            version: migration.version,
            name: migration.name,
            checksum: migration.checksum(),
            state,
            applied_at,
        }
    }
}

impl From<&MigrationStatus> for MigrationReport {
    fn from(status: &MigrationStatus) -> Self {
        match status.state {
            MigrationState::Applied(at) => Self::new(&status.migration, "applied", Some(at)),
            MigrationState::Pending => Self::new(&status.migration, "pending", None),
        }
    }
}

/// What `migrate` did or found.
#[derive(Debug, Serialize)]
pub struct MigrateReport {
    /// `migrated`, `dry_run` or `status`.
    #[serde(skip)]
    pub verb: MigrateVerb,
    /// The migrations that ran, would run, or all of them.
    pub migrations: Vec<MigrationReport>,
}

/// What was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MigrateVerb {
    /// It migrated.
    Migrated,
    /// It would have.
    DryRun,
    /// It looked.
    Status,
}

impl MigrateReport {
    /// The migrations that ran.
    pub fn migrated(ran: &[Migration]) -> Self {
        let migrations = ran.iter().map(|one| MigrationReport::new(one, "applied", None)).collect();
        Self { verb: MigrateVerb::Migrated, migrations }
    }

    /// The state of each.
    pub fn status(verb: MigrateVerb, statuses: &[MigrationStatus]) -> Self {
        Self { verb, migrations: statuses.iter().map(MigrationReport::from).collect() }
    }

    /// How many are pending.
    pub fn pending(&self) -> usize {
        self.migrations.iter().filter(|one| one.state == "pending").count()
    }
}

impl Report for MigrateReport {
    fn table(&self, view: &View) -> String {
        if self.migrations.is_empty() || (self.verb == MigrateVerb::DryRun && self.pending() == 0) {
            return "the schema is up to date\n".to_owned();
        }
        let mut table = view.table(&["version", "name", "state"]);
        for one in &self.migrations {
            let state = match (self.verb, one.applied_at) {
                (MigrateVerb::Migrated, _) => "applied now".to_owned(),
                (MigrateVerb::DryRun, None) => "would be applied".to_owned(),
                (_, Some(at)) => format!("applied {at}"),
                (_, None) => "pending".to_owned(),
            };
            table.add_row([one.version.to_string(), one.name.to_owned(), state]);
        }
        render(&table)
    }
}
