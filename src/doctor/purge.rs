//! Whether anybody purges.

use std::time::Duration;

use super::{Examination, Findings, Severity};
use crate::store::{How, Pass, StoreError};
use crate::words::number_of;

/// The backlog is counted up to here.
const COUNTED: i64 = 100_000;

pub(super) async fn backlog(
    examination: &Examination<'_>,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    const CHECK: &str = "backlog";
    let decisive = examination.mapping().expiry_settings();
    // Without what does not fit nobody can say what is due.
    if examination.mapping().walks().is_empty() || examination.store.check_settings(&decisive).is_err() {
        return Ok(());
    }
    let cutoff = examination.now.minus(examination.expected.grace);
    let busy = examination.store.expired_in_progress(cutoff).await?;
    if busy.value > 0 {
        let at_least = if busy.how == How::AtLeast { "at least " } else { "" };
        let fix = match examination.mapping().fail {
            Some(_) => {
                "idemctl reap-stuck --older-than 1h; or reap.older_than in the configuration, for the janitor"
            }
            None => "set [table.fail], then: idemctl reap-stuck --older-than 1h",
        };
        findings.add(
            Severity::Warning,
            ("backlog", "expired_in_progress"),
            format!("{at_least}{} in progress", number_of(busy.value, "expired row")),
            "No purge takes a row in progress: somebody may be at work on it. Where its worker is gone it stays for \
             ever, until it is reaped or failed.",
            vec![fix.to_owned()],
        );
    }
    let oldest = examination.store.oldest_due(cutoff).await?;
    let due = match oldest {
        Some(_) => examination.store.due(cutoff, COUNTED).await?,
        None => 0,
    };
    let note = match examination.store.has_leases().await? {
        true => Some(examination.store.pass_record(Pass::Purge).await?),
        false => None,
    };
    let words = |span: Duration| crate::words::duration(Duration::from_secs(span.as_secs()));
    let last = match note.map(|note| note.succeeded) {
        Some(Some(at)) => format!("the last purge completed {} ago", words(examination.now.since(at))),
        Some(None) => "no purge has ever completed".to_owned(),
        None => "purges are not recorded here".to_owned(),
    };
    let Some(oldest) = oldest else {
        findings.ok(CHECK, format!("no row is due; {last}"));
        return Ok(());
    };
    let waits = cutoff.since(oldest);
    let at_least = if due >= COUNTED as u64 { "at least " } else { "" };
    let found = format!("{at_least}{} due, the oldest since {}; {last}", number_of(due, "row"), words(waits));
    if waits > examination.expected.overdue {
        findings.add(
            Severity::Warning,
            (CHECK, "purge_overdue"),
            found,
            "Nobody purges, or a purge can't keep up or can't complete: the table grows.",
            vec!["idemctl purge; idemctl janitor, or a timer, from then on".to_owned()],
        );
    } else {
        findings.ok(CHECK, found);
    }
    Ok(())
}
