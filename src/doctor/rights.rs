//! What the role may do, and what it may see.

use super::{Examination, Findings, Severity};
use crate::store::{ErrorKind, Policy, Store, StoreError};
use crate::table::WriteRule;

/// A table in a schema that the role may not reach into.
pub(super) fn unreachable_table(store: &Store, error: StoreError, findings: &mut Findings) {
    if error.kind() != ErrorKind::Right {
        return findings.settle("table", Err(error));
    }
    findings.add(
        Severity::Error,
        ("rights", "right_usage_missing"),
        error.chain(),
        "The role may not reach into the table's schema: every command on this table is refused (exit 8).",
        match &store.mapping().name.schema {
            Some(schema) => {
                vec![format!("GRANT USAGE ON SCHEMA {} TO …;", super::indexes::quoted(schema.as_str()))]
            }
            None => Vec::new(),
        },
    );
}

pub(super) fn table(examination: &Examination<'_>, findings: &mut Findings) {
    const CHECK: &str = "rights";
    let facts = &examination.facts;
    let (table, role) = (examination.store.table_sql(), examination.role());
    let grant = |right: &str| vec![format!("GRANT {right} ON {table} TO {role};")];
    let columns = match &examination.columns {
        Ok(columns) => columns.as_slice(),
        Err(error) => {
            findings.unknown(CHECK, error);
            &[]
        }
    };
    let unreadable: Vec<&str> = used_columns(examination)
        .into_iter()
        .filter(|name| columns.iter().any(|column| column.name == *name && !column.readable))
        .collect();
    if !facts.select && (unreadable.len() == used_columns(examination).len() || !unreadable.is_empty()) {
        findings.add(
            Severity::Error,
            (CHECK, "right_select_missing"),
            format!("the role {role} may not read {}", unreadable.join(", ")),
            "Every command on this table is refused (exit 8).",
            grant("SELECT"),
        );
    }
    if facts.kind.is_some() {
        return;
    }
    let purges = examination.store.check_purge().is_ok();
    let deletes =
        [&examination.mapping().fail, &examination.mapping().release].contains(&&Some(WriteRule::Delete));
    if !facts.delete && (purges || deletes) {
        findings.add(
            Severity::Error,
            (CHECK, "right_delete_missing"),
            format!("the role {role} lacks DELETE on {table}"),
            "Purge and forget are refused (exit 8): expired rows stay.",
            grant("DELETE"),
        );
    }
    let reaps = examination.expected.reap_after.is_some()
        && examination.mapping().fail.as_ref().is_some_and(|rule| *rule != WriteRule::Delete);
    if !facts.update {
        if reaps {
            findings.add(
                Severity::Error,
                (CHECK, "right_update_missing"),
                format!("the role {role} lacks UPDATE on {table}"),
                "Reap, fail and release are refused (exit 8). A purge works until it meets a row that somebody \
                 holds a lock on: passing over it takes SELECT … FOR UPDATE SKIP LOCKED, which needs UPDATE, \
                 and the pass ends there.",
                grant("UPDATE"),
            );
        } else if purges && facts.delete {
            findings.add(
                Severity::Warning,
                (CHECK, "right_update_missing"),
                format!("the role {role} has DELETE on {table} and lacks UPDATE"),
                "A purge works until it meets a row that somebody holds a lock on: passing over it takes \
                 SELECT … FOR UPDATE SKIP LOCKED, which needs UPDATE, and the pass ends there (exit 8). A right \
                 to update a single column suffices.",
                grant("UPDATE"),
            );
        }
    }
    if examination.mapping().is_owned() && !facts.insert {
        findings.add(
            Severity::Info,
            (CHECK, "right_insert_missing"),
            format!("the role {role} lacks INSERT on {table}"),
            "`idemctl run` and claims made with this role are refused (exit 8). The janitor needs none.",
            grant("INSERT"),
        );
    }
    if findings.is_silent_on(CHECK) {
        findings.ok(CHECK, format!("{role} has the rights that its passes need"));
    }
}

/// The columns that every command reads.
fn used_columns<'e>(examination: &'e Examination<'_>) -> Vec<&'e str> {
    let mapping = examination.mapping();
    let mut used: Vec<&str> =
        mapping.key.iter().chain(&mapping.scope).map(|column| column.as_str()).collect();
    used.extend(mapping.state.columns().map(|column| column.as_str()));
    used.extend(mapping.read_clocks().flatten().map(|clock| clock.column.as_str()));
    used
}

pub(super) async fn row_security(
    examination: &Examination<'_>,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    const CHECK: &str = "row_security";
    let facts = &examination.facts;
    if !facts.row_security {
        findings.ok(CHECK, "row level security is off");
        return Ok(());
    }
    if !facts.row_security_active {
        let why = match (examination.store.is_superuser().await, facts.owned) {
            (Ok(true), _) => "it is a superuser",
            (Ok(false), true) => "it owns the table, and FORCE is off",
            (Ok(false), false) => "it has BYPASSRLS",
            (Err(_), _) => "it owns the table, has BYPASSRLS, or is a superuser",
        };
        findings.ok(CHECK, format!("row level security is on, and does not apply to the role: {why}"));
        return Ok(());
    }
    let policies = examination.store.policies().await?;
    // All that the passes do must meet every row: see it, delete it, and where there is a reaper, update it.
    let reaps = examination.mapping().fail.is_some();
    let passes = |command| Policy::let_all_pass(&policies, command);
    if passes("SELECT") && passes("DELETE") && (!reaps || passes("UPDATE")) {
        findings.ok(CHECK, "row level security applies to the role, and its policies let every row pass");
        return Ok(());
    }
    let words: Vec<String> = policies
        .iter()
        .map(|policy| {
            let kind = if policy.permissive { "" } else { "restrictive, " };
            format!("{} ({kind}{}: {})", policy.name, policy.command, policy.condition)
        })
        .collect();
    let words = if words.is_empty() { "no policy lets it see a row".to_owned() } else { words.join(", ") };
    let forced = if facts.owned && facts.row_security_forced { ", its owner, by FORCE" } else { "" };
    let (table, role) = (examination.store.table_sql(), examination.role());
    findings.add(
        Severity::Error,
        (CHECK, "row_security_hides"),
        format!("row level security applies to the role {role}{forced}: {words}"),
        "Rows that the policies hide are neither listed, reaped, purged nor counted, without any error: a \
         purge that reports success may have left most of the table. How many rows are hidden can't be known \
         with this role.",
        vec![
            format!("ALTER ROLE {role} BYPASSRLS;  -- by a superuser, or instead:"),
            format!("CREATE POLICY idemctl ON {table} TO {role} USING (true);"),
        ],
    );
    Ok(())
}
