//! PostgreSQL's errors, sorted by what a caller can do about them.

use sqlx::postgres::{PgDatabaseError, PgSeverity};

use crate::dialect::ErrorKind;

/// The routine that reports what a trigger raises.
pub(in crate::dialect) const RAISED: &str = "exec_stmt_raise";

/// Whether the session goes on after this error. A pooler tells of a lost server by an ordinary error, but does not
/// say which routine of the server's reported it.
pub(in crate::dialect) fn leaves_the_session(error: &PgDatabaseError) -> bool {
    !is_fatal(error) && error.routine().is_some()
}

pub(in crate::dialect) fn is_fatal(error: &PgDatabaseError) -> bool {
    matches!(error.severity(), PgSeverity::Fatal | PgSeverity::Panic)
}

/// By PostgreSQL's SQLSTATE, and by what becomes of the session.
pub(in crate::dialect) fn classify(error: &PgDatabaseError) -> ErrorKind {
    let kind = classify_sqlstate(error.code());
    if is_fatal(error) {
        return match (kind, error.code().get(..2)) {
            (ErrorKind::Unreachable | ErrorKind::Refused | ErrorKind::Right | ErrorKind::DiskFull, _) => kind,
            // It ended a session that was there: a conflict with recovery, a time limit, a crash.
            (_, Some("25" | "40" | "53" | "57" | "58" | "XX")) => ErrorKind::Unreachable,
            // It begins none: a role or a setting in the options, a database that is closed to all.
            _ => ErrorKind::Refused,
        };
    }
    // The transaction was to write, and the server became a standby.
    if error.code() == "0A000" && error.routine() == Some("call_bool_check_hook") {
        return ErrorKind::ReadOnly;
    }
    match kind {
        // This connection lives. What is away is a server that a trigger or a foreign table asked.
        ErrorKind::Unreachable if leaves_the_session(error) => ErrorKind::Other,
        // Our own session takes no writes only where the server itself says so.
        ErrorKind::ReadOnly if !error.routine().is_none_or(|routine| routine.starts_with("Prevent")) => {
            ErrorKind::Other
        }
        _ => kind,
    }
}

/// PostgreSQL's SQLSTATE.
pub(in crate::dialect) fn classify_sqlstate(code: &str) -> ErrorKind {
    match code {
        "40001" | "40P01" => ErrorKind::Conflict,
        "55P03" => ErrorKind::Locked,
        // query_canceled: by statement_timeout, or by an administrator.
        "57014" => ErrorKind::Timeout,
        // idle_in_transaction_session_timeout, too_many_connections, and the server's shutdown and start.
        "25P03" | "53300" | "57P01" | "57P02" | "57P03" | "57P05" => ErrorKind::Unreachable,
        "53100" => ErrorKind::DiskFull,
        "25006" => ErrorKind::ReadOnly,
        "42501" => ErrorKind::Right,
        // foreign_key_violation, restrict_violation
        "23503" | "23001" => ErrorKind::Referenced,
        // character_not_in_repertoire (a NUL, too) and untranslatable_character.
        "22021" | "22P05" => ErrorKind::Encoding,
        // A text that the column's type can't read, or a number that is too large for it: a key that
        // can't be in the table.
        "22P02" | "22003" | "22007" | "22008" => ErrorKind::Input,
        // Undefined table, column, schema or function.
        "42P01" | "42703" | "3F000" | "42883" => ErrorKind::Schema,
        // Invalid authorization; no such database.
        "3D000" => ErrorKind::Refused,
        code if code.starts_with("28") => ErrorKind::Refused,
        code if code.starts_with("08") => ErrorKind::Unreachable,
        _ => ErrorKind::Other,
    }
}
