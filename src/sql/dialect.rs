//! The dialects, and what can be asked of one. None is compared with another: a question says what it asks for, and
//! a new dialect has to answer it.

/// The dialects of SQL.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Dialect {
    /// PostgreSQL 14 and later.
    Postgres,
    /// SQLite 3.35 and later; bundled.
    Sqlite,
}

/// Makes a question of each line: its name, and the answer of each dialect.
macro_rules! questions {
    ($($(#[$doc:meta])* $name:ident: $postgres:literal, $sqlite:literal;)*) => {
        impl Dialect {
            $($(#[$doc])* #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "some are asked by commands alone"))]
            pub(crate) const fn $name(self) -> bool {
                match self {
                    Self::Postgres => $postgres,
                    Self::Sqlite => $sqlite,
                }
            })*
        }
    };
}

//                          PostgreSQL  SQLite
questions! {
    /// Whether there are roles, and rights that one may lack; else the file's rights are all there is.
    has_roles:                  true,   false;
    /// Whether policies may hide rows from a role.
    has_row_security:           true,   false;
    /// Whether a server may replay what another one writes.
    has_standbys:               true,   false;
    /// Whether a search path decides which table a name is.
    has_search_path:            true,   false;
    /// Whether deleted rows are cleaned up later, by somebody who keeps statistics of it.
    has_vacuum:                 true,   false;
    /// Whether the server keeps an estimate of a table's rows, and of those in a range.
    has_estimates:              true,   false;
    /// Whether the size of each table is known, and not the file's alone.
    has_table_sizes:            true,   false;
    /// Whether an index can be built while others write.
    builds_indexes_online:      true,   false;
    /// Whether rows are locked one by one; else the file is.
    locks_rows:                 true,   false;
    /// Whether the server's encoding decides which texts can be stored.
    has_encodings:              true,   false;
    /// Whether foreign keys are enforced on every connection.
    enforces_references:        true,   false;
    /// Whether NULL is the largest value in an order; else it is the smallest.
    nulls_sort_last:            true,   false;
    /// Whether rows of one expiry are deleted along the heap, block by block.
    has_heap:                   true,   false;
    /// Whether a column takes values of any type, whatever it was declared as.
    types_are_hints:            false,  true;
    /// Whether true and false are the numbers 1 and 0.
    flags_are_numbers:          false,  true;
    /// Whether the texts 'true' and 'false' are flags.
    reads_flags_from_text:      true,   false;
    /// Whether a type keeps a moment; else a number or a text stands for it.
    has_moments:                true,   false;
    /// Whether the planner takes a word for it that a condition nearly always holds.
    takes_likelihoods:          false,  true;
    /// Whether names are the same in upper and lower case.
    folds_names:                false,  true;
    /// Whether a column may be the row's number, which no index is made for.
    has_row_numbers:            false,  true;
    /// Whether a column itself tells its collation; else an index over it does.
    columns_tell_collations:    true,   false;
}

impl Dialect {
    /// Its name in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Sqlite => "sqlite",
        }
    }

    /// Whether two names of columns are one.
    pub(crate) fn is_same_name(self, one: &str, other: &str) -> bool {
        if self.folds_names() { one.eq_ignore_ascii_case(other) } else { one == other }
    }
}
