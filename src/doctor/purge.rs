//! Whether anybody purges.

use std::time::Duration;

use super::{Chart, Exam, Severity};
use crate::store::{How, Pass, StoreError};
use crate::words::number_of;

/// The backlog is counted up to here.
const COUNTED: i64 = 100_000;

pub(super) async fn backlog(exam: &Exam<'_>, chart: &mut Chart) -> Result<(), StoreError> {
    const CHECK: &str = "backlog";
    let decisive = exam.mapping().expiry_settings();
    // Without what does not fit nobody can say what is due.
    if exam.mapping().walks().is_empty() || exam.store.check_settings(&decisive).is_err() {
        return Ok(());
    }
    let cutoff = exam.now.minus(exam.expected.grace);
    let busy = exam.store.expired_in_progress(cutoff).await?;
    if busy.value > 0 {
        let at_least = if busy.how == How::AtLeast { "at least " } else { "" };
        let mend = match exam.mapping().fail {
            Some(_) => {
                "idemctl reap-stuck --older-than 1h; or reap.older_than in the configuration, for the janitor"
            }
            None => "set [table.fail], then: idemctl reap-stuck --older-than 1h",
        };
        chart.add(
            Severity::Warning,
            ("backlog", "expired_in_progress"),
            format!("{at_least}{} in progress", number_of(busy.value, "expired row")),
            "No purge takes a row in progress: somebody may be at work on it. Where its worker is gone it stays for \
             ever, until it is reaped or failed.",
            vec![mend.to_owned()],
        );
    }
    let oldest = exam.store.oldest_due(cutoff).await?;
    let due = match oldest {
        Some(_) => exam.store.due(cutoff, COUNTED).await?,
        None => 0,
    };
    let note = match exam.store.has_leases().await? {
        true => Some(exam.store.pass_note(Pass::Purge).await?),
        false => None,
    };
    let words = |span: Duration| humantime::format_duration(Duration::from_secs(span.as_secs()));
    let last = match note.map(|note| note.succeeded) {
        Some(Some(at)) => format!("the last purge came to its end {} ago", words(exam.now.since(at))),
        Some(None) => "no purge has come to its end yet".to_owned(),
        None => "nobody keeps word of purges here".to_owned(),
    };
    let Some(oldest) = oldest else {
        chart.ok(CHECK, format!("no row is due; {last}"));
        return Ok(());
    };
    let waits = cutoff.since(oldest);
    let at_least = if due >= COUNTED as u64 { "at least " } else { "" };
    let found = format!("{at_least}{} due, the oldest since {}; {last}", number_of(due, "row"), words(waits));
    if waits > exam.expected.overdue {
        chart.add(
            Severity::Warning,
            (CHECK, "purge_overdue"),
            found,
            "Nobody purges, or a purge can't keep up or can't come to its end: the table grows.",
            vec!["idemctl purge; idemctl janitor, or a timer, from then on".to_owned()],
        );
    } else {
        chart.ok(CHECK, found);
    }
    Ok(())
}
