//! The columns of a real table.

/// A column of a real table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// Its type as SQL, from the database's own catalogue.
    pub(crate) sql_type: String,
    pub(crate) family: Family,
    pub(crate) not_null: bool,
    /// Computed by the database: it can't be written.
    pub(crate) generated: bool,
    /// Texts of different bytes may be equal in it.
    pub(crate) folds: bool,
}

/// What kind of values a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Text,
    Integer,
    /// Numbers that may have a fraction.
    Fraction,
    Boolean,
    Timestamptz,
    Timestamp,
    Bytes,
    /// Text that the database keeps as it was written.
    Json,
    /// Text that the database writes anew.
    Jsonb,
    Other,
}
