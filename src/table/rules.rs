//! What is written into a row, and how the application that owns the table treats what it finds.

use super::{Ident, Literal};

/// What a row becomes when its claim is taken away, or when its retry is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteRule {
    /// As the protocol says; only the table that `idemctl migrate` creates can do this.
    Protocol,
    /// These columns are set.
    Set {
        /// To these values.
        values: Vec<(Ident, Literal)>,
        /// To NULL.
        null: Vec<Ident>,
        /// To the moment of the change, each as its clock is written.
        now: Vec<Ident>,
    },
    /// The row is deleted.
    Delete,
}

/// How the application's own claim treats a row that is past its expiry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpiredRule {
    /// As the protocol says: settled rows count as absent, others block.
    Protocol,
    /// It blocks as if it were not expired.
    Blocks,
    /// It counts as absent.
    Absent,
}

/// How the application's own claim treats a failed row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailedRule {
    /// The row itself says whether a retry is allowed.
    ByRow,
    /// A retry executes.
    Retry,
    /// A retry gets the failure.
    Final,
}

/// How the application's own claim behaves; what is not said makes the verdict unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClaimRules {
    /// Rows past their expiry.
    pub expired: Option<ExpiredRule>,
    /// Failed rows.
    pub failed: Option<FailedRule>,
    /// It claims unfinished rows again in place.
    pub reopens: bool,
}
