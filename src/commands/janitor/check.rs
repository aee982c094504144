//! `idemctl janitor --check`: whatever can be known to be wrong before the first pass.

use super::Connector;
use crate::exit::{Exit, Failure};
use crate::janitor::{Connect as _, TablePlan};
use crate::output::{CheckProblem, CheckReport, Printer};
use crate::settings::JanitorSettings;
use crate::store::{Dialect, ErrorKind, Pass, RowChange, Store, StoreError, Work};
use crate::table::Ident;

/// Says what would run when, and what keeps it from its work.
pub(super) async fn check(settings: &JanitorSettings, printer: &Printer) -> Result<Exit, Failure> {
    let connector = Connector::new(settings);
    let stores = connector.connect().await?;
    let mut report = CheckReport::new(connector.target(), settings.target.source.to_string());
    for (store, (_, table)) in stores.iter().zip(&settings.tables) {
        if table.purge.max_lag.is_some() {
            crate::janitor::check_lag_readable(store).await?;
        }
        let has_leases = store.has_leases().await?;
        let leases = if has_leases { store.leases_if_readable().await? } else { Vec::new() };
        let unable = crate::janitor::unable(store, table);
        report.add(table, has_leases, &leases, &unable, store.now().await?);
        report.problems.extend(of_table(store, table).await?);
    }
    printer.report(&report)?;
    for table in report.without_leaders() {
        printer.notice(&format!(
            "idemctl_lease or idemctl_pause is missing beside {table}: it can't be paused, and one janitor runs at a \
             time; `idemctl migrate` makes them"
        ));
    }
    Ok(if report.problems.is_empty() { Exit::Done } else { Exit::NotReady })
}

/// What keeps the passes of this configuration from their work.
pub(super) async fn problems(settings: &JanitorSettings) -> Result<Vec<CheckProblem>, StoreError> {
    let stores = Connector::new(settings).connect().await?;
    let mut problems = Vec::new();
    for (store, (_, table)) in stores.iter().zip(&settings.tables) {
        problems.extend(of_table(store, table).await?);
    }
    Ok(problems)
}

async fn of_table(store: &Store, table: &TablePlan) -> Result<Vec<CheckProblem>, StoreError> {
    let unable = crate::janitor::unable(store, table);
    let able = |pass| !unable.iter().any(|(of, _)| *of == pass);
    let mut passes = Vec::new();
    if table.reap.is_some() && able(Pass::Reap) {
        passes.push(Pass::Reap);
    }
    if able(Pass::Purge) {
        passes.push(Pass::Purge);
    }
    let mut problems = Vec::new();
    let mut add = |code: &'static str, found: String, fix: Vec<String>| {
        problems.push(CheckProblem { table: table.table.clone(), code, found, fix });
    };
    let mut role = String::new();
    if !store.dialect().has_roles() {
        let path = store.file_facts().await?.path;
        let closed = crate::doctor::closed_to_writes(&path);
        if !closed.is_empty() {
            let fix = "run the janitor as the user that owns the file, or give this one's group the right";
            add("read_only", closed.join("; "), vec![fix.to_owned()]);
        }
    } else {
        let server = store.server_facts().await?;
        role = Ident::new(server.role).map(|role| role.quoted(Dialect::Postgres)).unwrap_or_default();
        if server.standby {
            let fix = "name the primary in the URL, or list all hosts: postgres://db1,db2/…";
            add("standby", "this server is a standby: it takes no writes".to_owned(), vec![fix.to_owned()]);
        } else if store.role_limits().await?.read_only {
            add(
                "read_only",
                "default_transaction_read_only is on for this role or database".to_owned(),
                vec![format!("ALTER ROLE {role} SET default_transaction_read_only = off;")],
            );
        }
    }
    if let Some(kind) = store.table_facts().await?.and_then(|facts| facts.kind) {
        let found = format!("{} is {kind}: its rows are only looked at", table.table);
        add("not_a_table", found, vec!["name the table underneath in `[[table]]`".to_owned()]);
        return Ok(problems);
    }
    if !store.mapping().is_owned() {
        // What is known of the mapping itself; a missing setting is no problem, but a pass that is off.
        let reap = table.reap.as_ref().map(|reap| store.check_reap(reap.options.retry.strictest()));
        let of_mapping = |checked: Result<(), StoreError>| {
            checked.err().filter(|error| error.kind() == ErrorKind::Mapping)
        };
        let mut refused = reap.and_then(of_mapping).or_else(|| of_mapping(store.check_purge()));
        let changes: Vec<RowChange> = passes
            .iter()
            .map(|pass| match pass {
                Pass::Reap => RowChange::Reap,
                Pass::Purge => RowChange::Purge,
            })
            .collect();
        if refused.is_none() {
            refused = store.check_statements_for(&changes).await.err();
        }
        match refused {
            None => {}
            Some(error) if error.is_connection() || error.is_disconnect() => return Err(error),
            Some(error) => {
                let fix = error.server_hint().unwrap_or("compare `[[table]]` with the table").to_owned();
                add("mapping", error.chain(), vec![fix]);
            }
        }
    }
    let work = Work {
        reaps: passes.contains(&Pass::Reap),
        purges: passes.contains(&Pass::Purge),
        audits: store.has_audit().await?,
        leads: store.has_leases().await?,
    };
    for missing in store.missing_rights(work).await? {
        let found =
            format!("the role {} lacks {} on {}", missing.role, missing.rights.join(", "), missing.table);
        add("right_missing", found, vec![missing.grant()]);
    }
    let hidden = store.hidden_from(&passes).await?;
    if !hidden.is_empty() {
        add(
            "row_security",
            format!(
                "row level security hides rows of {} from the role ({}): they are neither reaped nor purged, \
                 without any error",
                table.table,
                hidden.join(", ")
            ),
            vec![
                format!("ALTER ROLE {role} BYPASSRLS;  -- by a superuser, or instead:"),
                format!("CREATE POLICY idemctl ON {} TO {role} USING (true);", store.table_sql()),
            ],
        );
    }
    if work.purges {
        match store.check_references(table.purge.options.allow_cascade).await {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Referenced => add(
                "references_spread",
                format!("the purge is refused: {error}"),
                vec![
                    "purge.allow_cascade = true  # where rows there are meant to go with their keys"
                        .to_owned(),
                ],
            ),
            Err(error) => return Err(error),
        }
    }
    Ok(problems)
}
