//! Settings of the daemon.

use std::net::{AddrParseError, SocketAddr};
use std::time::Duration;

use chrono_tz::Tz;

use super::config::DEFAULT_STUCK_AGE;
use super::database::DatabaseSource;
use super::{DatabaseTarget, Settings, usage};
use crate::cli::JanitorArgs;
use crate::exit::Failure;
use crate::janitor::{PurgeOrder, ReapPlan, Schedule, TablePlan};
use crate::table::Mapping;

/// `janitor`
#[derive(Debug, Clone)]
pub struct JanitorSettings {
    /// What it is to do.
    pub action: JanitorAction,
    /// The database.
    pub target: DatabaseTarget,
    /// The tables, each with its mapping.
    pub tables: Vec<(Mapping, TablePlan)>,
    /// How long a leader may be without a heartbeat.
    pub lease: Duration,
    /// How long the batch at hand may take at the end.
    pub shutdown_timeout: Duration,
    /// The shortest and the longest wait for a database that is away.
    pub reconnect: (Duration, Duration),
    /// How long an entry of the audit is kept.
    pub audit_retention: Duration,
    /// Where it answers by HTTP.
    pub listen: Option<SocketAddr>,
}

/// What `janitor` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JanitorAction {
    /// Run until it is told to end.
    Serve,
    /// Run each pass once.
    Once,
    /// Say what would be done.
    Check,
}

impl Settings {
    /// For `janitor`.
    ///
    /// # Errors
    /// A database that nobody named, a schedule, a time zone or an address that is none.
    pub fn janitor(&self, args: &JanitorArgs) -> Result<JanitorSettings, Failure> {
        let config = &self.config().janitor;
        let target = self.database()?;
        if target.source == DatabaseSource::Default {
            return Err(usage("the janitor needs an explicitly configured database").hint(
                "name one with --database-url-file, $IDEMCTL_DATABASE_URL, systemd's \
                 LoadCredential=database-url:PATH, or database.url in the configuration",
            ));
        }
        let listen = match (&args.listen, &config.listen) {
            (Some(address), _) => Some(*address),
            (None, None) => None,
            (None, Some(text)) => Some(text.parse().map_err(|error: AddrParseError| {
                usage(format!("janitor.listen is {text:?}, which is no address and port"))
                    .because(error)
                    .hint("write one like 127.0.0.1:9750 or [::1]:9750")
            })?),
        };
        Ok(JanitorSettings {
            action: match (args.once, args.check) {
                (true, _) => JanitorAction::Once,
                (_, true) => JanitorAction::Check,
                _ => JanitorAction::Serve,
            },
            tables: self.table_plans(&target)?,
            target,
            lease: config.lease.0,
            shutdown_timeout: config.shutdown_timeout.0,
            reconnect: (config.reconnect_min.0, config.reconnect_max.0),
            audit_retention: self.config().audit.retention.0,
            listen,
        })
    }

    fn table_plans(&self, target: &DatabaseTarget) -> Result<Vec<(Mapping, TablePlan)>, Failure> {
        let config = self.config();
        let mut plans = Vec::new();
        for table in self.tables()? {
            let max_lag = table.purge_max_lag.or(config.purge.max_lag.map(|span| span.0));
            if max_lag.is_some() && !target.url.has_standbys() {
                return Err(usage("purge.max_lag is set, and this database has no standbys")
                    .hint("leave it unset; it is for PostgreSQL"));
            }
            let of = |key: &str, own: &Option<String>, global: &str| match own {
                Some(own) => self.schedule(&format!("{key} of the table {:?}", table.name), own),
                None => self.schedule(key, global),
            };
            let reap = match table.reap() {
                Some(options) => Some(ReapPlan {
                    options,
                    schedule: of("reap.schedule", &table.reap_schedule, &config.reap.schedule)?,
                }),
                None => None,
            };
            let plan = TablePlan {
                table: table.name.clone(),
                reap,
                purge: PurgeOrder {
                    options: table.purge,
                    schedule: of("purge.schedule", &table.purge_schedule, &config.purge.schedule)?,
                    max_lag,
                },
                stuck_after: table.reap_older_than.or(config.reap.older_than.0).unwrap_or(DEFAULT_STUCK_AGE),
            };
            plans.push((table.mapping, plan));
        }
        Ok(plans)
    }

    fn schedule(&self, key: &str, text: &str) -> Result<Schedule, Failure> {
        let name = &self.config().janitor.time_zone;
        let zone: Tz = name.parse().map_err(|_| {
            usage(format!("janitor.time_zone is {name:?}, and there is no such time zone"))
                .hint("name one like Europe/Berlin or UTC")
        })?;
        Schedule::parse(text, zone).map_err(|error| usage(format!("{key}: invalid schedule")).because(error))
    }
}
