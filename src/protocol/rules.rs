//! The rules: what may be done to a row, and what a retry gets. The transitions of the model, the rows of a table
//! and the commands of an operator ask them; they are written nowhere else.

use serde::Serialize;

use super::Status;

/// What the rules look at, as it was read at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The state.
    pub status: Status,
    /// It is past its expiry.
    pub is_expired: bool,
    /// A lease runs on it.
    pub is_leased: bool,
    /// Failed: a claim may try again.
    pub retry_allowed: bool,
}

/// Why something may not be done to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Its work goes on.
    InProgress,
    /// Its lease runs: somebody may be at work on it.
    Leased,
    /// Its answer stands.
    Completed,
    /// It has failed already.
    Failed,
}

/// What a retry of the same request would get now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It would execute.
    Execute,
    /// It would get the stored answer.
    Replay,
    /// It would be told that the first one is still running.
    Wait,
    /// It would get the stored failure.
    FinalFailure,
    /// The table's mapping does not say how the application treats such a row.
    Unknown,
}

impl Verdict {
    /// The word in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Execute => "execute",
            Self::Replay => "replay",
            Self::Wait => "wait",
            Self::FinalFailure => "final_failure",
            Self::Unknown => "unknown",
        }
    }
}

/// The verdict on a row of the protocol, for a retry with the same fingerprint.
pub const fn verdict(row: Standing) -> Verdict {
    match row.status {
        Status::InProgress => Verdict::Wait,
        Status::Completed | Status::Failed if row.is_expired => Verdict::Execute,
        Status::Completed => Verdict::Replay,
        Status::Failed if row.retry_allowed => Verdict::Execute,
        Status::Failed => Verdict::FinalFailure,
    }
}

/// Whether the reaper may take the claim away, when there was no heartbeat for long enough.
pub const fn may_reap(row: Standing, lacks_heartbeat: bool) -> bool {
    lacks_heartbeat && matches!(row.status, Status::InProgress) && !row.is_leased
}

/// Whether an operator may take the claim away; with `force` also where its lease runs.
///
/// # Errors
/// Why not.
pub const fn may_fail(row: Standing, force: bool) -> Result<(), Refusal> {
    match row.status {
        Status::InProgress if row.is_leased && !force => Err(Refusal::Leased),
        Status::InProgress => Ok(()),
        Status::Completed => Err(Refusal::Completed),
        Status::Failed => Err(Refusal::Failed),
    }
}

/// Whether an operator may let a claim try again.
///
/// # Errors
/// Why not.
pub const fn may_release(row: Standing) -> Result<(), Refusal> {
    match row.status {
        Status::InProgress => Err(Refusal::InProgress),
        Status::Completed => Err(Refusal::Completed),
        Status::Failed => Ok(()),
    }
}

/// Whether an operator may delete the row; with `force` any. `is_held`: a lease protects it whatever its state.
///
/// # Errors
/// Why not.
pub const fn may_forget(row: Standing, is_held: bool, force: bool) -> Result<(), Refusal> {
    match row.status {
        _ if force => Ok(()),
        Status::InProgress => Err(Refusal::InProgress),
        Status::Completed | Status::Failed if is_held => Err(Refusal::Leased),
        Status::Completed | Status::Failed => Ok(()),
    }
}

/// Whether a purge may delete the row, which has expired at the pass's cutoff. A row in progress is never deleted
/// by age.
pub const fn may_purge(row: Standing) -> bool {
    row.is_expired && !matches!(row.status, Status::InProgress)
}
