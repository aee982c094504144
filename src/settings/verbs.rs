//! One plain struct per command.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use chrono::DateTime;

use super::{Settings, usage};
use crate::cli::{
    DialectArg, InspectArgs, ListArgs, MigrateArgs, MigrateCommand, OnFailure, OnLost, PurgeArgs, ReapArgs,
    RetryArg, RunArgs, ScopeArgs, SortArg, StatusArg,
};
use crate::exit::Failure;
use crate::janitor::{MIN_STUCK_AGE, PaceOptions, PurgeOptions, ReapOptions};
use crate::protocol::{Key, Lease, Retry, Scope, Span, Status, StuckRule, Timestamp, Ttl};
use crate::store::{Dialect, RowOrder, ScopeFilter};
use crate::table::{Ident, Mapping};

/// `inspect`
#[derive(Debug, Clone)]
pub struct InspectSettings {
    /// The key's columns.
    pub key: Vec<String>,
    /// Only in this scope.
    pub scope: Option<ScopeFilter>,
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
    /// In a state that the mapping does not list.
    pub unknown_state: bool,
    /// In a state that the mapping keeps.
    pub kept: bool,
    /// Only stuck ones, by this rule.
    pub stuck: Option<StuckRule>,
    /// Only expired ones.
    pub expired: bool,
    /// Claimed at least this long ago.
    pub older_than: Option<Duration>,
    /// In this scope.
    pub scope: Option<ScopeFilter>,
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
    /// Cells of comma-separated values as they are, whatever a spreadsheet makes of them.
    pub raw_csv: bool,
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
#[derive(Debug, Clone, Copy)]
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
    /// The grace of the janitor's own passes.
    pub configured_grace: Duration,
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
    /// Whether the file in the user's data folder was asked for.
    pub local: bool,
    /// The command and its arguments.
    pub command: Vec<OsString>,
}

pub(super) fn key(text: &str) -> Result<Key, Failure> {
    Key::new(text).map_err(|error| usage("invalid idempotency key").because(error))
}

pub(super) fn scope(text: Option<&str>) -> Result<Option<Scope>, Failure> {
    text.map(|text| Scope::new(text).map_err(|error| usage("this is no scope").because(error))).transpose()
}

fn older_than_is_off(what: &str) -> Failure {
    usage(format!("{what}: no stuck age is configured for this table"))
        .hint("say --older-than, or set reap.older_than")
}

/// An age of stuck keys that was given on the command line.
fn stuck_age(older_than: Duration) -> Result<Duration, Failure> {
    if older_than < MIN_STUCK_AGE {
        return Err(usage(format!(
            "--older-than {} is too short: every key at work would be stuck",
            crate::words::duration(older_than)
        ))
        .hint("give at least 1s; the longest work that can't renew its claim takes how long?"));
    }
    Ok(older_than)
}

/// `COLUMN=VALUE`, where such a column is there.
fn named<'m>(columns: &'m [Ident], text: &str) -> Option<(&'m Ident, String)> {
    // A column's own name may hold an equals sign.
    columns.iter().find_map(|column| {
        let value = text.strip_prefix(column.as_str())?.strip_prefix('=')?;
        Some((column, value.to_owned()))
    })
}

fn names(columns: &[Ident]) -> String {
    columns.iter().map(Ident::as_str).collect::<Vec<_>>().join(", ")
}

