//! Calls that must come through: what has become of a command, or that it never started.

use std::time::{Duration, Instant};

use tokio::time::sleep_until;

use crate::commands::signals::{Received, Signals};
use crate::output::Printer;
use crate::store::{ErrorKind, StoreError};

/// The waits between two tries.
const PAUSES: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(5));
/// What goes on failing is said again after this long.
const SAY_EVERY: Duration = Duration::from_secs(300);
/// How long an error is tried again that nobody has a name for.
const UNNAMED: Duration = Duration::from_secs(60);

/// Who has asked us to end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Asked(Option<i32>);

impl Asked {
    /// Takes a signal in. Whether it is the second.
    pub(super) fn note(&mut self, received: Received) -> bool {
        let is_second = self.0.is_some();
        self.0.get_or_insert(received.signal);
        is_second
    }

    /// The first signal.
    pub(super) fn signal(self) -> Option<i32> {
        self.0
    }
}

/// How long a failed call is tried again; `None` is for as long as it takes. What an operator, a restart or
/// a failover puts right passes; what lies in the call itself does not.
fn patience(error: &StoreError) -> Option<Duration> {
    match error.kind() {
        ErrorKind::Unreachable
        | ErrorKind::OutcomeUnknown
        | ErrorKind::Refused
        | ErrorKind::ReadOnly
        | ErrorKind::Right
        | ErrorKind::Schema
        | ErrorKind::Conflict
        | ErrorKind::Locked
        | ErrorKind::Timeout
        | ErrorKind::DiskFull
        | ErrorKind::Clock => None,
        // Another server may come back that a trigger asked.
        ErrorKind::Other if error.is_of_another_connection() => None,
        ErrorKind::Other => Some(UNNAMED),
        _ => Some(Duration::ZERO),
    }
}

/// Makes a call until it succeeds, for as long as nobody asks us to end: the first signal says how it
/// stands, as `say` has it, and the next try is made at once; the second ends it. The call must be one that
/// may be repeated.
///
/// # Errors
/// The last one, as an unknown outcome where the answer to any try was lost and this one does not tell either;
/// `None` when the second signal came before the database had answered at all.
pub(super) async fn persist<T>(
    mut call: impl AsyncFnMut() -> Result<T, StoreError>,
    signals: &mut Signals,
    asked: &mut Asked,
    printer: &Printer,
    say: impl Fn(Option<&StoreError>) -> String,
) -> Result<T, Option<StoreError>> {
    let began = Instant::now();
    let mut said: Option<Instant> = None;
    let mut pause = PAUSES.0;
    let (mut last, mut doubtful) = (None::<StoreError>, false);
    loop {
        let mut failed = {
            let trying = call();
            tokio::pin!(trying);
            loop {
                tokio::select! {
                    biased;
                    tried = &mut trying => match tried {
                        Ok(done) => return Ok(done),
                        Err(error) => break error,
                    },
                    received = signals.next() => {
                        if asked.note(received) {
                            return Err(last);
                        }
                        printer.notice(&say(last.as_ref()));
                    }
                }
            }
        };
        doubtful |= failed.is_outcome_unknown();
        if doubtful {
            failed = failed.after_a_lost_answer();
        }
        if patience(&failed).is_some_and(|patience| began.elapsed() >= patience) {
            return Err(Some(failed));
        }
        if said.is_none_or(|said| said.elapsed() >= SAY_EVERY) {
            said = Some(Instant::now());
            printer.notice(&say(Some(&failed)));
        }
        let next = Instant::now() + pause.mul_f64(0.5 + 0.5 * fastrand::f64());
        tokio::select! {
            () = sleep_until(next.into()) => {}
            received = signals.next() => {
                if asked.note(received) {
                    return Err(Some(failed));
                }
                printer.notice(&say(Some(&failed)));
            }
        }
        last = Some(failed);
        pause = (pause * 2).min(PAUSES.1);
    }
}
