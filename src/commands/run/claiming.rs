//! Getting the key: the claim, the wait for another call, the reap of a claim whose worker is gone. And
//! giving it back when nothing has run.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::persist::{Asked, persist};
use super::{IN_PROGRESS, SIGNALLED, after, patience_left};
use crate::commands::signals::Signals;
use crate::commands::{actor, confirm};
use crate::exit::{Exit, Failure};
use crate::output::{Printer, span, visible};
use crate::protocol::{Claim, ClaimOutcome, Retry, Settlement, Status};
use crate::store::{ErrorKind, KeyRow, Operation, Reaping, RowState, ScopeFilter, Store, StoreError};

/// What the reaped row says of its failure; the same for all of them, so that they can be counted.
const REAPED: &str = "reaped: its lease was over";
/// The reason of a failure that is none: nothing ran.
const NOT_STARTED: &str = "the command was not started";
/// The waits between two looks at a key that another call holds.
const PAUSES: (Duration, Duration) = (Duration::from_millis(25), Duration::from_secs(1));

/// A key that changes under our hands this often in a row is held by somebody.
const CHANGES: u32 = 16;

/// What asking for the key came to.
pub(super) enum Acquired {
    /// It is ours, and the command is to run.
    Claimed {
        /// Which try this is.
        attempt: u32,
    },
    /// Nothing is to run; this is the answer.
    Answered(ClaimOutcome),
}

/// Who holds a key that is in progress.
enum Holder {
    /// A call whose lease runs for so long yet.
    Leased(Duration),
    /// Somebody who claimed it without a lease.
    Unleased,
    /// A transaction that has not ended.
    Transaction,
    /// Nobody any more: it is to be asked for again.
    Gone,
}

/// Claims the key. While another call holds it, asks again until `wait` is over.
///
/// # Errors
/// A claim that can't be asked for or was not waited for; nothing has run then, and the hint says how the
/// key stands.
pub(super) async fn acquire(
    store: &Store,
    claim: &Claim,
    wait: Duration,
    signals: &mut Signals,
    printer: &Printer,
) -> Result<Acquired, Failure> {
    // Without a deadline where the clock has no such moment.
    let deadline = Instant::now().checked_add(wait);
    let mut pause = PAUSES.0;
    let mut changes = 0;
    loop {
        let mut asked = Asked::default();
        let holder = match ask(store, claim, signals, &mut asked, printer).await? {
            Ok(ClaimOutcome::Claimed { attempt, .. }) => {
                // A signal from before the start ends us before it.
                if let Some(received) = signals.try_next() {
                    asked.note(received);
                }
                let Some(signal) = asked.signal() else { return Ok(Acquired::Claimed { attempt }) };
                let how = give_back(store, claim, true, signals, asked, printer).await;
                return Err(ended_by(signal).hint(how.hint(claim)));
            }
            Ok(ClaimOutcome::InProgress { lease, .. }) => match lease {
                None => Holder::Unleased,
                Some(_) => reap_if_over(store, claim, printer).await?,
            },
            Ok(answer) => return Ok(Acquired::Answered(answer)),
            Err(error) if error.is_a_lock() => Holder::Transaction,
            // The claim may have been committed without its answer. Nothing has run, and that must be known.
            Err(error) if matches!(error.kind(), ErrorKind::Unreachable | ErrorKind::OutcomeUnknown) => {
                printer.notice(&format!(
                    "it is not known whether the key was claimed ({}); trying to find out and to give it back",
                    error.chain()
                ));
                let how = give_back(store, claim, false, signals, asked, printer).await;
                return match how {
                    Returned::Answered(answer) => Ok(Acquired::Answered(answer)),
                    how => Err(super::failure(error).hint(how.hint(claim))),
                };
            }
            Err(error) => return Err(super::failure(error)),
        };
        if let Some(signal) = asked.signal() {
            return Err(ended_by(signal).hint("nothing ran, and this call holds no claim"));
        }
        let left = patience_left(deadline);
        match holder {
            Holder::Gone if changes < CHANGES => {
                changes += 1;
                continue;
            }
            _ if !left.is_zero() => changes = 0,
            holder => return Err(in_progress(claim, &holder)),
        }
        // The moment at which the lease ends is the one to look at.
        let until_over = match holder {
            Holder::Leased(for_yet) => for_yet + PAUSES.0,
            _ => Duration::MAX,
        };
        tokio::select! {
            () = sleep(pause.min(left).min(until_over)) => {}
            received = signals.next() => {
                return Err(ended_by(received.signal).hint("nothing ran, and this call holds no claim"));
            }
        }
        pause = (pause * 2).min(PAUSES.1);
    }
}

