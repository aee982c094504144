//! The daemon: one loop that decides, and tasks that touch the database.
//!
//! The loop never waits for the database. What takes time (connecting, the leases, the passes, counting)
//! runs in tasks that report back as events; so a database that hangs can't stop the loop, and a loop that
//! does not turn is a defect that a watchdog may end the process for.

mod errors;
mod job;
mod pass;
mod plan;

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use chrono::{DateTime, Utc};
use tokio::sync::{mpsc, watch};
use tokio::time::sleep_until;
use tokio_util::sync::CancellationToken;

use super::status::{DatabaseStatus, JanitorStatus, TableStatus};
use crate::protocol::Timestamp;
use crate::store::{Actor, Confirmed, ErrorKind, Leadership, Pass, PauseRow, Sample, Store, StoreError};
use errors::ErrorLog;
use job::Job;
#[cfg(feature = "cli")]
pub(crate) use pass::check_lag_readable;
pub(crate) use pass::unable;
pub use pass::{PassEnd, PassReport};
pub use plan::{Connect, Plan, PurgeOrder, ReapPlan, TablePlan};

/// A wall clock that moved further than this against the steady one was set, or the host slept.
const CLOCK_SET: Duration = Duration::from_secs(5);
/// An overdue pass starts within this time once its janitor leads.
const SOON: Duration = Duration::from_secs(10);
/// A lease is not used to its very end: a batch that begins must not outlive it.
const LEASE_MARGIN: u32 = 6;
/// How long giving the leases back may hold up the end.
const RELEASE_PATIENCE: Duration = Duration::from_secs(2);

/// Is told what happens, for metrics.
pub trait Observer: Send + Sync {
    /// The loop turned.
    fn turned(&self) {}
    /// A batch ended.
    fn batch(&self, _table: &str, _pass: Pass, _rows: u64, _took: Duration) {}
    /// A pass ended.
    fn ended(&self, _end: &PassEnd) {}
    /// Something failed.
    fn failed(&self, _kind: ErrorKind) {}
}

/// Watches nothing.
impl Observer for () {}

/// What the tasks report.
enum Event {
    Connected(u64, Instant, Result<(Vec<Linked>, Vec<Leadership>), StoreError>),
    Led(u64, Instant, Result<Vec<Leadership>, StoreError>),
    Sampled(u64, Vec<Result<Sample, StoreError>>),
    Ended(u64, usize, Box<PassEnd>),
}

/// A connected table.
#[derive(Clone)]
struct Linked {
    store: Store,
    /// Whether a leader can be elected and a pause be set.
    has_leases: bool,
    /// The passes that its mapping does not allow.
    unable: Vec<(Pass, String)>,
    /// Row level security hides rows from the role.
    row_security: bool,
}

/// The way to the database.
enum Link {
    Waiting { retry_at: Instant },
    Connecting,
    Up { tables: Vec<Linked>, lead_at: Instant, leading: bool, sample_at: Instant, sampling: bool },
}

/// How long it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Until it is told to end.
    Forever,
    /// Until every pass ran once, or turned out to be another janitor's.
    Once,
}

/// A janitor.
pub struct Daemon {
    plan: Plan,
    mode: Mode,
    holder: String,
    actor: Actor,
    confirmed: Arc<Confirmed>,
    observer: Arc<dyn Observer>,
    status: watch::Sender<JanitorStatus>,
    events: (mpsc::UnboundedSender<Event>, mpsc::UnboundedReceiver<Event>),
    link: Link,
    /// Tells events of this connection from those of earlier ones.
    generation: u64,
    /// Tries since the database was last up.
    attempts: u32,
    was_up: bool,
    /// The connection was given up for what a pass met on it.
    broke_under_a_pass: bool,
    jobs: Vec<Job>,
    samples: Vec<Option<Sample>>,
    pause: Option<PauseRow>,
    database: DatabaseStatus,
    started_at: Timestamp,
    clock: (Instant, DateTime<Utc>),
    errors: ErrorLog,
    /// Tells the passes of this plan from those of earlier ones, whose jobs are gone.
    plan_number: u64,
    /// A plan that takes over when the passes of the old one have ended, or at this moment.
    next_plan: Option<(Plan, Instant)>,
    ended: Vec<PassEnd>,
}

