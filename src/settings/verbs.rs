//! One plain struct per command.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use chrono::DateTime;

use super::{Settings, usage};
use crate::cli::{
    DialectArg, InspectArgs, ListArgs, MigrateArgs, MigrateCommand, OnFailure, OnLost, PurgeArgs, ReapArgs,
    RetryArg, RunArgs, SortArg, StatusArg,
};
use crate::exit::Failure;
use crate::janitor::{PaceOptions, PurgeOptions, ReapOptions};
use crate::protocol::{Key, Lease, Retry, Scope, Span, Status, StuckRule, Timestamp, Ttl};
use crate::store::{Dialect, RowOrder};

/// `inspect`
#[derive(Debug, Clone)]
pub struct InspectSettings {
    /// The key.
    pub key: Key,
    /// Only in this scope.
    pub scope: Option<Scope>,
    /// Show bodies.
    pub body: bool,
    /// Compare the stored fingerprint with this file's.
    pub fingerprint_file: Option<PathBuf>,
    /// Headers whose values are not shown.
    pub masked_headers: Vec<String>,
    /// When a row counts as stuck.
    pub stuck: StuckRule,
}

/// A moment that may depend on the database's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// So long before now.
    Ago(Duration),
    /// A point in time.
    At(Timestamp),
}

impl When {
    /// By the database's clock.
    pub fn resolve(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Ago(age) => now.minus(age),
            Self::At(at) => at,
        }
    }

    pub(super) fn parse(flag: &str, text: &str) -> Result<Self, Failure> {
        if let Ok(age) = humantime::parse_duration(text) {
            return Ok(Self::Ago(age));
        }
        DateTime::parse_from_rfc3339(text).map(|at| Self::At(at.to_utc().into())).map_err(|error| {
            usage(format!("{flag} {text:?} is neither an age nor a point in time"))
                .because(error)
                .hint("write an age like 2h, or a point in time like 2026-01-31T09:00:00Z")
        })
    }
}

/// `list`
#[derive(Debug, Clone)]
pub struct ListSettings {
    /// In one of these states.
    pub statuses: Vec<Status>,
    /// Only stuck ones, by this rule.
    pub stuck: Option<StuckRule>,
    /// Only expired ones.
    pub expired: bool,
    /// Claimed at least this long ago.
    pub older_than: Option<Duration>,
    /// In this scope.
    pub scope: Option<Scope>,
    /// Keys that start so.
    pub key_prefix: Option<String>,
    /// Claimed since then.
    pub since: Option<When>,
    /// Claimed until then.
    pub until: Option<When>,
    /// Answered with a status from the first to the second.
    pub response_status: Option<(i64, i64)>,
    /// The order.
    pub order: RowOrder,
    /// At most so many; `None` is all.
    pub limit: Option<u64>,
    /// When a row is shown as stuck.
    pub shown_stuck: StuckRule,
    /// Headers whose values are not shown.
    pub masked_headers: Vec<String>,
}

/// `migrate`
#[derive(Debug, Clone, Copy)]
pub struct MigrateSettings {
    /// What to do.
    pub action: MigrateAction,
    /// How long to wait for another process that migrates.
    pub wait: Duration,
}

/// What `migrate` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MigrateAction {
    /// Migrate.
    Run,
    /// Say what would be done.
    DryRun,
    /// Say what has been done.
    Status {
        /// Fail when something is pending.
        exit_code: bool,
    },
    /// Print the SQL of this dialect, or the database's.
    Print(Option<Dialect>),
}

/// `reap-stuck`
#[derive(Debug, Clone)]
pub struct ReapSettings {
    /// The pass.
    pub pass: ReapOptions,
    /// Change nothing.
    pub dry_run: bool,
    /// Why.
    pub reason: Option<String>,
}

/// `purge`
#[derive(Debug, Clone)]
pub struct PurgeSettings {
    /// The pass.
    pub pass: PurgeOptions,
    /// Change nothing.
    pub dry_run: bool,
}

/// `run`
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// The key.
    pub key: Key,
    /// The scope.
    pub scope: Scope,
    /// How long the key is remembered.
    pub ttl: Ttl,
    /// How long the claim holds.
    pub lease: Lease,
    /// How long to wait for another call.
    pub wait: Duration,
    /// What identifies the request.
    pub fingerprint_file: Option<PathBuf>,
    /// Whether a non-zero exit may be tried again.
    pub on_failure: Retry,
    /// Whether a lost run may be tried again.
    pub on_lost: Retry,
    /// The command and its arguments.
    pub command: Vec<OsString>,
}

