//! `idemctl run`: any command, at most once per key.

mod child;

use std::io::Write as _;
use std::time::{Duration, Instant};

use backon::{ExponentialBuilder, Retryable as _};

use super::migrate::{holder, open_or_create};
use crate::exit::{Exit, Failure};
use crate::output::{Printer, visible};
use crate::protocol::{
    Answer, Body, Claim, ClaimOutcome, DEFAULT_ANSWER_LIMIT, Fingerprint, Retry, Settlement, Token,
};
use crate::settings::{DatabaseSource, RunSettings, Settings};
use crate::store::{Confirmed, ErrorKind, MigrateOptions, Store, StoreError};

use child::{Ended, Finished};

/// The key was used for another request; as EX_DATAERR of sysexits(3).
const MISMATCH: u8 = 65;
/// Database unreachable; as EX_UNAVAILABLE.
const UNAVAILABLE: u8 = 69;
/// The claim was lost while the command ran; as EX_SOFTWARE.
const CLAIM_LOST: u8 = 70;
/// Another call runs the command; as EX_TEMPFAIL.
const IN_PROGRESS: u8 = 75;
/// Anything else; as env(1).
pub(super) const OTHER: u8 = 125;
/// The command can't be executed; as env(1).
const NOT_EXECUTABLE: u8 = 126;
/// The command was not found; as env(1).
const NOT_FOUND: u8 = 127;

/// How long the outcome of a command that has run is kept trying to reach the database.
const SETTLE_PATIENCE: Duration = Duration::from_secs(60);

/// `run` has exit codes of its own: the others belong to the command.
pub(super) fn exit_of(failure: &Failure) -> Exit {
    match failure.exit {
        Exit::Unreachable => Exit::Code(UNAVAILABLE),
        Exit::Code(code) => Exit::Code(code),
        _ => Exit::Code(OTHER),
    }
}

/// Claims, runs, stores; or replays.
pub(super) async fn run(settings: &Settings, run: &RunSettings, printer: &Printer) -> Result<Exit, Failure> {
    let store = open(settings, printer).await?;
    let mut claim = Claim::new(run.key.clone(), run.scope.clone())
        .with_ttl(run.ttl)
        .with_lease(run.lease)
        .with_owner(owner())
        .if_lost(run.on_lost);
    if let Some(path) = &run.fingerprint_file {
        let bytes = std::fs::read(path).map_err(|error| {
            Failure::new(Exit::Usage, format!("can't read the fingerprint file {}", path.display()))
                .because(error)
        })?;
        claim = claim.with_fingerprint(Fingerprint::raw(&bytes));
    }
    let key = visible(claim.key.as_str());
    match store.wait(&claim, run.wait).await? {
        ClaimOutcome::Claimed { token, attempt } => {
            let finished = child::run(&store, &claim, run, token, attempt, printer).await;
            settle(&store, &claim, run, token, finished, printer).await
        }
        ClaimOutcome::Replay { answer } => replay(&answer, 0, printer),
        ClaimOutcome::FailedFinal { answer: Some(answer), .. } => replay(&answer, OTHER, printer),
        ClaimOutcome::FailedFinal { reason, answer: None } => Err(Failure::new(
            Exit::Code(OTHER),
            format!(
                "the key {key} is closed: {}",
                visible(reason.as_deref().unwrap_or("it failed for good"))
            ),
        )
        .hint("find out whether the lost run did its work; the key stays closed until it is released or expires")),
        ClaimOutcome::InProgress { .. } => Err(Failure::new(
            Exit::Code(IN_PROGRESS),
            format!("the key {key} is in progress: another call runs the command"),
        )
        .hint("wait for its result with --wait 5m, or look at it with `idemctl inspect`")),
        ClaimOutcome::Mismatch => Err(Failure::new(
            Exit::Code(MISMATCH),
            format!("the key {key} was used for another request: the fingerprint differs"),
        )
        .hint("use a new key for a new request")),
    }
}

/// The default database is made when it is not there; a named one must have been migrated.
async fn open(settings: &Settings, printer: &Printer) -> Result<Store, Failure> {
    if settings.adopts() {
        return Err(Failure::new(
            Exit::Usage,
            "keys of an adopted table are claimed and settled by the application that owns it",
        )
        .hint(
            "give `run` a configuration without `[[table]]`, and the table that `idemctl migrate` creates",
        ));
    }
    let target = settings.database()?;
    if target.source == DatabaseSource::Default {
        let store = open_or_create(&target).await?;
        let options = MigrateOptions { patience: settings.migrate_wait(), holder: holder() };
        if !store.migrate(&options, &Confirmed::given()).await?.is_empty() {
            printer.notice(&format!("made the default database {}", store.target()));
        }
        return Ok(store);
    }
    let store = Store::open(&target.url, target.options.clone()).await?;
    store.check_schema().await?;
    Ok(store)
}

fn owner() -> String {
    let host = whoami::hostname().unwrap_or_else(|_| "unknown".to_owned());
    format!("{host}:{}", std::process::id())
}

