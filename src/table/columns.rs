//! What a statement must know of the real table: the types of its columns, so that each value is
//! compared in its column's own type, and what names a single row.

use crate::sql::{Column, Dialect, Family, Ident, Row, Unreadable};

/// What names a row where its key does not, or where many are chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Locator {
    /// PostgreSQL's place on the heap; with the table where children hold rows, as the same place is in each of
    /// them.
    Ctid { children: bool },
    /// SQLite's row number, by the one of its names that no column hides.
    Rowid(&'static str),
    /// Columns that are unique together and hold no NULL.
    Columns(Vec<Ident>),
}

/// The columns of a table. Empty for our own: its statements fit its types as they are.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    pub(crate) dialect: Dialect,
    pub(crate) list: Vec<Column>,
    pub(crate) locator: Locator,
    /// What SQLite keeps the table in the order of, as SQL: the row number, or the primary key of a table that has
    /// none. Empty where that is not known, and for PostgreSQL.
    pub(crate) place: Vec<String>,
    /// No two rows have the same key, scope and guard.
    pub(crate) key_is_unique: bool,
    /// What it is where it is no table.
    pub(crate) read_only: Option<&'static str>,
    /// Why the mapping's fail rule does not fit: what needs it is refused, and nothing else.
    pub(crate) fail_problem: Option<String>,
    /// The same of its release rule.
    pub(crate) release_problem: Option<String>,
    /// The clocks and shown columns of the mapping that do not fit. The store's own mapping is without them.
    pub(crate) misfits: Vec<Misfit>,
    /// What the query that read them said of who sees its rows.
    pub(crate) flags: VisibilityFlags,
}

/// A setting that does not fit the table: what needs it is refused, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// `table.clock.expires`
    pub(crate) setting: &'static str,
    /// The whole sentence.
    pub(crate) problem: String,
}

/// What is known for nothing, from a query that is sent anyway. Where it says anything, [`crate::store::Store::visibility`]
/// asks what exactly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VisibilityFlags {
    /// Row level security applies to the role, on the table or on its audit.
    pub row_security: bool,
    /// The server is a standby.
    pub standby: bool,
}

impl VisibilityFlags {
    /// Reads the two columns that carry them.
    pub(crate) fn read(row: &mut Row) -> Result<Self, Unreadable> {
        let row_security = row.bool()?;
        let row_security = row.required(row_security)?;
        let standby = row.bool()?;
        Ok(Self { row_security, standby: row.required(standby)? })
    }
}

impl Columns {
    /// Of the table that `idemctl migrate` creates.
    pub(crate) fn owned(dialect: Dialect) -> Self {
        let locator = match dialect {
            Dialect::Postgres => Locator::Ctid { children: false },
            Dialect::Sqlite => Locator::Rowid("rowid"),
        };
        let place = match dialect {
            Dialect::Postgres => Vec::new(),
            Dialect::Sqlite => vec!["rowid".to_owned()],
        };
        Self {
            dialect,
            list: Vec::new(),
            locator,
            place,
            key_is_unique: true,
            read_only: None,
            fail_problem: None,
            release_problem: None,
            misfits: Vec::new(),
            flags: VisibilityFlags::default(),
        }
    }

    /// The first of these settings that does not fit.
    pub(crate) fn misfit(&self, settings: &[&str]) -> Option<&Misfit> {
        self.misfits.iter().find(|misfit| settings.contains(&misfit.setting))
    }

    /// How many columns say where a row is.
    pub(crate) fn locator_parts(&self) -> usize {
        match &self.locator {
            Locator::Ctid { children } => 1 + usize::from(*children),
            Locator::Rowid(_) => 1,
            Locator::Columns(columns) => columns.len(),
        }
    }

    /// Whether that is SQLite's row number.
    pub(crate) fn has_row_number(&self) -> bool {
        matches!(self.locator, Locator::Rowid(_))
    }

    /// The column of this name.
    pub(crate) fn get(&self, name: &Ident) -> Option<&Column> {
        self.list.iter().find(|column| self.dialect.is_same_name(&column.name, name.as_str()))
    }

    /// The column as an expression that is equal only to the same bytes; `None` where the column itself is.
    pub(crate) fn exact(&self, name: &Ident) -> Option<String> {
        let column = self.get(name).filter(|column| column.folds)?;
        let quoted = Ident::new(column.name.clone()).ok()?.quoted(self.dialect);
        Some(self.dialect.grammar().exact(&quoted))
    }

    /// Whether the database computes the column.
    pub(crate) fn is_generated(&self, name: &Ident) -> bool {
        self.get(name).is_some_and(|column| column.generated)
    }

    pub(crate) fn family(&self, name: &Ident) -> Option<Family> {
        self.get(name).map(|column| column.family)
    }

    /// Whether the column may hold NULLs; those of our own table's names may not.
    pub(crate) fn is_nullable(&self, name: &Ident) -> bool {
        self.get(name).is_some_and(|column| !column.not_null)
    }
}
