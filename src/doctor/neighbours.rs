//! What else happens when a row goes: foreign keys that point at it, triggers and rules that meet it.

use super::{Examination, Findings, Severity};
use crate::store::{StoreError, Trigger, TriggerKind};

pub(super) async fn children(
    examination: &Examination<'_>,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    const CHECK: &str = "foreign_keys";
    for child in examination.store.children().await? {
        let keeps = matches!(child.on_delete.as_str(), "RESTRICT" | "NO ACTION");
        let found =
            format!("{} points here ({}, ON DELETE {})", child.table, child.constraint, child.on_delete);
        if keeps && examination.dialect().enforces_references() {
            findings.add(
                Severity::Info,
                (CHECK, "references_kept"),
                found,
                "The purge leaves expired rows that a row there still references, and names the foreign key in \
                 its report. forget of such a row is refused (exit 5).",
                Vec::new(),
            );
        } else if examination.expected.allow_cascade {
            findings.add(
                Severity::Info,
                (CHECK, "references_spread_allowed"),
                found,
                "purge.allow_cascade is set: deleting expired keys deletes or changes rows there, on purpose.",
                Vec::new(),
            );
        } else if examination.dialect().enforces_references() {
            findings.add(
                Severity::Error,
                (CHECK, "references_spread"),
                found,
                "Deleting a key would delete or change rows of that table, payments for example. purge and \
                 forget are refused (exit 5) until that is changed or allowed.",
                vec![
                    format!(
                        "ALTER TABLE {0} DROP CONSTRAINT {1}, ADD CONSTRAINT {1} FOREIGN KEY ({2}) REFERENCES {3} (…) ON DELETE NO ACTION;",
                        child.table,
                        super::indexes::quoted(&child.constraint),
                        child.columns,
                        examination.store.table_sql()
                    ),
                    "purge.allow_cascade = true  # where rows there are meant to go with their keys".to_owned(),
                ],
            );
        } else {
            findings.add(
                Severity::Error,
                (CHECK, "references_spread"),
                found,
                "SQLite enforces foreign keys only on connections that ask for it, and idemctl's does not: rows \
                 there would lose their key in silence. purge and forget are refused (exit 5).",
                vec!["purge.allow_cascade = true  # where rows there may lose their keys".to_owned()],
            );
        }
        if !child.indexed {
            let rows = if examination.dialect().has_estimates() {
                format!(" of about {} rows", child.rows)
            } else {
                String::new()
            };
            let fix = match (examination.dialect().builds_indexes_online(), child.partitioned) {
                (true, false) => {
                    let mut fix = examination.without_limit();
                    fix.push(format!("CREATE INDEX CONCURRENTLY ON {} ({});", child.table, child.columns));
                    fix
                }
                (true, true) => vec![format!("CREATE INDEX ON {} ({});", child.table, child.columns)],
                (false, _) => vec![format!("CREATE INDEX … ON {} ({});", child.table, child.columns)],
            };
            findings.add(
                Severity::Warning,
                (CHECK, "reference_unindexed"),
                format!("no index of {}{rows} begins with {}", child.table, child.columns),
                "For every key that is deleted the database looks through that whole table for rows that still \
                 point at it: the purge takes as many times longer as that table has pages.",
                fix,
            );
        }
    }
    if findings.is_silent_on(CHECK) {
        findings.ok(CHECK, "none points at the table");
    }
    Ok(())
}

pub(super) async fn triggers(
    examination: &Examination<'_>,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    const CHECK: &str = "triggers";
    let reaps = examination.mapping().fail.is_some();
    for trigger in examination.store.triggers().await? {
        let Trigger { name, action, on_delete, on_update, kind, .. } = &trigger;
        let met = match (on_delete, *on_update && reaps) {
            (true, true) => "deletes and updates",
            (true, false) => "deletes",
            (false, true) => "updates",
            (false, false) => continue,
        };
        let place = if trigger.table.is_empty() { String::new() } else { format!(" on {}", trigger.table) };
        // The whole text of one of SQLite's is not for a report.
        let action: String =
            action.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(120).collect();
        match kind {
            TriggerKind::Before => findings.add(
                Severity::Warning,
                (CHECK, "trigger_before"),
                format!("{name}{place} runs before {met}: {action}"),
                "It can keep a row as it is without any error (RETURN NULL, RAISE(IGNORE)). The purge then \
                 reports a backlog that does not go (exit 6), the reaper keys that stay stuck.",
                vec!["read the function; let it return OLD for deletes and NEW for updates".to_owned()],
            ),
            TriggerKind::Instead => findings.add(
                Severity::Error,
                (CHECK, "rule_instead"),
                format!("the rule {name}{place} does something else instead of {met}"),
                "Rows are not deleted, whatever the purge does: its backlog does not go (exit 6).",
                vec![format!(
                    "DROP RULE {} ON {};",
                    super::indexes::quoted(name),
                    examination.store.table_sql()
                )],
            ),
            TriggerKind::After | TriggerKind::Also => findings.add(
                Severity::Info,
                (CHECK, "trigger_after"),
                format!("{name}{place} runs with {met}: {action}"),
                "It runs for every row of a purge, and takes its time in each batch.",
                Vec::new(),
            ),
        }
    }
    if findings.is_silent_on(CHECK) {
        findings.ok(CHECK, "none meets a delete");
    }
    Ok(())
}
