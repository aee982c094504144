//! Settings of the operator's verbs: `release`, `fail`, `forget`, `replay`, `audit`, `stats`.

use std::time::Duration;

use super::verbs::{When, key_parts, scope_filter};
use super::{Settings, usage};
use crate::cli::{
    AuditArgs, FailArgs, ForgetArgs, PauseArgs, ReleaseArgs, ReplayArgs, RetryArg, StatsArgs, TargetArgs,
};
use crate::exit::Failure;
use crate::protocol::{Retry, StuckRule};
use crate::store::{AuditFilter, Operation, ScopeFilter, StatsOptions};

/// `release`, `fail`, `forget`
#[derive(Debug, Clone)]
pub struct OperateSettings {
    /// What to do.
    pub operation: Operation,
    /// Even where a lease runs, or a worker may be at work.
    pub force: bool,
    /// The keys' columns; empty when they come by standard input.
    pub keys: Vec<Vec<String>>,
    /// They come as lines of `list -o jsonl` by standard input.
    pub from_stdin: bool,
    /// Only in this scope.
    pub scope: Option<ScopeFilter>,
    /// Why.
    pub reason: Option<String>,
    /// Don't ask.
    pub yes: bool,
    /// Change nothing.
    pub dry_run: bool,
    /// Even where foreign keys with ON DELETE CASCADE, SET NULL or SET DEFAULT point at the table.
    pub allow_cascade: bool,
    /// When a row counts as stuck.
    pub stuck: StuckRule,
}

/// `stats`
#[derive(Debug, Clone, Copy)]
pub struct StatsSettings {
    /// What is asked of the store.
    pub options: StatsOptions,
    /// Fail when the backlog is older.
    pub max_backlog_age: Option<Duration>,
}

/// `replay`
#[derive(Debug, Clone)]
pub struct ReplaySettings {
    /// The key's columns.
    pub key: Vec<String>,
    /// Only in this scope.
    pub scope: Option<ScopeFilter>,
    /// Status line and headers too.
    pub include: bool,
    /// How long to wait for a key in progress.
    pub wait: Duration,
    /// A binary body even to a terminal.
    pub force: bool,
}

/// `audit`
#[derive(Debug, Clone)]
pub struct AuditSettings {
    /// Since then.
    pub since: Option<When>,
    /// Until then.
    pub until: Option<When>,
    /// The rest of the filter.
    pub filter: AuditFilter,
    /// At most so many.
    pub limit: u32,
}

/// `pause`
#[derive(Debug, Clone)]
pub struct PauseSettings {
    /// For so long; `None` is until somebody resumes.
    pub length: Option<Duration>,
    /// Why.
    pub reason: String,
}

impl Settings {
    /// For `pause`.
    ///
    /// # Errors
    /// No reason, or no time at all.
    pub fn pause(&self, args: &PauseArgs) -> Result<PauseSettings, Failure> {
        if args.reason.trim().is_empty() {
            return Err(usage("--reason is empty; whoever finds the janitor paused will want to know why"));
        }
        if args.length.is_some_and(|length| length.is_zero()) {
            return Err(usage("--for 0s is no pause"));
        }
        Ok(PauseSettings { length: args.length, reason: args.reason.clone() })
    }

    fn operate(
        &self,
        target: &TargetArgs,
        operation: Operation,
        force: bool,
    ) -> Result<OperateSettings, Failure> {
        let from_stdin = target.keys.iter().any(|one| one == "-");
        let mapping = self.table()?.mapping;
        let scope = scope_filter(&mapping, &target.scope)?;
        if from_stdin && (target.keys.len() > 1 || scope.is_some()) {
            return Err(usage("`-` reads keys and scopes from standard input; name no others beside it"));
        }
        let keys = if from_stdin {
            Vec::new()
        } else if target.keys.is_empty() {
            vec![key_parts(&mapping, None, &target.key_column)?]
        } else {
            let keys = target.keys.iter().map(|text| key_parts(&mapping, Some(text), &[]));
            keys.collect::<Result<_, _>>()?
        };
        Ok(OperateSettings {
            operation,
            force,
            keys,
            from_stdin,
            scope,
            reason: target.reason.clone(),
            yes: target.yes,
            dry_run: target.dry_run,
            allow_cascade: self.table()?.purge.allow_cascade,
            stuck: self.stuck_rule()?,
        })
    }

    /// For `release`.
    ///
    /// # Errors
    /// A key or scope that can't be one.
    pub fn release(&self, args: &ReleaseArgs) -> Result<OperateSettings, Failure> {
        self.operate(&args.target, Operation::Release, false)
    }

    /// For `fail`.
    ///
    /// # Errors
    /// A key or scope that can't be one.
    pub fn fail(&self, args: &FailArgs) -> Result<OperateSettings, Failure> {
        let retry = match args.retry {
            RetryArg::Allow => Retry::Allow,
            RetryArg::Block => Retry::Block,
        };
        self.operate(&args.target, Operation::Fail { retry }, args.force)
    }

    /// For `forget`.
    ///
    /// # Errors
    /// A key or scope that can't be one.
    pub fn forget(&self, args: &ForgetArgs) -> Result<OperateSettings, Failure> {
        self.operate(&args.target, Operation::Forget, args.force)
    }

    /// For `stats`.
    ///
    /// # Errors
    /// Where it is not clear which table is meant.
    pub fn stats(&self, args: &StatsArgs) -> Result<StatsSettings, Failure> {
        Ok(StatsSettings {
            options: StatsOptions {
                stuck_after: self.stuck_rule()?.older_than,
                grace: self.table()?.purge.grace,
                exact: args.exact,
            },
            max_backlog_age: args.max_backlog_age,
        })
    }

    /// For `replay`.
    ///
    /// # Errors
    /// A key or scope that can't be one.
    pub fn replay(&self, args: &ReplayArgs) -> Result<ReplaySettings, Failure> {
        Ok(ReplaySettings {
            key: key_parts(&self.table()?.mapping, args.key.as_deref(), &args.key_column)?,
            scope: scope_filter(&self.table()?.mapping, &args.scope)?,
            include: args.include,
            wait: args.wait.unwrap_or_default(),
            force: args.force,
        })
    }

    /// For `audit`.
    ///
    /// # Errors
    /// A moment that can't be one.
    pub fn audit(&self, args: &AuditArgs) -> Result<AuditSettings, Failure> {
        Ok(AuditSettings {
            since: args.since.as_deref().map(|text| When::parse("--since", text)).transpose()?,
            until: args.until.as_deref().map(|text| When::parse("--until", text)).transpose()?,
            filter: AuditFilter {
                command: args.command.clone(),
                key: args.key.clone(),
                scope: args.scope.clone(),
                ..AuditFilter::default()
            },
            limit: args.limit,
        })
    }
}
