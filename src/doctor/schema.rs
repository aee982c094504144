//! Whether the table is there, is a table, and is what its mapping says.

use super::{Examination, Expected, Findings, Severity};
use crate::store::{Dialect, ErrorKind, MigrationState, ServerFacts, Store, StoreError};
use crate::table::{Ident, Mapping};

/// The table's store, and whether its mapping fits. One whose mapping does not fit is still looked at from
/// outside.
pub(super) async fn open(base: &Store, mapping: &Mapping, findings: &mut Findings) -> Option<(Store, bool)> {
    if mapping.is_owned() {
        let fits = migrations(base, findings).await;
        return Some((base.clone(), fits));
    }
    match base.looking_at(mapping.clone()).await {
        Ok(store) => return Some((store, true)),
        Err(error) if error.kind() == ErrorKind::Mapping => findings.add(
            Severity::Error,
            ("mapping", "mapping_mismatch"),
            error.chain(),
            "Every command on this table is refused (exit 8) before any row is touched.",
            vec!["fix `[[table]]` in the configuration; see idemctl.toml(5)".to_owned()],
        ),
        Err(error) => findings.settle("mapping", Err(error)),
    }
    match base.unseen(mapping.clone()) {
        Ok(store) => Some((store, false)),
        Err(error) => {
            findings.settle("mapping", Err(error));
            None
        }
    }
}

async fn migrations(base: &Store, findings: &mut Findings) -> bool {
    let pending = match base.migration_status().await {
        Ok(statuses) => statuses
            .into_iter()
            .filter(|status| status.state == MigrationState::Pending)
            .map(|status| status.migration.name)
            .collect::<Vec<_>>(),
        Err(error) if error.kind() == ErrorKind::SchemaMismatch => {
            findings.add(
                Severity::Error,
                ("migrations", "schema_mismatch"),
                error.chain(),
                "Every command on this table is refused (exit 8).",
                vec!["use the idemctl that this schema belongs to, or another database".to_owned()],
            );
            return false;
        }
        Err(error) if error.kind() == ErrorKind::Right => {
            findings.add(
                Severity::Error,
                ("migrations", "right_migrations_missing"),
                format!("the role may not read idemctl_migrations: {}", error.chain()),
                "Every command on this table is refused (exit 8).",
                vec!["GRANT SELECT ON idemctl_migrations TO …;".to_owned()],
            );
            return true;
        }
        Err(error) => {
            findings.settle("migrations", Err(error));
            return true;
        }
    };
    if pending.is_empty() {
        findings.ok("migrations", "all have run");
        return true;
    }
    findings.add(
        Severity::Error,
        ("migrations", "migration_pending"),
        format!("pending: {}", pending.join(", ")),
        "Every command on this table is refused (exit 8) until they have run.",
        vec!["idemctl migrate".to_owned()],
    );
    // What is there is looked at all the same, unless it is not there at all.
    !pending.iter().any(|name| name.starts_with("0001"))
}

pub(super) fn missing(store: &Store, findings: &mut Findings) {
    if !findings.is_silent_on("migrations") || !findings.is_silent_on("mapping") {
        return;
    }
    findings.add(
        Severity::Error,
        ("table", "table_missing"),
        format!("{} has no table {}", store.target(), store.table_sql()),
        "Every command on this table is refused (exit 8).",
        vec!["check `name` in `[[table]]`, its schema, and the database's URL".to_owned()],
    );
}

/// What kind of table it is.
pub(super) fn kind(examination: &Examination<'_>, findings: &mut Findings) {
    let facts = &examination.facts;
    if let Some(kind) = facts.kind {
        return findings.add(
            Severity::Error,
            ("table", "not_a_table"),
            format!("{} is {kind}", examination.store.table_sql()),
            "Its rows can be looked at. Reap, purge and all other changes are refused (exit 8).",
            vec!["name the table underneath in `[[table]]`".to_owned()],
        );
    }
    if facts.partitioned {
        findings.add(
            Severity::Info,
            ("table", "partitioned"),
            match &examination.size {
                Ok(size) => format!(
                    "{} is partitioned: {} partitions hold its rows",
                    examination.store.table_sql(),
                    size.partitions
                ),
                Err(_) => format!("{} is partitioned", examination.store.table_sql()),
            },
            "The purge deletes row by row in all partitions. Where the partitions are by time and a whole one \
             is expired, detaching and dropping it costs next to nothing.",
            vec!["ALTER TABLE … DETACH PARTITION … CONCURRENTLY; DROP TABLE …;".to_owned()],
        );
    } else if facts.unlogged {
        findings.add(
            Severity::Warning,
            ("table", "unlogged"),
            format!("{} is UNLOGGED", examination.store.table_sql()),
            "After a crash of the server it is empty, and on a standby it always is: every request that was \
             answered before is executed again.",
            vec![format!("ALTER TABLE {} SET LOGGED;", examination.store.table_sql())],
        );
    } else {
        let rows = examination.rows().map(|rows| format!(" of about {rows} rows")).unwrap_or_default();
        findings.ok("table", format!("an ordinary table{rows}"));
    }
    if let Err(error) = &examination.size {
        findings.unknown("table", error);
    }
    if !examination.facts.strict {
        findings.add(
            Severity::Info,
            ("column_types", "not_strict"),
            "the table is not STRICT: SQLite stores whatever value comes in whatever column",
            "A text in a column of numbers sorts after all numbers. idemctl leaves rows whose clock or state \
             is not written as the mapping says.",
            Vec::new(),
        );
    }
}

