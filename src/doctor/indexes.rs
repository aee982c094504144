//! Indexes: none broken, one in the purge's order, one for the reaper.

use super::{Chart, Exam, MANY_ROWS, Severity};
use crate::protocol::Status;
use crate::store::{Dialect, RowFilter, RowOrder, Served, StoreError};
use crate::table::Ident;

pub(super) fn invalid(exam: &Exam<'_>, chart: &mut Chart) {
    const CHECK: &str = "indexes";
    let indexes = match &exam.indexes {
        Ok(indexes) => indexes,
        Err(error) => return chart.unknown(CHECK, error),
    };
    let broken: Vec<_> = indexes.iter().filter(|index| !index.usable).collect();
    let built: &[String] = match &exam.building {
        Ok(built) => built,
        // Only of a broken one it matters.
        Err(_) if broken.is_empty() => &[],
        Err(error) => {
            chart.unknown(CHECK, error);
            &[]
        }
    };
    for index in broken {
        if built.contains(&index.sql) {
            chart.add(
                Severity::Info,
                (CHECK, "index_building"),
                format!("{} on {} is being built right now", index.sql, index.table),
                "It serves nobody until it is done.",
                Vec::new(),
            );
            continue;
        }
        let mut mend = Vec::new();
        match &index.definition {
            // An index of a partitioned table becomes valid with the last of its parts.
            Some(definition) if index.partitioned => {
                mend.push(format!("-- build it on each partition that lacks it, then: {definition};"))
            }
            Some(definition) => {
                if exam.building.is_err() {
                    mend.push(
                        "-- only when nobody is building it right now, which could not be seen:".to_owned(),
                    );
                }
                mend.extend(exam.without_limit());
                mend.push(format!("DROP INDEX CONCURRENTLY {};", index.sql));
                mend.push(format!("{};", definition.replacen("INDEX ", "INDEX CONCURRENTLY ", 1)));
            }
            None => {}
        }
        chart.add(
            if index.unique { Severity::Error } else { Severity::Warning },
            (CHECK, "index_invalid"),
            match exam.building {
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
            mend,
        );
    }
    if chart.is_silent_on(CHECK) {
        let own = indexes.iter().filter(|index| index.own).count();
        chart.ok(CHECK, format!("{own}, none of them INVALID"));
    }
}

pub(super) async fn purge(exam: &Exam<'_>, chart: &mut Chart) -> Result<(), StoreError> {
    const CHECK: &str = "purge_index";
    if exam.facts.kind.is_some() {
        return Ok(());
    }
    let cutoff = exam.now.minus(exam.expected.grace);
    let indexes = match &exam.indexes {
        Ok(indexes) => indexes,
        Err(error) => {
            chart.unknown(CHECK, error);
            return Ok(());
        }
    };
    let plans = exam.store.purge_plans(indexes, cutoff).await?;
    // One that does not fit was named.
    let is_unfit = exam.store.check_settings(&exam.store.mapping().expiry_settings()).is_err();
    if plans.is_empty() && !is_unfit {
        chart.add(
            Severity::Info,
            (CHECK, "never_expires"),
            "the mapping does not say when a row expires",
            "purge is refused (exit 2): the table only grows.",
            vec!["set `expires`, or `created` and `ttl`, in [table.clock]".to_owned()],
        );
    }
    for plan in plans {
        let build = exam.build_index(false, "purge", &plan.column_sql, "");
        let large = exam.rows().is_some_and(|rows| rows >= MANY_ROWS);
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
            chart.add(
                if large { Severity::Error } else { Severity::Warning },
                (CHECK, "purge_index_missing"),
                format!("no usable index begins with {}{words}", plan.column_sql),
                "The purge still works in bounded batches, but has to read the whole table to find expired \
                 rows, each time.",
                build,
            );
        } else if let Some(name) = whole {
            chart.add(
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
            chart.ok(CHECK, format!("{} is walked by {}", plan.column, by.unwrap_or("an index")));
        }
    }
    Ok(())
}

pub(super) async fn reap(exam: &Exam<'_>, chart: &mut Chart) -> Result<(), StoreError> {
    const CHECK: &str = "reap_index";
    let (Some(after), Some(claimed)) = (exam.expected.reap_after, exam.mapping().claimed()) else {
        return Ok(());
    };
    if exam.mapping().fail.is_none() {
        return Ok(());
    }
    let filter = RowFilter {
        statuses: vec![Status::InProgress],
        silent_since: Some(exam.now.minus(after)),
        ..RowFilter::default()
    };
    let plan = exam.store.list_plan(&filter, RowOrder::Claimed { newest_first: false }, 200).await?;
    if !plan.may_read_everything {
        chart.ok(CHECK, "an index leads to the rows in progress");
        return Ok(());
    }
    let rows = match (exam.rows().max(plan.table_rows), &exam.size) {
        (Some(rows), _) => rows,
        (None, Err(error)) => {
            chart.unknown(CHECK, error);
            return Ok(());
        }
        (None, Ok(size)) => size.rows,
    };
    if rows < MANY_ROWS {
        chart.ok(CHECK, format!("none leads to the rows in progress, and {rows} rows need none"));
    } else {
        let filter = format!(" WHERE {}", exam.store.in_progress_sql());
        chart.add(
            Severity::Warning,
            (CHECK, "reap_index_missing"),
            format!("no index leads to the rows in progress, and the table has about {rows} rows"),
            "The reaper reads the whole table each time it looks for stuck rows, every minute by default.",
            exam.build_index(false, "reap", &exam.store.column_sql(&claimed.column), &filter),
        );
    }
    Ok(())
}

/// A name as PostgreSQL's statements have it.
pub(super) fn quoted(name: &str) -> String {
    Ident::new(name).map_or_else(|_| format!("{name:?}"), |name| name.quoted(Dialect::Postgres))
}
