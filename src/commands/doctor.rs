//! `idemctl doctor`

use crate::doctor;
use crate::exit::{Exit, Failure};
use crate::output::{DoctorReport, Printer};
use crate::settings::DoctorSettings;
use crate::store::Store;

/// Examines the database and its tables.
pub(super) async fn doctor(settings: &DoctorSettings, printer: &Printer) -> Result<Exit, Failure> {
    let target = &settings.target;
    let store = Store::open(&target.url, super::one_connection(target)).await?;
    // A database that can't be asked at all has no findings, but an exit code of its own.
    let now = store.now().await?;
    let findings = doctor::examine(&store, &settings.tables).await;
    let source = target.source.to_string();
    let report = DoctorReport::new(store.target(), source, now, findings, settings.full);
    printer.report(&report)?;
    Ok(if report.errors > 0 { Exit::NotReady } else { Exit::Done })
}
