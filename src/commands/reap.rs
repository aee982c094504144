//! `idemctl reap-stuck`

use tokio_util::sync::CancellationToken;

use super::{actor, confirm};
use crate::exit::{Exit, Failure};
use crate::janitor;
use crate::output::{Printer, Progress, ReapJson};
use crate::settings::ReapSettings;
use crate::store::Store;

/// Runs one reap pass.
pub(super) async fn reap(
    store: &Store,
    settings: &ReapSettings,
    printer: &Printer,
    stop: &CancellationToken,
) -> Result<Exit, Failure> {
    store.check_reap(settings.pass.retry.strictest())?;
    let actor = actor("reap-stuck", settings.reason.as_deref());
    if !settings.dry_run && !store.has_audit().await? {
        printer.notice(
            "there is no audit table here: what is reaped is only logged; `idemctl migrate` makes one",
        );
    }
    // Its own conditions protect every row, so nobody is asked; a dry run has no confirmation.
    let confirmed = (!settings.dry_run).then(confirm::by_command);
    let progress = Progress::new(printer, "reaping", None);
    let (mut seen, mut keys) = (0, Vec::new());
    let mut outcome = janitor::reap(store, &settings.pass, &actor, confirmed.as_ref(), stop, &mut |batch| {
        seen += batch.looked_at;
        keys.extend_from_slice(batch.keys);
        progress.set(seen);
    })
    .await?;
    progress.finish();
    let report = &mut outcome.report;
    if outcome.error.is_none() && !stop.is_cancelled() && settings.pass.scope.is_none() {
        match store.unrecognized_stuck(report.started_at.minus(settings.pass.older_than)).await {
            Ok(unrecognized) => report.unrecognized = Some(unrecognized.value),
            // No index serves the count. What was reaped is reaped all the same.
            Err(error) => {
                let why = format!("rows of unknown state or clock could not be counted: {}", error.chain());
                report.not_counted.push(why);
            }
        }
    }
    let seen = store.seen();
    printer.report(&ReapJson::new(&outcome.report, &keys).seen_as(seen))?;
    let report = &outcome.report;
    if let Some(rows) = report.unrecognized.filter(|rows| *rows > 0) {
        printer.notice(&janitor::unrecognized_left(rows));
    }
    for (name, warning) in report.warnings() {
        // What is hidden was said at the start, and the rows that were refused stand in the report.
        let is_said = match name {
            "row_security" => seen.row_security,
            "refused" | "unreadable" => true,
            _ => false,
        };
        if !is_said {
            printer.notice(&warning);
        }
    }
    // Rows that nobody sees, and those that nobody counted, may be stuck for ever.
    let is_unseen = seen.row_security || report.row_security || !report.not_counted.is_empty();
    let left = report.unrecognized.unwrap_or(0)
        + report.without_clock.map_or(0, |rows| rows.value)
        + report.unreadable
        + report.refused.rows;
    let is_partial = outcome.stopped || report.locked > 0 || report.unknown > 0;
    if let Some(error) = outcome.error {
        return Err(error.into());
    }
    if stop.is_cancelled() {
        return Ok(Exit::Interrupted);
    }
    // A dry run has done all that it was to do.
    let leaves_some = (left > 0 || is_unseen) && !settings.dry_run;
    Ok(if is_partial || leaves_some { Exit::Partial } else { Exit::Done })
}
