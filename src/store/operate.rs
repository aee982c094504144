//! What an operator does to a single key: a compare-and-set on the row as it was shown, with its audit
//! entry in the same transaction.

use super::audit::Actor;
use super::rows::name_binds;
use super::{Confirmed, ErrorKind, KeyRow, Purpose, Store, StoreError, Value};
use crate::protocol::Retry;

/// What to do to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Take the claim of a row in progress away.
    Fail {
        /// Whether it may be tried again; a row claimed with "block if lost" is blocked whatever this
        /// says.
        retry: Retry,
    },
    /// Allow the retry of a failed row.
    Release,
    /// Delete the row.
    Forget,
}

impl Operation {
    /// What has been done, as the audit and the reports have it.
    pub const fn done(self) -> &'static str {
        match self {
            Self::Fail { .. } => "failed",
            Self::Release => "released",
            Self::Forget => "forgotten",
        }
    }
}

/// What became of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operated {
    /// It was done.
    Done,
    /// The row is not the one that was shown any more; nothing was changed.
    Changed,
}

impl Store {
    /// Does `operation` to the row if it is exactly the one that was read as `seen`. Whether the state
    /// machine allows it is the caller's question, see [`crate::protocol`]: the row can't have changed
    /// since.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] when the table's mapping does not say how; an unreachable database, where
    /// it is then unknown whether the change was made: the audit tells.
    pub async fn operate(
        &self,
        seen: &KeyRow,
        operation: Operation,
        actor: &Actor,
        audit: bool,
        _confirmed: &Confirmed,
    ) -> Result<Operated, StoreError> {
        let lacks = |knob: &str| {
            StoreError::new(ErrorKind::Input, format!("the mapping of {} lacks `{knob}`", self.mapping.name))
        };
        let (sql, policy) = match operation {
            Operation::Fail { .. } if self.mapping.fail.is_none() => return Err(lacks("fail")),
            Operation::Release if self.mapping.release.is_none() => return Err(lacks("release")),
            Operation::Fail { retry } => (&self.sql.fail_row, retry),
            Operation::Release => (&self.sql.release_row, Retry::Allow),
            Operation::Forget => (&self.sql.forget_row, Retry::Allow),
        };
        let failure = match &actor.reason {
            Some(reason) => format!("failed by an operator: {reason}"),
            None => "failed by an operator".to_owned(),
        };
        let mut binds = name_binds(seen);
        binds.extend([
            seen.token.into(),
            Value::Time(seen.renewed_at),
            seen.read_at.into(),
            policy.is_allowed().into(),
            failure.into(),
            seen.stored_state.as_deref().into(),
            seen.attempt.into(),
            Value::Time(seen.claimed_at),
            Value::Time(seen.lease_expires_at),
            Value::Time(seen.finished_at),
            Value::Time(seen.expires_at),
            Value::Bool(seen.retry_allowed),
        ]);
        super::with_retries(false, || async {
            let mut transaction = self.backend.begin(Purpose::Write).await?;
            if transaction.execute(sql, &binds).await? == 0 {
                return Ok(Operated::Changed);
            }
            if audit {
                self.write_audit(transaction.executor(), actor, operation.done(), seen).await?;
            }
            transaction.commit().await?;
            Ok(Operated::Done)
        })
        .await
    }
}
