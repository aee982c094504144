//! What kind of failure it was.

/// What kind of failure it is: the part that callers branch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The database can't be reached, or went away.
    Unreachable,
    /// The database does not let us in: credentials, TLS, no such database.
    Refused,
    /// There is no such SQLite file.
    NoFile,
    /// The schema that was named is not there, or is not the one that the server looks in.
    WrongSchema,
    /// The claim is no longer the caller's; nothing was changed.
    StaleClaim,
    /// A table or column is missing, or a migration is pending.
    Schema,
    /// The schema is newer than this program, or not ours at all.
    SchemaMismatch,
    /// The role lacks a right.
    Right,
    /// The database or the file takes no writes.
    ReadOnly,
    /// A table's mapping does not fit the table.
    Mapping,
    /// A table's mapping does not say what the command needs.
    MissingSetting,
    /// An old row of the table may be freshly at work, and no clock shows it.
    Reopens,
    /// Rows of other tables point at the rows to be deleted.
    Referenced,
    /// Somebody holds a lock for longer than we wait.
    Locked,
    /// A serialization failure or deadlock; the transaction may be tried again.
    Conflict,
    /// A statement ran longer than it may.
    Timeout,
    /// No room left.
    DiskFull,
    /// The clock says a time at which nobody can have asked.
    Clock,
    /// The connection broke before the answer came: nobody here knows whether the change was made.
    /// Neither "done" nor "not done" may be said of it.
    OutcomeUnknown,
    /// The database's encoding can't hold a text.
    Encoding,
    /// The caller's input.
    Input,
    /// What the database holds can't be what it should be.
    Corrupt,
    /// Anything else.
    Other,
}

impl ErrorKind {
    /// Its name in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Refused => "refused",
            Self::NoFile => "no_file",
            Self::WrongSchema => "wrong_schema",
            Self::StaleClaim => "stale_claim",
            Self::Schema => "schema",
            Self::SchemaMismatch => "schema_mismatch",
            Self::Mapping => "mapping",
            Self::MissingSetting | Self::Reopens => "missing_setting",
            Self::Right => "right",
            Self::ReadOnly => "read_only",
            Self::Referenced => "referenced",
            Self::Locked => "locked",
            Self::Conflict => "conflict",
            Self::Timeout => "timeout",
            Self::DiskFull => "disk_full",
            Self::Clock => "clock",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::Encoding => "encoding",
            Self::Input => "input",
            Self::Corrupt => "corrupt",
            Self::Other => "other",
        }
    }
}

pub(super) fn classify(error: &sqlx::Error) -> ErrorKind {
    match error {
        sqlx::Error::Database(error) => {
            #[cfg(feature = "postgres")]
            if let Some(error) = error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>() {
                return crate::dialect::postgres::errors::classify(error);
            }
            #[cfg(feature = "sqlite")]
            if error.try_downcast_ref::<sqlx::sqlite::SqliteError>().is_some() {
                return crate::dialect::sqlite::errors::classify(error.code().as_deref(), error.message());
            }
            ErrorKind::Other
        }
        sqlx::Error::Io(error) if error.kind() == std::io::ErrorKind::StorageFull => ErrorKind::DiskFull,
        sqlx::Error::Io(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed
        | sqlx::Error::Protocol(_) => ErrorKind::Unreachable,
        sqlx::Error::Tls(_) | sqlx::Error::Configuration(_) => ErrorKind::Refused,
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) | sqlx::Error::TypeNotFound { .. } => {
            ErrorKind::Corrupt
        }
        _ => ErrorKind::Other,
    }
}
