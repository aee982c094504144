//! `idemctl audit`

use crate::exit::{Exit, Failure};
use crate::output::{AuditReport, HistoryEntry, Printer};
use crate::settings::AuditSettings;
use crate::store::{AuditFilter, Store};

/// Shows who changed what.
pub(super) async fn audit(
    store: &Store,
    settings: &AuditSettings,
    printer: &Printer,
) -> Result<Exit, Failure> {
    if !store.has_audit().await? {
        return Err(Failure::new(Exit::NotReady, "there is no audit table in this database")
            .hint("`idemctl migrate` makes it beside your table; until then changes leave no trace"));
    }
    let now = store.now().await?;
    let filter = AuditFilter {
        since: settings.since.map(|when| when.resolve(now)),
        until: settings.until.map(|when| when.resolve(now)),
        ..settings.filter.clone()
    };
    let entries: Vec<HistoryEntry> =
        store.audit(&filter, settings.limit).await?.into_iter().map(HistoryEntry::from).collect();
    if entries.is_empty() {
        printer.notice("no entry matches");
    } else if entries.len() == settings.limit as usize {
        printer.notice("there may be more; raise --limit");
    }
    printer.report(&AuditReport { entries, now })?;
    Ok(Exit::Done)
}
