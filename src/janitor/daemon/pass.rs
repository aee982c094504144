//! One pass as the daemon runs it: behind its hold, with a note of it in the lease row.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::job::HeldCell;
use super::{Observer, TablePlan};
use crate::janitor::status::{Held, HeldReason, LastPass};
use crate::janitor::{self, Admission, Hold, PurgeEnd, PurgeReport, ReapReport};
use crate::protocol::Timestamp;
use crate::store::{Actor, Confirmed, ErrorKind, Lag, Pass, PassRecord, Store, StoreError};
use crate::words::number_of;

/// An answer of the database on whether the pass may go on is good for this long.
const ASKED_EVERY: Duration = Duration::from_secs(1);
/// An overdue pass at the start is over after this long: a daemon that is started again and again still
/// cleans, and does not begin each life with its hardest work.
const SMALL: Duration = Duration::from_secs(30);
/// A pass that nobody limits ends after this long.
const MAX_DURATION: Duration = Duration::from_secs(240);
/// Entries of the audit that go at a time, and the rest after them.
const AUDIT_BATCH: u32 = 500;
const AUDIT_REST: Duration = Duration::from_millis(50);

/// What a pass works with.
pub(super) struct Order {
    pub(super) store: Store,
    pub(super) table: String,
    pub(super) pass: Pass,
    pub(super) plan: TablePlan,
    pub(super) has_leases: bool,
    pub(super) small: bool,
    pub(super) actor: Actor,
    pub(super) confirmed: Arc<Confirmed>,
    pub(super) observer: Arc<dyn Observer>,
    pub(super) audit_retention: Duration,
}

/// How a pass ended.
#[derive(Debug)]
pub struct PassEnd {
    /// The table.
    pub table: String,
    /// The pass.
    pub pass: Pass,
    /// What it did; none when it could not begin.
    pub report: Option<PassReport>,
    /// How long it took.
    pub took: Duration,
    /// Entries of the audit that were too old.
    pub audit_expired: u64,
    /// When it completed, by the database's clock; none when it did not.
    pub succeeded_at: Option<Timestamp>,
    /// Why it could not go on.
    pub error: Option<StoreError>,
}

/// What a pass did.
#[derive(Debug, Clone, PartialEq)]
pub enum PassReport {
    /// Stuck rows became failed. The flag says that it ended before its end.
    Reap(ReapReport, bool),
    /// Expired rows went.
    Purge(PurgeReport),
}

impl PassEnd {
    /// Rows that it changed.
    pub fn rows(&self) -> u64 {
        match &self.report {
            None => 0,
            Some(PassReport::Reap(report, _)) => report.reaped,
            Some(PassReport::Purge(report)) => report.deleted,
        }
    }

    /// Rows that the database refused to it.
    pub fn refused(&self) -> u64 {
        match &self.report {
            None => 0,
            Some(PassReport::Reap(report, _)) => report.refused.rows,
            Some(PassReport::Purge(report)) => report.refused.rows,
        }
    }

    /// What kept rows from it, by name and in words.
    pub(super) fn warnings(&self) -> Vec<(&'static str, String)> {
        match &self.report {
            Some(PassReport::Purge(report)) => report.warnings(),
            Some(PassReport::Reap(report, _)) => report.warnings(),
            None => Vec::new(),
        }
    }

    fn end(&self) -> &'static str {
        match &self.report {
            None => "failed",
            _ if self.error.is_some() => "failed",
            Some(PassReport::Reap(_, true)) => "stopped",
            Some(PassReport::Reap(_, false)) => "done",
            Some(PassReport::Purge(report)) => report.end.as_str(),
        }
    }

    /// An operator's pause ended it.
    pub(super) fn was_paused(&self) -> bool {
        matches!(&self.report, Some(PassReport::Purge(report)) if report.end == PurgeEnd::Paused)
            || matches!(&self.report, Some(PassReport::Reap(_, true)))
    }

    pub(super) fn summary(&self, started_at: Timestamp, ended_at: Timestamp) -> LastPass {
        let mut last = LastPass {
            started_at,
            ended_at,
            rows: self.rows(),
            batches: 0,
            skipped: 0,
            unrecognized: None,
            without_clock: None,
            refused: self.refused(),
            end: self.end(),
            backlog: None,
            row_security: false,
            not_counted: Vec::new(),
            error: self.error.as_ref().map(StoreError::chain),
        };
        match &self.report {
            None => {}
            Some(PassReport::Reap(report, _)) => {
                last.skipped = report.skipped;
                last.unrecognized = Some(report.unreadable);
                last.without_clock = report.without_clock.map(|rows| rows.value);
                last.row_security = report.row_security;
                last.not_counted.clone_from(&report.not_counted);
            }
            Some(PassReport::Purge(report)) => {
                (last.batches, last.skipped) = (report.batches, report.skipped);
                (last.unrecognized, last.backlog) = (report.unrecognized, report.backlog);
                last.row_security = report.row_security;
                last.not_counted.clone_from(&report.not_counted);
            }
        }
        last
    }

    /// Says what changed; a pass that found nothing to do is only for those who ask for more.
    pub(super) fn log(&self) {
        let took = crate::words::duration(Duration::from_millis(self.took.as_millis() as u64));
        let (table, end) = (&self.table, self.end());
        match &self.report {
            Some(PassReport::Purge(report)) if report.deleted > 0 || report.backlog != Some(0) => {
                let left = match report.backlog {
                    Some(backlog) => {
                        let more = if report.backlog_exact { "" } else { "at least " };
                        format!("{more}{} left", number_of(backlog, "expired row"))
                    }
                    None => "what is left was not counted".to_owned(),
                };
                let purged = number_of(report.deleted, "row");
                tracing::info!("purged {purged} of {table} in {took}: {end}, {left}");
            }
            Some(PassReport::Reap(report, _)) if report.matched > 0 => tracing::info!(
                "reaped {} of {} of {table} in {took}: {end}, {} settled meanwhile, {} locked",
                report.reaped,
                number_of(report.matched, "stuck row"),
                report.skipped - report.locked,
                report.locked
            ),
            _ => tracing::debug!("{} of {table}: {end} in {took}, nothing to do", self.pass),
        }
        if self.audit_expired > 0 {
            let entries = number_of(self.audit_expired, "entry");
            tracing::info!("deleted {entries} of the audit: too old");
        }
    }
}