/// Asks for the key. A claim that is under way is not given up at the first signal: its answer says how the
/// key stands.
async fn ask(
    store: &Store,
    claim: &Claim,
    signals: &mut Signals,
    asked: &mut Asked,
    printer: &Printer,
) -> Result<Result<ClaimOutcome, StoreError>, Failure> {
    let answer = store.claim(claim);
    tokio::pin!(answer);
    loop {
        tokio::select! {
            biased;
            answer = &mut answer => return Ok(answer),
            received = signals.next() => {
                if asked.note(received) {
                    return Err(ended_by(received.signal).hint(Returned::Unknown(None).hint(claim)));
                }
                printer.notice("ending once the database has answered the claim; a second signal ends at once");
            }
        }
    }
}

/// Takes the claim away whose lease is over by the database's clock, by the policy that it was claimed
/// with. A row without a lease was claimed by other hands, and is theirs.
async fn reap_if_over(store: &Store, claim: &Claim, printer: &Printer) -> Result<Holder, Failure> {
    let key = [claim.key.as_str().to_owned()];
    let scope = ScopeFilter::from(claim.scope.as_str());
    let row = store.inspect_parts(&key, Some(&scope)).await.map_err(super::failure)?.pop();
    let Some(row) = row.filter(|row| row.state == RowState::Known(Status::InProgress)) else {
        return Ok(Holder::Gone);
    };
    let Some(until) = row.lease_expires_at else { return Ok(Holder::Unleased) };
    if until > row.read_at {
        return Ok(Holder::Leased(until.since(row.read_at)));
    }
    let audit = store.has_audit().await.map_err(super::failure)?;
    // Each row by the policy that it was claimed with: this one takes nothing from that.
    let policy = |_: &KeyRow| Retry::Allow;
    let rows = [row];
    let reaped = store.reap(&rows, &policy, REAPED, &actor("run", None), audit, &confirm::by_command()).await;
    match reaped {
        Ok(outcomes) if outcomes.contains(&Reaping::Locked) => Ok(Holder::Transaction),
        Ok(outcomes) if outcomes.contains(&Reaping::Kept) => {
            let kept = store.kept_words(Operation::Fail { retry: Retry::Allow }).await;
            let key = visible(claim.key.as_str());
            let what =
                format!("the lease of the key {key} is over, and its claim could not be taken away: {kept}");
            Err(Failure::new(Exit::Code(IN_PROGRESS), what).hint("nothing ran, and this call holds no claim"))
        }
        Ok(outcomes) => {
            if outcomes.contains(&Reaping::Reaped) {
                let [row] = &rows;
                printer.notice(&format!(
                    "the call before this one was lost: its lease has been over for {}; its claim was taken away",
                    span(row.read_at.since(until))
                ));
            }
            Ok(Holder::Gone)
        }
        Err(error) if error.is_a_lock() => Ok(Holder::Transaction),
        // Whether it was done shows when the key is asked for again.
        Err(error) if matches!(error.kind(), ErrorKind::OutcomeUnknown | ErrorKind::Conflict) => {
            Ok(Holder::Gone)
        }
        Err(error) => Err(super::failure(error).hint("nothing ran, and this call holds no claim")),
    }
}