pub(super) fn key(text: &str) -> Result<Key, Failure> {
    Key::new(text).map_err(|error| usage("this is no idempotency key").because(error))
}

pub(super) fn scope(text: Option<&str>) -> Result<Option<Scope>, Failure> {
    text.map(|text| Scope::new(text).map_err(|error| usage("this is no scope").because(error))).transpose()
}

impl Settings {
    pub(super) fn stuck_rule(&self) -> StuckRule {
        StuckRule { older_than: self.config().reap.older_than.0 }
    }

    /// For `inspect`.
    ///
    /// # Errors
    /// A key or scope that can't be one; bodies where the configuration hides them.
    pub fn inspect(&self, args: &InspectArgs) -> Result<InspectSettings, Failure> {
        if args.body && !self.config().display.bodies {
            return Err(usage("the configuration hides bodies: display.bodies is false")
                .hint("`idemctl replay` writes the stored answer"));
        }
        Ok(InspectSettings {
            key: key(&args.key)?,
            scope: scope(args.scope.as_deref())?,
            body: args.body,
            fingerprint_file: args.fingerprint_file.clone(),
            masked_headers: self.config().display.masked_headers.clone(),
            stuck: self.stuck_rule(),
        })
    }

    /// For `list`.
    ///
    /// # Errors
    /// A filter that can't be one.
    pub fn list(&self, args: &ListArgs) -> Result<ListSettings, Failure> {
        let rule = match (args.stuck, args.older_than) {
            (true, Some(older_than)) => StuckRule { older_than },
            _ => self.stuck_rule(),
        };
        let when = |flag: &str, text: Option<&str>| text.map(|text| When::parse(flag, text)).transpose();
        let in_progress = args.stuck || args.status == [StatusArg::InProgress];
        let failed = args.status == [StatusArg::Failed];
        Ok(ListSettings {
            statuses: args
                .status
                .iter()
                .map(|status| match status {
                    StatusArg::InProgress => Status::InProgress,
                    StatusArg::Completed => Status::Completed,
                    StatusArg::Failed => Status::Failed,
                })
                .collect(),
            stuck: args.stuck.then_some(rule),
            expired: args.expired,
            older_than: if args.stuck { None } else { args.older_than },
            scope: scope(args.scope.as_deref())?,
            key_prefix: args.key_prefix.clone(),
            since: when("--since", args.since.as_deref())?,
            until: when("--until", args.until.as_deref())?,
            response_status: args.response_status.as_deref().map(response_status).transpose()?,
            order: match args.sort {
                None if in_progress => RowOrder::Claimed { newest_first: false },
                None if failed => RowOrder::Claimed { newest_first: true },
                None | Some(SortArg::Key) => RowOrder::Key,
                Some(SortArg::Claimed) => RowOrder::Claimed { newest_first: false },
                Some(SortArg::ClaimedDesc) => RowOrder::Claimed { newest_first: true },
                Some(SortArg::Expires) => RowOrder::Expires { latest_first: false },
                Some(SortArg::ExpiresDesc) => RowOrder::Expires { latest_first: true },
            },
            limit: (args.limit > 0).then_some(args.limit),
            shown_stuck: rule,
            masked_headers: self.config().display.masked_headers.clone(),
        })
    }

    /// For `migrate`.
    pub fn migrate(&self, args: &MigrateArgs) -> MigrateSettings {
        let action = match &args.command {
            None if args.dry_run => MigrateAction::DryRun,
            None => MigrateAction::Run,
            Some(MigrateCommand::Status { exit_code }) => MigrateAction::Status { exit_code: *exit_code },
            Some(MigrateCommand::Print { dialect }) => {
                MigrateAction::Print(dialect.map(|dialect| match dialect {
                    DialectArg::Postgres => Dialect::Postgres,
                    DialectArg::Sqlite => Dialect::Sqlite,
                }))
            }
        };
        MigrateSettings { action, wait: self.migrate_wait() }
    }