/// Runs a pass to its end.
pub(super) async fn run(order: Order, hold: PassHold) -> PassEnd {
    let began = Instant::now();
    let mut end = PassEnd {
        table: order.table.clone(),
        pass: order.pass,
        report: None,
        took: Duration::ZERO,
        audit_expired: 0,
        succeeded_at: None,
        error: None,
    };
    if let Err(error) = work(&order, &hold, &mut end).await {
        end.error = Some(error);
    }
    end.took = began.elapsed();
    end
}

async fn work(order: &Order, hold: &PassHold, end: &mut PassEnd) -> Result<(), StoreError> {
    let started = order.store.now().await?;
    // At once: if we die in the middle, whoever comes after sees that it was begun.
    note(order, PassRecord { started: Some(started), ..PassRecord::default() }).await;
    let began = Instant::now();
    let (observer, table) = (&order.observer, order.table.as_str());
    let word = match order.pass {
        Pass::Reap => {
            let Some(reap) = &order.plan.reap else { return Ok(()) };
            let outcome = janitor::reap(
                &order.store,
                &reap.options,
                &order.actor,
                Some(&*order.confirmed),
                hold,
                &mut |batch| {
                    let reaped = batch.keys.iter().filter(|key| key.retry_allowed.is_some()).count();
                    observer.batch(table, Pass::Reap, reaped as u64, batch.took);
                },
            )
            .await?;
            end.error = outcome.error;
            end.report = Some(PassReport::Reap(outcome.report, outcome.stopped));
            let succeeded = (!outcome.stopped).then(|| started.plus(began.elapsed()));
            PassRecord { started: Some(started), succeeded, rate: None }
        }
        Pass::Purge => {
            let mut options = order.plan.purge.options;
            let limit = options.max_duration.unwrap_or(MAX_DURATION);
            options.max_duration = Some(if order.small { limit.min(SMALL) } else { limit });
            let outcome = janitor::purge(&order.store, &options, &order.confirmed, hold, &mut |at| {
                observer.batch(table, Pass::Purge, at.batch, at.took);
            })
            .await?;
            let word = outcome.report.note(started);
            end.error = outcome.error;
            end.report = Some(PassReport::Purge(outcome.report));
            word
        }
    };
    if end.error.is_none() {
        end.succeeded_at = word.succeeded;
        note(order, word).await;
    }
    if order.pass == Pass::Purge && end.succeeded_at.is_some() {
        end.audit_expired = expire_audit(order, hold, started).await?;
    }
    Ok(())
}

/// Leaves word in the lease row. A role without the right to write it works all the same.
async fn note(order: &Order, note: PassRecord) {
    if !order.has_leases {
        return;
    }
    if let Err(error) = order.store.record_pass(order.pass, note).await {
        tracing::debug!(%error, "the pass could not be recorded");
    }
}

async fn expire_audit(order: &Order, hold: &PassHold, now: Timestamp) -> Result<u64, StoreError> {
    let mut expired = 0;
    if !order.store.has_audit().await? {
        return Ok(0);
    }
    while hold.ask().await == Admission::Open {
        let before = now.minus(order.audit_retention);
        let gone = match order.store.expire_audit(before, AUDIT_BATCH, &order.confirmed).await {
            Ok(gone) => gone,
            // It is tried again after the next purge.
            Err(error) if matches!(error.kind(), ErrorKind::Locked | ErrorKind::Conflict) => break,
            Err(error) => return Err(error),
        };
        expired += gone;
        if gone < u64::from(AUDIT_BATCH) {
            break;
        }
        sleep(AUDIT_REST).await;
    }
    Ok(expired)
}

