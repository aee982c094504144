//! What `adopt` asks a database: the catalogue of all tables, and some values of a few columns. Nothing
//! is changed, and no table is read to its end.

use std::collections::{BTreeMap, HashSet};

use super::mapping_check::{postgres_family, sqlite_family};
use super::{Dialect, Purpose, Row, Statement, Store, StoreError};
use crate::sql::Template;
use crate::table::adopt::{
    CatalogueColumn, CatalogueTable, Cell, SAMPLE_CHARACTERS, Samples, Storage, UniqueFacts, checks_in,
    newest_first, predicate_in,
};
use crate::table::{Family, Ident};

/// So many rows are looked at in each part of a table.
const SAMPLE_ROWS: usize = 1_000;

/// The statements of one dialect.
struct Statements {
    columns: &'static str,
    uniques: &'static str,
    checks: &'static str,
    enums: &'static str,
    references: &'static str,
    indexes: &'static str,
    rows: &'static str,
}

const POSTGRES: Statements = Statements {
    columns: include_str!("../dialect/postgres/sql/adopt_columns.sql"),
    uniques: include_str!("../dialect/postgres/sql/adopt_uniques.sql"),
    checks: include_str!("../dialect/postgres/sql/adopt_checks.sql"),
    enums: include_str!("../dialect/postgres/sql/adopt_enums.sql"),
    references: include_str!("../dialect/postgres/sql/adopt_references.sql"),
    indexes: include_str!("../dialect/postgres/sql/adopt_indexes.sql"),
    rows: include_str!("../dialect/postgres/sql/adopt_rows.sql"),
};

const SQLITE: Statements = Statements {
    columns: include_str!("../dialect/sqlite/sql/adopt_columns.sql"),
    uniques: include_str!("../dialect/sqlite/sql/adopt_uniques.sql"),
    checks: include_str!("../dialect/sqlite/sql/adopt_checks.sql"),
    enums: include_str!("../dialect/sqlite/sql/adopt_enums.sql"),
    references: include_str!("../dialect/sqlite/sql/adopt_references.sql"),
    indexes: include_str!("../dialect/sqlite/sql/adopt_indexes.sql"),
    rows: include_str!("../dialect/sqlite/sql/adopt_rows.sql"),
};

impl Statements {
    fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Postgres => POSTGRES,
            Dialect::Sqlite => SQLITE,
        }
    }
}

fn statement(name: &'static str, text: &'static str) -> Result<Statement, StoreError> {
    Ok(Template { name, text }.render(&[])?)
}

impl Store {
    /// What the catalogue says of every table.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub(crate) async fn catalogue(&self) -> Result<Vec<CatalogueTable>, StoreError> {
        let dialect = self.dialect();
        let statements = Statements::of(dialect);
        let mut transaction = self.backend.begin(Purpose::Read).await?;
        let columns = transaction.fetch(&statement("adopt_columns", statements.columns)?, &[]).await?;
        let uniques = transaction.fetch(&statement("adopt_uniques", statements.uniques)?, &[]).await?;
        let checks = transaction.fetch(&statement("adopt_checks", statements.checks)?, &[]).await?;
        let enums = transaction.fetch(&statement("adopt_enums", statements.enums)?, &[]).await?;
        let references =
            transaction.fetch(&statement("adopt_references", statements.references)?, &[]).await?;
        let indexes = transaction.fetch(&statement("adopt_indexes", statements.indexes)?, &[]).await?;
        transaction.commit().await?;