/// Takes or renews the leases of every table.
async fn lead(
    tables: &[Linked],
    passes: &[Vec<Pass>],
    holder: &str,
    length: Duration,
    confirmed: &Confirmed,
) -> Result<Vec<Leadership>, StoreError> {
    let mut led = Vec::new();
    for (Linked { store, has_leases, .. }, passes) in tables.iter().zip(passes) {
        led.push(if *has_leases {
            store.lead(passes, holder, length, confirmed).await?
        } else {
            // Nobody to ask; that this is the only janitor is up to whoever runs it.
            store.now().await?;
            Leadership { leads: passes.clone(), rows: Vec::new(), pause: None }
        });
    }
    Ok(led)
}

/// This host's wall clock.
fn wall() -> DateTime<Utc> {
    SystemTime::now().into()
}

impl Daemon {
    /// A janitor that has not begun. `holder` names it in the leases: it must be this process's alone.
    pub fn new(plan: Plan, mode: Mode, holder: String, actor: Actor, observer: Arc<dyn Observer>) -> Self {
        let started_at = Timestamp::from(wall());
        let database = DatabaseStatus {
            target: plan.connect.target(),
            up: false,
            since: started_at,
            error: Some("not connected yet".to_owned()),
        };
        let jobs = Job::all(&plan);
        let status = JanitorStatus {
            holder: holder.clone(),
            started_at,
            stopping: false,
            database: database.clone(),
            tables: Vec::new(),
        };
        Self {
            samples: vec![None; plan.tables.len()],
            plan,
            mode,
            holder,
            actor,
            // Whoever starts a janitor wants its work.
            confirmed: Arc::new(Confirmed::given()),
            observer,
            status: watch::Sender::new(status),
            events: mpsc::unbounded_channel(),
            link: Link::Waiting { retry_at: Instant::now() },
            generation: 0,
            attempts: 0,
            was_up: false,
            broke_under_a_pass: false,
            jobs,
            pause: None,
            database,
            started_at,
            clock: (Instant::now(), wall()),
            errors: ErrorLog::default(),
            plan_number: 0,
            next_plan: None,
            ended: Vec::new(),
        }
    }

    /// Its status, now and on every change.
    pub fn status(&self) -> watch::Receiver<JanitorStatus> {
        self.status.subscribe()
    }

