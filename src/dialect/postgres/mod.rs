//! PostgreSQL: where it is, as libpq reads it; hosts, sessions and transactions; and the statements that only it says.

#[cfg(feature = "postgres")]
mod backend;
#[cfg(feature = "postgres")]
mod batch;
pub(super) mod conninfo;
#[cfg(feature = "postgres")]
pub(super) mod errors;
mod grammar;
#[cfg(feature = "postgres")]
mod link;
#[cfg(feature = "postgres")]
mod options;
pub(super) mod parameters;
mod search_path;
mod service;
#[cfg(feature = "postgres")]
mod sessions;
pub(super) mod url;
#[cfg(feature = "postgres")]
mod values;

#[cfg(feature = "postgres")]
pub(crate) use backend::{PgBackend, PgCaller};
pub(super) use grammar::PostgresGrammar;
pub use url::PostgresUrl;
