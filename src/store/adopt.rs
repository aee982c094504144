//! What `adopt` asks a database: the catalogue of all tables, and some values of a few columns. Nothing
//! is changed, and no table is read to its end.

use std::collections::BTreeMap;

use super::fit::{postgres_family, sqlite_family};
use super::{Dialect, Purpose, Row, Sql, Store, StoreError};
use crate::table::adopt::{
    ColumnFacts, Occurrence, SAMPLE_CHARACTERS, Samples, Storage, TableFacts, UniqueFacts, checks_in,
};
use crate::table::{Family, Ident, Template};

/// So many rows are looked at.
const SAMPLE_ROWS: u32 = 1_000;

/// The statements of one dialect.
struct Statements {
    columns: &'static str,
    uniques: &'static str,
    checks: &'static str,
    enums: &'static str,
    references: &'static str,
    values: &'static str,
}

const POSTGRES: Statements = Statements {
    columns: include_str!("sql/adopt_columns.postgres.sql"),
    uniques: include_str!("sql/adopt_uniques.postgres.sql"),
    checks: include_str!("sql/adopt_checks.postgres.sql"),
    enums: include_str!("sql/adopt_enums.postgres.sql"),
    references: include_str!("sql/adopt_references.postgres.sql"),
    values: include_str!("sql/adopt_values.postgres.sql"),
};

const SQLITE: Statements = Statements {
    columns: include_str!("sql/adopt_columns.sqlite.sql"),
    uniques: include_str!("sql/adopt_uniques.sqlite.sql"),
    checks: include_str!("sql/adopt_checks.sqlite.sql"),
    enums: include_str!("sql/adopt_enums.sqlite.sql"),
    references: include_str!("sql/adopt_references.sqlite.sql"),
    values: include_str!("sql/adopt_values.sqlite.sql"),
};

impl Statements {
    fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Postgres => POSTGRES,
            Dialect::Sqlite => SQLITE,
        }
    }
}

fn statement(name: &'static str, text: &'static str) -> Result<Sql, StoreError> {
    Ok(Sql::new(Template { name, text }.render(&[])?))
}

impl Store {
    /// What the catalogue says of every table.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub(crate) async fn catalogue(&self) -> Result<Vec<TableFacts>, StoreError> {
        let dialect = self.dialect();
        let statements = Statements::of(dialect);
        let mut transaction = self.backend.begin(Purpose::Read).await?;
        let columns = transaction.fetch(&statement("adopt_columns", statements.columns)?, &[]).await?;
        let uniques = transaction.fetch(&statement("adopt_uniques", statements.uniques)?, &[]).await?;
        let checks = transaction.fetch(&statement("adopt_checks", statements.checks)?, &[]).await?;
        let enums = transaction.fetch(&statement("adopt_enums", statements.enums)?, &[]).await?;
        let references =
            transaction.fetch(&statement("adopt_references", statements.references)?, &[]).await?;
        transaction.commit().await?;