/// Stands before every batch of a pass: the end of the lease, a pause, standbys that lag.
pub(super) struct PassHold {
    store: Store,
    stop: CancellationToken,
    lease: watch::Receiver<Option<Instant>>,
    has_leases: bool,
    max_lag: Option<Duration>,
    held: HeldCell,
    open_until: Mutex<Option<Instant>>,
}

impl PassHold {
    pub(super) fn new(
        order: &Order,
        stop: CancellationToken,
        lease: watch::Receiver<Option<Instant>>,
        held: HeldCell,
    ) -> Self {
        let max_lag = order.plan.purge.max_lag.filter(|_| order.pass == Pass::Purge);
        Self {
            store: order.store.clone(),
            stop,
            lease,
            has_leases: order.has_leases,
            max_lag,
            held,
            open_until: Mutex::new(None),
        }
    }

    fn hold(&self, held: Option<(HeldReason, String)>) -> Admission {
        let mut cell = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = if held.is_some() { Admission::Wait } else { Admission::Open };
        let goes_on = match (&*cell, &held) {
            (Some(before), Some((reason, _))) => before.reason == *reason,
            (None, None) => true,
            _ => false,
        };
        if !goes_on {
            match &held {
                Some((reason, detail)) => {
                    tracing::warn!(reason = reason.as_str(), "the purge waits: {detail}")
                }
                None => tracing::info!("the purge goes on"),
            }
        }
        let now: DateTime<Utc> = SystemTime::now().into();
        let since = cell.as_ref().filter(|_| goes_on).map_or(Timestamp::from(now), |before| before.since);
        *cell = held.map(|(reason, detail)| Held { reason, detail, since, until: None });
        answer
    }

    /// Why the standbys hold the purge back, if they do.
    async fn lag(&self, max_lag: Duration) -> Option<(HeldReason, String)> {
        let limit = crate::words::duration(max_lag);
        match self.store.replication_lag().await {
            Ok(Lag::Behind(lag)) if lag <= max_lag => None,
            Ok(Lag::Behind(lag)) => {
                let lag = crate::words::duration(Duration::from_millis(lag.as_millis() as u64));
                Some((HeldReason::Lag, format!("a standby is {lag} behind, the limit is {limit}")))
            }
            Ok(Lag::Unknown) => {
                Some((HeldReason::Lag, "a standby is behind, and it is not known yet how far".to_owned()))
            }
            Ok(Lag::Unreadable) => Some((
                HeldReason::LagUnreadable,
                "the role may no longer read how far the standbys are behind".to_owned(),
            )),
            Err(error) => Some((
                HeldReason::LagUnreadable,
                format!("how far the standbys are behind can't be read: {}", error.chain()),
            )),
        }
    }
}

#[async_trait]
impl Hold for PassHold {
    fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    async fn ask(&self) -> Admission {
        let now = Instant::now();
        if self.stop.is_cancelled() || self.lease.borrow().is_none_or(|until| until <= now) {
            return Admission::Stop;
        }
        let is_open = |until: &Mutex<Option<Instant>>| *until.lock().unwrap_or_else(PoisonError::into_inner);
        if is_open(&self.open_until).is_some_and(|until| now < until) {
            return Admission::Open;
        }
        if self.has_leases {
            match self.store.pause().await {
                Ok(None) => {}
                Ok(Some(_)) => return Admission::Paused,
                // Whoever pauses relies on it: what can't be asked is no permission. If the database is
                // gone, the loop ends this pass.
                Err(error) => {
                    tracing::debug!(%error, "whether the janitor is paused can't be read");
                    return Admission::Wait;
                }
            }
        }
        let held = match self.max_lag {
            None => None,
            Some(max_lag) => self.lag(max_lag).await,
        };
        let answer = self.hold(held);
        let open_until = (answer == Admission::Open).then(|| Instant::now() + ASKED_EVERY);
        *self.open_until.lock().unwrap_or_else(PoisonError::into_inner) = open_until;
        answer
    }
}

/// The passes that the table's mapping does not allow, and what it lacks for each.
pub(crate) fn unable(store: &Store, plan: &TablePlan) -> Vec<(Pass, String)> {
    let reap = plan.reap.as_ref().map(|reap| (Pass::Reap, store.check_reap(reap.options.retry.strictest())));
    reap.into_iter()
        .chain([(Pass::Purge, store.check_purge())])
        .filter_map(|(pass, able)| Some((pass, able.err()?.to_string())))
        .collect()
}

/// Refuses a `max_lag` that this role could never know to be kept.
pub(crate) async fn check_lag_readable(store: &Store) -> Result<(), StoreError> {
    match store.replication_lag().await? {
        Lag::Unreadable => Err(StoreError::new(
            ErrorKind::Input,
            "purge.max_lag is set, and the role may not read how far standbys are behind: \
             it needs pg_read_all_stats (GRANT pg_read_all_stats TO the role)",
        )),
        Lag::Behind(_) | Lag::Unknown => Ok(()),
    }
}
