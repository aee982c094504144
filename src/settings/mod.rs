//! What a command works with: flags, environment and files resolved to plain values, each with the
//! place it came from. Nothing below this layer knows clap or reads the environment.

mod adopt;
mod config;
mod database;
mod doctor;
mod janitor;
mod layers;
mod operator;
mod reference;
mod table;
mod table_reference;
mod verbs;

pub use adopt::AdoptSettings;
pub(crate) use adopt::read_answers;
pub use config::Config;
pub use database::{DatabaseSource, DatabaseTarget};
pub use doctor::DoctorSettings;
pub use janitor::{JanitorAction, JanitorSettings};
pub use layers::{Effective, Setting};
pub use operator::{AuditSettings, OperateSettings, PauseSettings, ReplaySettings, StatsSettings};
pub use reference::{SettingReference, settings_reference};
pub(crate) use table::{mapping_of, named_table};
pub use table_reference::{TableSettingReference, table_reference};
pub use verbs::{
    InspectSettings, ListSettings, MigrateAction, MigrateSettings, PurgeSettings, ReapSettings, RunSettings,
};

use std::path::PathBuf;

use crate::cli::GlobalArgs;
use crate::exit::{Exit, Failure};

/// Everything that does not belong to one command.
#[derive(Debug)]
pub struct Settings {
    /// The layered configuration.
    pub effective: Effective,
    database_url: Option<String>,
    database_url_file: Option<PathBuf>,
    table: Option<String>,
}

impl Settings {
    /// Reads and layers the configuration.
    ///
    /// # Errors
    /// [`Exit::Usage`] when a file can't be read or a value does not fit.
    pub fn resolve(global: &GlobalArgs) -> Result<Self, Failure> {
        Ok(Self {
            effective: Effective::load(global)?,
            database_url: global.database.database_url.clone(),
            database_url_file: global.database.database_url_file.clone(),
            table: global.table.clone(),
        })
    }

    /// How long to wait for another process that migrates.
    pub fn migrate_wait(&self) -> std::time::Duration {
        self.config().migrate.wait.0
    }

    /// The values.
    pub fn config(&self) -> &Config {
        &self.effective.config
    }
}

/// A usage error.
fn usage(what: impl Into<String>) -> Failure {
    Failure::new(Exit::Usage, what)
}
