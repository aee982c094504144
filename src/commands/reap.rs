//! `idemctl reap-stuck`

use tokio_util::sync::CancellationToken;

use super::actor;
use crate::exit::{Exit, Failure};
use crate::janitor;
use crate::output::{Printer, Progress, ReapJson};
use crate::settings::ReapSettings;
use crate::store::{Confirmed, Store};

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
    let confirmed = (!settings.dry_run).then(Confirmed::given);
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
        match store.silent_strangers(report.started_at.minus(settings.pass.older_than)).await {
            Ok(strangers) => report.strangers = strangers,
            // No index serves the count. What was reaped is reaped all the same.
            Err(error) => printer.notice(&format!("rows of unknown state were not counted: {error}")),
        }
    }
    printer.report(&ReapJson::new(&outcome.report, &keys).seen_as(store.seen()))?;
    if outcome.report.strangers > 0 {
        printer.notice(&janitor::strangers_left(outcome.report.strangers));
    }
    if let Some(error) = outcome.error {
        return Err(error.into());
    }
    if stop.is_cancelled() {
        return Ok(Exit::Interrupted);
    }
    let is_partial = outcome.stopped || outcome.report.locked > 0 || outcome.report.unknown > 0;
    // A dry run has done all that it was to do.
    let left = outcome.report.strangers + outcome.report.unreadable + outcome.report.refused.rows;
    let left_strangers = left > 0 && !settings.dry_run;
    // Rows that nobody sees may be stuck for ever.
    let is_hidden = store.seen().row_security && !settings.dry_run;
    Ok(if is_partial || left_strangers || is_hidden { Exit::Partial } else { Exit::Done })
}
