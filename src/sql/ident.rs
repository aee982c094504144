//! Names of tables and columns, and the only place that quotes them.

use std::fmt;

use super::Dialect;

/// A name that no database could hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidName {
    /// A name has at least one character.
    #[error("a name is empty")]
    Empty,
    /// NUL ends a name in every database's protocol.
    #[error("the name {0:?} contains a NUL")]
    Nul(String),
    /// PostgreSQL cuts longer names in silence, and the cut name is another name.
    #[error("the name {0:?} has more than 63 bytes")]
    TooLong(String),
}

/// The name of a column, a table or a schema, exactly as it is written in the database.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ident(String);

impl Ident {
    /// Checks a name that came from outside.
    ///
    /// # Errors
    /// [`InvalidName`] when no database could hold it.
    pub fn new(name: impl Into<String>) -> Result<Self, InvalidName> {
        let name = name.into();
        if name.is_empty() {
            return Err(InvalidName::Empty);
        }
        if name.contains('\0') {
            return Err(InvalidName::Nul(name));
        }
        if name.len() > 63 {
            return Err(InvalidName::TooLong(name));
        }
        Ok(Self(name))
    }

    /// A name of our own.
    pub(crate) fn known(name: &'static str) -> Self {
        Self(name.to_owned())
    }

    /// The name as it is.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name quoted.
    pub(crate) fn quoted(&self, dialect: Dialect) -> String {
        dialect.grammar().quote(&self.0)
    }
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A table, with its schema where one is named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableName {
    /// The schema; the connection's search path decides when it is absent.
    pub schema: Option<Ident>,
    /// The table.
    pub name: Ident,
}

impl TableName {
    pub(crate) fn quoted(&self, dialect: Dialect) -> String {
        match &self.schema {
            Some(schema) => format!("{}.{}", schema.quoted(dialect), self.name.quoted(dialect)),
            None => self.name.quoted(dialect),
        }
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.schema {
            Some(schema) => write!(f, "{schema}.{}", self.name),
            None => self.name.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_leaves_no_way_out() {
        let hostile = Ident::new("a\"b`c; DROP TABLE x --").unwrap();
        assert_eq!(hostile.quoted(Dialect::Postgres), "\"a\"\"b`c; DROP TABLE x --\"");
        assert_eq!(hostile.quoted(Dialect::Sqlite), "`a\"b``c; DROP TABLE x --`");
        assert_eq!(Ident::new("a\0"), Err(InvalidName::Nul("a\0".into())));
        assert_eq!(Ident::new(""), Err(InvalidName::Empty));
        assert!(Ident::new("x".repeat(64)).is_err());
    }
}