/// Whether the database takes every statement; false where it is known to refuse one.
pub(super) async fn statements(examination: &Examination<'_>, findings: &mut Findings) -> bool {
    for problem in examination.store.misfits() {
        findings.add(
            Severity::Error,
            ("mapping", "mapping_mismatch"),
            problem.to_owned(),
            "Commands that need this setting are refused (exit 8); the others do without it.",
            vec!["fix `[[table]]` in the configuration; see idemctl.toml(5)".to_owned()],
        );
    }
    match examination.store.check_fitting_statements().await {
        Ok(()) => {
            if examination.store.misfits().next().is_none() {
                findings.ok("mapping", "every column is there, and every statement can be prepared");
            }
            true
        }
        Err(error) if error.is_state_of_table() => {
            let table = examination.store.table_sql();
            // The server's hint names the statement's kind, and not the table.
            let needs_identity = error.chain().contains("replica identity");
            let fix = match (needs_identity, error.server_hint()) {
                (true, _) => vec![format!(
                    "ALTER TABLE {table} REPLICA IDENTITY FULL;  -- or USING INDEX, where a unique one has no NULLs"
                )],
                (false, hint) => hint.map(|hint| format!("-- {hint}")).into_iter().collect(),
            };
            findings.add(
                Severity::Error,
                ("mapping", "statement_refused"),
                error.chain(),
                "The mapping is right: the database does not change rows of this table as it is now. Commands \
                 that do are refused (exit 8); the application's own updates and deletes fail as well.",
                fix,
            );
            // What only reads can still be asked.
            true
        }
        Err(error) if matches!(error.kind(), ErrorKind::Mapping | ErrorKind::Schema) => {
            findings.add(
                Severity::Error,
                ("mapping", "mapping_mismatch"),
                error.chain(),
                "Commands on this table are refused (exit 8) before any row is touched.",
                vec![if examination.mapping().is_owned() {
                    "another program changed idemctl's table: compare it with `idemctl migrate print`"
                        .to_owned()
                } else {
                    "fix `[[table]]` in the configuration; see idemctl.toml(5)".to_owned()
                }],
            );
            false
        }
        Err(error) => {
            findings.settle("mapping", Err(error));
            true
        }
    }
}

/// The tables beside the tables of keys.
pub(super) async fn auxiliary(
    base: &Store,
    tables: &[(Mapping, Expected)],
    server: Option<&ServerFacts>,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    let found = base.auxiliary_tables().await?;
    let missing: Vec<&str> =
        found.iter().filter(|table| !table.exists).map(|table| table.name.as_str()).collect();
    if !missing.is_empty() {
        // For idemctl's own table the migrations say so.
        if tables.iter().any(|(mapping, _)| !mapping.is_owned()) {
            findings.add(
                Severity::Warning,
                ("auxiliary_tables", "auxiliary_tables_missing"),
                format!("{} not there", missing.join(", ")),
                "Without them nobody can look up later who changed which key, janitors on two hosts both \
                 work, and `idemctl pause` does not stop them.",
                vec!["idemctl migrate".to_owned()],
            );
        }
        return Ok(());
    }
    let mut grants = Vec::new();
    for table in &found {
        let mut lacks = Vec::new();
        for (right, has, needed) in [
            ("SELECT", table.select, true),
            ("INSERT", table.insert, true),
            ("UPDATE", table.update, table.name != "idemctl_audit"),
        ] {
            if needed && !has {
                lacks.push(right);
            }
        }
        if !lacks.is_empty() {
            grants.push((table.name.clone(), lacks.join(", ")));
        }
    }
    if grants.is_empty() {
        findings.ok("auxiliary_tables", "the audit, the leases and the pause are there");
        return Ok(());
    }
    let role = server.map(|server| server.role.clone()).unwrap_or_default();
    let role = Ident::new(role).map(|role| role.quoted(Dialect::Postgres)).unwrap_or_default();
    let words: Vec<String> = grants.iter().map(|(table, rights)| format!("{rights} on {table}")).collect();
    findings.add(
        Severity::Warning,
        ("auxiliary_tables", "auxiliary_rights_missing"),
        format!("the role lacks {}", words.join(" and ")),
        "Without the audit's, reap, release, fail and forget are refused (exit 8). Without the leases', no \
         janitor can lead, and a manual purge is not recorded.",
        grants.iter().map(|(table, rights)| format!("GRANT {rights} ON {table} TO {role};")).collect(),
    );
    Ok(())
}
