//! What systemd is told: that we are ready, what happens, and that the loop turns. Without systemd all
//! of it goes nowhere.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use sd_notify::NotifyState;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::janitor::{JanitorStatus, PassStatus};
use crate::output::{clock_time, visible};
use crate::words::number_of;

/// The status line follows the status no faster.
const STATUS_EVERY: Duration = Duration::from_secs(1);

/// The service manager.
pub(super) struct Systemd {
    watchdog: Option<Duration>,
    last_ping: Mutex<Option<Instant>>,
}

impl Systemd {
    pub(super) fn new() -> Self {
        Self { watchdog: sd_notify::watchdog_enabled(), last_ping: Mutex::new(None) }
    }

    /// How long it waits for a heartbeat.
    pub(super) fn watchdog(&self) -> Option<Duration> {
        self.watchdog
    }

    /// The loop turned: the one thing that may feed the watchdog.
    pub(super) fn turned(&self) {
        let Some(period) = self.watchdog else { return };
        let Ok(mut last) = self.last_ping.lock() else { return };
        if last.is_none_or(|last| last.elapsed() >= period / 4) {
            *last = Some(Instant::now());
            notify(&[NotifyState::Watchdog]);
        }
    }

    pub(super) fn ready(&self) {
        notify(&[NotifyState::Ready]);
    }

    pub(super) fn reloading(&self) {
        match NotifyState::monotonic_usec_now() {
            Ok(now) => notify(&[NotifyState::Reloading, now]),
            Err(_) => notify(&[NotifyState::Reloading]),
        }
    }

    pub(super) fn stopping(&self) {
        notify(&[NotifyState::Stopping]);
    }

    /// Keeps the status line up to date.
    pub(super) async fn follow(
        self: std::sync::Arc<Self>,
        mut status: watch::Receiver<JanitorStatus>,
        stop: CancellationToken,
    ) {
        if std::env::var_os("NOTIFY_SOCKET").is_none() {
            return;
        }
        loop {
            // A line feed would begin another assignment of the protocol's.
            let line = visible(&describe(&status.borrow_and_update()));
            notify(&[NotifyState::Status(&line)]);
            if stop.is_cancelled() {
                notify(&[NotifyState::Stopping]);
            }
            sleep(STATUS_EVERY).await;
            tokio::select! {
                changed = status.changed() => if changed.is_err() { return },
                () = stop.cancelled(), if !stop.is_cancelled() => {}
            }
        }
    }
}

/// There is nobody to tell when systemd can't be told.
fn notify(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::debug!(%error, "systemd could not be told");
    }
}

/// What happened last and what comes next, on one line.
fn describe(status: &JanitorStatus) -> String {
    if status.stopping {
        return "ending: the batch at hand is finished".to_owned();
    }
    if let Some(error) = status.database.error.as_deref().filter(|_| !status.database.up) {
        return format!("waiting for the database since {}: {error}", clock_time(status.database.since));
    }
    let several = status.tables.len() > 1;
    let mut parts = Vec::new();
    for table in &status.tables {
        for pass in &table.passes {
            let name =
                if several { format!("{} of {}", pass.pass, table.table) } else { pass.pass.to_string() };
            parts.push(format!("{name} {}", describe_pass(pass)));
        }
    }
    parts.join("; ")
}

fn describe_pass(pass: &PassStatus) -> String {
    if pass.unable.is_some() {
        return "never runs, the mapping lacks a setting".to_owned();
    }
    if let Some(held) = &pass.held {
        return format!("held back since {}: {}", clock_time(held.since), held.detail);
    }
    if let Some(since) = pass.running_since {
        return format!("at work since {}", clock_time(since));
    }
    if !pass.leads {
        return match &pass.leader {
            Some(leader) => format!("is led by {leader}"),
            None => "has no leader yet".to_owned(),
        };
    }
    let last = match &pass.last {
        None => "has not run yet".to_owned(),
        Some(last) => match &last.error {
            Some(error) => format!("failed at {}: {error}", clock_time(last.ended_at)),
            None => format!("{} at {}, {}", last.end, clock_time(last.ended_at), number_of(last.rows, "row")),
        },
    };
    match pass.next_start_at {
        Some(next) => format!("{last}, next at {}", clock_time(next)),
        None => last,
    }
}
