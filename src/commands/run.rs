//! `idemctl run`: any command, at most once per key.

mod child;
mod claiming;
mod persist;

use std::io::Write as _;
use std::time::{Duration, Instant};

use super::migrate::{holder, open_or_create};
use super::signals::Signals;
use super::{confirm, tell_ignored};
use crate::exit::{Exit, Failure};
use crate::output::{Printer, visible};
use crate::protocol::{
    Answer, Body, Claim, ClaimOutcome, DEFAULT_ANSWER_LIMIT, Fingerprint, Retry, Settlement,
};
use crate::settings::{DatabaseSource, RunSettings, Settings};
use crate::store::{ErrorKind, MigrateOptions, Store, StoreError};

use child::{Ended, Finished};
use claiming::{Acquired, acquire, give_back_as};
use persist::persist;

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

/// Ended by a signal: this and its number, as a shell has it.
const SIGNALLED: u8 = 128;

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
    let (location, store, source) = open(settings, run, printer).await?;
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
    // From before the claim: a signal that came between it and the command's start would leave the key closed.
    let mut signals = Signals::of(child::SIGNALS);
    match acquire(&store, &claim, run.wait, &mut signals, printer).await? {
        Acquired::Claimed { attempt } => {
            let key = visible(claim.key.as_str());
            printer.notice(&format!("claimed {key} in {location} (from {source})"));
            let finished = child::run(&store, &claim, run, attempt, &mut signals, printer).await;
            settle(&store, &claim, run, finished, &mut signals, printer).await
        }
        Acquired::Answered(outcome) => answer(&claim, &outcome, printer),
    }
}

/// What a call gets for which nothing is to run.
fn answer(claim: &Claim, outcome: &ClaimOutcome, printer: &Printer) -> Result<Exit, Failure> {
    let key = visible(claim.key.as_str());
    match outcome {
        ClaimOutcome::Replay { answer } => replay(answer, 0, printer),
        ClaimOutcome::FailedFinal { answer: Some(answer), .. } => replay(answer, OTHER, printer),
        ClaimOutcome::FailedFinal { reason, answer: None } => Err(Failure::new(
            Exit::Code(OTHER),
            format!(
                "the key {key} is closed: {}",
                visible(reason.as_deref().unwrap_or("it failed for good"))
            ),
        )
        .hint(
            "find out whether the lost run did its work; the key stays closed until `idemctl release` opens it \
             or it expires (`idemctl inspect` says when)",
        )),
        ClaimOutcome::Claimed { .. } | ClaimOutcome::InProgress { .. } => {
            Err(Failure::new(Exit::Code(IN_PROGRESS), format!("the key {key} is in progress"))
                .hint("look at it with `idemctl inspect`"))
        }
        ClaimOutcome::Mismatch => Err(Failure::new(
            Exit::Code(MISMATCH),
            format!("the key {key} was used for another request: the fingerprint differs"),
        )
        .hint("use a new key for a new request")),
    }
}

/// A failed call on the store, with an exit code of `run`'s own.
fn failure(error: StoreError) -> Failure {
    let unavailable =
        matches!(error.kind(), ErrorKind::Unreachable | ErrorKind::OutcomeUnknown | ErrorKind::Refused);
    let mut failure = Failure::from(error);
    if unavailable {
        failure.exit = Exit::Code(UNAVAILABLE);
    }
    failure
}

/// What is left until a deadline; without one, all time.
fn patience_left(deadline: Option<Instant>) -> Duration {
    deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()))
}

/// What becomes of a key that stays in progress under our claim.
fn after(claim: &Claim, nothing_ran: bool) -> String {
    let lease = crate::output::span(claim.lease.get());
    let then = match (claim.if_lost.is_allowed(), nothing_ran) {
        (true, _) => "then the next `idemctl run` of it runs the command",
        (false, true) => "then the next `idemctl run` of it closes it, and `idemctl release` opens it again",
        (false, false) => {
            "then the next `idemctl run` of it closes it, until `idemctl release` opens it or it expires"
        }
    };
    format!("it stays in progress until its lease is over, at most {lease} after its last renewal; {then}")
}

