//! `idemctl janitor`

mod check;
mod http;
mod metrics;
mod systemd;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind};
use tokio::sync::mpsc;

use super::{actor, refuse_missing_default, signals, stop_on_signal, tell_ignored};
use crate::cli::{GlobalArgs, JanitorArgs};
use crate::exit::{Exit, Failure};
use crate::janitor::{Connect, Daemon, Mode, Plan};
use crate::output::{CycleReport, Printer};
use crate::settings::{DatabaseTarget, JanitorAction, JanitorSettings, Settings};
use crate::store::{ErrorKind, Store, StoreError};
use crate::table::Mapping;
use metrics::Metrics;
pub use metrics::{METRICS, MetricReference};
use systemd::Systemd;

/// How often the tables are counted while somebody may ask.
const SAMPLE_EVERY: Duration = Duration::from_secs(60);
/// Without a watchdog, the loop shows this often that it turns.
const TURN: Duration = Duration::from_secs(10);

/// Opens the tables of the configuration.
struct Connector {
    target: DatabaseTarget,
    mappings: Vec<Mapping>,
}

impl Connector {
    fn new(settings: &JanitorSettings) -> Self {
        let mappings = settings.tables.iter().map(|(mapping, _)| mapping.clone()).collect();
        Self { target: settings.target.clone(), mappings }
    }
}

#[async_trait]
impl Connect for Connector {
    async fn connect(&self) -> Result<Vec<Store>, StoreError> {
        let store = Store::open(&self.target.url, self.target.options.clone()).await?;
        let mut stores = Vec::with_capacity(self.mappings.len());
        for mapping in &self.mappings {
            // What the table lacks for one pass is no reason to stop the other one.
            let table = store.looking_at(mapping.clone()).await?;
            // The log names it.
            table.location().await?;
            if mapping.is_owned() {
                table.check_schema().await?;
            }
            stores.push(table);
        }
        Ok(stores)
    }

    fn target(&self) -> String {
        self.target.url.to_string()
    }
}

fn plan(settings: &JanitorSettings, turn_every: Duration) -> Plan {
    Plan {
        connect: Arc::new(Connector::new(settings)),
        tables: settings.tables.iter().map(|(_, plan)| plan.clone()).collect(),
        lease: settings.lease,
        shutdown_timeout: settings.shutdown_timeout,
        reconnect: settings.reconnect,
        audit_retention: settings.audit_retention,
        turn_every,
        sample_every: settings.listen.map(|_| SAMPLE_EVERY),
    }
}

/// Names this process in the leases; a process that gets the same number later is another holder.
fn holder() -> String {
    let host = whoami::hostname().unwrap_or_else(|_| "host".to_owned());
    format!("{host}:{}:{:08x}", std::process::id(), fastrand::u32(..))
}

/// Runs the janitor.
pub(super) async fn janitor(
    global: &GlobalArgs,
    args: &JanitorArgs,
    settings: &JanitorSettings,
    printer: &Printer,
) -> Result<Exit, Failure> {
    tell_ignored(&settings.target, printer);
    refuse_missing_default(&settings.target)?;
    match settings.action {
        JanitorAction::Check => check::check(settings, printer).await,
        JanitorAction::Once => once(settings, printer).await,
        JanitorAction::Serve => serve(global, args, settings, printer).await,
    }
}