    /// Runs until `stop`; [`Mode::Once`] until every pass has run. Each plan that comes by `plans` replaces
    /// the one before. Says how every pass ended that it ran, in [`Mode::Once`] alone.
    ///
    /// # Errors
    /// In [`Mode::Once`] a database that can't be worked with; [`Mode::Forever`] waits for it, and only
    /// refuses a configuration that can't be.
    pub async fn run(
        mut self,
        stop: CancellationToken,
        mut plans: mpsc::Receiver<Plan>,
    ) -> Result<Vec<PassEnd>, StoreError> {
        let mut outcome = Ok(());
        while !stop.is_cancelled() {
            self.observer.turned();
            self.mind_the_clock();
            self.act();
            self.publish(false);
            if self.mode == Mode::Once && self.jobs.iter().all(|job| job.settled) {
                break;
            }
            let wake = self.next_wake();
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                event = self.events.1.recv() => {
                    if let Some(event) = event && let Err(error) = self.on(event) {
                        outcome = Err(error);
                        break;
                    }
                }
                Some(plan) = plans.recv() => self.take_over(plan),
                () = sleep_until(wake.into()) => {}
            }
        }
        self.wind_up().await;
        outcome.map(|()| self.ended)
    }

    /// Ends the passes after their batch, and gives the leases back.
    async fn wind_up(&mut self) {
        for job in &self.jobs {
            job.stop();
        }
        self.publish(true);
        let deadline = Instant::now() + self.plan.shutdown_timeout;
        while self.jobs.iter().any(Job::is_running) {
            self.observer.turned();
            let turn = deadline.min(Instant::now() + Duration::from_secs(1));
            tokio::select! {
                event = self.events.1.recv() => {
                    if let Some(Event::Ended(plan, job, end)) = event
                        && plan == self.plan_number
                    {
                        self.on_ended(job, *end);
                        self.publish(true);
                    }
                }
                () = sleep_until(turn.into()) => {
                    if Instant::now() >= deadline {
                        tracing::warn!("the batch at hand outlasts the shutdown timeout; it is rolled back");
                        break;
                    }
                }
            }
        }
        for job in &mut self.jobs {
            job.abort();
        }
        if let Link::Up { tables, .. } = &self.link {
            for linked in tables.iter().filter(|linked| linked.has_leases) {
                let release = linked.store.release_leases(&self.holder);
                if !matches!(tokio::time::timeout(RELEASE_PATIENCE, release).await, Ok(Ok(()))) {
                    tracing::warn!("the leases could not be given back; they run out by themselves");
                    break;
                }
            }
        }
    }

    /// A wall clock that was set moves every start with it, and a host that slept has lost its leases.
    fn mind_the_clock(&mut self) {
        let (instant, at) = (Instant::now(), wall());
        let steady = instant.duration_since(self.clock.0).as_secs_f64();
        let moved = (at - self.clock.1).as_seconds_f64() - steady;
        self.clock = (instant, at);
        if moved.abs() < CLOCK_SET.as_secs_f64() {
            return;
        }
        tracing::warn!("the clock of this host moved by {moved:.0} s");
        for job in &mut self.jobs {
            job.lose();
        }
        if let Link::Up { lead_at, .. } = &mut self.link {
            *lead_at = instant;
        }
    }

    /// Starts whatever is due.
    fn act(&mut self) {
        let now = Instant::now();
        if self.next_plan.as_ref().is_some_and(|(_, at)| *at <= now || !self.jobs.iter().any(Job::is_running))
            && let Some((plan, _)) = self.next_plan.take()
        {
            self.replace_plan(plan);
        }
        match &self.link {
            Link::Waiting { retry_at } if *retry_at <= now => self.connect(),
            Link::Up { lead_at, leading: false, .. } if *lead_at <= now => self.lead(),
            _ => {}
        }
        match &self.link {
            Link::Up { sample_at, sampling: false, .. }
                if *sample_at <= now && self.plan.sample_every.is_some() =>
            {
                self.sample();
            }
            _ => {}
        }
        if matches!(self.link, Link::Up { .. }) && self.next_plan.is_none() && self.pause.is_none() {
            self.start_passes();
        }
    }

    fn next_wake(&self) -> Instant {
        let now = Instant::now();
        let mut wake = now + self.plan.turn_every;
        match &self.link {
            Link::Waiting { retry_at } => wake = wake.min(*retry_at),
            Link::Connecting => {}
            Link::Up { lead_at, leading, sample_at, sampling, .. } => {
                if !leading {
                    wake = wake.min(*lead_at);
                }
                if !sampling && self.plan.sample_every.is_some() {
                    wake = wake.min(*sample_at);
                }
                if self.pause.is_none() {
                    let at = wall();
                    for job in &self.jobs {
                        if let Some(due) = job.due.filter(|_| job.waits_for_its_time()) {
                            wake = wake.min(now + (due - at).to_std().unwrap_or_default());
                        }
                    }
                }
            }
        }
        if let Some((_, at)) = &self.next_plan {
            wake = wake.min(*at);
        }
        // Never in a circle: an event, not the clock, ends a wait for something that is under way.
        wake.max(now + Duration::from_millis(5))
    }

    fn connect(&mut self) {
        self.generation += 1;
        self.link = Link::Connecting;
        let (connect, events, generation) =
            (self.plan.connect.clone(), self.events.0.clone(), self.generation);
        // Later it is the hold that says so, and holds the purge back.
        let is_first = !self.was_up;
        let plans = self.plan.tables.clone();
        let mut passes = self.passes();
        let (holder, length, confirmed) = (self.holder.clone(), self.plan.lease, self.confirmed.clone());
        tokio::spawn(async move {
            let asked_at = Instant::now();
            let linked = async {
                let mut tables = Vec::new();
                for (index, store) in connect.connect().await?.into_iter().enumerate() {
                    let has_leases = store.has_leases().await?;
                    if plans[index].purge.max_lag.is_some() && is_first {
                        pass::check_lag_readable(&store).await?;
                    }
                    let unable = unable(&store, &plans[index]);
                    passes[index].retain(|pass| unable.iter().all(|(other, _)| other != pass));
                    let row_security = store.hides_rows(&passes[index]).await?;
                    tables.push(Linked { store, has_leases, unable, row_security });
                }
                // Connected is what takes writes, too.
                let led = lead(&tables, &passes, &holder, length, &confirmed).await?;
                Ok((tables, led))
            };
            let _ = events.send(Event::Connected(generation, asked_at, linked.await));
        });
    }

    /// The passes of each table.
    fn passes(&self) -> Vec<Vec<Pass>> {
        let of_table = |table| {
            let able = self.jobs.iter().filter(move |job| job.table == table && job.unable.is_none());
            able.map(|job| job.pass).collect()
        };
        (0..self.plan.tables.len()).map(of_table).collect()
    }

    /// Renews the leases of every table.
    fn lead(&mut self) {
        let passes = self.passes();
        let Link::Up { tables, leading, .. } = &mut self.link else { return };
        *leading = true;
        let tables = tables.clone();
        let (events, generation, holder) = (self.events.0.clone(), self.generation, self.holder.clone());
        let (length, confirmed, asked_at) = (self.plan.lease, self.confirmed.clone(), Instant::now());
        tokio::spawn(async move {
            let led = lead(&tables, &passes, &holder, length, &confirmed).await;
            let _ = events.send(Event::Led(generation, asked_at, led));
        });
    }

    fn sample(&mut self) {
        let Link::Up { tables, sampling, .. } = &mut self.link else { return };
        *sampling = true;
        let stores: Vec<Store> = tables.iter().map(|linked| linked.store.clone()).collect();
        let wanted: Vec<(Duration, Duration)> =
            self.plan.tables.iter().map(|table| (table.stuck_after, table.purge.options.grace)).collect();
        let (events, generation, observer) = (self.events.0.clone(), self.generation, self.observer.clone());
        tokio::spawn(async move {
            let mut samples = Vec::new();
            for (store, (stuck_after, grace)) in stores.into_iter().zip(wanted) {
                let sample = store.sample(stuck_after, grace).await;
                if let Err(error) = &sample {
                    observer.failed(error.kind());
                }
                samples.push(sample);
            }
            let _ = events.send(Event::Sampled(generation, samples));
        });
    }

    fn start_passes(&mut self) {
        let Link::Up { tables, .. } = &self.link else { return };
        let at = wall();
        for index in 0..self.jobs.len() {
            let job = &self.jobs[index];
            if !job.waits_for_its_time() || job.due.is_none_or(|due| due > at) {
                continue;
            }
            // Where both are due, reap comes first.
            let reap_first = job.pass == Pass::Purge
                && self.jobs.iter().any(|other| {
                    other.table == job.table
                        && other.pass == Pass::Reap
                        && (other.is_running()
                            || (other.waits_for_its_time() && other.due.is_some_and(|due| due <= at)))
                });
            if reap_first {
                continue;
            }
            let linked = &tables[job.table];
            let (events, plan, table) =
                (self.events.0.clone(), self.plan_number, &self.plan.tables[job.table]);
            let order = pass::Order {
                store: linked.store.clone(),
                table: table.table.clone(),
                pass: job.pass,
                plan: table.clone(),
                has_leases: linked.has_leases,
                small: job.small && self.mode == Mode::Forever,
                actor: self.actor.clone(),
                confirmed: self.confirmed.clone(),
                observer: self.observer.clone(),
                audit_retention: self.plan.audit_retention,
            };
            self.jobs[index].start(order, at, move |end| {
                let _ = events.send(Event::Ended(plan, index, Box::new(end)));
            });
        }
    }

    /// Takes an event in. An error ends the daemon.
    fn on(&mut self, event: Event) -> Result<(), StoreError> {
        match event {
            Event::Connected(generation, ..) | Event::Led(generation, ..) | Event::Sampled(generation, _)
                if generation != self.generation => {}
            Event::Connected(_, asked_at, Ok((tables, led))) => {
                self.on_connected(tables);
                self.on_led(asked_at, led);
            }
            Event::Connected(_, _, Err(error)) | Event::Led(_, _, Err(error)) => return self.on_down(error),
            Event::Led(_, asked_at, Ok(led)) => self.on_led(asked_at, led),
            Event::Sampled(_, samples) => self.on_sampled(samples),
            Event::Ended(plan, job, end) => {
                if plan == self.plan_number {
                    self.on_ended(job, *end);
                }
            }
        }
        Ok(())
    }

    fn on_connected(&mut self, tables: Vec<Linked>) {
        let at = Timestamp::from(wall());
        let target = tables.first().map_or_else(|| self.plan.connect.target(), |one| one.store.target());
        if self.attempts > 0 {
            let away = crate::words::duration(Duration::from_secs(at.since(self.database.since).as_secs()));
            tracing::info!("{target} is back after {away}");
        } else {
            tracing::info!("connected to {target}");
        }
        for (linked, table) in tables.iter().zip(&self.plan.tables) {
            if !linked.has_leases {
                tracing::warn!(
                    "idemctl_lease or idemctl_pause is missing beside {}: run one janitor at a time, \
                     or create them with `idemctl migrate`",
                    table.table
                );
            }
        }
        for (linked, table) in tables.iter().zip(&self.plan.tables) {
            if linked.row_security {
                tracing::warn!(
                    "row level security hides rows of {} from the role: they are neither reaped, purged nor counted; \
                     `idemctl doctor` says what to do about it",
                    table.table
                );
            }
        }
        for job in &mut self.jobs {
            let unable = tables[job.table].unable.iter().find(|(pass, _)| *pass == job.pass);
            job.unable = unable.map(|(_, lacks)| lacks.clone());
            if let Some(lacks) = &job.unable {
                tracing::warn!("no {} of {}: {lacks}", job.pass, self.plan.tables[job.table].table);
            }
        }
        self.attempts = 0;
        self.was_up = true;
        // What a pass found is said no more often for its connection being made anew each time.
        if !std::mem::take(&mut self.broke_under_a_pass) {
            self.errors.forget();
        }
        self.database = DatabaseStatus { target, up: true, since: at, error: None };
        let now = Instant::now();
        self.link = Link::Up { tables, lead_at: now, leading: false, sample_at: now, sampling: false };
    }

    /// The database can't be worked with: the janitor waits for it.
    fn on_down(&mut self, error: StoreError) -> Result<(), StoreError> {
        self.observer.failed(error.kind());
        // Before the first work a mistake in the configuration is said and not waited for.
        if self.mode == Mode::Once || (error.kind() == ErrorKind::Input && !self.was_up) {
            return Err(error);
        }
        // A lock that was in the way is no reason to connect anew; the lease has time left for that.
        if let (true, Link::Up { lead_at, leading, .. }) = (error.is_transient(), &mut self.link) {
            *leading = false;
            *lead_at = Instant::now() + Duration::from_secs(1);
            self.errors.warn("the leases could not be renewed", &error);
            return Ok(());
        }
        self.wait_for_the_database(&error);
        Ok(())
    }

    /// Connects anew after a while.
    fn wait_for_the_database(&mut self, error: &StoreError) {
        let at = Timestamp::from(wall());
        if self.database.up {
            self.database.since = at;
            self.database.up = false;
        }
        self.database.error = Some(error.chain());
        for job in &mut self.jobs {
            job.cut();
        }
        self.attempts += 1;
        let wait = self.plan.backoff(self.attempts);
        self.errors.warn(&format!("{} can't be worked with; trying again", self.database.target), error);
        self.generation += 1;
        self.link = Link::Waiting { retry_at: Instant::now() + wait };
    }

    fn on_led(&mut self, asked_at: Instant, led: Vec<Leadership>) {
        let lease = self.plan.lease;
        let now = Instant::now();
        // Before a third of the lease is over; a follower asks again the moment the leader's runs out.
        let mut next = now + (lease / 3).mul_f64(0.9 + 0.1 * fastrand::f64());
        let Link::Up { tables, lead_at, leading, .. } = &mut self.link else { return };
        *leading = false;
        let until = asked_at + lease - lease / LEASE_MARGIN;
        let at = wall();
        self.pause = led.iter().find_map(|one| one.pause.clone());
        for job in &mut self.jobs {
            let (leadership, linked) = (&led[job.table], &tables[job.table]);
            let row = leadership.rows.iter().find(|row| row.pass == job.pass);
            if let Some(row) = row {
                job.note = row.note;
                job.leader = row.holder.clone().filter(|_| !row.left.is_zero());
            }
            if leadership.leads.contains(&job.pass) {
                let until = if linked.has_leases { until } else { now + Duration::from_secs(86_400) };
                if job.win(until, at, self.mode, SOON) {
                    tracing::info!("leading {} of {}", job.pass, self.plan.tables[job.table].table);
                }
            } else {
                job.lose();
                // Whether it works is for its leader to say.
                job.forget_failing();
                job.settled |= self.mode == Mode::Once;
                if let Some(row) = row {
                    let spread = Duration::from_millis(20 + fastrand::u64(..100));
                    next = next.min(now + row.left + spread);
                }
            }
            if self.pause.is_some() && self.mode == Mode::Once && !job.is_running() {
                job.settled = true;
            }
        }
        *lead_at = next;
    }

    fn on_sampled(&mut self, samples: Vec<Result<Sample, StoreError>>) {
        for (sample, table) in samples.iter().zip(&self.plan.tables) {
            if let Err(error) = sample {
                self.errors.warn(&format!("{} could not be counted", table.table), error);
            }
        }
        self.samples = samples.into_iter().map(Result::ok).collect();
        if let (Link::Up { sample_at, sampling, .. }, Some(every)) = (&mut self.link, self.plan.sample_every)
        {
            *sampling = false;
            // Counting is never more than a fiftieth of the work that the database does for us.
            let took: Duration = self.samples.iter().flatten().map(|sample| sample.took).sum();
            *sample_at = Instant::now() + every.max(took * 50);
        }
    }

    fn on_ended(&mut self, index: usize, end: PassEnd) {
        let at = wall();
        self.observer.ended(&end);
        let plan = &self.plan.tables[self.jobs[index].table];
        if let Some(error) = &end.error {
            self.observer.failed(error.kind());
            self.errors.warn(&format!("the {} of {} failed", end.pass, plan.table), error);
        } else {
            end.log();
            for (name, warning) in end.warnings() {
                let what = format!("{} of {}", end.pass, plan.table);
                self.errors.warn_of(&what, name, &warning);
            }
        }
        self.jobs[index].finish(&end, at, self.mode, SOON);
        if self.mode == Mode::Once {
            self.ended.push(end);
            return;
        }
        // A way that broke under a pass is not trusted for anything else, and readiness says so at once.
        if let (Link::Up { .. }, Some(error)) = (&self.link, end.error.filter(StoreError::is_connection)) {
            self.broke_under_a_pass = true;
            self.wait_for_the_database(&error);
        }
    }

    /// A new plan: it takes over once the passes at work have ended their batch.
    fn take_over(&mut self, plan: Plan) {
        for job in &mut self.jobs {
            job.cut();
        }
        self.next_plan = Some((plan, Instant::now() + self.plan.shutdown_timeout));
    }

    fn replace_plan(&mut self, plan: Plan) {
        let mut old = std::mem::replace(&mut self.jobs, Job::all(&plan));
        for job in &mut old {
            job.abort();
        }
        for job in &mut self.jobs {
            let name = &plan.tables[job.table].table;
            let known = |old: &&mut Job| self.plan.tables[old.table].table == *name && old.pass == job.pass;
            if let Some(old) = old.iter_mut().find(known) {
                job.inherit(old);
            }
        }
        self.samples = vec![None; plan.tables.len()];
        // Tables that are no longer ours are given back at once.
        if let Link::Up { tables, .. } = &self.link {
            for (linked, before) in tables.iter().zip(&self.plan.tables) {
                if linked.has_leases && !plan.tables.iter().any(|table| table.table == before.table) {
                    let (store, holder) = (linked.store.clone(), self.holder.clone());
                    tokio::spawn(async move { store.release_leases(&holder).await });
                }
            }
        }
        self.plan = plan;
        self.plan_number += 1;
        self.generation += 1;
        self.link = Link::Waiting { retry_at: Instant::now() };
    }

    /// The database as its connection and the passes show it: one under which passes fail is not up.
    fn judged_database(&self) -> DatabaseStatus {
        let mut database = self.database.clone();
        let failing = self.jobs.iter().find_map(|job| job.failing().map(|failing| (job, failing)));
        if let (true, Some((job, (since, why)))) = (database.up, failing) {
            let table = &self.plan.tables[job.table].table;
            database.up = false;
            database.since = *since;
            database.error = Some(format!("the {} of {table} failed: {why}", job.pass));
        }
        database
    }

    fn publish(&mut self, stopping: bool) {
        let at = wall();
        let tables = self.plan.tables.iter().enumerate().map(|(index, table)| TableStatus {
            table: table.table.clone(),
            row_security: match &self.link {
                Link::Up { tables, .. } => tables.get(index).map(|linked| linked.row_security),
                Link::Waiting { .. } | Link::Connecting => None,
            },
            passes: self
                .jobs
                .iter()
                .filter(|job| job.table == index)
                .map(|job| job.status(at, self.pause.as_ref()))
                .collect(),
            sample: self.samples[index].clone(),
        });
        let status = JanitorStatus {
            holder: self.holder.clone(),
            started_at: self.started_at,
            stopping,
            database: self.judged_database(),
            tables: tables.collect(),
        };
        self.status.send_if_modified(|shown| {
            let changed = *shown != status;
            *shown = status;
            changed
        });
    }
}

#[cfg(test)]
mod tests;
