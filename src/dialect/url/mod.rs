//! Where a database is: URLs, PostgreSQL's `key=value` strings, services and variables.
//!
//! The rule for all of them: what names a place or asks for security is obeyed or refused, and no text that may
//! hold a password is repeated.

mod environment;
mod mask;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::postgres::{conninfo, parameters, url as postgres};
use super::{ErrorKind, PostgresUrl, SqliteUrl, StoreError};

pub(crate) use environment::Environment;
pub(crate) use mask::masked;

/// Where a database is. [`fmt::Display`] leaves the password out.
///
/// A PostgreSQL URL is read as libpq reads it, service file and `PG…` variables of this process included.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatabaseUrl {
    /// `postgres://user:password@host:port/database`, or `host=… dbname=…`
    Postgres(Box<PostgresUrl>),
    /// `sqlite:PATH`
    Sqlite(SqliteUrl),
}

/// Text that names no database that can be used. The text itself is not repeated: it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct InvalidUrl {
    what: String,
    hint: Option<String>,
}

/// What to do about a password that can't be told from the rest of the URL.
const ENCODE: &str = "percent-encode special characters in user, password and names: @ is %40, : is %3A, / is %2F, \
                      ? is %3F, # is %23, % is %25";

impl InvalidUrl {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), hint: None }
    }

    pub(super) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The URL does not fall into its parts.
    pub(super) fn malformed(what: impl Into<String>) -> Self {
        Self::new(what).with_hint(ENCODE)
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl From<InvalidUrl> for StoreError {
    fn from(error: InvalidUrl) -> Self {
        let what = match error.hint() {
            Some(hint) => format!("the database URL can't be used: {error}; {hint}"),
            None => format!("the database URL can't be used: {error}"),
        };
        Self::new(ErrorKind::Input, what)
    }
}

impl DatabaseUrl {
    /// An SQLite file, whatever characters its path has.
    pub fn sqlite_file(path: impl Into<PathBuf>) -> Self {
        Self::Sqlite(SqliteUrl::file(path.into()))
    }

    /// What the `PG…` variables name, if they name a database; with the variables that do.
    ///
    /// # Errors
    /// A variable whose value can't be used.
    #[cfg(feature = "cli")]
    pub(crate) fn from_variables(
        environment: &Environment<'_>,
    ) -> Result<Option<(Self, Vec<&'static str>)>, InvalidUrl> {
        let naming = parameters::set_variables(environment, true)?;
        if naming.is_empty() {
            return Ok(None);
        }
        let url = PostgresUrl::resolve(Vec::new(), environment)?;
        Ok(Some((Self::Postgres(Box::new(url)), naming)))
    }

    pub(crate) fn parse(text: &str, environment: &Environment<'_>) -> Result<Self, InvalidUrl> {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("sqlite:") {
            return SqliteUrl::parse(rest).map(Self::Sqlite);
        }
        let given = if let Some(rest) = uri(text) {
            postgres::parameters_of_uri(rest)?
        } else if conninfo::looks_like_one(text) {
            conninfo::parse(text)?
        } else {
            return Err(no_url(text));
        };
        Ok(Self::Postgres(Box::new(PostgresUrl::resolve(given, environment)?)))
    }

    /// Whether such a database may have standbys that replay what it does.
    pub fn has_standbys(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// Whether the URL says in which schema tables are looked for.
    #[cfg(feature = "cli")]
    pub(crate) fn names_schema(&self) -> bool {
        matches!(self, Self::Postgres(url) if url.names_schema())
    }

    /// Parameters that have no meaning here, and that do no harm: nothing is done about them.
    pub fn ignored(&self) -> &[String] {
        match self {
            Self::Postgres(url) => url.ignored(),
            Self::Sqlite(_) => &[],
        }
    }
}

/// Whether text was meant to name a database, and may hold a password.
#[cfg(feature = "cli")]
pub(crate) fn looks_like_url(text: &str) -> bool {
    text.contains("://") || conninfo::looks_like_one(text) || text.trim_start().starts_with("sqlite:")
}

fn uri(text: &str) -> Option<&str> {
    text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"))
}

/// Says what is expected of text that is neither.
fn no_url(text: &str) -> InvalidUrl {
    const EXPECTED: &str = "write postgres://USER@HOST/DATABASE, host=HOST dbname=DATABASE or sqlite:PATH";
    let scheme = text.split(':').next().unwrap_or_default();
    if text.is_empty() {
        return InvalidUrl::new("it is empty").with_hint(EXPECTED);
    }
    if ["mysql", "mariadb"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return InvalidUrl::new("MySQL and MariaDB are not supported yet").with_hint(EXPECTED);
    }
    if text.starts_with(['"', '\'', '`']) {
        return InvalidUrl::new("it begins with a quote").with_hint("leave the quotes around the URL out");
    }
    if text.contains(':') && scheme.len() < 20 {
        return match parameters::nearest(&scheme.to_ascii_lowercase(), &["postgres", "postgresql", "sqlite"])
        {
            Some(known) => {
                InvalidUrl::new("its scheme is not known").with_hint(format!("did you mean {known}:?"))
            }
            None => InvalidUrl::new("its scheme is not known").with_hint(EXPECTED),
        };
    }
    InvalidUrl::new("it has no scheme").with_hint(EXPECTED)
}

impl FromStr for DatabaseUrl {
    type Err = InvalidUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text, &Environment::process())
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(url) => url.fmt(f),
            Self::Postgres(url) => url.fmt(f),
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