/// One cycle.
async fn once(settings: &JanitorSettings, printer: &Printer) -> Result<Exit, Failure> {
    printer.notice(&format!("one cycle of {} (from {})", settings.target.url, settings.target.source));
    // What keeps the passes from their work is said before they are kept from it; where even that can't be
    // asked, the cycle says why.
    let problems = check::problems(settings).await.unwrap_or_default();
    for problem in &problems {
        printer.notice(&problem.words());
    }
    let daemon =
        Daemon::new(plan(settings, TURN), Mode::Once, holder(), actor("janitor", None), Arc::new(()));
    let status = daemon.status();
    let (_plans, no_plans) = mpsc::channel(1);
    let stop = stop_on_signal();
    let ended = daemon.run(stop.clone(), no_plans).await?;
    let report = CycleReport::new(&status.borrow(), &ended);
    printer.report(&report)?;
    if let Some(error) = ended.into_iter().find_map(|end| end.error) {
        let is_right = error.kind() == ErrorKind::Right;
        let failure = Failure::from(error);
        return Err(match is_right {
            true => failure.hint("`idemctl janitor --check` names every missing right, with its GRANT"),
            false => failure,
        });
    }
    if stop.is_cancelled() {
        return Ok(Exit::Interrupted);
    }
    let hides = problems.iter().any(|problem| problem.code == "row_security");
    Ok(if report.is_partial() || hides { Exit::Partial } else { Exit::Done })
}

/// Until it is told to end.
async fn serve(
    global: &GlobalArgs,
    args: &JanitorArgs,
    settings: &JanitorSettings,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let stop = stop_on_signal();
    let systemd = Arc::new(Systemd::new());
    let metrics = Arc::new(
        Metrics::new(systemd.clone())
            .map_err(|error| Failure::new(Exit::Failed, "the metrics can't be set up").because(error))?,
    );
    let turn_every = systemd.watchdog().map_or(TURN, |period| TURN.min(period / 3));
    let daemon = Daemon::new(
        plan(settings, turn_every),
        Mode::Forever,
        holder(),
        actor("janitor", None),
        metrics.clone(),
    );
    let status = daemon.status();
    // Before READY: an address that is taken is said at once.
    let listener = match settings.listen {
        None => None,
        Some(address) => Some(TcpListener::bind(address).await.map_err(|error| {
            Failure::new(Exit::Failed, format!("can't listen at {address}")).because(error)
        })?),
    };
    printer.notice(&format!("keeping {} (from {})", settings.target.url, settings.target.source));
    if let Some(listener) = listener {
        let address = listener.local_addr().map(|address| address.to_string()).unwrap_or_default();
        printer.notice(&format!("listening at http://{address}"));
        tokio::spawn(http::serve(listener, status.clone(), metrics.clone()));
    }
    let (plans, new_plans) = mpsc::channel(1);
    let reload = Reload {
        global: global.clone(),
        args: args.clone(),
        listen: settings.listen,
        plans,
        systemd: systemd.clone(),
        turn_every,
    };
    // From here on, before READY, the signal no longer kills.
    tokio::spawn(reload.on(signals::listen(SignalKind::hangup())));
    tokio::spawn(systemd.clone().follow(status, stop.clone()));
    systemd.ready();
    let outcome = daemon.run(stop, new_plans).await;
    systemd.stopping();
    outcome?;
    Ok(Exit::Done)
}

/// SIGHUP reads the configuration anew; a bad one is reported, and the old one stays.
struct Reload {
    global: GlobalArgs,
    args: JanitorArgs,
    listen: Option<SocketAddr>,
    plans: mpsc::Sender<Plan>,
    systemd: Arc<Systemd>,
    turn_every: Duration,
}

impl Reload {
    async fn on(self, mut hangup: Option<Signal>) {
        loop {
            signals::next(&mut hangup).await;
            self.systemd.reloading();
            match self.read() {
                Ok(settings) => {
                    tracing::info!("the configuration was read anew");
                    if self.plans.send(plan(&settings, self.turn_every)).await.is_err() {
                        return;
                    }
                }
                Err(failure) => {
                    tracing::error!("the new configuration is not used, the old one stays: {failure}");
                }
            }
            self.systemd.ready();
        }
    }

    fn read(&self) -> Result<JanitorSettings, Failure> {
        let mut settings = Settings::resolve(&self.global)?.janitor(&self.args)?;
        refuse_missing_default(&settings.target)?;
        if settings.listen != self.listen {
            tracing::warn!("janitor.listen changed; that takes a restart");
            settings.listen = self.listen;
        }
        Ok(settings)
    }
}
