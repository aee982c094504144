//! `[[table]]`: a table that a team already has, described column by column, and what differs for it
//! from `[purge]` and `[reap]`.

mod mapping;
mod written;

use std::time::Duration;

use figment::Figment;
use figment::providers::{Format as _, Toml};
use serde::Deserialize;

use super::config::{is_batch_target, is_share};
use super::{Settings, usage};
use crate::exit::Failure;
use crate::janitor::{PaceOptions, PurgeOptions, ReapOptions, RetryPolicy};
use crate::table::{Mapping, TableName};
use mapping::table_name;
pub use written::{
    As, ClockColumn, ClockConfig, ExpiredConfig, FailedConfig, MarkColumn, NameList, NullExpires, NullName,
    RuleConfig, Scalar, StateConfig, StateName, TableConfig,
};

/// A table to work on, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct TableSettings {
    /// Its name, as the configuration has it.
    pub name: String,
    /// Which column plays which role.
    pub mapping: Mapping,
    /// How it is purged.
    pub purge: PurgeOptions,
    /// When the daemon purges it; `None` is as `[purge]` says.
    pub purge_schedule: Option<String>,
    /// How far a standby may lag; `None` is as `[purge]` says.
    pub purge_max_lag: Option<Duration>,
    /// After how long without a heartbeat a row in progress is stuck; `None` is never, until it is set.
    pub reap_older_than: Option<Duration>,
    /// Whether a reaped key may be tried again.
    pub reap_retry: RetryPolicy,
    /// When the daemon reaps it; `None` is as `[reap]` says.
    pub reap_schedule: Option<String>,
}

impl TableSettings {
    /// The reap pass that the configuration asks for; `None` while no age is set.
    pub fn reap(&self) -> Option<ReapOptions> {
        Some(ReapOptions {
            older_than: self.reap_older_than?,
            retry: self.reap_retry.clone(),
            scope: None,
            max_rows: None,
            allow_cascade: self.purge.allow_cascade,
        })
    }
}

impl Settings {
    /// Every configured table; the one that `idemctl migrate` creates where none is.
    ///
    /// # Errors
    /// A mapping that contradicts itself, or two of one table.
    pub fn tables(&self) -> Result<Vec<TableSettings>, Failure> {
        let config = self.config();
        let global = PurgeOptions {
            grace: config.purge.grace.0,
            pace: PaceOptions {
                min_batch: config.purge.min_batch,
                max_batch: config.purge.max_batch,
                target: config.purge.batch_target.map(|span| span.0),
                duty: config.purge.duty,
                max_rows_per_second: config.purge.max_rows_per_second,
            },
            max_rows: None,
            max_duration: config.purge.max_duration.map(|span| span.0),
            allow_cascade: config.purge.allow_cascade,
        };
        if config.table.is_empty() {
            let mapping = Mapping::owned();
            return Ok(vec![TableSettings {
                name: mapping.name.to_string(),
                mapping,
                purge: global,
                purge_schedule: None,
                purge_max_lag: None,
                reap_older_than: config.reap.older_than.0,
                reap_retry: config.reap.retry_policy()?,
                reap_schedule: None,
            }]);
        }
        // The default is for our own table, whose workers renew their leases.
        let older_than = self.effective.is_set("reap.older_than").then_some(config.reap.older_than);
        let mut tables: Vec<TableSettings> = Vec::with_capacity(config.table.len());
        for table in &config.table {
            let mapping = table.mapping().map_err(|what| {
                usage(format!("the mapping of {:?} can't be this: {what}", table.name))
                    .hint("see idemctl.toml(5) for what `[[table]]` may hold")
            })?;
            if tables.iter().any(|other| other.mapping.name == mapping.name) {
                return Err(usage(format!("there are two tables {:?} in the configuration", table.name)));
            }
            let purge = &table.purge;
            let options = PurgeOptions {
                grace: purge.grace.map_or(global.grace, |span| span.0),
                pace: PaceOptions {
                    min_batch: purge.min_batch.unwrap_or(global.pace.min_batch),
                    max_batch: purge.max_batch.unwrap_or(global.pace.max_batch),
                    target: purge.batch_target.map(|span| span.0).or(global.pace.target),
                    duty: purge.duty.or(global.pace.duty),
                    max_rows_per_second: purge.max_rows_per_second.or(global.pace.max_rows_per_second),
                },
                max_rows: None,
                max_duration: purge.max_duration.map(|span| span.0).or(global.max_duration),
                allow_cascade: purge.allow_cascade.unwrap_or(global.allow_cascade),
            };
            let pace = &options.pace;
            if pace.duty.is_some_and(|duty| !is_share(duty))
                || purge.batch_target.is_some_and(|target| !is_batch_target(target))
                || pace.min_batch == 0
                || pace.min_batch > pace.max_batch
                || pace.max_rows_per_second == Some(0)
                || purge.max_duration.is_some_and(|span| span.0.is_zero())
            {
                return Err(usage(format!(
                    "table.purge of {:?}: 0 < duty ≤ 1, 100us ≤ batch_target ≤ 1m, \
                     1 ≤ min_batch ≤ max_batch, max_rows_per_second ≥ 1 and max_duration above 0 must hold",
                    table.name
                )));
            }
            tables.push(TableSettings {
                name: table.name.clone(),
                mapping,
                purge: options,
                purge_schedule: purge.schedule.clone(),
                purge_max_lag: purge.max_lag.map(|span| span.0),
                reap_older_than: table.reap.older_than.or(older_than).and_then(|age| age.0),
                reap_retry: match table.reap.retry {
                    Some(own) => RetryPolicy { default: own.into(), ..config.reap.retry_policy()? },
                    None => config.reap.retry_policy()?,
                },
                reap_schedule: table.reap.schedule.clone(),
            });
        }
        Ok(tables)
    }

    /// The table of a command: the only one, or the one that `--table` names.
    ///
    /// # Errors
    /// As [`Settings::tables`]; where it is not clear which table is meant.
    pub fn table(&self) -> Result<TableSettings, Failure> {
        let mut tables = self.tables()?;
        let names = |tables: &[TableSettings]| {
            tables.iter().map(|table| table.name.clone()).collect::<Vec<_>>().join(", ")
        };
        match &self.table {
            Some(name) => match tables.iter().position(|table| table.name == *name) {
                Some(index) => Ok(tables.swap_remove(index)),
                None => Err(usage(format!("no table {name:?} is configured"))
                    .hint(format!("configured: {}", names(&tables)))),
            },
            None if tables.len() == 1 => Ok(tables.remove(0)),
            None => Err(usage("several tables are configured")
                .hint(format!("name one with --table: {}", names(&tables)))),
        }
    }

    /// Whether the configuration describes tables that a team already has.
    pub fn adopts(&self) -> bool {
        !self.config().table.is_empty()
    }
}

/// The mapping that a text describes, if it were a configuration of its own with one `[[table]]`.
pub(crate) fn mapping_of(text: &str) -> Result<Mapping, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        table: [TableConfig; 1],
    }
    let file: File = Figment::from(Toml::string(text))
        .extract()
        .map_err(|error| usage("the mapping is no configuration").because(error))?;
    let [table] = file.table;
    table
        .mapping()
        .map_err(|wrong| usage(format!("the mapping of {} contradicts itself: {wrong}", table.name)))
}

/// A table's name as `--table` and the configuration write it.
pub(crate) fn named_table(text: &str) -> Result<TableName, Failure> {
    table_name(text).map_err(|wrong| usage(format!("{text:?} is no table's name: {wrong}")))
}

#[cfg(test)]
mod tests;
