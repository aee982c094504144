//! SQLite: its file, connections and transactions; and the statements that only it says.

#[cfg(feature = "sqlite")]
mod backend;
#[cfg(feature = "sqlite")]
pub(super) mod errors;
#[cfg(feature = "sqlite")]
mod file;
mod grammar;
mod url;

#[cfg(feature = "sqlite")]
pub(crate) use backend::{SqliteBackend, SqliteCaller};
pub(super) use grammar::SqliteGrammar;
pub use url::SqliteUrl;
