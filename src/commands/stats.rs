//! `idemctl stats`

use crate::exit::{Exit, Failure};
use crate::output::{Printer, StatsReport};
use crate::settings::StatsSettings;
use crate::store::Store;

/// Prints a summary of the table.
pub(super) async fn stats(
    store: &Store,
    settings: &StatsSettings,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let stats = store.stats(&settings.options).await?;
    let report = StatsReport::new(store.mapping().name.to_string(), &stats, settings.options.grace)
        .seen_as(store.seen());
    printer.report(&report)?;
    let too_old = settings
        .max_backlog_age
        .is_some_and(|limit| report.backlog.age_seconds.is_some_and(|age| age > limit.as_secs_f64()));
    if too_old {
        printer.notice("the backlog is older than --max-backlog-age allows: does anybody purge?");
        return Ok(Exit::Partial);
    }
    if let (Some(why), Some(_)) = (store.seen().why_unseen(), settings.max_backlog_age) {
        printer.notice(&format!("the backlog may be older than --max-backlog-age allows: {why}"));
        return Ok(Exit::Partial);
    }
    Ok(Exit::Done)
}
