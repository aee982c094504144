//! `idemctl purge`

use tokio_util::sync::CancellationToken;

use super::confirm;
use crate::exit::{Exit, Failure};
use crate::janitor::{self, PurgeReport};
use crate::output::{Printer, Progress, PurgeJson};
use crate::protocol::Timestamp;
use crate::settings::PurgeSettings;
use crate::store::{ErrorKind, Pass, Store, StoreError};

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
        printer.report(&PurgeJson::dry_run(matched, cutoff, hidden))?;
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
    let confirmed = confirm::by_command();
    let outcome = janitor::purge(store, pass, &confirmed, stop, &mut |at| progress.set(at.deleted)).await?;
    progress.finish();
    // A role without the right to leave word of the pass purges all the same. Where there is nothing to leave it
    // in, that is said by whoever shows it.
    if let Err(error) = note(store, settings, started, &outcome.report).await
        && error.kind() != ErrorKind::Schema
    {
        printer.notice(&format!(
            "`stats` does not show this pass: it could not be recorded ({})",
            error.chain()
        ));
    }
    printer.report(&PurgeJson::from(&outcome.report))?;
    if let Some(error) = outcome.error {
        return Err(error.into());
    }
    if stop.is_cancelled() {
        return Ok(Exit::Interrupted);
    }
    for (_, warning) in outcome.report.warnings() {
        printer.notice(&warning);
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
    store.record_pass(Pass::Purge, note).await
}
