//! `idemctl purge`

use tokio_util::sync::CancellationToken;

use crate::exit::{Exit, Failure};
use crate::janitor::{self, PurgeReport};
use crate::output::{Printer, Progress, PurgeJson};
use crate::protocol::Timestamp;
use crate::settings::PurgeSettings;
use crate::store::{Confirmed, How, Pass, Store, StoreError};

/// Above this a progress bar's total is not worth counting.
const COUNTED: i64 = 1_000_000;

/// Runs one purge pass.
pub(super) async fn purge(
    store: &Store,
    settings: &PurgeSettings,
    printer: &Printer,
    stop: &CancellationToken,
) -> Result<Exit, Failure> {
    let pass = &settings.pass;
    if settings.dry_run {
        let (matched, cutoff) = janitor::count_due(store, pass).await?;
        let hidden = store.seen().row_security;
        printer.report(&PurgeJson { row_security: hidden, ..PurgeJson::dry_run(matched, cutoff) })?;
        return Ok(Exit::Done);
    }
    let mut total = None;
    if printer.shows_progress() {
        let cutoff = store.now().await?.minus(pass.grace);
        let due = store.due(cutoff, COUNTED).await?;
        let due = pass.max_rows.map_or(due, |limit| due.min(limit));
        total = (due < COUNTED as u64).then_some(due);
    }
    let progress = Progress::new(printer, "purging", total);
    let started = store.now().await?;
    let confirmed = Confirmed::given();
    let outcome = janitor::purge(store, pass, &confirmed, stop, &mut |at| progress.set(at.deleted)).await?;
    progress.finish();
    // A role without the right to leave word of the pass purges all the same.
    if let Err(error) = note(store, settings, started, &outcome.report).await {
        tracing::debug!(%error, "the pass could not be noted");
    }
    printer.report(&PurgeJson::from(&outcome.report))?;
    if let Some(error) = outcome.error {
        return Err(error.into());
    }
    if stop.is_cancelled() {
        return Ok(Exit::Interrupted);
    }
    for (_, hindrance) in outcome.report.hindrances() {
        printer.notice(&hindrance);
    }
    // By design, and nobody should wonder why they stay.
    match store.expired_in_progress(outcome.report.cutoff).await {
        Ok(busy) if busy.value > 0 => printer.notice(&format!(
            "{}{} expired rows are in progress: no purge takes them; `idemctl reap-stuck --older-than AGE` fails \
             those whose worker is gone",
            if busy.how == How::AtLeast { "at least " } else { "" },
            busy.value
        )),
        Ok(_) => {}
        Err(error) => printer.notice(&format!("expired rows in progress were not counted: {}", error.chain())),
    }
    // A count that is not the whole is told by the exit code, too.
    let is_whole = outcome.report.leaves_nothing() && outcome.report.unknown_batches == 0;
    Ok(if is_whole { Exit::Done } else { Exit::Partial })
}

/// Leaves word of the pass. One with a longer grace than the janitor's is the janitor's pass only where that would
/// have found nothing more.
async fn note(
    store: &Store,
    settings: &PurgeSettings,
    started: Timestamp,
    report: &PurgeReport,
) -> Result<(), StoreError> {
    let mut note = report.note(started);
    if settings.pass.grace > settings.configured_grace
        && store.due(started.minus(settings.configured_grace), 1).await? > 0
    {
        note.succeeded = None;
    }
    store.note_pass(Pass::Purge, note).await
}