/// Stores what became of the command. What has been executed must be known to have been: a broken
/// connection is tried again for a while, and the token makes that harmless.
async fn settle(
    store: &Store,
    claim: &Claim,
    run: &RunSettings,
    token: Token,
    mut finished: Finished,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let write_error = finished.unwritten.take();
    let (settlement, exit) = outcome(finished, run.on_failure);
    let started = Instant::now();
    let mut told = false;
    let result = (|| store.settle(&claim.key, &claim.scope, token, &settlement))
        .retry(
            ExponentialBuilder::default()
                .with_min_delay(Duration::from_millis(200))
                .with_max_delay(Duration::from_secs(5))
                .without_max_times()
                .with_jitter(),
        )
        .when(|error: &StoreError| {
            matches!(
                error.kind(),
                ErrorKind::Unreachable
                    | ErrorKind::OutcomeUnknown
                    | ErrorKind::Conflict
                    | ErrorKind::Locked
                    | ErrorKind::ReadOnly
                    | ErrorKind::Timeout
                    | ErrorKind::DiskFull
            ) && started.elapsed() < SETTLE_PATIENCE
        })
        .notify(|error, _| {
            if !told {
                told = true;
                printer.notice(&format!("the outcome can't be stored yet, trying again: {error}"));
            }
        })
        .await;
    match result {
        Ok(()) => match (exit, write_error) {
            (Ok(exit), Some(error)) => unwritten(exit, error, &settlement, printer),
            (exit, _) => exit,
        },
        Err(error) if error.kind() == ErrorKind::StaleClaim => Err(Failure::new(
            Exit::Code(CLAIM_LOST),
            "the claim was lost while the command ran: its outcome is not stored",
        )
        .hint("look at the key with `idemctl inspect`; somebody reaped or failed it")),
        Err(error) => {
            let ran = match exit {
                Ok(exit) => {
                    format!("the command ran (exit {}), but its outcome could not be stored", exit.code())
                }
                Err(_) => "the command did not run, and that could not be stored".to_owned(),
            };
            let exit = match error.kind() {
                ErrorKind::Unreachable | ErrorKind::OutcomeUnknown | ErrorKind::Refused => UNAVAILABLE,
                _ => OTHER,
            };
            Err(Failure::new(Exit::Code(exit), ran)
                .because(error)
                .hint("the key stays in progress; once its lease is over, reap it and decide whether it may run again"))
        }
    }
}

/// What is stored, and how we exit.
fn outcome(finished: Finished, on_failure: Retry) -> (Settlement, Result<Exit, Failure>) {
    let Finished { ended, stdout, .. } = finished;
    let (code, reason) = match ended {
        Ended::NotStarted { error, program } => {
            let (code, what) = match error.kind() {
                std::io::ErrorKind::NotFound => (NOT_FOUND, "not found"),
                _ => (NOT_EXECUTABLE, "not executable"),
            };
            let program = visible(&program);
            let settlement = Settlement::Failed {
                reason: format!("the command was {what}: {program}"),
                // Nothing has run, whatever the policy.
                retry: Retry::Allow,
                answer: None,
            };
            let failure = Failure::new(Exit::Code(code), format!("can't run {program}")).because(error);
            return (settlement, Err(failure));
        }
        Ended::Exit(code) => (code, format!("exit status {code}")),
        Ended::Signal(signal) => (128u8.wrapping_add(signal), format!("killed by signal {signal}")),
    };
    let answer = Answer { status: Some(i32::from(code)), headers: Vec::new(), body: stdout };
    let settlement = if code == 0 {
        Settlement::Completed { answer }
    } else {
        Settlement::Failed { reason, retry: on_failure, answer: Some(answer) }
    };
    (settlement, Ok(Exit::Code(code)))
}

/// A success whose output did not arrive is none for whoever reads it; a failure stays the command's.
fn unwritten(
    exit: Exit,
    error: std::io::Error,
    settlement: &Settlement,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let what = format!("the command ran (exit {}), but its output could not be written", exit.code());
    if exit.code() != 0 {
        printer.notice(&format!("{what}: {error}"));
        return Ok(exit);
    }
    let kept = settlement.answer().is_some_and(|answer| matches!(answer.body, Body::Kept(_)));
    Err(Failure::new(Exit::Code(OTHER), what).because(error).hint(if kept {
        "call again with the same key: the stored output is replayed, nothing runs again"
    } else {
        "nothing runs again with this key, and the output was too large to be kept"
    }))
}

/// The stored output and exit code. A status that is no exit code was stored by other hands, as by a
/// server: `otherwise` stands for it, so that no failure is replayed as a success.
fn replay(answer: &Answer, otherwise: u8, printer: &Printer) -> Result<Exit, Failure> {
    match &answer.body {
        Body::Kept(bytes) => {
            let mut out = std::io::stdout().lock();
            match out.write_all(bytes).and_then(|()| out.flush()) {
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                    return Err(Failure::new(Exit::Code(OTHER), "can't write the stored output").because(error));
                }
                _ => {}
            }
        }
        Body::Omitted { bytes } => printer.notice(&format!(
            "the command ran before; its output ({bytes} bytes) was over {DEFAULT_ANSWER_LIMIT} and was not kept"
        )),
    }
    let stored = answer.status.and_then(|status| u8::try_from(status).ok());
    Ok(Exit::Code(stored.filter(|code| *code != 0).unwrap_or(otherwise)))
}