        let mut tables: BTreeMap<i64, CatalogueTable> = BTreeMap::new();
        for mut row in columns {
            let number = number(&mut row)?;
            let (schema, name) = (row.text()?, row.some_text()?);
            let (visible, bare) = (row.some_bool()?, row.some_bool()?);
            let rows = row.int()?;
            let table = tables.entry(number).or_insert_with(|| CatalogueTable {
                schema,
                name,
                visible,
                bare,
                rows: rows.filter(|rows| *rows >= 0),
                ..CatalogueTable::default()
            });
            table.columns.push(column(&mut row, dialect)?);
            table.pages = row.int()?;
            table.row_security = row.some_bool()?;
        }
        let mut last = None;
        for mut row in uniques {
            let (of, index) = (number(&mut row)?, number(&mut row)?);
            let (primary, column) = (row.some_bool()?, row.text()?);
            let Some(table) = tables.get_mut(&of) else { continue };
            if last != Some((of, index)) {
                table.uniques.push(UniqueFacts { primary, columns: Vec::new() });
                last = Some((of, index));
            }
            if let Some(unique) = table.uniques.last_mut() {
                unique.columns.push(column);
            }
        }
        for mut row in checks {
            let (of, text) = (number(&mut row)?, row.some_text()?);
            let Some(table) = tables.get_mut(&of) else { continue };
            match dialect {
                Dialect::Postgres => table.checks.push(text),
                Dialect::Sqlite => table.checks.extend(checks_in(&text)),
            }
        }
        for mut row in indexes {
            let (of, first, condition) = (number(&mut row)?, row.text()?, row.text()?);
            let Some(table) = tables.get_mut(&of) else { continue };
            match (condition, dialect) {
                (None, _) => table.ordered.extend(first),
                (Some(condition), Dialect::Postgres) => table.predicates.push(condition),
                (Some(statement), Dialect::Sqlite) => table.predicates.extend(predicate_in(&statement)),
            }
        }
        for mut row in enums {
            let (of, name) = (number(&mut row)?, row.some_text()?);
            let label = row.some_text()?;
            let columns = tables.get_mut(&of).map(|table| table.columns.iter_mut());
            if let Some(column) = columns.and_then(|mut columns| columns.find(|column| column.name == name)) {
                column.labels.push(label);
            }
        }
        for mut row in references {
            let (of, name, to) = (number(&mut row)?, row.some_text()?, row.int()?);
            let (target, on_delete, from) = (row.text()?, row.some_text()?, row.text()?);
            if let Some(table) = tables.get_mut(&of)
                && let Some(column) = table.columns.iter_mut().find(|column| column.name == name)
            {
                column.references = target;
            }
            if let Some(table) = to.and_then(|to| tables.get_mut(&to)) {
                let words = format!("{} (ON DELETE {on_delete})", from.unwrap_or_default());
                if !table.inbound.contains(&words) {
                    table.inbound.push(words);
                }
            }
        }
        Ok(tables.into_values().collect())
    }

    /// Some rows of a table: the first ones, the newest ones as far as an index or their place on disk finds
    /// them, and some between. What can't be read is left out: it leaves a question open, no more.
    ///
    /// # Errors
    /// When the connection is lost.
    pub(crate) async fn look_at(&self, table: &CatalogueTable) -> Result<Samples, StoreError> {
        let dialect = self.dialect();
        let Some(name) = table.identity() else { return Ok(Samples::default()) };
        let readable: Vec<(&CatalogueColumn, Ident)> = table
            .columns
            .iter()
            .filter_map(|column| Some((column, Ident::new(column.name.as_str()).ok()?)))
            .collect();
        let cells: Vec<String> =
            readable.iter().map(|(column, ident)| cell(column, &ident.quoted(dialect), dialect)).collect();
        let mut samples = Samples {
            columns: readable.iter().map(|(column, _)| column.name.clone()).collect(),
            now: Some(self.now().await?),
            ..Samples::default()
        };
        let mut known = HashSet::new();
        for part in Part::of(table, dialect) {
            // Beside the first rows the others add nothing where those are all.
            if samples.whole {
                break;
            }
            let (sample, condition) = part.sql(dialect);
            let template = Template { name: "adopt_rows", text: Statements::of(dialect).rows };
            let sql = template.render(&[
                ("columns", cells.join(", ")),
                ("table", name.quoted(dialect)),
                ("sample", sample),
                ("part", condition),
                ("rows", SAMPLE_ROWS.to_string()),
            ])?;
            let rows = match self.read(&sql, &[]).await {
                Ok(rows) => rows,
                Err(error) if error.is_disconnect() => return Err(error),
                Err(error) => {
                    tracing::debug!(%error, "no rows to look at");
                    continue;
                }
            };
            samples.whole = part == Part::First && rows.len() < SAMPLE_ROWS && !table.row_security;
            for mut row in rows {
                let cells: Vec<Option<Cell>> = readable
                    .iter()
                    .map(|(column, _)| Ok(row.text()?.map(|text| stored(column, text, dialect))))
                    .collect::<Result<_, StoreError>>()?;
                if known.insert(format!("{cells:?}")) {
                    samples.rows.push(cells);
                }
            }
        }
        Ok(samples)
    }
}

/// A part of a table that is found without reading the table to its end.
#[derive(Debug, Clone, PartialEq)]
enum Part {
    First,
    /// The last rows of an order that an index has.
    Newest(Ident),
    /// The last pages.
    Last(i64),
    /// So many percent of the pages.
    Between(f64),
}

