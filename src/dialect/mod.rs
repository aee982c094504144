//! A folder for each database: where it is, its connections and transactions, and the statements that only it says.
//! What is the same for all of them is the [`Backend`], whose errors are sorted in one place.

mod backend;
mod error;
pub(crate) mod postgres;
pub(crate) mod sqlite;
mod url;

use crate::sql::{Dialect, Grammar};

pub use backend::{Pooling, Timeouts};
pub use error::{ErrorKind, StoreError};
pub use postgres::PostgresUrl;
pub use sqlite::SqliteUrl;
pub use url::{DatabaseUrl, InvalidUrl};

pub(crate) use backend::{Backend, Bound, Executor, Purpose, Transaction};
#[cfg(feature = "cli")]
pub(crate) use error::causes;
#[cfg(feature = "cli")]
pub(crate) use postgres::parameters::{nearest, set_variables};
#[cfg(feature = "cli")]
pub(crate) use url::{Environment, looks_like_url, masked};

impl Dialect {
    /// What it writes in its own way.
    pub(crate) fn grammar(self) -> &'static dyn Grammar {
        match self {
            Self::Postgres => &postgres::PostgresGrammar,
            Self::Sqlite => &sqlite::SqliteGrammar,
        }
    }
}
