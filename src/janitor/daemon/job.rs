//! One pass of one table: when it is due, whether we lead it, how it stands.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

use super::pass::{Order, PassEnd, PassHold, run};
use super::{Mode, Plan};
use crate::janitor::Schedule;
use crate::janitor::status::{Held, HeldReason, LastPass, PassStatus};
use crate::protocol::Timestamp;
use crate::store::{ErrorKind, Pass, PassRecord, PauseRow, StoreError};

/// A start is put off by up to this share of the interval, so that a fleet does not strike at once.
const JITTER: f64 = 0.1;
/// And by no more than this.
const MAX_JITTER: Duration = Duration::from_secs(30);

/// A pass that failed is made again after at most this long, if its schedule does not come before.
const AGAIN: Duration = Duration::from_secs(300);

/// What holds a running pass back, as its hold says.
pub(super) type HeldCell = Arc<Mutex<Option<Held>>>;

/// One pass of one table.
pub(super) struct Job {
    pub(super) table: usize,
    pub(super) pass: Pass,
    schedule: Schedule,
    /// When it starts next; none while another janitor leads.
    pub(super) due: Option<DateTime<Utc>>,
    /// The next pass was overdue: it is kept short.
    pub(super) small: bool,
    /// The last pass was cut off, and what is left should not wait for the next regular start.
    resume: bool,
    /// Until when the lease holds; none while another janitor leads.
    lease: watch::Sender<Option<Instant>>,
    /// Who leads, as far as we know.
    pub(super) leader: Option<String>,
    running: Option<Running>,
    last: Option<LastPass>,
    /// Since when our passes fail for what the database is or lacks, and why.
    failing: Option<(Timestamp, String)>,
    /// Passes in a row that ended with their connection.
    broken: u32,
    /// What the lease row says of the last pass, whoever ran it.
    pub(super) note: PassRecord,
    /// What the table's mapping lacks for it.
    pub(super) unable: Option<String>,
    /// In a single cycle: it ran, or is not ours to run.
    pub(super) settled: bool,
}

struct Running {
    stop: CancellationToken,
    since: DateTime<Utc>,
    /// It was kept short, and what is left goes on after it.
    small: bool,
    held: HeldCell,
    task: AbortHandle,
}

impl Job {
    /// The jobs of a plan, reap before purge.
    pub(super) fn all(plan: &Plan) -> Vec<Self> {
        let mut jobs = Vec::new();
        for (table, of) in plan.tables.iter().enumerate() {
            if let Some(reap) = &of.reap {
                jobs.push(Self::new(table, Pass::Reap, reap.schedule.clone()));
            }
            jobs.push(Self::new(table, Pass::Purge, of.purge.schedule.clone()));
        }
        jobs
    }

