//! Whether work takes longer than its claim is believed in.

use std::time::Duration;

use super::{Examination, Findings, Severity};
use crate::store::StoreError;
use crate::words::number_of;

pub(super) async fn check(examination: &Examination<'_>, findings: &mut Findings) -> Result<(), StoreError> {
    const CHECK: &str = "runtimes";
    let runtimes = examination.store.runtimes(&examination.sample).await?;
    if runtimes.is_empty() {
        return Ok(());
    }
    let count = runtimes.len() as u64;
    let longest = runtimes.iter().map(|(whole, _)| *whole).max().unwrap_or_default();
    let silent = runtimes.iter().map(|(_, silent)| *silent).max().unwrap_or_default();
    let over = |limit: Duration| runtimes.iter().filter(|(_, silent)| *silent > limit).count() as u64;
    let words = |span: Duration| crate::words::duration(Duration::from_secs(span.as_secs().max(1)));
    if let Some(after) = examination.expected.reap_after.filter(|after| silent > *after) {
        findings.add(
            Severity::Warning,
            (CHECK, "reaped_alive"),
            format!(
                "{} were at work without a heartbeat for longer than {}, up to {}",
                examination.of_sample(over(after), count),
                words(after),
                words(silent)
            ),
            "The reaper takes the claims of workers that are still at work, and a retry executes the request a \
             second time.",
            vec![format!("reap.older_than = \"{}\"  # or renew the claim while it is at work", words(silent * 2))],
        );
    }
    let lengths = examination.store.lease_lengths(&examination.sample).await?;
    let lease = match (lengths.iter().max(), examination.mapping().clocks.lease.is_some()) {
        (Some(longest), _) => Some(*longest),
        // No claim runs right now; new ones get what the configuration says.
        (None, true) if examination.mapping().is_owned() => Some(examination.expected.lease),
        _ => None,
    };
    if let Some(lease) = lease.filter(|lease| silent > *lease) {
        findings.add(
            Severity::Warning,
            (CHECK, "lease_too_short"),
            format!(
                "{} were at work without a renewal for longer than a lease of {}, up to {}",
                examination.of_sample(over(lease), count),
                words(lease),
                words(silent)
            ),
            "The lease protects a worker from the reaper. One that runs out during the work protects nobody.",
            vec!["renew the claim every third of its lease, or claim with a longer one".to_owned()],
        );
    }
    if findings.is_silent_on(CHECK) {
        findings.ok(
            CHECK,
            format!(
                "{} looked at, the longest at work for {}",
                number_of(count, "completed row"),
                words(longest)
            ),
        );
    }
    Ok(())
}
