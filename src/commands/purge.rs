//! `idemctl purge`

use tokio_util::sync::CancellationToken;

use crate::exit::{Exit, Failure};
use crate::janitor::{self, PurgeEnd, PurgeReport};
use crate::output::{Format, Printer, Progress, PurgeJson, strangers_left};
use crate::protocol::Timestamp;
use crate::settings::PurgeSettings;
use crate::store::{Confirmed, Pass, PassNote, Store};

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
        printer.report(&PurgeJson::dry_run(matched, cutoff))?;
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
    note(store, &outcome.report, started).await;
    printer.report(&PurgeJson::from(&outcome.report))?;
    if let Some(error) = outcome.error {
        return Err(error.into());
    }
    if stop.is_cancelled() {
        return Ok(Exit::Interrupted);
    }
    // Done is only what is known to be done: a locked table hides its backlog.
    let report = &outcome.report;
    if report.full_scan {
        printer.notice(&format!(
            "no index leads to the expired rows of {}: the whole table was read, and will be by every purge; \
             `idemctl doctor` has the statement that mends it",
            store.mapping().name
        ));
    }
    if report.row_security || store.hides_rows() {
        printer.notice(
            "row level security applies to this role: rows that it can't see were neither deleted nor counted",
        );
    }
    // The table's report says it itself; whoever reads JSON wonders about the exit code.
    if report.strangers > 0 && printer.format() != Format::Table {
        printer.notice(&strangers_left(report.strangers));
    }
    let nothing_left = report.backlog == 0 && report.backlog_exact && report.strangers == 0;
    Ok(if nothing_left { Exit::Done } else { Exit::Partial })
}

/// Leaves word of the pass for `stats`. A role without the right to write it purges all the same.
async fn note(store: &Store, report: &PurgeReport, started: Timestamp) {
    let succeeded = (report.end == PurgeEnd::Done).then(|| started.plus(report.duration));
    let note = PassNote { started: Some(started), succeeded, rate: report.rate() };
    if let Err(error) = store.note_pass(Pass::Purge, note).await {
        tracing::debug!(%error, "the pass could not be noted");
    }
}