/// The file in the user's data folder is made when it is not there; any other database must have been migrated.
async fn open(
    settings: &Settings,
    run: &RunSettings,
    printer: &Printer,
) -> Result<(String, Store, DatabaseSource), Failure> {
    if settings.adopts() {
        return Err(Failure::new(
            Exit::Usage,
            "keys of an adopted table are claimed and settled by the application that owns it",
        )
        .hint(
            "give `run` a configuration without `[[table]]`, and the table that `idemctl migrate` creates",
        ));
    }
    let target = settings.database_of_run(run.local)?;
    tell_ignored(&target, printer);
    let store = if target.local_file.is_some() {
        let store = open_or_create(&target).await?;
        let options = MigrateOptions { patience: settings.migrate_wait(), holder: holder() };
        if !store.migrate(&options, &confirm::by_command()).await?.is_empty() {
            printer.notice(&format!("made the database {}", store.target()));
        }
        store
    } else {
        let store = Store::open(&target.url, target.options.clone()).await?;
        store.location().await?;
        store.check_schema().await?;
        store
    };
    Ok((store.location().await?, store, target.source))
}

fn owner() -> String {
    let host = whoami::hostname().unwrap_or_else(|_| "unknown".to_owned());
    format!("{host}:{}", std::process::id())
}

/// Stores what became of the command. What has been executed must be known to have been, however long its
/// database is away: it is tried again until somebody asks us to end, and the token makes that harmless.
async fn settle(
    store: &Store,
    claim: &Claim,
    run: &RunSettings,
    mut finished: Finished,
    signals: &mut Signals,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let write_error = finished.unwritten.take();
    let mut asked = finished.asked;
    // Its lease goes on until the outcome is stored.
    let _renewals = std::mem::take(&mut finished.renewals);
    let (settlement, exit) = outcome(finished, run.on_failure);
    let exit = match exit {
        Ok(exit) => exit,
        Err(failure) => {
            let how = give_back_as(store, claim, true, &settlement, signals, asked, printer).await;
            return Err(failure.hint(how.hint(claim)));
        }
    };
    let say = |error: Option<&StoreError>| {
        let why = error.map_or(String::new(), |error| format!(" ({})", error.chain()));
        format!(
            "the command ended with exit {}, but its outcome can't be stored yet{why}; trying again; \
             a second signal gives up",
            exit.code()
        )
    };
    let call = async || store.settle(&claim.key, &claim.scope, claim.token, &settlement).await;
    match persist(call, signals, &mut asked, printer, say).await {
        Ok(()) => match write_error {
            Some(error) => unwritten(exit, error, &settlement, printer),
            None => Ok(exit),
        },
        Err(Some(error)) if error.kind() == ErrorKind::StaleClaim => Err(Failure::new(
            Exit::Code(CLAIM_LOST),
            "the claim was lost while the command ran: its outcome is not stored",
        )
        .hint("look at the key with `idemctl inspect`; somebody reaped or failed it")),
        Err(error) => {
            let code = error.as_ref().map_or(UNAVAILABLE, |error| match error.kind() {
                ErrorKind::Unreachable | ErrorKind::OutcomeUnknown | ErrorKind::Refused => UNAVAILABLE,
                _ => OTHER,
            });
            let then = after(claim, false);
            // A try that was under way when the second signal came may have been committed as well.
            let is_unknown = error.as_ref().is_none_or(StoreError::is_outcome_unknown);
            let (what, hint) = match is_unknown {
                true => (
                    "and it is not known whether its outcome was stored",
                    format!("look at the key with `idemctl inspect`. If it was not, {then}"),
                ),
                false => {
                    ("but its outcome could not be stored", format!("the key's outcome is lost: {then}"))
                }
            };
            let mut failure =
                Failure::new(Exit::Code(code), format!("the command ran (exit {}), {what}", exit.code()));
            if let Some(error) = error {
                failure = failure.because(error);
            }
            Err(failure.hint(hint))
        }
    }
}

/// What is stored, and how we exit.
fn outcome(finished: Finished, on_failure: Retry) -> (Settlement, Result<Exit, Failure>) {
    let Finished { ended, stdout, .. } = finished;
    let (code, reason) = match ended {
        Ended::NotStarted { error, program } => {
            use std::io::ErrorKind as Io;
            let (code, what) = match error.kind() {
                Io::NotFound => (NOT_FOUND, "not found"),
                // The host had no room for another process.
                Io::WouldBlock | Io::OutOfMemory => (OTHER, "not started"),
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
        Ended::Signal(signal) => (SIGNALLED.wrapping_add(signal), format!("killed by signal {signal}")),
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