fn in_progress(claim: &Claim, holder: &Holder) -> Failure {
    let key = visible(claim.key.as_str());
    let (what, hint) = match holder {
        Holder::Leased(left) => (
            format!("another call runs the command, its lease runs for another {}", span(*left)),
            "wait for its result with --wait 5m, or look at it with `idemctl inspect`; a call that comes \
             after the lease's end takes a lost claim away",
        ),
        Holder::Unleased => (
            "it was claimed without a lease, as other programs do in a transaction of their own".to_owned(),
            "look at it with `idemctl inspect`; if its worker is lost, `idemctl fail` takes its claim away",
        ),
        Holder::Transaction | Holder::Gone => (
            "a transaction that has not ended holds it".to_owned(),
            "wait for it with --wait 5m, or look for a long transaction in the database",
        ),
    };
    Failure::new(Exit::Code(IN_PROGRESS), format!("the key {key} is in progress: {what}")).hint(hint)
}

fn ended_by(signal: i32) -> Failure {
    let code = u8::try_from(signal).unwrap_or_default();
    Failure::new(
        Exit::Code(SIGNALLED.wrapping_add(code)),
        format!("ended by signal {signal} before the command was started"),
    )
}

/// How a key stands whose command did not start.
pub(super) enum Returned {
    /// It may be claimed again.
    Back,
    /// It is not ours, and this is what it answers.
    Answered(ClaimOutcome),
    /// It could not be given back.
    Kept(StoreError),
    /// Whether it was claimed is not known; the last error, where there is one.
    Unknown(Option<StoreError>),
}

impl Returned {
    /// For whoever has to know what to do next.
    pub(super) fn hint(&self, claim: &Claim) -> String {
        match self {
            Self::Back => "nothing ran, and the claim was given back: the key may be claimed again".to_owned(),
            Self::Answered(ClaimOutcome::InProgress { .. }) => {
                "nothing ran in this call; another one has claimed the key since".to_owned()
            }
            Self::Answered(ClaimOutcome::FailedFinal { .. }) => {
                "nothing ran in this call; its claim was taken away and the key closed: `idemctl release` opens it"
                    .to_owned()
            }
            Self::Answered(_) => {
                "nothing ran in this call; look at the key with `idemctl inspect`".to_owned()
            }
            Self::Kept(error) => format!(
                "nothing ran, but the key could not be given back ({}): {}",
                error.chain(),
                after(claim, true)
            ),
            Self::Unknown(error) => {
                let why = error.as_ref().map_or(String::new(), |error| format!(" ({})", error.chain()));
                let then = after(claim, true);
                format!("nothing ran; it is not known whether the key was claimed{why}. If it was, {then}")
            }
        }
    }
}

/// Gives the key back after nothing has run, for as long as nobody asks us twice to end. Where it is not
/// `known` that the claim was made, it is made again first: that finds our own, and shuts out a first try
/// which is still on its way.
pub(super) async fn give_back(
    store: &Store,
    claim: &Claim,
    known: bool,
    signals: &mut Signals,
    asked: Asked,
    printer: &Printer,
) -> Returned {
    let settlement = Settlement::Failed { reason: NOT_STARTED.to_owned(), retry: Retry::Allow, answer: None };
    give_back_as(store, claim, known, &settlement, signals, asked, printer).await
}

/// As [`give_back`], with what is told as the reason.
pub(super) async fn give_back_as(
    store: &Store,
    claim: &Claim,
    mut known: bool,
    settlement: &Settlement,
    signals: &mut Signals,
    mut asked: Asked,
    printer: &Printer,
) -> Returned {
    let say = |error: Option<&StoreError>| {
        let why = error.map_or(String::new(), |error| format!(" ({})", error.chain()));
        format!(
            "nothing ran, but the key can't be given back yet{why}; trying again; a second signal gives up"
        )
    };
    loop {
        let ours = known;
        let call = async || {
            if !ours {
                match store.claim(claim).await? {
                    ClaimOutcome::Claimed { .. } => {}
                    other => return Ok(Some(other)),
                }
            }
            store.settle(&claim.key, &claim.scope, claim.token, settlement).await.map(|()| None)
        };
        return match persist(call, signals, &mut asked, printer, say).await {
            Ok(None) => Returned::Back,
            Ok(Some(answer)) => Returned::Answered(answer),
            // Somebody took it away. What is there now is asked for, under the same token.
            Err(Some(error)) if error.kind() == ErrorKind::StaleClaim => {
                known = false;
                continue;
            }
            Err(Some(error)) if ours => Returned::Kept(error),
            Err(error) => Returned::Unknown(error),
        };
    }
}
