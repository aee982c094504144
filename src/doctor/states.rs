//! States that the mapping does not list.

use super::{Examination, Findings, Severity};
use crate::store::StoreError;

pub(super) async fn check(examination: &Examination<'_>, findings: &mut Findings) -> Result<(), StoreError> {
    const CHECK: &str = "states";
    let Some(column) = examination.mapping().state.column() else {
        findings.ok(CHECK, "every row is in a state that is known");
        return Ok(());
    };
    let name = examination.store.column_sql(column);
    let found = examination.store.unlisted_states(&examination.sample).await?;
    if !found.is_empty() {
        let values: Vec<String> = found
            .iter()
            .map(|(value, rows)| match value {
                Some(value) => format!("{value:?} ({rows})"),
                None => format!("NULL ({rows})"),
            })
            .collect();
        let place = if examination.sample.whole { "" } else { " in a sample" };
        findings.add(
            Severity::Warning,
            (CHECK, "state_unlisted"),
            format!("{name} holds values that nobody listed{place}: {}", values.join(", ")),
            "Rows in these states are never touched: neither reaped nor purged. `idemctl list --status unknown` \
             shows them.",
            vec!["add the values to in_progress, completed, failed or keep in [table.state]".to_owned()],
        );
        return Ok(());
    }
    let state = &examination.mapping().state;
    let possible = examination.store.enum_values(column.as_str()).await?;
    let unlisted: Vec<String> = possible
        .iter()
        .filter(|value| state.meaning(Some(value.as_str())).is_none())
        .map(|value| format!("{value:?}"))
        .collect();
    if !unlisted.is_empty() {
        findings.add(
            Severity::Info,
            (CHECK, "state_possible"),
            format!(
                "{name} may hold values that nobody listed, though no row was seen that does: {}",
                unlisted.join(", ")
            ),
            "Rows in these states would never be touched.",
            vec!["add the values to in_progress, completed, failed or keep in [table.state]".to_owned()],
        );
        return Ok(());
    }
    findings.ok(CHECK, format!("{name} holds what the mapping lists"));
    Ok(())
}
