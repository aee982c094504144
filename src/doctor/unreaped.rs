//! Rows in progress that no reaper ever takes.

use super::{Examination, Findings, Severity};
use crate::store::{How, StoreError};
use crate::words::number_of;

pub(super) async fn check(examination: &Examination<'_>, findings: &mut Findings) -> Result<(), StoreError> {
    const CHECK: &str = "unreaped";
    let Some(ageless) = examination.store.ageless_sql() else { return Ok(()) };
    let rows = examination.store.ageless().await?;
    if rows.value == 0 {
        findings.ok(CHECK, "every row in progress says since when");
        return Ok(());
    }
    let at_least = if rows.how == How::AtLeast { "at least " } else { "" };
    findings.add(
        Severity::Warning,
        (CHECK, "stuck_clock_null"),
        format!("{at_least}{} in progress with NULL in every clock that tells an age", number_of(rows.value, "row")),
        "No reaper takes them, however long ago their workers were lost: a retry of such a key is told to wait for \
         ever.",
        vec![format!(
            "SELECT * FROM {} WHERE {} AND {ageless};  -- then idemctl fail KEY, for those that are lost",
            examination.store.table_sql(),
            examination.store.in_progress_sql()
        )],
    );
    Ok(())
}