/// A key's columns, in the mapping's order.
pub(super) fn key_parts(
    mapping: &Mapping,
    plain: Option<&str>,
    columns: &[String],
) -> Result<Vec<String>, Failure> {
    if let Some(plain) = plain {
        return match mapping.key.as_slice() {
            [_] if mapping.is_owned() => Ok(vec![key(plain)?.as_str().to_owned()]),
            [_] if plain.is_empty() => Err(usage("the key is empty")),
            [_] => Ok(vec![plain.to_owned()]),
            several => Err(usage(format!("a key of {} is of {} columns", mapping.name, several.len()))
                .hint(format!("name each with --key COLUMN=VALUE: {}", names(several)))),
        };
    }
    let mut parts: Vec<Option<String>> = vec![None; mapping.key.len()];
    for text in columns {
        let Some((column, value)) = named(&mapping.key, text) else {
            return Err(usage(format!("--key {text:?} names no column of the key"))
                .hint(format!("the key's columns: {}", names(&mapping.key))));
        };
        for (known, part) in mapping.key.iter().zip(&mut parts) {
            if known == column && part.replace(value.clone()).is_some() {
                return Err(usage(format!("--key names the column {:?} twice", column.as_str())));
            }
        }
    }
    let missing = mapping.key.iter().zip(&parts).find(|(_, part)| part.is_none());
    if let Some((column, _)) = missing {
        return Err(usage(format!("--key does not name the column {:?}", column.as_str()))
            .hint(format!("the key's columns: {}", names(&mapping.key))));
    }
    Ok(parts.into_iter().flatten().collect())
}

/// Which scope is meant; `None` where nothing was said.
pub(super) fn scope_filter(mapping: &Mapping, args: &ScopeArgs) -> Result<Option<ScopeFilter>, Failure> {
    let mut parts: Vec<(Ident, Option<String>)> = Vec::new();
    let mut add = |column: &Ident, value: Option<String>| {
        if parts.iter().any(|(known, _)| known == column) {
            return Err(usage(format!("the scope's column {:?} is named twice", column.as_str())));
        }
        parts.push((column.clone(), value));
        Ok(())
    };
    for text in &args.scope {
        match (named(&mapping.scope, text), mapping.scope.as_slice()) {
            (Some((column, value)), _) if !mapping.is_owned() => add(column, Some(value))?,
            (_, [one]) if mapping.is_owned() => {
                add(one, scope(Some(text))?.map(|scope| scope.as_str().to_owned()))?;
            }
            (_, [one]) => add(one, Some(text.clone()))?,
            (_, []) => return Err(usage(format!("the table {} has no scope", mapping.name))),
            (_, several) => {
                return Err(usage(format!("--scope {text:?} names no column of the scope"))
                    .hint(format!("write --scope COLUMN=VALUE: {}", names(several))));
            }
        }
    }
    for text in &args.scope_null {
        let column = mapping.scope.iter().find(|column| column.as_str() == text);
        let column = column.ok_or_else(|| {
            usage(format!("--scope-null {text:?} names no column of the scope"))
                .hint(format!("the scope's columns: {}", names(&mapping.scope)))
        })?;
        add(column, None)?;
    }
    Ok((!parts.is_empty()).then_some(ScopeFilter::Columns(parts)))
}

