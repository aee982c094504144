//! What can go wrong between us and a database, sorted by what a caller can do about it.

mod kind;
mod row;

use std::borrow::Cow;
use std::fmt;

use super::url::masked;
use crate::protocol::{AnswerTooLarge, InvalidInput};
use crate::sql::{TemplateError, Unreadable};
pub use kind::ErrorKind;
use kind::classify;

/// An error and its causes, the outermost first.
pub(crate) fn causes(error: &(dyn std::error::Error + 'static)) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut cause = Some(error);
    while let Some(error) = cause {
        let said = error.downcast_ref().and_then(server_message);
        let is_last = said.is_some();
        for line in said.unwrap_or_else(|| vec![error.to_string()]) {
            // The driver repeats its cause in its own words.
            let line = masked(&line);
            if lines.last().is_none_or(|last| !last.contains(&*line)) {
                lines.push(line.into_owned());
            }
        }
        cause = if is_last { None } else { error.source() };
    }
    lines
}

/// What PostgreSQL said, its detail and its hint, without the line of its own source code that the driver
/// adds.
#[cfg(feature = "postgres")]
fn server_message(error: &sqlx::Error) -> Option<Vec<String>> {
    let said = error.as_database_error()?.try_downcast_ref::<sqlx::postgres::PgDatabaseError>()?;
    let mut lines = vec![format!("error returned from database: {}", said.message())];
    // The detail of these is the whole row, an answer's body included: not for a terminal or a log.
    let shows_row = matches!(said.code(), "23502" | "23514" | "44000");
    lines.extend(said.detail().filter(|_| !shows_row).map(|detail| format!("detail: {detail}")));
    lines.extend(said.hint().map(|hint| format!("hint: {hint}")));
    Some(lines)
}

#[cfg(not(feature = "postgres"))]
fn server_message(_error: &sqlx::Error) -> Option<Vec<String>> {
    None
}

/// A failed call on a store.
#[derive(Debug)]
pub struct StoreError {
    kind: ErrorKind,
    what: Cow<'static, str>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl StoreError {
    pub(crate) fn new(kind: ErrorKind, what: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, what: what.into(), source: None }
    }

    pub(crate) fn corrupt(what: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Corrupt, what)
    }

    pub(crate) fn stale() -> Self {
        Self::new(
            ErrorKind::StaleClaim,
            "the claim is no longer ours: it was reaped, failed or settled by somebody else",
        )
    }

    /// Every other text of a claim is escaped where it has to be.
    pub(crate) fn of_a_name(self) -> Self {
        if self.kind != ErrorKind::Encoding {
            return self;
        }
        Self { what: "the database's encoding can't hold this key or its scope".into(), ..self }
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// It and its causes on one line.
    pub fn chain(&self) -> String {
        causes(self).join(": ")
    }

    /// Its cause, taken out.
    pub fn into_source(self) -> Option<Box<dyn std::error::Error + Send + Sync>> {
        self.source
    }

    /// What a statement says of a table that its mapping does not fit, or that the database refuses it on
    /// for a reason of the table's own.
    pub(crate) fn into_mapping(self, statement: &str, table: &crate::sql::TableName) -> Self {
        let what = if self.is_state_of_table() {
            format!("the database does not take the statement {statement} on {table} as the table is now")
        } else {
            format!("the mapping of {table} does not fit: {statement} can't be prepared")
        };
        Self { kind: ErrorKind::Mapping, what: what.into(), source: self.source }
    }

    /// Whether the table would have to change, and not the mapping: it is in no state in which the database
    /// does what was asked (a published table without a replica identity, for one).
    pub(crate) fn is_state_of_table(&self) -> bool {
        self.sqlstate().is_some_and(|code| code.starts_with("55"))
    }

    #[cfg(feature = "postgres")]
    fn server_error(&self) -> Option<&sqlx::postgres::PgDatabaseError> {
        let error = self.source.as_ref()?.downcast_ref::<sqlx::Error>()?;
        error.as_database_error()?.try_downcast_ref()
    }

    /// Whether the server, or the role, has no connection left.
    #[cfg(feature = "cli")]
    pub(crate) fn is_out_of_connections(&self) -> bool {
        self.sqlstate() == Some("53300")
    }

    /// The server's code for the error.
    #[cfg(feature = "postgres")]
    pub(crate) fn sqlstate(&self) -> Option<&str> {
        Some(self.server_error()?.code())
    }

    #[cfg(not(feature = "postgres"))]
    pub(crate) fn sqlstate(&self) -> Option<&str> {
        None
    }

    /// What the server advises to do about it.
    #[cfg(all(feature = "postgres", feature = "cli"))]
    pub(crate) fn server_hint(&self) -> Option<&str> {
        self.server_error()?.hint()
    }

    #[cfg(all(not(feature = "postgres"), feature = "cli"))]
    pub(crate) fn server_hint(&self) -> Option<&str> {
        None
    }

    /// A file that the system does not let us look at.
    #[cfg(feature = "sqlite")]
    pub(crate) fn closed_file(what: String, cause: std::io::Error) -> Self {
        Self { kind: ErrorKind::Refused, what: what.into(), source: Some(Box::new(cause)) }
    }

    /// Whether it is about a file, by what the system said.
    #[cfg(feature = "cli")]
    pub(crate) fn is_closed_file(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.is::<std::io::Error>())
    }

    /// The same error of an SQLite file, with its cause.
    #[cfg(feature = "sqlite")]
    pub(crate) fn of_a_file(self, kind: ErrorKind, what: String) -> Self {
        Self { kind, what: what.into(), ..self }
    }

    /// SQLite's extended result code.
    #[cfg(feature = "sqlite")]
    pub(crate) fn sqlite_code(&self) -> Option<u32> {
        let error = self.source.as_ref()?.downcast_ref::<sqlx::Error>()?.as_database_error()?;
        error.try_downcast_ref::<sqlx::sqlite::SqliteError>()?;
        error.code()?.parse().ok()
    }

    #[cfg(all(not(feature = "sqlite"), feature = "cli"))]
    pub(crate) fn sqlite_code(&self) -> Option<u32> {
        None
    }

    /// Whether the connection could not be encrypted as it was asked for.
    #[cfg(feature = "cli")]
    pub(crate) fn is_tls(&self) -> bool {
        let source = self.source.as_ref().and_then(|source| source.downcast_ref::<sqlx::Error>());
        match source {
            Some(sqlx::Error::Tls(_)) => true,
            // So the driver hands on what its TLS library says of a certificate.
            Some(sqlx::Error::Io(error)) => error.kind() == std::io::ErrorKind::InvalidData,
            _ => false,
        }
    }

    /// Whether the database refuses what is in some row, by what it says: a constraint, a trigger, a policy, a
    /// value.
    #[cfg(feature = "postgres")]
    pub(crate) fn is_of_a_row(&self) -> bool {
        let Some(error) = self.server_error() else { return self.is_of_a_sqlite_row() };
        // Messages come in the server's language; the name of what reported them does not.
        match error.routine() {
            // A trigger chooses its own code. A row that a policy or a view's check option does not let be
            // written.
            Some(super::postgres::errors::RAISED | "ExecWithCheckOptions") => true,
            _ => {
                let class = error.code().get(..2).unwrap_or_default();
                matches!(class, "09" | "20" | "21" | "22" | "23" | "27" | "2F" | "38" | "39" | "44" | "P0")
                    || error.code() == "40002"
            }
        }
    }

    /// As for PostgreSQL.
    #[cfg(not(feature = "postgres"))]
    pub(crate) fn is_of_a_row(&self) -> bool {
        self.is_of_a_sqlite_row()
    }

    #[cfg(feature = "postgres")]
    fn is_of_a_living_session(&self) -> bool {
        self.server_error().is_some_and(super::postgres::errors::leaves_the_session)
    }

    #[cfg(not(feature = "postgres"))]
    fn is_of_a_living_session(&self) -> bool {
        false
    }

    /// Whether another server is away that ours asked for a row's sake, by a trigger or a foreign table.
    #[cfg(all(feature = "postgres", feature = "cli"))]
    pub(crate) fn is_of_another_connection(&self) -> bool {
        let is_away = |code| super::postgres::errors::classify_sqlstate(code) == ErrorKind::Unreachable;
        self.is_of_a_living_session() && self.sqlstate().is_some_and(is_away)
    }

    #[cfg(all(not(feature = "postgres"), feature = "cli"))]
    pub(crate) fn is_of_another_connection(&self) -> bool {
        false
    }

    #[cfg(feature = "sqlite")]
    fn is_of_a_sqlite_row(&self) -> bool {
        let source = self.source.as_ref().and_then(|source| source.downcast_ref::<sqlx::Error>());
        let Some(error) = source.and_then(sqlx::Error::as_database_error) else { return false };
        if error.try_downcast_ref::<sqlx::sqlite::SqliteError>().is_none() {
            return false;
        }
        match error.code().and_then(|code| code.parse::<u32>().ok()).map(|code| code & 0xff) {
            // TOOBIG, CONSTRAINT (triggers and foreign keys included) and MISMATCH.
            Some(18..=20) => true,
            // What a trigger computes of a row has no code of its own.
            Some(1) => ["malformed JSON", "integer overflow", "JSON path", "JSON cannot hold"]
                .iter()
                .any(|said| error.message().contains(said)),
            _ => false,
        }
    }

    #[cfg(not(feature = "sqlite"))]
    fn is_of_a_sqlite_row(&self) -> bool {
        false
    }

    /// What the database said, on one line and without words of ours.
    pub(crate) fn said(&self) -> String {
        match self.source.as_deref() {
            Some(source) => causes(source).join(": ").replacen("error returned from database: ", "", 1),
            None => self.to_string(),
        }
    }

    /// The error of a call that can't tell what became of an earlier try of it, whose answer was lost.
    /// One that says of the row how it is, or of the call that it can't be, does tell.
    pub(crate) fn after_a_lost_answer(self) -> Self {
        let tells_nothing = self.is_connection()
            || self.is_transient()
            || matches!(
                self.kind,
                ErrorKind::Timeout | ErrorKind::Right | ErrorKind::DiskFull | ErrorKind::Corrupt
            )
            || (self.kind == ErrorKind::Other && !self.is_of_a_row());
        if !tells_nothing || self.is_outcome_unknown() {
            return self;
        }
        let Self { what, source, .. } = self;
        let source = source.or_else(|| Some(what.into_owned().into()));
        Self { kind: ErrorKind::Unreachable, what: Cow::Borrowed(""), source }.of_a_change()
    }

    /// Whether nobody knows if the call took effect: the connection broke after the change was sent and
    /// before its answer came. An [`ErrorKind::Unreachable`] means that nothing was changed.
    pub fn is_outcome_unknown(&self) -> bool {
        self.kind == ErrorKind::OutcomeUnknown
    }

    /// The error of a change whose answer did not come. An error that the database answered with stays
    /// what it is: nothing was changed then.
    pub(crate) fn of_a_change(self) -> Self {
        if self.kind != ErrorKind::Unreachable {
            return self;
        }
        let source = self.source.or_else(|| Some(self.what.into_owned().into()));
        Self {
            kind: ErrorKind::OutcomeUnknown,
            what: "the connection broke before the database answered: whether the change was made is unknown"
                .into(),
            source,
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl From<InvalidInput> for StoreError {
    fn from(error: InvalidInput) -> Self {
        Self { kind: ErrorKind::Input, what: error.to_string().into(), source: None }
    }
}

impl From<AnswerTooLarge> for StoreError {
    fn from(error: AnswerTooLarge) -> Self {
        Self { kind: ErrorKind::Input, what: error.to_string().into(), source: None }
    }
}

impl From<Unreadable> for StoreError {
    fn from(error: Unreadable) -> Self {
        Self::corrupt(error.0)
    }
}

impl From<TemplateError> for StoreError {
    fn from(error: TemplateError) -> Self {
        Self { kind: ErrorKind::Other, what: error.to_string().into(), source: None }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let kind = classify(&error);
        let what = match kind {
            ErrorKind::Unreachable => "the database can't be reached",
            ErrorKind::Refused => "the database does not let us in",
            ErrorKind::Schema => "the database does not have the table or column we need",
            ErrorKind::Right => "the database role lacks a right",
            ErrorKind::ReadOnly => "the database takes no writes",
            ErrorKind::Referenced => "rows of another table point at these rows",
            ErrorKind::Locked => "somebody else holds a lock we wait for",
            ErrorKind::Conflict => "a conflict with another transaction",
            ErrorKind::Timeout => "a statement ran longer than it may",
            ErrorKind::DiskFull => "the database has no room left on its disk",
            ErrorKind::Input => "the database can't take this text for a value of the column",
            ErrorKind::Encoding => "the database's encoding can't hold this text",
            ErrorKind::Corrupt => "the database file is damaged or no SQLite database",
            _ => "the database reported an error",
        };
        Self { kind, what: what.into(), source: Some(Box::new(error)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A first try that may have been committed is not undone by what a later one meets.
    #[test]
    fn what_a_later_try_meets_does_not_tell_of_a_lost_answer() {
        let after = |kind| StoreError::new(kind, "it said so").after_a_lost_answer();
        for kind in [
            ErrorKind::Unreachable,
            ErrorKind::Refused,
            ErrorKind::NoFile,
            ErrorKind::ReadOnly,
            ErrorKind::Right,
            ErrorKind::Locked,
            ErrorKind::Conflict,
            ErrorKind::Timeout,
            ErrorKind::DiskFull,
            ErrorKind::Corrupt,
            ErrorKind::Other,
            ErrorKind::OutcomeUnknown,
        ] {
            assert_eq!(after(kind).kind(), ErrorKind::OutcomeUnknown, "{kind:?}");
            assert!(after(kind).chain().contains("it said so"), "{kind:?}");
        }
        for kind in
            [ErrorKind::StaleClaim, ErrorKind::Referenced, ErrorKind::Input, ErrorKind::SchemaMismatch]
        {
            assert_eq!(after(kind).kind(), kind);
        }
    }
}
