//! `idemctl adopt`

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use crate::exit::{Exit, Failure};
use crate::output::{AdoptReport, Printer};
use crate::settings::{AdoptSettings, mapping_of, named_table};
use crate::store::{Dialect, Store};
use crate::table::adopt::{self, Candidate, TableFacts};
use crate::table::{Mapping, TableName};

/// Looks at the database and proposes a mapping.
pub(super) async fn adopt(
    store: &Store,
    settings: &AdoptSettings,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let dialect = store.dialect();
    let tables = store.catalogue().await?;
    let candidates = adopt::rank(&tables, dialect);
    let table = match &settings.table {
        Some(name) => find(&tables, name, dialect)
            .ok_or_else(|| {
                Failure::new(Exit::Unfit, format!("{} has no table {name}", store.target()))
                    .hint("without --table, adopt lists the tables that look like an idempotency table")
            })?
            .clone(),
        None => match candidates.as_slice() {
            [] => return Err(nothing_found(store, &tables)),
            [one] => one.table.clone(),
            several => return several_found(several, printer),
        },
    };
    if adopt::is_own(&table) {
        return Err(Failure::new(
            Exit::Usage,
            format!("the table {} is idemctl's own, and needs no mapping", table.config_name()),
        ));
    }
    let mut report = report(store, &table, &candidates).await?;
    if let Some(path) = &settings.write {
        write(path, report.configuration())?;
        report.written(path);
        printer.notice(&format!("written to {}", path.display()));
    }
    printer.report(&report)?;
    let questions = report.questions();
    if questions > 0 {
        printer.notice(&format!(
            "{questions} questions are open, each in a line that begins with \"# ?\"; until they are answered \
             the mapping is on the safe side"
        ));
    }
    Ok(Exit::Done)
}

/// What is printed for a table.
async fn report(store: &Store, table: &TableFacts, candidates: &[Candidate]) -> Result<AdoptReport, Failure> {
    let dialect = store.dialect();
    let samples = store.values_of(table, &adopt::wanted(table, dialect)).await?;
    let Some(proposal) = adopt::propose(table, dialect, &samples) else {
        return Err(Failure::new(
            Exit::Unfit,
            format!("nothing in the table {} could be an idempotency key", table.config_name()),
        )
        .hint("a key is a column that a unique key covers, or one that is named like a key"));
    };
    let report = AdoptReport::new(store.target(), &proposal, candidates);
    // What is printed is what the checks at start will read.
    store.with_mapping(mapping_of(report.configuration())?).await?;
    Ok(report)
}

/// `adopt --table NAME -o json` without a process of its own, for tests that ask of thousands of tables.
///
/// # Errors
/// What would be said on standard error.
#[doc(hidden)]
pub async fn adopt_in_process(store: &Store, table: &str) -> Result<serde_json::Value, String> {
    let said = |failure: Failure| failure.chain().join(": ");
    let name = named_table(table).map_err(said)?;
    let tables = store.catalogue().await.map_err(|error| error.chain())?;
    let found = find(&tables, &name, store.dialect()).ok_or_else(|| format!("there is no table {name}"))?;
    let report = report(store, found, &adopt::rank(&tables, store.dialect())).await.map_err(said)?;
    serde_json::to_value(&report).map_err(|error| error.to_string())
}

/// The mapping that a configuration with one `[[table]]` describes, for the same tests.
///
/// # Errors
/// What would be said on standard error.
#[doc(hidden)]
pub fn mapping_in_process(configuration: &str) -> Result<Mapping, String> {
    mapping_of(configuration).map_err(|failure| failure.chain().join(": "))
}

/// The table of this name, as the database itself would find it.
fn find<'t>(tables: &'t [TableFacts], name: &TableName, dialect: Dialect) -> Option<&'t TableFacts> {
    let same = |one: &str, other: &str| match dialect {
        Dialect::Sqlite => one.eq_ignore_ascii_case(other),
        Dialect::Postgres => one == other,
    };
    let mut found = tables.iter().filter(|table| {
        let in_schema = match (&name.schema, &table.schema) {
            (Some(wanted), Some(schema)) => same(schema, wanted.as_str()),
            (Some(wanted), None) => same("main", wanted.as_str()),
            (None, _) => table.visible,
        };
        in_schema && same(&table.name, name.name.as_str())
    });
    found.next()
}

fn nothing_found(store: &Store, tables: &[TableFacts]) -> Failure {
    let failure =
        Failure::new(Exit::Unfit, format!("no table of {} looks like an idempotency table", store.target()));
    if tables.iter().any(adopt::is_own) {
        return failure.hint("idemctl's own tables are there; they need no mapping");
    }
    failure.hint("name one with --table NAME; or, for a new one, run `idemctl migrate`")
}

fn several_found(candidates: &[Candidate], printer: &Printer) -> Result<Exit, Failure> {
    printer.report(&AdoptReport::undecided(candidates))?;
    Err(Failure::new(Exit::Usage, format!("{} tables look like an idempotency table", candidates.len()))
        .hint("name one with --table NAME"))
}

/// Makes the file; never over another one.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| {
        let is_there = error.kind() == ErrorKind::AlreadyExists;
        let exit = if is_there { Exit::Refused } else { Exit::Failed };
        let failure = Failure::new(exit, format!("can't write {}", path.display())).because(error);
        if is_there {
            failure.hint("an existing file is never overwritten: name another one")
        } else {
            failure
        }
    })?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .map_err(|error| Failure::new(Exit::Failed, format!("can't write {}", path.display())).because(error))
}
