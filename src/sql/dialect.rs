//! The dialects, and what can be asked of one. There is no comparison: a question says what it asks for.

/// The dialects of SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// PostgreSQL 14 and later.
    Postgres,
    /// SQLite 3.35 and later; bundled.
    Sqlite,
}

impl Dialect {
    /// Its name in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Sqlite => "sqlite",
        }
    }
}
