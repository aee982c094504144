//! Whether a failure is one row's own affair, the connection's or everybody's.

use super::StoreError;
use super::kind::ErrorKind;

impl StoreError {
    /// Whether the same call may succeed when it is simply made again.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(self.kind, ErrorKind::Conflict | ErrorKind::Locked)
    }

    /// Whether it waits for somebody else, and no trigger raised it.
    pub(crate) fn is_waiting(&self) -> bool {
        self.is_transient() && !self.is_of_a_row()
    }

    /// Whether the database may refuse some row alone: it answered, and its connection lives. Whether it takes the
    /// same statement without that row is to be asked.
    pub(crate) fn may_be_of_a_row(&self) -> bool {
        self.is_of_a_row() || self.is_of_a_living_session() && self.kind != ErrorKind::ReadOnly
    }

    /// Whether a lock of somebody else's is all that is in the way.
    pub(crate) fn is_a_lock(&self) -> bool {
        self.is_waiting() && (self.kind == ErrorKind::Locked || self.sqlstate() == Some("40P01"))
    }

    /// Whether the way to the database is the trouble, and another connection may fix it: it can't be
    /// reached, does not let us in, or became a standby.
    pub(crate) fn is_connection(&self) -> bool {
        self.is_disconnect()
            || matches!(self.kind, ErrorKind::Refused | ErrorKind::NoFile | ErrorKind::ReadOnly)
    }

    /// Whether there is no connection, or it broke.
    pub(crate) fn is_disconnect(&self) -> bool {
        matches!(self.kind, ErrorKind::Unreachable | ErrorKind::OutcomeUnknown)
    }

    /// Whether the server, or this role's share of it, has no connection left.
    #[cfg(feature = "postgres")]
    pub(crate) fn is_too_many_connections(&self) -> bool {
        let source = self.source.as_ref().and_then(|source| source.downcast_ref::<sqlx::Error>());
        source
            .and_then(sqlx::Error::as_database_error)
            .is_some_and(|error| error.code().as_deref() == Some("53300"))
    }
}