    /// For `reap-stuck`.
    ///
    /// # Errors
    /// A scope that can't be one.
    pub fn reap(&self, args: &ReapArgs) -> Result<ReapSettings, Failure> {
        let config = &self.config().reap;
        Ok(ReapSettings {
            pass: ReapOptions {
                older_than: args.older_than.unwrap_or(config.older_than.0),
                retry: match args.retry {
                    Some(RetryArg::Allow) => Retry::Allow.into(),
                    Some(RetryArg::Block) => Retry::Block.into(),
                    None => config.retry_policy()?,
                },
                scope: scope(args.scope.as_deref())?.map(|scope| scope.as_str().to_owned()),
                max_rows: args.max_rows,
            },
            dry_run: args.dry_run,
            reason: args.reason.clone(),
        })
    }

    /// For `purge`.
    pub fn purge(&self, args: &PurgeArgs) -> PurgeSettings {
        let config = &self.config().purge;
        PurgeSettings {
            pass: PurgeOptions {
                grace: args.grace.unwrap_or(config.grace.0),
                pace: PaceOptions {
                    min_batch: args.batch_size.unwrap_or(config.min_batch),
                    max_batch: args.batch_size.unwrap_or(config.max_batch),
                    target: config.batch_target.0,
                    duty: args.duty.unwrap_or(config.duty),
                    max_rows_per_second: args.max_rows_per_second.or(config.max_rows_per_second),
                },
                max_rows: args.max_rows,
                max_duration: args.max_duration.or(config.max_duration.map(|span| span.0)),
                allow_cascade: config.allow_cascade,
            },
            dry_run: args.dry_run,
        }
    }

    /// For `run`.
    ///
    /// # Errors
    /// A key, scope, ttl or lease that can't be one.
    pub fn run(&self, args: &RunArgs) -> Result<RunSettings, Failure> {
        let config = &self.config().run;
        let span = |what: &str, given: Option<Duration>, configured: Duration| {
            Span::new(given.unwrap_or(configured))
                .map_err(|error| usage(format!("the {what} can't be this")).because(error))
        };
        Ok(RunSettings {
            key: key(&args.key)?,
            scope: scope(Some(&args.scope))?.unwrap_or_default(),
            ttl: span("ttl", args.ttl, config.ttl.0)?,
            lease: span("lease", args.lease, config.lease.0)?,
            wait: args.wait.unwrap_or_default(),
            fingerprint_file: args.fingerprint_file.clone(),
            on_failure: match args.on_failure {
                OnFailure::Retry => Retry::Allow,
                OnFailure::Final => Retry::Block,
            },
            on_lost: match args.on_lost {
                OnLost::Retry => Retry::Allow,
                OnLost::Block => Retry::Block,
            },
            command: args.command.clone(),
        })
    }
}

/// `503`, `5xx` or `400-499`.
fn response_status(text: &str) -> Result<(i64, i64), Failure> {
    let wrong = || {
        usage(format!("--response-status {text:?} is no status"))
            .hint("write one like 503, a class like 5xx, or a range like 400-499")
    };
    if let Some(class) = text.to_ascii_lowercase().strip_suffix("xx") {
        let class: i64 = class.parse().map_err(|_| wrong())?;
        let from = class.checked_mul(100).ok_or_else(wrong)?;
        return Ok((from, from.saturating_add(99)));
    }
    let number = |text: &str| text.trim().parse::<i64>().map_err(|_| wrong());
    match text.split_once('-') {
        Some((from, to)) if !from.is_empty() => Ok((number(from)?, number(to)?)),
        _ => number(text).map(|status| (status, status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_classes_and_ranges_of_statuses() {
        assert_eq!(response_status("5xx").unwrap(), (500, 599));
        assert_eq!(response_status("5XX").unwrap(), (500, 599));
        assert_eq!(response_status("503").unwrap(), (503, 503));
        assert_eq!(response_status("400-499").unwrap(), (400, 499));
        assert!(response_status("many").is_err());
        assert!(response_status("xx").is_err());
        assert!(response_status("9223372036854775807xx").is_err());
    }

    #[test]
    fn reads_ages_and_points_in_time() {
        let now = Timestamp::from_micros(1_000_000_000);
        assert_eq!(When::parse("--since", "10s").unwrap().resolve(now).as_micros(), 990_000_000);
        let at = When::parse("--since", "1970-01-01T01:00:00+01:00").unwrap();
        assert_eq!(at.resolve(now).as_micros(), 0);
        assert!(When::parse("--since", "yesterday").is_err());
    }
}