impl Part {
    fn of(table: &CatalogueTable, dialect: Dialect) -> Vec<Self> {
        let mut parts = vec![Self::First];
        let newest = newest_first(table).and_then(|column| Ident::new(column).ok());
        parts.extend(newest.map(Self::Newest));
        match dialect {
            Dialect::Postgres => {
                if let Some(pages) = table.pages.filter(|pages| *pages > 0) {
                    parts.push(Self::Last(pages));
                    parts.push(Self::Between((1_000.0 / pages as f64).clamp(0.000_1, 100.0)));
                }
            }
            Dialect::Sqlite => parts.push(Self::Last(0)),
        }
        parts
    }

    /// What follows the table's name, and the condition and order.
    fn sql(&self, dialect: Dialect) -> (String, String) {
        const PAGES: i64 = 16;
        const ROWS_OF_A_PAGE: i64 = 120;
        let none = String::new;
        match (self, dialect) {
            (Self::First, _) => (none(), none()),
            (Self::Newest(column), _) => {
                let column = column.quoted(dialect);
                (none(), format!("WHERE {column} IS NOT NULL ORDER BY {column} DESC"))
            }
            (Self::Last(pages), Dialect::Postgres) => {
                let first = (pages - PAGES).max(0);
                // Places one by one: older servers find no range of them.
                (
                    none(),
                    format!(
                        "WHERE t.ctid = ANY (ARRAY(SELECT CAST(format('(%s,%s)', p, r) AS tid) \
                         FROM generate_series({first}, {pages} + 1) AS p, generate_series(1, {ROWS_OF_A_PAGE}) AS r))"
                    ),
                )
            }
            (Self::Last(_), Dialect::Sqlite) => (none(), "ORDER BY rowid DESC".to_owned()),
            (Self::Between(percent), _) => (format!(" TABLESAMPLE SYSTEM ({percent})"), none()),
        }
    }
}

/// A value as text. What is long is not fetched whole.
fn cell(column: &CatalogueColumn, quoted: &str, dialect: Dialect) -> String {
    const SHORT: usize = 400;
    match (dialect, column.family) {
        (Dialect::Postgres, Family::Timestamptz | Family::Timestamp) => format!(
            "CASE WHEN isfinite({quoted}) THEN CAST(CAST(extract(epoch FROM {quoted}) * 1000000 AS bigint) AS text) \
             ELSE CAST({quoted} AS text) END"
        ),
        (Dialect::Postgres, _) => format!(
            "CASE WHEN {quoted} IS NULL THEN NULL WHEN pg_column_size({quoted}) <= {SHORT} \
             THEN left(CAST({quoted} AS text), {SAMPLE_CHARACTERS}) \
             ELSE rpad(concat('a value of ', pg_column_size({quoted}), ' bytes'), {SAMPLE_CHARACTERS}) END"
        ),
        (Dialect::Sqlite, _) => format!(
            "CASE WHEN {quoted} IS NULL THEN NULL ELSE substr(typeof({quoted}), 1, 1) || \
             CASE typeof({quoted}) WHEN 'blob' THEN hex(substr({quoted}, 1, 32)) \
             ELSE substr(CAST({quoted} AS TEXT), 1, {SAMPLE_CHARACTERS}) END END"
        ),
    }
}

fn stored(column: &CatalogueColumn, text: String, dialect: Dialect) -> Cell {
    match dialect {
        Dialect::Postgres => {
            let storage = match column.family {
                Family::Integer | Family::Timestamptz | Family::Timestamp => Storage::Integer,
                Family::Fraction if !text.contains('.') => Storage::Integer,
                _ => Storage::Text,
            };
            Cell { storage, text }
        }
        Dialect::Sqlite => {
            let mut rest = text.chars();
            let storage = match rest.next() {
                Some('i') => Storage::Integer,
                Some('t') => Storage::Text,
                _ => Storage::Other,
            };
            Cell { storage, text: rest.collect() }
        }
    }
}

fn number(row: &mut Row) -> Result<i64, StoreError> {
    let number = row.int()?;
    Ok(row.required(number)?)
}

fn column(row: &mut Row, dialect: Dialect) -> Result<CatalogueColumn, StoreError> {
    let name = row.some_text()?;
    let sql_type = row.some_text()?;
    let (type_name, category) = (row.some_text()?, row.some_text()?);
    Ok(CatalogueColumn {
        name,
        family: match dialect {
            Dialect::Postgres => postgres_family(&type_name, &category),
            Dialect::Sqlite => sqlite_family(&type_name),
        },
        sql_type,
        not_null: row.some_bool()?,
        generated: row.some_bool()?,
        counted: row.some_bool()?,
        default: row.text()?,
        labels: Vec::new(),
        references: None,
        comment: row.text()?,
    })
}
