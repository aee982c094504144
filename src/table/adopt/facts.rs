//! What a database says of its tables: the catalogue's facts.

use super::super::{Family, Ident, TableName};
use super::toml;

/// A table as the catalogue describes it.
#[derive(Debug, Clone, Default)]
pub(crate) struct CatalogueTable {
    /// The schema, where the database has schemas.
    pub(crate) schema: Option<String>,
    /// The name.
    pub(crate) name: String,
    /// The name alone means this table, on this connection.
    pub(crate) visible: bool,
    /// And no other table has that name.
    pub(crate) bare: bool,
    /// About how many rows it has, where the database knows without counting.
    pub(crate) rows: Option<i64>,
    /// The columns, in the table's order.
    pub(crate) columns: Vec<CatalogueColumn>,
    /// What is unique in all rows.
    pub(crate) uniques: Vec<UniqueFacts>,
    /// The texts of its check constraints.
    pub(crate) checks: Vec<String>,
    /// Foreign keys of other tables that point here, in words.
    pub(crate) inbound: Vec<String>,
    /// The conditions of its partial indexes, as SQL.
    pub(crate) predicates: Vec<String>,
    /// The first columns of its indexes.
    pub(crate) ordered: Vec<String>,
    /// How many pages the database has counted.
    pub(crate) pages: Option<i64>,
    /// Row level security decides which rows this session sees.
    pub(crate) row_security: bool,
}

/// A column.
#[derive(Debug, Clone)]
pub(crate) struct CatalogueColumn {
    /// The name.
    pub(crate) name: String,
    /// Its type, as declared.
    pub(crate) sql_type: String,
    /// What kind of values it holds.
    pub(crate) family: Family,
    /// It never holds NULL.
    pub(crate) not_null: bool,
    /// The database computes it.
    pub(crate) generated: bool,
    /// The database counts it.
    pub(crate) counted: bool,
    /// The default, as SQL.
    pub(crate) default: Option<String>,
    /// The values of its enum type.
    pub(crate) labels: Vec<String>,
    /// The table that it points at.
    pub(crate) references: Option<String>,
    /// What somebody has written about it in the database.
    pub(crate) comment: Option<String>,
}

/// A unique key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UniqueFacts {
    /// It is the primary key.
    pub(crate) primary: bool,
    /// Its columns in order; `None` for an expression.
    pub(crate) columns: Vec<Option<String>>,
}

impl CatalogueTable {
    /// The column of this name.
    pub(crate) fn column(&self, name: &str) -> Option<&CatalogueColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// A column's name without the word that nearly all columns begin with: it says nothing of this one.
    pub(crate) fn without_prefix<'n>(&self, name: &'n str) -> &'n str {
        let Some((prefix, rest)) = name.split_once('_') else { return name };
        let begins =
            |column: &&CatalogueColumn| column.name.split_once('_').is_some_and(|(other, _)| other == prefix);
        let alike = self.columns.iter().filter(begins).count();
        if alike >= 4 && alike * 4 >= self.columns.len() * 3 { rest } else { name }
    }

    /// The name for statements; `None` where no mapping could hold it.
    pub(crate) fn identity(&self) -> Option<TableName> {
        Some(TableName {
            schema: self.schema.as_deref().map(Ident::new).transpose().ok()?,
            name: Ident::new(self.name.as_str()).ok()?,
        })
    }

    /// The name as a configuration has it.
    pub(crate) fn config_name(&self) -> String {
        match &self.schema {
            Some(schema) if !self.bare => {
                format!("{}.{}", toml::name_part(schema), toml::name_part(&self.name))
            }
            _ => toml::name_part(&self.name),
        }
    }
}

impl CatalogueColumn {
    /// A whole number too small for milliseconds since 1970.
    pub(crate) fn is_short(&self) -> bool {
        matches!(
            self.sql_type.to_ascii_lowercase().as_str(),
            "integer" | "int" | "int4" | "smallint" | "int2"
        )
    }

    /// Whether its numbers are too small for a moment: four bytes hold the seconds of one.
    pub(crate) fn is_small(&self) -> bool {
        matches!(self.sql_type.to_ascii_lowercase().as_str(), "smallint" | "int2" | "tinyint")
    }

    /// Whether it holds points in time by its type alone.
    pub(crate) fn is_time(&self) -> bool {
        let declared = self.sql_type.to_ascii_uppercase();
        match self.family {
            Family::Timestamptz | Family::Timestamp => true,
            // SQLite has no such types, and takes these for numbers.
            Family::Fraction => declared.contains("DATE") || declared.contains("TIME"),
            _ => declared == "DATE",
        }
    }

    /// Whether its type holds documents or bytes.
    pub(crate) fn is_document(&self) -> bool {
        matches!(self.family, Family::Json | Family::Jsonb | Family::Bytes)
    }

    /// Whether a row can hold NULL here because nobody wrote anything.
    pub(crate) fn may_stay_null(&self) -> bool {
        let no_default = self.default.as_deref().is_none_or(|text| {
            let text = text.trim();
            text.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("null"))
        });
        !self.not_null && !self.generated && no_default
    }
}