        let mut tables: BTreeMap<i64, TableFacts> = BTreeMap::new();
        for mut row in columns {
            let number = number(&mut row)?;
            let (schema, name) = (row.text()?, row.text()?.unwrap_or_default());
            let (visible, bare) = (row.bool()?.unwrap_or(false), row.bool()?.unwrap_or(false));
            let rows = row.int()?;
            let table = tables.entry(number).or_insert_with(|| TableFacts {
                schema,
                name,
                visible,
                bare,
                rows: rows.filter(|rows| *rows >= 0),
                ..TableFacts::default()
            });
            table.columns.push(column(&mut row, dialect)?);
        }
        let mut last = None;
        for mut row in uniques {
            let (of, index) = (number(&mut row)?, number(&mut row)?);
            let (primary, column) = (row.bool()?.unwrap_or(false), row.text()?);
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
            let (of, text) = (number(&mut row)?, row.text()?.unwrap_or_default());
            let Some(table) = tables.get_mut(&of) else { continue };
            match dialect {
                Dialect::Postgres => table.checks.push(text),
                Dialect::Sqlite => table.checks.extend(checks_in(&text)),
            }
        }
        for mut row in enums {
            let (of, name) = (number(&mut row)?, row.text()?.unwrap_or_default());
            let label = row.text()?.unwrap_or_default();
            let columns = tables.get_mut(&of).map(|table| table.columns.iter_mut());
            if let Some(column) = columns.and_then(|mut columns| columns.find(|column| column.name == name)) {
                column.labels.push(label);
            }
        }
        for mut row in references {
            let (of, name, to) = (number(&mut row)?, row.text()?.unwrap_or_default(), row.int()?);
            let (target, on_delete, from) = (row.text()?, row.text()?.unwrap_or_default(), row.text()?);
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

    /// The values of some columns in a bounded number of rows. A column that can't be read has none.
    ///
    /// # Errors
    /// When the connection is lost.
    pub(crate) async fn values_of(
        &self,
        table: &TableFacts,
        columns: &[String],
    ) -> Result<Samples, StoreError> {
        let dialect = self.dialect();
        let Some(name) = table.identity() else { return Ok(Samples::default()) };
        let template = Template { name: "adopt_values", text: Statements::of(dialect).values };
        let mut samples = Samples::default();
        for column in columns {
            let Ok(ident) = Ident::new(column.as_str()) else { continue };
            let sql = Sql::new(template.render(&[
                ("table", name.quoted(dialect)),
                ("column", ident.quoted(dialect)),
                ("rows", SAMPLE_ROWS.to_string()),
                ("characters", SAMPLE_CHARACTERS.to_string()),
            ])?);
            let rows = match self.read(&sql, &[]).await {
                Ok(rows) => rows,
                Err(error) if error.is_disconnect() => return Err(error),
                Err(error) => {
                    // A missing right or a slow table leaves a question open, no more.
                    tracing::debug!(%error, column, "no values to look at");
                    continue;
                }
            };
            let is_number = table
                .column(column)
                .is_some_and(|column| matches!(column.family, Family::Integer | Family::Fraction));
            let seen = rows.into_iter().map(|mut row| occurrence(&mut row, dialect, is_number));
            samples.0.push((column.clone(), seen.collect::<Result<_, _>>()?));
        }
        Ok(samples)
    }
}

fn number(row: &mut Row) -> Result<i64, StoreError> {
    let number = row.int()?;
    row.required(number)
}

fn column(row: &mut Row, dialect: Dialect) -> Result<ColumnFacts, StoreError> {
    let name = row.text()?.unwrap_or_default();
    let sql_type = row.text()?.unwrap_or_default();
    let (type_name, category) = (row.text()?.unwrap_or_default(), row.text()?.unwrap_or_default());
    Ok(ColumnFacts {
        name,
        family: match dialect {
            Dialect::Postgres => postgres_family(&type_name, &category),
            Dialect::Sqlite => sqlite_family(&type_name),
        },
        sql_type,
        not_null: row.bool()?.unwrap_or(false),
        generated: row.bool()?.unwrap_or(false),
        counted: row.bool()?.unwrap_or(false),
        default: row.text()?,
        labels: Vec::new(),
        references: None,
    })
}

fn occurrence(row: &mut Row, dialect: Dialect, is_number: bool) -> Result<Occurrence, StoreError> {
    let stored = row.text()?.unwrap_or_default();
    let text = row.text()?.unwrap_or_default();
    let storage = match (dialect, stored.as_str()) {
        (Dialect::Postgres, _) if is_number => Storage::Integer,
        (Dialect::Postgres, _) | (Dialect::Sqlite, "text") => Storage::Text,
        (Dialect::Sqlite, "integer") => Storage::Integer,
        (Dialect::Sqlite, _) => Storage::Other,
    };
    let count = row.int()?.and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
    Ok(Occurrence { storage, text, count })
}