    fn new(table: usize, pass: Pass, schedule: Schedule) -> Self {
        Self {
            table,
            pass,
            schedule,
            due: None,
            small: false,
            resume: false,
            lease: watch::Sender::new(None),
            leader: None,
            running: None,
            last: None,
            failing: None,
            broken: 0,
            note: PassRecord::default(),
            unable: None,
            settled: false,
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    fn leads(&self) -> bool {
        self.lease.borrow().is_some_and(|until| until > Instant::now())
    }

    /// Whether nothing but its time keeps it from starting.
    pub(super) fn waits_for_its_time(&self) -> bool {
        !self.settled && self.leads() && !self.is_running()
    }

    /// We lead until then. Whether that is news.
    pub(super) fn win(&mut self, until: Instant, at: DateTime<Utc>, mode: Mode, soon: Duration) -> bool {
        let is_news = self.lease.borrow().is_none();
        self.lease.send_replace(Some(until));
        if self.is_running() || (self.due.is_some() && !is_news) {
            return is_news;
        }
        // What was begun is not done: a pass that a stop, a crash or its time limit cut short is as overdue as
        // one that never began.
        let overdue = self.note.succeeded.and_then(Timestamp::to_datetime).is_none_or(|succeeded| {
            // An end that lies ahead of this host's clock says nothing; the schedule goes on from now.
            self.schedule.after(succeeded.min(at)).is_some_and(|next| next <= at)
        });
        if mode == Mode::Once {
            self.due = Some(at);
        } else if overdue || self.resume {
            self.due = Some(at + soon.mul_f64(fastrand::f64()));
            self.small = overdue;
        } else {
            self.due = self.next_start(at);
        }
        self.resume = false;
        is_news
    }

    /// Another janitor leads, or nobody knows who does.
    pub(super) fn lose(&mut self) {
        self.lease.send_replace(None);
        self.due = None;
        self.stop();
    }

    /// As [`Job::lose`], but what is left of a pass at work goes on as soon as we lead again.
    pub(super) fn cut(&mut self) {
        self.resume |= self.is_running();
        self.lose();
    }

    /// The pass at work ends after its batch.
    pub(super) fn stop(&self) {
        if let Some(running) = &self.running {
            running.stop.cancel();
        }
    }

    /// The pass at work ends now; its batch is rolled back.
    pub(super) fn abort(&mut self) {
        if let Some(running) = self.running.take() {
            running.task.abort();
        }
    }

    /// What a job of an earlier plan knew.
    pub(super) fn inherit(&mut self, old: &mut Self) {
        self.resume = old.resume;
        self.last = old.last.take();
        self.failing = old.failing.take();
        self.note = old.note;
    }

    fn next_start(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let start = self.schedule.after(at)?;
        let jitter = self.schedule.interval(at).mul_f64(JITTER).min(MAX_JITTER);
        Some(start + jitter.mul_f64(fastrand::f64()))
    }

    pub(super) fn start(
        &mut self,
        order: Order,
        at: DateTime<Utc>,
        ended: impl FnOnce(PassEnd) + Send + 'static,
    ) {
        let (stop, held, order_small) = (CancellationToken::new(), HeldCell::default(), order.small);
        let hold = PassHold::new(&order, stop.clone(), self.lease.subscribe(), held.clone());
        let task = tokio::spawn(async move { ended(run(order, hold).await) }).abort_handle();
        self.running = Some(Running { stop, since: at, small: order_small, held, task });
        self.due = None;
        self.small = false;
    }

    pub(super) fn finish(&mut self, end: &PassEnd, at: DateTime<Utc>, mode: Mode, soon: Duration) {
        let (since, small) =
            self.running.take().map_or((at, false), |running| (running.since, running.small));
        self.last = Some(end.summary(since.into(), at.into()));
        if let Some(succeeded) = end.succeeded_at {
            self.note.succeeded = Some(succeeded);
        }
        self.judge(end, at);
        self.settled = mode == Mode::Once;
        if !self.leads() {
            return;
        }
        let regular = self.next_start(at);
        let sooner = if end.error.is_some() {
            Some(AGAIN)
        } else if end.succeeded_at.is_none() && (small || end.was_paused()) {
            Some(soon)
        } else {
            None
        };
        self.due = match (regular, sooner) {
            (regular, Some(sooner)) => {
                let sooner = at + sooner.mul_f64(0.5 + 0.5 * fastrand::f64());
                Some(regular.map_or(sooner, |regular| regular.min(sooner)))
            }
            (regular, None) => regular,
        };
    }

    /// What a pass's end says of the database. A connection that broke once is made anew, which shows whether
    /// the database is there; one that breaks under each pass does not get well by that.
    fn judge(&mut self, end: &PassEnd, at: DateTime<Utc>) {
        let Some(error) = &end.error else {
            self.forget_failing();
            return;
        };
        if error.is_connection() {
            self.broken += 1;
        }
        if self.broken > 1 || lacks_something(error) {
            let since = self.failing.as_ref().map_or(at.into(), |(since, _)| *since);
            self.failing = Some((since, error.chain()));
        }
    }

    /// Since when its passes fail for what the database is or lacks, and why.
    pub(super) fn failing(&self) -> Option<&(Timestamp, String)> {
        self.failing.as_ref()
    }

    /// Nothing is known any more that speaks against the database.
    pub(super) fn forget_failing(&mut self) {
        (self.failing, self.broken) = (None, 0);
    }

    pub(super) fn status(&self, at: DateTime<Utc>, pause: Option<&PauseRow>) -> PassStatus {
        let by_hold = self
            .running
            .as_ref()
            .and_then(|running| running.held.lock().unwrap_or_else(PoisonError::into_inner).clone());
        let by_operator = pause.map(|pause| Held {
            reason: HeldReason::Operator,
            detail: pause.reason.clone(),
            since: pause.since,
            until: pause.until,
        });
        PassStatus {
            pass: self.pass,
            schedule: self.schedule.to_string(),
            interval_seconds: self.schedule.interval(at).as_secs_f64(),
            leads: self.leads(),
            leader: self.leader.clone(),
            next_start_at: self.due.map(Timestamp::from),
            running_since: self.running.as_ref().map(|running| running.since.into()),
            held: by_operator.or(by_hold),
            unable: self.unable.clone(),
            last: self.last.clone(),
            last_success_at: self.note.succeeded,
        }
    }
}

/// Whether a failed pass means that the database lacks what the configuration names, or what the work needs.
fn lacks_something(error: &StoreError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Schema
            | ErrorKind::SchemaMismatch
            | ErrorKind::Mapping
            | ErrorKind::MissingSetting
            | ErrorKind::Reopens
            | ErrorKind::Right
            | ErrorKind::DiskFull
            | ErrorKind::Corrupt
    )
}