impl Settings {
    /// When a row is shown as stuck; never, where no age is configured.
    pub(super) fn stuck_rule(&self) -> Result<StuckRule, Failure> {
        Ok(StuckRule { older_than: self.table()?.reap().map_or(Duration::MAX, |pass| pass.older_than) })
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
            key: key_parts(&self.table()?.mapping, args.key.as_deref(), &args.key_column)?,
            scope: scope_filter(&self.table()?.mapping, &args.scope)?,
            body: args.body,
            fingerprint_file: args.fingerprint_file.clone(),
            masked_headers: self.config().display.masked_headers.clone(),
            stuck: self.stuck_rule()?,
        })
    }

    /// For `list`.
    ///
    /// # Errors
    /// A filter that can't be one.
    pub fn list(&self, args: &ListArgs) -> Result<ListSettings, Failure> {
        let rule = match (args.stuck, args.older_than) {
            (true, Some(older_than)) => StuckRule { older_than: stuck_age(older_than)? },
            (true, None) if self.table()?.reap_older_than.is_none() => {
                return Err(older_than_is_off("--stuck"));
            }
            _ => self.stuck_rule()?,
        };
        let when = |flag: &str, text: Option<&str>| text.map(|text| When::parse(flag, text)).transpose();
        let unknown_state = args.status.contains(&StatusArg::Unknown);
        let kept = args.status.contains(&StatusArg::Kept);
        for (asked, name) in [(unknown_state, "unknown"), (kept, "kept")] {
            if asked && (args.stuck || args.status.len() > 1) {
                return Err(usage(format!("a row whose state is {name} is in no other one"))
                    .hint(format!("give --status {name} alone")));
            }
        }
        let in_progress = args.stuck || args.status == [StatusArg::InProgress];
        let failed = args.status == [StatusArg::Failed];
        let knows_claims = self.table()?.mapping.claimed().is_some();
        Ok(ListSettings {
            statuses: args
                .status
                .iter()
                .filter_map(|status| match status {
                    StatusArg::InProgress => Some(Status::InProgress),
                    StatusArg::Completed => Some(Status::Completed),
                    StatusArg::Failed => Some(Status::Failed),
                    StatusArg::Unknown | StatusArg::Kept => None,
                })
                .collect(),
            unknown_state,
            kept,
            stuck: args.stuck.then_some(rule),
            expired: args.expired,
            older_than: if args.stuck { None } else { args.older_than },
            scope: scope_filter(&self.table()?.mapping, &args.scope)?,
            key_prefix: args.key_prefix.clone(),
            since: when("--since", args.since.as_deref())?,
            until: when("--until", args.until.as_deref())?,
            response_status: args.response_status.as_deref().map(response_status).transpose()?,
            order: match args.sort {
                None if in_progress && knows_claims => RowOrder::Claimed { newest_first: false },
                None if failed && knows_claims => RowOrder::Claimed { newest_first: true },
                None | Some(SortArg::Key) => RowOrder::Key,
                Some(SortArg::Claimed) => RowOrder::Claimed { newest_first: false },
                Some(SortArg::ClaimedDesc) => RowOrder::Claimed { newest_first: true },
                Some(SortArg::Expires) => RowOrder::Expires { latest_first: false },
                Some(SortArg::ExpiresDesc) => RowOrder::Expires { latest_first: true },
            },
            limit: (args.limit > 0).then_some(args.limit),
            shown_stuck: rule,
            raw_csv: args.raw_csv,
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
        let table = self.table()?;
        let older_than = args.older_than.map(stuck_age).transpose()?.or(table.reap_older_than);
        Ok(ReapSettings {
            pass: ReapOptions {
                older_than: older_than.ok_or_else(|| older_than_is_off("reap-stuck"))?,
                retry: match args.retry {
                    Some(RetryArg::Allow) => Retry::Allow.into(),
                    Some(RetryArg::Block) => Retry::Block.into(),
                    None => table.reap_retry,
                },
                scope: scope_filter(&table.mapping, &args.scope)?,
                max_rows: args.max_rows,
                allow_cascade: table.purge.allow_cascade,
            },
            dry_run: args.dry_run,
            reason: args.reason.clone(),
        })
    }

    /// For `purge`.
    ///
    /// # Errors
    /// Where it is not clear which table is meant.
    pub fn purge(&self, args: &PurgeArgs) -> Result<PurgeSettings, Failure> {
        let configured = self.table()?.purge;
        Ok(PurgeSettings {
            pass: PurgeOptions {
                grace: args.grace.unwrap_or(configured.grace),
                pace: PaceOptions {
                    min_batch: args.batch_size.unwrap_or(configured.pace.min_batch),
                    max_batch: args.batch_size.unwrap_or(configured.pace.max_batch),
                    duty: args.duty.or(configured.pace.duty),
                    max_rows_per_second: args.max_rows_per_second.or(configured.pace.max_rows_per_second),
                    ..configured.pace
                },
                max_rows: args.max_rows,
                max_duration: args.max_duration.or(configured.max_duration),
                ..configured
            },
            configured_grace: configured.grace,
            dry_run: args.dry_run,
        })
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
            local: args.local,
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
