//! Indexes: none broken, one in the purge's order, one for the reaper.

use super::{Examination, Findings, MANY_ROWS, Severity};
use crate::protocol::Status;
use crate::store::{Dialect, RowFilter, RowOrder, Served, StoreError};
use crate::table::Ident;

pub(super) fn invalid(examination: &Examination<'_>, findings: &mut Findings) {
    const CHECK: &str = "indexes";
    let indexes = match &examination.indexes {
        Ok(indexes) => indexes,
        Err(error) => return findings.unknown(CHECK, error),
    };
    let broken: Vec<_> = indexes.iter().filter(|index| !index.usable).collect();
    let built: &[String] = match &examination.building {
        Ok(built) => built,
        // Only of a broken one it matters.
        Err(_) if broken.is_empty() => &[],
        Err(error) => {
            findings.unknown(CHECK, error);
            &[]
        }
    };
    for index in broken {
        if built.contains(&index.sql) {
            findings.add(
                Severity::Info,
                (CHECK, "index_building"),
                format!("{} on {} is being built right now", index.sql, index.table),
                "It serves nobody until it is done.",
                Vec::new(),
            );
            continue;
        }
        let mut fix = Vec::new();
        match &index.definition {
            // An index of a partitioned table becomes valid with the last of its parts.
            Some(definition) if index.partitioned => {
                fix.push(format!("-- build it on each partition that lacks it, then: {definition};"))
            }
            Some(definition) => {
                if examination.building.is_err() {
                    fix.push(
                        "-- only when nobody is building it right now, which could not be seen:".to_owned(),
                    );
                }
                fix.extend(examination.without_limit());
                fix.push(format!("DROP INDEX CONCURRENTLY {};", index.sql));
                fix.push(format!("{};", definition.replacen("INDEX ", "INDEX CONCURRENTLY ", 1)));
            }
            None => {}
        }
        findings.add(
            if index.unique { Severity::Error } else { Severity::Warning },
            (CHECK, "index_invalid"),
            match examination.building {
                Ok(_) => {
                    format!("{} on {} is INVALID: its build was interrupted or failed", index.sql, index.table)
                }
                Err(_) => format!(
                    "{} on {} is INVALID: its build was interrupted, failed, or still runs",
                    index.sql, index.table
                ),
            },
            if index.unique {
                "It serves no query, and does not keep two rows of one key apart. If building it fails again, \
                 there are such rows already: the error names one."
            } else {
                "It serves no query, and every write still pays for it."
            },
            fix,
        );
    }
    if findings.is_silent_on(CHECK) {
        let own = indexes.iter().filter(|index| index.own).count();
        findings.ok(CHECK, format!("{own}, none of them INVALID"));
    }
}

pub(super) async fn purge(examination: &Examination<'_>, findings: &mut Findings) -> Result<(), StoreError> {
    const CHECK: &str = "purge_index";
    if examination.facts.kind.is_some() {
        return Ok(());
    }
    let cutoff = examination.now.minus(examination.expected.grace);
    let indexes = match &examination.indexes {
        Ok(indexes) => indexes,
        Err(error) => {
            findings.unknown(CHECK, error);
            return Ok(());
        }
    };
    let plans = examination.store.purge_plans(indexes, cutoff).await?;
    // One that does not fit was named.
    let is_unfit = examination.store.check_settings(&examination.store.mapping().expiry_settings()).is_err();
    if plans.is_empty() && !is_unfit {
        findings.add(
            Severity::Info,
            (CHECK, "never_expires"),
            "the mapping does not say when a row expires",
            "purge is refused (exit 2): the table only grows.",
            vec!["set `expires`, or `created` and `ttl`, in [table.clock]".to_owned()],
        );
    }
    for plan in plans {
        let build = examination.build_index(false, "purge", &plan.column_sql, "");
        let large = examination.rows().is_some_and(|rows| rows >= MANY_ROWS);
        let scanned: Vec<&str> = plan
            .served
            .iter()
            .filter(|(_, served)| *served == Served::WholeTable)
            .map(|(table, _)| table.as_str())
            .collect();
        let whole = plan.served.iter().find_map(|(_, served)| match served {
            Served::WholeIndex(name) => Some(name),
            _ => None,
        });
        if !scanned.is_empty() {
            let words = match scanned.as_slice() {
                [_] => String::new(),
                several => format!(" ({} of its partitions)", several.len()),
            };
            findings.add(
                if large { Severity::Error } else { Severity::Warning },
                (CHECK, "purge_index_missing"),
                format!("no usable index begins with {}{words}", plan.column_sql),
                "The purge still works in bounded batches, but has to read the whole table to find expired \
                 rows, each time.",
                build,
            );
        } else if let Some(name) = whole {
            findings.add(
                if large { Severity::Error } else { Severity::Warning },
                (CHECK, "purge_index_second_best"),
                format!(
                    "the purge would read the index {name} from beginning to end: none begins with {}",
                    plan.column_sql
                ),
                "Each batch reads all entries of that index again: the pass gets slower with every row, and \
                 the more rows the table has.",
                build,
            );
        } else {
            let by = plan.served.iter().find_map(|(_, served)| match served {
                Served::Index(name) => Some(name.as_str()),
                _ => None,
            });
            findings.ok(CHECK, format!("{} is walked by {}", plan.column, by.unwrap_or("an index")));
        }
    }
    Ok(())
}

pub(super) async fn reap(examination: &Examination<'_>, findings: &mut Findings) -> Result<(), StoreError> {
    const CHECK: &str = "reap_index";
    let (Some(after), Some(claimed)) = (examination.expected.reap_after, examination.mapping().claimed())
    else {
        return Ok(());
    };
    if examination.mapping().fail.is_none() {
        return Ok(());
    }
    let filter = RowFilter {
        statuses: vec![Status::InProgress],
        no_heartbeat_since: Some(examination.now.minus(after)),
        ..RowFilter::default()
    };
    let plan = examination.store.list_plan(&filter, RowOrder::Claimed { newest_first: false }, 200).await?;
    if !plan.may_read_everything {
        findings.ok(CHECK, "an index leads to the rows in progress");
        return Ok(());
    }
    let rows = match (examination.rows().max(plan.table_rows), &examination.size) {
        (Some(rows), _) => rows,
        (None, Err(error)) => {
            findings.unknown(CHECK, error);
            return Ok(());
        }
        (None, Ok(size)) => size.rows,
    };
    if rows < MANY_ROWS {
        findings.ok(CHECK, format!("none leads to the rows in progress, and {rows} rows need none"));
    } else {
        let filter = format!(" WHERE {}", examination.store.in_progress_sql());
        findings.add(
            Severity::Warning,
            (CHECK, "reap_index_missing"),
            format!("no index leads to the rows in progress, and the table has about {rows} rows"),
            "The reaper reads the whole table each time it looks for stuck rows, every minute by default.",
            examination.build_index(false, "reap", &examination.store.column_sql(&claimed.column), &filter),
        );
    }
    Ok(())
}

/// A name as PostgreSQL's statements have it.
pub(super) fn quoted(name: &str) -> String {
    Ident::new(name).map_or_else(|_| format!("{name:?}"), |name| name.quoted(Dialect::Postgres))
}
